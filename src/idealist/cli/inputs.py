"""What commands read besides runs: judgments in the layout the measures need, and tables."""

from __future__ import annotations

from idealist.cli.sources import judgment_options, read_judged, table_of
from idealist.data.needs import NEEDS
from idealist.errors import InputError

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


def add_tables(parser: argparse.ArgumentParser, *, weighing: bool = True) -> None:
    """With `weighing`, also what weighs several objectives or measures against each other."""
    group = parser.add_argument_group("tables (in any format that has named columns, or FILE::TABLE)")
    group.add_argument(
        "--profiles",
        metavar="FILE",
        help="a row per user (= query): user, and any of gain, discount, patience, k, weight, segments",
    )
    group.add_argument(
        "--segment-by", metavar="COLUMN", help="value, n and interval per segment of the profiles"
    )
    group.add_argument("--items", metavar="FILE", help="documents: popularity, category, group, vector")
    group.add_argument("--clicks", metavar="FILE", help="a log of clicks: query, document, position")
    if not weighing:
        return
    group.add_argument(
        "--objective",
        action="append",
        metavar="NAME=WEIGHT,…",
        help="JUDGMENTS is a table with a column of grades per objective; weigh them so; may be repeated",
    )
    for option, reach in (("--at-least", "reach"), ("--at-most", "do not pass")):
        group.add_argument(
            option,
            action="append",
            metavar="MEASURE=VALUE",
            help=f"say which run has the best first measure among those that {reach} this; may be repeated",
        )


def add_weights(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("weights of queries, in means")
    group.add_argument(
        "--weights",
        metavar="FILE",
        help="a table with a row per query and its weight, such as a sample of `idealist plan sample`",
    )
    group.add_argument(
        "--weight-by",
        metavar="COLUMN",
        help="its column of weights (default: sampling_weight of a sample, else weight, else traffic)",
    )


def refuse_weights(arguments: argparse.Namespace, what: str) -> None:
    """Raises for weights of queries where there is nothing that they weigh."""
    for option in ("weights", "weight_by"):
        if getattr(arguments, option, None) is not None:
            shown = f"--{option.replace('_', '-')}"
            raise InputError(f"{shown} changes nothing without {what}", hint=f"leave {shown} out")


def tables_of(arguments: argparse.Namespace, measures: Sequence[Measure]) -> dict[str, Any]:
    """The tables that were named, as `evaluate` wants them; it is an error if no measure uses one."""
    named = {name: path for name in TABLES if (path := getattr(arguments, name)) is not None}
    for name in named:
        used = any(measure.needs == name for measure in measures)
        used = used or (name == "profiles" and _profiles_are_asked_for(arguments))
        if not used:
            shown = ", ".join(map(str, measures))
            raise InputError(f"--{name} changes nothing: {shown} does not use it", hint=f"leave --{name} out")
    if not named:
        return {}
    from idealist import io

    return {
        name: getattr(io, f"read_{name}")(table_of(path, arguments, name)) for name, path in named.items()
    }


def _profiles_are_asked_for(arguments: argparse.Namespace) -> bool:
    """Whether they name segments, or weigh queries."""
    weighs = arguments.weight_by is not None and arguments.weights is None
    return weighs or arguments.segment_by is not None


def read_needed(path: str, measures: Sequence[Measure], arguments: argparse.Namespace) -> Any:
    """Judgments in the layout that the measures need."""
    from idealist import io

    needs = dict.fromkeys(measure.needs for measure in measures if measure.needs in READERS)
    if not needs:
        return read_judged(path, arguments, threads=arguments.threads)
    first, *others = needs
    if others:
        asking = {need: next(m for m in measures if m.needs == need) for need in needs}
        raise InputError(
            f"{asking[first]} needs {NEEDS[first][0]}, {asking[others[0]]} needs {NEEDS[others[0]][0]}",
            hint="measure them one after the other, each with its file",
        )
    reader = getattr(io, READERS[first])
    how = judgment_options(arguments)
    how = {option: how[option] for option in ("columns", "format", "encoding", "decimal")}
    if first == "objectives":  # a grade in each column that is neither query nor document
        columns = {
            role: name for role, name in (how["columns"] or {}).items() if role in ("query", "document")
        }
        return reader(path, **{**how, "columns": columns})
    return reader(path, threads=arguments.threads, **how)
