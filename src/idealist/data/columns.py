"""Named columns of equal length, as they come from a table in a file or a frame."""

from __future__ import annotations

import re
from collections.abc import Mapping

from idealist.data.numbers import (
    EXACT_HINT,
    INEXACT,
    as_id,
    as_number,
    decimal_hint,
    loses_digits,
    with_point,
)
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

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
)
# The same with our own name in front, where a message says what is missing.
QUERY = ("query", *(name for name in QUERY_NAMES if name != "query"))
DOCUMENT = ("document", *(name for name in DOCUMENT_NAMES if name != "document"))
SCORE = ("score", "sim", "similarity", "prediction", "pred", "y_pred", "y_score", "probability", "prob")
GRADE = ("grade", "rel", "relevance", "label", "rating", "judgment", "judgement", "y_true", "target")
RANK = ("rank", "position")
SYSTEM = ("system",)
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
    """Which column is which, of a run or of judgments: by `columns`, as `columns_of` reads it, or by the common
    names. A run has the role score or, without one, rank: then its documents stand by rank, from the lowest.
    Where there is both a query and its id, it is the id.

    >>> find_roles(["user_id", "item_id", "rank", "score"], "run")
    {'query': 0, 'document': 1, 'score': 3}
    >>> find_roles(["query", "qid", "docno", "label"], "judgments")
    {'query': 1, 'document': 2, 'grade': 3}
    """
    from idealist.data.stated_columns import columns_of

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


def find_system(names: Sequence[str], columns: Mapping[str, str] | None = None) -> str | None:
    """The column that says which system a row is of, if there is one.

    >>> find_system(["System", "query", "document", "score"])
    'System'
    """
    from idealist.data.stated_columns import columns_of

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
    """What to do about columns that are not there, all at once; `free` are those that are nothing else."""
    columns_text = f"there are {', '.join(names) or 'no columns'}"
    if any(_is_number(name) for name in names):
        return f"{columns_text}: if these are values, write a first line that names the columns"
    if len(names) == 1 and len(names[0].split()) > 1:
        return f"there is one column, {names[0]!r}: separate columns by commas, semicolons or tabs"
    if kind == "run" and roles[0] == "score" and _find(names, GRADE) is not None:
        return f"{columns_text}: these look like judgments; evaluate(run, judgments, …) in Python, JUDGMENTS RUN for commands"
    # A guess, in the order that most tables have; whoever reads it sees where it is wrong.
    guessed = {role: free[at] if at < len(free) else "NAME" for at, role in enumerate(roles)}
    option = quoted(",".join(f"{role}={name}" for role, name in guessed.items()))
    pronoun = "it" if len(roles) == 1 else "them"
    return f"{columns_text}; name {pronoun}: --columns {option}, or columns={guessed} in Python"


def quoted(option: str) -> str:
    """The value of an option as a shell takes it: in quotes where it has spaces or other signs of a shell.

    >>> quoted("query=Search Term,grade=stars")
    "'query=Search Term,grade=stars'"
    """
    return option if re.fullmatch(r"[\w@%+=:,./-]+", option) else "'" + option.replace("'", "'\"'\"'") + "'"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def is_blank(cell: Any) -> bool:
    """Whether there is nothing in a cell of a table.

    >>> is_blank(None), is_blank(" "), is_blank(float("nan")), is_blank(0)
    (True, True, True, False)
    """
    return cell is None or cell != cell or (isinstance(cell, str) and not cell.strip())


def is_frame(source: object) -> bool:
    """Whether something is a table of columns: it speaks Arrow, or is a frame from before that.

    >>> is_frame({"q": {"d": 1}})
    False
    """
    if type(source) is dict:
        return False
    if hasattr(source, "__arrow_c_stream__"):
        return True
    if isinstance(source, Mapping) or not hasattr(source, "__getitem__"):
        return False
    return hasattr(source, "collect") or hasattr(source, "columns")  # a lazy one, or pandas before 2.2


