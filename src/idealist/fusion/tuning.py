"""Tuning of fusion: the parameters that suit judged queries best, and their value on held-out queries."""

from __future__ import annotations

from itertools import product

from idealist import kernels
from idealist.base.frozen import Frozen
from idealist.base.results import Result
from idealist.base.values import as_count, as_seed
from idealist.base.wording import count_of
from idealist.data import Judgments, RichJudgments
from idealist.errors import InputError
from idealist.evaluation import evaluate
from idealist.fusion.fusing import fused, normalisation_for, several_runs
from idealist.fusion.methods import Method
from idealist.fusion.united import unite
from idealist.measures import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from idealist.data import Run
    from idealist.data.run import RunLike
    from idealist.measures import Measure

    ByQuery = dict[str, float]


class Candidate(Frozen):
    """A method with the parameters that were tried, its normalisation, and its mean over all judged queries."""

    method: Method
    normalisation: str
    value: float

    def __str__(self) -> str:
        return str(self.method) if self.normalisation == "none" else f"{self.method}, {self.normalisation}"


class Fold(Frozen):
    """The choice made on the other queries, and its mean over the `queries` of the fold."""

    chosen: str
    queries: int
    value: float


class TunedFusion(Result, Frozen):
    """The outcome of tuning: `best` of the `candidates`, and `cross_validated`, the mean over all queries, each
    measured with what was chosen, and fitted, on the other folds. `best.value` was chosen on the queries it is measured
    on; `cross_validated` is what to expect of new ones. `singles` are the runs by themselves."""

    measure: Measure
    best: Candidate
    cross_validated: float
    candidates: tuple[Candidate, ...]
    folds: tuple[Fold, ...]
    singles: tuple[tuple[str, float], ...]

    def _gist(self) -> str:
        return f"{self.best}; cross-validated {self.measure} {self.cross_validated:.4f}"

    @property
    def method(self) -> Method:
        return self.best.method

    def fuse(self, runs: Sequence[RunLike] | Mapping[str, RunLike], *, name: str | None = None) -> Run:
        """The runs fused with what was chosen; they come in the order they were tuned in."""
        from idealist.fusion.fusing import fuse

        normalisation = None if self.method.looks_at == "ranks" else self.best.normalisation
        return fuse(runs, self.method, normalisation=normalisation, name=name)


