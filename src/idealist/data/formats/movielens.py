"""MovieLens: ratings.csv, which has a header, and ratings.dat and u.data, which have none."""

from __future__ import annotations

from idealist.data.column_names import plain_name
from idealist.data.formats.delimited import bare_delimiter, delimited_parser, split_names
from idealist.data.formats.format import Head, is_number
from idealist.data.line_text import LineFormat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.data.line_text import LineText
    from idealist.data.opening import Opened
    from idealist.data.reading import ReadRequest

EARLIEST_TIME = 100_000_000  # seconds since 1970: March 1973
HIGHEST_RATING = 100
NAMES = ("query", "document", "grade", "timestamp")


class MovieLens(LineFormat):
    name = "movielens"
    label = "MovieLens ratings"
    about = "ratings as judgments: `ratings.csv`, `ratings.dat`, `u.data`"
    carries = ("judgments",)
    options = ("encoding",)

    def recognises(self, head: Head) -> bool:
        names = [plain_name(name) for name in split_names(head.first, ",")]
        if names[:3] == ["userid", "movieid", "rating"] and not head.columns:
            return True
        for delimiter in (b"::", b"\t"):
            row = head.first.split(delimiter)
            if len(row) == 4 and _is_rating(row[2]) and _is_time(row[3]):
                return True
        return False

    def parser(self, opened: Opened, request: ReadRequest) -> LineText | None:
        first = Head(opened.head).first
        names = None if first.lower().startswith((b"userid", b'"userid')) else NAMES
        return delimited_parser(
            opened.head, request.kind, delimiter=bare_delimiter(first), names=names, source=opened.source
        )


def _is_rating(text: bytes) -> bool:
    return is_number(text) and 0 <= float(text) <= HIGHEST_RATING


def _is_time(text: bytes) -> bool:
    return text.isdigit() and int(text[:20]) >= EARLIEST_TIME


FORMAT = MovieLens()
