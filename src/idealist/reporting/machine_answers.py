"""What asking a model would take, and what it answered."""

from __future__ import annotations

from collections import Counter

from idealist.errors import shortened
from idealist.judges.result import MachineGrade, MachineVote
from idealist.reporting.plans import plain_record
from idealist.reporting.table import Table
from idealist.reporting.view import Lines, View
from idealist.wording import and_more, count_of, percent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.judges.result import Estimate, MachineAnswers
    from idealist.reporting.table import Cell

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
    """What was asked, what it took, and what is missing."""
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
