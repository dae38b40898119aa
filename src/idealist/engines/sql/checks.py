"""What a query checks before it gives a number: as with `evaluate`, input that cannot be right is an error."""

from __future__ import annotations

from idealist.backends.sql.words import number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from idealist.backends.sql.dialects import Dialect
    from idealist.backends.sql.sheet import Sheet
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
