"""What people have that is in no format that is read, by its first bytes, and what to do about it."""

from __future__ import annotations

from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.io.formats.base import Head

UNPACK, PICKLE, SAVE = (
    "unpack it",
    "load it in Python, and give what it holds to Run or Judgments",
    "save it as Parquet or CSV",
)
PAGE = "was it fetched whole, without an error?"
UNREAD = (
    (b"PK\x03\x04", "zip data", UNPACK),
    (b"\x93NUMPY", "a NumPy array", "load it, and give it to Run.from_matrix"),
    (b"\x80\x04\x95", "a pickle", PICKLE),
    (b"\x80\x05\x95", "a pickle", PICKLE),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook (.xls)", "save it as .xlsx or CSV"),
    (b"7z\xbc\xaf", "7z data", UNPACK),
    (b"Rar!", "rar data", UNPACK),
    (b"\x89HDF", "HDF5 data", SAVE),
    (b"Obj\x01", "Avro data", SAVE),
    (b"%PDF", "a PDF", ""),
    (b"<!DOCTYPE", "a web page", PAGE),
    (b"<html", "a web page", PAGE),
)


def refuse_unread(head: Head, source: str, formats: str) -> None:
    """Raises for what is none of the formats."""
    for start, title, advice in UNREAD:
        if head.start.startswith(start):
            hint = "; ".join(text for text in (advice, formats) if text)
            raise InputError(f"this is {title}, which cannot be read", source=source, hint=hint)
