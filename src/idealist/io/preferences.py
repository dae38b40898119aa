"""Preferences: `query group subgroup document level`, or `query group document grade`, where preferences follow from
the grades."""

from __future__ import annotations

from idealist.data.preferences import Preferences
from idealist.io.judgment_tables import read_keyed
from idealist.io.sources import origin_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from idealist.types import GivenTable

ONLY_SUBGROUP = "0"


def read_preferences(
    source: GivenTable,
    *,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    threads: int | None = None,
) -> Preferences:
    """Preferences from TREC text with five columns or with four, which are trec_eval's prefs and qrels_prefs, or from a
    table (any that read_table reads) with columns of these names. The other arguments are those of read_judgments."""
    if isinstance(source, Preferences):
        return source
    layout, keyed = read_keyed(
        source,
        ("preferences", "groups"),
        columns=columns,
        format=format,
        encoding=encoding,
        decimal=decimal,
        threads=threads,
    )
    queries = {query: _by_subgroup(rows, layout) for query, rows in keyed.items()}
    return Preferences(queries, **origin_of(source))


def _by_subgroup(
    rows: Mapping[tuple[str, ...], float], layout: str
) -> dict[str, dict[str, dict[str, float]]]:
    groups: dict[str, dict[str, dict[str, float]]] = {}
    for (group, *between, document), level in rows.items():
        subgroup = between[0] if layout == "preferences" else ONLY_SUBGROUP
        groups.setdefault(group, {}).setdefault(subgroup, {})[document] = level
    return groups
