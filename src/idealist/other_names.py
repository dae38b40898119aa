"""Arguments under the names that other tools give them, and those that stand elsewhere: the error says what to write."""

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
    "k": "a cut-off is part of the measure: nDCG@10, or NDCG(k=10)",
}
OF_ONE_RUN = {
    "qrels": "judgments",
    "qrel": "judgments",
    "runs": "run",
    "measures": "measure",
    "metric": "measure",
    "metrics": "measure",
    "k": "a cut-off is part of the measure: nDCG@10, or NDCG(k=10)",
}


def other_names(**names: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """A decorator that refuses arguments under other names and says ours, or what to write instead. The types of what it returns can be read.

    >>> @other_names(metrics="measures")
    ... def evaluate(measures: str = "AP") -> str:
    ...     return measures
    >>> evaluate(measures="RR")
    'RR'
    >>> evaluate(metrics="RR")
    Traceback (most recent call last):
    idealist.errors.InputError: evaluate: there is no argument metrics
    hint: it is called measures: measures='RR'
    >>> @other_names(k="the cut-off is part of the measure, nDCG@10")
    ... def mean(measures: str = "nDCG") -> str:
    ...     return measures
    >>> mean(k=10)
    Traceback (most recent call last):
    idealist.errors.InputError: mean: there is no argument k
    hint: the cut-off is part of the measure, nDCG@10
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> T:
            __tracebackhide__ = True  # pytest shows the line of the test
            for other, ours in names.items():
                if other in kwargs:
                    given = kwargs[other]
                    shown = repr(given) if isinstance(given, (str, int, float)) else "…"
                    called = f"it is called {ours}: {ours}={shown}" if ours.isidentifier() else ours
                    raise InputError(f"{function.__name__}: there is no argument {other}", hint=called)
            return function(*args, **kwargs)

        read_late(checked)
        return checked

    return decorate
