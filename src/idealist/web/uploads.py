"""Files that a browser or a program sends, as files that `io` can read."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path, PurePosixPath, PureWindowsPath

from idealist.errors import InputError
from idealist.web.importing import Upload
from idealist.web.store.files import fitting_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from idealist.web.workbench import Workbench


@contextmanager
def saved_upload(
    workbench: Workbench,
    file: Any,
    *,
    kind: str | None = None,
    columns: str = "",
    name: str | None = None,
    part: str | None = None,
    encoding: str | None = None,
) -> Iterator[Upload]:
    """The file under its own name in a folder of its own, which is gone afterwards."""
    filename = plain_filename(file.filename or "")
    with tempfile.TemporaryDirectory(dir=workbench.files.folder, prefix="upload-") as folder:
        path = Path(folder) / filename
        with open(path, "wb") as out:
            shutil.copyfileobj(file.file, out, 1 << 20)
        yield Upload(path, filename, kind, name, parse_columns(columns), part, encoding)


def plain_filename(filename: str) -> str:
    """The name of a file without folders, and without what could lead into one.

    >>> plain_filename("../../etc/passwd"), plain_filename("C:\\\\runs\\\\bm25.run"), plain_filename("..")
    ('passwd', 'bm25.run', 'upload')
    """
    name = PureWindowsPath(PurePosixPath(filename).name).name
    name = "".join(character for character in name if character.isprintable() and character != ":")
    return fitting_name(name) if name.strip(". ") else "upload"


def parse_columns(text: str) -> dict[str, str] | None:
    """Ours=theirs, as --columns has it.

    >>> parse_columns("query=uid, document=sku")
    {'query': 'uid', 'document': 'sku'}
    """
    columns: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        ours, equals, theirs = (word.strip() for word in part.partition("="))
        if not (ours and equals and theirs):
            raise InputError(
                f"columns: {part!r} is not ours=theirs", hint="for example query=uid,document=sku"
            )
        columns[ours] = theirs
    return columns or None
