"""What numbers are called: as the variables of the measure that hold them, or by what they were computed of."""

from __future__ import annotations

import sys
from contextlib import contextmanager

from idealist import kernels
from idealist.backends.explained.traced_numbers import Number, Places
from idealist.measures.measure import registered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType
    from typing import Any

    from idealist.measures import Measure

# Modules whose variables are no names of a measure.
OTHERS = ("idealist.backends", "idealist.kernels", "idealist.measures.measure", "idealist.data")
LONGEST = 48  # characters of a formula that stands for a name
OPERATIONS = {
    "any_hit": "first relevant",
    "discounted_gains": "sum of gains",
    "gains": "gain",
    "grades": "grade",
    "ideal_gains": "ideal sum of gains",
    "ideal_ranks": "ideal rank",
    "precision_sum": "sum of precision",
    "ranks": "rank",
    "reciprocal_rank": "reciprocal rank",
    "retrieved": "retrieved",
}
METHODS = {
    "before": "{} above",
    "descending": "{}",
    "filled": "{}",
    "floored": "floor({})",
    "following": "next {}",
    "highest": "highest {}",
    "like": "{}",
    "log2": "log2({})",
    "product_before": "product of {} above",
    "running": "{} so far",
    "standing": "standing by {}",
    "sum": "sum of {}",
    "where_positive": "{}",
    "without": "{}",
}
SYMBOLS = {"*": " × ", "share_of": " / ", "**": "^"}
STRENGTH = {"+": 1, "-": 1, "*": 2, "/": 2, "share_of": 2, "**": 3}
STRONGEST = 4


class Names:
    """What is called how in one computation of a measure."""

    def __init__(self, measure: Measure) -> None:
        self.measure = measure
        # Lists of numbers by rank, such as discounts, by what identifies them, which they are held for.
        self._tables: dict[int, tuple[str, Any]] = {}
        # What variables held.
        self.noted_numbers: dict[int, Number] = {}
        self.noted_values: dict[str, kernels.Values] = {}

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Gives the numbers of a measure's variables their names, at the end of every function that it calls; the
        names of the measure's own function count last."""
        before = sys.getprofile()
        sys.setprofile(self._note)
        try:
            yield
        finally:
            sys.setprofile(before)

    def _note(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event != "return" or frame.f_globals.get("__name__", "").startswith(OTHERS):
            return
        given = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        for variable, value in frame.f_locals.items():
            if variable in given:
                continue  # who gave it has a better name
            if isinstance(value, Number):
                value.name = _words(variable)
                self.noted_numbers[id(value)] = value
            elif isinstance(value, kernels.Values):
                self.noted_values[_words(variable)] = value
            elif isinstance(value, list) and value:
                self._tables[id(value)] = _words(variable), value

    def table(self, table: Any, otherwise: str) -> str:
        """What a list of numbers by rank is called."""
        name, _ = self._tables.get(id(table), (otherwise, None))
        return otherwise if name == f"{otherwise}s" else name

    def of(self, number: Any, grouped: bool = False) -> str:
        """What a number is called, or a formula of it, which stands in parentheses where it is to be `grouped`."""
        text, holds = self._text(number)
        if len(text) > LONGEST:
            return "sum" if number.operation == "sum" else ""
        return f"({text})" if grouped and holds < STRONGEST else text

    def _text(self, number: Any) -> tuple[str, int]:
        """The text, and how strongly it holds together."""
        if not isinstance(number, Number):
            return self._constant(number), STRONGEST
        operation, operands = number.operation, number.operands
        own = self._own(operation, operands)
        ideal = "ideal " if isinstance(number, Places) and number.lists.ideal else ""
        if own and number.name in ("", operation.replace("_", " "), "hits"):
            return own if own.startswith("ideal") else ideal + own, STRONGEST
        if number.name:
            return number.name, STRONGEST
        if operation in METHODS:
            text, holds = self._text(operands[0])
            words = METHODS[operation].format(text)
            if words == text:
                return text, holds
            return words, STRONGEST if holds == STRONGEST or words.endswith(")") else 0
        if operation in ("minimum", "maximum"):
            return f"{operation[:3]}({', '.join(self._text(operand)[0] for operand in operands)})", STRONGEST
        if len(operands) == 2 and (operation in STRENGTH or not operation.isidentifier()):
            return self._formula(operation, *operands)
        if operation == "joined":
            return self._text(operands[0])
        return operation.replace("_", " "), STRONGEST

    def _own(self, operation: str, operands: tuple[Any, ...]) -> str:
        """What the number of an operation on lists is called."""
        if operation in ("hits", "hits_within", "relevant"):
            counted = "relevant" if operands[1] > 0 else "judged"
            return f"all {counted}" if operation == "relevant" else counted
        return OPERATIONS.get(operation, "")

    def _formula(self, operation: str, left: Any, right: Any) -> tuple[str, int]:
        strength = STRENGTH.get(operation, 0)
        if operation in ("*", "/", "share_of") and isinstance(right, float) and right == 1:
            return self._text(left)
        if operation == "*" and isinstance(right, float):
            left, right = right, left
        if operation == "*" and isinstance(left, float) and left == 1:
            return self._text(right)
        sides: list[str] = []
        for side, weakest in ((left, strength), (right, strength + (operation in ("-", "/", "share_of")))):
            text, holds = self._text(side)
            if operation == "*" and isinstance(side, float):
                text = f"{side:.6g}"  # and not the cut-off
            sides.append(f"({text})" if holds < weakest else text)
        return SYMBOLS.get(operation, f" {operation} ").join(sides), strength

    def _constant(self, number: Any) -> str:
        if not isinstance(number, (int, float)):
            return "…"
        if number == getattr(self.measure, "k", None):
            return "k"
        return f"{number:.6g}"


def _words(variable: str) -> str:
    """A variable as words, names of measures written as they are.

    >>> _words("ideal_dcg")
    'ideal DCG'
    """
    measures = {name.lower(): name for name in registered() if sum(map(str.isupper, name)) > 1}
    return " ".join(measures.get(word, word) for word in variable.strip("_").split("_"))
