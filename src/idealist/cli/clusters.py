"""`idealist evaluate --engine spark`: tables that Spark reads, measured where they are."""

from __future__ import annotations

import os
import sys

from idealist.cli.messages import say_note
from idealist.cli.options import conventions_of, option_named, write_view
from idealist.cli.sources import ranked_columns, sources_of, table_of
from idealist.engines.spark.dataframes import read_frame, spark_library
from idealist.engines.spark.spark_evaluation import evaluate
from idealist.errors import InputError
from idealist.show.views import view

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import Any

    from idealist.measures import Measure

# Options of `idealist evaluate` that need all values, or tables by query, at the driver.
REFUSED = (
    "by_query",
    "provenance",
    "weights",
    "weight_by",
    "profiles",
    "segments",
    "clicks",
    "objective",
    "at_least",
    "at_most",
)


def evaluate_on_spark(arguments: argparse.Namespace, measures: Sequence[Measure]) -> int:
    """Measures and prints the summary; a session that was not running before ends with the command."""
    from warnings import filterwarnings

    _refuse(arguments)
    # Whoever types a command has no say in which pandas PySpark finds.
    filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    sql = spark_library()
    running = sql.SparkSession.getActiveSession()
    session = running or _session(sql, arguments.master)
    try:
        judgments, runs = _sides(session, arguments)
        result = evaluate(
            judgments,
            runs,
            measures,
            conventions=conventions_of(arguments),
            columns=ranked_columns(sources_of(arguments)),
            by=_segments(arguments),
            items=table_of(arguments.items, sources_of(arguments), "items"),
            partitions=arguments.partitions,
        )
        summary = result.summary
    finally:
        if running is None:
            session.stop()
    if arguments.format == "csv":
        for note in summary.notes:
            say_note(note)
    write_view(view(summary), arguments.format)
    return 0


def _session(sql: Any, master: str | None) -> Any:
    """A session that prints nothing but errors."""
    if master is not None and master.startswith("local"):
        # Workers on this machine have the Python of this command, and not the python3 of the path.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = sql.SparkSession.builder.appName("idealist evaluate")
    builder = builder.config("spark.log.level", "ERROR").config("spark.ui.showConsoleProgress", "false")
    return (builder if master is None else builder.master(master)).getOrCreate()


def _sides(session: Any, arguments: argparse.Namespace) -> tuple[Any, dict[str, Any]]:
    """The judgments and the runs by name."""
    sources = [arguments.judgments, *arguments.runs]
    frames = {source: read_frame(session, source) for source in sources}
    if len(frames) < len(sources):
        raise InputError("a table is named twice", hint="name the judgments and each run once")
    names = {source: _name(source) for source in arguments.runs}
    if len(set(names.values())) < len(names):
        names = {source: source for source in names}
    return frames[arguments.judgments], {name: frames[source] for source, name in names.items()}


def _name(source: str) -> str:
    """A file by its own name, without its folder and ending."""
    last = source.rstrip("/").rpartition("/")[2]
    return last.partition(".")[0] if "/" in source or last.endswith(".parquet") else last


def _segments(arguments: argparse.Namespace) -> list[str]:
    given = arguments.segment_by
    return [] if given is None else [given] if isinstance(given, str) else list(given)


def _refuse(arguments: argparse.Namespace) -> None:
    for option in REFUSED:
        if getattr(arguments, option, None):
            raise InputError(
                f"{option_named(option)} cannot be used with --engine spark",
                hint="idealist.engines.spark.evaluate has the values of queries as a DataFrame",
            )
    if arguments.ties == "bounds":
        raise InputError("--ties bounds cannot be used with --engine spark", hint="choose one rule for ties")
    if arguments.format == "jsonl":
        raise InputError("--format jsonl cannot be used with --engine spark", hint="choose json")
