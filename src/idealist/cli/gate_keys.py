"""The keys that a gate file may have: how the value of each is read, what it must be, and what it is for."""

from __future__ import annotations

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
from idealist.statistics.tests.base import ROUNDS
from idealist.statistics.unseen import BEST_THIRD, INTERVALS
from idealist.votes.folding import FOLDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Reader = Callable[[Any, str], Any]

SIDES = ("baseline", "candidate")
# What a gate decides by: any of these, or several.
SOURCES = ("judgments", "numbers", "votes")
RUNS, VOTES, QUERIES = ("judgments",), ("votes",), ("judgments", "numbers")
CRITERION, VOTES_DECIDE = "criterion", "votes"  # what else than a measure may decide


class Key(Frozen):
    """A key that a gate file may have: how its value is read, what it must be, and what it is for. `of` are the
    sources of which one at least must be named for it to mean anything."""

    read: Any
    kind: str
    about: str
    default: Any = None
    of: tuple[str, ...] = SOURCES


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


def _tables(value: Any, what: str) -> list[str] | dict[str, str]:
    """Tables of numbers: those of all systems, or one for each side."""
    if isinstance(value, dict):
        if set(value) != set(SIDES):
            raise InputError(
                f"{what} must have the tables of {' and '.join(SIDES)}, not of {', '.join(value) or 'none'}"
            )
        return {side: as_text(path, f"{what}.{side}") for side, path in value.items()}
    several = value if isinstance(value, list) else [value]
    if not several:
        raise refused(what, "name a table", value)
    return [as_text(path, what) for path in several]


def _weighted(value: Any, what: str) -> dict[str, float]:
    """Measures and how much each counts."""
    if not isinstance(value, dict) or not value:
        raise refused(what, "be a table of weights by measure", value)
    return {name: as_within(weight, f"{what}.{name}", 0, ends="()") for name, weight in value.items()}


def _weighted_segments(value: Any, what: str) -> dict[str, float]:
    """Segments and the share of each."""
    if not isinstance(value, dict) or not value:
        raise refused(what, "be a table of shares by segment", value)
    return {name: as_within(share, f"{what}.{name}", 0, ends="()") for name, share in value.items()}


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
KEYS: dict[str, Key] = {
    "judgments": Key(*TEXT, "judgments in any format, for runs"),
    "baseline": Key(*TEXT, "the run that is in use now; of numbers alone, its system", of=QUERIES),
    "candidate": Key(*TEXT, "the run that may replace it; of numbers alone, its system", of=QUERIES),
    "baseline_system": Key(*TEXT, "the system that baseline means, where a column names several", of=RUNS),
    "candidate_system": Key(*TEXT, "the same for candidate", of=RUNS),
    "numbers": Key(
        _tables,
        "text, a list of texts, or a table with baseline and candidate",
        "tables of numbers per query (docs/numbers.md)",
    ),
    "votes": Key(*TEXT, "a table of votes"),
    "measure": Key(
        *TEXT,
        f'what decides: a measure, a column of the numbers, "votes" or "criterion" (default: {MEASURE}; votes where there '
        "is nothing else)",
    ),
    CRITERION: Key(
        _weighted,
        "a table of weights by measure",
        "one number from several measures: their sum by these weights, of lower ones that are better less",
        of=QUERIES,
    ),
    "margin": Key(_margin, MARGIN, "how much worse may ship (default: 2 %, and no significant loss ships)"),
    "policy": Key(*_one_of(*POLICIES), "the rule that decides", POLICIES[0]),
    "confidence": Key(*SHARE, "confidence level of the interval", CONFIDENCE),
    "tests": Key(
        _tests,
        'text such as "t,wilcoxon", or a list of texts',
        "tests of the difference, shown beside the verdict",
        of=QUERIES,
    ),
    "interval": Key(
        *_one_of(*INTERVALS),
        "what the interval allows an unseen failure to cost",
        BEST_THIRD,
        of=QUERIES,
    ),
    "rounds": Key(_count, "a whole number, 1 or more", "number of rounds in random tests", ROUNDS),
    "seed": Key(_seed, "a whole number, 0 or more", "seed of everything random", 0),
    "conventions": Key(*TEXT, "conventions of a tool", "idealist"),
    "columns": Key(*TEXTS, "our names of columns, and those of the files; votes.rater is of the votes alone"),
    "encoding": Key(
        *TEXT, "encoding of text files, such as cp1252, if not UTF-8; run=gbk is for the runs only"
    ),
    "decimal": Key(*TEXT, "decimal separator in CSV and TSV: . or ,; run=, is for the runs only"),
    "query_sizes": Key(*TEXT, "how many rows each query has, for LETOR judgments without qid", of=RUNS),
    "machine": Key(*TEXT, "judgments by a machine beside those of people: the verdict goes by both", of=RUNS),
    "calibrate": Key(
        *_one_of("isotonic", "table"), "turn the machine's grades into expected human ones first", of=RUNS
    ),
    "weights": Key(*TEXT, "a table with a row per query and its weight in means", of=QUERIES),
    "weight_by": Key(
        *TEXT, "its column of weights, if it is not sampling_weight, weight or traffic", of=QUERIES
    ),
    "shares": Key(
        _weighted_segments,
        "a table of shares by segment",
        "the share of the traffic that each segment of guards.segments has",
        of=QUERIES,
    ),
    "words": Key(*TEXTS, "the words of votes that mean good, same and bad", of=VOTES),
    "votes_candidate": Key(*TEXT, "which of A and B is the new system, where votes name them", of=VOTES),
    "fold": Key(*_one_of(*FOLDS), "what counts once where raters share an item", "votes"),
    "lock": Key(
        *TEXT, "the file that says what rules and baseline were; without it, the gate does not decide"
    ),
    "lock_days": Key(
        _count, "a whole number, 1 or more", "after how many days the lock is too old to decide by"
    ),
    "guards": Key(None, "a table", "what else must hold"),
}
GUARDS: dict[str, Key] = {
    "measures": Key(
        _guarded,
        "a list of measures, or a table of margins by measure",
        "measures and columns that must not be significantly worse, or must be shown not to be worse by more than the margin",
        {},
        of=QUERIES,
    ),
    "votes": Key(_margin, MARGIN, "the votes must be shown not to be worse by more than this", of=VOTES),
    "segments": Key(*TEXT, "a table with a row per query", of=QUERIES),
    "segment_by": Key(*TEXT, "its column of segments, none of which may be significantly worse", of=QUERIES),
    "segment_margin": Key(_margin, MARGIN, "no segment may be worse by more than this", of=QUERIES),
    "judged": Key(*FLAG, "unjudged documents must not be able to turn the verdict", True),
    "unjudged_rate": Key(
        *_from_to(0, 1), "how often they are relevant (default: as often as judged ones)", of=RUNS
    ),
    "losses": Key(*FLAG, "no more queries may lose over half of their value than by chance", True),
    "judged_floor": Key(*_from_to(0, 1), "the least share of judged documents, of both runs", of=RUNS),
    "agreement_floor": Key(*_from_to(-1, 1), "the least AC1 of the raters", of=VOTES),
    "side_bias": Key(*FLAG, "GSB must not differ significantly between sides", of=VOTES),
}
