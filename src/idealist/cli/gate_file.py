"""The rules of a gate, as a small TOML file in a repository says them."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from idealist.cli.gate_keys import CRITERION, GUARDS, KEYS, SIDES, SOURCES, VOTES_DECIDE, Key
from idealist.cli.options import MEASURE
from idealist.data.values import refused
from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.io.opening import no_such_file
from idealist.io.sources import is_elsewhere

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


LARGEST = 1 << 20  # bytes of a gate file
# The keys whose values are paths; the systems of numbers alone are names.
PATHS = ("votes", "judgments", "query_sizes", "machine", "weights", "segments", "lock")


class Gate(Frozen):
    """A gate file that was read: its settings and guards, paths made relative to its folder."""

    source: str
    settings: Mapping[str, Any]
    guards: Mapping[str, Any]

    def names(self, key: str) -> bool:
        """Whether the file states a source."""
        return self.settings[key] is not None

    def path(self, key: str) -> str:
        """A file that the gate names, from its own folder; a data set or the address of a workbench as it is."""
        return self.relative((self.guards if key in self.guards and key != "votes" else self.settings)[key])

    def columns_of(self, whose: str) -> dict[str, str] | None:
        """Our names of the columns of one kind of files: those with its name before them, and those that say of none.
        Of runs, all that are said of runs and judgments."""
        stated = self.settings["columns"] or {}
        if whose == "run":
            return {
                key: name for key, name in stated.items() if key.partition(".")[0] not in ("votes", "numbers")
            } or None
        own = {
            key.removeprefix(f"{whose}."): name for key, name in stated.items() if key.startswith(f"{whose}.")
        }
        of_all = (
            {} if self.names("judgments") else {key: name for key, name in stated.items() if "." not in key}
        )
        return of_all | own or None

    def relative(self, named: str) -> str:
        return named if is_elsewhere(named) else os.path.join(os.path.dirname(self.source), named)

    def inputs(self) -> Iterator[tuple[str, str]]:
        """Every file that decides, with its role; runs and tables of one side end in baseline or candidate."""
        for key in PATHS:
            if key != "lock" and {**self.guards, **self.settings}.get(key) is not None:
                yield key, self.path(key)
        if self.names("judgments"):
            for side in SIDES:
                yield side, self.path(side)
        numbers = self.settings["numbers"] or ()
        if isinstance(numbers, dict):
            yield from ((f"numbers.{side}", self.relative(path)) for side, path in numbers.items())
        else:
            yield from (("numbers", self.relative(path)) for path in numbers)

    def files(self) -> Iterator[str]:
        """Every file that the gate names, the lock too."""
        yield from (path for _, path in self.inputs())
        if self.settings["lock"] is not None:
            yield self.path("lock")


def read_gate(path: str) -> Gate:
    """The rules in a TOML file; what is not known there is an error."""
    whole, text = _toml(path)
    named = tuple(source for source in SOURCES if whole.get(source) is not None)
    settings = _checked(path, text, "", whole, KEYS, named)
    if not named:
        raise InputError(
            "this gate names nothing to decide by",
            source=path,
            hint="judgments, baseline and candidate are for runs; numbers and votes are the names of tables",
        )
    stated = whole.get("guards", {})
    if not isinstance(stated, dict):
        raise _wrong(
            path,
            text,
            "guards",
            refused("guards", "be a table", stated).message,
            "write [guards] above its keys",
        )
    guards = _checked(path, text, "guards.", stated, GUARDS, named)
    _require_together(path, text, settings, guards)
    settings["measure"] = settings["measure"] or (MEASURE if settings["judgments"] else VOTES_DECIDE)
    return Gate(path, settings, guards)


def _require_together(path: str, text: str, settings: Mapping[str, Any], guards: Mapping[str, Any]) -> None:
    """Raises for keys that lack another."""
    for side in SIDES:
        if settings[side] is None and (settings["judgments"] or settings["numbers"]):
            raise InputError(
                f"there is no key {side!r}", source=path, hint=f"{KEYS[side].about}: {KEYS[side].kind}"
            )
    if (
        settings["measure"] is None
        and settings["numbers"]
        and not settings["judgments"]
        and not settings["votes"]
    ):
        raise InputError(
            "there is no key 'measure'",
            source=path,
            hint='measure = "faithfulness" names the column that decides',
        )
    alone = settings["numbers"] and not settings["judgments"]
    if alone and settings["baseline"] == settings["candidate"]:
        raise _wrong(
            path,
            text,
            "candidate",
            f"baseline and candidate are both {settings['baseline']!r}",
            "name two systems of the numbers",
        )
    used = settings["measure"] == CRITERION or CRITERION in guards["measures"]
    if used != (settings[CRITERION] is not None):
        raise _wrong(
            path,
            text,
            CRITERION if settings[CRITERION] else "measure",
            f'measure = "{CRITERION}" and the table [{CRITERION}] go together',
            f'measure = "{CRITERION}" decides by it; [{CRITERION}] has a line for each measure, such as "nDCG@10" = 1.0',
        )
    if settings["measure"] == VOTES_DECIDE and not settings["votes"]:
        raise _wrong(
            path, text, "measure", 'measure = "votes", and no votes are named', 'votes = "votes.csv"'
        )
    measured = settings["judgments"] or settings["numbers"]
    if settings["measure"] not in (None, VOTES_DECIDE) and not measured:
        message = "measure changes nothing without judgments or numbers"
        raise _wrong(path, text, "measure", message, "leave it out: the votes decide")
    if bool(guards["segments"]) != bool(guards["segment_by"]):
        raise InputError(
            "guards.segments and guards.segment_by go together",
            source=path,
            hint='segments = "queries.csv" names the table, segment_by = "country" its column',
        )
    if settings["shares"] is not None and not guards["segments"]:
        message = "shares are of segments, and guards.segments names no table of them"
        hint = 'segments = "queries.csv" in [guards] names the table, segment_by = "country" its column'
        raise _wrong(path, text, "shares", message, hint)
    if settings["lock_days"] is not None and settings["lock"] is None:
        raise _wrong(
            path, text, "lock_days", "lock_days needs a lock file, and none is named", 'lock = "gate.lock"'
        )


def _toml(path: str) -> tuple[dict[str, Any], str]:
    import tomllib

    try:
        with open(path, "rb") as opened:
            content = opened.read(LARGEST + 1)
    except FileNotFoundError:
        raise no_such_file(path) from None
    except (OSError, ValueError) as error:
        raise InputError(
            f"cannot be read: {getattr(error, 'strerror', None) or error}", source=path
        ) from None
    if len(content) > LARGEST:
        raise InputError(
            f"this is not a gate file: it has more than {LARGEST:,} bytes",
            source=path,
            hint="a gate is a TOML file",
        )
    try:
        text = content.decode("utf-8-sig")
        return tomllib.loads(text), text
    except UnicodeDecodeError:
        raise InputError("this is not text", source=path, hint="a gate is a TOML file") from None
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"this is not TOML{_where(str(error))}", source=path, hint="a line reads: margin = 0.02"
        ) from None


def _where(message: str) -> str:
    """What TOML's reader expected, and where, but nothing of what it found: the file may be no gate at all, and
    the message may be public."""
    reason, _, place = message.partition(" (at ")
    if reason == "Cannot overwrite a value":
        reason = "Expected another key: this one has a value already"
    expected = reason if reason.startswith(("Expected", "Invalid", "Unclosed")) else ""
    return "".join(f": {part}" for part in (expected, place.removesuffix(")")) if part)


def _checked(
    path: str,
    text: str,
    prefix: str,
    stated: Mapping[str, Any],
    known: Mapping[str, Key],
    sources: tuple[str, ...],
) -> dict[str, Any]:
    """Every known key with its value or default; `sources` are those that are named."""
    for name in stated:
        if name not in known:
            raise _wrong(path, text, name, f"unknown key {prefix + name!r}", _known(name, prefix, known))
    values = {}
    for name, key in known.items():
        value = stated.get(name)
        if value is None:
            values[name] = dict(key.default) if isinstance(key.default, Mapping) else key.default
        elif sources and not set(key.of) & set(sources):
            message = f"{prefix + name} changes nothing without {' or '.join(key.of)}"
            raise _wrong(path, text, name, message, "leave it out")
        elif key.read is not None:
            try:
                values[name] = key.read(value, prefix + name)
            except InputError as error:
                raise _wrong(path, text, name, error.message, f"{key.about}: {key.kind}") from None
    return values


def _known(name: str, prefix: str, known: Mapping[str, Key]) -> str:
    """A hint for a key that there is not."""
    from difflib import get_close_matches

    near = get_close_matches(name, known, 1)
    within = f" of {prefix.rstrip('.')}" if prefix else ""
    return f"{f'did you mean {near[0]}? ' if near else ''}the keys{within} are {', '.join(known)}"


def _wrong(path: str, text: str, name: str, message: str, hint: str) -> InputError:
    """With the line where a key seems to stand; TOML's own reader does not tell."""
    pattern = re.compile(rf"\s*\[?\s*[\"']?{re.escape(name)}[\"']?\s*[=\].]")
    lines = [at for at, line in enumerate(text.split("\n"), 1) if pattern.match(line)]
    return InputError(message, source=path, line=lines[0] if len(lines) == 1 else None, hint=hint)
