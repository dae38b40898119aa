"""Measuring: from judgments and runs to one value per system, measure and query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from idealist.base.frozen import Frozen
from idealist.base.named import OF_RUNS, other_names
from idealist.conventions import DEFAULT, as_conventions
from idealist.data import Judgments, RichJudgments, UnreadRun, match
from idealist.data.arguments import (
    named_runs,
    note_places,
    read_judged,
    require_both,
    require_order,
    runs_in_memory,
)
from idealist.data.arrays import refuse_other_shape
from idealist.data.needs import PROFILES, SCORES, TABLES, read_needed
from idealist.data.provenance import Sources, provenance_of, provenance_of_rich
from idealist.errors import InputError
from idealist.evaluation.aggregates import TiedQueries
from idealist.evaluation.evaluation import Evaluation, Summary, SummaryEvaluation
from idealist.evaluation.evaluation_records import RunSnapshot
from idealist.evaluation.notes import (
    judged_shares,
    note_empty,
    note_fractions,
    note_order,
    note_parameters,
    note_queries,
    note_undefined,
    note_unmatched,
    refuse_or_note,
)
from idealist.kernels import Values
from idealist.measures import parse_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from idealist.conventions import Conventions
    from idealist.data import Rankings
    from idealist.data.arguments import GivenJudgments, GivenRuns
    from idealist.data.click_logs import ClickLog
    from idealist.data.items import Items
    from idealist.data.needs import Need
    from idealist.data.provenance import Provenance
    from idealist.data.query_numbers import QueryNumbers
    from idealist.data.query_weights import QueryWeights
    from idealist.data.run import RunLike
    from idealist.data.sampled import DrawnJudgments
    from idealist.data.segments import Profiles
    from idealist.measures import Measure
    from idealist.plan.query_sampling import SampledQueries
    from idealist.types import GivenTable

# The measures of an evaluation that names none.
MEASURES = ("nDCG@10", "AP", "RR", "P@10", "R@100", "Judged@10")


@other_names(
    **OF_RUNS,
    segments="il.comparison.segments(evaluation, measure, by=…) has the mean of every segment; compare takes segments",
    segment_by="il.comparison.segments(evaluation, measure, by, segment_by=…) has the mean of every segment",
    margin="a margin is for a difference: compare(judgments, runs, measures, margin=…)",
    baseline="compare(judgments, runs, measures, baseline=…) compares with a baseline",
)
def evaluate(
    judgments: GivenJudgments | None = None,
    runs: GivenRuns | None = None,
    measures: str | Measure | Iterable[str | Measure] = MEASURES,
    *,
    numbers: QueryNumbers | GivenTable | None = None,
    conventions: Conventions | str = DEFAULT,
    columns: Mapping[str, str] | None = None,
    weights: QueryWeights | SampledQueries | GivenTable | None = None,
    weight_by: str | None = None,
    threads: int | None = None,
    profiles: Profiles | GivenTable | None = None,
    items: Items | GivenTable | None = None,
    clicks: ClickLog | GivenTable | None = None,
    machine: GivenJudgments | None = None,
    calibrate: str | None = None,
) -> Evaluation:
    """Measures one run, or several, with the judgments.

    `judgments` are a file, Judgments, a frame, a dict of dicts, a dict of lists or sets of ids (of grade 1), or a matrix of grades.
    `runs` are likewise a file, a Run, a frame, a dict of dicts, a dict of lists of ids (best first), a matrix of scores, a sequence
    of these, or a mapping from names to them; queries without judgments are not measured.
    `columns` maps our names of the columns of files and frames to theirs, as in {"query": "uid", "judgments.grade": "stars"}.
    `conventions` is an object or text, such as "lightgbm". The rows and columns of a matrix have their numbers as ids, which are text: by default column 2 comes
    before column 10 where scores are equal, as the greater text (ties=input-order takes columns in their order).
    `weights` gives every judged query its weight in the mean: a mapping, a sample of `sample_queries`, or a table, of which `weight_by` names the column (without it the
    sampling_weight of a sample, weight or traffic). Some measures need more: judgments by subtopic (GroupedJudgments), a table of user `profiles`, of
    `items`, or of `clicks`, each as an object, a file or a frame. `machine` are a machine's judgments of these queries
    and others: the values stay those of `judgments`, made by people, and `Evaluation.corrected` has means that both give
    together; `calibrate` ("isotonic" or "table") turns the machine's grades into expected human ones first.
    `numbers` are numbers per query that were measured elsewhere, as `read_numbers` takes them, alone or beside runs of the
    same names: `measures` names columns as it names measures, and all are taken where it names none.

    >>> result = evaluate({"q": {"b": 1}}, {"q": {"a": 2.0, "b": 1.0}}, ["nDCG@10", "RR"])
    >>> result.mean("RR")
    0.5
    >>> evaluate({"u": ["FR"]}, {"u": ["US", "FR"]}, "RR").mean("RR")
    0.5
    >>> evaluate(numbers={"query": ["q1", "q2"], "system": ["a", "a"], "latency_ms": [80, 60]}).mean("latency_ms")
    70.0
    """
    chosen = as_conventions(conventions)
    if numbers is None or runs is not None or judgments is not None:
        require_both(judgments, runs)

    def of_runs(measures: Any) -> Evaluation:
        return measured(
            judgments,
            runs,
            measures,
            conventions=chosen,
            columns=columns,
            weights=weights,
            weight_by=weight_by,
            threads=threads,
            machine=machine,
            calibrate=calibrate,
            profiles=profiles,
            items=items,
            clicks=clicks,
        )

    if numbers is None:
        return of_runs(measures)
    from idealist.evaluation.column_values import evaluate_with_numbers

    alone = runs is None
    return evaluate_with_numbers(
        numbers,
        () if alone and measures is MEASURES else measures,
        conventions=chosen,
        weights=weights,
        weight_by=weight_by,
        profiles=profiles,
        of_runs=None if alone else of_runs,
    )


def measured(
    judgments: Any,
    runs: Any,
    measures: Any,
    *,
    keep: bool = True,
    conventions: Conventions,
    columns: Mapping[str, str] | None = None,
    weights: Any,
    weight_by: str | None,
    threads: int | None,
    machine: Any = None,
    calibrate: str | None = None,
    **tables: Any,
) -> Evaluation:
    """Measures as `evaluate` does; without `keep`, the values of queries are dropped once their mean is known, so that
    many measures of many queries take no more memory than one."""
    require_order(judgments, runs, measures)
    requested = (
        list(measures) if isinstance(measures, Iterable) and not isinstance(measures, str) else [measures]
    )
    parsed_measures = parse_all(requested, defaults=conventions.parameters)
    if machine is not None and (drawn := drawn_judgments(judgments)) is not None:
        from idealist.evaluation.drawn_values import evaluate_drawn
        from idealist.evaluation.machine_values import read_machine

        in_memory = runs_in_memory(runs, columns)

        def by_machine_alone(graded: Judgments) -> Evaluation:
            how: dict[str, Any] = {"conventions": conventions, "weights": weights, "weight_by": weight_by}
            return measured(graded, in_memory, parsed_measures, threads=threads, **how, **tables)

        return evaluate_drawn(
            by_machine_alone, in_memory, drawn, read_machine(machine, columns), conventions, calibrate
        )
    inputs = _read(judgments, runs, parsed_measures, columns, **tables)
    by_machine = None
    if machine is not None:
        _refuse_richer(parsed_measures)
        from idealist.evaluation.machine_values import machine_values, read_machine

        runs = runs_in_memory(runs, columns)  # every one is measured twice or more
        by_machine = machine_values(
            lambda graded: measured(
                graded,
                runs,
                parsed_measures,
                conventions=conventions,
                weights=weights,
                weight_by=weight_by,
                threads=threads,
                **tables,
            ),
            inputs.judgments,
            read_machine(machine, columns),
            calibrate=calibrate,
        )
    elif calibrate is not None:
        raise InputError(
            "calibrate is for a machine's judgments, and there are none",
            hint="give machine=… (--machine FILE), or leave calibrate out",
        )
    weighting = _read_weights(weights, weight_by, inputs)
    matched = _match(
        named_runs(runs, columns), inputs, parsed_measures, conventions, threads, by_machine is not None
    )
    tied = {system: TiedQueries(system_rankings) for system, system_rankings in matched.rankings.items()}
    summary = None if keep else Summary(weighting.weights, tied)
    values = _measure(matched.rankings, parsed_measures, summary)
    notes = [
        *matched.strangers,
        *note_parameters(requested, conventions),
        *note_order(parsed_measures, conventions),
        *note_places(judgments, runs),
        *(f"{measure}: {measure.caution}" for measure in parsed_measures if measure.caution),
        *inputs.notes,
        *matched.notes,
        *note_empty(next(iter(matched.rankings.values())), parsed_measures),
        *note_fractions(next(iter(matched.rankings.values())), parsed_measures),
        *(
            note
            for system, system_rankings in matched.rankings.items()
            for note in note_undefined(system, system_rankings, parsed_measures)
        ),
        *weighting.notes,
        *(() if by_machine is None else by_machine.notes),
    ]
    facts = _gather(parsed_measures, inputs, matched, weighting, tied)
    facts |= {"conventions": conventions, "notes": tuple(notes), "machine": by_machine}
    if summary is not None:
        return SummaryEvaluation(summary=summary, **{**facts, "runs": {}})
    return Evaluation(values=values, **facts)


def _refuse_richer(measures: Sequence[Measure]) -> None:
    """Raises for measures of judgments that say more than a grade: a machine's have one grade a document."""
    for measure in measures:
        if measure.needs.given_as == "judgments":
            raise InputError(
                f"{measure} needs {measure.needs.description}, and a machine's judgments have one grade a document",
                hint="leave the measure out, or measure without the machine",
            )


