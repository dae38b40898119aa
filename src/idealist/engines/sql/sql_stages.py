"""The stages of the query, from the two tables to one row per judged query, and their text: one column a line."""

from __future__ import annotations

from idealist.backends.sql.column_sheet import Sheet
from idealist.backends.sql.formula_lists import FOUND, IDEAL, RANKED
from idealist.conventions import CHOICES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from idealist.backends.sql.column_sheet import Stage
    from idealist.backends.sql.dialects import Dialect
    from idealist.backends.sql.formula_nodes import Rows
    from idealist.conventions import Conventions


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


# What stages may be called, also with a number behind it: a table of the same name would be hidden by them.
NAMES = (
    *(
        "run_rows",
        "judgment_rows",
        "judged",
        "ideals",
        "totals",
        "ranked",
        "tied",
        "graded",
        "lists",
        "found",
    ),
    *("ideals_sums", "judged_sums", "digits", "first", "joined", "by_query", "problems"),
)
ABOUT = {
    FOUND: "the judged documents of each ranking",
    IDEAL: "the ideal list: judged documents, best first",
    RANKED: "all documents of each ranking",
}


class Sources:
    """The tables, and by our names those of their columns."""

    def __init__(self, run: tuple[str, dict[str, str]], judgments: tuple[str, dict[str, str]]) -> None:
        self.run, self.run_columns = run
        self.judgments, self.judgment_columns = judgments

    def judgment_rows(self, conventions: Conventions) -> str:
        """The stage that holds the judgments as they are."""
        return "judgment_rows" if conventions.negative == "unjudged" else "judged"


