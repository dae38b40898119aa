"""Writing the query: tables of a run and of judgments → one value per measure, or per measure and judged query."""

from __future__ import annotations

from idealist.backends.sql.dialects import as_dialect
from idealist.backends.sql.forms import form
from idealist.backends.sql.nodes import Formulas
from idealist.backends.sql.sheet import Sheet
from idealist.conventions import DEFAULT, as_conventions
from idealist.data.column_names import columns_of
from idealist.engines.sql.checks import problems
from idealist.engines.sql.names import column, column_names, table
from idealist.engines.sql.stages import NAMES, Sources, Stages
from idealist.engines.sql.text import commented, select, with_stages
from idealist.errors import InputError
from idealist.evaluation.aggregates import LEAST
from idealist.measures import parse_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from idealist.backends.sql.dialects import Dialect
    from idealist.conventions import Conventions
    from idealist.measures import Measure


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
