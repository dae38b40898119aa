"""Tasks made: which items they have, and who judges which."""

from __future__ import annotations

import random
import secrets

from sqlalchemy import and_, not_, or_, select

from idealist.conventions import DEFAULT
from idealist.data.reading import read_run
from idealist.errors import InputError
from idealist.plan.document_samples import first_documents, pool_documents
from idealist.web.access.accounts import LOCAL, LOGS_IN, person_of
from idealist.web.base.schema import users
from idealist.web.comparing.run_values import stored_judgments
from idealist.web.judging.rater_queue import HIGHEST_GRADE
from idealist.web.judging.tasks import add_task
from idealist.web.projects.project_sources import judgments_of, required_runs
from idealist.web.projects.projects import LONGEST_NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from idealist.data import Run
    from idealist.web.access.accounts import Person
    from idealist.web.workbench import Workbench

    Queues = dict[int, list[tuple[int, str | None]]]


SIDES = ("left", "right")
LABELS = ("hidden", "shown", "order")  # what raters see of a language model's labels
UNITS = ("lists", "documents")
DEEPEST = 100
MOST_TASK_ITEMS = 500_000


def draw_queues(
    groups: Sequence[Sequence[int]],
    raters: Sequence[int],
    overlap: int,
    *,
    seed: int,
    for_all: Sequence[int] = (),
    sided: bool = False,
    in_order: bool = False,
) -> Queues:
    """The queue of each rater: items by index, with a side for each where `sided`.

    Items of a group, such as the documents of a query, go to the same `overlap` raters, one behind the other: those with
    the fewest items so far, so that nobody gets more than one group more than another. Items of `for_all` go to
    everybody. Each rater has the groups in an order of their own, and the items of a group too, unless `in_order`.

    >>> queues = draw_queues([[0], [1], [2], [3]], [7, 8], 1, seed=0)
    >>> sorted(len(queue) for queue in queues.values())
    [2, 2]
    """
    drawn = random.Random(seed)
    chosen: dict[int, list[list[int]]] = {rater: [] for rater in raters}
    load = dict.fromkeys(raters, 0)
    # Large groups first: what is left over is then small.
    for group in sorted(drawn.sample(list(groups), len(groups)), key=len, reverse=True):
        by_load = sorted(drawn.sample(list(raters), len(raters)), key=lambda rater: load[rater])
        for rater in by_load[:overlap]:
            chosen[rater].append(list(group))
            load[rater] += len(group)
    queues: Queues = {}
    for rater, own in chosen.items():
        own = [*own, *([item] for item in for_all)]
        drawn.shuffle(own)
        for group in own:
            if not in_order:
                drawn.shuffle(group)
        queues[rater] = [(item, drawn.choice(SIDES) if sided else None) for group in own for item in group]
    return queues


def make_grade_task(
    workbench: Workbench,
    project: int,
    *,
    name: str,
    runs: Sequence[str],
    depth: int,
    raters: Sequence[int],
    overlap: int = 1,
    guidelines: str = "",
    highest: int = HIGHEST_GRADE,
    again: bool = False,
    labels: Mapping[str, Mapping[str, float]] | None = None,
    show_labels: str = "hidden",
    seed: int | None = None,
    user: int | None = None,
) -> int:
    """Documents to grade: the first `depth` of every run, in an order that says nothing about the systems.

    Documents that are judged already are left out, unless `again`. `labels` are grades by a language model: hidden from
    raters, shown to them, or only used to put the documents of a query in order, the best first.
    """
    seed = secrets.randbelow(2**31) if seed is None else seed
    _require(workbench, name, raters, overlap, depth)
    if not 1 <= highest <= HIGHEST_GRADE:
        raise InputError(f"the highest grade is from 1 to {HIGHEST_GRADE}, not {highest}")
    if show_labels not in LABELS:
        raise InputError(f"{show_labels!r} is not a use of labels", hint=f"name one of: {', '.join(LABELS)}")
    judgments = None if again else judgments_of(workbench.database, project)
    judged = None if judgments is None else stored_judgments(workbench.files.path(judgments.stored))
    pool = pool_documents(_runs(workbench, project, runs), depth, judged=judged, seed=seed)
    contents: list[dict[str, Any]] = []
    groups: list[list[int]] = []
    for query, documents in pool.items():
        known = {} if labels is None else labels.get(query, {})
        if labels is not None and show_labels == "order":
            documents = sorted(documents, key=lambda document: -known.get(document, -1.0))
        groups.append(list(range(len(contents), len(contents) + len(documents))))
        for document in documents:
            content: dict[str, Any] = {"query": query, "document": document}
            hidden = {"label": known[document]} if document in known else {}
            contents.append(
                {"content": content | (hidden if show_labels == "shown" else {}), "hidden": hidden}
            )
    _require_items(contents, "every document of these runs is judged, down to this depth")
    settings = {"runs": list(runs), "depth": depth, "overlap": overlap, "highest": highest, "seed": seed}
    settings |= {"labels": show_labels} if labels is not None else {}
    return add_task(
        workbench.database,
        project,
        kind="grades",
        name=_one_line(name),
        contents=contents,
        raters=list(raters),
        settings=settings,
        guidelines=guidelines.strip(),
        user=user,
        queues=draw_queues(groups, raters, overlap, seed=seed, in_order=settings.get("labels") == "order"),
    )


