"""A/B tests: users in two groups, means of what was measured on them, the sample ratio, and the verdict."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.base.results import Drawable, Result
from idealist.base.values import as_choice, as_share
from idealist.base.wording import count_of, listed, p_text, percent, range_text, signed
from idealist.comparison.verdict import Guard, decide, read_margin
from idealist.data.columns import Columns, is_blank
from idealist.data.tables import read_table
from idealist.errors import InputError
from idealist.measures.column import Column, column_named
from idealist.statistics.intervals import TWO_MEANS, MeanDifference
from idealist.statistics.mean_estimates import Estimate
from idealist.statistics.power import further_by_student

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from numpy import ndarray

    from idealist.comparison.verdict import Margin, Verdict
    from idealist.statistics.mean_estimates import Interval
    from idealist.types import GivenTable


# What people call a column, by what we call it.
NAMES = {
    "user": (
        *("user", "user_id", "uid", "unit", "unit_id", "session", "session_id", "visitor", "visitor_id"),
        *("customer", "customer_id", "device", "device_id", "cookie"),
    ),
    "group": (
        *("group", "arm", "variant", "variation", "bucket", "treatment", "condition", "experiment_group"),
        "test_group",
    ),
}
# Names that say which group has the system of today.
BASELINES = ("control", "baseline", "base", "old", "a", "0", "off", "false")
ROWS = ("mean", "sum")
FLAGS = {"true": 1.0, "false": 0.0}
HINT = "a row for each user, or several: user, group and columns of numbers"


class ExperimentLog:
    """Rows of user, group and numbers. A user has one group; those with rows in both are in neither, and counted in
    `in_both`. Where a user has several rows, their mean is one number, or their sum.

    >>> log = ExperimentLog(Columns({"user": [1, 2, 2], "group": ["old", "new", "new"], "clicks": [1, 0, 3]}))
    >>> log.choose(None, None)
    ('old', 'new')
    >>> log.of_users("clicks", "new", "sum").tolist()
    [3.0]
    """

    def __init__(self, table: Columns) -> None:
        if not len(table):
            raise table.wrong("the log has no rows", hint=HINT)
        self.table = table
        self._user, self._group = table.named(*NAMES["user"]), table.named(*NAMES["group"])
        self.rows: dict[str, dict[str, list[int]]] = {}
        group_names = [self._name_of_group(row) for row in range(len(table))]
        for row, (user, group) in enumerate(zip(table.ids(self._user), group_names, strict=True)):
            self.rows.setdefault(group, {}).setdefault(user, []).append(row)

    @property
    def columns(self) -> list[str]:
        """The columns that may be metrics: those with numbers in all rows."""
        free = [name for name in self.table.names if name not in (self._user, self._group)]
        return [name for name in free if all(_is_number(cell) for cell in self.table.columns[name])]

    def choose(self, baseline: str | None, candidate: str | None) -> tuple[str, str]:
        """The two groups that are compared."""
        groups = list(self.rows)
        for name in (baseline, candidate):
            if name is not None and name not in groups:
                raise self.wrong(f"no user is in a group {name!r}", f"there are {', '.join(sorted(groups))}")
        if len(groups) < 2:
            raise self.wrong(f"all users are in the group {groups[0]!r}", "an A/B test compares two groups")
        if baseline is None:
            known = [name for name in groups if name.lower() in BASELINES and name != candidate]
            others = [name for name in groups if name != candidate]
            if len(known) != 1 and not (candidate is not None and len(others) == 1):
                raise self.wrong(
                    f"which of the groups {listed(sorted(groups))} has the system of today?",
                    f"--baseline {min(groups)}, or baseline={min(groups)!r} in Python",
                )
            baseline = known[0] if known else others[0]
        if candidate is None:
            others = [name for name in groups if name != baseline]
            if len(others) > 1:
                raise self.wrong(
                    f"which of the groups {listed(sorted(others))} is compared with {baseline}?",
                    f"--candidate {min(others)}, or candidate={min(others)!r} in Python",
                )
            candidate = others[0]
        if baseline == candidate:
            raise self.wrong(f"{baseline} would be compared with itself", "name two groups")
        return baseline, candidate

    def separate(self, baseline: str, candidate: str) -> int:
        """Takes users who have rows in both groups out of both; how many they are."""
        both = self.rows[baseline].keys() & self.rows[candidate].keys()
        for group in (baseline, candidate):
            self.rows[group] = {user: rows for user, rows in self.rows[group].items() if user not in both}
            if not self.rows[group]:
                raise self.wrong(f"no user is in the group {group!r} alone", HINT)
        return len(both)

    def of_users(self, column: str, group: str, of_rows: str) -> ndarray:
        """The number of every user of a group."""
        import numpy as np

        rows = self.rows[group].values()
        totals = np.array([sum(self.number(column, row) for row in of_user) for of_user in rows])
        return totals / [len(of_user) for of_user in rows] if of_rows == "mean" else totals

    def several_rows(self, groups: Sequence[str]) -> int:
        """How many users of these groups have more than one row."""
        return sum(len(rows) > 1 for group in groups for rows in self.rows[group].values())

    def number(self, column: str, row: int) -> float:
        cell = self.table.columns[column][row]
        if isinstance(cell, bool):
            return float(cell)
        if isinstance(cell, str) and cell.strip().lower() in FLAGS:
            return FLAGS[cell.strip().lower()]
        return self.table.number(column, row)

    def wrong(self, message: str, hint: str) -> InputError:
        return self.table.wrong(message, hint=hint)

    def _name_of_group(self, row: int) -> str:
        cell = self.table.columns[self._group][row]
        if is_blank(cell):
            raise self.table.wrong(f"{self._group} is empty", row, hint="fill it in, or leave the row out")
        return str(cell).strip()

    def __repr__(self) -> str:
        users = len({user for rows in self.rows.values() for user in rows})
        return f"<ExperimentLog: {count_of(users, 'user')} in {count_of(len(self.rows), 'group')}>"


def _is_number(cell: Any) -> bool:
    if isinstance(cell, str):
        if cell.strip().lower() in FLAGS:
            return True
        try:
            float(cell.replace(",", "."))
        except ValueError:
            return False
        return True
    return isinstance(cell, (int, float)) or hasattr(cell, "__float__")


def expected_shares(shares: Mapping[str, float] | None, groups: tuple[str, str]) -> tuple[float, float]:
    """The shares of the users that the two groups were to have: half each unless they are stated."""
    from idealist.base.values import as_within

    if shares is None:
        return 0.5, 0.5
    for name in shares:
        if name not in groups:
            raise InputError(f"{name!r} is not compared, so it has no share", hint=f"name {listed(groups)}")
    for name in groups:
        if name not in shares:
            raise InputError(f"the group {name!r} has no share", hint="give the share of both groups")
    first, second = (
        as_within(shares[name], f"the share of {name!r}", 0, float("inf"), "()") for name in groups
    )
    return first / (first + second), second / (first + second)


class GroupDifference(Result, Frozen):
    """A metric in both groups: `value` and `baseline_value` are means over users, `difference` is the first less the
    second, with interval and p-value of one method."""

    metric: Column
    baseline_value: float
    value: float
    difference: float
    interval: Interval
    p_value: float

    @property
    def gain(self) -> float:
        """The difference, above 0 when the candidate is better."""
        return -self.difference if self.metric.better == "lower" else self.difference

    @property
    def gain_interval(self) -> Interval:
        return -self.interval if self.metric.better == "lower" else self.interval

    def _gist(self) -> str:
        return f"{self.metric.column}: {signed(self.difference)} ({range_text(self.interval)})"


class SampleRatio(Result, Frozen):
    """How many users each group has, the share that the candidate's was to have, and the probability of a share as
    far from it when users are assigned as planned (exact binomial)."""

    baseline_users: int
    users: int
    expected: float
    p_value: float

    @property
    def share(self) -> float:
        return self.users / (self.users + self.baseline_users)

    def _gist(self) -> str:
        total = self.users + self.baseline_users
        return (
            f"{self.users:,} of {count_of(total, 'user')}, {percent(self.share)}, where {percent(self.expected)} were "
            f"planned, p {p_text(self.p_value)}"
        )


class ABTest(Drawable, Frozen):
    """A candidate's users beside those of the baseline: `differences` of the metrics, the primary one first, the
    `ratio` of users, those `in_both` groups, who count for neither, and the verdict."""

    baseline: str
    candidate: str
    differences: tuple[GroupDifference, ...]
    ratio: SampleRatio
    in_both: int
    confidence: float
    notes: tuple[str, ...]
    verdict: Verdict

    def __getitem__(self, metric: str) -> GroupDifference:
        for entry in self.differences:
            if metric in (entry.metric.column, str(entry.metric)):
                return entry
        names = ", ".join(entry.metric.column for entry in self.differences)
        raise InputError(f"no metric is called {metric!r}", hint=f"name one of: {names}")

    def _gist(self) -> str:
        first = self.differences[0]
        users = count_of(self.ratio.users + self.ratio.baseline_users, "user")
        return f"{self.candidate} beside {self.baseline}; {first._gist()}; {users}; {self.verdict.outcome}"


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
    """The range of the values: the ends that are known, and for others the least and largest of both groups; 0
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
