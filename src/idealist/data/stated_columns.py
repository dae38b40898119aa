"""What the argument `columns` says: what the columns of runs, of judgments or of both are called."""

from __future__ import annotations

from collections.abc import Mapping

from idealist.errors import InputError

# Our names of the columns that a run and judgments may have.
COLUMNS = {
    "run": ("query", "document", "score", "rank", "system"),
    "judgments": ("query", "document", "grade", "group", "subgroup", "level", "stratum"),
}
KNOWN = tuple(dict.fromkeys(role for roles in COLUMNS.values() for role in roles))


def columns_of(columns: Mapping[str, str] | None, kind: str) -> dict[str, str]:
    """From our names to those of a run, or of judgments. A name with run. or judgments. before it is of that kind alone, and
    goes before one that is of both.

    >>> columns = {"query": "uid", "judgments.query": "qid", "run.score": "s", "grade": "stars"}
    >>> columns_of(columns, "run"), columns_of(columns, "judgments")
    ({'query': 'uid', 'score': 's'}, {'query': 'qid', 'grade': 'stars'})
    """
    if columns is None:
        return {}
    if not isinstance(columns, Mapping):
        raise InputError(
            f"columns must map our names of columns to yours, not be {columns!r}",
            hint="for example columns={'query': 'uid'}",
        )
    of_both: dict[str, str] = {}
    of_this: dict[str, str] = {}
    for key, name in columns.items():
        whose, role = split_role(key)
        if not isinstance(name, str):
            raise InputError(
                f"columns: {key!r} must be the name of a column, not {name!r}",
                hint="for example columns={'query': 'uid'}",
            )
        if whose in ("", kind) and role in COLUMNS[kind]:
            (of_this if whose else of_both)[role] = name
    return of_both | of_this


def split_role(key: str) -> tuple[str, str]:
    """Whose column a key of `columns` is, "run", "judgments" or "" for both, and what we call it.

    >>> split_role("run.query"), split_role("grade")
    (('run', 'query'), ('', 'grade'))
    """
    whose, dot, role = str(key).rpartition(".")
    if whose in COLUMNS:
        if role not in COLUMNS[whose]:
            owner = "runs" if whose == "run" else whose
            raise InputError(
                f"columns: {key!r} is not a column of {owner}",
                hint=f"name one of: {', '.join(f'{whose}.{known}' for known in COLUMNS[whose])}",
            )
    elif dot or role not in KNOWN:
        raise InputError(
            f"columns: {key!r} is not a known column",
            hint=f"name one of: {', '.join(KNOWN)}; with run. or judgments. before it for one side alone",
        )
    return whose, role
