"""The key of a result that has something for each system and measure."""

from __future__ import annotations

from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from idealist.measures import Measure


def system_and_measure(
    key: Any, result: str, name: str, systems: Sequence[str], measures: Sequence[Measure]
) -> tuple[Any, Any]:
    """The two parts of a key; anything else is an error that shows a key of this result. `name` is what the hint
    calls the result.

    >>> system_and_measure(("AP", "a"), "an evaluation", "evaluation", ["a"], ["AP"])
    Traceback (most recent call last):
    idealist.errors.InputError: an evaluation is indexed by a system and a measure, in this order, not by ('AP', 'a')
    hint: evaluation['a', 'AP']
    """
    texts = list(map(str, measures))
    is_pair = isinstance(key, tuple) and len(key) == 2
    if is_pair and not (key[0] not in systems and key[1] in systems and str(key[0]) in texts):
        return key[0], key[1]
    example = [part for part in (key if is_pair else (key,)) if part in systems]
    measure = next((text for text in texts if text == str(key[0] if is_pair else key)), texts[0])
    raise InputError(
        f"{result} is indexed by a system and a measure, in this order, not by {key!r}",
        hint=f"{name}[{(example or list(systems))[0]!r}, {measure!r}]",
    )