def make_side_task(
    workbench: Workbench,
    project: int,
    *,
    name: str,
    baseline: str,
    candidate: str,
    raters: Sequence[int],
    unit: str = "lists",
    depth: int = 5,
    overlap: int = 1,
    queries: int | None = None,
    known: int = 0,
    reasons: Sequence[str] = (),
    guidelines: str = "",
    seed: int | None = None,
    user: int | None = None,
) -> int:
    """Two runs side by side: their first `depth` documents, or the two documents at the first rank where they differ.

    Queries with nothing to choose between are left out, and counted in the settings. `queries` draws that many of the
    others. `known` items are mixed in for every rater whose answer is known: a list beside that of another query.
    """
    seed = secrets.randbelow(2**31) if seed is None else seed
    _require(workbench, name, raters, overlap, depth)
    if unit not in UNITS:
        raise InputError(f"{unit!r} is not a unit", hint=f"name one of: {', '.join(UNITS)}")
    if known < 0:
        raise InputError(f"{known} items with a known answer cannot be mixed in", hint="0 or more")
    if baseline == candidate:
        raise InputError("the two runs are the same", hint="choose another candidate", code="same-run")
    first, second = _runs(workbench, project, [baseline, candidate]).values()
    shared = [query for query in first if query in second]
    pairs = {query: _pair(first, second, query, unit, depth) for query in shared}
    different = [query for query in shared if pairs[query] is not None]
    drawn = random.Random(seed)
    if queries is not None:
        if not 0 < queries <= len(different):
            raise InputError(
                f"{queries:,} queries cannot be drawn: the runs differ on {len(different):,}",
                hint="ask for fewer, or for all",
            )
        different = drawn.sample(different, queries)
    systems = {"left": baseline, "right": candidate}
    contents: list[dict[str, Any]] = []
    for query in different:
        left, right = pairs[query] or ([], [])
        contents.append({"content": {"query": query, "left": left, "right": right}, "hidden": systems})
    _require_items(contents, "these runs have the same documents for every query that both have")
    checks = _known_items(second, unit, depth, known, drawn)
    contents += [{**check, "hidden": {**systems, **check["hidden"]}} for check in checks]
    # Numbers of items are seen by raters: they must not tell which ones have a known answer.
    drawn.shuffle(contents)
    with_answer = [at for at, entry in enumerate(contents) if "expected" in entry["hidden"]]
    settings = {
        "systems": [baseline, candidate],
        "unit": unit,
        "depth": depth,
        "overlap": overlap,
        "alike": len(shared) - sum(pair is not None for pair in pairs.values()),
        "known": known,
        "reasons": list(dict.fromkeys(_one_line(reason) for reason in reasons if reason.strip())),
        "seed": seed,
    }
    return add_task(
        workbench.database,
        project,
        kind="sides",
        name=_one_line(name),
        contents=contents,
        raters=list(raters),
        settings=settings,
        guidelines=guidelines.strip(),
        user=user,
        queues=draw_queues(
            [[at] for at, entry in enumerate(contents) if "expected" not in entry["hidden"]],
            raters,
            overlap,
            seed=seed,
            for_all=with_answer,
            sided=True,
        ),
    )


