"""Several tests of paired differences in a text: `t, randomisation(rounds=10000, seed=7)`."""

from __future__ import annotations

from idealist.base.named import top_level
from idealist.errors import InputError
from idealist.statistics.tests.base import PairedTest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


def parse_tests(
    texts: str | PairedTest | Iterable[str | PairedTest], **unstated: Any
) -> tuple[PairedTest, ...]:
    """One test or several, each once, in their order; a text may hold several, apart by commas or spaces. `unstated` are for
    parameters that a text does not state.

    >>> parse_tests("t, sign")
    (TTest(), SignTest())
    """
    given_tests = [texts] if isinstance(texts, (str, PairedTest)) else list(texts)
    parts = (
        part
        for test_given in given_tests
        for part in (top_level(test_given, ", ") if isinstance(test_given, str) else [test_given])
    )
    parsed = tuple(dict.fromkeys(PairedTest.parse(part, unstated) for part in parts))
    if not parsed:
        raise InputError("no test was named", hint=f"name some of: {', '.join(PairedTest.names())}")
    return parsed
