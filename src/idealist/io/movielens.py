"""Rows without a header: MovieLens ratings, and MS MARCO runs."""

from __future__ import annotations

from idealist.io.delimited import delimited_parser
from idealist.io.formats import Head

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.io.line_text import LineText
    from idealist.io.opening import Opened

NAMES = {
    "msmarco": ("query", "document", "rank"),
    "movielens": ("query", "document", "grade", "timestamp"),
}


def headless_parser(opened: Opened, format: str, kind: str) -> LineText:
    """How to read the rows of MS MARCO (query, document, rank; by tabs or by spaces), or of MovieLens: ratings.csv, which
    has a header, ratings.dat and u.data."""
    first = Head(opened.head).first
    names = None if first.lower().startswith((b"userid", b'"userid')) else NAMES[format]
    delimiter = next((one for one in ("\t", "::", ",", " ") if one.encode() in first), "\t")
    return delimited_parser(opened.head, kind, delimiter=delimiter, names=names, source=opened.source)