class Columns:
    """A table by columns. `first_line` is the line of the file the first row stood on, if it was a file;
    `decimal` the sign before fractions in numbers that are text. `contents` is what the table is of (votes, items, …),
    for hints."""

    def __init__(
        self,
        columns: Mapping[str, Sequence[Any]],
        *,
        source: str | None = None,
        first_line: int | None = None,
        decimal: str = ".",
        contents: str = "",
    ) -> None:
        self.contents = contents
        self._used: set[str] = set()  # the columns that were looked up, and are not free to be another
        self.source = source
        self.decimal = decimal
        self.first_line = first_line
        self.columns: dict[str, list[Any]] = {}
        for name, values in columns.items():
            if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
                raise self.wrong(f"the column {name!r} is {values!r}, not a list of values")
            self.columns[str(name)] = list(values)
        lengths = {name: len(values) for name, values in self.columns.items()}
        if len(set(lengths.values())) > 1:
            length_texts = ", ".join(f"{name} {length}" for name, length in lengths.items())
            raise self.wrong(f"the columns differ in length: {length_texts}")

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), []))

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    @property
    def names(self) -> list[str]:
        return list(self.columns)

    def wrong(self, message: str, row: int | None = None, *, hint: str = "", code: str = "") -> InputError:
        """An error about the table, or about one of its rows, that says where it is."""
        if row is None or self.first_line is None:
            message = message if row is None else f"row {row + 1}: {message}"
            return InputError(message, source=self.source, hint=hint, code=code)
        return InputError(message, source=self.source, line=self.first_line + row, hint=hint, code=code)

    def where(self, row: int) -> str:
        """Where a row stands, in words.

        >>> Columns({"query": ["a"]}).where(0), Columns({"query": ["a"]}, first_line=2).where(0)
        ('in row 1', 'on line 2')
        """
        return f"in row {row + 1}" if self.first_line is None else f"on line {self.first_line + row}"

    def renamed(self, columns: Mapping[str, str]) -> Columns:
        """The same table, with our names for the columns that `columns` maps them to."""
        for ours, theirs in columns.items():
            if theirs not in self:
                raise self.wrong(
                    f"there is no column {theirs!r}, which columns names as the {ours}",
                    hint=f"there are {', '.join(self.columns) or 'no columns'}",
                )
            if ours in self and ours != theirs and ours not in columns.values():
                raise self.wrong(
                    f"there is a column {ours!r}, but columns names {theirs!r} as the {ours}",
                    hint="rename one of them, or leave it out of columns",
                )
        names = {theirs: ours for ours, theirs in columns.items()}
        cells = {names.get(name, name): values for name, values in self.columns.items()}
        return Columns(
            cells,
            source=self.source,
            first_line=self.first_line,
            decimal=self.decimal,
            contents=self.contents,
        )

    def of(self, contents: str) -> Columns:
        """The same table, known to be of votes, of items, …"""
        table = Columns.__new__(Columns)
        table.__dict__.update(self.__dict__, contents=contents, _used=set())
        return table

    def find(self, *names: str) -> str | None:
        """Which of these names there is, in any case of letters; the first that is, None if none is."""
        lower = {name.lower(): name for name in reversed(self.columns)}
        for name in names:
            column = name if name in self.columns else lower.get(name.lower())
            if column is not None:
                self._used.add(column)
                return column
        return None

    def named(self, *names: str) -> str:
        """The column by one of these names; an error if there is none."""
        column = self.find(*names)
        if column is not None:
            return column
        columns_text = f"there are {', '.join(self.columns) or 'no columns'}"
        if len(names) > 1:  # a column of ours, which may be called otherwise
            free = next((name for name in self.columns if name not in self._used), "NAME")
            option = f"{self.contents}.{names[0]}" if self.contents not in ("", "votes") else names[0]
            columns_text += f"; name it: --columns {quoted(f'{option}={free}')}, or columns={{{names[0]!r}: {free!r}}} in Python"
        raise self.wrong(f"there is no column {names[0]!r}", hint=columns_text)

    def lacks(self, missing: Sequence[str], needed: str, *, remark: str = "") -> InputError:
        """An error about columns that are not there, where none of the others can be guessed to be meant; `needed` says
        which columns such a table has."""
        stated = ",".join(f"{role}=NAME" for role in missing)
        return self.wrong(
            f"there is no column {missing[0]!r}",
            hint=f"there are {', '.join(self.columns) or 'no columns'}{remark}; {needed}; if yours are called otherwise, name "
            f"them: --columns {stated}, or columns={dict.fromkeys(missing, 'NAME')} in Python",
        )

    def ids(self, name: str) -> list[str]:
        """A column of ids: text or whole numbers."""
        return [self.id(name, row) for row in range(len(self))]

    def id(self, name: str, row: int) -> str:
        id_text: str = self._read(as_id, self.columns[name][row], name, row)
        return id_text

    def numbers(self, name: str) -> list[float]:
        """A column of numbers, which may be written as text."""
        return [self.number(name, row) for row in range(len(self))]

    def number(self, name: str, row: int, *, exact: bool = False, finite: bool = True) -> float:
        """With `exact`, whole numbers in text must be below 2**53, or such that a float holds them."""
        value = self.columns[name][row]
        if isinstance(value, str) and value:
            text = value
            try:
                value = float(with_point(text, self.decimal))
            except ValueError:
                hint = decimal_hint(value, self.decimal)
                raise self.wrong(
                    f"{name} is {value!r}, not a number", row, hint=hint, code="not-a-number"
                ) from None
            if exact and loses_digits(text, value):
                raise self.wrong(f"{name} is {text[:80]}, {INEXACT}", row, hint=EXACT_HINT)
        number: float = self._read(lambda v, title: as_number(v, title, finite=finite), value, name, row)
        return number

    def texts(self, name: str) -> list[str]:
        return ["" if value is None else str(value) for value in self.columns[name]]

    def _read(self, read: Any, value: Any, name: str, row: int) -> Any:
        if value is None or value == "":
            raise self.wrong(f"{name} is empty", row, hint="fill it in, or leave the row out", code="empty")
        try:
            return read(value, name)
        except InputError as error:
            raise self.wrong(error.message, row, hint=error.hint, code=error.code) from None
