"""Systems compared with a baseline: differences, their uncertainty, and whether they may ship."""

from __future__ import annotations

import os
from collections.abc import Mapping

from idealist.base.frozen import Frozen, FrozenTable
from idealist.base.named import OF_RUNS, other_names
from idealist.base.values import as_choice, as_count, as_id, as_seed, as_share, as_within
from idealist.comparison.comparison import Comparison
from idealist.comparison.contrasting import contrast_systems
from idealist.comparison.corrected_differences import correct_contrasts
from idealist.comparison.segmentation import known_shares, remark_saved, with_shares
from idealist.comparison.unjudged import JUDGED_GAP, LOW_SHARE, judged_at, judged_depths, only_relevant_judged
from idealist.comparison.verdict import read_margin
from idealist.conventions import DEFAULT
from idealist.data import Run
from idealist.data.arguments import PATHS, name_at, require_order
from idealist.data.column_names import QUERY
from idealist.data.columns import as_moment
from idealist.data.needs import PROFILES, read_needed
from idealist.data.segments import query_segments
from idealist.data.tables import read_table
from idealist.errors import InputError
from idealist.evaluation import Evaluation, evaluate, join_evaluations
from idealist.statistics.intervals import REGION
from idealist.statistics.paired_tests import ROUNDS, parse_tests
from idealist.statistics.unseen import BEST_THIRD, IN_ORDER, INTERVALS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from idealist.comparison.contrast import Contrast
    from idealist.comparison.segmentation import KnownShares
    from idealist.conventions import Conventions
    from idealist.data.arguments import GivenJudgments, GivenRun, GivenRuns
    from idealist.data.click_logs import ClickLog
    from idealist.data.items import Items
    from idealist.data.query_numbers import QueryNumbers
    from idealist.data.query_weights import QueryWeights
    from idealist.data.segments import Profiles
    from idealist.measures import Measure
    from idealist.plan.query_sampling import SampledQueries
    from idealist.statistics.paired_tests import PairedTest, Progress
    from idealist.types import GivenTable


TIME = ("time", "timestamp", "datetime", "date")


def read_query_order(source: Any) -> dict[str, int]:
    """The place of every query. A table has the column query and, unless its rows are in order, time; a query that
    has several rows, such as a judgment each, is complete with the last of them.

    >>> read_query_order(["q7", "q2"])
    {'q7': 0, 'q2': 1}
    >>> read_query_order({"query": ["q7", "q2", "q7"], "time": ["2026-01-01", "2026-01-02", "2026-01-03"]})
    {'q2': 0, 'q7': 1}
    """
    if isinstance(source, (list, tuple)) and all(isinstance(entry, (str, int)) for entry in source):
        ids = [as_id(entry, "the id of a query in the order") for entry in source]
        if len(set(ids)) < len(ids):
            twice = next(query for query in ids if ids.count(query) > 1)
            raise InputError(f"the order has the query {twice!r} twice", hint="name it once")
        return {query: place for place, query in enumerate(ids)}
    table = read_table(source).of("order")
    queries = table.ids(table.named(*QUERY))
    rows = list(range(len(table)))
    if (name := table.find(*TIME)) is not None:
        moments = [as_moment(table, name, row) for row in rows]
        rows.sort(key=moments.__getitem__)
    last = {queries[row]: place for place, row in enumerate(rows)}
    return {query: place for place, query in enumerate(sorted(last, key=last.__getitem__))}


class Settings(Frozen):
    """Seed, rounds, confidence, tests, the interval, the order of queries and the shares of segments of a comparison."""

    seed: int
    rounds: int
    confidence: float
    region: float
    tests: tuple[PairedTest, ...]
    interval: str = BEST_THIRD
    order: Mapping[str, int] | None = None  # the place of every query, of a confidence sequence
    shares: KnownShares | None = None

    @property
    def level(self) -> float:
        """The significance level that p-values are compared with."""
        return round(1 - self.confidence, 12)

    def to_dict(self) -> dict[str, Any]:
        """For JSON; the ids of queries stand with the contrasts."""
        record = {field: getattr(self, field) for field in self.fields if field not in ("order", "shares")}
        shares = None if self.shares is None else dict(self.shares.shares)
        return {**record, "tests": [str(test) for test in self.tests], "shares": shares}


AMONG = "give the baseline among the runs too"


def baseline_of(systems: Sequence[str], baseline: str | None) -> str:
    """The system that the others are compared with."""
    if len(systems) < 2:
        raise InputError(
            f"only one system, {systems[0]!r}: there is nothing to compare it with",
            hint="give at least two runs, besides the judgments",
        )
    if baseline is None:
        return systems[0]
    if baseline not in systems:
        raise InputError(
            f"the baseline {baseline!r} is not among the runs", hint=f"name one of: {', '.join(systems)}"
        )
    return baseline


