"""idealist evaluate: the value of every measure for every run."""

from __future__ import annotations

from idealist.cli.evaluations import add_presentation, write_evaluation
from idealist.cli.inputs import (
    add_machine,
    add_numbers,
    add_tables,
    add_weights,
    machine_of,
    numbers_alone,
    numbers_of,
    read_judgments_for,
    require_segments,
    tables_of,
)
from idealist.cli.options import (
    MEASURE,
    add_conventions,
    add_measure_defaults,
    add_measures,
    conventions_of,
    measures_of,
)
from idealist.cli.sources import (
    JUDGMENTS,
    RUNS,
    add_sources,
    expanded,
    named_files,
    sources_of,
    table_of,
)
from idealist.errors import InputError
from idealist.evaluation.measuring import MEASURES, evaluate, measured
from idealist.show.evaluation_tables import BOUNDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from idealist.data.query_numbers import QueryNumbers
    from idealist.evaluation import Evaluation
    from idealist.show.segment_tables import Breakdown

SUMMARY = "measure runs against judgments"
EPILOG = """examples:
  idealist evaluate robust.qrels bm25.run dense.run -m nDCG@10 -m AP
  idealist evaluate judgments.csv 'runs/*.parquet' --columns query=uid,document=sku,score=s,grade=g
  idealist evaluate shop.duckdb::qrels shop.duckdb::run_a
  idealist evaluate shop.qrels a.run b.run --weights queries.csv --weight-by traffic
  idealist evaluate human.qrels a.run --machine machine.qrels
  idealist evaluate --numbers answers.csv -m faithfulness -m latency_ms
  idealist evaluate --engine spark --master spark://host:7077 judgments.parquet run.parquet"""
ENGINES = ("local", "spark")
BREAKDOWNS = ("objective", "at_least", "at_most", "segments", "segment_by")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "judgments", metavar="JUDGMENTS", nargs="?", help=f"{JUDGMENTS}, in the layout the measures need"
    )
    parser.add_argument("runs", metavar="RUN", nargs="*", help=RUNS)
    add_numbers(parser)
    add_measures(parser, MEASURES)
    add_presentation(parser)
    add_sources(parser)
    add_tables(parser)
    add_weights(parser)
    add_machine(parser)
    add_measure_defaults(parser)
    add_conventions(parser, bounds=True)
    engine = parser.add_argument_group("engines")
    engine.add_argument(
        "--engine",
        choices=ENGINES,
        default="local",
        help="where to measure; spark takes Parquet, Delta and other tables that Spark reads (default: local)",
    )
    engine.add_argument(
        "--master", metavar="URL", help="Spark's master (default: as Spark is set up, or local[*])"
    )
    engine.add_argument(
        "--partitions",
        metavar="N",
        type=int,
        help="partitions of Spark's shuffle (default: by the size of the input)",
    )


def run(arguments: argparse.Namespace) -> int:
    if arguments.engine == "spark":
        from idealist.cli.clusters import evaluate_on_spark

        return evaluate_on_spark(arguments, measures_of(arguments.measure or MEASURES, arguments))
    for option in ("master", "partitions"):
        if getattr(arguments, option) is not None:
            raise InputError(f"--{option} is for --engine spark", hint="add --engine spark, or leave it out")
    numbers = numbers_of(arguments)
    if numbers is not None and arguments.judgments is None:
        return _write(*_of_numbers(arguments, numbers), arguments)
    if arguments.judgments is None or not arguments.runs:
        raise InputError(
            "judgments and runs are needed, or --numbers",
            hint="idealist evaluate JUDGMENTS RUN, or idealist evaluate --numbers FILE",
        )
    default = MEASURES if arguments.objective is None else (MEASURE,)
    columns = () if numbers is None else numbers.columns
    measures = measures_of(arguments.measure or default, arguments, columns)
    plan = None
    if any(getattr(arguments, option) is not None for option in BREAKDOWNS):
        from idealist.cli.breakdowns import Plan

        require_segments(arguments)
        plan = Plan(
            measures,
            objectives=arguments.objective,
            at_least=arguments.at_least,
            at_most=arguments.at_most,
        )
        measures = plan.measures
    tables = tables_of(arguments, measures)
    segments = None
    if plan is not None:
        from idealist.data.segments import query_segments

        segments = query_segments(
            table_of(arguments.segments, sources_of(arguments), "segments"),
            arguments.segment_by,
            tables.get("profiles"),
        )
    runs = named_files(expanded(arguments.runs), sources_of(arguments), judgments=arguments.judgments)
    judgments = read_judgments_for(
        arguments.judgments,
        measures,
        sources_of(arguments),
        threads=arguments.threads,
        drawn=arguments.machine is not None,
    )
    how = {
        "conventions": conventions_of(arguments),
        "threads": arguments.threads,
        "weights": table_of(arguments.weights, sources_of(arguments), "weights"),
        "weight_by": arguments.weight_by,
        **machine_of(arguments),
        **tables,
    }
    if numbers is None:
        keep = arguments.by_query or plan is not None or arguments.machine is not None
        result = measured(judgments, runs, measures, keep=keep, **how)
    else:
        result = evaluate(judgments, runs, measures, numbers=numbers, **how)
    return _write(result, plan.breakdowns(result, segments, arguments.segment_by) if plan else [], arguments)


def _of_numbers(arguments: argparse.Namespace, numbers: QueryNumbers) -> tuple[Evaluation, list[Breakdown]]:
    """The evaluation of numbers alone, and what is broken down by segment."""
    from idealist.data.segments import SEGMENT
    from idealist.show.segment_tables import of_segments

    result, segments = numbers_alone(arguments, numbers)
    return result, [of_segments(result, segments, arguments.segment_by or SEGMENT)] if segments else []


def _write(result: Evaluation, breakdowns: Sequence[Breakdown], arguments: argparse.Namespace) -> int:
    write_evaluation(
        result,
        breakdowns,
        kind=arguments.format,
        by_query=arguments.by_query,
        provenance=arguments.provenance,
        bounds=arguments.ties == BOUNDS,
    )
    return 0
