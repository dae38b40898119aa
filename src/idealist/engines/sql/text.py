"""The text of a query: one column a line, a comment before each stage."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

INDENT = "    "


def select(
    columns: Sequence[str], source: str, condition: str = "", *, group: str = "", order: str = ""
) -> str:
    """A query, one column a line.

    >>> print(select(["query", "grade"], "judged", "grade > 0"))
    SELECT
        query,
        grade
    FROM judged
    WHERE grade > 0
    """
    lines = ["SELECT", ",\n".join(INDENT + column for column in columns), f"FROM {source}"]
    clauses = (("WHERE", condition), ("GROUP BY", group), ("ORDER BY", order))
    return "\n".join([*lines, *(f"{word} {clause}" for word, clause in clauses if clause)])


def commented(comment: str, query: str) -> str:
    """A query with a comment of a line or several before it."""
    return "\n".join([*(f"-- {line}" for line in comment.split("\n")), query])


def with_stages(stages: Mapping[str, str], final: str) -> str:
    """A query over others that have names."""
    named = (f"{name} AS (\n{_indented(query)}\n)" for name, query in stages.items())
    return f"WITH {', '.join(named)}\n{final}"


def _indented(text: str) -> str:
    return "\n".join(INDENT + line for line in text.split("\n"))
