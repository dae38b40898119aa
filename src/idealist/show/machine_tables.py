"""A machine as a judge: what asking takes, what it answered, and the report on its agreement with people."""

from __future__ import annotations

from collections import Counter

from idealist.base.wording import (
    and_more,
    count_of,
    count_queries,
    interval_title,
    percent,
    range_text,
    signed,
)
from idealist.errors import shortened
from idealist.machine.answers import MachineGrade, MachineVote
from idealist.show.cells import difference_cell, ends_of, interval_cell, number_cell
from idealist.show.plan_tables import plain_record
from idealist.show.table import Table
from idealist.show.view import Lines, View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from idealist.machine.answers import Estimate, MachineAnswers
    from idealist.machine.judge_agreement import JudgeCoefficient, OverRating, SystemOrder
    from idealist.machine.judge_quality import JudgeReport, SwappedOrder
    from idealist.show.table import Cell
    from idealist.show.view import Block
    from idealist.statistics.mean_estimates import Interval


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


VOTES = ("good", "same", "bad")
QUOTED = 60  # characters of an answer


def estimate_view(estimate: Estimate) -> View:
    """A row for each number, and what it stands on."""
    rows: list[list[Cell]] = [
        ["questions", f"{estimate.questions:,}"],
        ["answered before", f"{estimate.cached:,}"],
        ["requests", f"{estimate.requests:,}"],
        ["tokens to read", f"about {estimate.input_tokens:,}"],
        ["tokens to write", f"at most {estimate.output_tokens:,}"],
        ["cost", "not known (--prices)" if estimate.cost is None else f"at most about {estimate.cost:,.2f}"],
        ["time", duration_text(estimate.seconds)],
    ]
    lines = [
        f"model {estimate.model}, prompt {estimate.prompt}",
        *_text_lines(estimate.suspicious, estimate.cut),
    ]
    record = plain_record(estimate)
    return View(
        lambda: [Table(["what asking takes", ""], rows), Lines(tuple(lines))],
        rows=lambda: Table(list(record), [list(record.values())]),
        record=lambda: record,
    )


def answers_view(answers: MachineAnswers) -> View:
    """How often each grade or vote was given, and what else there is to know."""
    rows = answers.rows
    fields = MachineVote.fields if answers.questions.prompt.asks == "votes" else MachineGrade.fields
    lines = answer_lines(answers)
    return View(
        lambda: [_counts(answers, rows), Lines(tuple(lines))],
        rows=lambda: Table(list(fields), [[getattr(row, field) for field in fields] for row in rows]),
        record=lambda: _record(answers, rows),
        beside=lines,
    )


def _counts(answers: MachineAnswers, rows: list[MachineGrade] | list[MachineVote]) -> Table:
    is_votes = answers.questions.prompt.asks == "votes"
    counts = Counter(row.vote if isinstance(row, MachineVote) else str(row.grade) for row in rows)
    names = VOTES if is_votes else tuple(map(str, answers.questions.prompt.scale.grades))
    noun = "vote" if is_votes else "grade"
    cells: list[list[Cell]] = [
        [name, counts[name], percent(counts[name] / len(rows)) if rows else ""] for name in names
    ]
    return Table([noun, "votes" if is_votes else "documents", "share"], cells)


def answer_lines(answers: MachineAnswers) -> list[str]:
    """Notes on the questions, their cost, and missing answers."""
    lines = [
        f"model {answers.model}, prompt {answers.prompt}; {count_of(answers.requests, 'answer')} now, {answers.cached:,} "
        "from before"
    ]
    if answers.input_tokens or answers.output_tokens:
        cost = "" if answers.cost is None else f", cost {answers.cost:,.4f}"
        lines.append(f"tokens read {answers.input_tokens:,}, written {answers.output_tokens:,}{cost}")
    unread = answers.unread
    if unread:
        reasons = Counter(answer.reason for answer in unread)
        said = ", ".join(f"{count:,} {reason}" for reason, count in reasons.items())
        first = unread[0]
        lines.append(
            f"not read: {count_of(len(unread), 'answer')} ({said}), such as {shortened(first.content, QUOTED)!r} "
            f"for {_subject(first.query, first.document)}; they are not counted"
        )
    if answers.failures:
        (question, reason), *_ = answers.failures.items()
        lines.append(
            f"not answered: {count_of(len(answers.failures), 'question')}, such as "
            f"{_subject(question.query, question.document)}: {reason}; the same command asks again"
        )
    if answers.unasked:
        lines.append(f"not asked yet: {count_of(answers.unasked, 'question')}; the same command goes on")
    suspicious = answers.suspicious
    if suspicious:
        ((query, document), signs), *_ = suspicious.items()
        lines.append(
            f"text that speaks to the judge: {_subject(query, document)} {signs[0]}{and_more(len(suspicious))}; "
            "it was graded as any other: look at it"
        )
    lines += _text_lines(0, answers.cut)
    return lines


def _text_lines(suspicious: int, cut: int) -> list[str]:
    lines = []
    if suspicious:
        lines.append(f"text that speaks to the judge: in {count_of(suspicious, 'document')}")
    if cut:
        lines.append(f"too long to be shown whole: {count_of(cut, 'document')}")
    return lines


def _subject(query: str, document: str) -> str:
    return f"query {query!r}" + (f", document {document!r}" if document else "")


def duration_text(seconds: float | None) -> str:
    """A time that is known roughly.

    >>> duration_text(None), duration_text(42.3), duration_text(200), duration_text(9000)
    ('not known before the first answers', 'about 43 seconds', 'about 4 minutes', 'about 2.5 hours')
    """
    if seconds is None:
        return "not known before the first answers"
    if seconds < 90:
        return f"about {-int(-seconds // 1)} seconds"
    return f"about {-int(-seconds // 60)} minutes" if seconds < 5400 else f"about {seconds / 3600:.1f} hours"


def _record(answers: MachineAnswers, rows: list[MachineGrade] | list[MachineVote]) -> dict[str, object]:
    return {
        "model": answers.model,
        "prompt": answers.prompt,
        "requests": answers.requests,
        "cached": answers.cached,
        "input_tokens": answers.input_tokens,
        "output_tokens": answers.output_tokens,
        "cost": answers.cost,
        "unread": [plain_record(answer) for answer in answers.unread],
        "failures": [
            {"query": question.query, "document": question.document, "reason": reason}
            for question, reason in answers.failures.items()
        ],
        "suspicious": [
            {"query": query, "document": document, "signs": list(signs)}
            for (query, document), signs in answers.suspicious.items()
        ],
        "rows": [plain_record(row) for row in rows],
    }
