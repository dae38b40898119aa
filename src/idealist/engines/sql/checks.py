"""What a query checks before it gives a number: as with `evaluate`, input that cannot be right is an error."""

from __future__ import annotations

from collections.abc import Mapping

from idealist.engines.sql.names import number
from idealist.measures.gains import HIGHEST_EXPONENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from idealist.engines.sql.plan import Plan
    from idealist.measures import Measure

LARGEST = "1e308"  # a grade beyond this is infinite, or as good as that


def problems(plan: Plan, columns: Mapping[Measure, str], judgment_rows: str) -> list[str]:
    """Queries that give a row with the column `problem` for whatever is wrong."""
    rows = [*_of_rows(plan, judgment_rows), *_of_gains(plan)]
    return [*rows, *_of_conventions(plan, columns)]


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


def _of_rows(plan: Plan, judgment_rows: str) -> Iterator[str]:
    is_nan = plan.dialect.nan.format
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


def _of_gains(plan: Plan) -> Iterator[str]:
    for gain in plan.gains.values():
        if gain == "exp":
            text = _text("'query '", "query", f"' has a grade above {HIGHEST_EXPONENT}: 2^grade is infinite'")
            yield _select(text, "judged", f"grade > {HIGHEST_EXPONENT}")
        elif isinstance(gain, Mapping):
            grades = ", ".join(map(number, gain))
            counts = "" if plan.conventions.negative == "keep" else " AND grade >= 0"
            grade = f"CAST(grade AS {plan.dialect.text})"
            text = _text("'query '", "query", "' has grade '", grade, "', which the gain table lacks'")
            yield _select(text, "judged", f"grade NOT IN ({grades}){counts}")


def _of_conventions(plan: Plan, columns: Mapping[Measure, str]) -> Iterator[str]:
    conventions = plan.conventions
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
