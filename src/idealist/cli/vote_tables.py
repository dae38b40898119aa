"""GSB as tables and lines, in every format."""

from __future__ import annotations

import json

from idealist.cli.options import rendered
from idealist.decision.verdict import plain
from idealist.decision.wording import signed
from idealist.errors import visible
from idealist.report import Table
from idealist.votes.result import count_text, p_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from idealist.report.table import Cell
    from idealist.statistics.interval import Interval
    from idealist.votes.raters import Agreement, Coefficient
    from idealist.votes.result import GSB, VoteSegment
    from idealist.votes.sequential import Sequential


def written(result: GSB, kind: str, *, raters: bool = False) -> str:
    if kind == "json":
        return json.dumps(result.to_dict(), ensure_ascii=False, allow_nan=False, indent=2) + "\n"
    if kind == "csv":
        return rendered(_rows(result), kind)
    tables = [_summary(result), *_breakdowns(result), *(_raters(result) if raters else ())]
    shown, lines = [rendered(table, kind) for table in tables], list(map(visible, _lines(result)))
    if kind == "markdown":
        listed = "".join(f"- {plain(line)}\n" for line in lines)
        return "\n".join([result.verdict.to_markdown(), shown[0], listed, *shown[1:]])
    below = "".join(f"{line}\n" for line in lines)
    verdict = "\n".join(map(visible, str(result.verdict).split("\n")))
    return "\n".join([shown[0], below, *shown[1:], f"{verdict}\n"])


def _rows(result: GSB) -> Table:
    """All items and every segment, for machines."""
    titles = ["segment", "gsb", "low", "high", "good", "same", "bad", "n", "p"]
    ones: list[GSB | VoteSegment] = [result, *result.segments]
    rows: list[list[Cell]] = [
        [
            getattr(one, "name", "all"),
            one.value,
            one.interval.low if one.interval else None,
            one.interval.high if one.interval else None,
            one.good,
            one.same,
            one.bad,
            one.n,
            one.p_value,
        ]
        for one in ones
    ]
    return Table(titles, rows)


def _summary(result: GSB) -> Table:
    rates = result.rates
    rows: list[list[Cell]] = [
        ["GSB", "(G−B)/N", result.value, _ends(result.interval)],
        ["win rate without ties", "G/(G+B)", _defined(rates.win_rate), _ends(rates.win_rate_interval)],
        [
            "win rate with half ties",
            "(G+S/2)/N",
            rates.win_rate_half_ties,
            _ends(rates.win_rate_half_ties_interval),
        ],
        ["ratio", "(G+S)/(B+S)", _defined(rates.ratio), None],
        ["not-worse rate", "(G+S)/N", rates.not_worse_rate, _ends(rates.not_worse_rate_interval)],
    ]
    if result.severity is not None:
        formula = f"Σs/({result.severity.scale}N)"
        rows.append(["by severity", formula, result.severity.value, _ends(result.severity.interval)])
    return Table(["", "", "value", _percent(result.interval)], rows)


def _lines(result: GSB) -> Iterator[str]:
    counts = ", ".join(f"{name} {count_text(getattr(result, name))}" for name in ("good", "same", "bad"))
    queries = f"{result.queries:,} {'query' if result.queries == 1 else 'queries'}"
    if result.measure is not None:
        yield f"queries: {counts}; {queries}"
        yield f"test: p {p_text(result.p_value)} ({result.test})"
    else:
        votes = "" if result.votes == result.n else f", {result.votes:,} votes"
        raters = f" of {result.raters:,} raters" if result.raters else ""
        yield f"votes: {counts}; {_number(result.n, 'item')} of {queries}{votes}{raters}"
        yield f"test: p {p_text(result.p_value)} ({result.test})"
        if result.sequential is not None:
            yield _sequential(result.sequential)
    sides = result.side_bias
    if sides is not None and not sides.confounded:
        yield (
            f"sides: GSB {signed(sides.gsb_left)} where the candidate was shown left ({sides.shown_left:,} votes), "
            f"{signed(sides.gsb_right)} right ({sides.shown - sides.shown_left:,}); p {p_text(sides.p_value)}"
        )
    if result.agreement is not None:
        yield _agreement(result.agreement)
    for note in result.notes:
        yield f"note: {note}"


