"""Writing the query: tables of a run and of judgments → one value per measure, or per measure and judged query; and what it checks first."""

from __future__ import annotations

import re

from idealist.backends.sql.column_sheet import Sheet, form
from idealist.backends.sql.dialects import as_dialect, name_part, number
from idealist.backends.sql.formula_nodes import Formulas
from idealist.conventions import DEFAULT, as_conventions
from idealist.data.column_names import columns_of
from idealist.engines.sql.sql_stages import NAMES, Sources, Stages, commented, select, with_stages
from idealist.errors import InputError
from idealist.evaluation.aggregates import LEAST
from idealist.measures import parse_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from idealist.backends.sql.dialects import Dialect
    from idealist.conventions import Conventions
    from idealist.measures import Measure


LARGEST = "1e308"  # a grade beyond this is infinite, or as good as that


def problems(
    sheet: Sheet,
    dialect: Dialect,
    conventions: Conventions,
    columns: Mapping[Measure, str],
    judgment_rows: str,
) -> list[str]:
    """Queries that give a row with the column `problem` for whatever is wrong."""
    rows = [*_of_rows(dialect, judgment_rows), *_of_grades(sheet, dialect)]
    return [*rows, *_of_conventions(conventions, columns)]


def _text(*parts: str) -> str:
    """Parts put together: columns, and text in apostrophes."""
    return " || ".join(parts)


def _row(title: str) -> str:
    return _text(
        f"'{title} has a row without a number or an id: query '",
        "COALESCE(query, 'NULL')",
        "', document '",
        "COALESCE(document, 'NULL')",
    )


def _select(problem: str, source: str, condition: str) -> str:
    return f"SELECT {problem} AS problem FROM {source} WHERE {condition}"


def _of_rows(dialect: Dialect, judgment_rows: str) -> Iterator[str]:
    is_nan = dialect.nan.format
    absent = "query IS NULL OR document IS NULL OR"
    yield _select(_row("the run"), "run_rows", f"{absent} score IS NULL OR {is_nan('score')}")
    yield _select(
        _row("the table of judgments"),
        judgment_rows,
        f"{absent} grade IS NULL OR {is_nan('grade')} OR ABS(grade) > {LARGEST}",
    )
    for title, source in (("the run", "run_rows"), ("the table of judgments", judgment_rows)):
        twice = _text(f"'{title} has document '", "document", "' of query '", "query", "' more than once'")
        yield f"SELECT {twice} AS problem FROM {source} GROUP BY query, document HAVING COUNT(*) > 1"


def _of_grades(sheet: Sheet, dialect: Dialect) -> Iterator[str]:
    grade = f"CAST(grade AS {dialect.text})"
    for limit in sheet.formulas.limits:
        text = _text("'query '", "query", "' has grade '", grade, f"', above {number(limit)}'")
        yield _select(text, "judged", f"grade > {number(limit)}")
    for worth in sheet.formulas.worths:
        text = _text("'query '", "query", "' has grade '", grade, "', which the gain table lacks'")
        yield _select(text, "judged", f"grade IS NOT NULL AND {sheet.alone(worth)} IS NULL")


def _of_conventions(conventions: Conventions, columns: Mapping[Measure, str]) -> Iterator[str]:
    none = _text("'the run has none of the judged queries, such as '", "MIN(query)")
    yield f"SELECT {none} AS problem FROM joined HAVING MIN(missing) = 1"
    measured = " AND missing = 0" if conventions.missing == "skip" else ""
    if conventions.missing == "error":
        yield _select(
            _text("'query '", "query", "' is judged but missing from the run'"), "joined", "missing = 1"
        )
    if conventions.negative == "error":
        text = _text("'query '", "query", "' has a negative grade'")
        yield _select(text, "joined", f"lowest_grade < 0{measured}")
    if conventions.empty == "error":
        yield _select(
            _text("'query '", "query", "' has nothing relevant'"), "joined", f"has_relevant = 0{measured}"
        )
        for measure, name in columns.items():
            said = str(measure).replace("'", "''")
            text = _text(f"'{said} is undefined for query '", "by_query.query")
            source = "by_query JOIN joined ON joined.query = by_query.query"
            yield _select(text, source, f"{name} IS NULL{measured}")


PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
LONGEST = 60  # characters of a name: PostgreSQL cuts at 63
# Words that mean something else where they are not quoted: `user` is who asks, in PostgreSQL and DuckDB.
RESERVED = frozenset(
    re.findall(
        r"\w+",
        """
    all and any array as asc between by case cast check collate column create cross current_date current_time
    current_timestamp current_user default desc distinct else end except exists false fetch for foreign from full group
    grouping groups having in inner intersect interval into is join lateral left like limit natural new not null of offset
    on or order outer over partition primary range references right rows select session_user set some system_user table
    then to true union unique user using when where window with
    """,
    )
)


def column_names(measures: Iterable[Measure]) -> dict[Measure, str]:
    """A column for each measure; no two are alike.

    >>> from idealist import NDCG
    >>> list(column_names([NDCG(k=10), NDCG(gain={1: 3}), NDCG(gain={1: -3})]).values())
    ['ndcg_at_10', 'ndcg_gain_1_3', 'ndcg_gain_1_minus_3']
    """
    names: dict[Measure, str] = {}
    for measure in measures:
        first = name = name_part(str(measure))[:LONGEST].rstrip("_")
        number = 1
        while name in names.values():
            number += 1
            name = f"{first[: LONGEST - 4]}_{number}"
        names[measure] = name
    return names


def column(name: str, dialect: Dialect) -> str:
    """The name of a column, quoted unless it is plain, or quoted already. A reserved word is quoted as the database would
    have stored it: in capitals by Snowflake.

    >>> from idealist.backends.sql.dialects import DIALECTS
    >>> column("user id", DIALECTS["spark"]), column("uid", DIALECTS["spark"]), column("user", DIALECTS["snowflake"])
    ('`user id`', 'uid', '"USER"')
    """
    quote = dialect.quote
    inside = name[1:-1]
    if name.lower() in RESERVED:
        stored = {"upper": name.upper(), "lower": name.lower()}.get(dialect.folds, name)
        return f"{quote}{stored}{quote}"
    if PLAIN.fullmatch(name) or (
        len(name) > 2 and name[0] == name[-1] == quote and quote not in inside.replace(2 * quote, "")
    ):
        return name
    if not name.strip() or "\n" in name:
        raise InputError(
            f"{name!r} is not the name of a column", hint="for example columns={'query': 'user_id'}"
        )
    return f"{quote}{name.replace(quote, 2 * quote)}{quote}"


def table(name: Any, argument: str, dialect: Dialect) -> str:
    """The name of a table, with those of its schema before it; text with a bracket or an apostrophe is SQL, as it is.

    >>> from idealist.backends.sql.dialects import DIALECTS
    >>> table("shop.my runs", "run", DIALECTS["duckdb"]), table("(SELECT * FROM r)", "run", DIALECTS["duckdb"])
    ('shop."my runs"', '(SELECT * FROM r)')
    """
    if not (isinstance(name, str) and name.strip()):
        raise InputError(
            f"{argument} must be the name of a table, not {name!r}",
            hint=f"for example {argument}='shop.table'",
        )
    if "(" in name or "'" in name:
        return name.strip()
    parts = re.findall(rf"{dialect.quote}[^{dialect.quote}]*{dialect.quote}|[^.]+", name.strip())
    return ".".join(column(part, dialect) for part in parts)


