"""The search for the conventions behind a published number."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from itertools import product

from idealist.base.frozen import Frozen
from idealist.base.named import OF_ONE_RUN, other_names
from idealist.base.results import Result
from idealist.base.values import refused
from idealist.base.wording import count_of
from idealist.conventions import CHOICES, DEFAULT, PRESETS, Conventions
from idealist.data import Judgments, Run, as_run, match
from idealist.data.arguments import one_run, read_plain, require_order
from idealist.errors import InputError
from idealist.evaluation import evaluate
from idealist.measures import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from idealist import kernels
    from idealist.data import Rankings
    from idealist.data.arguments import GivenJudgments, GivenRun
    from idealist.kernels import Values
    from idealist.measures import Measure

# The alternatives of parameters that the measure has and its text does not state.
ALTERNATIVES = {
    "gain": ("linear", "exp", "binary"),
    "discount": ("log2", "letor", "zipf", "none"),
    "ideal": ("judged", "retrieved"),
    "divisor": ("relevant", "reachable", "found"),
    "cut": ("ceiling", "nearest", "nine-tenths"),
    "level": ("1", "2", "3"),
}
# The choices that make the rankings; of two that make the same, the first is named.
RANKING = {
    "ties": ("id-descending", "input-order", "averaged", "id-ascending", "optimistic", "pessimistic"),
    "negative": ("not-relevant", "unjudged", "keep"),
    "unjudged": ("not-relevant", "removed"),
    "precision": ("double", "single"),
}
NAN = float("nan")
LONGEST_EXPONENT = 300  # of an observed value
LOOSEST = 0.005  # a value without digits is still one of two digits
ROUNDING = 1e-9  # what is added to half of the last digit


class TriedConventions(Frozen):
    """Conventions that were tried, by the choices in which they differ from the default, and the measure's value."""

    choices: Mapping[str, str]
    value: float

    @property
    def conventions(self) -> Conventions:
        fields = {name: choice for name, choice in self.choices.items() if name in CHOICES}
        others = {name: choice for name, choice in self.choices.items() if name not in CHOICES}
        return DEFAULT.replace(**fields, parameters=others)


class ConventionSearch(Result, Frozen):
    """The conventions behind a number: the tools that give it, and the choices that do, the fewest first. A match
    that only adds choices to another is left out. `nearest` is the closest of all that were tried."""

    measure: str
    observed: float
    tolerance: float
    tools: tuple[str, ...]
    matches: tuple[TriedConventions, ...]
    nearest: TriedConventions
    tried: int

    def _gist(self) -> str:
        return f"{self.measure} = {self.observed}; {count_of(len(self.matches), 'match')}"


@other_names(**OF_ONE_RUN)
def find_conventions(
    judgments: GivenJudgments,
    run: GivenRun,
    measure: str | Measure,
    observed: str | float,
    *,
    columns: Mapping[str, str] | None = None,
    threads: int | None = None,
) -> ConventionSearch:
    """Looks for conventions under which the mean of a measure is the observed number, to its last digit.

    The number is best given as text: "0.350" says one digit more than 0.35. Parameters that the measure's text
    states are left as they are.

    >>> judgments, run = {"q": {"a": 1, "b": 2}}, {"q": {"a": 2.0, "b": 1.0}}
    >>> search = find_conventions(judgments, run, "nDCG@10", "0.797")  # (1 + 3/1.585) / (3 + 1/1.585)
    >>> dict(search.matches[0].choices), search.tools
    ({'gain': 'exp'}, ('lightgbm', 'xgboost', 'ranklib'))
    """
    number, tolerance = _observed(observed)
    require_order(judgments, run, measure, verb="find_conventions(judgments, run, measure)")
    run_read, judgments_read = as_run(one_run(run, columns)), read_plain(judgments, columns)
    if parse(measure).aggregate != "mean":
        raise InputError(f"{parse(measure)} has no mean over queries", hint="choose a measure that has one")
    tried = list(_tried(judgments_read, run_read, measure, threads))
    if not tried:
        raise InputError(
            f"{parse(measure)} has no value under any conventions",
            hint="`evaluate` says which queries have none",
        )
    close = [candidate for candidate in tried if abs(candidate.value - number) <= tolerance]
    minimal = [
        candidate
        for candidate in close
        if not any(other.choices.items() < candidate.choices.items() for other in close)
    ]
    nearest = min(tried, key=lambda candidate: (abs(candidate.value - number), len(candidate.choices)))
    tools = tuple(
        name
        for name, value in _tools(judgments_read, run_read, measure, threads)
        if abs(value - number) <= tolerance
    )
    matches = tuple(sorted(minimal, key=lambda candidate: len(candidate.choices)))
    return ConventionSearch(str(measure), number, tolerance, tools, matches, nearest, len(tried))


