"""A column of numbers as a measure: which of two values is the better one, and what they lie between."""

from __future__ import annotations

import re

from idealist.base.named import top_level
from idealist.base.values import as_choice, as_finite
from idealist.errors import InputError, UnknownMeasure
from idealist.measures.gains import number_text
from idealist.measures.measure import Measure
from idealist.measures.naming import SPACES, parse_all, registry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, Self

BETTER = ("higher", "lower", "neither")
INFINITE = float("inf")
# What words in names of columns say: which value is better, and what it lies between. Only what means the same
# everywhere stands here: a rating has no scale by its name, a length no better side.
SHARES, COUNTS, ANYTHING = (0.0, 1.0), (0.0, INFINITE), (-INFINITE, INFINITE)
WORDS: dict[str, tuple[str, tuple[float, float]]] = {
    word: meaning
    for words, meaning in (
        (
            "faithfulness groundedness relevancy correctness accuracy precision recall ndcg mrr f1 success "
            "successful hit clicked converted purchased solved resolved passed answered coverage ctr",
            ("higher", SHARES),
        ),
        (
            "hallucination hallucinated toxicity toxic failed refused abandoned bounced timeout unsafe",
            ("lower", SHARES),
        ),
        ("clicks conversion conversions purchases orders revenue sales", ("higher", COUNTS)),
        ("latency ms seconds duration cost price errors mae rmse perplexity", ("lower", COUNTS)),
        ("rating satisfaction helpfulness quality similarity reward fluency coherence", ("higher", ANYTHING)),
        ("error loss regret", ("lower", ANYTHING)),
    )
    for word in words.split()
}


class Column(Measure):
    """A number per query that was measured elsewhere, such as a latency, taken from a table (`numbers`).

    `better` is "higher", "lower" or "neither"; `low` and `high` are what the numbers lie between, infinite where that
    is not known. What is not stated goes by the words of the name: a latency is better lower, and 0 or more; a column
    whose name says nothing has no better side, and no verdict goes by it.

    >>> Column("latency_ms").better, Column("latency_ms").bounds
    ('lower', (0.0, inf))
    >>> str(Column("stars", better="higher", low=1, high=5))
    'stars(better=higher,low=1,high=5)'
    >>> str(Column("latency_ms", better="lower"))
    'latency_ms'
    """

    given = True
    favours_better = False
    column: str
    better: str = ""  # type: ignore[misc]
    low: float | None = None
    high: float | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not self._low < self._high:
            raise InputError(
                f"{self.column}: low must be below high, not {self._low:g} and {self._high:g}",
                hint="low=0,high=1 is what the numbers lie between",
            )

    def _checked(self, field: str, value: Any) -> Any:
        if field == "column":
            if not isinstance(value, str) or not value:
                raise InputError(f"a column has a name, not {value!r}", hint='Column("latency_ms")')
            return value
        column: str = self.__dict__["column"]
        better, ends = by_name(column)
        if field == "better":
            return as_choice(value, f"{column}: better", BETTER) if value else better
        if value is None:
            return ends[field == "high"]
        if value in (INFINITE, -INFINITE, "inf", "-inf"):
            return float(value)
        return as_finite(value, f"{column}: {field}", text=True)

    @property
    def _low(self) -> float:
        return -INFINITE if self.low is None else self.low

    @property
    def _high(self) -> float:
        return INFINITE if self.high is None else self.high

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        return self._low, self._high

    @property
    def depth(self) -> int:
        """It looks at no rank."""
        return 0

    @property
    def one_grade(self) -> bool:
        return False

    def with_unstated(self, parameters: Mapping[str, Any]) -> Self:
        """The column itself: no convention is about it."""
        return self

    def values(self, rankings: Any) -> Any:
        raise InputError(
            f"{self.column} is a column of numbers: it is not measured on rankings",
            hint="evaluate(…, numbers=…), or --numbers FILE, gives its numbers",
        )

    def __str__(self) -> str:
        usual = Column(self.column)
        said = [
            f"{field}={value if field == 'better' or abs(value) == INFINITE else number_text(value)}"
            for field in ("better", "low", "high")
            if (value := getattr(self, field)) != getattr(usual, field)
        ]
        return f"{self.column}({','.join(said)})" if said else self.column

    @property
    def label(self) -> str:
        return self.column


