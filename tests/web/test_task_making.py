"""Tasks: what is judged, by whom, in which order, on which side."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from support.browsing import Browsing
from support.rater_tasks import LOCAL, PASSWORD, grade_task, rows, side_task

from idealist import InputError, read_run
from idealist.web.access.accounts import add_user
from idealist.web.judging.task_making import draw_queues
from idealist.web.judging.tasks import task_of
from idealist.web.workbench import Workbench


@pytest.mark.parametrize("overlap", [1, 2, 3])
def test_every_group_goes_to_as_many_raters_as_asked(overlap: int) -> None:
    groups = [[3 * at, 3 * at + 1, 3 * at + 2] for at in range(20)]
    queues = draw_queues(groups, [5, 6, 7], overlap, seed=1)
    counts = Counter(item for queue in queues.values() for item, _ in queue)
    assert counts == dict.fromkeys(range(60), overlap)
    loads = [len(queue) for queue in queues.values()]
    assert max(loads) - min(loads) <= 3  # one group
    for queue in queues.values():
        order = [item // 3 for item, _ in queue]
        assert sum(before != after for before, after in pairwise(order)) == len(set(order)) - 1


def test_sides_are_drawn_for_each_rater_and_item() -> None:
    queues = draw_queues([[at] for at in range(400)], [1, 2], 2, seed=3, sided=True)
    sides = {rater: dict(queue) for rater, queue in queues.items()}
    # Of 400 fair draws, within five standard deviations, √400 ⁄ 2 · 5 = 50, of 200.
    for drawn in sides.values():
        assert abs(sum(side == "left" for side in drawn.values()) - 200) < 50
    assert abs(sum(sides[1][at] == sides[2][at] for at in range(400)) - 200) < 50


def test_lists_are_those_of_the_runs(shop_bench: Workbench, shop: Path) -> None:
    task = side_task(shop_bench, depth=4)
    first, second = read_run(shop / "a.run"), read_run(shop / "b.run")
    made = rows(shop_bench, task)
    different = [
        query for query in first if query in second and first.ranking(query)[:4] != second.ranking(query)[:4]
    ]
    assert sorted(row.content["query"] for row in made) == sorted(different)
    for row in made:
        assert row.content["left"] == first.ranking(row.content["query"])[:4]
        assert row.content["right"] == second.ranking(row.content["query"])[:4]
        assert row.hidden == {"left": "a", "right": "b"}
    assert {row.side for row in made} == {"left", "right"}


def test_two_documents_are_the_first_that_differ(shop_bench: Workbench, shop: Path) -> None:
    first, second = read_run(shop / "a.run"), read_run(shop / "b.run")
    for row in rows(shop_bench, side_task(shop_bench, unit="documents", depth=10)):
        rankings = first.ranking(row.content["query"]), second.ranking(row.content["query"])
        (left,), (right,) = row.content["left"], row.content["right"]
        rank = rankings[0].index(left)
        assert rankings[1][rank] == right != left
        assert rankings[0][:rank] == rankings[1][:rank]


def test_items_with_a_known_answer_are_for_everybody(shop_bench: Workbench, shop: Path) -> None:
    raters = [LOCAL, *(add_user(shop_bench.database, name, PASSWORD, "rater").id for name in ("ann", "ben"))]
    made = rows(shop_bench, side_task(shop_bench, raters=raters, known=4))
    checks = [row for row in made if "expected" in row.hidden]
    assert Counter(row.user_id for row in checks) == dict.fromkeys(raters, 4)
    numbers = sorted({row.id for row in made})
    places = [numbers.index(number) for number in sorted({row.id for row in checks})]
    assert places not in (
        list(range(4)),
        list(range(len(numbers) - 4, len(numbers))),
    )  # ids are seen by raters
    run = read_run(shop / "b.run")
    for row in checks:
        good = row.hidden["expected"] == "good"  # of the candidate, on the right of the item
        own, foreign = row.content["right" if good else "left"], row.content["left" if good else "right"]
        assert own == run.ranking(row.content["query"])[:5]
        assert not set(foreign) & set(run.ranking(row.content["query"]))


def test_the_pool_is_the_first_documents_of_every_run(shop_bench: Workbench, shop: Path) -> None:
    runs = [read_run(shop / f"{name}.run") for name in ("a", "b")]
    pool = {(q, d) for run in runs for q in run for d in run.ranking(q)[:3]}
    made = rows(shop_bench, grade_task(shop_bench))
    assert {(row.content["query"], row.content["document"]) for row in made} == pool
    assert all(set(row.content) == {"query", "document"} and row.hidden == {} for row in made)


@pytest.mark.parametrize("use", ["hidden", "shown", "order"])
def test_labels_of_a_model(shop_bench: Workbench, shop: Path, use: str) -> None:
    run = read_run(shop / "a.run")
    labels = {q: {d: float(int(d[1:]) % 3) for d in run.ranking(q)} for q in run}
    number = grade_task(shop_bench, labels=labels, show_labels=use)
    made = rows(shop_bench, number)
    for row in made:
        assert row.hidden.get("label") == labels.get(row.content["query"], {}).get(row.content["document"])
        assert ("label" in row.content) == (use == "shown" and "label" in row.hidden)
    by_query: dict[str, list[float]] = {}
    for row in made:
        by_query.setdefault(row.content["query"], []).append(row.hidden.get("label", -1.0))
    falling = [queue == sorted(queue, reverse=True) for queue in by_query.values()]
    assert all(falling) == (use == "order")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"name": " "}, "name has 1 to"),
        ({"raters": []}, "no rater"),
        ({"raters": [77]}, "no rater 77"),
        ({"overlap": 2}, "2 raters cannot judge each item: 1 are chosen"),
        ({"depth": 0}, "depth is from 1"),
        ({"candidate": "a"}, "are the same"),
        ({"candidate": "c"}, "no run 'c'"),
        ({"queries": 4_000}, "cannot be drawn"),
        ({"known": 4_000}, "known answer cannot be made"),
        ({"known": -1}, "-1 items with a known answer"),
        ({"unit": "pages"}, "not a unit"),
    ],
)
def test_tasks_that_cannot_be_made(shop_bench: Workbench, changed: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        side_task(shop_bench, **changed)


def test_a_task_is_made_on_the_page(shop_bench: Workbench) -> None:
    browser = Browsing(shop_bench)
    page = "/projects/1/tasks/new/sides"
    fields = {"baseline": "a", "candidate": "b", "depth": "5", "known": "2", "overlap": "1", "raters": "1"}
    refused = browser.send(page, page, name="Study", reasons="Order，Price", **{**fields, "depth": "many"})
    assert refused.status_code == 422
    assert "depth: 'many' is not a whole number" in refused.text.replace("&#39;", "'")
    assert 'value="Study"' in refused.text  # what was typed is still there
    made = browser.send(page, page, name="Study", reasons="Order，Price", **fields)
    assert made.status_code == 200, made.text
    task = task_of(shop_bench.database, 3)  # the sample project has two
    assert task is not None
    assert (task.name, task.settings["reasons"], task.settings["known"]) == ("Study", ["Order", "Price"], 2)
    page = "/projects/1/tasks/new/grades"
    files = {"labels": ("m.qrels", b"lipstick 0 p001 nine\n")}
    fields = {"runs": "a", "depth": "5", "highest": "3", "overlap": "1", "raters": "1", "again": "yes"}
    refused = browser.send(page, page, files=files, name="Grades", **fields)
    assert refused.status_code == 422
    assert "m.qrels, line 1" in refused.text
    assert str(shop_bench.files.folder) not in refused.text
    assert browser.send(page, page, name="Grades", **fields).status_code == 200
    assert "Grades" in browser.page("/projects/1/tasks")
