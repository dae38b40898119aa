"""Numbers and names in sentences."""

from __future__ import annotations


def signed(number: float) -> str:
    """Four decimals, or two digits of what is smaller, with a minus that can be seen.

    >>> signed(-0.01), signed(-0.0), signed(0.000012)
    ('−0.0100', '0.0000', '1.2e−05')
    """
    small = 0 < abs(number) < 0.0005
    return (f"{number:.2g}" if small else f"{number + 0.0:.4f}").replace("-", "−")


def listed(names: list[str]) -> str:
    """Names in a sentence.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
