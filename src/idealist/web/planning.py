"""What a project still needs: how many queries or votes, which queries to draw, and which documents to judge next."""

from __future__ import annotations

from functools import lru_cache

from idealist.data.columns import Columns
from idealist.data.grouped import bytewise
from idealist.data.values import as_count
from idealist.errors import InputError
from idealist.evaluation.measuring import evaluate
from idealist.io.reading import read_run
from idealist.plan.next_judgments import grouped_by_query, next_documents, open_differences
from idealist.plan.pilots import PairPilot, pilot_pair
from idealist.plan.query_sampling import sample_queries
from idealist.reporting.next_judgments import next_view
from idealist.reporting.plans import judgments_plan, queries_plan
from idealist.web.measuring import stored_judgments
from idealist.web.store.sources import judgments_of, list_sources
from idealist.web.study_reports import Wanted, new_report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from idealist.plan.query_sampling import SampledQueries
    from idealist.reporting.view import View
    from idealist.web.store.sources import Source
    from idealist.web.store.studies import Study
    from idealist.web.workbench import Workbench

ALPHA = 0.05


def plan_queries(
    workbench: Workbench,
    project: int,
    *,
    systems: tuple[str, str],
    measure: str,
    effect: float,
    power: float = 0.8,
) -> View:
    """How many queries show a difference between two runs, by how much they differ on the queries that are judged:
    what `idealist plan queries --pilot` says."""
    judgments, runs = _judged(workbench, project), _runs(workbench, project)
    if systems[0] == systems[1]:
        raise InputError(f"{systems[0]} would be compared with itself", hint="choose two runs")
    paths = [workbench.files.path(_run(runs, name).stored) for name in systems]
    pilot = _pilot(tuple(zip(systems, paths, strict=True)), workbench.files.path(judgments.stored), measure)
    return queries_plan(pilot.sd, effect=effect, power=power, alpha=ALPHA, pilot=pilot)


@lru_cache(maxsize=32)
def _pilot(runs: tuple[tuple[str, Path], ...], judgments: Path, measure: str) -> PairPilot:
    """Stored files never change, so neither does what they say."""
    return pilot_pair(evaluate(dict(runs), stored_judgments(judgments), measure), measure)


def plan_votes(workbench: Workbench, study: Study, *, gsb: float, power: float = 0.8) -> View:
    """How many judgments show a GSB, if votes are like those of a study: what `idealist plan judgments --pilot` says."""
    pilot = new_report(workbench, Wanted(study, "pilot")).content
    if pilot is None:
        raise InputError("the study has no votes to plan from", hint="plan when some votes are given")
    known = {"same": pilot.same, "per_query": pilot.per_query, "icc": pilot.icc}
    return judgments_plan(known, gsb=gsb, power=power, alpha=ALPHA, pilot=pilot)


def draw_queries(
    workbench: Workbench, project: int, *, n: int, seed: int = 0, unjudged: bool = False
) -> SampledQueries:
    """A sample of the queries of the project's runs, all as probable; with `unjudged`, of those without judgments."""
    runs = _runs(workbench, project)
    queries = _queries(tuple(workbench.files.path(run.stored) for run in runs))
    judgments = judgments_of(workbench.database, project)
    if unjudged and judgments is not None:
        judged = set(stored_judgments(workbench.files.path(judgments.stored)).keys())
        queries = tuple(query for query in queries if query not in judged)
        if not queries:
            raise InputError("every query of the runs is judged", hint="draw from all queries")
    return sample_queries(Columns({"query": list(queries)}), n, seed=seed)


@lru_cache(maxsize=8)
def _queries(paths: tuple[Path, ...]) -> tuple[str, ...]:
    return tuple(sorted({query for path in paths for query in read_run(path)}, key=bytewise))


def plan_next(
    workbench: Workbench, project: int, *, systems: tuple[str, ...], k: int = 10, n: int = 20
) -> View:
    """The documents whose judgment can move the difference between runs most: what `idealist plan next` says."""
    judgments, runs = _judged(workbench, project), _runs(workbench, project)
    chosen = tuple((name, workbench.files.path(_run(runs, name).stored)) for name in systems)
    return _next(chosen, workbench.files.path(judgments.stored), k, n)


@lru_cache(maxsize=16)
def _next(runs: tuple[tuple[str, Path], ...], judgments: Path, k: int, n: int) -> View:
    n = as_count(n, "the number of documents")
    read = {name: read_run(path, name=name) for name, path in runs}
    judged = stored_judgments(judgments)
    documents = next_documents(read, judged, k=k)
    return next_view(documents, grouped_by_query(documents[:n]), open_differences(read, judged, k=k), k)


def _judged(workbench: Workbench, project: int) -> Source:
    judgments = judgments_of(workbench.database, project)
    if judgments is None:
        raise InputError(f"project {project} has no judgments", hint="add some")
    return judgments


def _runs(workbench: Workbench, project: int) -> list[Source]:
    runs = list_sources(workbench.database, project, "run")
    if not runs:
        raise InputError(f"project {project} has no runs", hint="add some")
    return runs


def _run(runs: list[Source], name: str) -> Source:
    run = next((run for run in runs if run.name == name), None)
    if run is None:
        raise InputError(
            f"there is no run {name!r}", hint=f"name one of: {', '.join(run.name for run in runs)}"
        )
    return run
