"""Results are computed once, the last of them are remembered, and a page does not wait longer than it may."""

from __future__ import annotations

from threading import Event

import pytest
from sqlalchemy import select, update

from idealist import InputError
from idealist.conventions import DEFAULT
from idealist.web.base.jobs import ended_within
from idealist.web.base.result_cache import ResultCache, StillComputing
from idealist.web.base.schema import evaluations
from idealist.web.comparing import run_values
from idealist.web.comparing.run_values import question
from idealist.web.projects.project_sources import list_sources, required_judgments
from idealist.web.workbench import Workbench


def test_a_result_is_computed_once(bench: Workbench) -> None:
    calls: list[str] = []

    def work() -> str:
        calls.append("a")
        return "done"

    results = ResultCache(2)
    assert [results.computed(bench, "a", work) for _ in range(3)] == ["done"] * 3
    assert calls == ["a"]


def test_the_oldest_is_forgotten(bench: Workbench) -> None:
    results = ResultCache(2)
    for key in ("a", "b"):
        results.computed(bench, key, lambda key=key: key.upper())  # type: ignore[misc]
    assert results.get("a") == "A"  # and is now the one that was asked for last
    results.computed(bench, "c", lambda: "C")
    assert [results.get(key) for key in ("a", "b", "c")] == ["A", None, "C"]


def test_a_page_does_not_wait(bench: Workbench) -> None:
    results, go = ResultCache(2), Event()

    def work() -> str:
        go.wait(20)
        return "done"

    with pytest.raises(StillComputing):
        results.computed(bench, "a", work, patience=0.01)
    go.set()
    assert results.computed(bench, "a", work) == "done"


def test_many_jobs_do_not_hold_up_a_page(bench: Workbench) -> None:
    """A comparison is there while a hundred runs are still being measured."""
    go = Event()
    for number in range(10):
        bench.jobs.start(number, lambda: (go.wait(20), None)[1])
    try:
        assert ResultCache(1).computed(bench, "a", lambda: "done") == "done"
    finally:
        go.set()


def test_what_is_wrong_is_raised(bench: Workbench) -> None:
    def work() -> str:
        raise InputError("the run lacks a query")

    with pytest.raises(InputError, match="lacks"):
        ResultCache(1).computed(bench, "a", work)


def test_another_version_measures_again(shop_bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A measure that was corrected keeps no old value; those of the old version are removed."""
    runs = [source.stored for source in list_sources(shop_bench.database, 1, "run")]
    judgments = required_judgments(shop_bench.database, 1)
    asked = question(judgments.stored, ["nDCG@10", "P@5"], DEFAULT)

    def stored() -> list[tuple[str, float]]:
        with shop_bench.database.reading() as connection:
            wanted = select(evaluations.c.version, evaluations.c.value).where(
                evaluations.c.run_sha256 == runs[0], evaluations.c.measure == "nDCG@10"
            )
            return [(row.version, row.value) for row in connection.execute(wanted)]

    monkeypatch.setattr(run_values, "__version__", "0.0.1")
    run_values.measure_run(shop_bench, asked, runs[0])
    with shop_bench.database.writing() as connection:  # what a measure said that was wrong
        connection.execute(update(evaluations).values(value=0.1))
    assert run_values.summaries(shop_bench, asked, runs)[runs[0], "nDCG@10"].value == 0.1
    monkeypatch.setattr(run_values, "__version__", "0.0.2")
    assert run_values.summaries(shop_bench, asked, runs) == {}
    ended_within(run_values.start_measuring(shop_bench, asked, runs), None)
    ((version, value),) = stored()
    assert version == "0.0.2"
    assert value != 0.1
