"""The report on a judge: the table of both judges' grades, agreement, over-rating, systems, and what the labels are for."""

from __future__ import annotations

from idealist.reporting.cells import difference_cell, ends_of, interval_cell, number_cell
from idealist.reporting.table import Table
from idealist.reporting.view import Lines, View
from idealist.wording import count_of, count_queries, interval_title, percent, range_text, signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from idealist.judges.agreement import JudgeCoefficient, OverRating
    from idealist.judges.judge_report import JudgeReport, SwappedOrder
    from idealist.judges.orders import SystemOrder
    from idealist.reporting.table import Cell
    from idealist.reporting.view import Block
    from idealist.statistics.interval import Interval


def judge_view(report: JudgeReport) -> View:
    """All tables, then what was noted and the sentence on use."""
    closing = [*_lines(report), *(f"note: {note}" for note in report.notes), f"use: {report.use}"]
    return View(
        lambda: [*_tables(report), Lines(tuple(closing))],
        rows=lambda: _rows(report),
        record=report.to_dict,
        beside=closing,
    )


def _tables(report: JudgeReport) -> list[Block]:
    sure = interval_title(report.confidence)
    tables: list[Block] = [confusion_table(report), _coefficients("agreement", report.agreement, sure)]
    tables.append(_over_rated("human grade", [*report.by_grade, report.overall], sure))
    tables += (_system_table(order, sure) for order in report.orders)
    tables += (_over_rated(column, ratings, sure) for column, ratings in report.by_column)
    if report.repeat:
        tables.append(_coefficients("asked again", report.repeat, sure))
    return tables


def confusion_table(report: JudgeReport) -> Table:
    """Human grades down, the machine's across; pairs that agree stand out."""
    levels = [f"{level:g}" for level in report.levels]
    rows: list[list[Cell]] = [
        [level, *row, sum(row)] for level, row in zip(levels, report.confusion, strict=True)
    ]
    columns = [sum(column) for column in zip(*report.confusion, strict=True)]
    rows.append(["all", *columns, report.pairs])
    titles = ["human ↓ machine →", *levels, "all"]
    return Table(titles, rows, best={(at, at + 1) for at in range(len(levels))}, rules={len(levels)})


def _coefficients(title: str, coefficients: Sequence[JudgeCoefficient], sure: str) -> Table:
    rows: list[list[Cell]] = [[c.name, number_cell(c.value), interval_cell(c.interval)] for c in coefficients]
    return Table([title, "value", sure], rows)


def _over_rated(title: str, ratings: Sequence[OverRating], sure: str) -> Table:
    rows: list[list[Cell]] = [
        [
            *(r.kind, r.n, r.human, r.machine, difference_cell(r.over), interval_cell(r.interval)),
            *(percent(r.higher), percent(r.lower)),
        ]
        for r in ratings
    ]
    titles = [title, "pairs", "mean of people", "of the machine", "over-rating", sure, "higher", "lower"]
    return Table(titles, rows)


def _system_table(order: SystemOrder, sure: str) -> Table:
    rows: list[list[Cell]] = [
        [
            *(order.measure.label, s.system, s.human, s.machine, difference_cell(s.bias)),
            *(interval_cell(s.interval), difference_cell(s.favour), interval_cell(s.favour_interval)),
        ]
        for s in order.systems
    ]
    best = {(at, 6) for at, s in enumerate(order.systems) if s in order.favoured}
    titles = ["measure", "system", "by people", "by the machine", "bias", sure, "favour", sure]
    return Table(titles, rows, best=best)


def _lines(report: JudgeReport) -> list[str]:
    pairs = f"{count_of(report.pairs, 'pair')} of {count_queries(report.queries)} that both judged"
    lines = [f"{pairs}; intervals by a bootstrap over queries, those of bias and favour by Student's t"]
    lines += (
        f"order of systems by {order.measure.label}, {count_queries(order.queries)}: "
        f"τ {_number(order.tau, order.tau_interval)}, τAP {_number(order.tau_ap, order.tau_ap_interval)}"
        for order in report.orders
        if order.tau is not None
    )
    if report.orders:
        lines.append("favour: how much more the machine lifts a system than it lifts the others")
    if report.repeat:
        lines.append(f"asked again: {count_of(report.repeated, 'pair')} that the machine judged twice")
    return [*lines, *([] if report.swapped is None else [_swapped_line(report.swapped)])]


def _swapped_line(swapped: SwappedOrder) -> str:
    return (
        f"sides swapped: {count_of(swapped.pairs, 'pair')}; the same answer both ways round in "
        f"{_share(swapped.same, swapped.same_interval)}, decided for the left side in "
        f"{_share(swapped.first, swapped.first_interval)}"
    )


def _number(number: float | None, interval: Interval | None) -> str:
    if number is None or number != number:
        return "undefined"
    return signed(number) + ("" if interval is None else f" ({range_text(interval)})")


def _share(share: float, interval: Interval | None) -> str:
    if share != share:
        return "no pair"
    ends = "" if interval is None else f" ({percent(interval.low)} to {percent(interval.high)})"
    return f"{percent(share)}{ends}"


def _rows(report: JudgeReport) -> Table:
    """A number a row, for machines."""
    rows: list[list[Cell]] = []
    for title, coefficients in (("agreement", report.agreement), ("repeat", report.repeat)):
        rows += ([title, c.name, None, c.value, *ends_of(c.interval)] for c in coefficients)
    for level, row in zip(report.levels, report.confusion, strict=True):
        pairs = zip(report.levels, row, strict=True)
        rows += (["confusion", f"{level:g}", f"{other:g}", count, None, None] for other, count in pairs)
    groups = [("human grade", (*report.by_grade, report.overall)), *report.by_column]
    for title, ratings in groups:
        rows += (["over-rating", title, r.kind, r.over, *ends_of(r.interval)] for r in ratings)
    for order in report.orders:
        name = str(order.measure)
        for s in order.systems:
            rows.append(["bias", name, s.system, s.bias, *ends_of(s.interval)])
            rows.append(["favour", name, s.system, s.favour, *ends_of(s.favour_interval)])
        rows.append(["tau", name, None, order.tau, *ends_of(order.tau_interval)])
        rows.append(["tau_ap", name, None, order.tau_ap, *ends_of(order.tau_ap_interval)])
    if report.swapped is not None:
        rows.append(["swapped", "same", None, report.swapped.same, *ends_of(report.swapped.same_interval)])
        rows.append(["swapped", "left", None, report.swapped.first, *ends_of(report.swapped.first_interval)])
    plain = [[None if cell != cell else cell for cell in row] for row in rows]
    return Table(["part", "name", "kind", "value", "low", "high"], plain)
