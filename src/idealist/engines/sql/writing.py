"""Writing the query: tables of a run and of judgments → one value per measure, or per measure and judged query."""

from __future__ import annotations

from idealist.conventions import DEFAULT, as_conventions
from idealist.data.stated_columns import columns_of
from idealist.engines.sql.checks import problems
from idealist.engines.sql.dialects import as_dialect
from idealist.engines.sql.forms import FORMS
from idealist.engines.sql.names import column, column_names, table
from idealist.engines.sql.plan import Plan
from idealist.engines.sql.stages import NAMES, Sources, stages
from idealist.engines.sql.text import commented, select, with_stages
from idealist.errors import InputError
from idealist.evaluation.aggregating import LEAST
from idealist.measures import parse_all
from idealist.measures.gains import refuse_bounds_of_falling_gains

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from idealist.conventions import Conventions
    from idealist.engines.sql.dialects import Dialect
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
    plan = Plan(chosen, made_for)
    _refuse_conventions(plan)
    expressions = {measure: _expression(measure, plan) for measure in parsed}
    _refuse_gains(plan)
    names = column_names(parsed)
    sources = Sources(
        *(_source(kind, name, columns, plan) for kind, name in (("run", run), ("judgments", judgments)))
    )
    written = stages(plan, sources, {names[measure]: text for measure, text in expressions.items()})
    condition = ""
    if checks:
        found = problems(plan, names, sources.judgment_rows(chosen))
        written["problems"] = commented("what is wrong with the tables", "\nUNION ALL\n".join(found))
        # A subquery of its own, so that it is worked out before any value is given.
        condition = f"(SELECT MAX({made_for.stop.format('problem')}) FROM problems) IS NULL"
    final = _final(names, made_for, condition, by_query)
    return "\n".join([*_header(names, plan), with_stages(written, final), ""])


def _expression(measure: Measure, plan: Plan) -> str:
    form = FORMS.get(type(measure))
    if form is None:
        raise InputError(
            f"{measure} cannot be written as SQL",
            hint=f"these can: {', '.join(sorted(cls.name for cls in FORMS))}",
        )
    if plan.averaged and not measure.averages_ties:
        raise InputError(
            f"{measure} has no closed form for averaged ties",
            hint="choose another rule for ties, such as ties=id-descending",
        )
    try:
        return form(measure, plan)
    except InputError as error:
        raise InputError(f"{measure}: {error.message}", hint=error.hint) from None


def _refuse_conventions(plan: Plan) -> None:
    if plan.conventions.precision == "single" and not plan.dialect.single:
        raise InputError(
            f"precision=single: {plan.dialect.database} has no 32-bit numbers",
            hint="choose precision=double, or another dialect",
        )


def _refuse_gains(plan: Plan) -> None:
    """Where the best order is by grade, gains must rise with the grade; all of a table may occur."""
    for gain in plan.gains.values():
        if hasattr(gain, "items"):
            counted = [
                (grade, worth)
                for grade, worth in gain.items()
                if grade >= 0 or plan.conventions.negative == "keep"
            ]
            refuse_bounds_of_falling_gains(counted, plan.conventions.ties)


def _source(
    kind: str, name: str, columns: Mapping[str, str] | None, plan: Plan
) -> tuple[str, dict[str, str]]:
    if isinstance(name, str) and name.strip().lower() in NAMES:
        raise InputError(
            f"a table called {name.strip()!r} would be hidden by a part of the query",
            hint=f"name its schema, such as main.{name.strip()}",
        )
    called = columns_of(columns, kind)
    if kind == "run" and plan.conventions.ties == "input-order" and "rank" not in called:
        raise InputError(
            "ties=input-order: the rows of a table have no order",
            hint="name the column that holds it: columns={'rank': 'position'} in Python, --columns rank=position "
            "for the command; or choose another rule for ties",
        )
    roles = ("query", "document", "score", "rank") if kind == "run" else ("query", "document", "grade")
    return table(name, kind, plan.dialect), {
        role: column(called.get(role, role), plan.dialect) for role in roles
    }


def _header(names: Mapping[Measure, str], plan: Plan) -> list[str]:
    measures = ", ".join(map(str, names))
    lines = [
        f"{measures}, for {plan.dialect.database}, as Idealist measures it",
        f"conventions: {plan.conventions}",
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
