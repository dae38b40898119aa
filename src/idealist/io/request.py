"""A request to read a source, with its options."""

from __future__ import annotations

import os

from idealist.data.numbers import known_decimal
from idealist.errors import InputError
from idealist.io.sources import is_data_set, parse_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from idealist.io.formats.base import Format

    Path = str | os.PathLike[str]

WHAT = {"run": "a run", "judgments": "judgments", "table": "a table"}


class ReadRequest:
    """A source that is to be read as a run, judgments or a table (`kind`), and the options it is read by.

    `shared_options` says that the options were given for several files at once, as those of a command are: then one
    that makes no difference to this file is no error.
    """

    def __init__(
        self,
        source: Path,
        kind: str,
        *,
        columns: Mapping[str, str] | None = None,
        format: str | None = None,
        query_sizes: Path | None = None,
        features: Path | None = None,
        encoding: str | None = None,
        decimal: str | None = None,
        system: str | None = None,
        shared_options: bool = False,
    ) -> None:
        parsed = parse_source(source)
        self.source = parsed.text
        self.path, self.part, self.name = parsed.path, parsed.part, parsed.name
        if is_data_set(parsed.text):
            from idealist.io.ir_datasets import data_set_file

            self.path = data_set_file(parsed.text, kind)
        self.is_stored = parsed.stored_name is not None  # the path says nothing to the user
        self.kind = kind
        if columns is not None and kind != "table":
            from idealist.data.stated_columns import columns_of

            columns = columns_of(columns, kind)
        self.columns = columns
        self.format = format
        self.query_sizes = None if query_sizes is None else os.fspath(query_sizes)
        self.features = None if features is None else os.fspath(features)
        self.encoding = encoding
        self.decimal = known_decimal(decimal)
        self.system = system  # which of several to read
        self.shared_options = shared_options
        self.allow_duplicates = False  # whether a document may be there twice for a query
        self.unrecognised_hint = ""  # what to add to errors where no format was recognised

    def of_file(self, path: str, source: str) -> ReadRequest:
        """The same of a file that this source stands for; `source` is what that is called."""
        request = ReadRequest.__new__(ReadRequest)
        request.__dict__.update(self.__dict__)
        request.path, request.source, request.part, request.format = path, source, None, None
        return request

    def require_format(self, format: Format, source: str) -> None:
        """Raises where a format does not carry what is asked for, or does not have an option that is stated."""
        self.require_kind(format, source)
        if self.part is not None and not format.part:
            raise InputError(
                f"there is no part {self.part!r}: this is {format.label}",
                source=source,
                hint=f"databases, workbooks and BEIR folders have parts; leave ::{self.part} out",
            )
        if self.shared_options:
            return
        for option in ("query_sizes", "features"):
            path = getattr(self, option)
            if path is not None and option not in format.options:
                raise InputError(
                    f"the {option.replace('_', ' ')} in {path} change nothing: they go with LETOR",
                    source=source,
                    hint="leave them out",
                )

    def require_kind(self, format: Format, source: str) -> None:
        if self.kind not in format.carries:
            carried = " or ".join(WHAT[kind] for kind in format.carries)
            raise InputError(
                f"this is {format.label}: {carried}, not {WHAT[self.kind]}",
                source=source,
                hint=f"name {WHAT[self.kind]} here" if self.kind != "table" else "",
            )

    def refuse_system(self, source: str) -> None:
        """Raises if one of several systems was asked for, of a source that names none."""
        if self.system is not None:
            raise InputError(
                f"the system {self.system!r} was requested, but no column names systems",
                source=source,
                hint="leave the system out, or name the column: --columns system=NAME, columns={'system': NAME} in Python",
            )
