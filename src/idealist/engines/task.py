"""What workers are sent: what is measured, with the versions of Python and Idealist that must be theirs; and what their errors say."""

from __future__ import annotations

import platform
import re
from collections.abc import Mapping

from idealist import __version__, errors
from idealist.base.frozen import Frozen
from idealist.base.values import as_count, as_share
from idealist.conventions import DEFAULT, as_conventions
from idealist.data.needs import ITEMS
from idealist.errors import InputError
from idealist.measures import parse_all
from idealist.measures.item_lists import OfItemCounts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from idealist.conventions import Conventions
    from idealist.data.items import Items
    from idealist.measures import Measure


def own_versions() -> tuple[str, str]:
    """Those of this process: Python's and Idealist's."""
    return platform.python_version(), __version__


def refuse_other_versions(python: str, idealist: str) -> None:
    """Raises where this worker has another Idealist, or another minor version of Python, than the driver.

    >>> refuse_other_versions(*own_versions())
    >>> refuse_other_versions(own_versions()[0], "2.9.9")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    idealist.errors.InputError: an executor has Idealist ..., the driver has 2.9.9
    hint: install the same version on both, or send the environment with --archives (docs/scale.md)
    """
    own_python, own_idealist = own_versions()
    if idealist != own_idealist:
        raise InputError(
            f"an executor has Idealist {own_idealist}, the driver has {idealist}",
            hint="install the same version on both, or send the environment with --archives (docs/scale.md)",
        )
    if python.split(".")[:2] != own_python.split(".")[:2]:
        raise InputError(
            f"an executor has Python {own_python}, the driver has {python}",
            hint="set PYSPARK_PYTHON or spark.pyspark.python to the same version on both",
        )


# An error of ours, as it stands at the end of a worker's traceback.
OURS = re.compile(
    r"^idealist\.errors\.(InputError|UnknownMeasure|MissingDependency): (.*?)(?:\nhint: ([^\n]*))?(?=\n\s*\n|\n\s+at |\n?\Z)",
    re.DOTALL | re.MULTILINE,
)


def error_within(text: str) -> errors.IdealistError | None:
    """The error of ours in the text of an engine's error; None where there is none.

    >>> error_within("Traceback …\\nidealist.errors.InputError: the query is null\\nhint: fill it in\\n\\n\\tat java.base/…")
    InputError('the query is null')
    """
    match = OURS.search(text)
    if match is None:
        return None
    kind, message, hint = match.groups()
    error: errors.IdealistError = getattr(errors, kind)(message.strip(), hint=hint or "")
    return error


class Task(Frozen):
    """Measures, conventions, the systems' names, the columns of segments, and what totals are wanted.

    With a `baseline`, totals have the differences of every other system from it. With `rounds`, they have so many
    sums over resampled queries (`bootstrap`). `items` is the table for measures of items. `python` and `idealist` are
    the versions where the task was made.
    """

    measures: tuple[Measure, ...]
    conventions: Conventions = DEFAULT
    systems: tuple[str, ...] = ("run",)
    by: tuple[str, ...] = ()
    items: Items | None = None
    baseline: str | None = None
    rounds: int = 0
    seed: int = 0
    python: str = own_versions()[0]
    idealist: str = own_versions()[1]

    @property
    def by_document(self) -> bool:
        """Whether a measure looks at documents by their names, so that the rows of the run are kept."""
        return any(not measure.needs.from_rankings for measure in self.measures)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the measures' columns."""
        return tuple(map(str, self.measures))


def named_runs(run: Any, frame: str) -> Mapping[str, Any]:
    """The runs by name, at least one; a `frame` is what the engine has."""
    if isinstance(run, (list, tuple)):
        raise InputError(
            f"several runs were given as a {type(run).__name__}",
            hint=f"give a {frame}, or several by name: {{'bm25': …, 'dense': …}}",
        )
    runs = run if isinstance(run, Mapping) else {"run": run}
    if not runs:
        raise InputError("no run was given", hint=f"give a {frame}, or several by name")
    return runs


def segment_columns(by: str | Sequence[str], own: Sequence[str], hint: str = "rename it") -> tuple[str, ...]:
    """The columns of segments, none of which may have the name of one of the engine's `own`."""
    columns = (by,) if isinstance(by, str) else tuple(by)
    for name in columns:
        if name.lower() in own:
            raise InputError(f"a column of segments is called {name!r}, as one of ours is", hint=hint)
    return columns


def refuse_intervals(rounds: int, confidence: float) -> None:
    """Raises where intervals of so many resamples or such a confidence cannot be."""
    if rounds:
        as_count(rounds, "rounds")
    as_share(confidence, "confidence")


def make_task(
    measures: str | Measure | Iterable[str | Measure],
    *,
    conventions: Conventions | str = DEFAULT,
    systems: Sequence[str] = ("run",),
    by: Sequence[str] = (),
    items: Any = None,
    baseline: str | None = None,
    rounds: int = 0,
    seed: int = 0,
) -> Task:
    """A task from what people write.

    >>> make_task("nDCG@10", conventions="lightgbm").columns
    ('nDCG(gain=exp)@10',)
    """
    conventions = as_conventions(conventions)
    parsed = parse_all(measures, defaults=conventions.parameters)
    for measure in parsed:
        if measure.needs.given_apart and measure.needs != ITEMS:
            raise InputError(
                f"{measure} needs {measure.needs_in_words()}, which engines do not take",
                hint="collect the rows of the queries that matter, and use idealist.evaluate",
            )
        if measure.aggregate == "pooled" and not isinstance(measure, OfItemCounts):
            raise InputError(
                f"{measure} is computed over all queries together, and engines measure each by itself",
                hint="collect the rows of the queries that matter, and use idealist.evaluate",
            )
        if conventions.ties == "input-order" and not measure.needs.from_rankings:
            raise InputError(
                f"{measure} under ties=input-order needs the rows in their order, which engines do not keep",
                hint="choose another rule for ties, such as ties=id-descending",
            )
        if measure.needs == ITEMS and items is None:
            raise InputError(f"{measure} needs {measure.needs_in_words()}", hint="give items=…")
    if items is not None:
        from idealist.data.needs import read_needed

        items = read_needed(ITEMS, items)
    if baseline is not None and baseline not in systems:
        raise InputError(
            f"no system is called {baseline!r}", hint=f"name one of: {', '.join(map(str, systems))}"
        )
    return Task(
        measures=parsed,
        conventions=conventions,
        systems=tuple(systems),
        by=tuple(by),
        items=items,
        baseline=baseline,
        rounds=rounds,
        seed=seed,
    )
