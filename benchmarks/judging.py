"""How long a rater waits: from the press of a key to the next item on the screen, in Chromium.

    python benchmarks/judging.py [--items 100000] [--votes 300] [--pause 0.15]

Makes a side-by-side task whose items are all pending, opens it, and votes by keyboard with `--pause` seconds between two
votes. The times are the browser's own: from the key's event to the frame in which the next query was painted. Prints the median,
the 95th percentile and the slowest, how often no item was there in time, and how long the server took for the next items.
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

from idealist.web.access.accounts import local_person
from idealist.web.base.schema import documents, queries
from idealist.web.base.server_settings import Settings
from idealist.web.judging.rater_queue import next_items
from idealist.web.judging.tasks import add_task, task_of
from idealist.web.projects.project_sources import replace_contents
from idealist.web.projects.projects import create_project
from idealist.web.workbench import Workbench

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from support.served import served
from support.standing_events import standing_events

DOCUMENTS, QUERIES, SHOWN = 20_000, 5_000, 5
WATCH = """() => {
  window.waits = []; window.missed = 0;
  document.addEventListener("keydown", (event) => {
    if (!/^[1-7]$/.test(event.key)) return;
    const before = document.getElementById("left").firstChild;
    const look = () => {
      const shown = document.getElementById("left").firstChild;
      const there = !document.getElementById("judging").hidden && shown !== before;
      if (!there) { window.missed++; return requestAnimationFrame(look); }
      // The frame after the one in which it was there: it has been painted.
      requestAnimationFrame(() => window.waits.push(performance.now() - event.timeStamp));
    };
    requestAnimationFrame(look);
  }, true);
}"""


def make_task(workbench: Workbench, items: int) -> int:
    rng = random.Random(0)
    person = local_person(workbench.database)
    project = create_project(workbench.database, "large")
    text = "A sentence that is as long as that of most products of a shop, with a size and a price. " * 2
    with workbench.database.writing() as connection:
        rows = (
            {"document": f"d{n}", "title": f"Product {n}", "text": text, "url": "", "image": ""}
            for n in range(DOCUMENTS)
        )
        replace_contents(connection, documents, project, rows)
        asked = ({"query": f"q{n}", "text": f"query number {n}"} for n in range(QUERIES))
        replace_contents(connection, queries, project, asked)

    def some() -> list[str]:
        return [f"d{rng.randrange(DOCUMENTS)}" for _ in range(SHOWN)]

    contents = [
        {
            "content": {"query": f"q{n % QUERIES}", "left": some(), "right": some()},
            "hidden": {"left": "a", "right": "b"},
        }
        for n in range(items)
    ]
    queue: list[tuple[int, str | None]] = [(at, rng.choice(("left", "right"))) for at in range(items)]
    settings = {"systems": ["a", "b"], "reasons": ["Order", "Price"]}
    return add_task(
        workbench.database,
        project,
        kind="sides",
        name="Which?",
        contents=contents,
        raters=[person.id],
        settings=settings,
        queues={person.id: queue},
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--votes", type=int, default=300)
    parser.add_argument("--pause", type=float, default=0.15)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, sync_playwright() as started:
        workbench = Workbench(Settings(str(Path(name) / "bench.db"), Path(name) / "files"))
        began = time.perf_counter()
        number = make_task(workbench, arguments.items)
        print(f"{arguments.items:,} items made in {time.perf_counter() - began:.1f} s", flush=True)
        task = task_of(workbench.database, number)
        assert task is not None
        took = []
        for at in range(20):
            began = time.perf_counter()
            next_items(workbench, task, 1, after=at * arguments.items // 20)
            took.append(1000 * (time.perf_counter() - began))
        print(
            f"the next ten items on the server: median {statistics.median(took):.1f} ms, slowest {max(took):.1f} ms"
        )
        with served(workbench) as address:
            browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            page = browser.new_page(base_url=address)
            began = time.perf_counter()
            page.goto(f"/tasks/{number}")
            page.locator("#judging").wait_for(state="visible")
            print(
                f"the first item: {1000 * (time.perf_counter() - began):.0f} ms after the address was opened"
            )
            page.wait_for_timeout(1000)
            page.evaluate(WATCH)
            rng = random.Random(1)
            for _ in range(arguments.votes):
                page.keyboard.press(str(rng.randint(1, 7)))
                page.wait_for_timeout(1000 * arguments.pause)
            page.locator("#state[data-state=saved]").wait_for()
            waits, missed = page.evaluate("[window.waits, window.missed]")
            browser.close()
            stored = len(standing_events(workbench.database, number))
        waits.sort()
        high = waits[int(0.95 * len(waits))]
        print(
            f"key to next item, {len(waits)} votes: median {statistics.median(waits):.0f} ms, "
            f"95th percentile {high:.0f} ms, slowest {waits[-1]:.0f} ms; frames without an item: {missed}; "
            f"votes stored: {stored}"
        )


if __name__ == "__main__":
    main()