def baseline_named(stated: str | None, systems: Sequence[str], files: Mapping[str, str]) -> str:
    """The system that a text means: by its name, its path or the name of its file; the first without a text.
    `files` are the names of runs by path.

    >>> baseline_named("runs/b.run", ["a", "b"], {"runs/a.run": "a", "runs/b.run": "b"})
    'b'
    """
    if stated is None or stated in systems:
        return baseline_of(systems, stated)
    by_path = {os.path.abspath(path): name for path, name in files.items() if name in systems}
    by_file = [name for path, name in by_path.items() if os.path.basename(path) == stated]
    name = by_path.get(os.path.abspath(stated), by_file[0] if len(by_file) == 1 else stated)
    return baseline_of(systems, name)


def name_among(baseline: Any, *given: Any) -> Any:
    """The name of the run that the baseline is, where that very object is among the `given` ones; else as it is.

    >>> old, new = {"q": {"a": 1.0}}, {"q": {"b": 1.0}}
    >>> name_among(new, {"old": old, "new": new}), name_among(new, [old, new]), name_among("old", [old, new])
    ('new', 'run 2', 'old')
    """
    if baseline is None or isinstance(baseline, PATHS):
        return baseline
    for runs in given:
        if isinstance(runs, Mapping):
            names = (str(name) for name, run in runs.items() if run is baseline)
        elif isinstance(runs, (list, tuple)):
            names = (name_at(run, position) for position, run in enumerate(runs, 1) if run is baseline)
        else:
            continue
        if (name := next(names, None)) is not None:
            return name
    return baseline


def baseline_in(evaluation: Evaluation, baseline: Any) -> str:
    """The system of an evaluation that the baseline means: by its name, its file, or a Run of the same name and
    content."""
    systems = evaluation.systems
    runs = {} if evaluation.provenance is None else dict(evaluation.provenance.runs)
    if baseline is None or isinstance(baseline, PATHS):
        sources = [run.source for run in runs.values()]
        files = {run.source: name for name, run in runs.items() if sources.count(run.source) == 1}
        stated = None if baseline is None else os.fspath(baseline)
        return baseline_named(stated, systems, {path: name for path, name in files.items() if path})
    baseline_of(systems, None)
    if not isinstance(baseline, Run):
        raise InputError(f"the baseline, a {type(baseline).__name__}, is not one of the runs", hint=AMONG)
    if baseline.name not in systems:
        return baseline_of(systems, baseline.name)
    measured = runs.get(baseline.name)
    if measured is not None and measured.affordable_sha256 not in (None, baseline.sha256):
        raise InputError(
            f"the baseline {baseline.name!r} has other documents or scores than the run of this name",
            hint=AMONG,
        )
    return baseline.name


# The measures of a comparison that names none.
MEASURES = ("nDCG@10", "AP", "P@10")


# What a comparison is asked for, once it is made.
ASKED_LATER = {
    "all_pairs": "comparison.pairs(measure) has every pair of systems; print(comparison.to_text(all_pairs=True)) shows them",
    "guards": "comparison.verdict(guards=…) says which guards are checked",
    "guard_margins": "comparison.verdict(guard_margins=…) says what a guard must be shown to keep",
    "policy": "comparison.verdict(policy=…) says by what it is decided",
    "risk": "comparison.risks(measure, alpha=…) has the risk measures",
}


