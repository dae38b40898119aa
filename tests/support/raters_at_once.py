"""Raters who judge at the same time, over HTTP, and send everything twice."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen
from uuid import uuid4

from support.served import served


def task_for_raters(workbench: Any, folder: Path, raters: int, items: int) -> tuple[int, list[str]]:
    """A task of grades that every one of some raters has all items of, and a token of each."""
    from idealist.web.access.accounts import Person, rater_without_login
    from idealist.web.access.sessions import add_token
    from idealist.web.judging.task_making import make_grade_task
    from idealist.web.projects.importing import Upload, import_file
    from idealist.web.projects.projects import create_project

    path = folder / "all.run"
    path.write_text("".join(f"q{n} Q0 d{n} 1 1 all\n" for n in range(items)), encoding="utf-8")
    project = create_project(workbench.database, "load")
    import_file(workbench, project, Upload(path, path.name))
    people: list[Person] = [rater_without_login(workbench.database, f"rater{n}") for n in range(raters)]
    tokens = [add_token(workbench.database, person.id, "load") for person in people]
    ids = [person.id for person in people]
    facts: dict[str, Any] = {"runs": ["all"], "depth": 1, "raters": ids, "overlap": raters, "again": True}
    return make_grade_task(workbench, project, name="Grades", **facts), tokens


def judge_at_once(workbench: Any, task: int, tokens: list[str], votes: int) -> list[float]:
    """Everybody gives some votes at the same time; the seconds that each took to be acknowledged. Any other answer of the
    server than success raises."""
    with served(workbench) as address:

        def call(token: str, path: str, content: Any = None) -> Any:
            headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
            body = None if content is None else json.dumps(content).encode()
            with urlopen(Request(f"{address}{path}", body, headers), timeout=120) as answer:
                return json.load(answer)

        def judge(token: str) -> list[float]:
            took = []
            for vote in range(votes):
                (item,) = call(token, f"/api/tasks/{task}/items?count=1")
                event = {"id": str(uuid4()), "kind": "grade", "content": {"grade": vote % 5}, "made": vote}
                path = f"/api/items/{item['id']}/events"
                began = time.perf_counter()
                assert call(token, path, event) == {"added": True}
                took.append(time.perf_counter() - began)
                assert call(token, path, event) == {"added": False}
            return took

        with ThreadPoolExecutor(len(tokens)) as pool:
            return [seconds for each in list(pool.map(judge, tokens)) for seconds in each]


def stored_votes(workbench: Any, task: int) -> tuple[int, int, list[int]]:
    """Events of a task, answers that stand, and how many each rater has done."""
    from sqlalchemy import func, select

    from idealist.web.base.schema import events
    from idealist.web.judging.tasks import progress_of
    from support.standing_events import standing_events

    with workbench.database.reading() as connection:
        wanted = select(func.count()).select_from(events).where(events.c.task_id == task)
        count = int(connection.execute(wanted).scalar_one())
    stand = {(event.user_id, event.item_id) for event in standing_events(workbench.database, task)}
    return count, len(stand), [rater.done for rater in progress_of(workbench.database, task)]
