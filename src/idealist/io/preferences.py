"""TREC text with preferences: `query group subgroup document level`, or `query group document grade`, where
preferences follow from the grades."""

from __future__ import annotations

import os

from idealist.data.preferences import Preferences
from idealist.io.trec import fields, file_name, read_rows_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist import kernels

ONLY_SUBGROUP = "0"


def read_preferences(
    path: str | os.PathLike[str], *, encoding: str | None = None, threads: int | None = None
) -> Preferences:
    """Preferences from a TREC file, plain or gzip, with five columns or with four: trec_eval's prefs and
    qrels_prefs. `encoding` is that of read_judgments."""
    layout, rows = read_rows_of(path, ("preferences", "groups"), threads, encoding)
    queries = {query: _by_subgroup(rows, query, layout) for query in rows.queries()}
    return Preferences(queries, name=file_name(path), source=os.fspath(path))


def _by_subgroup(rows: kernels.Rows, query: str, layout: str) -> dict[str, dict[str, dict[str, float]]]:
    groups: dict[str, dict[str, dict[str, float]]] = {}
    for key, level in (rows.documents(query) or {}).items():
        group, *between, document = fields(key)
        subgroup = between[0] if layout == "preferences" else ONLY_SUBGROUP
        groups.setdefault(group, {}).setdefault(subgroup, {})[document] = level
    return groups
