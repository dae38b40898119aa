"""Runs and judgments in, one value per system, measure and query out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from idealist.conventions import DEFAULT, as_conventions
from idealist.data import Judgments, RichJudgments, UnreadRun, match
from idealist.data.lists import refuse_other_shape
from idealist.data.needs import PROFILES, TABLES
from idealist.data.provenance import Sources, provenance_of, provenance_of_rich
from idealist.data.run_snapshots import RunSnapshot
from idealist.evaluation.inputs import named_runs, read_judged, told_apart
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
from idealist.frozen import Frozen
from idealist.kernels import Values
from idealist.measures import parse_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from idealist.conventions import Conventions
    from idealist.data import Rankings
    from idealist.data.needs import Need
    from idealist.data.provenance import Provenance
    from idealist.data.run import RunLike
    from idealist.evaluation.inputs import GivenJudgments, GivenRuns
    from idealist.measures import Measure

# What is measured when nothing is asked for.
MEASURES = ("nDCG@10", "AP", "RR", "P@10", "R@100", "Judged@10")


def evaluate(
    run: GivenRuns,
    judgments: GivenJudgments,
    measures: str | Measure | Iterable[str | Measure] = MEASURES,
    *,
    conventions: Conventions | str = DEFAULT,
    columns: Mapping[str, str] | None = None,
    weights: Any = None,
    weight_by: str | None = None,
    threads: int | None = None,
    profiles: Any = None,
    items: Any = None,
    clicks: Any = None,
) -> Evaluation:
    """Measures one run, or several, against the judgments.

    `run` is a file, a Run, a frame, a dict of dicts, a dict of lists of ids (best first), a matrix of scores, a sequence
    of these, or a mapping from names to them; what it holds for queries without judgments is not looked at.
    `judgments` likewise; lists or sets of ids have grade 1. Either may come first where their content tells them apart.
    `columns` maps our names of the columns of files and frames to theirs. `conventions` is an object or text, such as
    "lightgbm". The rows and columns of a matrix have their numbers as ids,
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
        conventions=as_conventions(conventions),
        columns=columns,
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
    columns: Mapping[str, str] | None = None,
    weights: Any,
    weight_by: str | None,
    threads: int | None,
    **tables: Any,
) -> Evaluation:
    """`evaluate`; without `keep`, the values of queries are gone once their mean is known, so that many measures of
    many queries take no more memory than one."""
    asked = list(measures) if isinstance(measures, Iterable) and not isinstance(measures, str) else [measures]
    wanted = parse_all(asked, defaults=conventions.parameters)
    run, judgments = told_apart(run, judgments, columns)
    given = _read(run, judgments, wanted, columns, **tables)
    weighting = _read_weights(weights, weight_by, given)
    matched = _match(named_runs(run, columns), given, wanted, conventions, threads)
    tied = {system: TiedQueries(one) for system, one in matched.rankings.items()}
    summary = None if keep else Summary(weighting.weights, tied)
    values = _measure(matched.rankings, wanted, summary)
    notes = [
        *note_parameters(asked, conventions),
        *note_order(wanted, conventions),
        *(f"{measure}: {measure.caution}" for measure in wanted if measure.caution),
        *given.notes,
        *matched.notes,
        *note_empty(next(iter(matched.rankings.values())), wanted),
        *(note for system, one in matched.rankings.items() for note in note_undefined(system, one, wanted)),
        *weighting.notes,
    ]
    known = _gather(wanted, given, matched, weighting, tied)
    known |= {"conventions": conventions, "notes": tuple(notes)}
    if summary is not None:
        return SummaryEvaluation(summary=summary, **known)
    return Evaluation(values=values, **known)


class Given(Frozen):
    """What was given besides the runs, read: `judgments` of one grade per document, `tables` by what they are needed
    for (richer judgments among them), where the judgments came from, and what is odd about them."""

    judgments: Judgments
    tables: Mapping[Need, Any]
    provenance: Provenance
    notes: tuple[str, ...]


class Weighting(Frozen):
    """The weights of the judged queries, if they have any: what they are, in words, and what should be said of them."""

    weights: Values | None = None
    label: str = ""
    notes: tuple[str, ...] = ()