def tune_fusion(
    judgments: Judgments | Mapping[Any, Mapping[Any, Any]],
    runs: Sequence[RunLike] | Mapping[str, RunLike],
    method: str | Method = "rrf",
    measure: str | Measure = "nDCG@10",
    *,
    grid: Mapping[str, Sequence[Any]] | None = None,
    normalisation: str | None = None,
    folds: int = 5,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> TunedFusion:
    """Tries every combination of parameters in `grid` and keeps the one with the best mean; equal ones, the first.

    Without a grid the method's own is tried: weights that add up to 1 in steps of 0.1, k of RRF, p of RBC …;
    "normalisation" may be among its keys. Queries are dealt into `folds` at random by `seed`; for each fold the choice is
    made, and what a method learns is fitted, on the others.

    >>> good, bad = {"q1": {"a": 2, "b": 1}, "q2": {"a": 2, "b": 1}}, {"q1": {"b": 2, "a": 1}, "q2": {"b": 2, "a": 1}}
    >>> tuned = tune_fusion({"q1": {"a": 1}, "q2": {"a": 1}}, [good, bad], "wsum", "RR", folds=2)
    >>> tuned.best.method, tuned.best.value, tuned.cross_validated
    (WeightedSum(run_weights=(0.6, 0.4)), 1.0, 1.0)
    """
    run_list = several_runs(runs)
    parsed_measure = _tunable(measure)
    judged = judgments if isinstance(judgments, Judgments) else _plain_judgments(judgments)
    count = kernels.thread_count(threads)
    settings = _candidates(Method.parse(method), grid, normalisation, len(run_list))
    dealt = _dealt(list(judged), folds, seed)
    sign = -1.0 if parsed_measure.better == "lower" else 1.0
    united = unite(run_list, count)

    def values(setting: tuple[Method, str]) -> ByQuery:
        run = fused(united, run_list, *setting, threads=count)
        return evaluate(judged, run, parsed_measure, threads=count).by_query(parsed_measure)

    learns = bool(settings[0][0].learned)
    steps, done = len(settings) * (1 + learns * len(dealt)), 0
    values_by_setting: list[ByQuery] = []
    fitted: list[tuple[Method, str]] = []
    for candidate, normalisation in settings:
        fitted.append((candidate.fit(judged, run_list), normalisation))
        values_by_setting.append(values(fitted[-1]))
        done = _tell(progress, done, steps)
    candidates = [
        Candidate(*setting, _mean(candidate))
        for setting, candidate in zip(fitted, values_by_setting, strict=True)
    ]
    best = _best([candidate.value for candidate in candidates], sign)

    held_out: ByQuery = {}
    outcomes = []
    for fold in dealt:
        others = [query for query in judged if query not in fold]
        fold_values = values_by_setting
        if learns:
            training = Judgments({query: judged[query] for query in others})
            fold_values = []
            for candidate, normalisation in settings:
                fold_values.append(values((candidate.fit(training, run_list), normalisation)))
                done = _tell(progress, done, steps)
        chosen = _best([_mean(candidate, others) for candidate in fold_values], sign)
        measured = {
            query: fold_values[chosen][query]
            for query in judged
            if query in fold and query in fold_values[chosen]
        }
        held_out |= measured
        outcomes.append(Fold(str(candidates[chosen]), len(measured), _mean(measured)))
    runs_by_name = {run.name: run for run in run_list}
    names = (
        [run.name for run in run_list] if len(runs_by_name) == len(run_list) else range(1, len(run_list) + 1)
    )
    singles = tuple(
        (str(name), _mean(evaluate(judged, run, parsed_measure, threads=count).by_query(parsed_measure)))
        for name, run in zip(names, run_list, strict=True)
    )
    return TunedFusion(
        parsed_measure, candidates[best], _mean(held_out), tuple(candidates), tuple(outcomes), singles
    )


def _tell(progress: Callable[[int, int], None] | None, done: int, steps: int) -> int:
    if progress is not None:
        progress(done + 1, steps)
    return done + 1


def _plain_judgments(judgments: Any) -> Judgments:
    if isinstance(judgments, RichJudgments):
        raise InputError("fusion is tuned on judgments with one grade per document", hint="give Judgments")
    return Judgments(judgments)


def _tunable(measure: str | Measure) -> Measure:
    parsed_measure = parse(measure)
    if parsed_measure.better == "neither":
        raise InputError(
            f"no value of {parsed_measure} is better than another",
            hint="tune on another measure, such as nDCG@10",
        )
    if parsed_measure.aggregate not in ("mean", "sum"):
        raise InputError(
            f"{parsed_measure} is not a mean over queries", hint="tune on one that is, such as nDCG@10"
        )
    return parsed_measure


def _candidates(
    method: Method, grid: Mapping[str, Sequence[Any]] | None, normalisation: str | None, runs: int
) -> list[tuple[Method, str]]:
    """Every combination of what the grid holds, as methods with their normalisation."""
    tried_values = dict(type(method).grid(runs) if grid is None else grid)
    for name, choices in tried_values.items():
        if isinstance(choices, (str, bytes)) or not hasattr(choices, "__iter__") or not list(choices):
            raise InputError(
                f"the grid must have a list of values for {name}, not {choices!r}",
                hint="such as [0.1, 0.5, 0.9]",
            )
    settings = []
    for choice in product(*tried_values.values()):
        parameters = dict(zip(tried_values, choice, strict=True))
        stated = parameters.pop("normalisation", normalisation)
        candidate = Method.parse(method, **parameters)
        if not candidate.learned:
            candidate.require(runs)
        settings.append((candidate, normalisation_for(candidate, stated)))
    return settings


def _dealt(queries: list[str], folds: int, seed: int) -> list[set[str]]:
    """The queries in random order, dealt like cards."""
    from random import Random

    folds = as_count(folds, "folds", 2)
    if len(queries) < folds:
        raise InputError(
            f"{count_of(len(queries), 'judged query')} cannot be dealt into {folds} folds",
            hint="choose fewer folds, or judge more queries",
        )
    Random(as_seed(seed)).shuffle(queries)
    return [set(queries[fold::folds]) for fold in range(folds)]


def _mean(values: ByQuery, queries: Sequence[str] | None = None) -> float:
    chosen = (
        list(values.values()) if queries is None else [values[query] for query in queries if query in values]
    )
    return sum(chosen) / len(chosen) if chosen else float("nan")


def _best(values: Sequence[float], sign: float) -> int:
    """The first of the best; a value that is undefined is worse than any."""
    return max(
        range(len(values)), key=lambda at: sign * values[at] if values[at] == values[at] else float("-inf")
    )
