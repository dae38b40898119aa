"""Kill −9 while raters judge: what was acknowledged is there."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path
from uuid import uuid4

import pytest
from conftest import BUFFERED
from sqlalchemy import select

from idealist.web.access.accounts import add_user
from idealist.web.access.sessions import add_token
from idealist.web.base.schema import events, items
from idealist.web.base.server_settings import Settings, files_folder
from idealist.web.judging.tasks import add_task
from idealist.web.projects.projects import create_project
from idealist.web.workbench import Workbench

RATERS, ITEMS, BEFORE_KILL = 4, 200, 60


@pytest.mark.slow
def test_no_acknowledged_vote_is_lost(tmp_path: Path) -> None:
    path = str(tmp_path / "bench.db")
    workbench = Workbench(Settings(path, files_folder(path)))
    project = create_project(workbench.database, "shop")
    raters = [add_user(workbench.database, f"r{n}", "correct horse battery", "rater") for n in range(RATERS)]
    tokens = [add_token(workbench.database, rater.id, "test") for rater in raters]
    contents = [{"content": {"document": f"d{n}"}} for n in range(ITEMS)]
    task = add_task(
        workbench.database,
        project,
        kind="grades",
        name="t",
        contents=contents,
        raters=[rater.id for rater in raters],
    )
    with workbench.database.reading() as connection:
        numbers = list(connection.execute(select(items.c.id).where(items.c.task_id == task)).scalars())
    workbench.close()

    command = [sys.executable, "-m", "idealist", "serve", "--port", "0", "--db", path]
    acknowledged: set[str] = set()
    enough = threading.Event()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=BUFFERED
    ) as server:
        assert server.stdout is not None
        address = server.stdout.readline().removeprefix("Idealist workbench: ").strip()

        def judge(token: str) -> None:
            for item in numbers:
                id = str(uuid4())
                body = json.dumps({"id": id, "kind": "grade", "content": {"grade": 1}, "made": 0}).encode()
                headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
                asked = urllib.request.Request(f"{address}api/items/{item}/events", body, headers)
                try:
                    with urllib.request.urlopen(asked, timeout=20) as answer:
                        assert json.load(answer) == {"added": True}
                except (OSError, urllib.error.URLError, ValueError):
                    return  # the server is gone
                acknowledged.add(id)
                if len(acknowledged) >= BEFORE_KILL:
                    enough.set()

        threads = [threading.Thread(target=judge, args=(token,)) for token in tokens]
        for thread in threads:
            thread.start()
        assert enough.wait(60)
        server.kill()
        for thread in threads:
            thread.join()

    assert len(acknowledged) < RATERS * ITEMS, "all was judged before the server was killed"
    again = Workbench(Settings(path, files_folder(path)))
    with again.database.reading() as connection:
        stored = set(connection.execute(select(events.c.id)).scalars())
    again.close()
    assert acknowledged <= stored
