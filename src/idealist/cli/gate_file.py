"""The rules of a gate, as a small TOML file in a repository says them."""

from __future__ import annotations

import os
import re

from idealist.cli.options import CONFIDENCE, MEASURE
from idealist.data.values import (
    as_choice,
    as_count,
    as_flag,
    as_seed,
    as_share,
    as_text,
    as_within,
    either,
    refused,
)
from idealist.decision.verdict import POLICIES
from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.io.opening import no_such_file
from idealist.io.sources import is_elsewhere
from idealist.statistics.tests.base import ROUNDS
from idealist.votes.folding import FOLDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    Reader = Callable[[Any, str], Any]


LARGEST = 1 << 20  # bytes of a gate file
# The keys whose values are paths.
PATHS = (
    "votes",
    "judgments",
    "baseline",
    "candidate",
    "query_sizes",
    "machine",
    "weights",
    "segments",
    "lock",
)


class Key(Frozen):
    """A key that a gate file may have: how its value is read, what it must be, and what it is for."""

    read: Any
    kind: str
    about: str
    default: Any = None
    required: bool = False


def _margin(value: Any, what: str) -> float | str:
    from idealist.decision.margin import read_margin

    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise refused(what, f"be {MARGIN}", value)
    read_margin(value, title=what)
    return value


def _guarded(value: Any, what: str) -> dict[str, float | str | None]:
    """Measures, each with its margin or none: a list of names, or a table of margins."""
    if isinstance(value, list):
        return dict.fromkeys(as_text(name, f"a measure of {what}") for name in value)
    if not isinstance(value, dict):
        raise refused(what, "be a list of measures, or a table of margins by measure", value)
    return {name: _margin(margin, f"{what}.{name}") for name, margin in value.items()}


def _table_of_texts(value: Any, what: str) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise refused(what, "be a table of texts", value)
    return value


def _one_of(*known: str) -> tuple[Reader, str]:
    return lambda value, what: as_choice(value, what, known), either([f'"{word}"' for word in known])


def _from_to(low: float, high: float) -> tuple[Reader, str]:
    return lambda value, what: as_within(value, what, low, high), f"a number from {low:g} to {high:g}"


def _tests(value: Any, what: str) -> tuple[str, ...]:
    """The tests, as text; whatever is no test is refused here."""
    from idealist.statistics.testing import parse_tests

    several = value if isinstance(value, list) else [value]
    texts = [as_text(text, f"a test of {what}" if several is value else what) for text in several]
    return tuple(str(test) for test in parse_tests(texts))


def _count(value: Any, what: str) -> int:
    return as_count(value, what)


def _seed(value: Any, what: str) -> int:
    return as_seed(value)


