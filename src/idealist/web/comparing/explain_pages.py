"""One query explained: its ranking beside the ideal one, what each rank loses, and what moving a document changes."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.errors import InputError
from idealist.show.cells import cell_text
from idealist.show.explanation_tables import explanation_view
from idealist.web.access.pages import PageNotFound, Screen
from idealist.web.base.result_cache import PATIENCE
from idealist.web.comparing.evaluate_pages import conventions_asked
from idealist.web.comparing.explaining import Explained, explain_query, loss_sentences, query_list
from idealist.web.comparing.run_values import question, stored_judgments
from idealist.web.projects.project_pages import this_project
from idealist.web.projects.project_sources import documents_of, judgments_of, list_sources, query_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from starlette.responses import Response

    from idealist.web.access.pages import Visit
    from idealist.web.comparing.explaining import ListedQuery
    from idealist.web.projects.project_sources import Source
    from idealist.web.projects.projects import Project

GAINS = ("linear", "exp", "binary")
DISCOUNTS = ("log2", "zipf", "rbp(0.8)", "none")
IDEALS = ("judged", "retrieved")
FAMILIES = ("nDCG", "DCG", "AP", "RR", "P", "R", "ERR", "RBP")
# The parameters that each of them has, of those that can be switched.
SWITCHES = {"nDCG": ("gain", "discount", "ideal"), "DCG": ("gain", "discount")}
PAGE = 40  # queries of the list


class Choice(Frozen):
    """What is explained, as the address has it."""

    run: str
    query: str
    family: str
    k: str
    gain: str
    discount: str
    ideal: str

    @property
    def measure(self) -> str:
        """The measure as text.

        >>> Choice("a", "q", "nDCG", "10", "exp", "log2", "judged").measure
        'nDCG(gain=exp,discount=log2,ideal=judged)@10'
        """
        switches = ",".join(f"{name}={getattr(self, name)}" for name in SWITCHES.get(self.family, ()))
        inner = f"({switches})" if switches else ""
        return f"{self.family}{inner}@{self.k}" if self.k else f"{self.family}{inner}"


def choice_of(visit: Visit, runs: list[Source]) -> Choice:
    return Choice(
        visit.query("run") or (runs[0].name if runs else ""),
        visit.query("query"),
        visit.query("family", FAMILIES[0]),
        visit.query("k", "10").strip(),
        visit.query("gain", GAINS[0]),
        visit.query("discount", DISCOUNTS[0]),
        visit.query("ideal", IDEALS[0]),
    )


def show_explanation(visit: Visit) -> Response:
    project = this_project(visit)
    judgments = judgments_of(visit.database, project.id)
    runs = list_sources(visit.database, project.id, "run")
    if judgments is None or not runs:
        return visit.show("evaluate_empty.html", project=project, tab="explain")
    choice = choice_of(visit, runs)
    run = next((run for run in runs if run.name == choice.run), None)
    if run is None:
        raise PageNotFound
    shown = _explained_values(visit, project.id, judgments, run, choice)
    return visit.show(
        "explain.html",
        project=project,
        tab="explain",
        runs=runs,
        choice=shown.pop("choice", choice),
        families=FAMILIES,
        gains=GAINS,
        discounts=DISCOUNTS,
        ideals=IDEALS,
        switches=SWITCHES.get(choice.family, ()),
        **shown,
    )


def _asked_for(visit: Visit) -> tuple[Project, Source, Source, Choice]:
    """The project, its judgments, the run that is meant, and what else was chosen, for a part of the page."""
    project = this_project(visit)
    judgments = judgments_of(visit.database, project.id)
    runs = list_sources(visit.database, project.id, "run")
    choice = choice_of(visit, runs)
    run = next((run for run in runs if run.name == choice.run), None)
    if judgments is None or run is None:
        raise PageNotFound
    return project, judgments, run, choice


def show_moved(visit: Visit) -> Response:
    """The part of the page that changes when documents were moved: `order` is what stands where now."""
    project, judgments, run, choice = _asked_for(visit)
    shown = _explained_values(visit, project.id, judgments, run, choice, visit.query_all("order"))
    return visit.show("_explanation.html", **{"choice": choice, **shown})


def _explained_values(
    visit: Visit,
    project: int,
    judgments: Source,
    run: Source,
    choice: Choice,
    order: list[str] | None = None,
) -> dict[str, Any]:
    """The values of the templates: the explanation, or what is wrong with what was asked for."""
    values: dict[str, Any] = {"explained": None, "queries": [], "texts": {}, "pages": {}}
    try:
        conventions = conventions_asked(visit)
        asked = question(judgments.stored, [choice.measure], conventions)
        queries = query_list(visit.workbench, asked, run.stored, PATIENCE)
        query = choice.query or _first_query(visit, judgments, queries)
        choice = choice.replace(query=query)
        before = explain_query(visit.workbench, asked, run.stored, query)
        explained = before
        if order:
            explained = explain_query(visit.workbench, asked, run.stored, query, order)
    except InputError as error:
        visit.problem = error
        return values
    listed = _listed_around(visit, project, queries, query)
    texts = listed.pop("texts") | query_texts(visit.database, project, [query])
    return values | {
        "choice": choice,
        "explained": explained,
        "before": before,
        "moved": bool(order),
        "view": explanation_view(explained.explanation, most=len(explained.order) or 20),
        "losses": loss_sentences(explained.explanation, visit.text),
        "chart": chart_data(explained),
        "documents": documents_of(visit.database, project, list(explained.order)),
        **listed,
        "texts": texts,
        "cell_text": cell_text,
    }


def show_queries(visit: Visit) -> Response:
    """The list of queries alone, which the page asks for while the run is measured."""
    project, judgments, run, choice = _asked_for(visit)
    asked = question(judgments.stored, [choice.measure], conventions_asked(visit))
    queries = query_list(visit.workbench, asked, run.stored, PATIENCE)
    choice = choice.replace(query=choice.query or _first_query(visit, judgments, queries))
    return visit.show(
        "_explained_queries.html",
        project=project,
        choice=choice,
        cell_text=cell_text,
        **_listed_around(visit, project.id, queries, choice.query),
    )


def _first_query(visit: Visit, judgments: Source, queries: list[ListedQuery] | None) -> str:
    """The query that is shown unless another is named: of those with something relevant the one with the lowest value,
    once that is known."""
    graded = stored_judgments(visit.workbench.files.path(judgments.stored))
    names = graded.keys() if queries is None else [listed.query for listed in queries]
    relevant = (name for name in names if any(grade > 0 for grade in graded[name].values()))
    return next(relevant, next(iter(names), ""))


def _listed_around(
    visit: Visit, project: int, queries: list[ListedQuery] | None, query: str
) -> dict[str, Any]:
    """The page of the list that a query is on; `queries` is None while the run is measured."""
    listed = queries or []
    at = next((at for at, other in enumerate(listed) if other.query == query), 0)
    page = at // PAGE
    around = listed[page * PAGE : (page + 1) * PAGE]
    pages = {"before": (page - 1) * PAGE, "after": (page + 1) * PAGE}
    return {
        "queries": around,
        "pages": {name: listed[first].query for name, first in pages.items() if 0 <= first < len(listed)},
        "count": len(listed),
        "pending": queries is None,
        "texts": query_texts(visit.database, project, [other.query for other in around]),
    }


def chart_data(explained: Explained) -> list[dict[str, object]]:
    """What each rank adds, of the ranking and of the ideal list; nothing where the value is no such sum."""
    explanation = explained.explanation
    rows: list[dict[str, object]] = []
    if explanation.total is None:
        return rows
    for name, documents in (("ranking", explanation.ranking), ("ideal", explanation.ideal)):
        rows += [
            {
                "list": name,
                "rank": document.rank,
                "document": document.document or "",
                "grade": document.grade,
                "judged": document.grade is not None,
                "value": document.contribution,
                "sum": document.running,
            }
            for document in documents
        ]
    return rows


SCREENS = (
    Screen("GET", "/projects/{project:int}/explain", show_explanation),
    Screen("GET", "/projects/{project:int}/explain/moved", show_moved),
    Screen("GET", "/projects/{project:int}/explain/queries", show_queries),
)
