"""TREC text with preferences: `query group subgroup document level`, or `query group document grade`, where
preferences follow from the grades."""

from __future__ import annotations

import os

from idealist.data.preferences import Preferences
from idealist.errors import InputError
from idealist.io.trec import fields, file_name, read_rows_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist import kernels

ONLY_SUBGROUP = "0"


def read_preferences(path: str | os.PathLike[str], *, threads: int | None = None) -> Preferences:
    """Preferences from a TREC file, plain or gzip, with five columns or with four: trec_eval's prefs and
    qrels_prefs."""
    layout, rows = read_rows_of(path, ("preferences", "groups"), threads)
    source = os.fspath(path)
    queries = {query: _by_subgroup(rows, query, layout, source) for query in rows.queries()}
    return Preferences(queries, name=file_name(path), source=source)


def _by_subgroup(
    rows: kernels.Rows, query: str, layout: str, source: str
) -> dict[str, dict[str, dict[str, float]]]:
    groups: dict[str, dict[str, dict[str, float]]] = {}
    for key, level in (rows.documents(query) or {}).items():
        group, *between, document = fields(key)
        subgroup = between[0] if layout == "preferences" else ONLY_SUBGROUP
        documents = groups.setdefault(group, {}).setdefault(subgroup, {})
        if document in documents:
            raise InputError(
                f"document {document!r} is there twice for query {query!r}, group {group!r} and "
                f"subgroup {subgroup!r}",
                source=source,
                hint="keep one of the two lines",
            )
        documents[document] = level
    return groups
