"""Packets of a task for raters without access, and their ballots."""

from __future__ import annotations

import hashlib
from base64 import b64encode

from idealist.errors import InputError
from idealist.web.packets import import_ballot, packet_data, packet_script, packet_style
from idealist.web.problems import reworded
from idealist.web.screens.judging import form_values, script_texts
from idealist.web.screens.project_tasks import BASE, show_task, this_task
from idealist.web.screens.visit import Screen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from starlette.responses import Response

    from idealist.web.screens.visit import Visit


def send_packet(visit: Visit) -> Response:
    """The packet as a file, in the language of the page."""
    task = this_task(visit)
    data = packet_data(visit.workbench, task, visit.number("rater"))
    source, style = packet_script(), packet_style()
    answer = visit.show(
        "packet.html",
        script={**data, "texts": script_texts(visit.language)},
        source=source,
        style=style,
        script_hash=_hash(source),
        style_hash=_hash(style),
        **form_values(task),
    )
    answer.headers["content-disposition"] = f'attachment; filename="packet-{data["packet"]}.html"'
    return answer


def take_ballots(visit: Visit) -> Response:
    task = this_task(visit)
    files = visit.files("ballot")
    if not files:
        raise InputError("no file was chosen", hint="choose the ballot that a packet saved", code="no-file")
    imported = []
    for file in files:
        try:
            imported.append(import_ballot(visit.workbench, task, file.file.read()))
        except InputError as error:  # those before it are imported, and the page says so
            visit.problem = reworded(error, str, before=f"{file.filename}: ")
            break
    return show_task(visit, imported)


def _hash(text: str) -> str:
    """Of an inline script or style, as a policy names it."""
    return b64encode(hashlib.sha256(text.encode()).digest()).decode()


SCREENS = (
    Screen("GET", BASE + "/{task:int}/packets/{rater:int}", send_packet, again=show_task),
    Screen("POST", BASE + "/{task:int}/ballots", take_ballots, again=show_task),
)