def by_name(column: str) -> tuple[str, tuple[float, float]]:
    """Which value is better, and what the values lie between, as far as the words of the name say it.

    >>> by_name("answer_relevancy"), by_name("responseTimeMs")
    (('higher', (0.0, 1.0)), ('lower', (0.0, inf)))
    >>> by_name("steps"), by_name("latency_of_clicked")  # no word that is known; two that disagree
    (('neither', (-inf, inf)), ('neither', (-inf, inf)))
    """
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", column)
    known = {WORDS[word] for word in re.findall(r"[a-z0-9]+", words.lower()) if word in WORDS}
    if len({better for better, _ in known}) != 1:
        return "neither", ANYTHING
    better = next(iter(known))[0]
    return (better, next(iter(known))[1]) if len(known) == 1 else (better, ANYTHING)


def measures_and_columns(
    measures: str | Measure | Iterable[str | Measure],
    columns: Sequence[str],
    *,
    defaults: Mapping[str, Any] | None = None,
    besides: bool = True,
    every: bool = True,
) -> tuple[Measure, ...]:
    """The measures and the columns that are named; with `every`, all columns behind the measures, where none is.
    `besides` is whether anything else is measured: then a name must not be both a measure's and a column's.

    >>> measures_and_columns("latency_ms nDCG@10", ["latency_ms", "cost"])
    (Column(column='latency_ms', better='lower', low=0.0, high=inf), NDCG(k=10))
    >>> list(map(str, measures_and_columns("nDCG@10", ["latency_ms", "cost"])))
    ['nDCG@10', 'latency_ms', 'cost']
    """
    named: list[str | Measure] = []
    for text in [measures] if isinstance(measures, (str, Measure)) else measures:
        whole = column_named(text, columns)
        parts = top_level(text, SPACES) if isinstance(text, str) and whole is None else [text]
        named += [whole] if whole is not None else [column_named(part, columns) or part for part in parts]
    if every and not any(isinstance(measure, Column) for measure in named):
        named += map(Column, columns)
    if besides:
        for measure in named:
            if isinstance(measure, Column) and measure.column in registry():
                raise InputError(
                    f"{measure.column} is a measure, and a column of the numbers too",
                    hint="give the column another name, or leave it out",
                )
    from difflib import get_close_matches

    try:
        return parse_all(named, defaults=defaults)
    except UnknownMeasure as error:
        texts = (text for text in named if isinstance(text, str))
        near = [column for text in texts for column in get_close_matches(text, columns, 1)]
        meant = f"did you mean {near[0]}?" if near else error.hint if besides else ""
        known = f"the columns of the numbers are {', '.join(columns)}"
        raise UnknownMeasure(error.message, hint=f"{meant} {known}".strip()) from None


def column_named(text: Any, columns: Sequence[str]) -> Column | None:
    """The column that a text names, such as stars or stars(better=higher,low=1,high=5); None if it names none."""
    if not isinstance(text, str):
        return None
    plain = text.strip()
    if plain in columns:
        return Column(plain)
    name, bracket, inside = plain.rpartition("(")
    if not bracket or not inside.endswith(")") or name not in columns:
        return None
    stated: dict[str, Any] = {}
    for part in top_level(inside[:-1], ","):
        field, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or field not in ("better", "low", "high") or field in stated:
            raise InputError(
                f"{plain!r}: {part.strip()!r} does not say which value is better, or what they lie between",
                hint=f"for example {name}(better=lower,low=0,high=100)",
            )
        stated[field] = value
    return Column(name, **stated)
