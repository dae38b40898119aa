"""The contents of a workbench, read by commands: judgments, runs, and the votes of its studies.

What a workbench holds, read by commands: `shop.db::judgments`, `shop.db::runs/a`, `shop.db::votes`, and the same behind
the address of one that runs, `http://127.0.0.1:8765/projects/1::judgments`.

Runs and judgments are files beside the database; votes are events, from which a table is made.
"""

from __future__ import annotations

import json
import os
from contextlib import closing

from idealist.base.frozen import Frozen
from idealist.base.system import temporary_path
from idealist.data.vote_words import NUMBERS, WORDS, normal
from idealist.errors import InputError, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping
    from typing import Any


class Answer(Frozen):
    """A vote that stands, from the candidate's side; `side` is where the candidate was shown to this rater, `seconds`
    how long they looked, where that is known."""

    event: str
    item: int
    rater: str
    vote: int
    side: str
    made: int
    seconds: float | None = None


class StudyItem(Frozen):
    """An item that was voted on: the two lists as they are stored, and what raters do not see."""

    id: int
    query: str
    left: tuple[str, ...]
    right: tuple[str, ...]
    candidate_side: str
    segment: str | None
    weight: float | None
    expected: int | None


class StudyData(Frozen):
    """The items of a study that have votes, the votes, the adjudications, and how many votes most queries will have."""

    items: tuple[StudyItem, ...]
    answers: tuple[Answer, ...]
    adjudications: tuple[Answer, ...]
    votes_per_query: int | None = None


def vote_columns(data: StudyData) -> dict[str, list[Any]]:
    """The votes of a study as the columns of a table, in the order in which they came. `vote` is what counts: the
    decision on an item, where there is one, in the place of every vote on it; `given` is what the rater said."""
    known = {item.id: item for item in data.items}
    decided = {answer.item: answer.vote for answer in data.adjudications}
    rows = [(answer, known[answer.item]) for answer in data.answers]
    columns: dict[str, list[Any]] = {
        "query": [item.query for _, item in rows],
        "item": [str(item.id) for _, item in rows],
        "rater": [answer.rater for answer, _ in rows],
        "vote": [decided.get(item.id, answer.vote) for answer, item in rows],
        "given": [answer.vote for answer, _ in rows],
        "side": [answer.side for answer, _ in rows],
        "time": [answer.made for answer, _ in rows],
    }
    if any(item.segment is not None for item in data.items):
        columns["segment"] = [item.segment or "–" for _, item in rows]
    if any(item.weight is not None for item in data.items):
        columns["weight"] = [1.0 if item.weight is None else item.weight for _, item in rows]
    if any(item.expected is not None for item in data.items):
        columns["expected"] = [item.expected for _, item in rows]
    return columns


def votes_text(data: StudyData) -> str:
    """The votes as CSV."""
    import csv
    import io

    columns = vote_columns(data)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return out.getvalue()


def known_vote(word: object) -> int:
    """A stored vote, from the candidate's side, as a number from −3 to 3.

    >>> known_vote("good"), known_vote(-2)
    (1, -2)
    """
    vote = {**WORDS, **NUMBERS}.get(normal(word))
    if vote is None:
        raise InputError(f"{word!r} is not a vote", hint="good, same or bad, or a number from −3 to 3")
    return vote


def item_of(id: int, content: Mapping[str, Any], hidden: Mapping[str, Any], candidate: str) -> StudyItem:
    """An item as it is stored: what raters see, and what they do not."""
    expected, weight = hidden.get("expected"), hidden.get("weight")
    return StudyItem(
        id,
        str(content["query"]),
        tuple(content.get("left") or ()),
        tuple(content.get("right") or ()),
        "left" if hidden.get("left") == candidate else "right",
        hidden.get("segment") or None,
        None if weight is None else float(weight),
        None if expected in (None, "") else known_vote(expected),
    )


def answer_of(
    item: StudyItem, *, event: str, rater: str, content: Mapping[str, Any], side: str | None, made: int
) -> Answer:
    """A vote or an adjudication as it is stored; `side` is that of the rater's assignment."""
    shown = content.get("side") or side or item.candidate_side
    return Answer(event, item.id, rater, known_vote(content.get("vote")), shown, made, content.get("seconds"))


TOKEN = "IDEALIST_TOKEN"
SCHEMES = ("http://", "https://")
MAGIC = b"SQLite format 3\0"
TABLES = {"alembic_version", "projects", "sources", "tasks", "items", "events"}
PARTS = "judgments, runs/NAME, votes or votes/STUDY"
PATIENCE = 60  # seconds that a server may be silent


