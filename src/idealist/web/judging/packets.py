"""Packets: the rest of a rater's task as one HTML file, and the ballots that come back."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from pathlib import Path

from idealist.base.frozen import Frozen
from idealist.errors import InputError
from idealist.web.access.secrets import same
from idealist.web.judging.rater_queue import NotAssigned, answer, favours_unseen, pending, shown_items

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.web.judging.tasks import Task
    from idealist.web.workbench import Workbench

STATIC = Path(__file__).parents[1] / "static"
SCRIPTS = ("judging_items.js", "judging_form.js", "packet.js")
STYLES = ("idealist.css", "judging.css")
LARGEST_PACKET = 2_000  # items: a ballot stays below a megabyte
FORMAT, VERSION = "idealist-ballot", 1
# What an answer of a ballot has, and of which type.
FIELDS = {"id": str, "item": int, "kind": str, "content": dict, "made": int}


class ImportedBallot(Frozen):
    """What a ballot brought: answers that are new, those that were there, and messages about those refused."""

    added: int
    known: int
    refused: tuple[str, ...]


def packet_data(workbench: Workbench, task: Task, rater: int) -> dict[str, Any]:
    """What a packet holds: the open items of a rater as they are shown, and the key that seals its ballot."""
    queued = pending(workbench.database, task.id, rater, after=-1, count=LARGEST_PACKET + 1)
    if not task.open or not queued:
        raise InputError("there is nothing left to judge for this rater", hint="choose another")
    if len(queued) > LARGEST_PACKET:
        raise InputError(
            f"a packet has at most {LARGEST_PACKET:,} items", hint="make tasks of fewer queries for it"
        )
    packet = f"{task.id}-{rater}-{secrets.token_hex(8)}"
    items = shown_items(workbench, task, queued)
    return {"packet": packet, "key": packet_key(workbench, packet), "items": items}


def packet_key(workbench: Workbench, packet: str) -> str:
    return hmac.new(workbench.secret, f"packet:{packet}".encode(), hashlib.sha256).hexdigest()


def packet_script() -> str:
    """The modules of a packet as one."""
    lines = []
    for name in SCRIPTS:
        source = (STATIC / "js" / name).read_text(encoding="utf-8")
        lines += [
            line.removeprefix("export ") for line in source.splitlines() if not line.startswith("import ")
        ]
    return "\n".join(lines)


def packet_style() -> str:
    return "\n".join((STATIC / name).read_text(encoding="utf-8") for name in STYLES)


def import_ballot(workbench: Workbench, task: Task, content: bytes) -> ImportedBallot:
    """Adds the answers of a ballot, once however often it is sent; one that was altered, or is of another task, is refused."""
    packet, answers = _opened(workbench, task, content)
    rater = int(packet.split("-")[1])
    added, known, refused = 0, 0, []
    for entry in answers:
        try:
            if favours_unseen(entry["kind"], entry["content"]):
                raise InputError("raters choose between left and right")
            new = answer(workbench, user=rater, **{name: entry[name] for name in FIELDS})
            added, known = added + new, known + (not new)
        except (InputError, NotAssigned) as error:
            refused.append(f"item {entry['item']}: {getattr(error, 'message', error)}")
    return ImportedBallot(added, known, tuple(refused))


def _opened(workbench: Workbench, task: Task, content: bytes) -> tuple[str, list[dict[str, Any]]]:
    try:
        ballot = json.loads(content)
        packet, answers, seal = ballot["packet"], ballot["answers"], ballot["seal"]
        if ballot["format"] != FORMAT or ballot["version"] != VERSION:
            raise ValueError
        if not isinstance(answers, str) or not all(part.isascii() for part in (packet, seal)):
            raise ValueError
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError(
            "this is not a ballot", hint="send the file that the packet saved, as it is"
        ) from None
    key = bytes.fromhex(packet_key(workbench, packet))
    sealed = hmac.new(key, answers.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
    if not same(seal, sealed):
        raise InputError(
            "this ballot was altered, or is of another workbench: its seal does not fit; nothing was changed",
            hint="send the file that the packet saved, as it is",
        )
    if packet.split("-")[0] != str(task.id):
        raise InputError(
            f"this ballot is of task {packet.split('-')[0]}, not of this one", hint="send it there"
        )
    return packet, _answers(answers)


def _answers(text: str) -> list[dict[str, Any]]:
    """The answers of a ballot: who has a packet has its key, and can seal whatever they write."""
    try:
        answers = json.loads(text)
        whole = all(
            isinstance(entry[name], kind) and entry[name] is not True and entry[name] is not False
            for entry in answers
            for name, kind in FIELDS.items()
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        whole = False
    if not whole:
        raise InputError(
            "the answers of this ballot are not those of a packet",
            hint="judge in the packet, and save it there",
        )
    return answers  # type: ignore[no-any-return]