def drawn_judgments(judgments: Any) -> DrawnJudgments | None:
    """The judgments, if they are of documents that were drawn with known probabilities."""
    from idealist.data.judgment_tables import has_probabilities, read_drawn
    from idealist.data.sampled import DrawnJudgments, SampledJudgments

    if isinstance(judgments, DrawnJudgments):
        return judgments
    if isinstance(judgments, SampledJudgments):
        return DrawnJudgments.from_sample(judgments)
    return read_drawn(judgments) if has_probabilities(judgments) else None


class ReadInputs(Frozen):
    """The inputs besides the runs, read: `judgments` of one grade per document, `tables` by what they are needed
    for (richer judgments among them), where the judgments came from, and what is odd about them."""

    judgments: Judgments
    tables: Mapping[Need, Any]
    provenance: Provenance
    notes: tuple[str, ...]


class Weighting(Frozen):
    """The weights of the judged queries, if they have any, their label, and notes on them."""

    weights: Values | None = None
    label: str = ""
    notes: tuple[str, ...] = ()


class MatchedRuns(Frozen):
    """The rankings of every system, its run and where that came from, notes on ids that hardly meet, and other notes."""

    rankings: Mapping[str, Rankings]
    snapshots: Mapping[str, RunSnapshot]
    provenance: Mapping[str, Provenance]
    strangers: tuple[str, ...]
    notes: tuple[str, ...]


