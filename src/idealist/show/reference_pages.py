"""The measures and the statistical tests as lists, in full, and as reference pages, from the classes and functions."""

from __future__ import annotations

from importlib import import_module

from idealist.base.frozen import Frozen
from idealist.errors import UnknownMeasure
from idealist.measures import parse, registry
from idealist.measures.measure_parameters import PARAMETERS
from idealist.measures.naming import FAMILIES, NICKNAMES
from idealist.show.cells import folded_line
from idealist.show.table import BOLD, DIM, PLAIN, Table
from idealist.show.view import Lines, View
from idealist.statistics.intervals import STUDENT, mean_interval
from idealist.statistics.inversion import INVERSION, BoundedMean
from idealist.statistics.multiple_comparisons import CORRECTIONS, TUKEY, tukey_blocked
from idealist.statistics.paired_shares import AGRESTI_MIN, TANGO, agresti_min_interval, tango_interval
from idealist.statistics.paired_tests import PARAMETERS as TEST_PARAMETERS
from idealist.statistics.paired_tests import PairedTest
from idealist.statistics.resampling import BOOTSTRAP, bootstrap_interval
from idealist.statistics.sequential_testing import SEQUENCE, EProcess
from idealist.statistics.unseen import BY_BEST_THIRD, mean_difference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from idealist.measures import Measure
    from idealist.show.table import Cell


OVER_QUERIES = {
    "mean": "the mean",
    "sum": "the sum",
    "geometric": "the geometric mean",
    "pooled": "one number of all of them together",
}
LINE_WIDTH = 100
# What the reference page says before its entries.
OPENING = """\
Every measure with its formula, bounds, parameters, other names and a checked example. A measure is named by its text, with
parameters in brackets: `nDCG(gain=exp)@10`; in Python it is a class of `idealist`: `il.NDCG(k=10, gain="exp")`. Where it says
*undefined*, the [conventions](conventions.md) decide what counts. [Measuring](measuring.md) helps to choose a measure, and shows
what to give those that need more than grades.

`idealist measures --format markdown` prints this page.
"""


def measures_view(name: str | None = None) -> View:
    """All measures, those of a family, or what one name means: a measure, or a set of them that trec_eval has. In
    Markdown, the reference page."""
    if name in NICKNAMES:
        return _set_view(name)
    family = (name or "").replace("-", "_")
    if name is not None and family not in FAMILIES:
        return _measure_view(_class_named(name))
    measures = [cls for cls in registry().values() if name is None or cls.family == family]
    return View(
        lambda: [MeasureList(tuple(measures))], rows=lambda: _table(measures), page=lambda: _page(measures)
    )


class MeasureList(Frozen):
    """Measures below their families."""

    measures: tuple[type[Measure], ...]

    def to_text(self, *, color: bool = False, width: int | None = None) -> str:
        bold, dim, plain = (BOLD, DIM, PLAIN) if color else ("", "", "")
        longest = max(len(cls.name) for cls in self.measures)
        lines = []
        for family, members in _by_family(self.measures).items():
            about = folded_line(f"{family}  {_about(family)}", width).removeprefix(family)
            lines.append(f"{bold}{family}{plain}{dim}{about}{plain}")
            lines += [
                folded_line(f"  {cls.name:<{longest}}  {_first_line(cls)}", width, longest + 4)
                for cls in members
            ]
            lines.append("")
        lines.append(folded_line(f"sets of trec_eval's: {', '.join(NICKNAMES)}", width))
        lines.append("`idealist measures NAME` describes one")
        return "\n".join(lines) + "\n"

    def to_markdown(self) -> str:
        return _table(self.measures).to_markdown()

    def to_latex(self) -> str:
        return _table(self.measures).to_latex()

    def to_html(self) -> str:
        return _table(self.measures).to_html()


def _table(measures: Sequence[type[Measure]]) -> Table:
    rows: list[list[Cell]] = [[cls.family, cls.name, _first_line(cls)] for cls in measures]
    return Table(["family", "measure", "what it is"], rows)


def _set_view(name: str) -> View:
    """A set of measures that trec_eval has a name for."""
    from textwrap import wrap

    members = wrap(
        NICKNAMES[name], LINE_WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False
    )
    rows: list[list[Cell]] = [[measure] for measure in NICKNAMES[name].split()]
    lines = (f"{name} (a set of trec_eval's)", "", *members)
    return View(lambda: [Lines(lines)], rows=lambda: Table([name], rows))


