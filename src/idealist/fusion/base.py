"""The base of fusion methods: frozen objects that give each united document one score."""

from __future__ import annotations

from idealist.errors import InputError
from idealist.fusion.parameters import READERS
from idealist.named import Named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, ClassVar

    from idealist.fusion.united import Array, United


class Method(Named, kind="fusion method"):
    """The base of all methods. A subclass with a `name` can be named; its fields are its parameters.

    >>> Method.parse("RRF", k=10), Method.parse("mnz"), list(Method.all())[:4]
    (RRF(k=10.0), CombMNZ(), ['rrf', 'isr', 'log_isr', 'logn_isr'])
    """

    # In the order `idealist fuse --list` shows them.
    modules: ClassVar[Mapping[str, tuple[str, ...]]] = {
        f"idealist.fusion.families.{family}": ()
        for family in ("reciprocal", "combination", "votes", "weighted", "trained")
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
