"""The log of an A/B test: which group every user is in, and a number per user of every metric."""

from __future__ import annotations

from idealist.data.columns import Columns, is_blank
from idealist.errors import InputError
from idealist.wording import count_of, listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from numpy import ndarray

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
    from idealist.data.values import as_within

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
