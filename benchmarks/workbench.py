"""How long pages of the workbench take with many large runs.

    python benchmarks/workbench.py [--runs 100] [--queries 7000] [--depth 1000] [--large 1]

Makes a project of `--runs` runs, `--large` of them with `--depth` documents a query and the others with 10, and prints how long
bringing in a large one takes, and the median and the slowest of ten requests for each page once all is measured.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from pathlib import Path

from starlette.testclient import TestClient

from idealist.web.app import application
from idealist.web.importing import Upload, import_file
from idealist.web.settings import Settings
from idealist.web.store.projects import create_project
from idealist.web.workbench import Workbench

JUDGED = 20
DOCUMENTS, STEP = 100_000, 7_919  # a prime that goes through all documents
TIMES = 10


def write_run(path: Path, queries: int, depth: int, seed: int) -> None:
    rng = random.Random(seed)
    with open(path, "w", encoding="utf-8") as file:
        for query in range(queries):
            first = rng.randrange(DOCUMENTS)
            file.writelines(
                f"q{query} Q0 d{(first + STEP * rank) % DOCUMENTS} {rank} {depth - rank} x\n"
                for rank in range(1, depth + 1)
            )


def write_judgments(path: Path, queries: int) -> None:
    rng = random.Random(0)
    with open(path, "w", encoding="utf-8") as file:
        for query in range(queries):
            documents = rng.sample(range(DOCUMENTS), JUDGED)
            file.writelines(f"q{query} 0 d{document} {rng.randrange(4)}\n" for document in documents)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--queries", type=int, default=7_000)
    parser.add_argument("--depth", type=int, default=1_000)
    parser.add_argument("--large", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        workbench = Workbench(Settings(str(folder / "bench.db"), folder / "files"))
        project = create_project(workbench.database, "large")
        write_judgments(folder / "j.qrels", arguments.queries)
        import_file(workbench, project, Upload(folder / "j.qrels", "j.qrels"))
        for number in range(arguments.runs):
            large = number < arguments.large
            path = folder / f"run{number:03}.run"
            write_run(path, arguments.queries, arguments.depth if large else 10, number)
            began = time.perf_counter()
            import_file(workbench, project, Upload(path, path.name))
            if large:
                print(
                    f"bringing in {path.stat().st_size / 1e6:.0f} MB: {time.perf_counter() - began:.1f} s",
                    flush=True,
                )
            path.unlink()
        client = TestClient(application(workbench), base_url="http://127.0.0.1")
        began = time.perf_counter()
        while "aria-busy" in client.get(f"/projects/{project}/evaluate").text:
            time.sleep(0.5)
        print(f"measuring all: {time.perf_counter() - began:.1f} s", flush=True)
        client.get(f"/projects/{project}/explain?run=run000&query=q77")
        for path_asked in (
            "/projects",
            f"/projects/{project}",
            f"/projects/{project}/evaluate",
            f"/projects/{project}/explain?run=run000&query=q77",
            f"/projects/{project}/explain/moved?run=run000&query=q77",
        ):
            taken = []
            for _ in range(TIMES):
                began = time.perf_counter()
                assert client.get(path_asked).status_code == 200
                taken.append(time.perf_counter() - began)
            print(f"{path_asked}: {1e3 * statistics.median(taken):.0f} ms, at most {1e3 * max(taken):.0f} ms")
        workbench.close()


if __name__ == "__main__":
    main()
