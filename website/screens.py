"""The pictures of the workbench in the documentation: screens of its sample project, and of one with weeks behind it, in Chromium.

python website/screens.py docs

The machine needs a font with Chinese letters, such as that of Debian's package fonts-noto-cjk.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from idealist.web.access.accounts import local_person
from idealist.web.base.server_settings import Settings, files_folder
from idealist.web.comparing.trends import add_annotation
from idealist.web.demo import FILES, add_demo
from idealist.web.projects.importing import Upload, import_file
from idealist.web.projects.projects import create_project
from idealist.web.workbench import Workbench

WEEK = 7 * 24 * 3600 * 1000
FIRST_WEEK = 1_791_800_000_000  # in October 2026
DEPTH = 10
EXPLAIN = (
    "/projects/1/explain?run=a&query=red-lipstick&measure=nDCG&k=10&gain=linear&discount=log2&ideal=judged"
)
# Of each picture: the address, the width and height of the window, and how wide the picture is.
SCREENS = {
    "workbench": (EXPLAIN, 940, 783, 1880),
    "workbench-evaluate": ("/projects/1/evaluate", 1200, 860, 1000),
    "workbench-explain": (EXPLAIN, 1200, 1200, 1000),
    "workbench-compare": ("/projects/1/compare", 1200, 1500, 1000),
    "workbench-study": ("/projects/1/studies/1", 1200, 1300, 1000),
    "workbench-lists": (
        "/projects/1/lists?baseline=a&system=b&query=cheap-perfume&measure=nDCG%4010",
        1200,
        1400,
        1000,
    ),
    "workbench-sides": ("/tasks/1", 1200, 860, 1000),
    "workbench-history": ("/projects/2/history", 1100, 1060, 1000),
}


def add_weeks(workbench: Workbench, folder: Path) -> None:
    """A second project: a run that was improved week by week, then a better one, then judgments of fewer queries."""
    person = local_person(workbench.database).id
    about = "The same shop: its search by words from week to week, and the one that knows synonyms."
    project = create_project(workbench.database, "Shop, week by week", about, user=person)

    def bring(week: float, name: str, text: str) -> None:
        path = folder / name
        path.write_text(text, encoding="utf-8")
        with mock.patch(
            "idealist.web.projects.project_sources.now", return_value=FIRST_WEEK + round(week * WEEK)
        ):
            import_file(workbench, project, Upload(path, name), user=person)

    judgments, a, b = (
        (FILES / name).read_text(encoding="utf-8") for name in ("shop.qrels", "a.run", "b.run")
    )
    bring(0, "shop.qrels", judgments)
    for week in range(4):
        bring(week, "a.run", _with_worst_first(a, 3 - week))
    with mock.patch("idealist.web.comparing.trends.now", return_value=FIRST_WEEK + round(3.5 * WEEK)):
        add_annotation(workbench.database, project, "", "new guidelines", user=person)
    bring(3.5, "b.run", b)
    lines = judgments.splitlines(keepends=True)
    bring(4, "shop.qrels", "".join(line for line in lines if not line.startswith("cheap-s")))


def _with_worst_first(run: str, every: int) -> str:
    """The run with the first documents of some queries the other way round: of none, or of every second, third or fourth."""
    lists: dict[str, list[list[str]]] = {}
    for line in run.splitlines():
        lists.setdefault(line.split()[0], []).append(line.split())
    for number, rows in enumerate(lists.values()):
        if every and number % (5 - every) == 0:
            documents = [row[2] for row in rows]
            for row, document in zip(rows, [*documents[:DEPTH][::-1], *documents[DEPTH:]], strict=True):
                row[2] = document
    return "".join(f"{' '.join(row)}\n" for rows in lists.values() for row in rows)


def save(page: Page, width: int, path: Path) -> None:
    """As a PNG of 256 colours, which is a third as large; rare ones, such as that of a loss, stay what they are."""
    with Image.open(io.BytesIO(page.screenshot())) as picture:
        size = width, round(picture.height * width / picture.width)
        picture.convert("RGB").resize(size, Image.Resampling.LANCZOS).quantize(
            256, Image.Quantize.MAXCOVERAGE
        ).save(path, optimize=True)


def main(folder: Path) -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("there is no chromium on the path: install the package chromium")
    with TemporaryDirectory(prefix="idealist-screens-") as work:
        database = str(Path(work) / "shop.db")
        workbench = Workbench(Settings(database=database, folder=files_folder(database)))
        add_demo(workbench)
        add_weeks(workbench, Path(work))
        workbench.close()
        take(chromium, database, folder)


def take(chromium: str, database: str, folder: Path) -> None:
    served = [sys.executable, "-m", "idealist", "serve", "--db", database, "--port", "0"]
    server = subprocess.Popen(served, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        assert server.stdout is not None
        lines = iter(server.stdout.readline, "")
        address = next(word for line in lines for word in line.split() if word.startswith("http"))
        with sync_playwright() as started:
            browser = started.chromium.launch(
                executable_path=chromium, args=["--no-sandbox", "--disable-background-networking"]
            )
            for name, (path, width, height, picture_width) in SCREENS.items():
                page = browser.new_page(
                    viewport={"width": width, "height": height}, device_scale_factor=2, locale="en-GB"
                )
                page.goto(address.rstrip("/") + path)
                page.wait_for_load_state("networkidle")
                page.wait_for_timeout(1500)  # charts are drawn after the last request
                save(page, picture_width, folder / f"{name}.png")
                page.close()
            browser.close()
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
