"""The analysis of an A/B test: means over users, the sample ratio, guards and the verdict."""

from __future__ import annotations

from idealist.data.values import as_choice, as_share
from idealist.decision.margin import read_margin
from idealist.decision.verdict import Guard, decide
from idealist.errors import InputError
from idealist.experiments.result import ABTest, GroupDifference, SampleRatio
from idealist.experiments.users import ROWS, ExperimentLog, expected_shares
from idealist.io.tables import read_table
from idealist.measures.column import Column, column_named
from idealist.statistics.further import further_by_student
from idealist.statistics.means import Estimate
from idealist.statistics.two_means import TWO_MEANS, MeanDifference
from idealist.wording import count_of, listed, p_text, range_text, signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from numpy import ndarray

    from idealist.decision.margin import Margin
    from idealist.types import GivenTable

SAMPLE_RATIO = "sample ratio"
MISMATCH = 0.001  # a sample ratio that is less probable than this is a fault of the assignment or of the log
INFINITE = float("inf")
LEAST_P = 1e-300
MOST_IN_BOTH = 0.01  # the share of the users who may be in both groups


def ab(
    log: GivenTable,
    metrics: str | Column | Iterable[str | Column] | None = None,
    *,
    baseline: str | None = None,
    candidate: str | None = None,
    shares: Mapping[str, float] | None = None,
    several_rows: str = "mean",
    margin: float | str | None = None,
    guard_margins: Mapping[str, float | str] | None = None,
    confidence: float = 0.95,
    columns: Mapping[str, str] | None = None,
) -> ABTest:
    """Whether the candidate of an A/B test is better, by a table with the columns user, group and one or more metrics
    (`columns` maps these to their names in the table, as in `{"group": "arm"}`).

    The first metric decides; the others are guards, which fail where the candidate is significantly worse, or, with a
    margin in `guard_margins`, where it is not shown to be worse by no more than that. A metric is a column by its name,
    which may state which value is better and what they lie between: "stars(better=higher,low=1,high=5)". Of several
    rows of a user the mean counts, or with `several_rows="sum"` their sum: a user is one number.

    `shares` are the shares of the users that the groups were to have, half each by default; other ones are a guard
    of their own, as whatever loses users of one group can pass for an effect. `baseline` need not be named where one
    group is called control, baseline, old, a or 0.

    >>> table = {"user": range(200), "group": ["old", "new"] * 100, "clicked": [0, 1] * 60 + [0, 0] * 40}
    >>> found = ab(table)
    >>> found["clicked"].value, found["clicked"].baseline_value, found.verdict.outcome
    (0.6, 0.0, 'ship')
    """
    as_share(confidence, "confidence")
    as_choice(several_rows, "several_rows", ROWS)
    experiment = ExperimentLog(read_table(log, columns=columns).of("experiment"))
    chosen = _metrics(metrics, experiment)
    groups = experiment.choose(baseline, candidate)
    in_both = experiment.separate(*groups)
    ratio = _ratio(experiment, groups, expected_shares(shares, groups)[1])
    tests = [_difference(metric, experiment, groups, several_rows) for metric in chosen]
    differences = tuple(
        GroupDifference(
            metric,
            test.baseline_mean,
            test.mean,
            test.value,
            test.interval(confidence),
            test.p_value(),
        )
        for metric, test in zip(chosen, tests, strict=True)
    )
    first = differences[0]
    measured_margin = read_margin(margin, baseline=first.baseline_value)
    notes = []
    if several := experiment.several_rows(groups):
        notes.append(f"{count_of(several, 'user')} with several rows: their {several_rows} counts")
    if in_both:
        notes.append(f"{count_of(in_both, 'user')} with rows in both groups: left out")
    others = set(experiment.rows) - set(groups)
    if others:
        notes.append(
            f"users of {listed(sorted(others))} are left out: {groups[1]} is compared with {groups[0]}"
        )
    verdict = decide(
        first.gain,
        first.gain_interval,
        margin=measured_margin,
        guards=(
            _ratio_guard(ratio),
            *_separate_guard(ratio, in_both),
            *_other_metrics(differences[1:], guard_margins or {}),
        ),
        needed=_needed(first, tests[0], measured_margin),
        unit="users",
        method=TWO_MEANS,
        remark=f"a lower {first.metric.column} is better: the difference is turned"
        if first.metric.better == "lower"
        else "",
    )
    return ABTest(
        *groups,
        differences=differences,
        ratio=ratio,
        in_both=in_both,
        confidence=confidence,
        notes=tuple(notes),
        verdict=verdict,
    )


