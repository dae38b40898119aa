"""The inputs that measures need, and how those beyond a run and its judgments are given and read."""

from __future__ import annotations

from idealist.base.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class Need(Frozen):
    """An input that a measure needs: its `description`, and how it is given, in `python` and to the `command`.

    It is `given_as` "judgments" where it replaces plain judgments of one grade per document, "table" where it has an
    argument and an option of its own, "run" for a second run; empty where nothing is needed besides runs and judgments.
    `reader` names the function of `idealist.data` that reads it from a file or a frame.
    """

    name: str
    description: str = ""
    given_as: str = ""
    python: str = ""
    command: str = ""
    reader: str = ""
    # The columns of a table, for help; empty where lines of text are read.
    columns: str = ""
    # Whether a measure looks at each document's one grade, so that other judgments must come down to that.
    one_grade: bool = False
    # Whether a measure looks at the rankings of judged documents, and at no document by its name.
    from_rankings: bool = False
    # Whether it is by their grades that queries are empty.
    empty_by_grade: bool = False

    @property
    def given_apart(self) -> bool:
        """Whether something besides runs and plain judgments must be given."""
        return bool(self.given_as)

    @property
    def instructions(self) -> str:
        """How to give it, in Python and to the command."""
        return f"{self.python} in Python, {self.command} for the command"

    def __repr__(self) -> str:
        return f"<Need {self.name}>"


def _judgments(
    name: str, description: str, python: str, command: str, *, columns: str = "", empty_by_grade: bool = False
) -> Need:
    return Need(
        name,
        description,
        "judgments",
        f"read_{name} or {python}",
        command,
        f"read_{name}",
        columns,
        empty_by_grade=empty_by_grade,
    )


def _table(name: str, description: str, columns: str, *, one_grade: bool = False) -> Need:
    return Need(
        name,
        description,
        "table",
        f"{name}=…",
        f"--{name} FILE",
        f"read_{name}",
        columns,
        one_grade=one_grade,
        from_rankings=one_grade,
        empty_by_grade=one_grade,
    )


GRADES = Need("grades", "one grade per document", one_grade=True, from_rankings=True, empty_by_grade=True)
# The judgments do not matter: only which queries they have.
QUERIES = Need("queries", "the judged queries", from_rankings=True, empty_by_grade=True)
GROUPS = _judgments(
    "groups",
    "judgments by subtopic or group",
    "GroupedJudgments",
    "JUDGMENTS with lines of `query subtopic document grade`",
    empty_by_grade=True,
)
PREFERENCES = _judgments(
    "preferences",
    "preference judgments",
    "Preferences",
    "JUDGMENTS with lines of `query group subgroup document level`",
)
STRATA = _judgments(
    "strata",
    "judgments of a stratified sample",
    "SampledJudgments",
    "JUDGMENTS with lines of `query iteration document stratum grade`",
)
OBJECTIVES = _judgments(
    "objectives",
    "several grades per document",
    "Objectives",
    "JUDGMENTS as a table with the columns query, document and one per objective",
    columns="query, document, and one column of grades per objective",
)
PROFILES = _table(
    "profiles",
    "a table of user profiles",
    "a row per user (= query): user, and any of gain, discount, patience, k, weight, session, topic, position, segments",
    one_grade=True,
)
ITEMS = _table("items", "a table of items", "documents: popularity, category, group, vector")
CLICKS = _table("clicks", "a click log", "a log of clicks: query, document, position")
SCORES = Need(
    "scores",
    "a run with its documents and scores",
    "run",
    "evaluate(judgments, run)",
    "`idealist evaluate JUDGMENTS RUN`",
    one_grade=True,
    empty_by_grade=True,
)
REFERENCE = Need("reference", "a second run", "run", "agree(run, other)", "`idealist agree RUN RUN`")

NEEDS = (GRADES, QUERIES, GROUPS, PREFERENCES, STRATA, OBJECTIVES, PROFILES, ITEMS, CLICKS, SCORES, REFERENCE)
TABLES = tuple(need for need in NEEDS if need.given_as == "table")


def read_needed(need: Need, source: Any, **options: Any) -> Any:
    """Reads a file, a frame or an object by a need's reader.

    >>> from idealist.data.needs import ITEMS
    >>> read_needed(ITEMS, {"item": ["a", "b"], "popularity": [3, 1]})
    <Items: 2 items; item, popularity>
    """
    from idealist import data as io

    return getattr(io, need.reader)(source, **options)


def needed_columns(need: Need, columns: Mapping[str, str] | None) -> dict[str, str]:
    """The part of `columns` that is about the judgments that are needed: where each further column is a grade, of their ids alone."""
    from idealist.data.column_names import columns_of

    stated = columns_of(columns, "judgments")
    return {role: name for role, name in stated.items() if not need.columns or role in ("query", "document")}
