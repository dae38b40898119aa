"""Systems compared with a baseline: differences, their uncertainty, and whether they may ship."""

from __future__ import annotations

from idealist.comparison.baselines import baseline_in, name_among
from idealist.comparison.contrasting import contrast_systems
from idealist.comparison.correcting import correct_contrasts
from idealist.comparison.result import Comparison
from idealist.comparison.settings import Settings
from idealist.comparison.shares import known_shares, remark_saved, with_shares
from idealist.conventions import DEFAULT
from idealist.data.needs import PROFILES
from idealist.data.values import as_choice, as_count, as_seed, as_share, as_within
from idealist.decision.guards import JUDGED_GAP, LOW_SHARE, judged_at, judged_depths
from idealist.decision.margin import read_margin
from idealist.errors import InputError
from idealist.evaluation import Evaluation, evaluate, join_evaluations
from idealist.evaluation.inputs import require_order
from idealist.evaluation.needed import read_needed
from idealist.evaluation.unjudged import only_relevant_judged
from idealist.frozen import FrozenTable
from idealist.io.query_order import read_query_order
from idealist.io.segments import query_segments
from idealist.other_names import OF_RUNS, other_names
from idealist.statistics.beliefs import REGION
from idealist.statistics.testing import parse_tests
from idealist.statistics.tests.base import ROUNDS
from idealist.statistics.unseen import BEST_THIRD, IN_ORDER, INTERVALS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from idealist.comparison.contrast import Contrast
    from idealist.conventions import Conventions
    from idealist.data.clicks import ClickLog
    from idealist.data.items import Items
    from idealist.data.profiles import Profiles
    from idealist.data.query_numbers import QueryNumbers
    from idealist.data.weights import QueryWeights
    from idealist.evaluation.inputs import GivenJudgments, GivenRun, GivenRuns
    from idealist.measures import Measure
    from idealist.plan.query_sampling import SampledQueries
    from idealist.statistics.tests.base import PairedTest, Progress
    from idealist.types import GivenTable

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
