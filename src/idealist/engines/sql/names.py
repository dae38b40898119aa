"""Names, numbers and texts as SQL writes them."""

from __future__ import annotations

import re

from idealist.backends.sql.words import name_part
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from idealist.backends.sql.dialects import Dialect
    from idealist.measures import Measure

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
