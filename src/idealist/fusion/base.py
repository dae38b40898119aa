"""The base of fusion methods: frozen objects that give each united document one score."""

from __future__ import annotations

from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.fusion.parameters import read_parameter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, ClassVar

    from idealist.fusion.united import Array, United

_REGISTRY: dict[str, type[Method]] = {}


class Method(Frozen):
    """The base of all methods. A subclass with a `name` enters the registry; its fields are its parameters."""

    name: ClassVar[str]
    # Names in other tools.
    aliases: ClassVar[tuple[str, ...]] = ()
    # What it uses: "scores", "ranks", or "both".
    looks_at: ClassVar[str] = "scores"
    # How scores are normalised by default.
    normalisation: ClassVar[str] = "none"
    # The parameters that `fit` learns from judgments.
    learned: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, name: str | None = None, aliases: tuple[str, ...] = ()) -> None:
        super().__init_subclass__()
        if name is not None:
            cls.name, cls.aliases = name, aliases
            _REGISTRY[name] = cls

    def _checked(self, field: str, value: Any) -> Any:
        return read_parameter(self.name, field, value)

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
                    hint=f"{type(self).__name__}().fit(runs, judgments) gives a fitted one",
                )
            if len(learned_values) != runs:
                raise InputError(
                    f"{self.name} was fitted to {len(learned_values)} runs, not to {runs}",
                    hint="fuse the runs that it was fitted to",
                )

    def fit(self, runs: Sequence[Any], judgments: Any) -> Method:
        """The method fitted to judged queries; itself, if it learns nothing."""
        return self

    @classmethod
    def grid(cls, runs: int) -> Mapping[str, Sequence[Any]]:
        """The values to try for its parameters when they are tuned for so many runs."""
        return {}

    def __str__(self) -> str:
        stated = (
            f"{field}={_text(value)}"
            for field in self.fields
            if field not in self.learned and (value := getattr(self, field)) not in (None, _unsaid(field))
        )
        inside = ",".join(stated)
        return f"{self.name}({inside})" if inside else self.name

    def __repr__(self) -> str:
        changed = (f for f in self.fields if getattr(self, f) != getattr(type(self), f, None))
        stated = (f"{f}=…" if f in self.learned else f"{f}={getattr(self, f)!r}" for f in changed)
        return f"{type(self).__name__}({', '.join(stated)})"


def registered() -> dict[str, type[Method]]:
    return _REGISTRY


def _unsaid(field: str) -> float | None:
    """The default that the text form leaves out."""
    return 1.0 if field == "level" else None


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return ":".join(f"{number:g}" for number in value)
    return f"{value:g}" if isinstance(value, (int, float)) else str(value)
