"""What commands that measure runs share: the runs by name, and an Evaluation in every format."""

from __future__ import annotations

import os
import sys

from idealist.cli.options import rendered
from idealist.io import RunFile
from idealist.report import FORMATS, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from idealist.cli.breakdowns import Breakdown
    from idealist.evaluation import Evaluation
    from idealist.report.table import Cell


def add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--by-query", action="store_true", help="every query's value too")
    parser.add_argument(
        "--format", choices=(*FORMATS, "json", "jsonl"), default="table", help="default: table"
    )
    parser.add_argument("--threads", type=int, metavar="N", help="default: all cores")


def write_evaluation(
    result: Evaluation, arguments: argparse.Namespace, breakdowns: Sequence[Breakdown] = ()
) -> None:
    for note in result.notes:
        print(f"note: {note}", file=sys.stderr)
    if arguments.format == "csv":
        print(f"conventions: {result.conventions}", file=sys.stderr)
    sys.stdout.write(_rendered(result, arguments.format, arguments.by_query, breakdowns))


def named_files(paths: list[str]) -> dict[str, RunFile]:
    """Runs by the shortest names that tell them apart: of the file, or the path as it was given."""
    runs = [RunFile(path) for path in paths]
    for names in ([r.name for r in runs], [os.path.basename(path) for path in paths], paths):
        if len(set(names)) == len(names):
            return dict(zip(names, runs, strict=True))
    return {f"{path} ({at})": one for at, (path, one) in enumerate(zip(paths, runs, strict=True), 1)}


def _rendered(result: Evaluation, kind: str, by_query: bool, breakdowns: Sequence[Breakdown]) -> str:
    if kind in ("json", "jsonl"):
        return _records(result, kind, by_query, breakdowns)
    tables = [one.table for one in breakdowns if one.table]
    if kind == "csv":  # one table a file: the finest there is
        return rendered(tables[-1] if tables else _tall(result, by_query), kind)
    lines = [line for one in breakdowns for line in one.lines]
    return "\n".join(rendered(table, kind) for table in (_wide(result, by_query, lines), *tables))


def _records(result: Evaluation, kind: str, by_query: bool, breakdowns: Sequence[Breakdown]) -> str:
    import json

    more = {key: value for one in breakdowns for key, value in one.record.items()}
    if kind == "json":
        return json.dumps({**json.loads(result.to_json(by_query=by_query)), **more}) + "\n"
    lines: list[dict[str, object]] = []
    if by_query:
        lines += (
            {"system": v.system, "query": v.query, "measure": str(v.measure), "value": v.value}
            for v in result
        )
    lines += result.summary()
    lines += ({key: value} for key, value in more.items())
    lines.append({"judged": result.judged_shares()})
    lines.append({"conventions": result.conventions.to_dict()})
    return "".join(json.dumps(line) + "\n" for line in lines)


def _tall(result: Evaluation, by_query: bool) -> Table:
    """One value a row, for machines."""
    if by_query:
        rows: list[list[Cell]] = [[v.system, v.query, str(v.measure), v.value] for v in result]
        return Table(["system", "query", "measure", "value"], rows)
    return Table(
        ["system", "measure", "value", "n"],
        [
            [system, str(measure), result.aggregate(measure, system), result.n(measure, system)]
            for system in result.systems
            for measure in result.measures
        ],
    )


def _wide(result: Evaluation, by_query: bool, lines: list[str]) -> Table:
    """A column a system, for people; with by_query, the summary stands below a line."""
    summary, best = _summary(result)
    below = ["", *lines, *_judged(result), f"conventions: {result.conventions}"]
    same_n = all(len(set(_counts(result, measure))) == 1 for measure in result.measures)
    counts = ["n"] if same_n else [f"n {system}" for system in result.systems]
    titles = ["measure", *result.systems, *counts]
    for row, measure in zip(summary, result.measures, strict=True):
        row += _counts(result, measure)[: len(counts)]
    if not by_query:
        return Table(titles, summary, below=below, best=best)
    rows: list[list[Cell]] = []
    columns = {
        measure: [result.by_query(measure, system) for system in result.systems]
        for measure in result.measures
    }
    for query in result.queries:
        for measure, values in columns.items():
            cells = [_cell(measure.aggregate, column.get(query)) for column in values]
            rows.append([query, measure.label, *cells, *([None] * len(counts))])
    first = len(rows)
    rows += [["all", *row] for row in summary]
    return Table(
        ["query", *titles],
        rows,
        below=below,
        best={(first + row, column + 1) for row, column in best},
        rules={first},
    )


def _judged(result: Evaluation) -> list[str]:
    """How much of what the measures look at was judged, as one line."""
    shares = [
        ("all " if k is None else f"@{k} ") + ", ".join(f"{system} {one:.2f}" for system, one in by.items())
        for k, by in result.judged.items()
    ]
    return [f"judged: {' · '.join(shares)}"] if shares else []


def _counts(result: Evaluation, measure: object) -> list[int]:
    return [result.n(measure, system) for system in result.systems]  # type: ignore[arg-type]


def _summary(result: Evaluation) -> tuple[list[list[Cell]], set[tuple[int, int]]]:
    """A row per measure, and the cells of the best systems where there are several."""
    rows: list[list[Cell]] = []
    best: set[tuple[int, int]] = set()
    for measure in result.measures:
        values = [result.aggregate(measure, system) for system in result.systems]
        if len(values) > 1 and measure.aggregate != "sum" and measure.better != "neither":
            choose = min if measure.better == "lower" else max
            top = choose((value for value in values if value == value), default=None)
            best |= {(len(rows), at) for at, value in enumerate(values, 1) if value == top}
        rows.append([measure.label, *(_cell(measure.aggregate, value) for value in values)])
    return rows, best


def _cell(aggregate: str, value: float | None) -> Cell:
    if value is None or value != value:
        return None
    return int(value) if aggregate == "sum" else value
