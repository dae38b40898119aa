"""The base of tests of paired differences: frozen objects that turn differences into a p-value."""

from __future__ import annotations

import sys

from idealist.base.frozen import Frozen
from idealist.base.named import Named
from idealist.base.values import as_count, as_seed
from idealist.errors import InputError
from idealist.statistics.paired import Sample

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, ClassVar

    from idealist.statistics.paired import Paired

    Progress = Callable[[int, int], None]

ROUNDS = 10_000
LEAST_P = sys.float_info.min  # what underflows is small, not impossible


class Significance(Frozen):
    """The result of a test: the two-sided p-value of a mean difference of 0, and the test's statistic. Both are
    None where the test is not defined."""

    p_value: float | None
    statistic: float | None = None


UNDEFINED = Significance(None)


class PairedTest(Named, kind="test"):
    """The base of all tests. A subclass with a `name` can be named:

    - its fields are its parameters;
    - `find` gives the p-value and the statistic of a sample of two differences or more;
    - its docstring starts with what it is, and is what the reference page prints.

    >>> PairedTest.parse("randomisation(seed=7)", {"rounds": 500}), str(PairedTest.parse("randomisation(rounds=10000)"))
    (RandomisationTest(rounds=500, seed=7), 'randomisation')
    """

    modules: ClassVar[Mapping[str, tuple[str, ...]]] = {
        f"idealist.statistics.tests.{module}": ()
        for module in ("bootstrap", "randomisation", "sign", "student", "wilcoxon")
    }
    # What tables call it, and machines: "p (t-test)" and "p_value".
    label: ClassVar[str]
    column: ClassVar[str]
    # Whether it is defined where queries have weights.
    takes_weights: ClassVar[bool] = True

    def __init_subclass__(
        cls, label: str | None = None, column: str | None = None, **registered: Any
    ) -> None:
        super().__init_subclass__(**registered)
        if hasattr(cls, "name"):
            cls.label, cls.column = label or cls.name, column or f"p_{cls.name}"

    def __call__(self, differences: Sequence[float], weights: Sequence[float] | None = None) -> Significance:
        """The result for differences, one per query, and their weights."""
        if weights is not None and not self.takes_weights:
            raise InputError(
                f"the test {self.name!r} is not defined for weighted queries",
                hint="take t, randomisation or bootstrap, or leave the weights out",
            )
        return self.of(Sample(differences, weights))

    def of(self, sample: Sample) -> Significance:
        """The result for a sample; undefined for fewer than two differences, and for weights that it does not take."""
        if len(sample) < 2 or (sample.weights is not None and not self.takes_weights):
            return UNDEFINED
        return self.find(sample)

    def find(self, sample: Sample) -> Significance:
        """The result for two differences or more."""
        raise TypeError(f"{type(self).__name__} does not define `find`")

    def of_all(
        self, pairs: Sequence[Paired], queries: Sequence[str], progress: Progress | None = None
    ) -> list[Significance]:
        """The results for every pair; each has values for some of the queries."""
        return [self.of(pair.sample) for pair in pairs]

    @property
    def about(self) -> str:
        """What the p-value is, as the line below a table continues "p (…):"."""
        return self.label


def _rounds(title: str, value: Any) -> int:
    return as_count(value, title, text=True, hint="such as 10000")


def _seed(title: str, value: Any) -> int:
    return as_seed(int(value) if isinstance(value, str) and value.isdecimal() else value)


# How parameters are read, and what they are.
PairedTest.readers = {"rounds": _rounds, "seed": _seed}
PARAMETERS = {
    "rounds": "how many random draws are made",
    "seed": "the seed of random numbers: the same seed gives the same p-value",
}