@other_names(**OF_RUNS, permutations="rounds", **ASKED_LATER)
def compare(
    judgments: GivenJudgments | None = None,
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
    order: GivenTable | None = None,
    shares: Mapping[str, float] | None = None,
    margin: float | str | None = None,
    confidence: float = 0.95,
    region: float = REGION,
    progress: Progress | None = None,
) -> Comparison:
    """Measures runs and compares each with the baseline, query by query.

    `numbers` are those of `evaluate`: any numbers per query and system, compared as measures are, alone or beside runs.
    `baseline` is one of the runs, by its name, by its file, or as it is among them; without it, the first.
    `segments` gives the segment of every query: a mapping, a table (a file, a frame, a dict of columns, a list of records)
    or profiles, with `segment_by` the column that names it (without it, segment); `segment_by` alone names a column of
    `profiles`. With `shares`, what share of the traffic each segment has, means and differences give it that share, and only the
    spread within segments counts in intervals. Tests of segments count in the family that p-values are adjusted for. `weights` and `weight_by` are those of `evaluate`. `interval` is "best-third", "cautious" or "student": what an unseen failure is taken to cost; with
    `order`, the ids of queries in the order in which their judgments were complete (a list, a file or a table with the
    column query), it is a confidence sequence, and one may compare again whenever more queries are judged. `tests` are those of
    `idealist.statistics`, by name or as objects, beside the p-value of the interval. `rounds` and `seed` are for what is
    random and states no others. `margin` is how much worse may still ship, 0.02 or "2%" of the baseline's mean, for the verdicts. `region` is the difference that makes no difference in practice, for the posterior.
    `machine` and `calibrate` are those of `evaluate`: every contrast then has a `corrected` difference too, and verdicts
    go by that.

    >>> judged = {f"q{i}": {"a": 1} for i in range(3)}
    >>> old = {f"q{i}": {"b": 2.0, "a": 1.0} for i in range(3)}
    >>> new = {f"q{i}": {"a": 2.0, "b": 1.0} for i in range(2)} | {"q2": old["q2"]}
    >>> contrast = compare(judged, {"old": old, "new": new}, "RR")["new", "RR"]
    >>> round(contrast.difference, 4), contrast.wins, contrast.ties, contrast.losses
    (0.3333, 2, 1, 0)
    >>> contrast.significance("randomisation").p_value  # ++ and −− of four
    0.5
    >>> answers = {"query": ["q", "q"], "system": ["old", "new"], "latency_ms": [80, 60]}
    >>> compare(numbers=answers)["new", "latency_ms"].gain  # lower is better
    20.0
    """
    if runs is not None or judgments is not None:
        require_order(judgments, runs, measures, verb="compare(judgments, runs, measures)")
    profiles_read = None if profiles is None else read_needed(PROFILES, profiles)
    by_query = query_segments(segments, segment_by, profiles_read)
    evaluation = evaluate(
        judgments,
        runs,
        () if runs is None and measures is MEASURES else measures,
        numbers=numbers,
        conventions=conventions,
        columns=columns,
        weights=weights,
        weight_by=weight_by,
        threads=threads,
        profiles=profiles_read,
        items=items,
        clicks=clicks,
        machine=machine,
        calibrate=calibrate,
    )
    return compare_evaluations(
        evaluation,
        baseline=name_among(baseline, runs),
        segments=by_query,
        seed=seed,
        rounds=rounds,
        tests=tests,
        interval=interval,
        order=order,
        shares=shares,
        margin=margin,
        confidence=confidence,
        region=region,
        progress=progress,
    )


@other_names(permutations="rounds", **ASKED_LATER)
def compare_evaluations(
    evaluation: Evaluation | Sequence[Evaluation],
    *,
    different_judgments: bool = False,
    baseline: GivenRun | None = None,
    segments: Profiles | GivenTable | None = None,
    segment_by: str | None = None,
    seed: int = 0,
    rounds: int = ROUNDS,
    tests: str | PairedTest | Iterable[str | PairedTest] = (),
    interval: str = BEST_THIRD,
    order: GivenTable | None = None,
    shares: Mapping[str, float] | None = None,
    margin: float | str | None = None,
    confidence: float = 0.95,
    region: float = REGION,
    progress: Progress | None = None,
) -> Comparison:
    """Compares systems that are measured already, at once or on several occasions.

    `baseline` is the name or the file of a system, or its Run; without it, the first.
    Evaluations of different conventions, weights or judgments are refused; of different judgments they are
    compared if `different_judgments` says so, over the queries that both systems have.
    """
    read_margin(margin, baseline=1.0)  # one that cannot be read is refused before anything is compared
    evaluation = _joined(evaluation, different_judgments)
    chosen = baseline_in(evaluation, baseline)
    if order is not None and evaluation.machine is not None:
        raise InputError(
            "an order of queries is for judgments of people alone, and there is a machine",
            hint="leave the order or the machine out",
        )
    if order is not None and interval != BEST_THIRD:
        raise InputError(
            "interval changes nothing with an order: it is a confidence sequence then",
            hint="leave one of the two out",
        )
    by = query_segments(segments, segment_by)
    known = known_shares(shares, by, evaluation)
    if known is not None:
        if order is not None:
            raise InputError(
                "a confidence sequence does not take shares of segments",
                hint="leave the order or the shares out",
            )
        evaluation = with_shares(evaluation, known)
    settings = Settings(
        seed=as_seed(seed),
        rounds=as_count(rounds, "rounds", hint="such as 10000"),
        confidence=as_share(confidence, "confidence"),
        region=as_within(region, "the region of practical equivalence", 0),
        tests=parse_tests(tests, rounds=rounds, seed=seed) if tests else (),
        interval=as_choice(interval, "interval", INTERVALS) if order is None else IN_ORDER,
        order=None if order is None else FrozenTable(read_query_order(order)),
        shares=known,
    )
    measures, notes = _comparable(evaluation)
    if evaluation.weighted:
        notes.append(
            "means are weighted: Wilcoxon's test, the sign test and Tukey's are not defined then; "
            "wins, ties and losses count queries"
        )
    if by is not None and not by:
        notes.append("no query has a segment: the column is empty")
        by = None
    contrasts, left_out = contrast_systems(evaluation, measures, chosen, settings, by, progress)
    contrasts, of_machine = correct_contrasts(evaluation, contrasts, settings.confidence, by)
    notes += left_out
    notes += _remarks(contrasts)
    notes += _judged_gaps(evaluation, chosen)
    notes += of_machine
    if known is not None:
        notes.append(remark_saved(contrast for contrast in contrasts if contrast.segment is None))
    return Comparison(
        evaluation=evaluation,
        baseline=chosen,
        measures=measures,
        contrasts=tuple(contrasts),
        notes=tuple(notes),
        settings=settings,
        by=by,
        margin=margin,
        progress=progress,
    )


