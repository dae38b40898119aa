"""The lock of a gate: what its baseline was when somebody last looked at it, so that a verdict never goes by a baseline
that changed unseen."""

from __future__ import annotations

import json
import os

from idealist import __version__
from idealist.base.frozen import Frozen
from idealist.base.wording import count_of, count_queries
from idealist.data.opening import no_such_file
from idealist.errors import InputError
from idealist.projects.settings import SIDES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from idealist.cli.gate_file import Gate
    from idealist.evaluation import Evaluation

FORMAT = "idealist gate lock"
VERSION = 1
# The files of a gate that are others for each candidate; a table of numbers has both sides.
CANDIDATE_FILES = ("candidate", "numbers.candidate", "numbers", "votes")
# Settings that are neither rules nor the baseline's.
OPEN = ("candidate", "candidate_system", "lock", "lock_days", "numbers", "votes")
LIBRARIES = ("numpy", "scipy")
SAME = 1e-9  # a relative difference that another platform's logarithm may make
SECONDS_OF_A_DAY = 86_400


class GateLock(Frozen):
    """A lock file that was read."""

    path: str
    record: Mapping[str, Any]

    def check_inputs(self, gate: Gate) -> list[str]:
        """Raises where the lock is too old, or where rules, version or files are not those of the lock. What else is
        different is returned as notes: libraries and platform do not decide a value."""
        self._check_age(gate)
        now = _facts_of(gate)
        for part in ("versions", "settings", "guards", "conventions", "inputs"):
            before, after = self.record[part], now[part]
            for name in dict.fromkeys((*before, *after)):
                if before.get(name) == after.get(name) or (part == "versions" and name != "idealist"):
                    continue
                raise self._stale(
                    gate, f"{_title(part, name)} {_change(part, before.get(name), after.get(name))}"
                )
        before = {**self.record["versions"], **self.record["platform"]}
        after = {**now["versions"], **now["platform"]}
        return [
            f"the baseline was locked with {name} {before.get(name)}, and this is {name} {after[name]}"
            for name in after
            if before.get(name) != after[name]
        ]

    def check_values(self, gate: Gate, evaluation: Evaluation | None, baseline: str) -> None:
        """Raises where the baseline has other values than when it was locked."""
        by_measure = self.record["baseline"]["values"]
        for measure in map(str, () if evaluation is None else evaluation.measures):
            assert evaluation is not None
            if measure not in by_measure:
                raise self._stale(gate, f"{measure} of {baseline} was not measured")
            locked = by_measure[measure]
            value, n = evaluation.aggregate(measure, baseline), evaluation.n(measure, baseline)
            if n != locked["n"] or not abs(value - locked["mean"]) <= SAME * max(1.0, abs(value)):
                raise self._stale(
                    gate,
                    f"{measure} of {baseline} is {value:.6f} on {count_queries(n)}, "
                    f"and was {locked['mean']:.6f} on {locked['n']:,}",
                )

    def _check_age(self, gate: Gate) -> None:
        from datetime import datetime
        from time import time

        days = gate.settings["lock_days"]
        if days is None:
            return
        age = time() - datetime.fromisoformat(self.record["written"]).timestamp()
        if age < -SECONDS_OF_A_DAY:  # clocks differ, but not by so much
            raise self._stale(
                gate, f"it was written at {self.record['written']}, in the future", "the lock has no age"
            )
        if age > days * SECONDS_OF_A_DAY:
            old = count_of(int(age // SECONDS_OF_A_DAY), "day")
            raise self._stale(
                gate, f"it was locked {old} ago, and lock_days is {days:,}", "the baseline is stale"
            )

    def _stale(
        self, gate: Gate, message: str, problem: str = "the baseline is not the one that was locked"
    ) -> InputError:
        return InputError(
            f"{problem}: {message}",
            source=self.path,
            hint=f"if that is right, lock it again: idealist gate {gate.source} --update-lock",
        )


def read_lock(gate: Gate) -> GateLock:
    """The lock that a gate names. A file that is not there means that the baseline never ran."""
    path = gate.path("lock")
    again = f"write it again: idealist gate {gate.source} --update-lock"
    try:
        with open(path, encoding="utf-8") as opened:
            record = json.load(opened)
        if record["format"] != FORMAT:
            raise ValueError
        if record["version"] == VERSION:
            _require_parts(record)
    except FileNotFoundError:
        raise InputError(
            "there is no such lock: the baseline was never measured",
            source=path,
            hint=f"measure it, and commit the file: idealist gate {gate.source} --update-lock",
        ) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", source=path) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError("this is not a lock file of a gate", source=path, hint=again) from None
    if record["version"] != VERSION:
        raise InputError(
            f"this lock file is of version {json.dumps(record['version'])}, and version {VERSION} is read here",
            source=path,
            hint=again,
        )
    return GateLock(path, record)


def _require_parts(record: dict[str, Any]) -> None:
    """Raises ValueError or another error of reading for a record that `GateLock` could not use."""
    from datetime import datetime

    for part in ("inputs", "settings", "guards", "conventions", "versions", "platform"):
        record[part].items()
    values = record["baseline"]["values"].values()
    numbers = all(isinstance(value["mean"], float) and isinstance(value["n"], int) for value in values)
    digests = all(isinstance(file["sha256"], str) for file in record["inputs"].values())
    if not numbers or not digests or datetime.fromisoformat(record["written"]).tzinfo is None:
        raise ValueError


def write_lock(gate: Gate, threads: int | None) -> str:
    """Measures the baseline, writes the lock, and says so in a line."""
    from datetime import UTC, datetime

    from idealist.cli.files import refuse_inputs, refuse_unwritable, write_file

    path = gate.path("lock")
    refuse_unwritable(path)
    refuse_inputs(path, [gate.source, *(file for _, file in gate.inputs())])
    facts = _facts_of(gate)
    evaluation = _measured(gate, threads)
    baseline, values = "", {}
    if evaluation is not None:
        (baseline,) = evaluation.systems
        values = {
            str(measure): {"mean": evaluation.mean(measure), "n": evaluation.n(measure)}
            for measure in evaluation.measures
        }
    for measure, value in values.items():
        if not value["n"]:
            raise InputError(
                f"{measure} of {baseline} has no value on any query",
                source=gate.source,
                hint="`idealist check` says what is wrong with the files",
            )
    record = {
        "format": FORMAT,
        "version": VERSION,
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        **facts,
        "baseline": {"name": baseline, "values": values},
    }
    text = json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    write_file(path, text, force=True)
    if evaluation is None:
        return f"{path}: the rules are locked"
    goal = evaluation.measures[0]
    mean, n = evaluation.mean(goal), evaluation.n(goal)
    return f"{path}: {baseline} is locked, {goal} {mean:.4f} on {count_queries(n)}"


def _measured(gate: Gate, threads: int | None) -> Evaluation | None:
    """The baseline of a gate by itself, measured as beside a candidate; None where there are votes alone."""
    from idealist.cli.gate_inputs import GateInputs

    if not gate.names("judgments") and not gate.names("numbers"):
        return None
    return GateInputs(gate, SIDES[:1]).evaluation(threads)


def _facts_of(gate: Gate) -> dict[str, Any]:
    """What a lock says of a gate before anything is measured, as JSON has it."""
    import platform
    from importlib.metadata import version

    from idealist.conventions import parse_conventions

    conventions = parse_conventions(gate.settings["conventions"])
    parameters = {name: str(value) for name, value in conventions.parameters.items()}
    facts = {
        "inputs": {
            role: described_file(path, role) for role, path in gate.inputs() if role not in CANDIDATE_FILES
        },
        "settings": {
            **{name: value for name, value in gate.settings.items() if name not in OPEN},
            **{name: gate.names(name) for name in ("numbers", "votes")},
        },
        "guards": dict(gate.guards),
        "conventions": {**conventions.to_dict(), **parameters},
        "versions": {
            "idealist": __version__,
            "python": platform.python_version(),
            **{library: version(library) for library in LIBRARIES},
        },
        "platform": {"system": platform.system(), "machine": platform.machine()},
    }
    plain: dict[str, Any] = json.loads(json.dumps(facts))  # tuples are lists there
    return plain


def described_file(source: str, role: str) -> dict[str, Any]:
    """A file by its bytes. A table in a file stands for the whole file."""
    from idealist.data.source_names import STREAM
    from idealist.show.report_page import plain_file, size_and_sha256

    if os.path.basename(source) == STREAM:
        raise InputError("standard input has no digest to keep", hint="save it to a file")
    path = plain_file(source, role)
    try:
        size, sha256 = size_and_sha256(path)
    except FileNotFoundError:
        raise no_such_file(path) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", source=path) from None
    return {"bytes": size, "sha256": sha256}


def _title(part: str, name: str) -> str:
    return {
        "versions": name,
        "settings": name,
        "guards": f"guards.{name}",
        "conventions": f"the convention {name}",
        "inputs": f"the file of {name}",
    }[part]


def _change(part: str, before: Any, after: Any) -> str:
    if part != "inputs":
        return f"is {json.dumps(after, ensure_ascii=False)}, and was {json.dumps(before, ensure_ascii=False)}"
    if before is None or after is None:
        return "is new" if before is None else "is not named any more"
    return f"has changed (sha256 {after['sha256'][:12]}, and was {before['sha256'][:12]})"
