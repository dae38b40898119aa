"""Parquet."""

from __future__ import annotations

from idealist.data.arrow_tables import Batches
from idealist.data.column_names import find_roles
from idealist.data.formats.columnar import FrameFormat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from idealist.data.formats.format import Head
    from idealist.data.opening import Opened
    from idealist.data.reading import ReadRequest

FIRST_BYTES = b"PAR1"
ROW_GROUP = 1 << 20


class Parquet(FrameFormat):
    name = "parquet"
    label = "Parquet"
    about = "Parquet"
    endings = (".parquet", ".pq")

    def recognises(self, head: Head) -> bool:
        return head.start.startswith(FIRST_BYTES) and not _is_printable(head.start[4:5])

    def may_be(self, head: Head) -> bool:
        return head.kind == "table" and head.start.startswith(FIRST_BYTES)

    def batches(self, content: Any, opened: Opened, request: ReadRequest) -> Batches:
        import pyarrow.parquet

        # Not buffered ahead: that would keep all of the file in memory.
        file = pyarrow.parquet.ParquetFile(content, buffer_size=1 << 20, pre_buffer=False)
        full_schema = file.schema_arrow
        roles = find_roles(full_schema.names, request.kind, request.columns, source=opened.source)
        needed = list(dict.fromkeys(full_schema.names[at] for at in roles.values()))
        schema = pyarrow.schema([full_schema.field(name) for name in needed])

        def batches() -> Iterator[Any]:
            done, count = 0, max(1, file.metadata.num_rows)
            for batch in file.iter_batches(columns=schema.names):
                yield batch.select(schema.names)
                done += batch.num_rows
                if opened.progress is not None and opened.size is not None:
                    opened.progress(opened.size * done // count, opened.size)

        return Batches(schema, batches, self.label, opened.source)

    def schema(self, content: Any) -> Any:
        import pyarrow.parquet

        return pyarrow.parquet.read_schema(content)

    def read_all(self, content: Any) -> Any:
        import pyarrow.parquet

        return pyarrow.parquet.read_table(content)

    def writer(self, sink: Any, schema: Any) -> Any:
        import pyarrow.parquet

        # A document stands in many places only where queries share them: a dictionary would cost more than it
        # saves. A query stands in every row of its own.
        return pyarrow.parquet.ParquetWriter(sink, schema, compression="zstd", use_dictionary=["query"])

    def write_rows(self, writer: Any, table: Any) -> None:
        writer.write_table(table, row_group_size=ROW_GROUP)


def _is_printable(byte: bytes) -> bool:
    return byte in (b"\t", b"\n", b"\v", b"\f", b"\r") or b" " <= byte <= b"~"


FORMAT = Parquet()
