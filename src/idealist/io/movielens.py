"""Rows without a header: MovieLens ratings, and MS MARCO runs."""

from __future__ import annotations

from idealist.io.delimited import delimited_rows
from idealist.io.formats import Head

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist import kernels
    from idealist.io.opening import Opened

NAMES = {
    "msmarco": ("query", "document", "rank"),
    "movielens": ("query", "document", "grade", "timestamp"),
}


def headless_rows(opened: Opened, format: str, kind: str, threads: int) -> kernels.Rows:
    """The rows of MS MARCO (query, document, rank; by tabs or by spaces), or of MovieLens: ratings.csv, which
    has a header, ratings.dat and u.data."""
    first = Head(opened.head).first
    names = None if first.lower().startswith((b"userid", b'"userid')) else NAMES[format]
    delimiter = next((one for one in ("\t", "::", ",", " ") if one.encode() in first), "\t")
    return delimited_rows(
        opened,
        kind,
        delimiter=delimiter,
        names=names,
        columns=None,
        source=opened.source,
        threads=threads,
    )
