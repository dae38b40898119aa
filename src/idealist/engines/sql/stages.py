"""The stages of the query, from the two tables to one row per judged query."""

from __future__ import annotations

from idealist.conventions import CHOICES
from idealist.engines.sql.text import commented, select

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from idealist.conventions import Conventions
    from idealist.engines.sql.plan import Plan


# What stages may be called: a table of the same name would be hidden by them.
NAMES = (
    "run_rows",
    "judgment_rows",
    "judged",
    "ideals",
    "totals",
    "ranked",
    "graded",
    "along",
    "chances",
    "found",
    "joined",
    "by_query",
    "problems",
)


class Sources:
    """The tables, and by our names those of their columns."""

    def __init__(self, run: tuple[str, dict[str, str]], judgments: tuple[str, dict[str, str]]) -> None:
        self.run, self.run_columns = run
        self.judgments, self.judgment_columns = judgments

    def judgment_rows(self, conventions: Conventions) -> str:
        """The stage that holds the judgments as they are."""
        return "judgment_rows" if conventions.negative == "unjudged" else "judged"


def stages(plan: Plan, sources: Sources, values: Mapping[str, str]) -> dict[str, str]:
    """Each stage by its name; those that nothing is asked of are left out."""
    written = {"run_rows": _run_rows(plan, sources), **_judged(plan, sources)}
    written["totals"] = _totals(plan)
    written["ranked"] = _ranked(plan)
    last = "ranked"
    for name, columns, about in (
        ("graded", plan.graded, "what each document of the ranking is worth"),
        ("along", plan.along, _about_along(plan)),
        ("chances", plan.first, "the chance that a document is the first relevant one"),
    ):
        if columns:
            written[name] = commented(about, select(["*", *_named(columns)], last))
            last = name
    count = {"ranked_documents": "COUNT(*)"} if not plan.found else {}
    written["found"] = commented(
        "sums over the ranking of each query",
        select(["query", *_named(plan.found | count)], last, group="query"),
    )
    written["joined"] = _joined(plan)
    written["by_query"] = _by_query(plan, values)
    return written


def _named(columns: Mapping[str, str]) -> list[str]:
    return [f"{expression} AS {name}" for name, expression in columns.items()]


def _judged(plan: Plan, sources: Sources) -> dict[str, str]:
    theirs, dialect, conventions = sources.judgment_columns, plan.dialect, plan.conventions
    rows = select(
        [
            f"CAST({theirs['query']} AS {dialect.text}) AS query",
            f"CAST({theirs['document']} AS {dialect.text}) AS document",
            f"CAST({theirs['grade']} AS {dialect.double}) AS grade",
        ],
        sources.judgments,
    )
    raw = sources.judgment_rows(conventions)
    written = {raw: commented("the judgments; ids are text", rows)}
    if raw != "judged":
        positive = ["query", "document", "CASE WHEN grade >= 0 THEN grade END AS grade"]
        written["judged"] = commented(_choice(conventions, "negative"), select(positive, raw))
    if plan.ideals:
        ranks = select(["query", "grade", *_named(plan.ideals)], "judged")
        written["ideals"] = commented("the ideal list: judged documents by gain", ranks)
    return written


def _choice(conventions: Conventions, field: str) -> str:
    """A choice and what it means, for a comment."""
    about, choices = CHOICES[field]
    choice = getattr(conventions, field)
    return f"{about}: {choice} ({choices[choice]})"


def _totals(plan: Plan) -> str:
    columns = ["query", *_named(plan.totals)]
    if plan.conventions.empty in ("skip", "error"):
        columns.append("MAX(CASE WHEN grade > 0 THEN 1 ELSE 0 END) AS has_relevant")
    if plan.conventions.negative == "error":
        columns.append("MIN(grade) AS lowest_grade")
    source = "ideals" if plan.ideals else "judged"
    return commented("one row per judged query", select(columns, source, group="query"))


