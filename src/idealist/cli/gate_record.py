"""The decision of a gate on record, and whether the record still fits rules and inputs."""

from __future__ import annotations

import os

from idealist import __version__
from idealist.cli.gate_lock import LIBRARIES, described_file
from idealist.comparison.decision_records import HINT, DecisionRecord
from idealist.data.opening import no_such_file
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.cli.gate_file import Gate
    from idealist.cli.gate_running import GateDecision

# Who runs a pipeline, as GitHub and GitLab say it.
USERS = ("GITHUB_ACTOR", "GITLAB_USER_LOGIN")


def refuse_record(path: str, gate: Gate, *, force: bool) -> None:
    """Raises before anything is measured where the record could not be written."""
    from idealist.cli.files import refuse_existing, refuse_inputs, refuse_unwritable

    refuse_unwritable(path)
    refuse_existing(path, force)
    refuse_inputs(path, [gate.source, *gate.files()])


def write_record(path: str, gate: Gate, decision: GateDecision, *, by: str | None, force: bool) -> None:
    """Writes the decision, and says so on standard error."""
    import platform
    from datetime import UTC, datetime
    from importlib.metadata import version

    from idealist.cli.files import write_file
    from idealist.cli.messages import say

    record = DecisionRecord.of(
        {
            "written": datetime.now(UTC).isoformat(timespec="seconds"),
            "by": by or _user(),
            "gate": os.path.basename(gate.source),
            **_rules_and_inputs(gate),
            "verdict": decision.verdict.to_dict(),
            "parts": list(decision.parts),
            "notes": list(decision.notes),
            "versions": {
                "idealist": __version__,
                "python": platform.python_version(),
                **{library: version(library) for library in LIBRARIES},
            },
        }
    )
    write_file(path, record.to_json(), force=force)
    say(f"{path}: {record.outcome} by {record.by} is recorded")


def check_record(path: str, gate: Gate) -> int:
    """Whether a record fits the rules and inputs as they are now: says what does not, and gives the exit code."""
    from idealist.cli.options import write_lines

    record = read_record(path)
    said = f"{record.outcome} by {record.by} at {record.written}"
    differences = list(record.differences(_rules_and_inputs(gate)))
    if not differences:
        rules = (
            "rules fixed beforehand by the lock" if record.locked else "no lock fixed the rules beforehand"
        )
        write_lines(f"{path}: {said} fits rules and inputs; {rules}")
        return 0
    write_lines(f"{path}: {said} does not fit any more:", *(f"  {difference}" for difference in differences))
    return 1


def read_record(path: str) -> DecisionRecord:
    """A recorded decision in a file."""
    try:
        with open(path, encoding="utf-8") as opened:
            text = opened.read()
    except FileNotFoundError:
        raise no_such_file(path) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", source=path) from None
    except ValueError:
        raise InputError("this is not a recorded decision", source=path, hint=HINT) from None
    return DecisionRecord.from_text(text, path)


def _rules_and_inputs(gate: Gate) -> dict[str, Any]:
    """The rules of a gate, its files by their bytes, and its lock."""
    inputs: dict[str, Any] = {}
    for role, file in gate.inputs():
        number = sum(known.partition(" ")[0] == role for known in inputs) + 1
        inputs[role if number == 1 else f"{role} {number}"] = {
            "name": os.path.basename(file),
            **described_file(file, role),
        }
    lock = None if gate.settings["lock"] is None else described_file(gate.path("lock"), "lock")
    return {"settings": dict(gate.settings), "guards": dict(gate.guards), "inputs": inputs, "lock": lock}


def _user() -> str:
    from getpass import getuser

    named = next((os.environ[name] for name in USERS if os.environ.get(name)), None)
    try:
        return named or getuser()
    except (KeyError, OSError):  # a user without a name
        return "unknown"
