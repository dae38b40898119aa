"""What formats of one row a line share: they are measured while they are read."""

from __future__ import annotations

from idealist.io.formats.base import Format

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist import kernels
    from idealist.data import Judgments
    from idealist.data.streaming import Matched
    from idealist.io.line_text import LineText
    from idealist.io.opening import Opened
    from idealist.io.request import ReadRequest


class LineFormat(Format):
    """A format whose rows are lines, which `parser` knows how to read."""

    def parser(self, opened: Opened, request: ReadRequest) -> LineText | None:
        """How its lines are read; None where a source of this format is not in lines."""
        raise NotImplementedError

    def whole_rows(self, opened: Opened, request: ReadRequest, threads: int) -> kernels.Rows:
        """The rows of a source that is not in lines."""
        raise NotImplementedError

    def rows(self, opened: Opened, request: ReadRequest, threads: int) -> kernels.Rows:
        text = self.parser(opened, request)
        if text is None:
            return self.whole_rows(opened, request, threads)
        return text.rows(opened, threads, duplicates=request.allow_duplicates)

    def match(
        self,
        opened: Opened,
        request: ReadRequest,
        judgments: Judgments,
        options: kernels.MatchOptions,
        threads: int,
    ) -> Matched:
        text = self.parser(opened, request)
        if text is None:
            return super().match(opened, request, judgments, options, threads)
        return text.match(opened, judgments, options, threads)
