"""What commands read besides runs: judgments in the layout the measures need, and tables."""

from __future__ import annotations

from idealist.cli.options import add_setting, conventions_of, measures_of, option_named
from idealist.cli.sources import expanded, judgment_options, read_judged, sources_of, table_of
from idealist.data.needs import PROFILES, TABLES, needed_columns, read_needed
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence
    from typing import Any

    from idealist.cli.sources import SourceOptions
    from idealist.data.query_numbers import QueryNumbers
    from idealist.evaluation import Evaluation
    from idealist.measures import Measure


def add_tables(parser: argparse.ArgumentParser, *, weighing: bool = True) -> None:
    """With `weighing`, also what weighs several objectives or measures against each other."""
    group = parser.add_argument_group("tables (in any format that has named columns, or FILE::TABLE)")
    for need in TABLES:
        group.add_argument(f"--{need.name}", metavar="FILE", help=need.columns)
    group.add_argument(
        "--segments",
        metavar="FILE",
        help="a table with the columns query and segment (--segment-by names another column)",
    )
    group.add_argument(
        "--segment-by",
        metavar="COLUMN",
        help="also print results for each segment, by this column of --segments (default: segment) or of --profiles",
    )
    if not weighing:
        return
    group.add_argument(
        "--objective",
        action="append",
        metavar="NAME=WEIGHT,…",
        help="weights of objectives, where JUDGMENTS is a table with a column of grades for each; may be repeated",
    )
    for option, reach in (("--at-least", "reach"), ("--at-most", "do not exceed")):
        group.add_argument(
            option,
            action="append",
            metavar="MEASURE=VALUE",
            help=f"name the run that is best by the first measure among those that {reach} this value; may be repeated",
        )


def add_numbers(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("numbers per query that were measured elsewhere (docs/numbers.md)")
    group.add_argument(
        "--numbers",
        action="append",
        metavar="FILE",
        help="a table with the columns query, system and one or more of numbers, or a table of one system, named "
        "as that is; may be repeated; alone or beside runs; -m names its columns as it names measures",
    )


def numbers_of(arguments: argparse.Namespace) -> QueryNumbers | None:
    """The numbers that --numbers names; None where it names none."""
    if not arguments.numbers:
        return None
    from idealist.data.query_numbers import read_numbers
    from idealist.data.tables import read_table

    options = sources_of(arguments)
    tables = [table_of(path, options, "numbers") for path in expanded(arguments.numbers)]
    return read_numbers([read_table(table) for table in tables])


def numbers_alone(
    arguments: argparse.Namespace, numbers: QueryNumbers, guarded: Iterable[str] = ()
) -> tuple[Evaluation, dict[str, str] | None]:
    """The evaluation of --numbers without runs, by the columns that -m names and those that are `guarded` (all columns
    where -m names none), and the segments of queries."""
    from idealist.data.segments import query_segments
    from idealist.evaluation import evaluate
    from idealist.measures.column import column_named

    for name in ("machine", "calibrate", *(need.name for need in TABLES), "different_judgments"):
        if getattr(arguments, name, None) not in (None, False):
            option = option_named(name)
            raise InputError(f"{option} changes nothing: there are no runs", hint=f"leave {option} out")
    options = sources_of(arguments)
    measures: tuple[Measure, ...] = ()
    if arguments.measure:
        measures = measures_of(arguments.measure, arguments, numbers.columns, besides=False)
        more = (column_named(name, numbers.columns) for name in guarded)
        known = {measure.label for measure in measures}
        measures += tuple(column for column in more if column is not None and column.label not in known)
    evaluation = evaluate(
        numbers=numbers,
        measures=measures,
        conventions=conventions_of(arguments),
        weights=table_of(arguments.weights, options, "weights"),
        weight_by=arguments.weight_by,
    )
    segments = table_of(arguments.segments, options, "segments")
    return evaluation, query_segments(segments, arguments.segment_by)


def add_weights(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    group = parser.add_argument_group("weights of queries, in means")
    add_setting(group, "weights", "FILE")
    add_setting(group, "weight_by", "COLUMN")
    return group


def add_machine(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("a machine's judgments beside those of people (docs/machine-judges.md)")
    add_setting(group, "machine", "FILE")
    add_setting(group, "calibrate")


def machine_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """What the options of `add_machine` say, as `evaluate` takes it."""
    path = arguments.machine
    judgments = None if path is None else read_judged(path, sources_of(arguments), threads=arguments.threads)
    return {"machine": judgments, "calibrate": arguments.calibrate}


def require_segments(arguments: argparse.Namespace) -> None:
    """Raises where --segment-by has no table."""
    if arguments.segment_by is not None and arguments.profiles is None and arguments.segments is None:
        raise InputError(
            "--segment-by names a column of --segments or --profiles", hint="give --segments FILE too"
        )


def refuse_weights(arguments: argparse.Namespace, what: str) -> None:
    """Raises for weights of queries where there is nothing that they weigh."""
    for option in ("weights", "weight_by"):
        if getattr(arguments, option, None) is not None:
            name = option_named(option)
            raise InputError(f"{name} changes nothing without {what}", hint=f"leave {name} out")


def tables_of(arguments: argparse.Namespace, measures: Sequence[Measure]) -> dict[str, Any]:
    """The tables that were named, as `evaluate` wants them; it is an error if no measure uses one."""
    options = sources_of(arguments)
    paths = {need: path for need in TABLES if (path := getattr(arguments, need.name)) is not None}
    for need in paths:
        used = any(measure.needs == need for measure in measures)
        used = used or (need == PROFILES and _profiles_are_asked_for(arguments))
        if not used:
            names = ", ".join(map(str, measures))
            raise InputError(
                f"--{need.name} changes nothing: {names} does not use it", hint=f"leave --{need.name} out"
            )
    return {need.name: read_needed(need, table_of(path, options, need.name)) for need, path in paths.items()}


def _profiles_are_asked_for(arguments: argparse.Namespace) -> bool:
    """Whether they name segments, or weigh queries."""
    weighs = arguments.weight_by is not None and arguments.weights is None
    return weighs or arguments.segment_by is not None


def stated_queries(arguments: argparse.Namespace) -> list[str] | None:
    """The queries of the table that --queries names; None where it names none."""
    if arguments.queries is None:
        return None
    from idealist.data import read_table
    from idealist.data.column_names import QUERY

    table = read_table(table_of(arguments.queries, sources_of(arguments), "queries", main=True))
    return table.ids(table.named(*QUERY))


def read_judgments_for(
    path: str,
    measures: Sequence[Measure],
    options: SourceOptions,
    *,
    threads: int | None = None,
    drawn: bool = False,
) -> Any:
    """Judgments in the layout that the measures need; with `drawn`, those of drawn documents too."""
    if drawn:
        from idealist.data.judgment_tables import has_probabilities, read_drawn

        if has_probabilities(path):
            return read_drawn(path)
    asking = {
        measure.needs: measure for measure in reversed(measures) if measure.needs.given_as == "judgments"
    }
    if not asking:
        return read_judged(path, options, threads=threads)
    if len(asking) > 1:
        first, second, *_ = [measure for measure in measures if measure in asking.values()]
        raise InputError(
            f"{first} needs {first.needs.description}, {second} needs {second.needs.description}",
            hint="measure them one after the other, each with its file",
        )
    (need,) = asking
    how = judgment_options(options)
    how = {option: how[option] for option in ("columns", "format", "encoding", "decimal")}
    how["columns"] = needed_columns(need, how["columns"])
    if not need.columns:  # lines of text, which threads can read
        how["threads"] = threads
    return read_needed(need, path, **how)
