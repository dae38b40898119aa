"""Grids of simulations: what they found is allowed, the documentation quotes it, and their worst cells come out so again."""

from __future__ import annotations

import pytest

from simulations.grids import (
    GRIDS,
    RESULTS,
    Grid,
    grid_named,
    pages,
    results_of,
    rows_of,
    samples_of,
    standard_error,
    with_tables,
)
from simulations.mean_difference import relative_power

ALL = [grid_named(name) for name in GRIDS]
WORST = [(grid, key, column) for grid in ALL for key, column in grid.worst]


def test_every_grid_has_its_results() -> None:
    assert sorted(path.stem for path in RESULTS.glob("*.json")) == sorted(GRIDS)
    assert all(samples_of(grid) == grid.samples for grid in ALL)


@pytest.mark.parametrize("grid", ALL, ids=lambda grid: grid.name)
def test_every_cell_is_as_it_may_be(grid: Grid) -> None:
    others = {
        (key, column): rate
        for key, cells in results_of(grid).items()
        for column, rate in cells.items()
        if (allowed := grid.allowed(key, column)) is not None and not allowed[0] <= rate <= allowed[1]
    }
    assert others == {}


@pytest.mark.parametrize("grid", ALL, ids=lambda grid: grid.name)
def test_the_documentation_quotes_the_results(grid: Grid) -> None:
    tables = grid.tables(results_of(grid))
    quoted = set()
    for page in pages():
        text = page.read_text(encoding="utf-8")
        assert with_tables(text, tables) == text, f"{page.name}: `make simulate-all` writes its tables anew"
        quoted |= {name for name in tables if f"<!-- table {name} -->" in text}
    assert quoted == set(tables)


@pytest.mark.slow
@pytest.mark.parametrize(("grid", "key", "column"), WORST, ids=lambda value: getattr(value, "name", value))
def test_the_worst_cells_come_out_so_again(grid: Grid, key: str, column: str) -> None:
    row = next((row for row in rows_of(grid.name) if row.key == key), None)
    if row is None:
        pytest.skip("the data that this cell is of are not there")
    rate, expected = row.rate(column, grid.samples), results_of(grid)[key][column]
    # The same seeds: but for rounding on other machines, the same rate.
    assert rate == pytest.approx(expected, abs=max(0.11, standard_error(expected, grid.samples)))
    least, most = grid.allowed(key, column) or (0, 100)
    assert least <= rate <= most


def test_better_is_found_nearly_as_often_as_by_student() -> None:
    rates = results_of(grid_named("mean_difference"))
    assert relative_power(rates, "10% to 25%", "50") >= 0.85
