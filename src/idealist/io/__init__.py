"""Readers: one module per format. Those of richer judgments and of tables are imported when one is read."""

from __future__ import annotations

from importlib import import_module

from idealist.io.reading import RunFile, read_judgments, read_run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.io.clicks import read_clicks
    from idealist.io.groups import read_groups
    from idealist.io.items import read_items
    from idealist.io.objectives import read_objectives
    from idealist.io.preferences import read_preferences
    from idealist.io.profiles import read_profiles
    from idealist.io.strata import read_strata
    from idealist.io.systems import read_runs
    from idealist.io.tables import read_table
    from idealist.io.votes import read_votes
    from idealist.io.writing import write_judgments, write_run

__all__ = [
    "RunFile",
    "read_clicks",
    "read_groups",
    "read_items",
    "read_judgments",
    "read_objectives",
    "read_preferences",
    "read_profiles",
    "read_run",
    "read_runs",
    "read_strata",
    "read_table",
    "read_votes",
    "write_judgments",
    "write_run",
]

# Where the others are.
READERS = {
    "read_clicks": "clicks",
    "read_groups": "groups",
    "read_items": "items",
    "read_objectives": "objectives",
    "read_preferences": "preferences",
    "read_profiles": "profiles",
    "read_runs": "systems",
    "read_strata": "strata",
    "read_table": "tables",
    "read_votes": "votes",
    "write_judgments": "writing",
    "write_run": "writing",
}


def __getattr__(name: str) -> object:
    if name not in READERS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{READERS[name]}"), name)
