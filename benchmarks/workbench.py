"""How long pages of the workbench take with many large runs.

    python benchmarks/workbench.py [--runs 100] [--queries 7000] [--depth 1000] [--uploads 2] [--folder F]

Makes a project of `--runs` runs, all different, with `--depth` documents for each of `--queries` queries (100 × 7,000 × 1,000
are 12 GB), texts of queries and documents, and a side-by-side task. The first `--uploads` runs are brought in as a page does
it, and the memory that takes is printed; the others are written to the folder of stored files as they would stand there, which
takes a twentieth of the time and leaves the same files. Then it prints, for each page, the time of the first request, which may
show that numbers are still being computed, and the median and the 95th percentile of `--times` requests once they are there;
with the median time of the processor, which does not depend on what else the machine does.
"""

from __future__ import annotations

import argparse
import random
import resource
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from idealist.web.access.accounts import local_person
from idealist.web.app import application
from idealist.web.base.server_settings import Settings
from idealist.web.judging.task_making import make_side_task
from idealist.web.projects.importing import Upload, import_file
from idealist.web.projects.project_sources import add_source
from idealist.web.projects.projects import create_project
from idealist.web.workbench import Workbench

JUDGED = 20
DOCUMENTS, STEP = 100_000, 7_919  # a prime that goes through all documents
# Different rankings, of which each query of each run has one: what makes runs differ costs nothing.
LISTS = 200
MARK = b"\0"
PAGES = {
    "projects": "/projects",
    "data": "/projects/1",
    "source": "/projects/1/sources/2",
    "evaluate": "/projects/1/evaluate",
    "evaluate, why two tools differ": "/projects/1/evaluate?run=run000&other=lightgbm",
    "explain": "/projects/1/explain?run=run000&query=q0077",
    "explain, another gain": "/projects/1/explain?run=run001&query=q0077&gain=exp",
    "explain, moved": "/projects/1/explain/moved?run=run000&query=q0077",
    "compare": "/projects/1/compare?baseline=run000&system=run001",
    "compare, by words": "/projects/1/compare?baseline=run000&system=run001&segments=words",
    "compare, values": "/projects/1/compare/data?baseline=run000&system=run001",
    "lists": "/projects/1/lists?query=q0077&baseline=run000&system=run001",
    "history": "/projects/1/history",
    "exports": "/projects/1/exports",
    "plan": "/projects/1/plan",
    "tasks": "/projects/1/tasks",
    "new task": "/projects/1/tasks/new/sides",
    "task": "/projects/1/tasks/1",
    "studies": "/projects/1/studies",
    "my tasks": "/tasks",
    "judging": "/tasks/1",
    "next items": "/api/tasks/1/items?count=5",
}


def templates(depth: int, line: str) -> list[bytes]:
    """Rankings with a mark in the place of the query."""
    return [
        "".join(
            line.format(document=(start * 401 + STEP * rank) % DOCUMENTS, rank=rank, score=depth - rank)
            for rank in range(1, depth + 1)
        ).encode()
        for start in range(LISTS)
    ]


def rows(lists: list[bytes], queries: int, seed: int) -> Iterator[bytes]:
    drawn = random.Random(seed)
    return (drawn.choice(lists).replace(MARK, b"q%04d" % query) for query in range(queries))


def write_texts(folder: Path, queries: int) -> list[Path]:
    """Judgments, and what queries and documents say."""
    drawn = random.Random(0)
    paths = [folder / name for name in ("j.qrels", "queries.tsv", "documents.tsv")]
    with open(paths[0], "w", encoding="utf-8") as file:
        for query in range(queries):
            documents = drawn.sample(range(DOCUMENTS), JUDGED)
            file.writelines(f"q{query:04} 0 d{document} {drawn.randrange(4)}\n" for document in documents)
    words = ["red", "long", "cheap", "shoe", "dress", "lamp"]
    with open(paths[1], "w", encoding="utf-8") as file:
        file.write("query\ttext\n")
        file.writelines(
            f"q{query:04}\t{' '.join(drawn.sample(words, drawn.randint(1, 4)))}\n" for query in range(queries)
        )
    with open(paths[2], "w", encoding="utf-8") as file:
        file.write("document\ttitle\ttext\n")
        file.writelines(f"d{number}\tTitle {number}\t{'Some words. ' * 20}\n" for number in range(DOCUMENTS))
    return paths