SHARE = (as_share, "a number between 0 and 1")
TEXT = (as_text, "text")
FLAG = (as_flag, "true or false")
TEXTS = (_table_of_texts, "a table of texts")
MARGIN = 'a number, 0 or more, or a share such as "2%"'
BOTH = {
    "kind": Key(*_one_of("compare", "gsb"), "what is judged", None, True),
    "margin": Key(_margin, MARGIN, "how much worse may ship (default: 2 %, and no significant loss ships)"),
    "policy": Key(*_one_of(*POLICIES), "the rule that decides", POLICIES[0]),
    "confidence": Key(*SHARE, "confidence level of the interval", CONFIDENCE),
    "seed": Key(_seed, "a whole number, 0 or more", "seed of everything random", 0),
    "encoding": Key(
        *TEXT, "encoding of text files, such as cp1252, if not UTF-8; run=gbk is for the runs only"
    ),
    "decimal": Key(*TEXT, "decimal separator in CSV and TSV: . or ,; run=, is for the runs only"),
    "guards": Key(None, "a table", "what else must hold"),
}
KEYS: dict[str, dict[str, Key]] = {
    "compare": BOTH
    | {
        "judgments": Key(*TEXT, "judgments in any format", None, True),
        "baseline": Key(*TEXT, "the run that is in use now", None, True),
        "candidate": Key(*TEXT, "the run that may replace it", None, True),
        "baseline_system": Key(*TEXT, "the system that baseline means, where a column names several"),
        "candidate_system": Key(*TEXT, "the same for candidate"),
        "measure": Key(*TEXT, "the measure that decides", MEASURE),
        "tests": Key(
            _tests,
            'text such as "t,wilcoxon", or a list of texts',
            "tests of the difference, shown beside the verdict",
        ),
        "rounds": Key(_count, "a whole number, 1 or more", "number of rounds in random tests", ROUNDS),
        "conventions": Key(*TEXT, "conventions of a tool", "idealist"),
        "columns": Key(*TEXTS, "our names of columns, and those of the files"),
        "query_sizes": Key(*TEXT, "how many rows each query has, for LETOR judgments without qid"),
        "machine": Key(*TEXT, "judgments by a machine beside those of people: the verdict goes by both"),
        "calibrate": Key(
            *_one_of("isotonic", "table"), "turn the machine's grades into expected human ones first"
        ),
        "weights": Key(*TEXT, "a table with a row per query and its weight in means"),
        "weight_by": Key(*TEXT, "its column of weights, if it is not sampling_weight, weight or traffic"),
        "lock": Key(*TEXT, "the file that says what the baseline was; without it, the gate does not decide"),
        "lock_days": Key(
            _count, "a whole number, 1 or more", "after how many days the lock is too old to decide by"
        ),
    },
    "gsb": BOTH
    | {
        "votes": Key(*TEXT, "a table of votes", None, True),
        "columns": Key(*TEXTS, "our names of columns, and those of the file"),
        "words": Key(*TEXTS, "the words of votes that mean good, same and bad"),
        "candidate": Key(*TEXT, "which of A and B is the new system, where votes name them"),
        "fold": Key(*_one_of(*FOLDS), "how the votes of an item's raters are combined", "majority"),
    },
}
GUARDS: dict[str, dict[str, Key]] = {
    "compare": {
        "measures": Key(
            _guarded,
            "a list of measures, or a table of margins by measure",
            "must not be significantly worse, or not by more than the margin",
            {},
        ),
        "segments": Key(*TEXT, "a table with a row per query"),
        "segment_by": Key(*TEXT, "its column of segments, none of which may be significantly worse"),
        "segment_margin": Key(_margin, MARGIN, "no segment may be worse by more than this"),
        "judged": Key(*FLAG, "both runs must be judged alike", True),
        "judged_floor": Key(*_from_to(0, 1), "the least share of judged documents, of both runs"),
    },
    "gsb": {
        "agreement_floor": Key(*_from_to(-1, 1), "the least AC1 of the raters"),
        "side_bias": Key(*FLAG, "GSB must not differ significantly between sides"),
    },
}


class Gate(Frozen):
    """A gate file that was read: its settings and guards, paths made relative to its folder."""

    source: str
    kind: str
    settings: Mapping[str, Any]
    guards: Mapping[str, Any]

    def path(self, key: str) -> str:
        """A file that the gate names, from its own folder; a data set or the address of a workbench as it is."""
        named: str = (self.guards if key in self.guards else self.settings)[key]
        return named if is_elsewhere(named) else os.path.join(os.path.dirname(self.source), named)

    def files(self) -> Iterator[str]:
        """Every file that the gate names, the lock too."""
        for key in PATHS:
            if {**self.settings, **self.guards}.get(key) is not None:
                yield self.path(key)


def read_gate(path: str) -> Gate:
    """The rules in a TOML file; what is not known there is an error."""
    whole, text = _toml(path)
    kind = _checked(path, text, "", {"kind": whole.get("kind")}, {"kind": BOTH["kind"]})["kind"]
    settings = _checked(path, text, "", whole, KEYS[kind])
    stated = whole.get("guards", {})
    if not isinstance(stated, dict):
        raise _wrong(
            path,
            text,
            "guards",
            refused("guards", "be a table", stated).message,
            "write [guards] above its keys",
        )
    guards = _checked(path, text, "guards.", stated, GUARDS[kind])
    if kind == "compare" and bool(guards["segments"]) != bool(guards["segment_by"]):
        raise InputError(
            "guards.segments and guards.segment_by go together",
            source=path,
            hint='segments = "queries.csv" names the table, segment_by = "country" its column',
        )
    if settings.get("lock_days") is not None and settings["lock"] is None:
        raise _wrong(
            path, text, "lock_days", "lock_days needs a lock file, and none is named", 'lock = "gate.lock"'
        )
    return Gate(path, kind, settings, guards)


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
    path: str, text: str, prefix: str, stated: Mapping[str, Any], known: Mapping[str, Key]
) -> dict[str, Any]:
    """Every known key with its value or default."""
    for name in stated:
        if name not in known:
            raise _wrong(path, text, name, f"unknown key {prefix + name!r}", _known(name, prefix, known))
    values = {}
    for name, key in known.items():
        value = stated.get(name)
        if value is None:
            if key.required:
                raise InputError(
                    f"there is no key {prefix + name!r}", source=path, hint=f"{key.about}: {key.kind}"
                )
            values[name] = key.default
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
