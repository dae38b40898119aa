"""Arguments under the names that other tools give them: the error says what they are called here."""

from __future__ import annotations

from functools import wraps

from idealist.annotations import read_late
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import ParamSpec, TypeVar

    P = ParamSpec("P")
    T = TypeVar("T")

# What verbs of several runs, and those of one, have under other names elsewhere.
OF_RUNS = {
    "qrels": "judgments",
    "qrel": "judgments",
    "run": "runs",
    "measure": "measures",
    "metric": "measures",
    "metrics": "measures",
}
OF_ONE_RUN = {
    "qrels": "judgments",
    "qrel": "judgments",
    "runs": "run",
    "measures": "measure",
    "metric": "measure",
    "metrics": "measure",
}


def other_names(**names: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """A decorator that refuses arguments under other names and says ours. The types of what it returns can be read.

    >>> @other_names(metrics="measures")
    ... def evaluate(measures: str = "AP") -> str:
    ...     return measures
    >>> evaluate(measures="RR")
    'RR'
    >>> evaluate(metrics="RR")
    Traceback (most recent call last):
    idealist.errors.InputError: evaluate: there is no argument metrics
    hint: it is called measures: measures='RR'
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> T:
            __tracebackhide__ = True  # pytest shows the line of the test
            for other, ours in names.items():
                if other in kwargs:
                    given = kwargs[other]
                    shown = repr(given) if isinstance(given, (str, int, float)) else "…"
                    raise InputError(
                        f"{function.__name__}: there is no argument {other}",
                        hint=f"it is called {ours}: {ours}={shown}",
                    )
            return function(*args, **kwargs)

        read_late(checked)
        return checked

    return decorate
