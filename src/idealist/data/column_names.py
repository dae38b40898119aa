"""The roles of a table's columns: by the names that people give them, or as the argument `columns` states."""

from __future__ import annotations

from collections.abc import Mapping

from idealist.data.columns import quoted
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


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


# What people call a column, by what we call it. Capitals and the signs in SIGNS make no difference.
# The first that is there counts: an id before what it is the id of, and a query before the user who asked it.
QUERY_NAMES = (
    "query_id",
    "qid",
    "query",
    "topic_id",
    "topic",
    "user_id",
    "uid",
    "user",
    "session_id",
    "customer_id",
    "查询",
    "查询词",
    "搜索词",
    "检索词",
    "用户",
)
DOCUMENT_NAMES = (
    "docno",  # before docid, which PyTerrier has for a number of its own
    "document_id",
    "doc_id",
    "docid",
    "document",
    "doc",
    "corpus_id",
    "passage_id",
    "pid",
    "item_id",
    "item",
    "movie_id",
    "product_id",
    "article_id",
    "news_id",
    "asin",
    "sku",
    "url",
    "文档",
    "商品",
    "网页",
)
# The same with our own name in front, where a message says what is missing.
QUERY = ("query", *(name for name in QUERY_NAMES if name != "query"))
DOCUMENT = ("document", *(name for name in DOCUMENT_NAMES if name != "document"))
SCORE = (
    "score",
    "sim",
    "similarity",
    "prediction",
    "pred",
    "y_pred",
    "y_score",
    "probability",
    "prob",
    "得分",
    "分数",
)
GRADE = (
    "grade",
    "rel",
    "relevance",
    "label",
    "rating",
    "judgment",
    "judgement",
    "y_true",
    "target",
    "等级",
    "相关性",
    "评分",
)
RANK = ("rank", "position", "排名", "名次")
SYSTEM = ("system", "系统")
ROLES = {
    "query": QUERY_NAMES,
    "document": DOCUMENT_NAMES,
    "score": SCORE,
    "grade": GRADE,
    "rank": RANK,
    "system": SYSTEM,
}
# What the number of a row is.
NUMBER_NAMES = {"run": "score", "judgments": "grade"}
# Which columns give it, the first there is: judgments of BEIR call a grade a score.
NUMBERS = {"run": (("score", SCORE), ("rank", RANK)), "judgments": (("grade", GRADE), ("grade", ("score",)))}
# What error messages say where a run and judgments stand in each other's place.
JUDGMENTS_FIRST = "judgments come first: JUDGMENTS RUN in commands, evaluate(judgments, runs, …) in Python"
SIGNS = str.maketrans("", "", "_-. ")


def plain_name(name: str) -> str:
    """A column's name in lower case, without spaces and signs.

    >>> plain_name("corpus-id"), plain_name("userId")
    ('corpusid', 'userid')
    """
    return name.lower().translate(SIGNS)


def find_roles(
    names: Sequence[str],
    kind: str,
    columns: Mapping[str, str] | None = None,
    *,
    source: str | None = None,
) -> dict[str, int]:
    """Finds the columns of a run or of judgments: by `columns`, as `columns_of` reads it, or by the common
    names. A run has the role score or, without one, rank: then its documents stand by rank, from the lowest.
    Where there is both a query and its id, it is the id.

    >>> find_roles(["user_id", "item_id", "rank", "score"], "run")
    {'query': 0, 'document': 1, 'score': 3}
    >>> find_roles(["query", "qid", "docno", "label"], "judgments")
    {'query': 1, 'document': 2, 'grade': 3}
    """

    mapped = _mapped(names, kind, columns_of(columns, kind), source)
    position_of = {}
    for role in ("query", "document"):
        position_of[role] = mapped[role] if role in mapped else _find(names, ROLES[role])
    # What was named goes before what was found.
    number_roles = sorted(NUMBERS[kind], key=lambda entry: entry[0] not in mapped)
    for role, common in number_roles:
        at = mapped[role] if role in mapped else _find(names, common)
        if at is not None:
            position_of[role] = at
            break
    else:
        position_of[number_roles[0][0]] = None
    if kind == "judgments" and "grade" not in mapped:
        _refuse_scores(names, position_of, source)
    missing = [role for role, at in position_of.items() if at is None]
    if missing:
        also = " or 'rank'" if missing[0] == "score" else ""
        free = [name for index, name in enumerate(names) if index not in position_of.values()]
        raise InputError(
            f"there is no column {missing[0]!r}{also}",
            source=source,
            hint=_missing(names, free, kind, missing),
        )
    roles = {role: at for role, at in position_of.items() if at is not None}
    _refuse_shared(names, roles, source)
    return roles


