"""The part of a mean's uncertainty that comes from judging a sample of the documents."""

from __future__ import annotations

from math import fsum, sqrt

from idealist.conventions import DEFAULT
from idealist.data.needs import STRATA
from idealist.data.sampled import SampledJudgments
from idealist.errors import InputError
from idealist.evaluation import evaluate
from idealist.evaluation.inputs import named_runs
from idealist.frozen import Frozen
from idealist.measures import parse
from idealist.results import Result
from idealist.statistics.means import estimate_mean
from idealist.wording import count_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from idealist.conventions import Conventions
    from idealist.measures import Measure
    from idealist.types import GivenRuns

    Values = dict[str, dict[str, float]]  # by system and query
    Documents = dict[str, tuple[str, float | None]]


class SamplingError(Frozen):
    """A mean over queries, or its difference from a baseline's, estimated from a sample of documents.

    `error` is the standard error that drawing other documents gives it, for these very queries; `share` is
    its part of the variance that Student's interval is made of, which has the choice of queries in it too; None
    where there are too few queries. Judging every document would take away this share and no more.
    """

    system: str
    value: float
    error: float
    share: float | None


class SamplingErrors(Result, list[SamplingError]):
    """The errors of several runs."""

    def _gist(self) -> str:
        return count_of(len(self), "run")


def sampling_errors(
    judgments: SampledJudgments,
    runs: GivenRuns,
    measure: str | Measure,
    *,
    baseline: str | None = None,
    conventions: Conventions = DEFAULT,
) -> SamplingErrors:
    """The error of each run's mean from sampling documents, or of its difference from the baseline's mean.

    By a jackknife within query and stratum: each drawn document is left out in turn, and of a stratum with n of
    N drawn, (1 − n/N)·(n − 1)/n·Σ(xᵢ − x̄)² is added to the variance. Strata that are judged whole, or have one
    document drawn, add nothing. It takes as many evaluations as the most that were drawn of each stratum.
    It is no error of bias: these estimators are off by about as much on small samples.

    >>> sample = SampledJudgments({"q": {"a": ("1", 1), "b": ("2", 1), "c": ("2", 0), "d": ("2", None)}})
    >>> run = {"q": {"c": 4.0, "b": 3.0, "a": 2.0, "d": 1.0}}
    >>> (one,) = sampling_errors(sample, run, "xinfAP")
    >>> round(one.error, 4)  # 1/3 without b, 3/4 without c: √(1/3 · 1/2 · 2·(5/24)²)
    0.1203
    """
    parsed_measure = parse(measure)
    if parsed_measure.needs != STRATA or not isinstance(judgments, SampledJudgments):
        raise InputError(
            f"{parsed_measure} of {type(judgments).__name__} has no sampling error",
            hint="give a measure such as infNDCG@10 and SampledJudgments (read_strata, grade_sample)",
        )
    runs_by_name = named_runs(runs)
    if baseline is not None and baseline not in runs_by_name:
        raise InputError(
            f"the baseline {baseline!r} is not among the runs", hint=f"name one of: {', '.join(runs_by_name)}"
        )

    def values(queries: dict[str, Documents]) -> Values:
        result = evaluate(SampledJudgments(queries), runs_by_name, parsed_measure, conventions=conventions)
        by_run = {name: result.by_query(parsed_measure, name) for name in runs_by_name}
        if baseline is None:
            return by_run
        baseline_values = by_run.pop(baseline)
        return {
            name: {q: x - baseline_values[q] for q, x in its.items() if q in baseline_values}
            for name, its in by_run.items()
        }

    sampled_judgments = dict(judgments.items())
    full_values = values(sampled_judgments)
    variances: dict[str, list[float]] = {name: [] for name in full_values}
    for stratum in sorted({stratum for its in sampled_judgments.values() for stratum, _ in its.values()}):
        replicates: dict[str, dict[str, list[float]]] = {name: {} for name in full_values}
        factors, deletions = _deletions(sampled_judgments, stratum)
        for queries in deletions:
            for name, by_query in values(queries).items():
                for query, value in by_query.items():
                    replicates[name].setdefault(query, []).append(value)
        for name, by_query_values in replicates.items():
            variances[name] += [factors[query] * _spread(its) for query, its in by_query_values.items()]
    return SamplingErrors(
        _sampling_error(name, list(its.values()), variances[name]) for name, its in full_values.items()
    )


def _deletions(
    sampled_judgments: dict[str, Documents], stratum: str
) -> tuple[dict[str, float], Iterator[dict[str, Documents]]]:
    """(1 − n/N)·(n − 1)/n of every query where the stratum is a sample; and judgments without the first drawn
    document of each of these queries, without the second, and so on."""
    drawn, factors = {}, {}
    for query, documents in sampled_judgments.items():
        members = [
            document for document, (document_stratum, _) in documents.items() if document_stratum == stratum
        ]
        judged = [document for document in members if documents[document][1] is not None]
        n = len(judged)
        if 2 <= n < len(members):
            drawn[query] = judged
            factors[query] = (1 - n / len(members)) * (n - 1) / n

    def parts() -> Iterator[dict[str, Documents]]:
        for position in range(max(map(len, drawn.values()), default=0)):
            yield {
                query: {**sampled_judgments[query], judged[position]: (stratum, None)}
                for query, judged in drawn.items()
                if position < len(judged)
            }

    return factors, parts()


def _spread(values: list[float]) -> float:
    mean = fsum(values) / len(values)
    return fsum((value - mean) ** 2 for value in values)


def _sampling_error(name: str, values: list[float], variances: list[float]) -> SamplingError:
    error = sqrt(fsum(variances)) / len(values)
    estimate = estimate_mean(values)
    share = (error / estimate.error) ** 2 if estimate is not None and estimate.error > 0 else None
    return SamplingError(name, fsum(values) / len(values), error, share)