def query(
    measures: str | Measure | Iterable[str | Measure],
    *,
    dialect: str = "duckdb",
    conventions: Conventions | str = DEFAULT,
    run: str = "run",
    judgments: str = "judgments",
    columns: Mapping[str, str] | None = None,
    by_query: bool = False,
    checks: bool = True,
) -> str:
    """The SQL query whose result is what `evaluate` gives, in the dialect of a database.

    `run` and `judgments` are names of tables, with a schema before them or not, or queries in brackets. The run has the
    columns query, document and score, the judgments query, document and grade; `columns` says what they are called, as
    {"query": "user_id", "run.document": "sku"}, and with ties=input-order which column has the order of the rows:
    {"rank": "position"}. `by_query` gives the value of every judged query, NULL where it is left out, and otherwise one
    row with the mean, or for counts the sum, of each measure. With `checks`, rows without an id or a number, documents
    that occur twice, and whatever the conventions call an error make the query fail; without them it is quicker.

    Sums are in whatever order the database adds up, so that values agree with `evaluate` to about 12 digits.

    >>> print(query("NumRel", judgments="shop.grades", checks=False).splitlines()[0])
    -- NumRel, for DuckDB, as Idealist measures it
    """
    made_for, chosen = as_dialect(dialect), as_conventions(conventions)
    parsed = parse_all(measures, defaults=chosen.parameters)
    _refuse_conventions(chosen, made_for)
    formulas = Formulas(bits=made_for.double, underflows=made_for.underflows)
    names = column_names(parsed)
    nodes = {names[measure]: form(measure, formulas, chosen) for measure in parsed}
    sheet = Sheet(formulas, nodes.values())
    texts = {name: sheet.text(formulas.as_double(node)) for name, node in nodes.items()}
    sources = Sources(
        *(
            _source(kind, name, columns, chosen, made_for)
            for kind, name in (("run", run), ("judgments", judgments))
        )
    )
    written = Stages(sheet, sources, chosen, made_for, checks=checks).all(texts)
    condition = ""
    if checks:
        found = problems(sheet, made_for, chosen, names, sources.judgment_rows(chosen))
        written["problems"] = commented("what is wrong with the tables", "\nUNION ALL\n".join(found))
        # A subquery of its own, so that it is worked out before any value is given.
        condition = f"(SELECT MAX({made_for.stop.format('problem')}) FROM problems) IS NULL"
    final = _final(names, made_for, condition, by_query)
    return "\n".join([*_header(names, chosen, made_for), with_stages(written, final), ""])


def _refuse_conventions(conventions: Conventions, dialect: Dialect) -> None:
    if conventions.precision == "single" and not dialect.single:
        raise InputError(
            f"precision=single: {dialect.database} has no 32-bit numbers",
            hint="choose precision=double, or another dialect",
        )


def _source(
    kind: str, name: str, columns: Mapping[str, str] | None, conventions: Conventions, dialect: Dialect
) -> tuple[str, dict[str, str]]:
    if isinstance(name, str) and name.strip().lower() in NAMES:
        raise InputError(
            f"a table called {name.strip()!r} would be hidden by a part of the query",
            hint=f"name its schema, such as main.{name.strip()}",
        )
    called = columns_of(columns, kind)
    if kind == "run" and conventions.ties == "input-order" and "rank" not in called:
        raise InputError(
            "ties=input-order: the rows of a table have no order",
            hint="name the column that holds it: columns={'rank': 'position'} in Python, --columns rank=position "
            "for the command; or choose another rule for ties",
        )
    roles = ("query", "document", "score", "rank") if kind == "run" else ("query", "document", "grade")
    return table(name, kind, dialect), {role: column(called.get(role, role), dialect) for role in roles}


def _header(names: Mapping[Measure, str], conventions: Conventions, dialect: Dialect) -> list[str]:
    measures = ", ".join(map(str, names))
    lines = [
        f"{measures}, for {dialect.database}, as Idealist measures it",
        f"conventions: {conventions}",
        "Sums are in no fixed order: values agree with `idealist evaluate` to about 12 digits.",
    ]
    return [f"-- {line}" for line in lines]


def _final(names: Mapping[Measure, str], dialect: Dialect, condition: str, by_query: bool) -> str:
    if by_query:
        return select(["query", *names.values()], "by_query", condition, order=f"query{dialect.bytewise}")
    cells = []
    for measure, name in names.items():
        value = f"AVG({name})"
        if measure.aggregate == "sum":
            value = f"COALESCE(SUM({name}), 0)"
        elif measure.aggregate == "geometric":
            # GREATEST takes no notice of NULL in some databases.
            value = f"EXP(AVG(LN(CASE WHEN {name} < {LEAST:.5f} THEN {LEAST:.5f} ELSE {name} END)))"
        cells.append(f"{value} AS {name}")
    return select(cells, "by_query", condition)