def _run_rows(plan: Plan, sources: Sources) -> str:
    theirs, dialect, conventions = sources.run_columns, plan.dialect, plan.conventions
    score = f"CAST({theirs['score']} AS {dialect.double})"
    comment = "the run; ids are text"
    if conventions.precision == "single":
        score = f"CAST({score} AS {dialect.single})"
        comment += f"\n{_choice(conventions, 'precision')}"
    columns = [
        f"CAST({theirs['query']} AS {dialect.text}) AS query",
        f"CAST({theirs['document']} AS {dialect.text}) AS document",
        f"{score} AS score",
    ]
    if conventions.ties == "input-order":
        columns.append(f"{theirs['rank']} AS row_order")
    return commented(comment, select(columns, sources.run))


def _ranked(plan: Plan) -> str:
    """Ranks; with averaged ties, also where the documents that share a score begin."""
    conventions, dialect = plan.conventions, plan.dialect
    id_descending = f"run_rows.document{dialect.bytewise} DESC"
    judged_first = "CASE WHEN judged.grade >= 0 THEN 0 WHEN judged.grade IS NULL THEN 1 ELSE 2 END"
    within_ties = {
        "id-ascending": f"run_rows.document{dialect.bytewise}",
        "input-order": f"row_order, {id_descending}",
        "optimistic": f"{judged_first}, judged.grade DESC",
        "pessimistic": f"{judged_first} DESC, judged.grade",
    }.get(conventions.ties, id_descending)
    by_score = "score DESC"
    comments = [_choice(conventions, "ties")]
    if conventions.unjudged == "removed":
        by_score = f"CASE WHEN judged.grade IS NULL THEN 1 ELSE 0 END, {by_score}"
        comments.append(f"{_choice(conventions, 'unjudged')}: here, last")
    lists = "PARTITION BY run_rows.query"
    columns = ["run_rows.query", "judged.grade", *(f"totals.{name}" for name in plan.totals_at_ranks)]
    columns.append(
        f"{plan.as_double(f'ROW_NUMBER() OVER ({lists} ORDER BY {by_score}, {within_ties})')} AS rank"
    )
    if plan.averaged:
        columns.append(f"{plan.as_double(f'RANK() OVER ({lists} ORDER BY {by_score})')} AS tie_start")
    source = (
        "run_rows\nJOIN totals ON totals.query = run_rows.query\n"
        "LEFT JOIN judged ON judged.query = run_rows.query AND judged.document = run_rows.document"
    )
    return commented("\n".join(comments), select(columns, source))


def _about_along(plan: Plan) -> str:
    return "means over documents that share a score" if plan.averaged else "what stands above each document"


def _joined(plan: Plan) -> str:
    flags = {
        "has_relevant": plan.conventions.empty in ("skip", "error"),
        "lowest_grade": plan.conventions.negative == "error",
    }
    columns = [
        "totals.query",
        *(f"totals.{name}" for name in (*plan.totals, *(flag for flag, used in flags.items() if used))),
        *(f"COALESCE(found.{name}, 0) AS {name}" for name in plan.found),
        "CASE WHEN found.query IS NULL THEN 1 ELSE 0 END AS missing",
    ]
    comment = "every judged query, also one that is missing from the run"
    return commented(comment, select(columns, "totals\nLEFT JOIN found ON found.query = totals.query"))


def _by_query(plan: Plan, values: Mapping[str, str]) -> str:
    empty, missing = plan.conventions.empty, plan.conventions.missing
    columns = []
    for name, value in values.items():
        if empty in ("zero", "one"):
            value = f"COALESCE({value}, {'0' if empty == 'zero' else '1'})"
        measured = [
            *(["missing = 0"] if missing == "skip" else []),
            *(["has_relevant = 1"] if empty == "skip" else []),
        ]
        if measured:
            value = f"CASE WHEN {' AND '.join(measured)} THEN {value} END"
        columns.append(f"{value} AS {name}")
    comment = f"{_choice(plan.conventions, 'missing')}\n{_choice(plan.conventions, 'empty')}"
    return commented(comment, select(["query", *columns], "joined"))