def stored_part(path: str, part: str) -> tuple[str, str] | None:
    """The file that a part of a workbench is in, and what it is called; None where this is no workbench, or the part
    is one of its tables."""
    if path.startswith(SCHEMES):
        return _fetched(path, part)
    try:
        with open(path, "rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                return None
    except OSError:
        return None  # reading says what is wrong
    import sqlite3
    from urllib.request import pathname2url

    try:
        address = f"file:{pathname2url(os.path.abspath(path))}?mode=ro"
        with closing(sqlite3.connect(address, uri=True)) as base:
            base.row_factory = sqlite3.Row
            tables = {row["name"] for row in base.execute("SELECT name FROM sqlite_master")}
            if not tables >= TABLES or part in tables:
                return None
            return _found(base, path, part)
    except (sqlite3.Error, UnicodeDecodeError):
        return None  # as above


def is_workbench(path: str) -> bool:
    """Whether a file is the database of a workbench, which only its server writes."""
    if not os.path.isfile(path):
        return False
    try:
        return stored_part(path, "") is not None
    except InputError:
        return True


def _found(base: sqlite3.Connection, path: str, part: str) -> tuple[str, str]:
    project, rest = _project_of(base, path, part)
    kind, _, name = rest.partition("/")
    if rest == "judgments" or (kind == "runs" and name):
        return _stored_file(base, path, project, kind.removesuffix("s") if name else rest, name)
    if kind == "votes":
        data = _study(base, path, project, name)
        return _temporary("votes.csv", votes_text(data).encode()), name or "votes"
    raise _unknown(path, part)


def _unknown(path: str, part: str) -> InputError:
    return InputError(
        f"this is a workbench, which has no part {part!r}"
        if part
        else "this is a workbench; name a part of it",
        source=path,
        hint=f"{PARTS}; of several projects, PROJECT/judgments and so on",
    )


def _project_of(base: sqlite3.Connection, path: str, part: str) -> tuple[int, str]:
    """The project that a part begins with, or the only one, and the rest of the part."""
    names = {
        row["name"]: row["id"]
        for row in base.execute("SELECT id, name FROM projects WHERE removed IS NULL ORDER BY id")
    }
    for name in sorted(names, key=len, reverse=True):  # a name may begin with another
        if part.startswith(f"{name}/"):
            return names[name], part.removeprefix(f"{name}/")
    if len(names) == 1:
        return next(iter(names.values())), part
    listed = ", ".join(names) or "none"
    raise InputError(
        f"this workbench has {len(names)} projects, and {part!r} names none of them",
        source=path,
        hint=f"write PROJECT/{part or 'judgments'}; the projects are: {listed}",
    )


def _stored_file(base: sqlite3.Connection, path: str, project: int, kind: str, name: str) -> tuple[str, str]:
    rows = base.execute(
        "SELECT name, stored_sha256 FROM sources WHERE project_id = ? AND kind = ? AND replaced IS NULL ORDER BY name",
        (project, kind),
    ).fetchall()
    chosen = next((row for row in rows if kind == "judgments" or row["name"] == name), None)
    if chosen is None:
        listed = ", ".join(row["name"] for row in rows) or "none"
        what = "judgments" if kind == "judgments" else f"run {name!r}"
        raise InputError(
            f"the project has no {what}",
            source=path,
            hint="add them on its page" if kind == "judgments" else f"its runs are: {listed}",
        )
    sha256 = chosen["stored_sha256"]
    file = os.path.join(f"{path}.files", sha256[:2], f"{sha256}.tsv")
    if not os.path.isfile(file):
        raise InputError(
            f"the file of {chosen['name']!r} is not in {path}.files",
            source=path,
            hint="files are kept elsewhere (--files): name the address of the workbench instead of its database",
        )
    return file, "judgments" if kind == "judgments" else name


def _study(base: sqlite3.Connection, path: str, project: int, name: str) -> StudyData:
    """The votes that stand in a study, in the order in which they came."""
    task = _task(base, path, project, name)
    candidate = (json.loads(task["settings"]).get("systems") or ("A", "B"))[-1]
    wanted = "SELECT id, content, hidden FROM items WHERE task_id = ? AND withdrawn IS NULL ORDER BY place"
    items = {
        row["id"]: item_of(row["id"], json.loads(row["content"]), json.loads(row["hidden"]), candidate)
        for row in base.execute(wanted, (task["id"],))
    }
    rows = base.execute(
        "SELECT e.*, u.name AS rater, a.side FROM events e JOIN users u ON u.id = e.user_id "
        "LEFT JOIN assignments a ON a.item_id = e.item_id AND a.user_id = e.user_id "
        "WHERE e.task_id = ? ORDER BY e.number",
        (task["id"],),
    ).fetchall()
    undone = {row["about"] for row in rows if row["kind"] == "undo"}
    last: dict[tuple[int, int, bool], Any] = {}
    for row in rows:
        if row["kind"] != "undo" and row["id"] not in undone:
            key = (row["item_id"], row["user_id"], row["kind"] == "adjudicate")
            last.pop(key, None)  # the answer that replaces another came later
            last[key] = row
    standing = [
        (
            row["kind"],
            answer_of(
                items[row["item_id"]],
                event=row["id"],
                rater=row["rater"],
                content=json.loads(row["content"]),
                side=row["side"],
                made=row["made"],
            ),
        )
        for row in last.values()
        if row["kind"] in ("vote", "adjudicate") and row["item_id"] in items
    ]
    answers = tuple(answer for kind, answer in standing if kind == "vote")
    decisions = {answer.item: answer for kind, answer in standing if kind == "adjudicate"}
    voted = {answer.item for answer in answers}
    if not answers:
        raise InputError(f"the study {task['name']!r} has no votes yet", source=path)
    return StudyData(
        tuple(item for item in items.values() if item.id in voted),
        answers,
        tuple(answer for item, answer in decisions.items() if item in voted),
    )


def _task(base: sqlite3.Connection, path: str, project: int, name: str) -> Any:
    wanted = "SELECT id, name, settings FROM tasks WHERE project_id = ? AND kind = 'sides' ORDER BY id"
    rows = base.execute(wanted, (project,)).fetchall()
    chosen = [row for row in rows if not name or row["name"] == name]
    if len(chosen) == 1:
        return chosen[0]
    listed = ", ".join(row["name"] for row in rows) or "none"
    raise InputError(
        f"there is no study {name!r}" if name and not chosen else f"there are {len(chosen)} such studies",
        source=path,
        hint=f"name one as votes/STUDY; the studies are: {listed}",
    )


def _fetched(address: str, part: str) -> tuple[str, str]:
    """A part of a project of a workbench that runs elsewhere, by its API."""
    from urllib.parse import quote, urlsplit

    from idealist.remote.transport import checked_address

    parsed = urlsplit(
        checked_address(address, "workbench", "https://bench.example.org/projects/1::judgments")
    )
    base = f"{parsed.scheme}://{parsed.netloc}"
    words = [word for word in parsed.path.split("/") if word]
    if words and (len(words) != 2 or words[0] != "projects" or not words[1].isdigit()):
        raise InputError(
            "this is not the address of a project",
            source=address,
            hint=f"such as {base}/projects/1::judgments",
        )
    project = words[1] if words else _only_project(base, address)
    kind, _, name = part.partition("/")
    if part != "judgments" and kind not in ("votes", "runs"):
        raise _unknown(address, part)
    content = _asked(f"{base}/api/projects/{project}/data/{quote(part)}", address)
    file = "votes.csv" if kind == "votes" else f"{kind}.tsv"
    return _temporary(file, content), name or kind


def _only_project(base: str, address: str) -> str:
    answer = _asked(f"{base}/api/projects", address)
    try:
        projects = [(str(entry["id"]), entry["name"]) for entry in json.loads(answer)]
    except (ValueError, KeyError, TypeError):
        raise InputError(
            "the server has no list of projects", source=address, hint="is this the address of a workbench?"
        ) from None
    if len(projects) == 1:
        return projects[0][0]
    listed = ", ".join(f"{base}/projects/{number} ({name})" for number, name in projects) or "none"
    raise InputError(
        f"this workbench has {len(projects)} projects", source=address, hint=f"name one of: {listed}"
    )


def _asked(url: str, address: str) -> bytes:
    """The answer of a server. Redirections are not followed: the token is for this server alone."""
    from http.client import HTTPException
    from urllib.error import HTTPError, URLError
    from urllib.request import Request

    from idealist.remote.transport import hidden, opener, read_key, require_privacy

    headers = {"Accept": "*/*"}
    if token := read_key(TOKEN):
        require_privacy(url, token, TOKEN)
        headers["Authorization"] = f"Bearer {token}"
    try:
        with opener(url).open(Request(url, headers=headers), timeout=PATIENCE) as answer:
            content: bytes = answer.read()
            return content
    except HTTPError as error:
        with error:
            try:
                said = error.read().decode("utf-8", "replace")
            except (HTTPException, OSError):  # cut off: the status says enough
                said = ""
            raise _refused(error.code, hidden(said, token), address) from None
    except (URLError, HTTPException, OSError, ValueError) as error:
        reason = visible(hidden(str(getattr(error, "reason", error)), token))
        if isinstance(error, HTTPException):
            reason = "what it sent is cut off, or not HTTP"
        raise InputError(
            f"the workbench does not answer: {reason}", source=address, hint="is it running? `idealist serve`"
        ) from None


def _refused(code: int, content: str, address: str) -> InputError:
    """An error of the API as that of a command."""
    try:
        answer = json.loads(content)
        message, hint = str(answer["detail"]), str(answer.get("hint") or "")
    except (ValueError, KeyError, TypeError, AttributeError):
        message, hint = f"the server answered with status {code}", "is this the address of a workbench?"
    if code in (401, 403):
        hint = f"make a token on the page Account and put it in the environment as {TOKEN}"
    return InputError(message, source=address, hint=hint)


def _temporary(name: str, content: bytes) -> str:
    """A file with this content, which is removed when the program ends."""
    path = temporary_path(name)
    with open(path, "wb") as file:
        file.write(content)
    return path
