"""Systems compared with a baseline: differences, their uncertainty, and whether they may ship."""

from __future__ import annotations

from idealist.comparison.baselines import baseline_in, name_among
from idealist.comparison.contrasting import contrast_systems
from idealist.comparison.correcting import correct_contrasts
from idealist.comparison.result import Comparison
from idealist.comparison.settings import Settings
from idealist.conventions import DEFAULT
from idealist.data.needs import PROFILES
from idealist.data.values import as_count, as_seed, as_share, as_within
from idealist.decision.guards import JUDGED_GAP, judged_at, judged_depths
from idealist.errors import InputError
from idealist.evaluation import Evaluation, evaluate, join_evaluations
from idealist.evaluation.needed import read_needed
from idealist.io.segments import query_segments
from idealist.renamed import renamed_arguments
from idealist.statistics.beliefs import REGION
from idealist.statistics.testing import DEFAULT_TESTS, parse_tests
from idealist.statistics.tests.base import ROUNDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from idealist.comparison.contrast import Contrast
    from idealist.conventions import Conventions
    from idealist.evaluation.inputs import GivenJudgments, GivenRun, GivenRuns
    from idealist.measures import Measure
    from idealist.statistics.tests.base import PairedTest, Progress

# The measures of a comparison that names none.
MEASURES = ("nDCG@10", "AP", "P@10")


@renamed_arguments(permutations="rounds")
def compare(
    runs: GivenRuns,
    judgments: GivenJudgments,
    measures: str | Measure | Iterable[str | Measure] = MEASURES,
    *,
    baseline: GivenRun | None = None,
    segments: Any = None,
    segment_by: str | None = None,
    conventions: Conventions | str = DEFAULT,
    columns: Mapping[str, str] | None = None,
    weights: Any = None,
    weight_by: str | None = None,
    threads: int | None = None,
    profiles: Any = None,
    items: Any = None,
    clicks: Any = None,
    machine: Any = None,
    calibrate: str | None = None,
    seed: int = 0,
    rounds: int = ROUNDS,
    tests: str | PairedTest | Iterable[str | PairedTest] = DEFAULT_TESTS,
    confidence: float = 0.95,
    region: float = REGION,
    progress: Progress | None = None,
) -> Comparison:
    """Measures runs and compares each with the baseline, query by query.

    `baseline` is one of the runs, by its name, by its file, or as it is among them; without it, the first.
    `segments` gives the segment of every query: a mapping, a table (a file, a frame, a dict of columns, a list of records)
    or profiles, with `segment_by` the column that names it (without it, segment); `segment_by` alone names a column of
    `profiles`. Tests of segments count in the family that p-values are adjusted for. `weights` and `weight_by` are those of `evaluate`. `tests` are those of `idealist.statistics`, by name
    or as objects; the family goes by the first that is defined. `rounds` and `seed` are for what is random and
    states no others. `region` is the difference that makes no difference in practice, for the posterior.
    `machine` and `calibrate` are those of `evaluate`: every contrast then has a `corrected` difference too, and verdicts
    go by that.

    >>> judged = {f"q{i}": {"a": 1} for i in range(3)}
    >>> old = {f"q{i}": {"b": 2.0, "a": 1.0} for i in range(3)}
    >>> new = {f"q{i}": {"a": 2.0, "b": 1.0} for i in range(2)} | {"q2": old["q2"]}
    >>> contrast = compare({"old": old, "new": new}, judged, "RR")["new", "RR"]
    >>> round(contrast.difference, 4), contrast.wins, contrast.ties, contrast.losses
    (0.3333, 2, 1, 0)
    >>> contrast.p_randomised  # ++ and −− of four
    0.5
    """
    if profiles is not None:
        profiles = read_needed(PROFILES, profiles)
    by_query = query_segments(segments, segment_by, profiles)
    evaluation = evaluate(
        runs,
        judgments,
        measures,
        conventions=conventions,
        columns=columns,
        weights=weights,
        weight_by=weight_by,
        threads=threads,
        profiles=profiles,
        items=items,
        clicks=clicks,
        machine=machine,
        calibrate=calibrate,
    )
    return compare_evaluations(
        evaluation,
        baseline=name_among(baseline, runs, judgments),
        segments=by_query,
        seed=seed,
        rounds=rounds,
        tests=tests,
        confidence=confidence,
        region=region,
        progress=progress,
    )


def compare_evaluations(
    evaluation: Evaluation | Sequence[Evaluation],
    *,
    different_judgments: bool = False,
    baseline: GivenRun | None = None,
    segments: Any = None,
    segment_by: str | None = None,
    seed: int = 0,
    rounds: int = ROUNDS,
    tests: str | PairedTest | Iterable[str | PairedTest] = DEFAULT_TESTS,
    confidence: float = 0.95,
    region: float = REGION,
    progress: Progress | None = None,
) -> Comparison:
    """Compares systems that are measured already, at once or on several occasions.

    `baseline` is the name or the file of a system, or its Run; without it, the first.
    Evaluations of different conventions, weights or judgments are refused; of different judgments they are
    compared if `different_judgments` says so, over the queries that both systems have.
    """
    evaluation = _joined(evaluation, different_judgments)
    chosen = baseline_in(evaluation, baseline)
    settings = Settings(
        seed=as_seed(seed),
        rounds=as_count(rounds, "rounds", hint="such as 10000"),
        confidence=as_share(confidence, "confidence"),
        region=as_within(region, "the region of practical equivalence", 0),
        tests=parse_tests(tests, rounds=rounds, seed=seed),
    )
    measures, notes = _comparable(evaluation)
    by = query_segments(segments, segment_by)
    if evaluation.weighted:
        notes.append(
            "means are weighted: Wilcoxon's test, the sign test and Tukey's are not defined then; "
            "wins, ties and losses count queries"
        )
    contrasts, left_out = contrast_systems(evaluation, measures, chosen, settings, by, progress)
    contrasts, of_machine = correct_contrasts(evaluation, contrasts, settings.confidence, by)
    notes += left_out
    notes += _remarks(contrasts)
    notes += _judged_gaps(evaluation, chosen)
    notes += of_machine
    return Comparison(
        evaluation=evaluation,
        baseline=chosen,
        measures=measures,
        contrasts=tuple(contrasts),
        notes=tuple(notes),
        settings=settings,
        by=by,
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
    if any(contrast.n > 1 and contrast.interval is None for contrast in overall):
        notes.append("all weight lies on a single query: there is no interval")
    notes += (
        f"{contrast.measure}: {contrast.system} differs from {contrast.baseline} by the same amount in every query; "
        "Student's t is undefined without a spread"
        + (", the randomised p-value is not" if contrast.p_randomised else "")
        for contrast in overall
        if contrast.alike
    )
    return notes


def _judged_gaps(evaluation: Evaluation, baseline: str) -> list[str]:
    notes = []
    for k in judged_depths(evaluation):
        shares = evaluation.judged[k]
        differing = [name for name in shares if abs(shares[name] - shares[baseline]) > JUDGED_GAP]
        if differing:
            share_texts = ", ".join(f"{name} {shares[name]:.2f}" for name in (baseline, *differing))
            notes.append(
                f"{judged_at(k)} differs: {share_texts}; where less is judged, values are likely too low"
            )
    return notes
