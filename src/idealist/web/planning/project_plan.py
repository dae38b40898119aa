"""What a project still needs: how many queries or votes, which queries to draw, and which documents to judge next."""

from __future__ import annotations

from functools import lru_cache

from idealist.base.values import as_count
from idealist.data.columns import Columns
from idealist.data.grouped import bytewise
from idealist.data.reading import read_run
from idealist.errors import InputError
from idealist.evaluation.measuring import evaluate
from idealist.plan.open_documents import grouped_by_query, next_documents, open_differences
from idealist.plan.pilots import PairPilot, pilot_pair
from idealist.plan.query_sampling import sample_queries
from idealist.show.plan_tables import judgments_plan, next_view, queries_plan
from idealist.web.base.result_cache import ResultCache
from idealist.web.comparing.run_values import stored_judgments
from idealist.web.projects.project_sources import judgments_of, required_judgments, required_runs
from idealist.web.studies.task_reports import Wanted, new_report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from idealist.plan.query_sampling import SampledQueries
    from idealist.show.view import View
    from idealist.web.base.stored_files import StoredFiles
    from idealist.web.studies.task_answers import Study
    from idealist.web.workbench import Workbench

ALPHA = 0.05
_pilots, _queries, _next_views = ResultCache(32), ResultCache(8), ResultCache(16)


def plan_queries(
    workbench: Workbench,
    project: int,
    *,
    systems: tuple[str, str],
    measure: str,
    effect: float,
    power: float = 0.8,
    patience: float | None = None,
) -> View:
    """How many queries show a difference between two runs, by how much they differ on the queries that are judged:
    what `idealist plan queries --pilot` says. StillComputing where that takes longer than `patience` seconds."""
    judgments = required_judgments(workbench.database, project)
    runs = required_runs(workbench.database, project, systems)
    if systems[0] == systems[1]:
        raise InputError(
            f"{systems[0]} would be compared with itself", hint="choose two runs", code="same-run"
        )
    paths = {run.name: workbench.files.path(run.stored) for run in runs}
    graded = workbench.files.path(judgments.stored)
    pilot: PairPilot = _pilots.computed(
        workbench,
        ("pilot", *paths.items(), graded, measure),
        lambda: pilot_pair(evaluate(stored_judgments(graded), paths, measure), measure),
        patience,
    )
    return queries_plan(
        pilot.sd,
        effect=effect,
        power=power,
        alpha=ALPHA,
        failure=pilot.failure,
        best=pilot.best or 1.0,
        pilot=pilot,
    )


def plan_votes(workbench: Workbench, study: Study, *, gsb: float, power: float = 0.8) -> View:
    """How many judgments show a GSB, if votes are like those of a study: what `idealist plan judgments --pilot` says."""
    pilot = new_report(workbench, Wanted(study, "pilot")).content
    if pilot is None:
        raise InputError("the study has no votes to plan from", hint="plan when some votes are given")
    known = {"same": pilot.same, "per_query": pilot.per_query, "icc": pilot.icc}
    return judgments_plan(known, gsb=gsb, power=power, alpha=ALPHA, pilot=pilot)


def draw_queries(
    workbench: Workbench,
    project: int,
    *,
    n: int,
    seed: int = 0,
    unjudged: bool = False,
    patience: float | None = None,
) -> SampledQueries:
    """A sample of the queries of the project's runs, all as probable; with `unjudged`, of those without judgments.

    StillComputing where listing the queries takes longer than `patience` seconds.
    """
    stored = tuple(run.stored for run in required_runs(workbench.database, project))
    queries: tuple[str, ...] = _queries.computed(
        workbench,
        ("queries", workbench.files.folder, *stored),
        lambda: _all_queries(workbench.files, stored),
        patience,
    )
    judgments = judgments_of(workbench.database, project)
    if unjudged and judgments is not None:
        judged = set(stored_judgments(workbench.files.path(judgments.stored)).keys())
        queries = tuple(query for query in queries if query not in judged)
        if not queries:
            raise InputError("every query of the runs is judged", hint="draw from all queries")
    return sample_queries(Columns({"query": list(queries)}), n, seed=seed)


def _all_queries(files: StoredFiles, runs: Sequence[str]) -> tuple[str, ...]:
    """The queries of all runs, in bytewise order."""
    return tuple(sorted({query for run in runs for query in _run_queries(files, run)}, key=bytewise))


@lru_cache(maxsize=1_000)
def _run_queries(files: StoredFiles, run: str) -> tuple[str, ...]:
    """Remembered for each run, so that another run costs its own queries alone."""
    return files.queries_of(run)


def plan_next(
    workbench: Workbench,
    project: int,
    *,
    systems: tuple[str, ...],
    k: int = 10,
    n: int = 20,
    patience: float | None = None,
) -> View:
    """The documents whose judgment can move the difference between runs most: what `idealist plan next` says.

    StillComputing where it takes longer than `patience` seconds.
    """
    judgments = required_judgments(workbench.database, project)
    runs = required_runs(workbench.database, project, systems)
    chosen = {run.name: workbench.files.path(run.stored) for run in runs}
    graded = workbench.files.path(judgments.stored)
    key = ("next", *chosen.items(), graded, k, n)
    view: View = _next_views.computed(workbench, key, lambda: _next(chosen, graded, k, n), patience)
    return view


def _next(runs: Mapping[str, Path], judgments: Path, k: int, n: int) -> View:
    n = as_count(n, "the number of documents")
    read = {name: read_run(path, name=name) for name, path in runs.items()}
    judged = stored_judgments(judgments)
    documents = next_documents(judged, read, k=k)
    return next_view(documents, grouped_by_query(documents[:n]), open_differences(judged, read, k=k), k)