def _sequential(found: Sequential) -> str:
    level = 1 - found.interval.confidence
    low, high = signed(found.interval.low), signed(found.interval.high)
    return (
        f"sequential test: p {p_text(found.p_value)}, e-value {found.e_value:.3g}; you may stop at {1 / level:.4g} "
        f"({100 * level:.3g} %); GSB at every look: {low} to {high}"
    )


def _agreement(found: Agreement) -> str:
    shown = [
        f"{name} {_coefficient(coefficient)}"
        for name, coefficient in (
            ("raw", found.raw),
            (f"α {found.alpha_kind}", found.alpha),
            ("AC1", found.ac1),
            ("Fleiss κ", found.fleiss),
        )
    ]
    return f"raters agree: {', '.join(shown)}; {_number(found.items, 'item')} with several votes"


def _breakdowns(result: GSB) -> Iterator[Table]:
    if result.strata:
        yield Table(
            ["stratum", "share of traffic", "GSB", "standard error", "n"],
            [[one.name, one.share, one.value, _defined(one.variance**0.5), one.n] for one in result.strata],
        )
    if result.segments:
        titles = ["segment", "GSB", _percent(result.interval), "good", "same", "bad", "n", "p"]
        rows: list[list[Cell]] = [
            [
                one.name,
                one.value,
                _ends(one.interval),
                *(one.good, one.same, one.bad),
                one.n,
                _p_cell(one.p_value),
            ]
            for one in result.segments
        ]
        yield Table(titles, rows)


def _raters(result: GSB) -> Iterator[Table]:
    found = result.agreement
    if found is not None and found.raters:
        rows: list[list[Cell]] = [
            [one.rater, one.votes, one.n, *_cells(one.raw), *_cells(one.kappa)] for one in found.raters
        ]
        yield Table(["rater", "votes", "with others", "raw", "", "", "Cohen κ", "", ""], rows)
    if found is not None and found.pairs:
        rows = [[one.first, one.second, one.n, *_cells(one.raw), *_cells(one.kappa)] for one in found.pairs]
        yield Table(["rater", "rater", "items", "raw", "", "", "Cohen κ", "", ""], rows)
    if result.anchors:
        rows = [
            [one.rater, one.right, one.n, one.accuracy, _ends(one.interval), "below the floor" * one.below]
            for one in result.anchors
        ]
        yield Table(["rater", "right", "of known", "accuracy", "", ""], rows)


def _cells(coefficient: Coefficient) -> list[Cell]:
    return [_defined(coefficient.value), _ends(coefficient.interval), _doubt(coefficient)]


def _coefficient(found: Coefficient) -> str:
    if found.value != found.value:
        return "undefined"
    ends = "" if found.interval is None else f" [{found.interval.low:.2f}, {found.interval.high:.2f}]"
    doubt = f" ({_doubt(found)})" if _doubt(found) else ""
    return f"{found.value:.2f}{ends}{doubt}"


def _doubt(found: Coefficient) -> str:
    """What is wrong with an interval, if anything is."""
    if found.reliable or found.value != found.value:
        return ""
    return "unreliable: few disagreements" if found.interval is not None else "no interval"


def _ends(interval: Interval | None) -> Cell:
    return None if interval is None else (interval.low, interval.high)


def _defined(value: float) -> Cell:
    return None if value != value else "∞" if value == float("inf") else value


def _percent(interval: Interval | None) -> str:
    return "interval" if interval is None else f"{100 * interval.confidence:g} % interval"


def _p_cell(p: float) -> Cell:
    return p if p >= 0.0005 else p_text(p)


def _number(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'s' * (count != 1)}"