class Stages:
    """Each stage by its name, in an order in which each looks at earlier ones; those that nothing is asked of are left out."""

    def __init__(
        self, sheet: Sheet, sources: Sources, conventions: Conventions, dialect: Dialect, *, checks: bool
    ) -> None:
        self.sheet = sheet
        self.sources = sources
        self.conventions = conventions
        self.dialect = dialect
        self.checks = checks
        self.written: dict[str, str] = {}

    def all(self, values: Mapping[str, str]) -> dict[str, str]:
        """The stages; `values` are the formulas of the measures by their names, over the sums of a query."""
        self.sheet.settle()
        self.written = {"run_rows": self._run_rows(), **self._judged()}
        self._totals()
        for sums in self.sheet.sums.values():
            if sums.name != "totals":
                self._sums(sums)
        if self._counts_missing() and "lists" not in self.written:
            query = select(["query", "COUNT(*) AS retrieved"], "run_rows", group="query")
            self.written["lists"] = commented("the queries of the run", query)
        self.written["joined"] = self._joined()
        self.written["by_query"] = self._by_query(values)
        return self.written

    def _counts_missing(self) -> bool:
        """Whether it is asked which queries the run lacks."""
        return self.checks or self.conventions.missing == "skip"

    # The tables.

    def _run_rows(self) -> str:
        theirs, dialect, conventions = self.sources.run_columns, self.dialect, self.conventions
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
        return commented(comment, select(columns, self.sources.run))

    def _judged(self) -> dict[str, str]:
        theirs, dialect, conventions = self.sources.judgment_columns, self.dialect, self.conventions
        rows = select(
            [
                f"CAST({theirs['query']} AS {dialect.text}) AS query",
                f"CAST({theirs['document']} AS {dialect.text}) AS document",
                f"CAST({theirs['grade']} AS {dialect.double}) AS grade",
            ],
            self.sources.judgments,
        )
        raw = self.sources.judgment_rows(conventions)
        written = {raw: commented("the judgments; ids are text", rows)}
        if raw != "judged":
            written["judged"] = commented(_choice(conventions, "negative"), select(["*"], raw, "grade >= 0"))
        return written

    def _flags(self) -> dict[str, str]:
        """What the conventions ask of judged queries."""
        flags = {}
        if self.conventions.empty in ("skip", "error"):
            flags["has_relevant"] = "MAX(CASE WHEN grade > 0 THEN 1 ELSE 0 END)"
        if self.conventions.negative == "error":
            flags["lowest_grade"] = "MIN(grade)"
        return flags

    def _totals(self) -> None:
        sums = self.sheet.sums.get("totals")
        columns = {} if sums is None else sums.columns
        source = "judged" if sums is None else sums.source
        self._before(source)
        query = select(["query", *_named(columns | self._flags())], source, group="query")
        raw = self.sources.judgment_rows(self.conventions)
        if raw != "judged":  # where a query may be left without any
            self.written["judged_sums"] = commented("sums over the judged documents of each query", query)
            kept = [
                "judgment_queries.query",
                *(self._of_none("judged_sums", name, "totals") for name in columns),
            ]
            kept += [f"COALESCE(judged_sums.{name}, 0) AS {name}" for name in self._flags()]
            queries = f"(SELECT DISTINCT query FROM {raw}) AS judgment_queries"
            joined = "LEFT JOIN judged_sums ON judged_sums.query = judgment_queries.query"
            query = select(kept, f"{queries}\n{joined}")
        self.written["totals"] = commented("one row per judged query", query)

    def _ranked(self) -> str:
        """Ranks; with averaged ties, also where the documents that share a score begin."""
        conventions, dialect = self.conventions, self.dialect
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
        columns = ["run_rows.query", "judged.grade", *(f"totals.{name}" for name in self.sheet.brought)]
        columns.append(
            self._double(f"ROW_NUMBER() OVER ({lists} ORDER BY {by_score}, {within_ties})", "rank")
        )
        if conventions.ties == "averaged":
            columns.append(self._double(f"RANK() OVER ({lists} ORDER BY {by_score})", "tie_start"))
        source = (
            "run_rows\nJOIN totals ON totals.query = run_rows.query\n"
            "LEFT JOIN judged ON judged.query = run_rows.query AND judged.document = run_rows.document"
        )
        return commented("\n".join(comments), select(columns, source))

    def _double(self, expression: str, name: str) -> str:
        return f"CAST({expression} AS {self.dialect.double}) AS {name}"

    def _padded(self, rows: Rows) -> str:
        """The first ranks of every judged query: numbers are made of digits."""
        depth = int(rows.source.rpartition("_")[2])
        if "digits" not in self.written:
            digits = [f"SELECT {digit} AS digit" for digit in range(10)]
            self.written["digits"] = "\nUNION ALL\n".join(digits)
        number = "1 + ones.digit + 10 * tens.digit + 100 * hundreds.digit"
        places = (
            f"(SELECT {self._double(number, 'rank')} FROM digits AS ones CROSS JOIN digits AS tens CROSS JOIN digits AS hundreds)"
            " AS places"
        )
        columns = [
            "totals.query",
            "places.rank",
            "ranked.grade",
            *(f"totals.{name}" for name in self.sheet.brought),
        ]
        source = (
            f"totals\nJOIN {places} ON places.rank <= {depth}\n"
            "LEFT JOIN ranked ON ranked.query = totals.query AND ranked.rank = places.rank"
        )
        return commented(
            f"the first {depth} ranks of every list, whether it has them or not", select(columns, source)
        )

    # Columns of documents, and their sums.

    def _before(self, name: str) -> None:
        """Writes a stage of documents, and first those that it looks at."""
        if name in self.written:
            return
        if name == "ranked":
            self.written[name] = self._ranked()
            return
        for stage in self.sheet.stages.values():
            if stage.name == name:
                self._stage(stage)
                return
        self._before("ranked")
        rows = next(rows for rows in self.sheet.rows() if rows.source == name)
        self.written[name] = self._padded(rows)

    def _stage(self, stage: Stage) -> None:
        self._before(stage.source)
        condition = stage.rows.condition if stage.source == stage.rows.source else ""
        about = ABOUT.get(stage.rows, "each rank")
        source = stage.source
        if stage.columns:
            name = f"{stage.name}_own" if stage.joins else stage.name
            self.written[name] = commented(about, select(["*", *_named(stage.columns)], source, condition))
            source, condition = name, ""
        if stage.joins:
            for other, _ in stage.joins:
                self._before(other)
            columns, tables = ["here.*"], [f"{source} AS here"]
            for number, ((other, on), found) in enumerate(stage.joins.items()):
                there = "there" if not number else f"there_{number + 1}"
                columns += [f"{there}.{theirs} AS {name}" for name, theirs in found.items()]
                matched = on.format(source=there, here="here")
                tables.append(f"LEFT JOIN {other} AS {there} ON {there}.query = here.query AND {matched}")
            if condition:
                condition = f"here.{condition}"
            self.written[stage.name] = commented(
                f"{about}, beside another list", select(columns, "\n".join(tables), condition)
            )

    def _sums(self, sums: Stage) -> None:
        condition = sums.rows.condition if sums.source == sums.rows.source else ""
        source = sums.source
        if sums.name == "lists" and list(sums.columns.values()) == [
            f"CAST(COUNT(*) AS {self.dialect.double})"
        ]:
            source = "run_rows"  # the order does not count
        else:
            self._before(source)
        query = select(["query", *_named(sums.columns)], source, condition, group="query")
        about = {"lists": "sums over each ranking", "found": "sums over the judged documents of each ranking"}
        self.written[sums.name] = commented(about.get(sums.name, "sums of each query"), query)

    def _joined(self) -> str:
        columns, tables = [f"totals.{name}" for name in ("query", *self._totals_columns())], ["totals"]
        for sums in self.sheet.sums.values():
            if sums.name == "totals":
                continue
            tables.append(f"LEFT JOIN {sums.name} ON {sums.name}.query = totals.query")
            columns += [self._of_none(sums.name, name) for name in sums.columns if name in self.sheet.asked]
        if self._counts_missing():
            if "lists" not in self.sheet.sums:
                tables.append("LEFT JOIN lists ON lists.query = totals.query")
            columns.append("CASE WHEN lists.query IS NULL THEN 1 ELSE 0 END AS missing")
        comment = "every judged query, also one that is missing from the run"
        return commented(comment, select(columns, "\n".join(tables)))

    def _totals_columns(self) -> list[str]:
        sums = self.sheet.sums.get("totals")
        columns = () if sums is None else sums.columns
        return [*(name for name in columns if name in self.sheet.asked), *self._flags()]

    def _of_none(self, stage: str, name: str, sums: str = "") -> str:
        """A sum, of a query of which there is no document too."""
        node = self.sheet.defaults[sums or stage][name]
        if node.default is None:
            return f"{stage}.{name}"
        if node.undefined:
            return f"CASE WHEN {stage}.query IS NULL THEN {node.default:g} ELSE {stage}.{name} END AS {name}"
        return f"COALESCE({stage}.{name}, {node.default:g}) AS {name}"

    def _by_query(self, values: Mapping[str, str]) -> str:
        empty, missing = self.conventions.empty, self.conventions.missing
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
        comment = f"{_choice(self.conventions, 'missing')}\n{_choice(self.conventions, 'empty')}"
        return commented(comment, select(["query", *columns], "joined"))


def _named(columns: Mapping[str, str]) -> list[str]:
    return [f"{expression} AS {name}" for name, expression in columns.items()]


def _choice(conventions: Conventions, field: str) -> str:
    """A choice and what it means, for a comment."""
    about, choices = CHOICES[field]
    choice = getattr(conventions, field)
    return f"{about}: {choice} ({choices[choice]})"
