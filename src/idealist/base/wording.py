"""Numbers, counts and names in words: each is written in one way, in tables, sentences and messages."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    class Ends(Protocol):
        """An interval."""

        @property
        def low(self) -> float: ...
        @property
        def high(self) -> float: ...


LEAST_P = 0.0001  # with four decimals, anything smaller would look like 0


def p_text(p: float) -> str:
    """A p-value with four decimals; one that would print as 0 is printed as less than the smallest.

    >>> p_text(0.01234), p_text(0.0001), p_text(2.5e-9)
    ('0.0123', '0.0001', '<0.0001')
    """
    return f"<{LEAST_P:.4f}" if p < LEAST_P else f"{p:.4f}"


def signed(number: float) -> str:
    """A number with four decimals, or two digits where it is smaller, and a typographic minus.

    >>> signed(-0.01), signed(-0.0), signed(0.000012)
    ('−0.0100', '0.0000', '1.2e−05')
    """
    small = 0 < abs(number) < 0.0005
    return (f"{number:.2g}" if small else f"{number + 0.0:.4f}").replace("-", "−")


def range_text(interval: Ends) -> str:
    """The ends of an interval in a sentence: −0.0400 to 0.0200."""
    return f"{signed(interval.low)} to {signed(interval.high)}"


def interval_title(confidence: float | None) -> str:
    """The title of an interval, above a column and in sentences.

    >>> interval_title(0.95), interval_title(None)
    ('95 % interval', 'interval')
    """
    return "interval" if confidence is None else f"{100 * confidence:g} % interval"


def percent(share: float) -> str:
    """A share, with three digits.

    >>> percent(0.8), percent(-0.0123)
    ('80 %', '−1.23 %')
    """
    return f"{100 * share:.3g} %".replace("-", "−")


def count_text(count: float) -> str:
    """A count: whole, or with one decimal where raters were averaged.

    >>> count_text(1200.0), count_text(3.3333)
    ('1,200', '3.3')
    """
    return f"{int(count):,}" if count == int(count) else f"{count:,.1f}"


def count_of(count: int, noun: str) -> str:
    """A count with its noun.

    >>> count_of(1, "query"), count_of(2000, "query"), count_of(0, "match"), count_of(2, "day")
    ('1 query', '2,000 queries', '0 matches', '2 days')
    """
    if count == 1:
        return f"1 {noun}"
    plural = (
        noun[:-1] + "ies"
        if noun.endswith("y") and noun[-2:] != "ay"
        else noun + ("es" if noun.endswith("ch") else "s")
    )
    return f"{count:,} {plural}"


def count_queries(count: int) -> str:
    """A number of queries.

    >>> count_queries(1)
    '1 query'
    """
    return count_of(count, "query")


def and_more(count: int, noun: str = "") -> str:
    """Says how many an example leaves out, of so many in all.

    >>> and_more(3, "bad line"), and_more(2), and_more(1)
    (' (and 2 more bad lines)', ' (and 1 more)', '')
    """
    if count < 2:
        return ""
    further = count_of(count - 1, f"more {noun}") if noun else f"{count - 1:,} more"
    return f" (and {further})"


def type_name(value: object) -> str:
    """The type of an object in words, with the library where that is not Python itself.

    >>> from fractions import Fraction
    >>> type_name([]), type_name(Fraction(1, 2))
    ('list', 'fractions.Fraction')
    """
    library = type(value).__module__.partition(".")[0]
    return type(value).__name__ if library == "builtins" else f"{library}.{type(value).__name__}"


def listed(names: Sequence[str]) -> str:
    """Names in a sentence.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def reason_of(error: Exception) -> str:
    """The message of an error of Python; of text that is nested too deeply, every version says something else.

    >>> reason_of(ValueError("a name appears twice")), reason_of(RecursionError())
    ('a name appears twice', 'it is nested too deeply')
    """
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
