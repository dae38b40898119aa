"""The bundled shop: a project with judgments, two runs, texts of products and queries, and two tasks half done: a
side-by-side study, and grades of documents that nobody judged before."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from sqlalchemy import and_, select, update

from idealist.data.reading import read_run
from idealist.web.access.accounts import local_person, rater_without_login
from idealist.web.base.database import now
from idealist.web.base.schema import assignments, items
from idealist.web.judging.task_making import make_grade_task
from idealist.web.judging.tasks import add_event, add_task
from idealist.web.projects.importing import Upload, import_file
from idealist.web.projects.projects import create_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.data import Run
    from idealist.web.workbench import Workbench

FILES = Path(__file__).parent / "files"
UPLOADS = ("shop.qrels", "a.run", "b.run", "documents.jsonl", "queries.csv")
SYSTEMS = ("a", "b")
SHOWN = 5  # documents of a list side by side
SECONDS = (31, 24, 40)  # that each rater takes for an item
# Items whose answer is known: the query, and the runs that show what was found for another one.
KNOWN: dict[str, tuple[str, dict[str, str]]] = {
    "known-1": ("lipstick", {}),
    "known-2": ("mascara", {"b": "sneakers"}),
    "known-3": ("perfume", {"a": "scarf"}),
}
REASONS = ("Relevance", "Order", "Variety", "Price")
QUESTION = """Which list would you rather have found, if you had searched for this in a shop?

The same: you would not mind which. Say what decided it, if one of the reasons did."""
GRADED = 5  # documents of each run, of which those without a judgment are graded
HIGHEST = 3
SCALE = """Would somebody who searched for this buy it?

