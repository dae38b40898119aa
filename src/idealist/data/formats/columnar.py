"""What Parquet and Arrow share: columns with types, read and written batch by batch through pyarrow."""

from __future__ import annotations

from idealist.data.arrow_tables import Batches, broken, require_arrow, table_of_arrow
from idealist.data.formats.format import ANYTHING, RANKED, Format
from idealist.data.source_names import STREAM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from idealist import kernels
    from idealist.data import Judgments
    from idealist.data.collection import Collection
    from idealist.data.columns import Columns
    from idealist.data.formats.format import Progress
    from idealist.data.opening import Opened
    from idealist.data.reading import ReadRequest
    from idealist.data.streaming import Matched
    from idealist.data.writing import Destination


class FrameFormat(Format):
    """A format that pyarrow opens."""

    carries = ANYTHING
    options = ("columns",)
    writes = RANKED
    written = "the columns query, document and score or grade, with types; compressed by itself"
    is_text = False
    takes_batches = True

    def batches(self, content: Any, opened: Opened, request: ReadRequest) -> Batches:
        """The columns that a run or judgments need, in no more memory than a batch takes."""
        raise NotImplementedError

    def schema(self, content: Any) -> Any:
        raise NotImplementedError

    def read_all(self, content: Any) -> Any:
        """A table of pyarrow."""
        raise NotImplementedError

    def writer(self, sink: Any, schema: Any) -> Any:
        raise NotImplementedError

    def write_rows(self, writer: Any, table: Any) -> None:
        writer.write_table(table)

    def _content(self, opened: Opened, *, again: bool = False) -> Any:
        """A plain file is read piece by piece, and not mapped: it may be cut while it is read. What comes in order
        only is kept whole."""
        arrow = require_arrow(f"{opened.source}: {self.label} data")
        if opened.size is not None and opened.path != STREAM:
            return arrow.OSFile(opened.path)
        return arrow.BufferReader(opened.content(again=again))

    def _opened_batches(self, opened: Opened, request: ReadRequest) -> Batches:
        arrow = require_arrow(f"{opened.source}: {self.label} data")
        try:
            return self.batches(self._content(opened), opened, request)
        except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
            raise broken(self.label, error, opened.source) from None

    def column_names(self, opened: Opened, part: str | None) -> list[str] | None:
        try:
            return list(self.schema(self._content(opened, again=True)).names)
        except UnicodeDecodeError as error:
            raise broken(self.label, error, opened.source) from None

    def rows(self, opened: Opened, request: ReadRequest, threads: int) -> kernels.Rows:
        from idealist.data.arrow_tables import rows_of_batches

        with self._opened_batches(opened, request) as batches:
            return rows_of_batches(batches, request, opened.source, threads)

    def match(
        self,
        opened: Opened,
        request: ReadRequest,
        judgments: Judgments,
        options: kernels.MatchOptions,
        threads: int,
    ) -> Matched:
        from idealist.data.arrow_tables import match_batches

        with self._opened_batches(opened, request) as batches:
            return match_batches(batches, request, opened.source, judgments, options, threads)

    def table(self, opened: Opened, request: ReadRequest) -> Columns:
        return table_of_arrow(self.arrow_table(opened), opened.source)

    def arrow_table(self, opened: Opened) -> Any:
        """All of it as a table of pyarrow."""
        arrow = require_arrow(f"{opened.source}: {self.label} data")
        try:
            return self.read_all(self._content(opened))
        except (arrow.ArrowException, OSError, ValueError) as error:
            raise broken(self.label, error, opened.source) from None

    def write(
        self, collection: Collection, destination: Destination, force: bool, progress: Progress | None
    ) -> None:
        reader = require_arrow("a Parquet or Arrow file").RecordBatchReader.from_stream(collection)
        self.write_batches([reader.read_all()], destination, collection.kind, collection.name, force)

    def write_batches(
        self, tables: Iterable[Any], destination: Destination, kind: str, name: str, force: bool
    ) -> None:
        from idealist.data.arrow_tables import write_batches

        write_batches(tables, self, destination, kind, name=name, force=force)
