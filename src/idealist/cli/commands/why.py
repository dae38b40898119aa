"""idealist why: from one tool's number to another's, or from a number to the conventions behind it."""

from __future__ import annotations

import json
import sys

from idealist.cli.options import rendered
from idealist.cli.sources import JUDGMENTS, RUN, add_sources, named_files, one_of, read_judged, sources_of
from idealist.conventions import PRESETS
from idealist.errors import InputError
from idealist.presets import find_conventions, why
from idealist.report import FORMATS, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from idealist.evaluation.changes import QueryChange
    from idealist.presets import Difference, Finding, Search
    from idealist.report.table import Cell

SUMMARY = "show why two tools give different numbers"
EPILOG = """examples:
  idealist why robust.qrels bm25.run -m nDCG@10 --between trec_eval-9 lightgbm
  idealist why robust.qrels bm25.run -m nDCG@10 --between trec_eval-9,missing=zero idealist,gain=exp
  idealist why robust.qrels bm25.run -m nDCG@10 --observed 0.353"""
MOST_QUERIES = 2
MOST_FINDINGS = 10


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("judgments", metavar="JUDGMENTS", help=JUDGMENTS)
    parser.add_argument("run", metavar="RUN", help=RUN)
    parser.add_argument("-m", "--measure", default="nDCG@10", help="default: nDCG@10")
    asked = parser.add_mutually_exclusive_group(required=True)
    asked.add_argument(
        "--between",
        nargs=2,
        metavar="CONVENTIONS",
        help=f"walk from one to the other: {', '.join(PRESETS)}; choices may follow, as in ranx,empty=skip",
    )
    asked.add_argument(
        "--observed", metavar="NUMBER", help="find the conventions that give this number, to its last digit"
    )
    parser.add_argument("--by-query", action="store_true", help="with --between: every query that moves")
    parser.add_argument("--format", choices=(*FORMATS, "json"), default="table", help="default: table")
    parser.add_argument("--threads", type=int, metavar="N", help="default: all cores")
    add_sources(parser)


def run(arguments: argparse.Namespace) -> int:
    (file,) = named_files(
        one_of([arguments.run]), sources_of(arguments), judgments=arguments.judgments
    ).values()
    judgments = read_judged(arguments.judgments, sources_of(arguments), threads=arguments.threads)
    one = file.read()
    if arguments.observed is not None:
        if arguments.by_query:
            raise InputError("--by-query goes with --between", hint="leave it out")
        search = find_conventions(
            one, judgments, arguments.measure, arguments.observed, threads=arguments.threads
        )
        _write(arguments.format, _search_table(search), _search_record(search))
        return 0
    found = why(
        one, judgments, arguments.measure, between=tuple(arguments.between), threads=arguments.threads
    )
    table = _query_table(found) if arguments.by_query else _walk_table(found)
    _write(arguments.format, table, _walk_record(found))
    return 0


def _write(kind: str, table: Table, record: dict[str, Any]) -> None:
    if kind == "json":
        json.dump(record, sys.stdout, ensure_ascii=False, indent=2)
        sys.stdout.write("\n")
    else:
        sys.stdout.write(rendered(table, kind))


def _walk_table(found: Difference) -> Table:
    rows: list[list[Cell]] = [[found.before, None, None, found.value, None, found.n, None]]
    for step in found.steps:
        moved = f"refused: {step.refused}" if step.refused is not None else _moved(step.moved)
        change = None if step.refused is not None else f"{step.change:+.4f}"
        rows.append([step.choice, step.before, step.after, step.value, change, step.n, moved])
    n = found.steps[-1].n if found.steps else found.n
    total = f"{found.last - found.value:+.4f}"
    rows.append([found.after, None, None, found.last, total, n, None])
    below = ["", "each choice is made after those above it; what it is worth depends on them"]
    if any(step.refused is not None for step in found.steps):
        below.append("what is refused stays as it was; the tool would print no number")
    titles = ["choice", "from", "to", found.measure, "change", "n", "queries that move, most first"]
    return Table(titles, rows, below=below, rules={1, len(rows) - 1})


def _moved(moves: tuple[QueryChange, ...]) -> str:
    if not moves:
        return "none"
    shown = ", ".join(
        f"{move.query} {_value(move.before)} → {_value(move.after)}" for move in moves[:MOST_QUERIES]
    )
    return f"{len(moves):,}: {shown}" + (", …" if len(moves) > MOST_QUERIES else "")


def _value(value: float) -> str:
    return "out" if value != value else f"{value:.4f}"


def _query_table(found: Difference) -> Table:
    rows: list[list[Cell]] = [
        [
            step.choice,
            step.before,
            step.after,
            move.query,
            None if move.before != move.before else move.before,
            None if move.after != move.after else move.after,
            move.change,
        ]
        for step in found.steps
        for move in step.moved
    ]
    below = ["", f"{found.measure}; an empty cell: the query is left out"]
    return Table(["choice", "from", "to", "query", "before", "after", "change"], rows, below=below)


def _walk_record(found: Difference) -> dict[str, Any]:
    return {
        "measure": found.measure,
        "from": {"conventions": found.before, "value": found.value, "n": found.n},
        "to": {"conventions": found.after, "value": found.last},
        "steps": [
            {
                "choice": step.choice,
                "from": step.before,
                "to": step.after,
                "value": step.value,
                "n": step.n,
                "change": step.change,
                "refused": step.refused,
                "moved": [
                    {"query": move.query, "before": _number(move.before), "after": _number(move.after)}
                    for move in step.moved
                ],
            }
            for step in found.steps
        ],
    }


def _number(value: float) -> float | None:
    return None if value != value else value


def _search_table(search: Search) -> Table:
    shown = search.found[:MOST_FINDINGS]
    rows: list[list[Cell]] = [[finding.value, _choices(finding)] for finding in shown]
    tools = ", ".join(search.tools) or "none"
    observed = repr(search.observed)
    below = ["", f"tools whose conventions give {observed}: {tools}"]
    if len(search.found) > len(shown):
        below.append(f"{len(search.found) - len(shown):,} more that need as many choices, or more")
    if not search.found:
        near = search.nearest
        rows = [[repr(round(near.value, 10)), _choices(near)]]
        below.append(f"nothing gives {observed}; this is the nearest of {search.tried:,} that were tried")
        below.append("the data may differ: other documents, other queries, another cut-off")
    return Table([search.measure, "choices that differ from ours"], rows, below=below)


def _choices(finding: Finding) -> str:
    return " · ".join(f"{name} {choice}" for name, choice in finding.choices.items()) or "none"


def _search_record(search: Search) -> dict[str, Any]:
    def record(finding: Finding) -> dict[str, Any]:
        return {"value": finding.value, "choices": dict(finding.choices)}

    return {
        "measure": search.measure,
        "observed": search.observed,
        "tolerance": search.tolerance,
        "tools": list(search.tools),
        "found": [record(finding) for finding in search.found],
        "nearest": record(search.nearest),
        "tried": search.tried,
    }
