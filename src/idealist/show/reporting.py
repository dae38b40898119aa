"""Runs and judgments in, one page out: tables, figures, verdicts, conventions and what it was all made of."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.base.named import OF_RUNS, other_names
from idealist.base.results import Result
from idealist.base.wording import count_queries
from idealist.comparison.comparing import compare_evaluations, name_among
from idealist.comparison.comparison import GUARDS, Comparison
from idealist.comparison.segmentation import with_shares
from idealist.comparison.verdict import with_guards
from idealist.conventions import DEFAULT, as_conventions
from idealist.data.arguments import named_runs, read_judged, require_order
from idealist.data.judgments import Judgments
from idealist.data.needs import TABLES, read_needed
from idealist.data.query_numbers import read_numbers
from idealist.data.run import as_run
from idealist.data.segments import query_segments
from idealist.data.targets import Target
from idealist.data.weight_reading import query_weights
from idealist.errors import InputError
from idealist.evaluation import Evaluation, evaluate
from idealist.measures import parse_all
from idealist.measures.column import Column, measures_and_columns
from idealist.show.comparison_tables import comparison_view
from idealist.show.evaluation_tables import evaluation_view
from idealist.show.html import element
from idealist.show.report_page import InputFiles, paths_among
from idealist.show.view import View
from idealist.show.vote_tables import gsb_view
from idealist.statistics.intervals import REGION
from idealist.statistics.paired_tests import ROUNDS
from idealist.statistics.unseen import BEST_THIRD
from idealist.votes.voting import votes_guard

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from idealist.comparison import Comparison
    from idealist.comparison.verdict import Verdict
    from idealist.conventions import Conventions
    from idealist.data import Run
    from idealist.data.arguments import GivenJudgments, GivenRun, GivenRuns
    from idealist.data.click_logs import ClickLog
    from idealist.data.items import Items
    from idealist.data.judgments import RichJudgments
    from idealist.data.query_numbers import QueryNumbers
    from idealist.data.query_weights import QueryWeights
    from idealist.data.sampled import DrawnJudgments
    from idealist.data.segments import Profiles
    from idealist.evaluation.explanation import Explanation
    from idealist.measures import Measure
    from idealist.plan.query_sampling import SampledQueries
    from idealist.statistics.paired_tests import PairedTest, Progress
    from idealist.types import GivenTable
    from idealist.votes.gsb_result import GSB
    from idealist.votes.vote_table import Votes


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


# What is measured when nothing is asked for.
MEASURES = ("nDCG@10", "AP", "RR", "P@10", "R@100")
TITLE = "Ranking report"


@other_names(**OF_RUNS)
def report(
    judgments: GivenJudgments | Evaluation | Comparison | None = None,
    runs: GivenRuns | None = None,
    measures: str | Measure | Iterable[str | Measure] = MEASURES,
    *,
    numbers: QueryNumbers | GivenTable | None = None,
    baseline: GivenRun | None = None,
    segments: Profiles | GivenTable | None = None,
    segment_by: str | None = None,
    conventions: Conventions | str = DEFAULT,
    columns: Mapping[str, str] | None = None,
    weights: QueryWeights | SampledQueries | GivenTable | None = None,
    weight_by: str | None = None,
    threads: int | None = None,
    profiles: Profiles | GivenTable | None = None,
    items: Items | GivenTable | None = None,
    clicks: ClickLog | GivenTable | None = None,
    machine: GivenJudgments | None = None,
    calibrate: str | None = None,
    seed: int = 0,
    rounds: int = ROUNDS,
    tests: str | PairedTest | Iterable[str | PairedTest] = (),
    interval: str = BEST_THIRD,
    shares: Mapping[str, float] | None = None,
    confidence: float = 0.95,
    region: float | None = None,
    margin: float | str | None = None,
    policy: str = "interval",
    guards: Sequence[str] = GUARDS,
    guard_margins: Mapping[str, float | str] | None = None,
    unjudged_rate: float | None = None,
    all_pairs: bool = False,
    more_tests: bool = False,
    votes: Votes | GivenTable | None = None,
    title: str = TITLE,
    date: str = "",
    inputs: InputFiles | Iterable[tuple[str, str | os.PathLike[str]]] | None = None,
    progress: Progress | None = None,
) -> Report:
    """A page on one run, or on several that are compared with the baseline (the first, unless another is named).

    Takes what `compare` takes (`numbers` alone, too), and `margin`, `policy`, `guards`, `guard_margins` and
    `unjudged_rate` as `Comparison.verdict` does. An
    Evaluation or a Comparison may stand in the place of judgments and runs: what needs the runs themselves, the curves
    by cut-off and the query worked out rank by rank, is left out then. With `region`, the page has the probabilities of worse,
    equivalent and better; with `all_pairs`, every pair of systems; with `more_tests`, the bootstrap and further tests.
    `votes` are what `gsb` takes, weighed as the queries are; with one candidate they are a guard of its verdict: with a
    `margin` they must be shown not to be worse by more than that, without one they must not be significantly worse. The page has a `date` only if one is given, so that the
    same inputs give the same page. It lists the files among the arguments; `inputs` names others, as pairs of a role and a path, where objects
    were read from them. Figures take matplotlib.

    >>> judged = {"q1": {"a": 1}, "q2": {"b": 1}}
    >>> report(judged, {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 2.0, "b": 1.0}}, "RR").evaluation.mean("RR")
    0.75
    """
    from idealist.show.figures import require_matplotlib
    from idealist.show.report_page import report_page

    require_matplotlib()
    measuring: dict[str, Any] = {
        "conventions": conventions,
        "columns": columns,
        "weights": weights,
        "weight_by": weight_by,
        "threads": threads,
        "profiles": profiles,
        "items": items,
        "clicks": clicks,
        "machine": machine,
        "calibrate": calibrate,
        "numbers": numbers,
    }
    comparing = {
        "baseline": name_among(baseline, runs),
        "segments": segments,
        "segment_by": segment_by,
        "seed": seed,
        "rounds": rounds,
        "tests": tests,
        "interval": interval,
        "shares": shares,
        "confidence": confidence,
    }
    if inputs is None:
        tables = {
            "votes": votes,
            "numbers": numbers,
            "machine": machine,
            "weights": weights,
            "segments": segments,
            "profiles": profiles,
            "items": items,
            "clicks": clicks,
        }
        inputs = paths_among({"judgments": judgments, "run": runs, **tables})
    files = inputs if isinstance(inputs, InputFiles) else InputFiles(inputs)
    measured: MeasuredRuns | None = None
    if isinstance(judgments, (Evaluation, Comparison)):
        _refuse_settled(judgments, runs, measures, measuring, comparing)
        evaluation = judgments if isinstance(judgments, Evaluation) else judgments.evaluation
    elif runs is None and numbers is not None:
        evaluation = evaluate(
            numbers=numbers,
            measures=() if measures is MEASURES else measures,
            conventions=conventions,
            weights=weights,
            weight_by=weight_by,
        )
    elif judgments is None or runs is None:
        raise InputError(
            "runs are measured with judgments, and there are none", hint="report(judgments, runs, …)"
        )
    else:
        measured = MeasuredRuns.of(judgments, runs, measures, **measuring)
        by_query = query_segments(segments, segment_by, measured.how.get("profiles"))
        comparing |= {"segments": by_query, "segment_by": None}
        evaluation = measured.evaluate(measured.measures)
    if isinstance(judgments, Comparison):
        comparison: Comparison | None = judgments
    elif len(evaluation.systems) > 1:
        belief = {"region": REGION if region is None else region}
        comparison = compare_evaluations(evaluation, **comparing, **belief, progress=progress)  # type: ignore[arg-type]
        evaluation = comparison.evaluation  # with the shares of segments
    else:
        _refuse_unused(
            baseline=baseline,
            segments=segments,
            segment_by=segment_by,
            shares=shares,
            guard_margins=guard_margins,
        )
        comparison = None
    goal = None if comparison is None else goal_of(comparison)
    verdicts = {}
    if comparison is not None and goal is not None:
        verdicts = comparison.verdicts(
            goal,
            margin=margin,
            policy=policy,
            guards=guards,
            guard_margins=guard_margins,
            unjudged_rate=unjudged_rate,
        )
    gsb = None
    if votes is not None:
        from idealist.votes.voting import gsb as sum_up

        gsb = sum_up(
            votes,
            weights=weights,
            weight_by=None if weights is None else weight_by,
            margin=margin,
            policy=policy,
            confidence=confidence,
            seed=seed,
        )
        if len(verdicts) == 1:  # one candidate has one outcome
            guard = votes_guard(gsb, stated=margin is not None)
            verdicts = {system: with_guards(verdict, [guard]) for system, verdict in verdicts.items()}
    curves = evaluation if measured is None else measured.at_cutoffs()
    if curves is not None and measured is not None and comparison is not None:
        known = comparison.settings.shares
        curves = curves if known is None else with_shares(curves, known)
    html = report_page(
        evaluation,
        comparison=comparison,
        verdicts=verdicts,
        goal=goal,
        gsb=gsb,
        curves=curves,
        explanations={} if measured is None else measured.explanations(evaluation, comparison),
        files=files.described(),
        title=title,
        date=date,
        all_pairs=all_pairs,
        more_tests=more_tests,
        posterior=region is not None,
    )
    return Report(
        html=html,
        title=title,
        evaluation=evaluation,
        comparison=comparison,
        goal=goal,
        verdicts=verdicts,
        gsb=gsb,
    )


def goal_of(comparison: Comparison) -> Measure | None:
    """The first measure that says which of two values is better: verdicts go by it. None where no measure does."""
    return next((measure for measure in comparison.measures if measure.better != "neither"), None)


class MeasuredRuns(Frozen):
    """Runs and judgments in memory, to be measured more than once; `how` is the same each time."""

    runs: Mapping[str, Run]
    judgments: Judgments | RichJudgments | DrawnJudgments
    measures: tuple[Measure, ...]
    conventions: Conventions
    how: Mapping[str, Any]
    numbers: QueryNumbers | None = None

    @classmethod
    def of(
        cls,
        judgments: Any,
        runs: Any,
        measures: Any,
        *,
        conventions: Conventions | str,
        columns: Mapping[str, str] | None,
        weights: Any,
        weight_by: str | None,
        threads: int | None,
        machine: Any = None,
        calibrate: str | None = None,
        numbers: Any = None,
        **tables: Any,
    ) -> MeasuredRuns:
        """Reads everything once, whatever it was given as."""
        chosen = as_conventions(conventions)
        if numbers is None:
            parsed = parse_all(measures, defaults=chosen.parameters)
        else:
            numbers = read_numbers(numbers)
            parsed = measures_and_columns(measures, numbers.columns, defaults=chosen.parameters)
        require_order(judgments, runs, measures, verb="report(judgments, runs, measures)")
        read = {
            need.name: read_needed(need, table)
            for need in TABLES
            if (table := tables.get(need.name)) is not None
        }
        weighting = query_weights(weights, weight_by, read.get("profiles"))
        drawn = None
        if machine is not None:
            from idealist.evaluation.machine_values import read_machine
            from idealist.evaluation.measuring import drawn_judgments

            machine, drawn = read_machine(machine, columns), drawn_judgments(judgments)
        return cls(
            {name: as_run(run) for name, run in named_runs(runs, columns).items()},
            read_judged(judgments, parsed, columns) if drawn is None else drawn,
            parsed,
            chosen,
            {"threads": threads, "weights": weighting, **read, "machine": machine, "calibrate": calibrate},
            numbers,
        )

    def evaluate(self, measures: Sequence[Measure]) -> Evaluation:
        """The values of measures; of numbers, too, where columns are among these."""
        numbers = self.numbers if any(isinstance(measure, Column) for measure in measures) else None
        return evaluate(
            self.judgments, self.runs, measures, numbers=numbers, conventions=self.conventions, **self.how
        )

    def at_cutoffs(self) -> Evaluation | None:
        """The first measure that has a cut-off, at several; None where no measure has one."""
        from idealist.show.plots import at_cutoffs

        several = at_cutoffs(self.measures)
        return self.evaluate(several) if several else None

    def explanations(self, evaluation: Evaluation, comparison: Comparison | None) -> dict[str, Explanation]:
        """The query whose value changed most, or without a baseline the first, worked out for every system."""
        from idealist.evaluation.explanation import explain
        from idealist.measures import CG, DCG, IDCG, NDCG

        sums_of_gains = (CG, DCG, IDCG, NDCG)
        measure = next((item for item in evaluation.measures if isinstance(item, sums_of_gains)), None)
        query = None if measure is None else _most_changed(evaluation, measure, comparison)
        if measure is None or query is None:
            return {}
        judged = self.judgments
        plain = judged if isinstance(judged, Judgments) else judged.plain()
        if query not in plain:
            return {}  # judged by the machine alone
        return {
            system: explain(plain, run, measure, query=query, conventions=self.conventions)
            for system, run in self.runs.items()
        }


def _most_changed(evaluation: Evaluation, measure: Measure, comparison: Comparison | None) -> str | None:
    """Of the queries that all systems have a value for, the one that is farthest from the baseline's in some system."""
    by_system = {system: evaluation.by_query(measure, system) for system in evaluation.systems}
    shared = [query for query in evaluation.queries if all(query in values for values in by_system.values())]
    if comparison is None or not shared:
        return shared[0] if shared else None
    before = by_system[comparison.baseline]
    return max(
        shared, key=lambda query: max(abs(values[query] - before[query]) for values in by_system.values())
    )


