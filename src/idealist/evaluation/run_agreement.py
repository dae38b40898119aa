"""Agreement of two runs: one value per measure and query."""

from __future__ import annotations

from idealist import kernels
from idealist.base.wording import count_queries
from idealist.conventions import DEFAULT, as_conventions, match_options
from idealist.data import Rankings, Run, as_run
from idealist.data.arguments import one_run, runs_in_memory
from idealist.data.collection import require_queries
from idealist.data.needs import REFERENCE
from idealist.data.provenance import Sources, provenance_of
from idealist.errors import InputError
from idealist.evaluation.evaluation import Evaluation
from idealist.measures import parse_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from idealist.conventions import Conventions
    from idealist.data.arguments import GivenRun, GivenRuns
    from idealist.measures import Measure

DEFAULT_MEASURES = ("KendallTau", "TauAP", "RBO", "Overlap@10", "Jaccard@10")


def agree(
    run: GivenRuns,
    other: GivenRun,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    conventions: Conventions | str = DEFAULT,
    columns: Mapping[str, str] | None = None,
    threads: int | None = None,
) -> Evaluation:
    """Compares the rankings of one run, or several, with those of another run, on the queries that both have.

    Where a measure takes one of them for the truth, that is `other`. Where it is undefined, as τ is with
    fewer than two documents in common, the convention for `empty` says what counts.

    >>> result = agree({"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 2.0, "a": 1.0}}, ["KendallTau", "Overlap@2"])
    >>> result.mean("KendallTau"), result.mean("Overlap@2")
    (-1.0, 1.0)
    """
    conventions = as_conventions(conventions)
    parsed_measures = parse_all(measures, defaults=conventions.parameters)
    for measure in parsed_measures:
        if measure.needs != REFERENCE:
            raise InputError(
                f"{measure} does not compare two runs", hint="`evaluate` measures runs against judgments"
            )
    options = match_options(conventions)
    if conventions.unjudged == "removed":
        raise InputError(
            "unjudged=removed cannot be used with two runs", hint="there are no judgments here; leave it out"
        )
    conventions = conventions.replace(missing="skip")
    threads = kernels.thread_count(threads)
    reference = as_run(one_run(other, columns))
    require_queries(reference)
    rankings: dict[str, Rankings] = {}
    notes: list[str] = []
    runs = runs_in_memory(run, columns)
    for name, system_run in runs.items():
        native = kernels.rank_against(system_run.rows, reference.rows, options, threads)
        rankings[name] = matched = Rankings(native, conventions, threads=threads, run=system_run)
        matched.tables = {REFERENCE: reference}
        notes += _notes(name, system_run, reference, matched)
    values = {
        (name, measure): measure.values_with_conventions(system_run)
        for name, system_run in rankings.items()
        for measure in parsed_measures
    }
    names = next(iter(rankings.values())).native
    sources = Sources(
        provenance_of(reference),
        {name: provenance_of(system_run, name=name) for name, system_run in runs.items()},
    )
    return Evaluation(
        measures=parsed_measures,
        values=values,
        pooled={},
        names=names,
        systems=tuple(rankings),
        conventions=conventions,
        notes=tuple(notes),
        judged={},
        provenance=sources,
        whole_ids=all(run.whole_ids for run in (reference, *runs.values())),
    )


def _notes(name: str, run: Run, reference: Run, rankings: Rankings) -> list[str]:
    lacking = len(rankings.native.missing())
    shared = len(reference) - lacking
    if shared == 0:
        raise InputError(
            f"{name} and {reference.name} have no query in common",
            hint=f"the one has {next(iter(run), None)!r}, the other {next(iter(reference))!r}",
        )
    notes = []
    if lacking:
        notes.append(f"{name}: lacks {count_queries(lacking)} of {reference.name}, not measured")
    if len(run) > shared:
        notes.append(f"{reference.name}: lacks {count_queries(len(run) - shared)} of {name}, not measured")
    common = (kernels.ranks(rankings.native) > 0.0).sum().without(rankings.native.missing())
    if sparse := sum(count < 2 for count in common):
        notes.append(f"{name}: {count_queries(sparse)} with fewer than two documents in common")
    return notes
