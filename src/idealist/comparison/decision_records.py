"""Decisions on record: what was decided, by which rules and inputs, by whom and when, so that anybody can tell later whether
it still holds."""

from __future__ import annotations

import json

from idealist.base.frozen import Frozen
from idealist.comparison.verdict import EXIT_CODES
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, Self

FORMAT = "idealist decision"
VERSION = 1
SEAL = "sha256"
# What a record has besides its format, version and seal, and of which type.
PARTS: dict[str, type | tuple[type, ...]] = {
    "written": str,
    "by": str,
    "gate": str,
    "settings": dict,
    "guards": dict,
    "inputs": dict,
    "lock": (dict, type(None)),
    "verdict": dict,
    "parts": list,
    "notes": list,
    "versions": dict,
}
LARGEST = 1 << 22  # bytes of a record
HINT = "idealist gate GATE --record FILE writes one"


class DecisionRecord(Frozen):
    """A decision as it was recorded. `changed` is whether something was changed in it after it was written.

    >>> facts = dict.fromkeys(PARTS, {}) | {"written": "2026-11-19T10:00:00+00:00", "by": "ann", "gate": "gate.toml",
    ...     "verdict": {"outcome": "ship", "reason": "better"}, "parts": [], "notes": [], "lock": None}
    >>> record = DecisionRecord.of(facts)
    >>> record.outcome, record.by, record.changed
    ('ship', 'ann', False)
    >>> DecisionRecord.from_text(record.to_json().replace("ship", "block"), "decision.json").changed
    True
    """

    facts: Mapping[str, Any]
    changed: bool = False

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Self:
        return cls(json.loads(json.dumps(dict(facts))))  # tuples are lists there

    @classmethod
    def from_text(cls, text: str, source: str) -> Self:
        """The record in a text; anything else is an error."""
        try:
            whole = json.loads(text)
            if len(text) > LARGEST or whole["format"] != FORMAT:
                raise ValueError
            version = whole["version"]
            if version == VERSION:
                for part, kind in PARTS.items():
                    if not isinstance(whole[part], kind):
                        raise ValueError
                _require_outcome(whole)
        except (ValueError, KeyError, TypeError, RecursionError):
            raise InputError("this is not a recorded decision", source=source, hint=HINT) from None
        if version != VERSION:
            raise InputError(
                f"this decision is of version {json.dumps(version)}, and version {VERSION} is read here",
                source=source,
                hint="it was written by a newer Idealist: update this one",
            )
        facts = {part: whole[part] for part in PARTS}
        return cls(facts, whole.get(SEAL) != _sealed(facts))

    @property
    def outcome(self) -> str:
        return str(self.facts["verdict"]["outcome"])

    @property
    def by(self) -> str:
        return str(self.facts["by"])

    @property
    def written(self) -> str:
        return str(self.facts["written"])

    @property
    def locked(self) -> bool:
        """Whether the rules were fixed beforehand, by a lock that was kept."""
        return self.facts["lock"] is not None

    def to_json(self) -> str:
        whole = {"format": FORMAT, "version": VERSION, **self.facts, SEAL: _sealed(self.facts)}
        return json.dumps(whole, indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def differences(self, now: Mapping[str, Any]) -> Iterator[str]:
        """In what the rules and inputs are not those of the record any more, a line each."""
        if self.changed:
            yield "the record was changed after it was written"
        now = json.loads(json.dumps(dict(now)))
        for part, title in (("settings", ""), ("guards", "guards.")):
            before, after = self.facts[part], now[part]
            for name in dict.fromkeys((*before, *after)):
                if before.get(name) != after.get(name):
                    is_now, was = (json.dumps(side.get(name), ensure_ascii=False) for side in (after, before))
                    yield f"{title}{name} is {is_now}, and was {was}"
        yield from _files(self.facts["inputs"], now["inputs"])
        locks = ({} if side["lock"] is None else {"the lock": side["lock"]} for side in (self.facts, now))
        yield from _files(*locks)


def _files(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    for role in dict.fromkeys((*before, *after)):
        if role not in after or role not in before:
            yield f"{role} {'is new' if role in after else 'is not named any more'}"
        elif before[role][SEAL] != after[role][SEAL]:
            yield f"{role} has changed (sha256 {after[role][SEAL][:12]}, and was {before[role][SEAL][:12]})"


def _require_outcome(whole: Mapping[str, Any]) -> None:
    from datetime import datetime

    files = [*whole["inputs"].values(), *([] if whole["lock"] is None else [whole["lock"]])]
    if whole["verdict"]["outcome"] not in EXIT_CODES or not all(
        isinstance(file[SEAL], str) for file in files
    ):
        raise ValueError
    if datetime.fromisoformat(whole["written"]).tzinfo is None:
        raise ValueError


def _sealed(facts: Mapping[str, Any]) -> str:
    """The SHA-256 of what a record says."""
    from hashlib import sha256

    return sha256(
        json.dumps(dict(facts), sort_keys=True, ensure_ascii=False).encode("utf-8", "surrogatepass")
    ).hexdigest()
