"""Gains and discounts as SQL: what a grade is worth, and how much a rank counts."""

from __future__ import annotations

from collections.abc import Mapping
from math import log

from idealist.engines.sql.names import name_part, number
from idealist.errors import InputError
from idealist.measures.discounts import discount_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.engines.sql.dialects import Dialect
    from idealist.measures.discounts import Discount
    from idealist.measures.gains import Gain

LONGEST_TABLE = 1_000  # ranks of a discount that is written out rank by rank
SMALLEST_EXPONENT = 700  # e^-700 is still a number


def gain_name(gain: Gain) -> str:
    return f"gain_{name_part(gain)}" if isinstance(gain, str) else "gain_by_table"


def gain_sql(gain: Gain, negative_counts: bool) -> str:
    """The gain of the column `grade`; 0 where it is NULL, and where it is negative unless that counts.

    >>> gain_sql("exp", negative_counts=False)
    'CASE WHEN grade >= 0 THEN POWER(2, grade) - 1 ELSE 0 END'
    """
    if gain == "binary":
        return "CASE WHEN grade > 0 THEN 1 ELSE 0 END"
    if gain == "linear":
        return "COALESCE(grade, 0)" if negative_counts else "CASE WHEN grade > 0 THEN grade ELSE 0 END"
    if gain == "exp":
        counts = "grade IS NOT NULL" if negative_counts else "grade >= 0"
        return f"CASE WHEN {counts} THEN POWER(2, grade) - 1 ELSE 0 END"
    if isinstance(gain, Mapping):
        worth = {grade: gain[grade] for grade in gain if grade >= 0 or negative_counts}
        cases = " ".join(f"WHEN {number(grade)} THEN {number(worth[grade])}" for grade in worth)
        return f"CASE grade {cases} ELSE 0 END" if cases else "0"
    raise InputError(
        f"the gain {getattr(gain, '__name__', gain)!r} cannot be written as SQL: it is a function of Python",
        hint="give a table from grade to gain, such as {0:0,1:3,2:9}",
    )


def discount_sql(discount: Discount, rank: str, k: int | None, dialect: Dialect) -> str:
    """The discount of a column of ranks. A table, or a function of Python, is written out down to rank k.

    >>> from idealist.engines.sql.dialects import DIALECTS
    >>> discount_sql("log2", "rank", 10, DIALECTS["duckdb"])
    'LN(2) / LN(rank + 1)'
    """
    if not isinstance(discount, str):
        return _written_out(discount, rank, k)
    name, _, argument = discount.partition("(")
    if name == "none":
        return "1"
    if name == "log2":
        return f"LN(2) / LN({rank} + 1)"
    if name == "zipf":
        return f"1 / {rank}"
    if name == "letor":
        return f"CASE WHEN {rank} <= 2 THEN 1 ELSE LN(2) / LN({rank}) END"
    parameter = float(argument.removesuffix(")"))
    if name == "jarvelin":
        base = number(parameter)
        return f"CASE WHEN {rank} < {base} THEN 1 ELSE LN({base}) / LN({rank}) END"
    assert name == "rbp", discount
    return _geometric(parameter, rank, dialect)


def _geometric(p: float, rank: str, dialect: Dialect) -> str:
    power = f"POWER({number(p)}, {rank} - 1)"
    if not dialect.underflows or p in (0, 1):
        return power
    # There, a power that is too small for a number is an error.
    last = 1 + int(SMALLEST_EXPONENT / -log(p))
    return f"CASE WHEN {rank} <= {last} THEN {power} ELSE 0 END"


def _written_out(discount: Discount, rank: str, k: int | None) -> str:
    longest = len(discount) if isinstance(discount, tuple) else LONGEST_TABLE
    if k is None or k > longest:
        what = (
            "the discount table" if isinstance(discount, tuple) else "a discount that is a function of Python"
        )
        raise InputError(
            f"SQL can write out {what} down to rank {longest}, and the measure looks at "
            f"{'every rank' if k is None else f'rank {k}'}",
            hint=f"cut off at {longest} or above, or name the discount, such as log2",
        )
    cases = " ".join(
        f"WHEN {place} THEN {number(value)}" for place, value in enumerate(discount_table(discount, k), 1)
    )
    return f"CASE {rank} {cases} ELSE 0 END"
