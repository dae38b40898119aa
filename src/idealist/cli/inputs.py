"""What commands read besides runs: judgments in the layout the measures need, and tables."""

from __future__ import annotations

from idealist.data.needs import NEEDS
from idealist.errors import InputError
from idealist.io import read_judgments

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import Any

    from idealist.measures import Measure

# The judgments that say more than one grade per document, and who reads them.
READERS = {
    "groups": "read_groups",
    "preferences": "read_preferences",
    "strata": "read_strata",
    "objectives": "read_objectives",
}
TABLES = ("profiles", "items", "clicks")


def add_tables(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("tables (CSV, TSV, JSONL or Parquet)")
    group.add_argument(
        "--profiles", metavar="FILE", help="users: gain, discount, patience, k, weight, segments"
    )
    group.add_argument(
        "--segment-by", metavar="COLUMN", help="value, n and interval per segment of the profiles"
    )
    group.add_argument("--items", metavar="FILE", help="documents: popularity, category, group, vector")
    group.add_argument("--clicks", metavar="FILE", help="a log of clicks: query, document, position")
    group.add_argument(
        "--objective",
        metavar="NAME=WEIGHT,…",
        help="JUDGMENTS is a table with a column of grades per objective; weigh them so",
    )
    group.add_argument(
        "--at-least",
        action="append",
        metavar="MEASURE=VALUE",
        help="say which run has the best first measure among those that reach this; may be repeated",
    )


def tables_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """The tables that were named, as `evaluate` wants them."""
    return {name: path for name in TABLES if (path := getattr(arguments, name)) is not None}


def read_needed(path: str, measures: Sequence[Measure], threads: int | None) -> Any:
    """Judgments in the layout that the measures need."""
    from idealist import io

    needs = dict.fromkeys(measure.needs for measure in measures if measure.needs in READERS)
    if not needs:
        return read_judgments(path, threads=threads)
    first, *others = needs
    if others:
        asking = {need: next(m for m in measures if m.needs == need) for need in needs}
        raise InputError(
            f"{asking[first]} needs {NEEDS[first][0]}, {asking[others[0]]} needs {NEEDS[others[0]][0]}",
            hint="measure them one after the other, each with its file",
        )
    reader = getattr(io, READERS[first])
    return reader(path) if first == "objectives" else reader(path, threads=threads)
