"""Why two numbers differ: from the conventions of one tool to those of another, one choice at a time."""

from __future__ import annotations

from idealist.conventions import (
    CHOICES,
    DEFAULT,
    Conventions,
    as_conventions,
)
from idealist.data import as_run
from idealist.errors import InputError
from idealist.evaluation import evaluate
from idealist.evaluation.changes import QueryChange
from idealist.evaluation.inputs import one_run, read_judged, told_apart
from idealist.frozen import Frozen
from idealist.measures import parse
from idealist.measures.parameters import PARAMETERS, parameter, parameter_name
from idealist.results import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from idealist.evaluation import Evaluation
    from idealist.evaluation.inputs import GivenJudgments, GivenRun
    from idealist.measures import Measure

# First what is measured at all, then in which order it stands, then what it is worth.
ORDER = ("missing", "negative", "unjudged", "precision", "ties", *PARAMETERS, "empty")
NAN = float("nan")
SAME = 1e-12  # two values that differ by less are one value


class Step(Frozen):
    """One choice made otherwise: the mean then, over n queries, and the queries whose values it moved, those
    that moved most first. Where the choice is refused, the error, and everything is as it was."""

    choice: str
    before: str
    after: str
    value: float
    n: int
    change: float
    moved: tuple[QueryChange, ...]
    refused: str | None = None


class Difference(Result, Frozen):
    """The way from one value to another."""

    measure: str
    before: str
    after: str
    value: float
    n: int
    steps: tuple[Step, ...]

    @property
    def last(self) -> float:
        """The value at the end of the way."""
        return self.steps[-1].value if self.steps else self.value

    def _gist(self) -> str:
        return f"{self.measure} {self.before} {self.value:.4f} → {self.after} {self.last:.4f}"


def why(
    run: GivenRun,
    judgments: GivenJudgments,
    measure: str | Measure = "nDCG@10",
    *,
    between: tuple[str | Conventions, str | Conventions],
    columns: Mapping[str, str] | None = None,
    threads: int | None = None,
) -> Difference:
    """Walks from the first conventions to the second, each a Conventions or a text such as "lightgbm".

    Only choices that differ are steps. What a choice is worth depends on those before it; the order is always
    the same. A measure keeps the parameters that it states, as a text or as an object.

    >>> run, judgments = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": 1, "b": 2}, "r": {"a": 1}}
    >>> found = why(run, judgments, "nDCG@10", between=("idealist", "ranklib"))
    >>> [(step.choice, step.after, len(step.moved)) for step in found.steps]
    [('missing', 'skip', 1), ('negative', 'error', 0), ('ties', 'input-order', 0), ('gain', 'exp', 1)]
    """
    wanted = parse(measure)
    if not isinstance(between, (tuple, list)) or len(between) != 2:
        raise InputError(
            f"between={between!r} is not two conventions", hint="for example ('trec_eval-9', 'lightgbm')"
        )
    start, end = (as_conventions(one) for one in between)
    names = [one if isinstance(one, str) else _all_choices(one) for one in between]
    given, graded = told_apart(run, judgments, columns)
    kept, judged = as_run(one_run(given, columns)), read_judged(graded, [wanted], columns)

    def measured(conventions: Conventions) -> Evaluation:
        return evaluate(kept, judged, measure, conventions=conventions, threads=threads)

    lenient = start.replace(**{field: getattr(DEFAULT, field) for field in _errors(start)})
    first = here = measured(lenient)
    steps = []
    for choice in _errors(start):
        step, here = _step(choice, here, start, measured)
        steps += [step] if step.refused is not None else []
    for choice in _choices(start, end, measure):
        step, here = _step(choice, here, end, measured)
        steps += [step] if step.before != step.after else []
    value, n = first.aggregate(measure), first.n(measure)
    return Difference(str(wanted), names[0], names[1], value, n, tuple(steps))


def _all_choices(conventions: Conventions) -> str:
    chosen = {**conventions.to_dict(), **conventions.parameters}
    return ",".join(f"{name}={choice}" for name, choice in chosen.items())


def _errors(conventions: Conventions) -> list[str]:
    """The choices that stop with an error."""
    return [field for field in CHOICES if getattr(conventions, field) == "error"]


def _choices(start: Conventions, end: Conventions, measure: str | Measure) -> Iterator[str]:
    """The choices in which two conventions differ for a measure, in the order they are made."""
    own = dict.fromkeys(one for one in (*start.parameters, *end.parameters) if one not in ORDER)
    for name in (*ORDER, *own):
        if name in CHOICES:
            differs = getattr(start, name) != getattr(end, name)
        else:
            differs = _read(measure, start, name) != _read(measure, end, name)
        if differs:
            yield name


def _read(measure: str | Measure, conventions: Conventions, name: str) -> Measure:
    """The measure with one parameter of the conventions."""
    said = conventions.parameters
    return parse(measure, defaults={name: said[name]} if name in said else None)


def _step(
    choice: str, here: Evaluation, end: Conventions, measured: Callable[[Conventions], Evaluation]
) -> tuple[Step, Evaluation]:
    now = here.conventions
    (measure,) = here.measures
    try:
        there = measured(_with(choice, now, end))
    except InputError as error:
        before, after = _text(choice, now, measure), _text(choice, end, measure)
        value, n = here.aggregate(measure), here.n(measure)
        return Step(choice, before, after, value, n, 0.0, (), error.message), here
    (other,) = there.measures
    value = there.aggregate(other)
    step = Step(
        choice,
        _text(choice, now, measure),
        _text(choice, there.conventions, other),
        value,
        there.n(other),
        value - here.aggregate(measure),
        _moves(here.by_query(measure), there.by_query(other)),
    )
    return step, there


def _with(choice: str, now: Conventions, end: Conventions) -> Conventions:
    """These conventions, but for one choice as the others have it."""
    if choice in CHOICES:
        return now.replace(**{choice: getattr(end, choice)})
    others = {name: value for name, value in now.parameters.items() if name != choice}
    theirs = {choice: end.parameters[choice]} if choice in end.parameters else {}
    return now.replace(parameters={**others, **theirs})


def _text(choice: str, conventions: Conventions, measure: Measure) -> str:
    if choice in CHOICES:
        return str(getattr(conventions, choice))
    field = parameter_name(choice)
    value = conventions.parameters.get(choice)
    if value is None:
        value = next(getattr(type(one), field) for one in _held(measure) if field in one.fields)
    return parameter(choice).text(parameter(choice).read(value))


def _held(measure: Measure) -> Iterator[Measure]:
    """The measure, and those it is made of."""
    yield measure
    for one in (getattr(measure, "of", None), *getattr(measure, "parts", ())):
        if one is not None:
            yield from _held(one)


def _moves(before: dict[str, float], after: dict[str, float]) -> tuple[QueryChange, ...]:
    queries = dict.fromkeys([*before, *after])
    moves = [QueryChange(query, before.get(query, NAN), after.get(query, NAN)) for query in queries]
    moved = [move for move in moves if not abs(move.after - move.before) <= SAME]
    return tuple(sorted(moved, key=lambda move: -abs(move.change)))
