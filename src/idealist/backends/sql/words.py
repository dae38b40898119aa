"""Numbers and names as SQL writes them, and the refusal of what it cannot."""

from __future__ import annotations

import re

from idealist.errors import InputError
from idealist.measures.gains import number_text


class NoSqlForm(InputError):
    """An operation that SQL has no form for, in words."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"it needs {what}, which SQL has no form for",
            hint="measure it with idealist evaluate, or on an engine; docs/sql.md lists what SQL can say",
        )


def number(value: float) -> str:
    """A number, in brackets where a sign before it could be read as a minus.

    >>> number(2.0), number(-0.5)
    ('2', '(-0.5)')
    """
    return number_text(value) if value >= 0 else f"({number_text(value)})"


def name_part(text: str) -> str:
    """Text as a part of a name: letters, digits and _.

    >>> name_part("nDCG(gain=exp)@10")
    'ndcg_gain_exp_at_10'
    """
    return re.sub(r"[^a-z0-9]+", "_", text.lower().replace("@", "_at_").replace("-", "_minus_")).strip("_")


def by_level(name: str, level: float) -> str:
    """The name for level 1 as it is; those of other levels say theirs."""
    if level == float("-inf"):
        return f"{name}_from_any_grade"
    return name if level == 1 else f"{name}_from_{name_part(number_text(level))}"


def to_rank(name: str, k: float | None) -> str:
    return name if k is None else f"{name}_at_{name_part(number_text(k))}"
