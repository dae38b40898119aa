"""A plugin for pytest: a test that fails where one run is worse than another, and says by how much and where.

    def test_new_ranker(assert_not_worse):
        assert_not_worse("shop.qrels", "new.run", "old.run", measure="nDCG@10", margin="2%")

pytest knows the fixture as soon as Idealist is installed; `from idealist.integrations.pytest import assert_not_worse`
is the same function. In a project, the fixture takes from idealist.toml what the test does not state: judgments, the measure,
margin, guards, conventions.
"""

from __future__ import annotations

from idealist.base.named import other_names
from idealist.errors import IdealistError, InputError, MissingDependency

try:
    import pytest
except ImportError:
    raise MissingDependency("this plugin is for pytest", hint="pip install pytest") from None

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from idealist.comparison.comparison import Comparison
    from idealist.comparison.contrast import Contrast
    from idealist.comparison.verdict import Verdict
    from idealist.measures import Measure
    from idealist.projects.project import Project

__all__ = ["assert_not_worse"]

RUN, BASELINE = "run", "baseline"
MOST_QUERIES = 5  # that lose, in a message


@other_names(qrels="judgments", metric="measure", metrics="measure", measures="measure", runs="run")
def assert_not_worse(
    judgments: Any = None,
    run: Any = None,
    baseline: Any = None,
    measure: str | Measure = "nDCG@10",
    *,
    margin: float | str | None = None,
    policy: str = "interval",
    guards: Any = None,
    guard_margins: Any = None,
    unjudged_rate: float | None = None,
    **settings: Any,
) -> Verdict:
    """Fails unless a run is shown to be no worse than the baseline by more than the margin; gives the verdict.

    `judgments`, `run` and `baseline` are whatever `compare` takes: files, dicts, frames; or `run` and `baseline` are
    evaluations that `evaluate` gave, without judgments. `margin`, `policy`, `guards`, `guard_margins` and `unjudged_rate` are those of
    `Comparison.verdict`, and further settings
    those of `compare`, such as conventions="lightgbm". An undecided verdict fails as well: the message says how many more
    queries would decide.

    >>> judged = {f"q{i}": {"a": 1} for i in range(20)}
    >>> good, bad = ({query: scores for query in judged} for scores in ({"a": 2, "b": 1}, {"a": 1, "b": 2}))
    >>> assert_not_worse(judged, good, bad, "RR", margin=0.01).outcome
    'ship'
    """
    __tracebackhide__ = True
    from idealist.comparison.comparison import GUARDS
    from idealist.comparison.verdict import PASSING

    try:
        comparison = _compared(judgments, run, baseline, measure, settings)
        verdict = comparison.verdict(
            measure,
            margin=margin,
            policy=policy,
            guards=GUARDS if guards is None else guards,
            guard_margins=guard_margins,
            unjudged_rate=unjudged_rate,
        )
    except IdealistError as error:
        # Where it was found out within Idealist says nothing to who wrote the test.
        raise error.with_traceback(None) from None
    if verdict.outcome not in PASSING:
        raise AssertionError(_message(comparison[RUN, measure], verdict))
    return verdict


def _compared(judgments: Any, run: Any, baseline: Any, measure: Any, settings: dict[str, Any]) -> Comparison:
    from idealist.comparison.comparing import compare, compare_evaluations
    from idealist.evaluation.evaluation import Evaluation
    from idealist.evaluation.joining import rename_systems

    if isinstance(judgments, Evaluation):
        raise InputError(
            "an evaluation stands where the judgments should",
            hint="assert_not_worse(run=…, baseline=…) compares two evaluations, without judgments",
        )
    if run is None or baseline is None:
        raise InputError(
            f"there is no {BASELINE if run is not None else RUN}",
            hint="assert_not_worse(judgments, run, baseline, measure), or run=… and baseline=… where idealist.toml names the "
            "judgments",
        )
    measured = [isinstance(side, Evaluation) for side in (run, baseline)]
    if all(measured) and judgments is None:
        sides = []
        for name, side in ((BASELINE, baseline), (RUN, run)):
            if len(side.systems) != 1:
                raise InputError(
                    f"the {name} has {len(side.systems)} systems: {', '.join(side.systems)}",
                    hint="give evaluations of one run each",
                )
            sides.append(rename_systems(side, {side.systems[0]: name}))
        return compare_evaluations(sides, baseline=BASELINE, **settings)
    if any(measured):
        raise InputError(
            "an evaluation is compared with an evaluation, without judgments",
            hint="give two evaluations, or two runs and their judgments",
        )
    if judgments is None:
        raise InputError(
            "there are no judgments to measure by",
            hint='give them as the first argument, or as judgments = "FILE" in idealist.toml',
        )
    return compare(judgments, {BASELINE: baseline, RUN: run}, measure, baseline=BASELINE, **settings)


def _message(contrast: Contrast, verdict: Verdict) -> str:
    """What a test that failed prints: the verdict, its guards, the numbers, and where the run loses most."""
    from idealist.base.wording import count_queries
    from idealist.errors import visible
    from idealist.show.verdict_tables import margin_text, verdict_lines

    lines = [
        *verdict_lines(verdict),
        f"{contrast.measure} on {count_queries(contrast.n)}: baseline {contrast.baseline_value:.4f}, run {contrast.value:.4f}",
        margin_text(verdict),
    ]
    worst = [move for move in contrast.moved if contrast.sign * move.change < 0][:MOST_QUERIES]
    if worst:
        lines.append(f"{contrast.losses:,} of {count_queries(contrast.n)} got worse, most of all:")
        lines += [f"  {move.query}  {move.before:.4f} → {move.after:.4f}" for move in worst]
    return "\n".join(visible(line) for line in lines)


@pytest.fixture(name="assert_not_worse")
def _fixture() -> Callable[..., Verdict]:
    """Fails unless a run is no worse than a baseline: assert_not_worse(run=run, baseline=baseline, margin="2%")."""

    def check(
        judgments: Any = None, run: Any = None, baseline: Any = None, measure: Any = None, **settings: Any
    ) -> Verdict:
        __tracebackhide__ = True
        from idealist.projects.reading import project
        from idealist.projects.settings import MEASURE, project_file

        try:
            path = project_file()
            if path is not None:
                own = project(path)
                measure = measure or next(iter(own.measures), None)
                judgments, run, baseline, stated = _in_project(own, judgments, run, baseline)
                settings = {**stated, **settings}
        except IdealistError as error:
            raise error.with_traceback(None) from None
        return assert_not_worse(judgments, run, baseline, measure or MEASURE, **settings)

    return check


def _in_project(
    own: Project, judgments: Any, run: Any, baseline: Any
) -> tuple[Any, Any, Any, dict[str, Any]]:
    """Judgments and runs as the project reads them, those of the project where none are given; and what it decides by."""
    from idealist.data.arguments import PATHS
    from idealist.evaluation.evaluation import Evaluation
    from idealist.projects.project import COMPARING, EVALUATING, OF_QUERIES

    measured = isinstance(run, Evaluation)
    left_out = {*(EVALUATING if measured else ()), *(OF_QUERIES if judgments is not None else ())}
    settings = own.stated(key for key in (*EVALUATING, *COMPARING) if key not in left_out) | own.deciding
    if measured:
        return judgments, run, baseline, settings
    if judgments is None and "judgments" in own.settings:
        judgments = own.read_judgments()
    elif isinstance(judgments, PATHS):
        judgments = own.read_judgments(judgments)
    run, baseline = (own.run_file(side) if isinstance(side, PATHS) else side for side in (run, baseline))
    return judgments, run, baseline, settings