def put_run(workbench: Workbench, lists: list[bytes], queries: int, depth: int, number: int) -> None:
    """A run as bringing it in leaves it."""
    with tempfile.TemporaryDirectory(dir=workbench.files.folder) as folder:
        written = Path(folder) / "content.tsv"
        with open(written, "wb") as file:
            file.write(b"query\tdocument\tscore\n")
            file.writelines(rows(lists, queries, number))
        size = written.stat().st_size
        stored = workbench.files.keep(written)
    facts: dict[str, Any] = {
        "kind": "run",
        "name": f"run{number:03}",
        "filename": f"run{number:03}.tsv",
        "size": size,
    }
    facts |= {"rows": queries * depth, "queries": queries, "findings": {}}
    with workbench.database.writing() as connection:
        add_source(connection, 1, content_sha256=stored, stored_sha256=stored, **facts)


def memory() -> float:
    """The most memory that this process had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def fill(workbench: Workbench, folder: Path, arguments: argparse.Namespace) -> None:
    assert create_project(workbench.database, "large") == 1
    for path in write_texts(folder, arguments.queries):
        began = time.perf_counter()
        import_file(workbench, 1, Upload(path, path.name))
        print(f"bringing in {path.name}: {time.perf_counter() - began:.1f} s, {memory():.0f} MB", flush=True)
    trec = templates(arguments.depth, "\0 Q0 d{document} {rank} {score} x\n")
    for number in range(arguments.uploads):
        path = folder / f"run{number:03}.run"
        with open(path, "wb") as file:
            file.writelines(rows(trec, arguments.queries, number))
        began = time.perf_counter()
        import_file(workbench, 1, Upload(path, path.name))
        print(
            f"bringing in {path.stat().st_size / 1e6:.0f} MB: {time.perf_counter() - began:.1f} s, {memory():.0f} MB",
            flush=True,
        )
        path.unlink()
    stored = templates(arguments.depth, "\0\td{document}\t{score}\n")
    began = time.perf_counter()
    for number in range(arguments.uploads, arguments.runs):
        put_run(workbench, stored, arguments.queries, arguments.depth, number)
    print(f"{arguments.runs - arguments.uploads} more runs: {time.perf_counter() - began:.0f} s", flush=True)
    began = time.perf_counter()
    rater = local_person(workbench.database).id
    make_side_task(workbench, 1, name="Which?", baseline="run000", candidate="run001", raters=[rater])
    print(f"making a task: {time.perf_counter() - began:.1f} s", flush=True)


def show_times(client: TestClient, times: int) -> None:
    print("\n| page | first | median | 95 % | processor |\n|---|---:|---:|---:|---:|")
    for name, path in PAGES.items():
        first, _ = asked(client, path)
        wait_for(client, path)
        taken, used = [], []
        for _ in range(times):
            began = time.process_time()
            taken.append(asked(client, path)[0])
            used.append(1e3 * (time.process_time() - began))
        late = sorted(taken)[min(times - 1, int(0.95 * times))]
        shown = (first, statistics.median(taken), late, statistics.median(used))
        print(f"| {name} | {' | '.join(f'{number:.0f} ms' for number in shown)} |", flush=True)


def asked(client: TestClient, path: str) -> tuple[float, str]:
    """The milliseconds that an answer took, and the answer."""
    began = time.perf_counter()
    answer = client.get(path)
    taken = 1e3 * (time.perf_counter() - began)
    assert answer.status_code == 200, (path, answer.status_code, answer.text[:500])
    return taken, answer.text


def wait_for(client: TestClient, path: str) -> None:
    """Until a page has all its numbers: before that it asks again, after a delay."""
    while 'hx-trigger="load delay:' in asked(client, path)[1]:
        time.sleep(0.5)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--queries", type=int, default=7_000)
    parser.add_argument("--depth", type=int, default=1_000)
    parser.add_argument("--uploads", type=int, default=2)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument(
        "--folder", type=Path, help="keep the workbench there, and use the one that is there (default: none)"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = arguments.folder or Path(name)
        folder.mkdir(exist_ok=True)
        kept = (folder / "bench.db").exists()
        workbench = Workbench(Settings(str(folder / "bench.db"), folder / "files"))
        if not kept:
            fill(workbench, folder, arguments)
        client = TestClient(application(workbench), base_url="http://127.0.0.1")
        began = time.perf_counter()
        first, _ = asked(client, PAGES["evaluate"])
        wait_for(client, PAGES["evaluate"])
        print(
            f"the first page of evaluation: {first:.0f} ms; all measured after {time.perf_counter() - began:.0f} s",
            flush=True,
        )
        show_times(client, arguments.times)
        workbench.close()


if __name__ == "__main__":
    main()