def _observed(observed: str | float) -> tuple[float, float]:
    """The number, and half of its last digit."""
    try:
        number = Decimal(str(observed).strip())
        exponent = number.as_tuple().exponent
    except InvalidOperation:
        exponent = None
    if not isinstance(exponent, int):
        raise refused("the observed value", "be a number", observed, "for example 0.353")
    if not -LONGEST_EXPONENT < number.adjusted() < LONGEST_EXPONENT:
        raise InputError(
            f"the observed value {observed!r} is too large or too small for a measure",
            hint="for example 0.353",
        )
    return float(number), min(0.5 * 10.0 ** min(exponent, 0), LOOSEST) + ROUNDING


def _tools(
    judgments: Judgments, run: Run, measure: str | Measure, threads: int | None
) -> Iterator[tuple[str, float]]:
    for name, tool in PRESETS.items():
        try:
            result = evaluate(judgments, run, measure, conventions=tool.conventions, threads=threads)
        except InputError:
            continue  # it would have printed no number
        yield name, result.aggregate(measure)


def _tried(
    judgments: Judgments, run: Run, measure: str | Measure, threads: int | None
) -> Iterator[TriedConventions]:
    """The value under all combinations of choices, those that change nothing here left out."""
    variants = dict(_variants(measure))
    for ranking_choices, rankings in _rankings(judgments, run, threads):
        for measure_choices, variant in variants.items():
            try:
                values = variant.measured(rankings)
            except InputError:
                continue  # no tool could have had this either
            for query_choices, value in _means(variant, values, rankings):
                yield TriedConventions(
                    {**dict(ranking_choices), **dict(measure_choices), **query_choices}, value
                )


def _variants(measure: str | Measure) -> Iterator[tuple[tuple[tuple[str, str], ...], Measure]]:
    """The measure with all that its text leaves open, each with the choices that differ from ours."""
    default = parse(measure)
    open_choices = [
        [(name, choice) for choice in choices]
        for name, choices in ALTERNATIVES.items()
        if any(parse(measure, defaults={name: choice}) != default for choice in choices)
    ]
    variants_met = set()
    for combination in product(*open_choices):
        variant = parse(measure, defaults=dict(combination))
        if variant not in variants_met:
            variants_met.add(variant)
            changed = [
                choice_made
                for choice_made in combination
                if parse(measure, defaults=dict([choice_made])) != default
            ]
            yield tuple(changed), variant


def _rankings(
    judgments: Judgments, run: Run, threads: int | None
) -> Iterator[tuple[tuple[tuple[str, str], ...], Rankings]]:
    """All different rankings, each with the fewest choices that make it."""
    combinations = [
        tuple(
            (name, choice)
            for name, choice in zip(RANKING, choices, strict=True)
            if choice != getattr(DEFAULT, name)
        )
        for choices in product(*RANKING.values())
    ]
    rankings_met: list[tuple[bool, kernels.Rankings]] = []
    for choices in sorted(combinations, key=len):
        rankings = match(judgments, run, DEFAULT.replace(**dict(choices)), threads=threads)
        levels = rankings.native.levels()
        keeps_negative = rankings.conventions.negative == "keep" and bool(levels) and levels[0] < 0
        if (keeps_negative, rankings.native) not in rankings_met:
            rankings_met.append((keeps_negative, rankings.native))
            yield choices, rankings


def _means(measure: Measure, values: Values, rankings: Rankings) -> Iterator[tuple[dict[str, str], float]]:
    """The different means that queries which are empty or missing may make."""
    means_met = set()
    for empty, missing in product(("zero", "skip", "one"), ("zero", "skip")):
        conventions = DEFAULT.replace(missing=missing, empty=empty)
        completed = measure.completed(values, rankings.native, conventions)
        mean = completed.sum() / completed.count() if completed.count() else NAN
        if mean == mean and mean not in means_met:
            means_met.add(mean)
            query_choices = {"missing": missing, "empty": empty}
            yield (
                {name: choice for name, choice in query_choices.items() if choice != getattr(DEFAULT, name)},
                mean,
            )