def _joined(evaluation: Evaluation | Sequence[Evaluation], different_judgments: bool) -> Evaluation:
    if isinstance(evaluation, Evaluation):
        return evaluation
    evaluations: list[Any] = list(evaluation) if hasattr(evaluation, "__iter__") else [evaluation]
    for item in evaluations:
        if not isinstance(item, Evaluation):
            raise InputError(
                f"expected an Evaluation, the result of `evaluate`, not {item!r}",
                hint="read_evaluation reads a saved one",
            )
    return join_evaluations(evaluations, different_judgments=different_judgments)


def _comparable(evaluation: Evaluation) -> tuple[tuple[Measure, ...], list[str]]:
    """The measures that have a mean over queries, and a note on those that have none."""
    comparable = tuple(measure for measure in evaluation.measures if measure.aggregate == "mean")
    others = [measure for measure in evaluation.measures if measure not in comparable]
    if not comparable:
        raise InputError(
            f"{others[0]} has no mean over queries, so no mean difference that could be tested",
            hint=f"compare by {_instead(others[0])}, which has one; `evaluate` gives {others[0]} of every system",
        )
    notes = []
    for measure in others:
        instead = f", {_instead(measure)} can be" if measure.aggregate == "pooled" else ""
        notes.append(f"{measure} has no mean over queries: it is not compared{instead}")
    return comparable, notes


def _instead(measure: Measure) -> str:
    """A measure with a mean over queries that says something about the same: what a pooled one is made of."""
    made_of = {"GAUC": "AUC"}.get(type(measure).name, getattr(measure, "of", None))
    return str(made_of or "nDCG@10")


def _remarks(contrasts: Sequence[Contrast]) -> list[str]:
    overall = [contrast for contrast in contrasts if contrast.segment is None]
    notes = []
    if any(contrast.n == 1 for contrast in overall):
        notes.append("a single query: there is no interval and no test")
    if any(contrast.n > 1 and contrast.estimate is None for contrast in overall):
        notes.append("all weight lies on a single query: there is no interval")
    notes += (
        f"{contrast.measure}: {contrast.system} differs from {contrast.baseline} by the same amount in every query; "
        "Student's t is undefined without a spread"
        for contrast in overall
        if contrast.alike and contrast.interval is None
    )
    return notes


def _judged_gaps(evaluation: Evaluation, baseline: str) -> list[str]:
    """What shares of judged documents say about values; once for all systems, that they say nothing."""
    notes = []
    depths = judged_depths(evaluation)
    if only_relevant_judged(evaluation, evaluation.systems):
        shares_named = ", ".join(map(judged_at, depths))
        return [
            f"no judgment is 0 or less, so {shares_named} rises as a system gets better: systems need not be equally judged"
        ]
    for k in depths:
        shares = evaluation.judged[k]
        share_texts = [f"{name} {share:.2f}" for name, share in shares.items()]
        differing = [name for name in shares if abs(shares[name] - shares[baseline]) > JUDGED_GAP]
        if differing:
            named = ", ".join(f"{name} {shares[name]:.2f}" for name in (baseline, *differing))
            notes.append(f"{judged_at(k)} differs: {named}; where less is judged, values are likely too low")
        elif max(shares.values()) < LOW_SHARE:
            notes.append(
                f"{judged_at(k)} is low: {', '.join(share_texts)}; most of what is compared there is not judged"
            )
    return notes
