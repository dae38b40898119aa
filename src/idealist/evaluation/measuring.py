"""Runs and judgments in, one value per system, measure and query out."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from idealist.conventions import DEFAULT, require_conventions
from idealist.data import Judgments, RichJudgments, Run, UnreadRun, match
from idealist.data.columns import is_frame
from idealist.data.provenance import Measured, Sources, provenance_of, provenance_of_rich
from idealist.data.run import without_frame
from idealist.errors import InputError
from idealist.evaluation.notes import judged_shares, note_queries, note_undefined, refuse_or_note
from idealist.evaluation.result import Evaluation
from idealist.evaluation.ties import TiedQueries
from idealist.evaluation.weighing import query_weights, weighting_note
from idealist.kernels import Values
from idealist.measures import parse_all
from idealist.measures.base import FROM_RANKINGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from idealist.conventions import Conventions
    from idealist.data import Rankings
    from idealist.data.run import ArrowTable, RunLike
    from idealist.measures import Measure


def evaluate(
    run: RunLike | Sequence[RunLike] | Mapping[str, RunLike],
    judgments: Judgments | RichJudgments | Mapping[Any, Mapping[Any, Any]] | ArrowTable,
    measures: str | Measure | Iterable[str | Measure],
    *,
    conventions: Conventions = DEFAULT,
    weights: Any = None,
    weight_by: str | None = None,
    threads: int | None = None,
    profiles: Any = None,
    items: Any = None,
    clicks: Any = None,
) -> Evaluation:
    """Measures one run, or several, against the judgments.

    `run` is a Run, a frame, a dict of dicts, a sequence of these, or a mapping from names to them; what it holds
    for queries without judgments is not looked at. `weights` gives every judged query its weight in the
    mean: a mapping, a sample of `sample_queries`, or a table, of which `weight_by` names the column (without it the
    sampling_weight of a sample, weight or traffic). Some measures need more: judgments by subtopic (GroupedJudgments), a table of user `profiles`, of
    `items`, or of `clicks`, each as an object, a file or a frame.

    >>> result = evaluate({"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 1}}, ["nDCG@10", "RR"])
    >>> result.mean("RR")
    0.5
    """
    wanted = parse_all(measures, defaults=require_conventions(conventions).parameters)
    beside = _tables(profiles=profiles, items=items, clicks=clicks)
    tables: dict[str, Any] = dict(beside)
    notes = [f"{measure}: {measure.caution}" for measure in wanted if measure.caution]
    origin = None
    if isinstance(judgments, RichJudgments):
        origin = provenance_of_rich(judgments)
        tables[judgments.need] = judgments
        notes += refuse_or_note(judgments, wanted)
        judgments = judgments.plain()
    elif not isinstance(judgments, Judgments):
        judgments = Judgments(judgments)
    for table in beside.values():
        notes += table.remarks(list(judgments))
    rankings: dict[str, Rankings] = {}
    origins = {}
    again = any(measure.needs not in FROM_RANKINGS for measure in wanted)
    for name, one in named_runs(run).items():
        if again and isinstance(one, UnreadRun):
            one = one.read()  # it is looked at more than once, and a pipe could not be
        measured = Measured(one)
        rankings[name] = found = match(one, judgments, conventions, threads=threads)
        origins[name] = measured.provenance(name, found.run_rows, found.run_queries)
        found.tables = tables
        notes += (f"{name}: {note}" for note in found.notes)
        notes += note_queries(name, found)
    values = {(name, measure): measure.settled(one) for name, one in rankings.items() for measure in wanted}
    for name, one_ranking in rankings.items():
        notes += note_undefined(name, one_ranking, wanted)
    pooled = {
        (name, measure): measure.pooled(one)
        for name, one in rankings.items()
        for measure in wanted
        if measure.aggregate == "pooled"
    }
    weighing = query_weights(weights, weight_by, beside.get("profiles"))
    weighted, weighted_by = None, ""
    if weighing is not None:
        weighted, weighted_by = Values(weighing.of(judgments, "judged")), weighing.label
        notes.append(weighting_note(weighted_by, weighted))
        notes += weighing.beyond(judgments, "no judgment")
    names = next(iter(rankings.values())).native
    judged = judged_shares(wanted, rankings)
    tied = {name: TiedQueries(one) for name, one in rankings.items()}
    missing = {name: tuple(one.missing) for name, one in rankings.items()}
    systems = tuple(rankings)
    sources = Sources(origin or provenance_of(judgments), origins)
    return Evaluation(
        wanted,
        values,
        pooled,
        names,
        systems,
        conventions,
        weighted,
        tuple(notes),
        judged,
        tied,
        missing,
        sources,
        weighted_by,
        judgments.whole_ids,
    )


def _tables(**given: Any) -> dict[str, Any]:
    """The tables that were given, read if they are files or frames."""
    readers = import_module("idealist.io") if any(one is not None for one in given.values()) else None
    return {need: getattr(readers, f"read_{need}")(one) for need, one in given.items() if one is not None}


def named_runs(run: Any) -> dict[str, RunLike]:
    """Every run by name, no name twice."""
    run = without_frame(run)
    if isinstance(run, (Run, UnreadRun)):
        return {run.name: run}
    if isinstance(run, Mapping):
        if not _holds_runs(run):
            return {"run": run}
        return {str(name): without_frame(one, str(name)) for name, one in run.items()}
    if isinstance(run, (str, bytes)) or not hasattr(run, "__iter__"):
        raise InputError(
            f"a run is a Run, a frame or a dict of dicts, not {run!r}", hint="read_run reads one from a file"
        )
    named: dict[str, RunLike] = {}
    for position, given in enumerate(run, 1):
        one = without_frame(given, f"run {position}")
        name = one.name if isinstance(one, (Run, UnreadRun)) else f"run {position}"
        if name in named:
            raise InputError(
                f"two runs are called {name!r}", hint="give them as a mapping from names to runs"
            )
        named[name] = one
    if not named:
        raise InputError("there is no run to evaluate")
    return named


def _holds_runs(mapping: Mapping[Any, Any]) -> bool:
    """Whether a mapping is from names to runs, and not itself a run."""
    for value in mapping.values():
        if isinstance(value, (Run, UnreadRun)) or is_frame(value):
            return True
        if isinstance(value, Mapping) and value:
            return isinstance(next(iter(value.values())), Mapping)
    return False
