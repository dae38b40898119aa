"""The formula of a measure: what its own `values` make of lists of which nothing is known."""

from __future__ import annotations

from idealist.backends.sql.lists import lists
from idealist.backends.sql.nodes import Formulas
from idealist.backends.sql.numbers import Values
from idealist.backends.sql.words import NoSqlForm
from idealist.conventions import DEFAULT
from idealist.data import Rankings
from idealist.data.needs import GRADES, QUERIES
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.backends.sql.nodes import Node
    from idealist.conventions import Conventions
    from idealist.measures import Measure


def form(measure: Measure, formulas: Formulas, conventions: Conventions) -> Node:
    """The formula of a measure, over sums of a query; an error that says what SQL lacks, if it has none."""
    try:
        return _form(measure, formulas, conventions)
    except InputError as error:
        raise InputError(
            f"{measure} cannot be written as SQL: {error.message.removeprefix(f'{measure}: ')}",
            hint=error.hint,
        ) from None


def _form(measure: Measure, formulas: Formulas, conventions: Conventions) -> Node:
    if measure.given or measure.needs not in (GRADES, QUERIES):
        raise NoSqlForm(measure.needs_in_words())
    if measure.aggregate == "pooled":
        raise NoSqlForm("all queries together")
    averaged = conventions.ties == "averaged"
    if averaged and not measure.averages_ties:
        raise InputError(
            "it has no closed form for averaged ties",
            hint="choose another rule for ties, such as ties=id-descending",
        )
    native: Any = lists(formulas, averaged=averaged, removed=conventions.unjudged == "removed")
    # What the conventions say of queries, the query itself looks after.
    negative = "not-relevant" if conventions.negative == "error" else conventions.negative
    rules = conventions.replace(missing="zero", empty="zero", negative=negative)
    values: Any = measure.measured(Rankings(native, rules, threads=1))
    if not isinstance(values, Values):
        raise NoSqlForm("numbers worked out query by query")
    return values.node


def why_not(measure: Measure, conventions: Conventions = DEFAULT) -> str | None:
    """Why a measure cannot be written as SQL; None if it can.

    >>> from idealist import AP, PNR
    >>> why_not(AP())
    >>> why_not(PNR())
    'PNR cannot be written as SQL: it needs a sum over the documents above of which another number is less, which SQL has no form for'
    """
    try:
        form(measure, Formulas(bits="DOUBLE", underflows=False), conventions)
    except InputError as error:
        return error.message
    return None