class MatchedRuns(Frozen):
    """The rankings of every system, where its run came from, and what should be said of it."""

    rankings: Mapping[str, Rankings]
    provenance: Mapping[str, Provenance]
    notes: tuple[str, ...]


def _read(
    run: Any, judgments: Any, measures: Sequence[Measure], columns: Mapping[str, str] | None, **tables: Any
) -> Given:
    """Judgments and tables, whatever they were given as."""
    read = {need: read_needed(need, table) for need in TABLES if (table := tables.get(need.name)) is not None}
    notes: list[str] = []
    _refuse_other_shapes(run, judgments)
    judged = read_judged(judgments, measures, columns)
    rich = judged if isinstance(judged, RichJudgments) else None
    if rich is not None:
        notes += refuse_or_note(rich, measures)
    plain = judged.plain() if isinstance(judged, RichJudgments) else judged
    for table in read.values():
        notes += table.remarks(list(plain))
    if rich is not None:
        read[rich.need] = rich
    provenance = provenance_of(plain) if rich is None else provenance_of_rich(rich)
    return Given(plain, read, provenance, tuple(notes))


def _read_weights(weights: Any, weight_by: str | None, given: Given) -> Weighting:
    """The weights of the judged queries, from where they were given."""
    profiles = given.tables.get(PROFILES)
    if weights is None and weight_by is None and profiles is None:
        return Weighting()
    from idealist.evaluation.weighing import query_weights, weighting_note

    weighing = query_weights(weights, weight_by, profiles)
    if weighing is None:
        return Weighting()
    numbers = Values(weighing.of(given.judgments, "judged"))
    notes = (weighting_note(weighing.label, numbers), *weighing.beyond(given.judgments, "no judgment"))
    return Weighting(numbers, weighing.label, notes)


def _match(
    runs: Mapping[str, RunLike],
    given: Given,
    measures: Sequence[Measure],
    conventions: Conventions,
    threads: int | None,
) -> MatchedRuns:
    """Every run against the judgments."""
    rankings: dict[str, Rankings] = {}
    provenance: dict[str, Provenance] = {}
    notes: list[str] = []
    by_document = any(not measure.needs.from_rankings for measure in measures)
    for system, one in runs.items():
        if by_document and isinstance(one, UnreadRun):
            one = one.read()  # it is looked at more than once, and a pipe could not be
        snapshot = RunSnapshot(one)
        rankings[system] = found = match(one, given.judgments, conventions, threads=threads)
        provenance[system] = snapshot.provenance(system, found.run_rows, found.run_queries)
        found.tables = given.tables
        notes += (f"{system}: {note}" for note in found.notes)
        notes += note_queries(system, found)
    return MatchedRuns(rankings, provenance, tuple(notes))


def _measure(
    rankings: Mapping[str, Rankings], measures: Sequence[Measure], summary: Summary | None
) -> dict[tuple[str, Measure], Values]:
    """The values of all queries; none where a summary takes what is to be known of them."""
    values: dict[tuple[str, Measure], Values] = {}
    for system, one in rankings.items():
        if summary is None:
            values |= {(system, measure): measure.settled(one) for measure in measures}
        else:
            summary.take(system, one, measures)
    return values


def _gather(
    measures: tuple[Measure, ...],
    given: Given,
    matched: MatchedRuns,
    weighting: Weighting,
    tied: dict[str, TiedQueries],
) -> dict[str, Any]:
    """What is known beside the values."""
    rankings = dict(matched.rankings)
    return {
        "measures": measures,
        "pooled": {
            (system, measure): measure.pooled(one)
            for system, one in rankings.items()
            for measure in measures
            if measure.aggregate == "pooled"
        },
        "names": next(iter(rankings.values())).native,
        "systems": tuple(rankings),
        "weights": weighting.weights,
        "judged": judged_shares(measures, rankings),
        "tied": tied,
        "missing": {system: tuple(one.missing) for system, one in rankings.items()},
        "provenance": Sources(given.provenance, matched.provenance),
        "weighted_by": weighting.label,
        "whole_ids": given.judgments.whole_ids,
    }


def _refuse_other_shapes(run: Any, judgments: Any) -> None:
    several = run.values() if isinstance(run, Mapping) else run if isinstance(run, (list, tuple)) else ()
    for one in (run, *several):
        refuse_other_shape(one, judgments)
