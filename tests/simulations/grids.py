"""What a grid of simulations is, how it is run, and where its results and tables are kept.

A grid has rows of cells; a cell is a rate in percent, found with seeds of its own, so that it comes out the same wherever it
is run. `make simulate-all` runs all cells of every grid and writes `results/NAME.json` and the tables of
the documentation; `make simulate` runs the cells that a grid names as its worst, and compares them with that file.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
RESULTS = HERE / "results"

Rates = dict[str, dict[str, float]]  # by row and column, in percent


class Row(NamedTuple):
    """Cells that belong together: `rate(column, samples)` is one of them, in percent."""

    key: str
    columns: tuple[str, ...]
    rate: Callable[[str, int], float]


class Grid(NamedTuple):
    """A grid: `rows` of what there is to simulate, `allowed` the least and the highest rate that a cell may have (None
    where it is only shown), `worst` the cells that `make simulate` runs, and `tables` of the documentation, by their names there."""

    name: str
    about: str
    samples: int
    rows: Callable[[], Iterable[Row]]
    allowed: Callable[[str, str], tuple[float, float] | None]
    worst: tuple[tuple[str, str], ...]
    tables: Callable[[Rates], Mapping[str, str]]


# The modules of this folder that have a GRID.
GRIDS = (
    "machine_coverage",
    "machine_ships",
    "mean_difference",
    "planned_queries",
    "uneven_weights",
    "candidates",
    "known_shares",
    "random_clicks",
    "equal_votes",
    "ab_tests",
)


def grid_named(name: str) -> Grid:
    grid: Grid = import_module(f"simulations.{name}").GRID
    return grid


def results_of(grid: Grid) -> Rates:
    record: dict[str, Any] = json.loads((RESULTS / f"{grid.name}.json").read_text(encoding="utf-8"))
    rates: Rates = record["rates"]
    return rates


def samples_of(grid: Grid) -> int:
    """How many samples the results are of."""
    record = json.loads((RESULTS / f"{grid.name}.json").read_text(encoding="utf-8"))
    return int(record["samples"])


def standard_error(rate: float, samples: int) -> float:
    """Of a rate in percent, by the binomial distribution; of 0 and 100 that of one sample more."""
    share = min(max(rate / 100, 1 / samples), 1 - 1 / samples)
    return float(100 * (share * (1 - share) / samples) ** 0.5)


def with_tables(text: str, tables: Mapping[str, str]) -> str:
    """A page with its tables anew: each stands between <!-- table NAME --> and <!-- end -->."""
    for name, table in tables.items():
        pattern = re.compile(rf"(<!-- table {re.escape(name)} -->\n).*?(<!-- end -->)", re.DOTALL)
        text = pattern.sub(lambda found: f"{found[1]}{table.strip()}\n{found[2]}", text)  # noqa: B023
    return text


def pages() -> list[Path]:
    return [
        path for path in sorted((ROOT / "docs").rglob("*.md")) if "<!-- table " in path.read_text("utf-8")
    ]


def _cells_of(task: tuple[str, str, int]) -> tuple[str, dict[str, float]]:
    name, key, samples = task
    (row,) = (row for row in rows_of(name) if row.key == key)
    return key, {column: round(row.rate(column, samples), 2) for column in row.columns}


@cache
def rows_of(name: str) -> list[Row]:
    """The rows of a grid."""
    return list(grid_named(name).rows())


def run(name: str, samples: int | None = None, processes: int | None = None) -> None:
    """All cells of a grid, to its file of results and the tables of the documentation."""
    grid, begun = grid_named(name), time.time()
    samples = samples or grid.samples
    tasks = [(name, row.key, samples) for row in rows_of(name)]
    rates: Rates = {}
    with ProcessPoolExecutor(processes or os.cpu_count()) as pool:
        for done, (key, cells) in enumerate(pool.map(_cells_of, tasks), 1):
            rates[key] = cells
            print(f"\r{name}: {done} of {len(tasks)} rows", end="", file=sys.stderr)
    print(f", {time.time() - begun:.0f} s", file=sys.stderr)
    record = {"about": grid.about, "samples": samples, "rates": dict(sorted(rates.items()))}
    RESULTS.mkdir(exist_ok=True)
    lines = [f"  {json.dumps(key)}: {json.dumps(cells)}" for key, cells in record["rates"].items()]  # type: ignore[attr-defined]
    text = (
        f'{{"about": {json.dumps(grid.about)},\n "samples": {samples},\n "rates": {{\n'
        + ",\n".join(lines)
        + "\n}}\n"
    )
    (RESULTS / f"{name}.json").write_text(text, encoding="utf-8")
    write_tables(grid)


def write_tables(grid: Grid) -> None:
    tables = grid.tables(results_of(grid))
    for page in pages():
        text = page.read_text(encoding="utf-8")
        if (new := with_tables(text, tables)) != text:
            page.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    # python -m simulations.grids [NAME …] [--samples N], in tests/
    arguments = sys.argv[1:]
    stated = None
    if "--samples" in arguments:
        at = arguments.index("--samples")
        stated = int(arguments[at + 1])
        del arguments[at : at + 2]
    for each in arguments or GRIDS:
        run(each, stated)
