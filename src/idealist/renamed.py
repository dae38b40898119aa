"""Arguments that have another name now: the old one is refused, and the error says the new one."""

from __future__ import annotations

from functools import wraps

from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import ParamSpec, TypeVar

    P = ParamSpec("P")
    T = TypeVar("T")


def renamed_arguments(**names: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """A decorator that refuses the old names of a function's arguments.

    >>> @renamed_arguments(permutations="rounds")
    ... def draw(rounds: int = 10) -> int:
    ...     return rounds
    >>> draw(rounds=5)
    5
    >>> draw(permutations=5)
    Traceback (most recent call last):
    idealist.errors.InputError: draw: permutations is called rounds now
    hint: rounds=5
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> T:
            for old, new in names.items():
                if old in kwargs:
                    raise InputError(
                        f"{function.__name__}: {old} is called {new} now", hint=f"{new}={kwargs[old]!r}"
                    )
            return function(*args, **kwargs)

        return checked

    return decorate