def _read(
    judgments: Any, runs: Any, measures: Sequence[Measure], columns: Mapping[str, str] | None, **tables: Any
) -> ReadInputs:
    """Judgments and tables, read from whatever form they were given in."""
    tables_read = {
        need: read_needed(need, table) for need in TABLES if (table := tables.get(need.name)) is not None
    }
    notes: list[str] = []
    _refuse_other_shapes(judgments, runs)
    judgments_read = read_judged(judgments, measures, columns)
    rich = judgments_read if isinstance(judgments_read, RichJudgments) else None
    if rich is not None:
        notes += refuse_or_note(rich, measures)
    plain = judgments_read.plain() if isinstance(judgments_read, RichJudgments) else judgments_read
    for table in tables_read.values():
        notes += table.remarks(list(plain))
    if rich is not None:
        tables_read[rich.need] = rich
    provenance = provenance_of(plain) if rich is None else provenance_of_rich(rich)
    return ReadInputs(plain, tables_read, provenance, tuple(notes))


def _read_weights(weights: Any, weight_by: str | None, inputs: ReadInputs) -> Weighting:
    """The weights of the judged queries, from their own table or the profiles."""
    profiles = inputs.tables.get(PROFILES)
    if weights is None and weight_by is None and profiles is None:
        return Weighting()
    from idealist.data.weight_reading import query_weights, weighting_note

    query_weighting = query_weights(weights, weight_by, profiles)
    if query_weighting is None:
        return Weighting()
    numbers = Values(query_weighting.of(inputs.judgments, "judged"))
    notes = (
        weighting_note(query_weighting.label, numbers),
        *query_weighting.beyond(inputs.judgments, "no judgment"),
    )
    return Weighting(numbers, query_weighting.label, notes)


