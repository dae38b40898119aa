"""MS MARCO runs: query, document and rank, without a header, by tabs or blanks."""

from __future__ import annotations

from itertools import takewhile

from idealist.data.formats.delimited import bare_delimiter, delimited_parser
from idealist.data.formats.format import Head
from idealist.data.line_text import LineFormat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.data.collection import Collection
    from idealist.data.formats.format import Progress
    from idealist.data.line_text import LineText
    from idealist.data.opening import Opened
    from idealist.data.reading import ReadRequest
    from idealist.data.writing import Destination

NAMES = ("query", "document", "rank")


class MsMarco(LineFormat):
    name = "msmarco"
    label = "MS MARCO runs"
    about = "runs of three columns: query, document, rank"
    carries = ("run",)
    options = ("encoding",)
    writes = ("run",)
    written = "runs as query, document, rank: the scores are lost, so `--lossy` must allow it"
    loses = "MS MARCO's runs have ranks, but no scores: the scores"

    def recognises(self, head: Head) -> bool:
        """That the third column holds ranks, and no scores, is seen by the first query, whose ranks begin with 1 and
        rise."""
        rows = [line.split() for line in head.lines]
        if not rows or not all(len(row) == 3 and row[2].isdigit() for row in rows):
            return False
        first = [int(row[2][:20]) for row in takewhile(lambda row: row[0] == rows[0][0], rows)]
        return first[0] == 1 and first == sorted(set(first))

    def parser(self, opened: Opened, request: ReadRequest) -> LineText | None:
        first = Head(opened.head).first
        return delimited_parser(
            opened.head, request.kind, delimiter=bare_delimiter(first), names=NAMES, source=opened.source
        )

    def write(
        self, collection: Collection, destination: Destination, force: bool, progress: Progress | None
    ) -> None:
        from idealist.data.targets import write_text

        write_text(
            collection,
            destination,
            layout="msmarco",
            misfit="MS MARCO's runs cannot carry ids that are empty, have white space in them, or are not UTF-8",
            force=force,
            progress=progress,
        )


FORMAT = MsMarco()
