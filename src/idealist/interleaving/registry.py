"""The list of interleaving methods, by name."""

from __future__ import annotations

from idealist.data.values import as_choice
from idealist.interleaving.methods import Balanced, Interleaving, TeamDraft
from idealist.interleaving.optimised import Optimised
from idealist.interleaving.probabilistic import Probabilistic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def interleaving_methods() -> dict[str, type[Interleaving]]:
    """The methods by name."""
    methods: tuple[Any, ...] = (TeamDraft, Balanced, Probabilistic, Optimised)
    return {method.name: method for method in methods}


def parse_interleaving(method: str | Interleaving) -> Interleaving:
    """A method by its name, or as it is."""
    if isinstance(method, Interleaving):
        return method
    methods = interleaving_methods()
    return methods[as_choice(method, "the method", methods)]()
