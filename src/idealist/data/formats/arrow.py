"""Arrow IPC, as a file or a stream."""

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

FILE = b"ARROW1"
STREAM = b"\xff\xff\xff\xff"


class Arrow(FrameFormat):
    name = "arrow"
    label = "Arrow"
    about = "Arrow IPC, as a file or a stream"
    endings = (".arrow", ".feather", ".ipc")

    def recognises(self, head: Head) -> bool:
        return head.start[:8] == FILE + b"\0\0" or head.start.startswith(STREAM)

    def batches(self, content: Any, opened: Opened, request: ReadRequest) -> Batches:
        import pyarrow

        full_schema = self.schema(content)
        roles = find_roles(full_schema.names, request.kind, request.columns, source=opened.source)
        needed = sorted({full_schema.names[at] for at in roles.values()})
        schema = pyarrow.schema([full_schema.field(name) for name in needed])
        return Batches(
            schema,
            lambda: (_sound(batch.select(needed)) for batch in _batches_of(_reader(content))),
            self.label,
            opened.source,
        )

    def schema(self, content: Any) -> Any:
        return _reader(content).schema

    def read_all(self, content: Any) -> Any:
        table = _reader(content).read_all()
        return _sound(table)

    def writer(self, sink: Any, schema: Any) -> Any:
        import pyarrow.ipc

        options = pyarrow.ipc.IpcWriteOptions(compression="lz4")
        return pyarrow.ipc.new_file(sink, schema, options=options)


def _reader(content: Any) -> Any:
    import pyarrow.ipc

    content.seek(0)
    is_file = content.read(len(FILE)) == FILE
    content.seek(0)
    return pyarrow.ipc.open_file(content) if is_file else pyarrow.ipc.open_stream(content)


def _batches_of(reader: Any) -> Iterator[Any]:
    if hasattr(reader, "num_record_batches"):
        return (reader.get_batch(at) for at in range(reader.num_record_batches))
    return iter(reader)


def _sound(cells: Any) -> Any:
    """A batch or table as it stood in a file, once it is known that no offset in it leads outside."""
    cells.validate(full=True)
    return cells


FORMAT = Arrow()
