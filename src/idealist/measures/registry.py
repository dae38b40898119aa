"""The families of measures. Two are always there; the others are imported when something of theirs is asked
for, so that a command that needs none of them does not wait for them."""

from __future__ import annotations

from importlib import import_module

from idealist.measures.base import registered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from idealist.measures.base import Measure

# In the order `idealist measures` lists them, and in which a name is looked for.
FAMILIES = (
    "gain",
    "binary",
    "counts",
    "sets",
    "recall_levels",
    "pairs",
    "means",
    "incomplete",
    "user_models",
    "adaptive_models",
    "expectations",
    "rated",
    "diversity",
    "nuggets",
    "judgment_groups",
    "preferences",
    "personal",
    "sessions",
    "instructions",
    "confidence",
    "objectives",
    "fairness",
    "items",
    "popularity_bias",
    "catalogue",
    "clicks",
    "agreement",
)


def growing_registry() -> Iterator[dict[str, type[Measure]]]:
    """The measures known so far, then again after every further family."""
    yield registered()
    for family in FAMILIES:
        import_module(f"idealist.measures.families.{family}")
        yield registered()


def registry() -> dict[str, type[Measure]]:
    """All measures by name, family by family."""
    *_, measures = growing_registry()
    family_order = {family: at for at, family in enumerate(FAMILIES)}
    return dict(
        sorted(measures.items(), key=lambda pair: family_order.get(pair[1].family, len(family_order)))
    )