def _metrics(stated: Any, experiment: ExperimentLog) -> list[Column]:
    """The metrics as columns; the only column of numbers where none is stated."""
    names = experiment.columns
    if stated is None:
        if len(names) != 1:
            there = f"there are {', '.join(names)}" if names else "no column has a number in every row"
            raise experiment.wrong(
                "which metric decides?", f"{there}; name one, or several, the first decides"
            )
        stated = names
    metrics: list[Column] = []
    for text in [stated] if isinstance(stated, (str, Column)) else stated:
        column = text if isinstance(text, Column) else column_named(text, experiment.table.names)
        if column is None or column.column not in experiment.table:
            raise experiment.wrong(
                f"the log has no column {str(text)!r}",
                f"there are {', '.join(names) or 'no columns of numbers'}",
            )
        if column.better == "neither":
            raise experiment.wrong(
                f"no value of {column.column} is better than another by its name",
                f"state it: {column.column}(better=higher), or better=lower",
            )
        if any(column.column == other.column for other in metrics):
            raise experiment.wrong(f"{column.column} is named twice", "name it once")
        metrics.append(column)
    return metrics


def _difference(
    metric: Column, experiment: ExperimentLog, groups: tuple[str, str], several_rows: str
) -> MeanDifference:
    baseline_values, values = (experiment.of_users(metric.column, group, several_rows) for group in groups)
    low, high = _ends(metric, values, baseline_values)
    return MeanDifference(values, baseline_values, low, high)


def _ends(metric: Column, values: ndarray, baseline_values: ndarray) -> tuple[float, float]:
    """What the values lie between: the ends that are known, and for others the least and largest of both groups; 0
    and 1 for those that are all 0 or 1."""
    import numpy as np

    both = np.concatenate([values, baseline_values])
    if np.isin(both, (0.0, 1.0)).all():
        return 0.0, 1.0
    least, largest = float(both.min()), float(both.max())
    low, high = metric.bounds
    if least < low or largest > high:
        raise InputError(
            f"{metric.column} is between {least:g} and {largest:g}, and was to lie between {low:g} and {high:g}",
            hint=f"state what is so: {metric.column}(low={least:g},high={largest:g}); a sum of rows may be above what "
            "a row is",
        )
    return (least if low == -INFINITE else low), (largest if high == INFINITE else high)


def _ratio(experiment: ExperimentLog, groups: tuple[str, str], expected: float) -> SampleRatio:
    from scipy.stats import binomtest

    baseline_users, users = (len(experiment.rows[group]) for group in groups)
    p_value = float(binomtest(users, users + baseline_users, expected).pvalue)
    return SampleRatio(baseline_users, users, expected, max(p_value, LEAST_P))


def _ratio_guard(ratio: SampleRatio) -> Guard:
    passed = ratio.p_value >= MISMATCH
    more = "" if passed else ": users of one group are lost, or assigned otherwise than planned"
    return Guard.of(SAMPLE_RATIO, passed, f"{ratio._gist()}{more}")


def _separate_guard(ratio: SampleRatio, in_both: int) -> list[Guard]:
    if not in_both:
        return []
    users = ratio.users + ratio.baseline_users + in_both
    passed = in_both <= MOST_IN_BOTH * users
    return [Guard.of("one group a user", passed, f"{in_both:,} of {users:,} have rows in both")]


def _other_metrics(differences: Sequence[GroupDifference], margins: Mapping[str, float | str]) -> list[Guard]:
    """One guard over all other metrics, each by its own interval, so that more of them never make it easier to
    pass."""
    names = [entry.metric.column for entry in differences]
    for name in margins:
        if name not in names:
            raise InputError(
                f"no metric {name!r} is a guard",
                hint=f"name one of: {', '.join(names)}" if names else "name further metrics",
            )
    if not differences:
        return []
    harms = [harm for entry in differences if (harm := _harm(entry, margins.get(entry.metric.column)))]
    return [Guard.of("other metrics", not harms, ", ".join(harms or names))]


def _harm(entry: GroupDifference, stated: float | str | None) -> str:
    """Why a guarded metric does not pass; "" when it does."""
    name, gain, interval = entry.metric.column, signed(entry.gain), entry.gain_interval
    if stated is None:
        return (
            f"{name} is significantly worse, {gain}, p {p_text(entry.p_value)}" if interval.high < 0 else ""
        )
    margin = read_margin(stated, baseline=entry.baseline_value)
    if interval.low > -margin.size:
        return ""
    return f"{name} may be worse by more than {margin} ({gain}, interval {range_text(interval)})"


def _needed(first: GroupDifference, test: MeanDifference, margin: Margin) -> int | None:
    """How many more users would decide, where the groups keep their shares."""
    estimate = Estimate(first.gain, test.error, test.n - 2.0, float(test.n))
    return further_by_student(estimate, margin.size, first.interval.confidence)