def _refuse_scores(names: Sequence[str], found: Mapping[str, int | None], source: str | None) -> None:
    """Raises for the columns of a run where judgments should be: scores and no grades, and nothing of BEIR, which calls a
    grade a score."""
    at = _find(names, SCORE) if found["grade"] is None else found["grade"]
    beir = "corpusid" in map(plain_name, names)
    if at is None or plain_name(names[at]) not in map(plain_name, SCORE) or beir:
        return
    if None not in (found["query"], found["document"]):
        raise InputError(
            f"there is a column {names[at]!r} and no grade: these look like a run, where judgments should be",
            source=source,
            hint=f"{JUDGMENTS_FIRST}; if these are the grades, say so: columns={{'judgments.grade': {names[at]!r}}}",
        )


def find_system(names: Sequence[str], columns: Mapping[str, str] | None = None) -> str | None:
    """The column that says which system a row is of, if there is one.

    >>> find_system(["System", "query", "document", "score"])
    'System'
    """

    named_column = columns_of(columns, "run").get("system")
    if named_column is not None and named_column in names:
        return named_column
    # A stated column that is not here is one of other files; a column of systems that is here still tells rows apart.
    at = _find(names, SYSTEM)
    return None if at is None else names[at]


def _mapped(
    names: Sequence[str], kind: str, columns: Mapping[str, str], source: str | None
) -> dict[str, int]:
    mapped = {}
    for role, name in columns.items():
        if role not in ROLES:
            raise InputError(
                f"columns: plain judgments have no {role}", source=source, hint="leave it out of columns"
            )
        if name in names:
            mapped[role] = list(names).index(name)
    missing = [role for role in columns if role in ("query", "document") and role not in mapped]
    # Of score, rank and system, those that other runs have may be missing here.
    if missing or (columns.keys() - {"system"} and not mapped):
        role = (missing or list(columns))[0]
        raise InputError(
            f"there is no column {columns[role]!r}, which columns names as the {role}",
            source=source,
            hint=f"there are {', '.join(names) or 'no columns'}; {kind}.{role} names the {role} of {'runs' if kind == 'run' else kind} alone",
        )
    return mapped


def _find(names: Sequence[str], common: tuple[str, ...]) -> int | None:
    preference = {plain_name(name): index for index, name in reversed(list(enumerate(common)))}
    candidates = [
        (preference[plain_name(name)], at) for at, name in enumerate(names) if plain_name(name) in preference
    ]
    return min(candidates)[1] if candidates else None


def refuse_repeats(names: Sequence[str], source: str | None, line: int | None = None) -> None:
    """Raises where two columns have one name."""
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(
            f"two columns are called {twice!r}", source=source, line=line, hint="give each a name of its own"
        )


def _refuse_shared(names: Sequence[str], roles: Mapping[str, int], source: str | None) -> None:
    """One column for two things, or two columns of one name."""
    if len(set(roles.values())) < len(roles):
        raise InputError(
            f"one column cannot be all of {', '.join(roles)}",
            source=source,
            hint=f"there are {', '.join(names)}",
        )
    used_names = {names[at] for at in roles.values()}
    refuse_repeats([name for name in names if name in used_names], source)


def _missing(names: Sequence[str], free: Sequence[str], kind: str, roles: Sequence[str]) -> str:
    """A hint about all columns that are missing; `free` are those that are nothing else."""
    columns_text = f"there are {', '.join(names) or 'no columns'}"
    if any(_is_number(name) for name in names):
        return f"{columns_text}: if these are values, write a first line that names the columns"
    if len(names) == 1 and len(names[0].split()) > 1:
        return f"there is one column, {names[0]!r}: separate columns by commas, semicolons or tabs"
    if kind == "run" and roles[0] == "score" and _find(names, GRADE) is not None:
        return f"{columns_text}: these look like judgments; {JUDGMENTS_FIRST}"
    # A guess, in the order that most tables have; whoever reads it sees where it is wrong.
    guessed = {role: free[at] if at < len(free) else "NAME" for at, role in enumerate(roles)}
    option = quoted(",".join(f"{role}={name}" for role, name in guessed.items()))
    pronoun = "it" if len(roles) == 1 else "them"
    numbers = (
        "; numbers per query and system are given as --numbers FILE, or numbers=… in Python"
        if "document" in roles
        else ""
    )
    return f"{columns_text}; name {pronoun}: --columns {option}, or columns={guessed} in Python{numbers}"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
