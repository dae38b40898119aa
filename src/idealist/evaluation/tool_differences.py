"""Why two numbers differ: from the conventions of one tool to those of another, one choice at a time."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.base.named import OF_ONE_RUN, other_names
from idealist.base.results import Result
from idealist.conventions import (
    CHOICES,
    DEFAULT,
    Conventions,
    as_conventions,
)
from idealist.data import as_run
from idealist.data.arguments import one_run, read_judged, require_order
from idealist.errors import InputError
from idealist.evaluation import evaluate
from idealist.evaluation.aggregates import QueryChange
from idealist.measures import parse
from idealist.measures.measure_parameters import PARAMETERS, parameter, parameter_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from idealist.data.arguments import GivenJudgments, GivenRun
    from idealist.evaluation import Evaluation
    from idealist.measures import Measure

# First which queries and documents count, then their order, then what they are worth.
ORDER = ("missing", "negative", "unjudged", "precision", "ties", *PARAMETERS, "empty")
NAN = float("nan")
SAME = 1e-12  # two values that differ by less are one value


class ChoiceStep(Frozen):
    """One choice changed: the mean then, over n queries, and the queries whose values it moved, those
    that moved most first. Where the choice is refused, the error, and everything is as it was."""

    choice: str
    before: str
    after: str
    value: float
    n: int
    change: float
    moved: tuple[QueryChange, ...]
    refused: str | None = None


class ToolDifference(Result, Frozen):
    """Why two tools have different values for one run: the steps from the one to the other."""

    measure: str
    before: str
    after: str
    value: float
    n: int
    steps: tuple[ChoiceStep, ...]

    @property
    def last(self) -> float:
        """The value after all steps."""
        return self.steps[-1].value if self.steps else self.value

    def _gist(self) -> str:
        return f"{self.measure} {self.before} {self.value:.4f} → {self.after} {self.last:.4f}"


@other_names(**OF_ONE_RUN)
def why(
    judgments: GivenJudgments,
    run: GivenRun,
    measure: str | Measure = "nDCG@10",
    *,
    between: tuple[str | Conventions, str | Conventions],
    columns: Mapping[str, str] | None = None,
    threads: int | None = None,
) -> ToolDifference:
    """Walks from the first conventions to the second, each a Conventions or a text such as "lightgbm".

    Only choices that differ are steps. What a choice is worth depends on those before it; the order is always
    the same. A measure keeps the parameters that it states, as a text or as an object.

    >>> judgments, run = {"q": {"a": 1, "b": 2}, "r": {"a": 1}}, {"q": {"a": 2.0, "b": 1.0}}
    >>> found = why(judgments, run, "nDCG@10", between=("idealist", "ranklib"))
    >>> [(step.choice, step.after, len(step.moved)) for step in found.steps]
    [('missing', 'skip', 1), ('negative', 'error', 0), ('ties', 'input-order', 0), ('gain', 'exp', 1)]
    """
    require_order(judgments, run, measure, verb="why(judgments, run, measure)")
    parsed_measure = parse(measure)
    if not isinstance(between, (tuple, list)) or len(between) != 2:
        raise InputError(
            f"between must name two conventions, not {between!r}",
            hint="for example ('trec_eval-9', 'lightgbm')",
        )
    start, end = (as_conventions(conventions_named) for conventions_named in between)
    names = [
        conventions_named if isinstance(conventions_named, str) else _all_choices(conventions_named)
        for conventions_named in between
    ]
    run_read, judgments_read = (
        as_run(one_run(run, columns)),
        read_judged(judgments, [parsed_measure], columns),
    )

    def measured(conventions: Conventions) -> Evaluation:
        return evaluate(judgments_read, run_read, measure, conventions=conventions, threads=threads)

    lenient = start.replace(**{field: getattr(DEFAULT, field) for field in _errors(start)})
    first = evaluation = measured(lenient)
    steps = []
    for choice in _errors(start):
        step, evaluation = _step(choice, evaluation, start, measured)
        steps += [step] if step.refused is not None else []
    for choice in _choices(start, end, measure):
        step, evaluation = _step(choice, evaluation, end, measured)
        steps += [step] if step.before != step.after else []
    value, n = first.aggregate(measure), first.n(measure)
    return ToolDifference(str(parsed_measure), names[0], names[1], value, n, tuple(steps))


def _all_choices(conventions: Conventions) -> str:
    chosen = {**conventions.to_dict(), **conventions.parameters}
    return ",".join(f"{name}={choice}" for name, choice in chosen.items())


def _errors(conventions: Conventions) -> list[str]:
    """The choices that stop with an error."""
    return [field for field in CHOICES if getattr(conventions, field) == "error"]


def _choices(start: Conventions, end: Conventions, measure: str | Measure) -> Iterator[str]:
    """The choices in which two conventions differ for a measure, in the order they are made."""
    own_parameters = dict.fromkeys(
        parameter for parameter in (*start.parameters, *end.parameters) if parameter not in ORDER
    )
    for name in (*ORDER, *own_parameters):
        if name in CHOICES:
            differs = getattr(start, name) != getattr(end, name)
        else:
            differs = _read(measure, start, name) != _read(measure, end, name)
        if differs:
            yield name


def _read(measure: str | Measure, conventions: Conventions, name: str) -> Measure:
    """The measure with one parameter of the conventions."""
    parameters = conventions.parameters
    return parse(measure, defaults={name: parameters[name]} if name in parameters else None)


def _step(
    choice: str, evaluation: Evaluation, end: Conventions, measured: Callable[[Conventions], Evaluation]
) -> tuple[ChoiceStep, Evaluation]:
    conventions = evaluation.conventions
    (measure,) = evaluation.measures
    try:
        changed_evaluation = measured(_with(choice, conventions, end))
    except InputError as error:
        before, after = _text(choice, conventions, measure), _text(choice, end, measure)
        value, n = evaluation.aggregate(measure), evaluation.n(measure)
        return ChoiceStep(choice, before, after, value, n, 0.0, (), error.message), evaluation
    (changed_measure,) = changed_evaluation.measures
    value = changed_evaluation.aggregate(changed_measure)
    step = ChoiceStep(
        choice,
        _text(choice, conventions, measure),
        _text(choice, changed_evaluation.conventions, changed_measure),
        value,
        changed_evaluation.n(changed_measure),
        value - evaluation.aggregate(measure),
        _moves(evaluation.by_query(measure), changed_evaluation.by_query(changed_measure)),
    )
    return step, changed_evaluation


def _with(choice: str, conventions: Conventions, end: Conventions) -> Conventions:
    """These conventions, but for one choice as the others have it."""
    if choice in CHOICES:
        return conventions.replace(**{choice: getattr(end, choice)})
    kept_parameters = {name: value for name, value in conventions.parameters.items() if name != choice}
    changed_parameter = {choice: end.parameters[choice]} if choice in end.parameters else {}
    return conventions.replace(parameters={**kept_parameters, **changed_parameter})


def _text(choice: str, conventions: Conventions, measure: Measure) -> str:
    if choice in CHOICES:
        return str(getattr(conventions, choice))
    field = parameter_name(choice)
    value = conventions.parameters.get(choice)
    if value is None:
        value = next(getattr(type(part), field) for part in _held(measure) if field in part.fields)
    return parameter(choice).text(parameter(choice).read(value))


def _held(measure: Measure) -> Iterator[Measure]:
    """The measure, and those it is made of."""
    yield measure
    for part in (getattr(measure, "of", None), *getattr(measure, "parts", ())):
        if part is not None:
            yield from _held(part)


def _moves(before: dict[str, float], after: dict[str, float]) -> tuple[QueryChange, ...]:
    queries = dict.fromkeys([*before, *after])
    changes = [QueryChange(query, before.get(query, NAN), after.get(query, NAN)) for query in queries]
    changed = [change for change in changes if not abs(change.after - change.before) <= SAME]
    return tuple(sorted(changed, key=lambda change: -abs(change.change)))
