"""The bundled shop: a project with judgments, two runs, texts of products and queries, and a study half done."""

from __future__ import annotations

import csv
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from idealist.io.reading import read_run
from idealist.web.importing import Upload, import_file
from idealist.web.people.users import local_person
from idealist.web.store.clock import now
from idealist.web.store.events import add_event
from idealist.web.store.projects import create_project
from idealist.web.store.tables import items
from idealist.web.store.tasks import add_task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.web.workbench import Workbench

FILES = Path(__file__).parent / "files"
UPLOADS = ("shop.qrels", "a.run", "b.run", "products.csv", "queries.csv")
SHOWN = 5  # documents of a list side by side


def add_demo(workbench: Workbench) -> int:
    """Adds the project, as if its files had been uploaded."""
    person = local_person(workbench.database)
    about = "A small shop: 40 queries, products graded 0 to 3, a search by words and one that knows synonyms."
    project = create_project(workbench.database, "Shop", about, user=person.id)
    for name in UPLOADS:
        import_file(workbench, project, Upload(FILES / name, name), user=person.id)
    _add_study(workbench, project, person.id)
    return project


def _add_study(workbench: Workbench, project: int, user: int) -> None:
    """The side-by-side study of votes.csv as a task whose first half is done."""
    first, second = (read_run(FILES / name) for name in ("a.run", "b.run"))
    with open(FILES / "votes.csv", encoding="utf-8", newline="") as file:
        votes = {row["query"]: row for row in csv.DictReader(file) if row["query"] in first}
    contents = []
    for query, vote in votes.items():
        lists = {"a": first.ranking(query)[:SHOWN], "b": second.ranking(query)[:SHOWN]}
        left, right = ("b", "a") if vote["side"] == "left" else ("a", "b")
        content = {"query": query, "left": lists[left], "right": lists[right]}
        contents.append({"content": content, "hidden": {"left": left, "right": right}})
    task = add_task(
        workbench.database,
        project,
        kind="sides",
        name="Words or synonyms?",
        contents=contents,
        raters=[user],
        settings={"systems": ["a", "b"]},
        user=user,
    )
    with workbench.database.reading() as connection:
        wanted = items.select().where(items.c.task_id == task).order_by(items.c.place)
        half = connection.execute(wanted).all()[: len(contents) // 2]
    for item in half:
        vote = votes[item.content["query"]]
        id = str(uuid5(NAMESPACE_URL, f"idealist-demo/{vote['query']}"))
        add_event(
            workbench.database,
            id=id,
            item=item.id,
            user=user,
            kind="vote",
            content={"vote": vote["vote"]},
            made=now(),
        )