3: it is all that was asked for.
2: a part of it: the colour or the price is another.
1: the right product, and nothing else that was asked for.
0: another product."""
CHEAP = {
    "Ann (demo)": 19,
    "Ben (demo)": 39,
}  # the highest price that each rater finds cheap, on which they differ


def add_demo(workbench: Workbench) -> int:
    """Adds the project, as if its files had been uploaded."""
    person = local_person(workbench.database)
    about = "A small shop: 40 queries, products graded 0 to 3, a search by words and one that knows synonyms."
    project = create_project(workbench.database, "Shop", about, user=person.id)
    for name in UPLOADS:
        import_file(workbench, project, Upload(FILES / name, name), user=person.id)
    raters = [*(rater_without_login(workbench.database, name).id for name in CHEAP), person.id]
    _add_study(workbench, project, raters)
    _add_grades(workbench, project, raters)
    return project


def _add_study(workbench: Workbench, project: int, raters: list[int]) -> None:
    """The side-by-side study of votes.csv as a task of three raters whose first half is done; the third is the person
    at this machine."""
    database = workbench.database
    with open(FILES / "votes.csv", encoding="utf-8", newline="") as file:
        votes: dict[str, list[dict[str, str]]] = {}
        for row in csv.DictReader(file):
            votes.setdefault(row["query"], []).append(row)
    runs = {name: read_run(FILES / f"{name}.run") for name in SYSTEMS}
    names = _mixed([name for name in votes if name in runs["a"]])  # one query has no results by words
    task = add_task(
        database,
        project,
        kind="sides",
        name="Words or synonyms?",
        contents=_contents(runs, votes, names),
        raters=raters,
        settings={"systems": list(SYSTEMS), "reasons": list(REASONS)},
        guidelines=QUESTION,
        user=raters[-1],
    )
    with database.writing() as connection:
        wanted = select(items.c.id).where(items.c.task_id == task).order_by(items.c.place)
        numbers = list(connection.execute(wanted).scalars())
        for name, number in zip(names, numbers, strict=True):
            for rater, vote in zip(raters, votes[name], strict=True):
                mine = and_(assignments.c.item_id == number, assignments.c.user_id == rater)
                connection.execute(update(assignments).where(mine).values(side=vote["side"]))
    begun = now() - 3_600_000
    for place, (name, number) in enumerate(zip(names, numbers, strict=True)):
        if place >= len(names) // 2:
            break
        for turn, (rater, vote) in enumerate(zip(raters, votes[name], strict=True)):
            add_event(
                database,
                id=str(uuid5(NAMESPACE_URL, f"idealist-demo/{name}/{turn}")),
                item=number,
                user=rater,
                kind="vote",
                content={"vote": vote["vote"]},
                made=begun + place * SECONDS[turn] * 1000 + turn,
            )


def _add_grades(workbench: Workbench, project: int, raters: list[int]) -> None:
    """A task of grades for the unjudged documents that the runs rank first: two raters are half way, the person at this
    machine has not begun."""
    database = workbench.database
    judges = raters[:-1] if workbench.settings.login else raters  # who logs in is nobody "at this machine"
    task = make_grade_task(
        workbench,
        project,
        name="Is it what was asked for?",
        runs=SYSTEMS,
        depth=GRADED,
        raters=judges,
        overlap=len(judges),
        guidelines=SCALE,
        highest=HIGHEST,
        seed=1,
        user=raters[-1],
    )
    with open(FILES / "documents.jsonl", encoding="utf-8") as file:
        products = {product["id"]: product for product in map(json.loads, file)}
    wanted = select(items.c.id, items.c.content).where(items.c.task_id == task).order_by(items.c.place)
    with database.reading() as connection:
        pairs = [(row.id, row.content) for row in connection.execute(wanted)]
    begun = now() - 1_800_000
    for place, (number, content) in enumerate(pairs[: len(pairs) // 2]):
        for turn, cheap in enumerate(CHEAP.values()):
            add_event(
                database,
                id=str(uuid5(NAMESPACE_URL, f"idealist-demo/grades/{place}/{turn}")),
                item=number,
                user=raters[turn],
                kind="grade",
                content={"grade": _grade(content["query"], products[content["document"]], cheap)},
                made=begun + place * SECONDS[turn] * 1000 + turn,
            )


def _grade(query: str, product: dict[str, str], cheap: int) -> int:
    """The grade of a rater who finds `cheap` what costs no more than that, by the guidelines.

    >>> scarf = {"title": "red scarf", "text": "A wool scarf, for 39."}
    >>> [_grade(query, scarf, 19) for query in ("red-scarf", "cheap-red-scarf", "cheap-scarf", "sneakers")]
    [3, 2, 1, 0]
    """
    *asked, noun = query.split("-")
    text = f"{product['title']} {product['text']}".replace(",", "").split()
    if noun not in text:
        return 0
    price = int(text[-1].rstrip("."))
    met = sum(price <= cheap if word == "cheap" else word in text for word in asked)
    return 3 if met == len(asked) else 2 if met else 1


def _contents(
    runs: dict[str, Run], votes: dict[str, list[dict[str, str]]], names: list[str]
) -> list[dict[str, Any]]:
    """The items: what both runs show for a query, or a pair whose answer is known."""
    contents = []
    for name in names:
        query, shown_queries = KNOWN.get(name, (name, {}))
        # Where the answer is known, both lists come from one run: what differs is the query.
        lists = {
            system: runs["a" if name in KNOWN else system].ranking(shown_queries.get(system, query))[:SHOWN]
            for system in SYSTEMS
        }
        vote = votes[name][-1]
        # The candidate is on the right; on which side a rater sees it is drawn for each of them.
        hidden: dict[str, Any] = {"left": "a", "right": "b", "segment": vote["segment"]}
        hidden["weight"] = float(vote["weight"])
        if vote["expected"]:
            hidden["expected"] = vote["expected"]
        content = {"query": query, "left": lists["a"], "right": lists["b"]}
        contents.append({"content": content, "hidden": hidden})
    return contents


def _mixed(names: list[str]) -> list[str]:
    """The items with known answers among the others, in the half that is done."""
    mixed = list(names)
    for place, name in zip((3, 9, 16), KNOWN, strict=True):
        mixed.insert(place, name)
    return mixed
