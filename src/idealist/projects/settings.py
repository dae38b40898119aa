"""The settings of a project: the one table that the project file, the options of commands and Python read."""

from __future__ import annotations

import os
from collections.abc import Mapping

from idealist.base.frozen import Frozen
from idealist.base.system import file_above
from idealist.base.values import (
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
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    Reader = Callable[[Any, str], Any]

PROJECT_FILE = "idealist.toml"
SIDES = ("baseline", "candidate")
# What a gate decides by: any of these, or several.
SOURCES = ("judgments", "numbers", "votes")
RUNS, VOTES, QUERIES = ("judgments",), ("votes",), ("judgments", "numbers")
CRITERION, VOTES_DECIDE = "criterion", "votes"  # what else than a measure may decide
# What is measured where one measure is taken and none is named.
MEASURE = "nDCG@10"


class Setting(Frozen):
    """A key of the project file: how its value is read, what it must be, and what it is for.

    `default` may be a function that gives it, and `choices` is one that gives the words that are allowed. `of` are the
    sources of which a gate must name one for the setting to change anything; `path` says that values are paths, relative
    to the folder of the file."""

    read: Any
    kind: str
    about: str
    default: Any = None
    of: tuple[str, ...] = SOURCES
    choices: Any = None
    path: bool = False

    @property
    def preset(self) -> Any:
        """What holds where the file says nothing."""
        default = self.default() if callable(self.default) else self.default
        return dict(default) if isinstance(default, Mapping) else default

    @property
    def rule(self) -> str:
        """What a value must be, for people."""
        return self.kind if self.choices is None else either([f'"{word}"' for word in self.choices()])


def stated_for(text: str, kind: str) -> str | None:
    """What is said of all files, or of those of one kind alone.

    >>> stated_for("gbk", "run"), stated_for("run=gbk", "run"), stated_for("run=gbk", "judgments")
    ('gbk', 'gbk', None)
    """
    whose, _, value = text.rpartition("=")
    return value if whose in ("", kind) else None


def _text(value: Any, what: str) -> str:
    return as_text(value, what)


def _texts(value: Any, what: str) -> list[str]:
    several = value if isinstance(value, list) else [value]
    if not several:
        raise refused(what, "name one at least", value)
    return [as_text(text, what) for text in several]


def _margin(value: Any, what: str) -> float | str:
    from idealist.comparison.verdict import read_margin

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
    return _texts(value, what)


def _positive_numbers(rule: str) -> Reader:
    def read(value: Any, what: str) -> dict[str, float]:
        if not isinstance(value, dict) or not value:
            raise refused(what, f"be {rule}", value)
        return {name: as_within(number, f"{what}.{name}", 0, ends="()") for name, number in value.items()}

    return read


def _table_of_texts(value: Any, what: str) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise refused(what, "be a table of texts", value)
    return value


def _chosen(words: Callable[[], Iterable[str]]) -> Reader:
    return lambda value, what: as_choice(value, what, words())


def _within(low: float, high: float) -> Reader:
    return lambda value, what: as_within(value, what, low, high)


def _tests(value: Any, what: str) -> tuple[str, ...]:
    """The tests, as text; whatever is no test is refused here."""
    from idealist.statistics.paired_tests import parse_tests

    several = value if isinstance(value, list) else [value]
    texts = [as_text(text, f"a test of {what}" if several is value else what) for text in several]
    return tuple(str(test) for test in parse_tests(texts))


def _conventions(value: Any, what: str) -> str:
    from idealist.conventions import parse_conventions

    parse_conventions(as_text(value, what))
    return str(value)


def _address(value: Any, what: str) -> str:
    from urllib.parse import urlsplit

    address = as_text(value, what)
    if urlsplit(address).password is not None:
        raise InputError(f"{what} has a password in it")
    return address


def _count(value: Any, what: str) -> int:
    return as_count(value, what)


def _seed(value: Any, what: str) -> int:
    return as_seed(value)


def _share(value: Any, what: str) -> float:
    return as_share(value, what)


def _flag(value: Any, what: str) -> bool:
    return as_flag(value, what)


def _policies() -> tuple[str, ...]:
    from idealist.comparison.verdict import POLICIES

    return POLICIES


def _intervals() -> tuple[str, ...]:
    from idealist.statistics.unseen import INTERVALS

    return INTERVALS


def _folds() -> tuple[str, ...]:
    from idealist.votes.folded_votes import FOLDS

    return tuple(FOLDS)


def _rounds() -> int:
    from idealist.statistics.paired_tests import ROUNDS

    return ROUNDS


def _first(words: Callable[[], tuple[str, ...]]) -> Callable[[], str]:
    return lambda: words()[0]


def _calibrations() -> tuple[str, ...]:
    return ("isotonic", "table")


def _sides() -> tuple[str, ...]:
    from idealist.data.vote_words import CANDIDATES

    return CANDIDATES


TEXT = (_text, "text")
TEXTS = (_texts, "text, or a list of texts")
COUNT = (_count, "a whole number, 1 or more")
SHARE = (_share, "a number between 0 and 1")
FLAG = (_flag, "true or false")
MARGIN = 'a number, 0 or more, or a share such as "2%"'
LIMIT = (_within(0, float("inf")), "a number, 0 or more")

SETTINGS: dict[str, Setting] = {
    "judgments": Setting(*TEXT, "judgments (qrels)", path=True),
    "runs": Setting(
        *TEXTS, 'runs: files, or patterns such as "runs/*.run" for all files they match', path=True
    ),
    "baseline": Setting(
        *TEXT,
        "the run that the others are compared with; of numbers alone, its system",
        of=QUERIES,
        path=True,
    ),
    "candidate": Setting(
        *TEXT, "the run that may replace it; of numbers alone, its system", of=QUERIES, path=True
    ),
    "baseline_system": Setting(
        *TEXT, "the system that baseline means, where a column names several", of=RUNS
    ),
    "candidate_system": Setting(*TEXT, "the same for candidate", of=RUNS),
    "numbers": Setting(
        _tables,
        "text, a list of texts, or a table with baseline and candidate",
        "tables of numbers per query (docs/numbers.md)",
        path=True,
    ),
    "votes": Setting(*TEXT, "a table of votes", path=True),
    "queries": Setting(*TEXT, "texts of queries, for a judge and for search engines", path=True),
    "documents": Setting(*TEXT, "texts of documents, for a judge", path=True),
    "columns": Setting(
        _table_of_texts,
        "a table of texts",
        'our names of columns, and those of the files: query = "uid"; run.query is of the runs alone, votes.rater of the votes',
    ),
    "encoding": Setting(
        *TEXT, "encoding of text files, such as cp1252 or gbk (default: UTF-8); run=gbk is for the runs only"
    ),
    "decimal": Setting(
        *TEXT, "decimal separator in CSV and TSV: . or , (default: .); run=, is for the runs only"
    ),
    "input_format": Setting(
        *TEXT,
        "trec, csv, … (default: detected from the content); run=csv is for the runs only, weights=csv for the table of "
        "weights",
    ),
    "query_sizes": Setting(
        *TEXT,
        "how many rows each query has, for LETOR rows without qid: (default: FILE.query or FILE.group beside them)",
        of=RUNS,
        path=True,
    ),
    "measures": Setting(*TEXTS, "what is measured; the first decides, if `measure` names nothing else"),
    "measure": Setting(
        *TEXT,
        f'what decides: a measure, a column of the numbers, "votes" or "criterion" (default: the first of measures, or {MEASURE}; '
        "votes where there is nothing else)",
    ),
    CRITERION: Setting(
        _positive_numbers("a table of weights by measure"),
        "a table of weights by measure",
        "one number from several measures: their sum by these weights, of lower ones that are better less",
        of=QUERIES,
    ),
    "conventions": Setting(
        _conventions,
        "text",
        "the conventions of a tool, choices, or both: trec_eval-9,missing=zero",
        "idealist",
    ),
    "machine": Setting(
        *TEXT,
        "judgments by a machine, of these queries and of others: values and differences are estimated from both, and "
        "verdicts use these estimates",
        of=RUNS,
        path=True,
    ),
    "calibrate": Setting(
        _chosen(_calibrations),
        "",
        "turn the machine's grades into expected human ones first, learned from the pairs that both judged",
        of=RUNS,
        choices=_calibrations,
    ),
    "weights": Setting(
        *TEXT,
        "a table with a row per query and its weight, such as the output of `idealist plan sample`",
        of=QUERIES,
        path=True,
    ),
    "weight_by": Setting(
        *TEXT,
        "column with the weights (default: sampling_weight in a sample, else weight, else traffic)",
        of=QUERIES,
    ),
    "segments": Setting(
        *TEXT,
        "a table with the columns query and segment; no segment may be significantly worse",
        of=QUERIES,
        path=True,
    ),
    "segment_by": Setting(*TEXT, "its column of segments (default: segment)", of=QUERIES),
    "shares": Setting(
        _positive_numbers("a table of shares by segment"),
        "a table of shares by segment",
        "the share of the traffic that each segment has",
        of=QUERIES,
    ),
    "margin": Setting(
        _margin, MARGIN, "how much worse may still ship (default: 2 %, and no significant loss ships)"
    ),
    "policy": Setting(_chosen(_policies), "", "the rule that decides", _first(_policies), choices=_policies),
    "confidence": Setting(*SHARE, "confidence level of intervals", 0.95),
    "tests": Setting(
        _tests,
        'text such as "t,wilcoxon", or a list of texts',
        "tests of the difference, shown beside the verdict",
        of=QUERIES,
    ),
    "interval": Setting(
        _chosen(_intervals),
        "",
        "what the interval allows an unseen failure to cost: what a good query is worth (best-third), the whole range (cautious), "
        "or nothing (student)",
        _first(_intervals),
        of=QUERIES,
        choices=_intervals,
    ),
    "rounds": Setting(*COUNT, "number of rounds in random tests", _rounds),
    "seed": Setting(
        _seed, "a whole number, 0 or more", "random seed: the same seed gives the same output", 0
    ),
    "words": Setting(
        _table_of_texts, "a table of texts", "the words of votes that mean good, same and bad", of=()
    ),
    "votes_candidate": Setting(
        _chosen(_sides),
        "",
        "which of A and B is the new system, where votes name them",
        of=(),
        choices=_sides,
    ),
    "fold": Setting(
        _chosen(_folds),
        "",
        "what counts once where raters share an item",
        _first(_folds),
        of=(),
        choices=_folds,
    ),
    "lock": Setting(
        *TEXT,
        "the file that says what rules and baseline were; without it, the gate does not decide",
        path=True,
    ),
    "lock_days": Setting(*COUNT, "after how many days the lock is too old to decide by"),
}
GUARDS: dict[str, Setting] = {
    "measures": Setting(
        _guarded,
        "a list of measures, or a table of margins by measure",
        "measures and columns that must not be significantly worse, or must be shown not to be worse by more than the margin",
        {},
        of=QUERIES,
    ),
    "votes": Setting(_margin, MARGIN, "the votes must be shown not to be worse by more than this", of=VOTES),
    "segment_margin": Setting(_margin, MARGIN, "no segment may be worse by more than this", of=QUERIES),
    "judged": Setting(*FLAG, "unjudged documents must not be able to turn the verdict", True),
    "unjudged_rate": Setting(
        _within(0, 1),
        "a number from 0 to 1",
        "how often they are relevant (default: as often as judged ones)",
        of=RUNS,
    ),
    "losses": Setting(*FLAG, "no more queries may lose over half of their value than by chance", True),
    "judged_floor": Setting(
        _within(0, 1), "a number from 0 to 1", "the least share of judged documents, of both runs", of=RUNS
    ),
    "agreement_floor": Setting(
        _within(-1, 1), "a number from -1 to 1", "the least AC1 of the raters", of=VOTES
    ),
    "side_bias": Setting(*FLAG, "GSB must not differ significantly between sides", of=VOTES),
}
PACE = {
    "concurrency": Setting(*COUNT, "requests at a time"),
    "rate": Setting(*LIMIT, "most requests in a minute"),
    "retries": Setting(
        lambda value, what: as_count(value, what, 0),
        "a whole number, 0 or more",
        "how often a request is sent again",
    ),
    "timeout": Setting(*LIMIT, "seconds to wait for an answer"),
}
JUDGE: dict[str, Setting] = {
    "endpoint": Setting(_address, "text", "address of the server, for example http://localhost:8000/v1"),
    "model": Setting(*TEXT, "name of the model at the endpoint"),
    "key_variable": Setting(*TEXT, "the environment variable that holds the key"),
    "scale": Setting(*TEXT, "the grades: 0-3, 0,1, or 0:no,1:in part,2:yes"),
    "template": Setting(*TEXT, "a prompt of your own", path=True),
    "samples": Setting(*COUNT, "how often each question is asked"),
    "temperature": Setting(*LIMIT, "temperature of the model"),
    "max_tokens": Setting(*COUNT, "longest answer, in tokens"),
    "cache": Setting(*TEXT, "where answers are kept", path=True),
    **PACE,
}
SEARCH: dict[str, Setting] = {
    "engine": Setting(*TEXT, "elasticsearch, opensearch, solr or vespa"),
    "url": Setting(_address, "text", "address of the server, for example http://localhost:9200"),
    "index": Setting(*TEXT, "the index, collection, core or schema"),
    "template": Setting(*TEXT, "the body of requests, as JSON", path=True),
    "path": Setting(*TEXT, "path of requests, behind the address"),
    "id_field": Setting(*TEXT, "the field of documents that holds their id"),
    "key_variable": Setting(*TEXT, "the environment variable that holds the header Authorization"),
    **PACE,
}
# The tables of the file, behind the keys that stand alone.
TABLES = {"guards": GUARDS, "judge": JUDGE, "search": SEARCH}
# What is named without its value where a result says what the file said: files are seen elsewhere.
NOT_SHOWN = tuple(name for name, setting in SETTINGS.items() if setting.path) + tuple(TABLES)
# What only commands read: a gate does not decide by it, and its lock does not know it.
NOT_OF_GATES = ("runs", "measures", "queries", "documents")


def project_file() -> str | None:
    """The project file that holds here: the one that IDEALIST_PROJECT names (none, where it is empty), or idealist.toml of the
    working folder or of the nearest folder above it."""
    stated = os.environ.get("IDEALIST_PROJECT")
    return file_above(PROJECT_FILE) if stated is None else stated or None
