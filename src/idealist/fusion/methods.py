"""What a fusion method is, and its parameters: a frozen object that gives each united document one score."""

from __future__ import annotations

from math import comb, inf

from idealist.base.named import Named
from idealist.base.values import as_count, as_finite, as_share, as_within
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, ClassVar

    from idealist.fusion.united import Array, United


MOST_CANDIDATES = 300


def _between(low: float, high: float) -> Callable[[str, Any], float]:
    return lambda title, value: as_within(value, title, low, high, text=True)


def _whole(least: int) -> Callable[[str, Any], int]:
    return lambda title, value: as_count(value, title, least, text=True)


def _persistence(title: str, value: Any) -> float:
    return as_share(value, title, text=True)


def _level(title: str, value: Any) -> float:
    return as_finite(value, title, text=True)


def _weights(title: str, value: Any) -> tuple[float, ...]:
    value = value.replace(",", ":").split(":") if isinstance(value, str) else value
    if isinstance(value, bytes) or not hasattr(value, "__iter__"):
        raise InputError(f"{title} must be numbers, one per run, not {value!r}", hint="such as (0.7, 0.3)")
    weights = tuple(as_within(weight, f"{title}: each weight", 0, text=True) for weight in value)
    if not any(weights):
        raise InputError(f"{title} must not all be 0", hint="give one run a weight above 0")
    return weights


def _by_run(title: str, value: Any) -> tuple[Any, ...]:
    return tuple(
        tuple(map(float, numbers)) if hasattr(numbers, "__iter__") else float(numbers) for numbers in value
    )


READERS: dict[str, Callable[[str, Any], Any]] = {
    "k": _between(0, inf),
    "p": _persistence,
    "gamma": _between(0, inf),
    "sigma": _between(0, 1),
    "alpha": _between(0, 1),
    "window": _whole(0),
    "segments": _whole(1),
    "level": _level,
    "run_weights": _weights,
    "precisions": _by_run,
    "probabilities": _by_run,
    "log_odds": _by_run,
}


def simplex(runs: int) -> list[tuple[float, ...]]:
    """Weights that add up to 1, in steps of 0.1 where the runs are few; the most even ones first.

    >>> simplex(2)[:3]
    [(0.5, 0.5), (0.4, 0.6), (0.6, 0.4)]
    """
    for steps in (10, 5, 4, 2):
        if comb(steps + runs - 1, runs - 1) <= MOST_CANDIDATES:
            break
    else:
        raise InputError(f"there are too many weights to try for {runs} runs", hint="give a grid")

    def split(remaining: int, parts: int) -> list[tuple[int, ...]]:
        if parts == 1:
            return [(remaining,)]
        return [
            (first, *others)
            for first in range(remaining + 1)
            for others in split(remaining - first, parts - 1)
        ]

    even_first = sorted(split(steps, runs), key=lambda parts: sum(part * part for part in parts))
    return [tuple(part / steps for part in parts) for parts in even_first]


class Method(Named, kind="fusion method"):
    """The base of all methods. A subclass with a `name` can be named; its fields are its parameters.

    >>> Method.parse("RRF", k=10), Method.parse("mnz"), list(Method.all())[:4]
    (RRF(k=10.0), CombMNZ(), ['rrf', 'isr', 'log_isr', 'logn_isr'])
    """

    # In the order `idealist fuse --list` shows them.
    modules: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "idealist.fusion.untrained": (),
        "idealist.fusion.trained": (),
    }
    readers: ClassVar[Mapping[str, Callable[[str, Any], Any]]] = READERS
    # A fused run is called by it.
    says_all = True
    # What it uses: "scores", "ranks", or "both".
    looks_at: ClassVar[str] = "scores"
    # How scores are normalised by default.
    normalisation: ClassVar[str] = "none"

    @property
    def w(self) -> Any:
        """The weights as formulas take them: 1 for every run unless they are given."""
        import numpy as np

        weights = getattr(self, "run_weights", None)
        return 1.0 if weights is None else np.asarray(weights)

    def scores(self, united: United) -> Array:
        """One score for every document: the higher, the earlier."""
        raise TypeError(f"{type(self).__name__} does not define `scores`")

    def require(self, runs: int) -> None:
        """An error unless the parameters fit so many runs."""
        weights = getattr(self, "run_weights", None)
        if weights is not None and len(weights) != runs:
            raise InputError(
                f"{self.name} has {len(weights)} weights for {runs} runs", hint="give one weight per run"
            )
        for field in self.learned:
            if (learned_values := getattr(self, field)) is None:
                raise InputError(
                    f"{self.name} must be fitted to judged queries first",
                    hint=f"{type(self).__name__}().fit(judgments, runs) gives a fitted one",
                )
            if len(learned_values) != runs:
                raise InputError(
                    f"{self.name} was fitted to {len(learned_values)} runs, not to {runs}",
                    hint="fuse the runs that it was fitted to",
                )

    def fit(self, judgments: Any, runs: Sequence[Any]) -> Method:
        """The method fitted to judged queries; itself, if it learns nothing."""
        return self

    @classmethod
    def grid(cls, runs: int) -> Mapping[str, Sequence[Any]]:
        """The values to try for its parameters when they are tuned for so many runs."""
        return {}
