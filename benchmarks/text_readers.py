"""CSV and JSON lines to a run: our readers beside pyarrow's, polars' and Python's own, taking turns.

`python benchmarks/text_readers.py` prints, for each, the median CPU seconds of a process that reads the file (all its
threads together), those of one that also measures it, and the peak memory. docs/design/core.md argues with the numbers.
"""

from __future__ import annotations

import csv
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from idealist import evaluate, read_judgments, read_run
from idealist.cli import main
from idealist.show import Table

QUERIES, DOCUMENTS, JUDGED, ROUNDS = 2000, 1000, 40, 5
IDS = ["query", "document"]


def write_files(folder: Path) -> None:
    """Two million rows with made-up ids, as CSV and as JSON lines, and judgments of some of them."""
    chance = random.Random(1)
    with (folder / "run.csv").open("w") as table, (folder / "run.jsonl").open("w") as lines:
        table.write("query,document,score\n")
        with (folder / "judgments.csv").open("w") as judgments:
            judgments.write("query,document,grade\n")
            for query in range(1000, 1000 + QUERIES):
                documents = chance.sample(range(8_000_000), DOCUMENTS)
                score = 30.0
                for document in documents:
                    score -= chance.random() / 50
                    table.write(f"{query},doc{document},{score:.6f}\n")
                    lines.write(
                        f'{{"query": "{query}", "document": "doc{document}", "score": {score:.6f}}}\n'
                    )
                for document in chance.sample(documents, JUDGED):
                    judgments.write(f"{query},doc{document},{chance.randrange(4)}\n")


def nested(rows: Any) -> dict[str, dict[str, float]]:
    """Rows as the dict of dicts that a run can be made of."""
    run: dict[str, dict[str, float]] = {}
    for row in rows:
        run.setdefault(row["query"], {})[row["document"]] = float(row["score"])
    return run


def read(reader: str, path: Path) -> Any:
    """What a run is made of: a path, a table, or a dict. Ids are said to be text, or `007` would become 7."""
    if reader == "pyarrow":
        import pyarrow as pa

        if path.suffix == ".csv":
            from pyarrow.csv import ConvertOptions, read_csv

            return read_csv(
                path, convert_options=ConvertOptions(column_types=dict.fromkeys(IDS, pa.string()))
            )
        from pyarrow.json import ParseOptions, read_json

        schema = pa.schema([(name, pa.string()) for name in IDS])
        return read_json(path, parse_options=ParseOptions(explicit_schema=schema))
    if reader == "polars":
        import polars

        types = dict.fromkeys(IDS, polars.String)
        if path.suffix == ".csv":
            return polars.read_csv(path, schema_overrides=types)
        return polars.read_ndjson(path, schema_overrides=types)
    if reader == "Python":
        with path.open(newline="") as text:
            return nested(csv.DictReader(text) if path.suffix == ".csv" else map(json.loads, text))
    return path


def work(reader: str, path: Path, measured: bool) -> None:
    judgments = path.parent / "judgments.csv"
    if not measured:
        read_run(read(reader, path))
    elif reader == "idealist":  # as the command does: rows are measured while they are read, and not kept
        main(["evaluate", str(judgments), str(path), "-m", "nDCG@10", "--format", "csv"])
    else:
        result = evaluate(read_judgments(judgments), read_run(read(reader, path)), "nDCG@10")
        print(f"run,nDCG@10,{result.mean('nDCG@10')!r},")


def spent(folder: Path, reader: str, name: str, task: str) -> tuple[float, float, str]:
    """CPU seconds and megabytes of a process of its own, and what it printed."""
    command = [sys.executable, __file__, str(folder), reader, name, task]
    with tempfile.TemporaryFile("w+") as output:
        child = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise SystemExit(f"{' '.join(command)} failed with {child.returncode}")
        output.seek(0)
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output.read()


def compare(folder: Path) -> Table:
    write_files(folder)
    rows: list[list[Any]] = []
    for name in ("run.csv", "run.jsonl"):
        readers = ("idealist", "pyarrow", "polars", "Python")
        seen: dict[tuple[str, str], list[tuple[float, float, str]]] = {}
        for _ in range(ROUNDS):
            for reader in readers:
                for task in ("read", "measure"):
                    seen.setdefault((reader, task), []).append(spent(folder, reader, name, task))
        printed = [one[2] for (_, task), runs in seen.items() if task == "measure" for one in runs]
        values = {text.splitlines()[-1].split(",")[2] for text in printed}
        assert len(values) == 1, f"they disagree: {values}"
        for reader in readers:
            reading, measuring = seen[reader, "read"], seen[reader, "measure"]
            seconds = [median(one[0] for one in runs) for runs in (reading, measuring)]
            megabytes = [max(one[1] for one in runs) for runs in (reading, measuring)]
            rows.append([name, reader, *(f"{s:.2f}" for s in seconds), *(f"{m:.0f}" for m in megabytes)])
    return Table(["file", "reader", "read, CPU s", "measured, CPU s", "read, MB", "measured, MB"], rows)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        where, who, what, how = sys.argv[1:]
        work(who, Path(where) / what, how == "measure")
    else:
        with tempfile.TemporaryDirectory() as place:
            sys.stdout.write(compare(Path(place)).to_text())