def _measure_view(cls: type[Measure]) -> View:
    """One measure: what it is, its bounds, its parameters."""
    facts = _facts(cls)
    width = max(map(len, facts))
    lines = [f"{cls.name} ({cls.family} family)", "", *_dedented(cls.__doc__ or ""), ""]
    lines += [f"{name:<{width}}  {fact}" for name, fact in facts.items()]
    parameters = Table(["parameter", "default", "meaning"], _parameters(cls))
    record = {
        "measure": cls.name,
        "family": cls.family,
        "description": "\n".join(_dedented(cls.__doc__ or "")),
        **facts,
        "parameters": {
            field: {"default": default, "meaning": meaning} for field, default, meaning in _parameters(cls)
        },
    }
    return View(
        lambda: [Lines(tuple(lines)), *([parameters] if cls.fields else [])],
        rows=lambda: parameters,
        record=lambda: record,
        page=lambda: _page([cls]),
    )


def _class_named(name: str) -> type[Measure]:
    try:
        return type(parse(name))
    except UnknownMeasure as error:
        from difflib import get_close_matches

        close = get_close_matches(name.replace("-", "_"), [*FAMILIES, *NICKNAMES], n=1, cutoff=0.75)
        if not close:
            raise
        raise UnknownMeasure(error.message, hint=f"did you mean {close[0]}?") from None


def _by_family(measures: Iterable[type[Measure]]) -> dict[str, list[type[Measure]]]:
    families: dict[str, list[type[Measure]]] = {}
    for cls in measures:
        families.setdefault(cls.family, []).append(cls)
    return families


def _facts(cls: type[Measure]) -> dict[str, str]:
    low, high = (_bound(bound) for bound in cls().bounds)
    facts = {
        "bounds": f"{low} to {high}",
        "better": cls().better,
        "over queries": OVER_QUERIES[cls().aggregate],
    }
    if cls.__name__ != cls.name:
        facts["in Python"] = cls.__name__
    if (need := cls().needs).given_apart:
        facts["needs"] = f"{cls().needs_in_words()}: {need.instructions}"
    if cls.aliases:
        facts["also called"] = ", ".join(_alias(name, parameters) for name, parameters in cls.aliases.items())
    return facts


def _parameters(cls: type[Measure]) -> list[tuple[str, str, str]]:
    return [(field, _default(cls, field), PARAMETERS[field].meaning) for field in cls.fields]


def _page(measures: Sequence[type[Measure]]) -> str:
    """Everything about the measures as one Markdown page; with an index where there are several families."""
    families = _by_family(measures)
    lines = ["# Measures", "", OPENING]
    if len(families) > 1:
        lines += ["| family | measures |", "|---|---|"]
        for family, members in families.items():
            link = f"[{family.replace('_', ' ')}](#{family.replace('_', '-')})"
            lines.append(f"| {link} | {', '.join(cls.name for cls in members)} |")
        lines.append("")
    for family, members in families.items():
        lines += [f"## {family.replace('_', ' ')}", "", _about(family), ""]
        for cls in members:
            text, mark, example = (cls.__doc__ or "").partition(">>>")
            lines += [f"### {cls.name}", "", *_dedented(text.rstrip()), ""]
            if mark:
                lines += ["```pycon", *_dedented(" " * 4 + mark + example), "```", ""]
            lines += [f"- {name}: {fact}" for name, fact in _facts(cls).items()]
            lines += [
                f"- `{field}` (default {default}): {meaning}" for field, default, meaning in _parameters(cls)
            ]
            lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _about(family: str) -> str:
    """The first paragraph of the family's module, behind its name."""
    text = (import_module(f"idealist.measures.families.{family}").__doc__ or "").partition("\n\n")[0]
    return " ".join(text.split())


def _bound(bound: float) -> str:
    return f"{bound:.4g}" if abs(bound) != float("inf") else "∞" if bound > 0 else "−∞"


def _alias(name: str, parameters: Mapping[str, object]) -> str:
    stated = ", ".join(f"{field}={value}" for field, value in parameters.items())
    text = f"{name}N" if name[-1] in "._" else name
    return f"{text} ({stated})".replace("{}", "N") if stated else text


def _default(cls: type[Measure], field: str) -> str:
    value = getattr(cls(), field)
    return "none" if value is None else PARAMETERS[field].text(value) or "none"


def _first_line(cls: type[Measure]) -> str:
    return (cls.__doc__ or "").strip().partition("\n")[0]


def _dedented(text: str) -> list[str]:
    from inspect import cleandoc

    return cleandoc(text).splitlines()


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
STATISTICS_OPENING = """\
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

    lines = ["# Statistics", "", STATISTICS_OPENING]
    lines += ["## Tests", "", WHEN]
    for test in PairedTest.all().values():
        lines += [*_described(test.name, test), *_test_facts(test), ""]
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


def _test_facts(test: type[PairedTest]) -> list[str]:
    weights = "counted" if test.takes_weights else "not defined"
    facts = [f"- weights of queries: {weights}", f"- heading: p ({test.label}); column: {test.column}"]
    return [
        "",
        *facts,
        *(f"- `{field}` (default {getattr(test, field)}): {TEST_PARAMETERS[field]}" for field in test.fields),
    ]


def _text(thing: Any) -> list[str]:
    from inspect import cleandoc

    return cleandoc(thing.__doc__ or "").splitlines()
