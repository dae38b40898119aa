"""All tests of paired differences, and the text form of each: `t`, `randomisation(rounds=10000, seed=7)`."""

from __future__ import annotations

from importlib import import_module

from idealist.errors import InputError
from idealist.measures.brackets import top_level
from idealist.statistics import tests
from idealist.statistics.tests.base import PairedTest, registered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

DEFAULT_TESTS = ("t", "randomisation")


def all_tests() -> dict[str, type[PairedTest]]:
    """Every test by its name: every file of `tests/` is imported.

    >>> all_tests()["wilcoxon"]().name
    'wilcoxon'
    """
    from pkgutil import iter_modules

    for module in iter_modules(tests.__path__):
        import_module(f"idealist.statistics.tests.{module.name}")
    return dict(sorted(registered().items()))


def parse_test(test: str | PairedTest, **unstated: Any) -> PairedTest:
    """The test that a text means, or the test itself. `unstated` are for parameters that the text does not state,
    where the test has them; an object is complete.

    >>> parse_test("randomisation(seed=7)", rounds=500, seed=1)
    RandomisationTest(rounds=500, seed=7)
    >>> str(parse_test("randomisation(rounds=10000, seed=7)")), parse_test("t")
    ('randomisation(seed=7)', TTest())
    """
    if isinstance(test, PairedTest):
        return test
    if not isinstance(test, str):
        raise InputError(f"a test must be an object or its text form, not {test!r}", hint="for example 't'")
    name, bracket, inside = test.strip().partition("(")
    if bracket and not inside.endswith(")"):
        raise InputError(f"{test!r}: a bracket is not closed", hint="for example randomisation(seed=7)")
    cls = _named(name.strip().lower())
    stated: dict[str, str] = {}
    for part in top_level(inside[:-1], ","):
        field, equals, value = (text.strip() for text in part.partition("="))
        if not equals or field not in cls.fields:
            hint = f"it has {', '.join(cls.fields)}" if cls.fields else "it has none"
            raise InputError(f"{test!r}: the test {cls.name} has no parameter {field!r}", hint=hint)
        if field in stated:
            raise InputError(f"{test!r}: {field} is stated twice", hint="state it once")
        stated[field] = value
    return cls(**{field: value for field, value in unstated.items() if field in cls.fields} | stated)


def parse_tests(
    texts: str | PairedTest | Iterable[str | PairedTest], **unstated: Any
) -> tuple[PairedTest, ...]:
    """One test or several, each once, in their order; a text may hold several, apart by commas or spaces.

    >>> parse_tests("t, sign")
    (TTest(), SignTest())
    """
    given_tests = [texts] if isinstance(texts, (str, PairedTest)) else list(texts)
    parts = (
        part
        for test_given in given_tests
        for part in (top_level(test_given, ", ") if isinstance(test_given, str) else [test_given])
    )
    parsed = tuple(dict.fromkeys(parse_test(part, **unstated) for part in parts))
    if not parsed:
        raise InputError("no test was named", hint=f"name some of: {', '.join(all_tests())}")
    return parsed


def _named(name: str) -> type[PairedTest]:
    # The usual ones first: the others need not be imported.
    from idealist.statistics.tests import randomisation, student  # noqa: F401

    if name in registered():
        return registered()[name]
    tests_by_name = all_tests()
    if name not in tests_by_name:
        raise InputError(f"there is no test {name!r}", hint=f"name one of: {', '.join(tests_by_name)}")
    return tests_by_name[name]