def _refuse_settled(
    result: Evaluation | Comparison,
    runs: Any,
    measures: Any,
    measuring: Mapping[str, Any],
    comparing: Mapping[str, Any],
) -> None:
    """Raises for arguments that say how runs are measured or compared, where that is done already."""
    done = "compared" if isinstance(result, Comparison) else "measured"
    stated = {"runs": runs is not None, "measures": measures is not MEASURES}
    # The weights are also those of the votes.
    settled = {name: value for name, value in measuring.items() if name not in ("weights", "weight_by")}
    settled |= comparing if isinstance(result, Comparison) else {}
    defaults = report.__wrapped__.__kwdefaults__  # type: ignore[attr-defined]
    stated |= {name: _differs(value, defaults[name]) for name, value in settled.items()}
    for name, is_stated in stated.items():
        if is_stated:
            raise InputError(f"{name} changes nothing: the runs are {done} already", hint=f"leave {name} out")


def _differs(value: Any, default: Any) -> bool:
    plain = isinstance(value, (str, int, float, tuple))
    return value is not default and not (plain and value == default)


def _refuse_unused(**comparing: Any) -> None:
    for name, value in comparing.items():
        if value is not None:
            raise InputError(
                f"{name} is for a comparison, and there is one run", hint="give two runs or more"
            )
