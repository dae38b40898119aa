"""A report: one HTML page, and the results that it shows."""

from __future__ import annotations

from idealist.io.targets import Target
from idealist.reporting.comparisons import comparison_view
from idealist.reporting.evaluations import evaluation_view
from idealist.reporting.html import element
from idealist.reporting.view import View
from idealist.reporting.votes import gsb_view
from idealist.results import Result
from idealist.wording import count_queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os

    from idealist.comparison import Comparison
    from idealist.decision.verdict import Verdict
    from idealist.evaluation import Evaluation
    from idealist.measures import Measure
    from idealist.votes.result import GSB

FRAME_HEIGHT = "700"  # of the page in a notebook, which scrolls within it


class Report(Result):
    """A report on runs: `html` is the whole page, which needs nothing besides itself.

    `evaluation`, `comparison` (None for one run) and `gsb` (None without votes) are the results that it shows,
    `verdicts` those on each system by `goal`, the first measure that says what is better; with one candidate, votes are a
    guard of its verdict.
    """

    def __init__(
        self,
        *,
        html: str,
        title: str,
        evaluation: Evaluation,
        comparison: Comparison | None,
        goal: Measure | None,
        verdicts: dict[str, Verdict],
        gsb: GSB | None,
    ) -> None:
        self.html = html
        self.title = title
        self.evaluation = evaluation
        self.comparison = comparison
        self.goal = goal
        self.verdicts = verdicts
        self.gsb = gsb

    def write(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Writes the page, whole or not at all; a file that exists is replaced only with `force`."""
        with Target(path, force=force) as place, open(place, "wb") as opened:
            opened.write(self.html.encode("utf-8", "surrogateescape"))

    def _repr_html_(self) -> str:
        """The page in a frame of its own: its styles do not reach the notebook, nor those of the notebook the page."""
        return element("iframe", title=self.title, srcdoc=self.html, width="100%", height=FRAME_HEIGHT)

    def _gist(self) -> str:
        systems, measures = ", ".join(self.evaluation.systems), ", ".join(map(str, self.evaluation.measures))
        queries = count_queries(len(self.evaluation.queries))
        return f"{systems}; {measures}; {queries}; {len(self.html.encode()):,} bytes of HTML"


def report_view(report: Report) -> View:
    """The tables of the page: the comparison or, of one run, the means; then the votes."""
    if report.comparison is None:
        main = evaluation_view(report.evaluation)
    else:
        main = comparison_view(report.comparison, verdicts=report.verdicts, goal=report.goal)
    if report.gsb is None:
        return main
    return main.followed_by(gsb_view(report.gsb, name="votes", decides=len(report.verdicts) != 1))
