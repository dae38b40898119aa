"""JSON: one object {query: {document: number}}, or a list of records."""

from __future__ import annotations

from idealist.io.formats.base import ANYTHING, RANKED, Head
from idealist.io.formats.lines import LineFormat
from idealist.io.json_text import json_parser, json_rows, json_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist import kernels
    from idealist.data.collection import Collection
    from idealist.data.columns import Columns
    from idealist.io.destinations import Destination
    from idealist.io.formats.base import Progress
    from idealist.io.line_text import LineText
    from idealist.io.opening import Opened
    from idealist.io.request import ReadRequest


class Json(LineFormat):
    name = "json"
    label = "JSON"
    about = "`{query: {document: number}}`, as BEIR and ranx have it, or a list of records"
    carries = ANYTHING
    endings: tuple[str, ...] = (".json",)
    options = ("columns", "encoding")
    writes = RANKED
    written = "`{query: {document: number}}`"
    keeps_empty_queries = True
    first_line = "{"  # of what is written
    last_line = "\n}\n"

    def recognises(self, head: Head) -> bool:
        return head.text[:1] in (b"{", b"[") and b"\0" not in head.start

    def column_names(self, opened: Opened, part: str | None) -> list[str] | None:
        text = Head(opened.head).text
        if text[:1] != b"[":
            return None
        import json

        # The first record of a list that may end behind the head.
        return list(json.JSONDecoder().raw_decode(text[1:].decode("utf-8", "ignore").lstrip())[0])

    def parser(self, opened: Opened, request: ReadRequest) -> LineText | None:
        return json_parser(opened.head, request.kind, columns=request.columns, source=opened.source)

    def whole_rows(self, opened: Opened, request: ReadRequest, threads: int) -> kernels.Rows:
        return json_rows(
            opened,
            request.kind,
            columns=request.columns,
            source=opened.source,
            threads=threads,
            duplicates=request.allow_duplicates,
        )

    def table(self, opened: Opened, request: ReadRequest) -> Columns:
        return json_table(opened.content(), opened.source)

    def write(
        self, collection: Collection, destination: Destination, force: bool, progress: Progress | None
    ) -> None:
        from idealist.io.text_writing import write_text

        write_text(
            collection,
            destination,
            layout=self.name,
            first_line=self.first_line,
            last_line=self.last_line,
            misfit="JSON carries ids that are text, and this is empty or not UTF-8",
            hint="",
            force=force,
            progress=progress,
        )


FORMAT = Json()
