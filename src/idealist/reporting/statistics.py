"""The statistical tests as a list, and the reference page of statistics, from the classes and functions."""

from __future__ import annotations

from idealist.reporting.table import Table
from idealist.reporting.view import View
from idealist.statistics.corrections import CORRECTIONS
from idealist.statistics.intervals import STUDENT, mean_interval
from idealist.statistics.inversion import INVERSION, BoundedMean
from idealist.statistics.paired_shares import AGRESTI_MIN, TANGO, agresti_min_interval, tango_interval
from idealist.statistics.resampling import BOOTSTRAP, bootstrap_interval
from idealist.statistics.sequential import SEQUENCE, EProcess
from idealist.statistics.tests.base import PARAMETERS, PairedTest
from idealist.statistics.tukey import TUKEY, tukey_blocked
from idealist.statistics.unseen import BY_BEST_THIRD, mean_difference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.reporting.table import Cell
    from idealist.statistics.tests.base import PairedTest

# What an interval is of, by the method that makes it.
INTERVALS: dict[str, tuple[Any, str]] = {
    BY_BEST_THIRD: (
        mean_difference,
        "Of differences in measures that have a range. The verdict goes by it.",
    ),
    INVERSION: (
        BoundedMean,
        "Of means in segments, of votes that come in queries or have weights, and of differences with "
        "`--interval cautious`.",
    ),
    STUDENT: (
        mean_interval,
        "Of differences in measures without a range; of all with `--interval student`, and beside with `--more-tests`.",
    ),
    BOOTSTRAP: (bootstrap_interval, "Of differences, with `--more-tests`."),
    TANGO: (tango_interval, "Of GSB with `--interval tango`, and where segments have shares of the traffic."),
    AGRESTI_MIN: (agresti_min_interval, "Of GSB with `--interval agresti-min`."),
    SEQUENCE: (
        EProcess,
        "Of GSB while votes come in, with `gsb --sequential`, and of differences while judgments do, with `compare --order`.",
    ),
    TUKEY: (tukey_blocked, "Of the differences of all pairs together, with `--all-pairs`."),
}
# What the reference page says before its entries.
OPENING = """\
The tests, corrections and intervals behind [comparisons](decisions.md) and [votes](votes.md): what each computes, when it is
undefined, and where it comes from. `idealist compare --list-tests --format markdown` prints this page.
"""
WHEN = """\
All tests are paired: they look at the differences of two systems, query by query. `compare` and `report` show the p-value
that belongs to the interval; `idealist compare … --tests t,wilcoxon`, `il.compare(…, tests=["t", "randomisation(seed=7)"])`
and `tests = "t,wilcoxon"` in a gate file show others beside it. No verdict goes by them. A text states the parameters that differ from the default; `seed` and `rounds` of `compare`
(`--seed`, `--rounds`) are for those that it does not state.

t tests whether the mean difference is 0, by its standard error; randomisation tests the same without an assumption on the
distribution, and is defined where t has no spread to go by. wilcoxon and sign test something else: whether differences are
symmetric around 0, and whether more queries rise than fall. bootstrap gives p-values that are too small with few queries. All are two-sided and
take two differences or more.

In Python a test is an object; its result has a `p_value` and a `statistic`, None where they are not defined:

```python
>>> import idealist as il
>>> il.statistics.SignTest()([0.25, 0.5, 0.75])
Significance(p_value=0.25, statistic=3.0)
>>> il.statistics.PairedTest.parse("randomisation(rounds=500, seed=7)")
RandomisationTest(rounds=500, seed=7)
```
"""
UNPACKING = """\
An interval unpacks to its ends, and has its confidence and its method:

```python
>>> import idealist as il
>>> low, high = interval = il.statistics.tango_interval(0, 0, 100)  # z²/(n + z²) = 3.8415/103.8415
>>> round(low, 4), round(high, 4), interval.confidence, interval.method
(-0.037, 0.037, 0.95, "Tango's score test")
```
"""


def tests_view() -> View:
    """Every test with its parameters, and what it is; in Markdown, the reference page."""
    table = _tests_table()
    return View(lambda: [table], rows=lambda: table, page=statistics_page)


def _tests_table() -> Table:
    rows: list[list[Cell]] = [
        [cls.name, ", ".join(f"{field}={getattr(cls, field)}" for field in cls.fields), _text(cls)[0]]
        for cls in PairedTest.all().values()
    ]
    return Table(["test", "parameters", "what it is"], rows)


def statistics_page() -> str:
    """Everything about tests, corrections and intervals as one Markdown page."""
    from idealist.statistics import randomness

    lines = ["# Statistics", "", OPENING]
    lines += ["## Tests", "", WHEN]
    for test in PairedTest.all().values():
        lines += [*_described(test.name, test), *_facts(test), ""]
    lines += ["## Corrections", "", '`il.statistics.adjust(p_values, "holm")` takes their names.', ""]
    for name, correction in CORRECTIONS.items():
        lines += [*_described(name, correction), ""]
    lines += ["## Confidence intervals", "", UNPACKING]
    for method, (maker, use) in INTERVALS.items():
        title, *rest = _described(f"{method}: `{maker.__name__}`", maker)
        lines += [title, "", use, *rest, ""]
    lines += ["## Seeds", "", *_text(randomness), ""]
    return "\n".join(lines).rstrip() + "\n"


def _described(title: str, thing: Any) -> list[str]:
    text, mark, example = "\n".join(_text(thing)).partition(">>>")
    shown = ["", "```pycon", *(mark + example).splitlines(), "```"] if mark else []
    return [f"### {title}", "", *text.rstrip().splitlines(), *shown]


def _facts(test: type[PairedTest]) -> list[str]:
    weights = "counted" if test.takes_weights else "not defined"
    facts = [f"- weights of queries: {weights}", f"- heading: p ({test.label}); column: {test.column}"]
    return [
        "",
        *facts,
        *(f"- `{field}` (default {getattr(test, field)}): {PARAMETERS[field]}" for field in test.fields),
    ]


def _text(thing: Any) -> list[str]:
    from inspect import cleandoc

    return cleandoc(thing.__doc__ or "").splitlines()
