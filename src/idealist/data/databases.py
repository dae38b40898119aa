"""What SQLite and DuckDB share: a table is named as FILE::TABLE, and nothing in the file is changed by reading."""

from __future__ import annotations

import os

from idealist.data.formats.format import ANYTHING, RANKED, Format
from idealist.data.source_names import PART_MARK, STREAM
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.data.collection import Collection
    from idealist.data.formats.format import Progress
    from idealist.data.opening import Opened
    from idealist.data.writing import Destination

LONGEST_NAME = 255  # bytes of a file's name


class Database(Format):
    """A format whose files hold tables. `journal` is how the name ends of what it writes beside its file."""

    carries = ANYTHING
    options = ("columns",)
    part = "table"
    writes = RANKED
    is_text = False
    journal: str

    def write_table(self, collection: Collection, path: str, destination: Destination, force: bool) -> None:
        """Writes one table into the database at `path`, which may stand for the destination's file."""
        raise NotImplementedError

    def require_room(self, path: str, cramped: bool) -> None:
        """Raises where a database of such a name could not be opened; `cramped` is whether its journal has no room."""

    def write(
        self, collection: Collection, destination: Destination, force: bool, progress: Progress | None
    ) -> None:
        """In one transaction. A database that is not there yet is made beside, and renamed."""
        from idealist.data.targets import Target, refuse_existing

        path = destination.path
        cramped = _leaves_no_room(path, self.journal)
        self.require_room(path, cramped)
        if os.path.lexists(path):
            if not os.path.isfile(path):
                raise InputError(f"{path}: this is not a file", hint="name a database")
            if cramped:
                from shutil import copyfile

                with Target(path, force=True) as copy:
                    copyfile(path, copy)
                    self.write_table(collection, copy, destination, force)
                return
            self.write_table(collection, path, destination, force)
            return
        refuse_existing(path, force)
        with Target(path) as new:
            self.write_table(collection, new, destination, force)


def _leaves_no_room(path: str, journal: str) -> bool:
    """Whether a name is so long that the database's journal cannot stand beside it: then nobody can write the file in
    its place, so that nobody else does while a copy is written."""
    return len(os.fsencode(os.path.basename(os.path.realpath(path)) + journal)) > LONGEST_NAME


def table_exists(destination: Destination) -> InputError:
    return InputError(
        f"{destination.target}: the table exists already",
        hint="--force (force=True) replaces it, or name another",
    )


def require_plain(opened: Opened) -> None:
    """Raises where a database cannot be read in its place."""
    if opened.size is None or opened.path == STREAM:
        reason = f"compressed by {opened.compression}" if opened.compression else "not a regular file"
        raise InputError(
            f"this is a database, but {reason}",
            source=opened.source,
            hint="save it as a file, not compressed",
        )


def chosen_table(table: str | None, tables: list[str], path: str) -> str:
    """The table that was named; its name in any case of letters."""
    if table in tables:
        return str(table)
    alike = [name for name in tables if table is not None and name.lower() == table.lower()]
    if len(alike) == 1:
        return alike[0]
    if not tables:
        raise InputError("this database has no tables", source=path, hint="is it the right file?")
    raise InputError(
        "this is a database, and no table was named"
        if not table
        else f"there is no table {table!r} in this database",
        source=path,
        hint=f"its tables are {', '.join(tables)}; name one as in {path}{PART_MARK}{tables[0]}",
    )


def quoted(name: str) -> str:
    """A name that SQL takes for a name, whatever is in it.

    >>> print(quoted('a"; DROP TABLE b; --'))
    "a""; DROP TABLE b; --"
    """
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def broken_database(title: str, error: Exception, path: str) -> InputError:
    first = next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
    outside = "disabled by configuration" in first
    return InputError(
        f"the {title} database cannot be read: {first}",
        source=path,
        hint="views that read other files are not followed: name those files, or save the view as a table"
        if outside
        else "it may be damaged, cut short, or in use by another program",
    )
