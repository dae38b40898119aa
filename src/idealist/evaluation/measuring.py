"""Runs and judgments in, one value per system, measure and query out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from idealist.conventions import DEFAULT, require_conventions
from idealist.data import Judgments, RichJudgments, Run, UnreadRun, match
from idealist.data.columns import is_frame
from idealist.data.lists import holds_rows, is_row, refuse_other_shape
from idealist.data.matching import measurable_run
from idealist.data.needs import PROFILES, TABLES
from idealist.data.provenance import Sources, provenance_of, provenance_of_rich
from idealist.data.run import runs_by_name
from idealist.data.run_snapshots import RunSnapshot
from idealist.errors import InputError
from idealist.evaluation.needed import read_needed
from idealist.evaluation.notes import (
    judged_shares,
    note_empty,
    note_order,
    note_parameters,
    note_queries,
    note_undefined,
    refuse_or_note,
)
from idealist.evaluation.result import Evaluation
from idealist.evaluation.summary import Summary, SummaryEvaluation
from idealist.evaluation.ties import TiedQueries
from idealist.evaluation.weighing import query_weights, weighting_note
from idealist.kernels import Values
from idealist.measures import parse_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from idealist.conventions import Conventions
    from idealist.data import Rankings
    from idealist.data.needs import Need
    from idealist.data.run import ArrowTable, KnownRun, Lists, RunLike
    from idealist.measures import Measure


def evaluate(
    run: RunLike | Sequence[RunLike] | Mapping[str, RunLike],
    judgments: Judgments | RichJudgments | Mapping[Any, Mapping[Any, Any]] | ArrowTable | Lists,
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

    `run` is a Run, a frame, a dict of dicts, a dict of lists of ids (best first), a matrix of scores, a sequence
    of these, or a mapping from names to them; what it holds for queries without judgments is not looked at.
    `judgments` likewise; lists or sets of ids have grade 1. The rows and columns of a matrix have their numbers as ids,
    which are text where ties go by id: 2 stands behind 10 (ties=input-order takes columns in their order). `weights` gives every judged query its weight in the
    mean: a mapping, a sample of `sample_queries`, or a table, of which `weight_by` names the column (without it the
    sampling_weight of a sample, weight or traffic). Some measures need more: judgments by subtopic (GroupedJudgments), a table of user `profiles`, of
    `items`, or of `clicks`, each as an object, a file or a frame.

    >>> result = evaluate({"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 1}}, ["nDCG@10", "RR"])
    >>> result.mean("RR")
    0.5
    >>> evaluate({"u": ["US", "FR"]}, {"u": ["FR"]}, "RR").mean("RR")
    0.5
    """
    how: dict[str, Any] = {"profiles": profiles, "items": items, "clicks": clicks}
    return measured(
        run,
        judgments,
        measures,
        conventions=conventions,
        weights=weights,
        weight_by=weight_by,
        threads=threads,
        **how,
    )


