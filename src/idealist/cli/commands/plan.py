"""idealist plan: how much to judge, and what."""

from __future__ import annotations

import json
import sys

from idealist.cli import drawing
from idealist.cli.inputs import add_weights, refuse_weights
from idealist.cli.next_judgments import as_record
from idealist.cli.options import add_conventions, conventions_of, rendered
from idealist.cli.sources import add_sources, named_files, read_judged, table_of
from idealist.data.run import runs_by_name
from idealist.decision.wording import signed
from idealist.errors import InputError, visible
from idealist.evaluation import evaluate
from idealist.plan.pilots import pilot_pair
from idealist.plan.votes import (
    VotePilot,
    detectable_gsb,
    judgments_power,
    needed_judgments,
    pilot_votes,
)
from idealist.report import FORMATS, Table
from idealist.statistics.power import (
    curve,
    detectable_difference,
    needed_queries,
    queries_power,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from typing import Any

    from idealist.plan.pilots import PairPilot
    from idealist.report.table import Cell

SUMMARY = "say how many queries or judgments are needed, and draw which"
EPILOG = """examples:
  idealist plan queries --effect 0.01 --pilot robust.qrels bm25.run dense.run -m nDCG@10
  idealist plan judgments --gsb 0.02 --same 0.7 --per-query 10 --icc 0.1
  idealist plan detectable --n 200 --sd 0.2
  idealist plan next robust.qrels bm25.run dense.run -k 10 -n 200
  idealist plan sample queries.csv -n 100 --by traffic --seed 1 -o sample.csv
  idealist plan pool bm25.run dense.run -k 20 --judged robust.qrels -o pool.csv
  idealist plan pool bm25.run dense.run --strata 20:1,50:0.5,100:0.2 -o pool.csv --to-judge judge.csv
  idealist plan grade pool.csv grades.qrels -o sampled.qrels"""
POWERS = (0.5, 0.8, 0.9, 0.95)
KINDS = (*FORMATS, "json")


def configure(parser: argparse.ArgumentParser) -> None:
    parts = parser.add_subparsers(dest="part", metavar="WHAT", required=True)

    def add(name: str, about: str, settle: Callable[[argparse.ArgumentParser], None]) -> None:
        part = parts.add_parser(
            name,
            help=about,
            description=about,
            formatter_class=parser.formatter_class,
            allow_abbrev=False,
        )
        settle(part)

    add("queries", "how many queries show a difference", _configure_queries)
    add("judgments", "how many side-by-side judgments show a GSB", _configure_judgments)
    add("detectable", "the smallest difference or GSB that a number of them shows", _configure_detectable)
    for name, about, settle in drawing.PARTS:
        add(name, about, settle)


def _configure_queries(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--effect", type=float, required=True, help="the difference in the mean to be shown")
    known = parser.add_mutually_exclusive_group(required=True)
    known.add_argument("--sd", type=float, help="the standard deviation of the differences per query")
    known.add_argument(
        "--pilot",
        nargs="+",
        metavar="FILE",
        help="take it from two runs instead: JUDGMENTS RUN RUN, or JUDGMENTS and one table of two systems",
    )
    _add_pair(parser)
    _add_risks(parser)


def _configure_judgments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--gsb", type=float, required=True, help="the GSB to be shown: 0.02 is 2 %%")
    known = parser.add_mutually_exclusive_group(required=True)
    known.add_argument("--same", type=float, help='the share of votes that say "same"')
    known.add_argument(
        "--pilot", metavar="VOTES", help="take it, and --per-query and --icc, from votes instead"
    )
    _add_clusters(parser)
    _add_risks(parser)


def _configure_detectable(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--n", type=int, required=True, help="how many queries, or judgments, there are")
    known = parser.add_mutually_exclusive_group(required=True)
    known.add_argument("--sd", type=float, help="queries: the standard deviation of the differences")
    known.add_argument("--same", type=float, help='judgments: the share of votes that say "same"')
    known.add_argument(
        "--pilot",
        nargs="+",
        metavar="FILE",
        help="JUDGMENTS RUN RUN, or JUDGMENTS and one table of two systems, for queries; VOTES for judgments",
    )
    _add_pair(parser)
    _add_clusters(parser)
    _add_risks(parser)


def _add_pair(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-m", "--measure", default="nDCG@10", help="of the pilot (default: nDCG@10)")
    parser.add_argument("--exact", action="store_true", help="by Student's t; it matters below 50 queries")
    add_weights(parser)
    add_sources(parser)
    add_conventions(parser, ())


def _add_clusters(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--per-query", type=float, metavar="M", help="judgments per query (default: 1)")
    parser.add_argument("--icc", type=float, help="how alike the votes of a query are, 0 to 1 (default: 0)")


def _add_risks(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--power", type=float, default=0.8, help="how surely it is shown (default: 0.8)")
    parser.add_argument("--alpha", type=float, default=0.05, help="the risk of a false alarm (default: 0.05)")
    parser.add_argument("--format", choices=KINDS, default="table", help="default: table")


def run(arguments: argparse.Namespace) -> int:
    if arguments.part in drawing.RUN:
        return drawing.RUN[arguments.part](arguments)
    if arguments.part == "queries":
        _plan_queries(arguments, *_spread(arguments))
    elif arguments.part == "judgments":
        _plan_judgments(arguments, *_votes(arguments))
    elif arguments.sd is not None or (arguments.pilot and len(arguments.pilot) in (2, 3)):
        _refuse(arguments, "judgments", per_query=None, icc=None)
        _detect_difference(arguments, *_spread(arguments))
    elif arguments.same is not None or len(arguments.pilot) == 1:
        _refuse(arguments, "queries", exact=False, weights=None, weight_by=None)
        _detect_gsb(arguments, *_votes(arguments))
    else:
        raise InputError(
            f"--pilot names {len(arguments.pilot)} files",
            hint="JUDGMENTS RUN RUN for queries, VOTES for judgments",
        )
    return 0


def _spread(arguments: argparse.Namespace) -> tuple[float, PairPilot | None]:
    """The standard deviation of the differences: as given, or that of the pilot."""
    if arguments.pilot is None:
        refuse_weights(arguments, "a pilot of runs")
        return arguments.sd, None
    judgments, *paths = arguments.pilot
    conventions = conventions_of(arguments)
    runs = runs_by_name(named_files(paths, arguments, judgments=judgments)) if paths else {}
    if len(runs) != 2:
        raise InputError(
            f"--pilot names {len(runs)} run{'s' * (len(runs) != 1)}, not two",
            hint="JUDGMENTS RUN RUN, or JUDGMENTS and one table whose column `system` names two",
        )
    judged = read_judged(judgments, arguments)
    result = evaluate(
        runs,
        judged,
        arguments.measure,
        conventions=conventions,
        weights=table_of(arguments.weights, arguments, "weights"),
        weight_by=arguments.weight_by,
    )
    for note in result.notes:
        print(f"note: {visible(note)}", file=sys.stderr)
    pilot = pilot_pair(result, arguments.measure)
    return pilot.sd, pilot


def _votes(arguments: argparse.Namespace) -> tuple[dict[str, float], VotePilot | None]:
    """The share of "same", judgments per query and ICC: as given, or those of the pilot."""
    given = {"per_query": arguments.per_query, "icc": arguments.icc}
    if arguments.pilot is None:
        if arguments.icc and (arguments.per_query is None or arguments.per_query == 1):
            raise InputError("--icc changes nothing with one judgment per query", hint="say --per-query")
        known = {"same": arguments.same, "per_query": 1.0, "icc": 0.0}
        pilot = None
    else:
        from idealist.io import read_votes

        path = arguments.pilot if isinstance(arguments.pilot, str) else arguments.pilot[0]
        pilot = pilot_votes(read_votes(table_of(path, arguments, "votes", main=True)))
        known = {"same": pilot.same, "per_query": pilot.per_query, "icc": pilot.icc}
    return known | {name: value for name, value in given.items() if value is not None}, pilot


def _plan_queries(arguments: argparse.Namespace, sd: float, pilot: PairPilot | None) -> None:
    effect, alpha, exact = arguments.effect, arguments.alpha, arguments.exact
    how: dict[str, Any] = {"power": arguments.power, "alpha": alpha, "exact": exact}
    needed = needed_queries(sd, effect, **how)
    points = curve(lambda n: queries_power(n, sd, effect, alpha=alpha, exact=exact), needed)
    lines = [
        f"{needed:,} queries show a difference of {signed(abs(effect))} with {_percent(arguments.power)} power "
        f"at an alpha of {_percent(alpha)}, when the differences have an sd of {signed(sd)}.",
        *_pilot_lines(pilot),
    ]
    record: dict[str, Any] = {"queries": needed, "effect": effect, "sd": sd, "exact": exact}
    if pilot is not None:
        few, many = (needed_queries(end, effect, **how) for end in (pilot.interval.low, pilot.interval.high))
        lines.append(f"By the ends of that interval, {few:,} to {many:,} queries.")
        record["between"] = [few, many]
    if not exact and needed < 50 and (more := needed_queries(sd, effect, **how | {"exact": True})) > needed:
        lines.append(f"By Student's t, which counts with so few, {more:,} (--exact).")
    _write(arguments, lines, "queries", points, record, pilot)


def _plan_judgments(arguments: argparse.Namespace, known: dict[str, float], pilot: VotePilot | None) -> None:
    gsb, alpha = arguments.gsb, arguments.alpha
    needed = needed_judgments(gsb, power=arguments.power, alpha=alpha, **known)
    points = curve(lambda n: judgments_power(n, gsb, alpha=alpha, **known), needed, least=1)
    lines = [
        f"{needed:,} judgments show a GSB of {_percent(abs(gsb))} with {_percent(arguments.power)} power at an "
        f'alpha of {_percent(alpha)}, when {_percent(known["same"])} of the votes are "same"{_clusters(known)}.',
        *_pilot_lines(pilot),
    ]
    _write(arguments, lines, "judgments", points, {"judgments": needed, "gsb": gsb, **known}, pilot)


def _detect_difference(arguments: argparse.Namespace, sd: float, pilot: PairPilot | None) -> None:
    n, alpha, exact = arguments.n, arguments.alpha, arguments.exact
    found = detectable_difference(sd, n, power=arguments.power, alpha=alpha, exact=exact)
    rows: list[list[Cell]] = [
        [power, detectable_difference(sd, n, power=power, alpha=alpha, exact=exact)]
        for power in _powers(arguments)
    ]
    lines = [
        f"{n:,} queries show a difference of {signed(found)} or more with {_percent(arguments.power)} power at an "
        f"alpha of {_percent(alpha)}, when the differences have an sd of {signed(sd)}.",
        *_pilot_lines(pilot),
    ]
    record = {"n": n, "unit": "queries", "difference": found, "sd": sd, "exact": exact}
    _write_rows(arguments, lines, ["power", "difference"], rows, record, pilot)


def _detect_gsb(arguments: argparse.Namespace, known: dict[str, float], pilot: VotePilot | None) -> None:
    n, alpha = arguments.n, arguments.alpha
    found = detectable_gsb(n, power=arguments.power, alpha=alpha, **known)
    rows: list[list[Cell]] = [
        [power, detectable_gsb(n, power=power, alpha=alpha, **known)] for power in _powers(arguments)
    ]
    shown = "no GSB at all" if found is None else f"a GSB of {_percent(found)} or more"
    lines = [
        f"{n:,} judgments show {shown} with {_percent(arguments.power)} power at an alpha of {_percent(alpha)}, "
        f'when {_percent(known["same"])} of the votes are "same"{_clusters(known)}.',
        *_pilot_lines(pilot),
    ]
    record = {"n": n, "unit": "judgments", "gsb": found, **known}
    _write_rows(arguments, lines, ["power", "GSB"], rows, record, pilot)


def _refuse(arguments: argparse.Namespace, unit: str, **defaults: object) -> None:
    for name, default in defaults.items():
        if getattr(arguments, name) != default:
            option = f"--{name.replace('_', '-')}"
            raise InputError(f"{option} is for a number of {unit}", hint=f"leave {option} out")


def _powers(arguments: argparse.Namespace) -> list[float]:
    return sorted(power for power in {*POWERS, arguments.power} if power > arguments.alpha)


def _clusters(known: dict[str, float]) -> str:
    if known["per_query"] == 1:
        return ""
    return f", {known['per_query']:.3g} are on one query and these have an ICC of {known['icc']:.3g}"


def _pilot_lines(pilot: PairPilot | VotePilot | None) -> list[str]:
    if pilot is None:
        return []
    if isinstance(pilot, VotePilot):
        return [
            f"Pilot: {pilot.n:,} judged items of {pilot.queries:,} queries, GSB {_percent(pilot.value)}, "
            f"{_percent(pilot.same)} same, ICC {pilot.icc:.3g}."
        ]
    one, other = pilot.systems
    low, high = signed(pilot.interval.low), signed(pilot.interval.high)
    return [
        f"Pilot: {pilot.measure} of {other} less that of {one} on {pilot.n:,} queries, mean "
        f"{signed(pilot.difference)}, sd {signed(pilot.sd)} (95 % interval {low} to {high})."
    ]


def _write(
    arguments: argparse.Namespace,
    lines: list[str],
    unit: str,
    points: list[tuple[int, float]],
    record: dict[str, Any],
    pilot: PairPilot | VotePilot | None,
) -> None:
    rows: list[list[Cell]] = [[n, power] for n, power in points]
    record = {**record, "curve": [{unit: n, "power": power} for n, power in points]}
    _write_rows(arguments, lines, [unit, "power"], rows, record, pilot)


def _write_rows(
    arguments: argparse.Namespace,
    lines: list[str],
    titles: list[str],
    rows: list[list[Cell]],
    record: dict[str, Any],
    pilot: PairPilot | VotePilot | None,
) -> None:
    if arguments.format == "json":
        whole = {**record, "power": arguments.power, "alpha": arguments.alpha}
        if "curve" not in whole:
            whole["by_power"] = [dict(zip(titles, row, strict=True)) for row in rows]
        if pilot is not None:
            whole["pilot"] = as_record(pilot)
        sys.stdout.write(json.dumps(whole, ensure_ascii=False, indent=2, allow_nan=False) + "\n")
    elif arguments.format in ("csv", "latex"):
        sys.stdout.write(rendered(Table(titles, rows), arguments.format))
    else:
        sys.stdout.write("\n".join([*lines, "", rendered(Table(titles, rows), arguments.format)]))


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %".replace("-", "−")