def _match(
    runs: Mapping[str, RunLike],
    inputs: ReadInputs,
    measures: Sequence[Measure],
    conventions: Conventions,
    threads: int | None,
    by_machine: bool = False,
) -> MatchedRuns:
    """Every run matched with the judgments."""
    rankings: dict[str, Rankings] = {}
    snapshots: dict[str, RunSnapshot] = {}
    provenance: dict[str, Provenance] = {}
    strangers: list[str] = []
    notes: list[str] = []
    by_document = any(measure.reads_run or not measure.needs.from_rankings for measure in measures)
    for system, run in runs.items():
        if by_document and isinstance(run, UnreadRun):
            run = run.read()  # it is looked at more than once, and a pipe could not be
        snapshot = snapshots[system] = RunSnapshot(run)
        rankings[system] = matched = match(inputs.judgments, run, conventions, threads=threads)
        provenance[system] = snapshot.provenance(system, matched.run_rows, matched.run_queries)
        matched.tables = {**inputs.tables, SCORES: run}
        strangers += note_unmatched(system, matched)
        notes += (f"{system}: {note}" for note in matched.notes)
        notes += note_queries(system, matched, by_machine=by_machine)
    return MatchedRuns(rankings, snapshots, provenance, tuple(strangers), tuple(notes))


def _measure(
    rankings: Mapping[str, Rankings], measures: Sequence[Measure], summary: Summary | None
) -> dict[tuple[str, Measure], Values]:
    """The values of all queries; empty where a summary collects what is printed of them."""
    values: dict[tuple[str, Measure], Values] = {}
    for system, system_rankings in rankings.items():
        if summary is None:
            values |= {
                (system, measure): measure.values_with_conventions(system_rankings) for measure in measures
            }
        else:
            summary.take(system, system_rankings, measures)
    return values


def _gather(
    measures: tuple[Measure, ...],
    inputs: ReadInputs,
    matched: MatchedRuns,
    weighting: Weighting,
    tied: dict[str, TiedQueries],
) -> dict[str, Any]:
    """The facts of an evaluation beside its values, as its keyword arguments."""
    rankings = dict(matched.rankings)
    shares, native = judged_shares(measures, rankings), next(iter(rankings.values())).native
    if any(share < 1 for by_system in shares.values() for share in by_system.values()):
        for system, snapshot in matched.snapshots.items():
            snapshot.rankings = rankings[system].native
    return {
        "measures": measures,
        "pooled": {
            (system, measure): measure.pooled(system_rankings)
            for system, system_rankings in rankings.items()
            for measure in measures
            if measure.aggregate == "pooled"
        },
        "names": native,
        "systems": tuple(rankings),
        "weights": weighting.weights,
        "judged": shares,
        "runs": matched.snapshots,
        "tied": tied,
        "missing": {system: tuple(system_rankings.missing) for system, system_rankings in rankings.items()},
        "provenance": Sources(inputs.provenance, matched.provenance),
        "weighted_by": weighting.label,
        "whole_ids": inputs.judgments.whole_ids,
        "grades": (levels[0], levels[-1]) if (levels := sorted(native.levels())) else None,
    }


def _refuse_other_shapes(judgments: Any, runs: Any) -> None:
    if isinstance(judgments, (dict, Judgments)):
        return  # only arrays have a shape
    members = runs.values() if isinstance(runs, Mapping) else runs if isinstance(runs, (list, tuple)) else ()
    for run_given in (runs, *members):
        refuse_other_shape(judgments, run_given)
