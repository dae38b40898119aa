"""What the pages of raters have in common: a report that may be older than the last answers, and what is to be decided."""

from __future__ import annotations

from urllib.parse import urlencode
from uuid import uuid4

from idealist.web.jobs import ended_within
from idealist.web.remembering import PATIENCE
from idealist.web.store.contents import query_texts
from idealist.web.store.task_reading import TaskState, task_state
from idealist.web.study_reports import last_report, reader_of, start_report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from idealist.web.adjudicating import Disagreement
    from idealist.web.screens.visit import Visit
    from idealist.web.study_reports import Report, Wanted

PAGE = 20  # items of the list to adjudicate


def awaited_report(
    visit: Visit, wanted: Wanted, asked: dict[str, str] | None = None
) -> tuple[Report | None, dict[str, Any]]:
    """The report, if there is one within a page's patience, and whether it is `pending`: the votes that were there when
    the page was asked for are not all in it. `newer` are those that are not in it by now."""
    now = task_state(visit.database, wanted.study.id)
    first = _since(visit.asked("since")) or now
    report = last_report(visit.workbench, wanted)
    if report is None or not report.state.covers(first):
        ended_within([start_report(visit.workbench, wanted)], PATIENCE)
        report = last_report(visit.workbench, wanted)
    return report, {
        "pending": report is None or not report.state.covers(first),
        "newer": 0 if report is None else max(0, now.events - report.state.events),
        "address": urlencode({**(asked or {}), "since": f"{first.events}.{first.withdrawn}"}),
    }


def _since(text: str) -> TaskState | None:
    """The state of the study when the page was asked for, as the address of its part says it."""
    events, _, withdrawn = text.partition(".")
    if not (events.isdecimal() and withdrawn.isdecimal()):
        return None
    return TaskState(int(events), 0, int(withdrawn))


def raters_shown(
    visit: Visit, wanted: Wanted, disagreements: Callable[[Any], list[Disagreement]]
) -> tuple[Report | None, dict[str, Any]]:
    """The report on raters, and what the templates show of it and of the items that they disagree on, a page of them."""
    report, shown = awaited_report(visit, wanted)
    shown |= {"report": None if report is None else report.content, "listed": None, "queries": {}}
    # What there is to decide is always that of now, so that a decision is seen at once.
    reader = reader_of(visit.workbench, wanted.study)
    if reader.quick(task_state(visit.database, wanted.study.id)):
        listed = disagreements(reader.read(visit.database)[1])
        page = listed[:PAGE]
        asked = [entry.item.query for entry in page]
        shown |= {
            "listed": page,
            "all_listed": len(listed),
            "waiting": sum(entry.open for entry in listed),
            "queries": query_texts(visit.database, visit.number("project"), list(dict.fromkeys(asked))),
            "new_id": lambda: str(uuid4()),
        }
    return report, shown