def possible_raters(workbench: Workbench) -> list[Person]:
    """Everybody who can log in, raters who judge in packets, and at the loopback address the person there."""
    local = users.c.name == LOCAL
    able = or_(LOGS_IN, users.c.role == "rater", local)
    if workbench.settings.login:
        able = and_(able, not_(local))
    wanted = select(users).where(able, users.c.disabled.is_(None)).order_by(users.c.name)
    with workbench.database.reading() as connection:
        return [person_of(row) for row in connection.execute(wanted)]


def _pair(first: Run, second: Run, query: str, unit: str, depth: int) -> tuple[list[str], list[str]] | None:
    """What is shown of the two runs, or None where it is the same."""
    left, right = (first_documents(run, query, depth, DEFAULT) for run in (first, second))
    if unit == "documents":
        differ = [(a, b) for a, b in zip(left, right, strict=False) if a != b]
        return ([differ[0][0]], [differ[0][1]]) if differ else None
    return None if left == right else (left, right)


def _known_items(run: Run, unit: str, depth: int, count: int, drawn: random.Random) -> list[dict[str, Any]]:
    """Items whose answer is known: what a run has for a query, beside what it has for another and not for this one."""
    shown = 1 if unit == "documents" else depth
    queries = list(run)
    items: list[dict[str, Any]] = []
    for query in drawn.sample(queries, len(queries)):
        if len(items) == count:
            break
        own, all_own = first_documents(run, query, shown, DEFAULT), set(run.ranking(query))
        for other in drawn.sample(queries, min(len(queries), 20)):
            foreign = first_documents(run, other, shown, DEFAULT)
            if own and foreign and not all_own & set(foreign):
                good = drawn.random() < 0.5
                left, right = (foreign, own) if good else (own, foreign)
                content = {"query": query, "left": left, "right": right}
                items.append({"content": content, "hidden": {"expected": "good" if good else "bad"}})
                break
    if len(items) < count:
        raise InputError(
            f"{count:,} items with a known answer cannot be made of this run, but {len(items):,} can",
            hint="they take queries that share no documents; ask for fewer",
        )
    return items


def _runs(workbench: Workbench, project: int, names: Sequence[str]) -> dict[str, Run]:
    if not names:
        raise InputError("no run was chosen", hint="choose at least one")
    chosen = required_runs(workbench.database, project, names)
    return {run.name: read_run(workbench.files.path(run.stored)) for run in chosen}


def _require(workbench: Workbench, name: str, raters: Sequence[int], overlap: int, depth: int) -> None:
    if not 0 < len(_one_line(name)) <= LONGEST_NAME:
        raise InputError(f"a task's name has 1 to {LONGEST_NAME} characters", hint="name the task")
    if not raters:
        raise InputError("no rater was chosen", hint="choose who judges")
    known = {rater.id for rater in possible_raters(workbench)}
    for rater in raters:
        if rater not in known:
            raise InputError(f"there is no rater {rater}, or they were disabled", hint="choose others")
    if not 1 <= overlap <= len(raters):
        raise InputError(
            f"{overlap} raters cannot judge each item: {len(raters)} are chosen",
            hint="choose more raters, or fewer for each item",
        )
    if not 1 <= depth <= DEEPEST:
        raise InputError(f"the depth is from 1 to {DEEPEST}, not {depth}")


def _require_items(contents: Sequence[object], reason: str) -> None:
    if not contents:
        raise InputError(f"there is nothing to judge: {reason}", hint="choose other runs, or a greater depth")
    if len(contents) > MOST_TASK_ITEMS:
        raise InputError(
            f"this would be {len(contents):,} items; a task has at most {MOST_TASK_ITEMS:,}",
            hint="choose a smaller depth, or fewer queries",
        )


def _one_line(text: str) -> str:
    return " ".join(text.split())
