"""What is read through pyarrow: frames that come batch by batch, and whole tables."""

from __future__ import annotations

from idealist.data.column_names import refuse_repeats
from idealist.data.columns import Columns
from idealist.errors import InputError, MissingDependency

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType
    from typing import Any


class Batches:
    """Batches of a file, one at a time, for whatever reads Arrow streams, and again for whoever asks again.
    What goes wrong with one is kept: the reader of a stream is told its text alone."""

    def __init__(self, schema: Any, batches: Callable[[], Iterator[Any]], about: str, source: str) -> None:
        self._schema, self._batches = schema, batches
        self._about, self._source = about, source
        self._error: BaseException | None = None

    def _watched(self) -> Iterator[Any]:
        try:
            yield from self._batches()
        except GeneratorExit:  # no more of them are needed
            raise
        except BaseException as error:  # Ctrl-C, too: Arrow would make an error of its own of it
            self._error = error
            raise

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        import pyarrow

        reader = pyarrow.RecordBatchReader.from_batches(self._schema, self._watched())
        return reader.__arrow_c_stream__(requested_schema)

    def __enter__(self) -> Batches:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        import pyarrow

        if isinstance(self._error, KeyboardInterrupt):
            raise self._error
        if self._error is not None:
            raise broken(self._about, self._error, self._source) from None
        if isinstance(error, (pyarrow.ArrowException, OSError)):
            raise broken(self._about, error, self._source) from None


def broken(about: str, error: BaseException, source: str) -> InputError:
    """What pyarrow says of data that cannot be read, in one line."""
    if isinstance(error, UnicodeDecodeError):
        return InputError(
            f"a name or a text in it is not UTF-8: {error.object[:40]!r}",
            source=source,
            hint=f"{about} has all text in UTF-8: write the file again with other text",
            code="not-utf8",
        )
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return InputError(
        f"the {about} data cannot be read: {lines[0] if lines else type(error).__name__}",
        source=source,
        hint="the file may be cut short or damaged: fetch or write it again",
    )


def require_arrow(purpose: str) -> Any:
    try:
        import pyarrow
    except ImportError:
        raise MissingDependency(f"{purpose} needs pyarrow", hint="pip install 'idealist[tables]'") from None
    return pyarrow


def table_of_arrow(table: Any, source: str | None) -> Columns:
    """All columns of a table of pyarrow."""
    try:
        refuse_repeats(table.column_names, source)
        return Columns(table.to_pydict(), source=source)
    except UnicodeDecodeError as error:
        raise broken("Arrow", error, source or "the table") from None