def measured(
    run: Any,
    judgments: Any,
    measures: Any,
    *,
    keep: bool = True,
    conventions: Conventions,
    weights: Any,
    weight_by: str | None,
    threads: int | None,
    **given: Any,
) -> Evaluation:
    """`evaluate`; without `keep`, the values of queries are gone once their mean is known, so that many measures of
    many queries take no more memory than one."""
    asked = list(measures) if isinstance(measures, Iterable) and not isinstance(measures, str) else measures
    wanted = parse_all(asked, defaults=require_conventions(conventions).parameters)
    beside = _tables(**given)
    tables: dict[Need, Any] = dict(beside)
    notes = note_parameters(asked if isinstance(asked, list) else [asked], conventions)
    notes += note_order(wanted, conventions)
    notes += [f"{measure}: {measure.caution}" for measure in wanted if measure.caution]
    origin = None
    if isinstance(judgments, RichJudgments):
        origin = provenance_of_rich(judgments)
        tables[judgments.need] = judgments
        notes += refuse_or_note(judgments, wanted)
        judgments = judgments.plain()
    elif not isinstance(judgments, Judgments):
        _refuse_other_shapes(run, judgments)
        judgments = Judgments(judgments)
    for table in beside.values():
        notes += table.remarks(list(judgments))
    rankings: dict[str, Rankings] = {}
    origins = {}
    again = any(not measure.needs.from_rankings for measure in wanted)
    for name, one in named_runs(run).items():
        if again and isinstance(one, UnreadRun):
            one = one.read()  # it is looked at more than once, and a pipe could not be
        snapshot = RunSnapshot(one)
        rankings[name] = found = match(one, judgments, conventions, threads=threads)
        origins[name] = snapshot.provenance(name, found.run_rows, found.run_queries)
        found.tables = tables
        notes += (f"{name}: {note}" for note in found.notes)
        notes += note_queries(name, found)
    weighing = query_weights(weights, weight_by, beside.get(PROFILES))
    weighted = None if weighing is None else Values(weighing.of(judgments, "judged"))
    tied = {name: TiedQueries(one) for name, one in rankings.items()}
    summary = Summary(weighted, tied)
    values: dict[tuple[str, Measure], Values] = {}
    for name, one_ranking in rankings.items():
        if keep:
            values |= {(name, measure): measure.settled(one_ranking) for measure in wanted}
        else:
            summary.take(name, one_ranking, wanted)
    notes += note_empty(next(iter(rankings.values())), wanted)
    for name, one_ranking in rankings.items():
        notes += note_undefined(name, one_ranking, wanted)
    pooled = {
        (name, measure): measure.pooled(one)
        for name, one in rankings.items()
        for measure in wanted
        if measure.aggregate == "pooled"
    }
    weighted_by = ""
    if weighing is not None and weighted is not None:
        weighted_by = weighing.label
        notes.append(weighting_note(weighted_by, weighted))
        notes += weighing.beyond(judgments, "no judgment")
    names = next(iter(rankings.values())).native
    judged = judged_shares(wanted, rankings)
    missing = {name: tuple(one.missing) for name, one in rankings.items()}
    systems = tuple(rankings)
    sources = Sources(origin or provenance_of(judgments), origins)
    everything = (
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
    return Evaluation(*everything) if keep else SummaryEvaluation(summary, *everything)


def _tables(**given: Any) -> dict[Need, Any]:
    """The tables that were given, read if they are files or frames."""
    return {need: read_needed(need, one) for need in TABLES if (one := given.get(need.name)) is not None}


def _refuse_other_shapes(run: Any, judgments: Any) -> None:
    several = run.values() if isinstance(run, Mapping) else run if isinstance(run, (list, tuple)) else ()
    for one in (run, *several):
        refuse_other_shape(one, judgments)


def named_runs(run: Any) -> dict[str, RunLike]:
    """Every run by name, no name twice."""
    run = measurable_run(run)
    if isinstance(run, (Run, UnreadRun)):
        return runs_by_name({run.name: run})
    if isinstance(run, Mapping):
        if not _holds_runs(run):
            return {"run": run}
        return runs_by_name({str(name): measurable_run(one, str(name)) for name, one in run.items()})
    if isinstance(run, (str, bytes)) or not hasattr(run, "__iter__"):
        raise InputError(
            f"a run is a Run, a frame, a dict of dicts or lists, or a matrix, not {run!r}",
            hint="read_run reads one from a file",
        )
    named: dict[str, KnownRun] = {}
    for position, given in enumerate(run, 1):
        one = measurable_run(given, f"run {position}")
        name = one.name if isinstance(one, (Run, UnreadRun)) else f"run {position}"
        if name in named:
            raise InputError(
                f"two runs are called {name!r}", hint="give them as a mapping from names to runs"
            )
        named[name] = one
    if not named:
        raise InputError("there is no run to evaluate")
    return runs_by_name(named)


def _holds_runs(mapping: Mapping[Any, Any]) -> bool:
    """Whether a mapping is from names to runs, and not itself a run."""
    for value in mapping.values():
        if isinstance(value, (Run, UnreadRun)) or is_frame(value):
            return True
        if isinstance(value, Mapping) and value:
            first = next(iter(value.values()))
            return isinstance(first, Mapping) or is_row(first)
        if not isinstance(value, Mapping) and holds_rows(value) and not is_row(value):
            return True
    return False
