"""Tables, findings and errors in the words of the reader, where those are not the words of the commands.

English pages have all of it as `reporting` writes it; others have what the commands say below, marked as English.
"""

from __future__ import annotations

from copy import copy
from pathlib import PurePath

from idealist.base.wording import p_text, signed
from idealist.show.table import Table
from idealist.show.view import View
from idealist.web.texts import DEFAULT, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from idealist.checks import CheckResult, Finding, Location
    from idealist.comparison.verdict import Verdict
    from idealist.errors import IdealistError
    from idealist.show.table import Cell
    from idealist.show.view import Block
    from idealist.votes.agreement_of_raters import Agreement, Coefficient
    from idealist.votes.vote_tests import Sequential
    from idealist.web.access.pages import Visit


MOST_PLACES = 3  # below a finding
# The guards of comparisons and studies; a rule of a gate may have a name of its own.
GUARDS = {
    name: name.replace(" ", "-")
    for name in (
        *("other measures", "segments", "equally judged", "same queries", "enough judged", "large losses"),
        *("agreement of raters", "sides", "known answers", "votes"),
        *("one group a user", "other metrics"),
    )
}


def result_html(language: str, shown: View | Block, labels: Collection[int] = ()) -> str:
    """A result in HTML: the heads of its tables and the cells of the columns `labels` in the words of the reader."""
    if language == DEFAULT:
        return shown.to_html()
    blocks = shown.parts if isinstance(shown, View) else [shown]
    return "\n".join(
        table_words(language, block, labels).to_html()
        if isinstance(block, Table)
        else f'<div lang="en">\n{block.to_html()}</div>\n'
        for block in blocks
    )


def table_words(language: str, table: Table, labels: Collection[int] = ()) -> Table:
    """The same table under other heads, and with other words in the columns `labels`."""
    known = words(language)["labels"]

    def word(cell: Cell, column: int) -> Cell:
        return known.get(cell, cell) if column in labels and isinstance(cell, str) else cell

    other = copy(table)
    other.titles = [head_words(language, title) for title in table.titles]
    other.rows = [[word(cell, column) for column, cell in enumerate(row)] for row in table.rows]
    return other


def head_words(language: str, title: str) -> str:
    """The head of a column. What is not known is a name, such as that of a measure."""
    return words(language)["heads"].get(title, title)


def legend_words(language: str, shown: View | Block) -> list[str]:
    """What the columns of a result are, by the heads that the reader sees; nothing on English pages."""
    known = words(language)["legends"]
    blocks = shown.parts if isinstance(shown, View) else [shown]
    titles = [title for block in blocks if isinstance(block, Table) for title in block.titles]
    return [f"{head_words(language, title)}：{known[title]}" for title in titles if title in known]


def label_words(language: str, label: str) -> str:
    return words(language)["labels"].get(label, label)


class FindingWords:
    """A finding in the words of the reader: what it is, and where it was found first."""

    def __init__(self, visit: Visit, finding: Finding) -> None:
        self.finding = finding
        sentence = words(visit.language)["findings"][finding.code]
        self.sentence = sentence.format(count=f"{finding.count:,}")
        self.places = [(place_words(visit, place), place.text) for place in finding.examples[:MOST_PLACES]]


def finding_words(visit: Visit, result: CheckResult) -> list[FindingWords] | None:
    """All findings; None on English pages, where `reporting` says them."""
    if visit.language == DEFAULT:
        return None
    return [FindingWords(visit, finding) for finding in result.findings]


def agreement_words(visit: Visit, agreement: Agreement | None) -> str:
    """How far raters agree; nothing on English pages."""
    if visit.language == DEFAULT or agreement is None:
        return ""
    texts = {name: coefficient_text(getattr(agreement, name)) for name in ("raw", "alpha", "ac1", "fleiss")}
    return visit.text("raters.votes.line", items=f"{agreement.items:,}", **texts)


def coefficient_text(coefficient: Coefficient) -> str:
    """A coefficient with its interval, where it has one; a dash where it is undefined.

    >>> from idealist.votes.agreement_of_raters import Coefficient
    >>> coefficient_text(Coefficient(0.75, None, False)), coefficient_text(Coefficient(float("nan"), None, False))
    ('0.75', '–')
    """
    if coefficient.value != coefficient.value:
        return "–"
    value, interval = f"{coefficient.value:.2f}", coefficient.interval
    return value if interval is None else f"{value} [{interval.low:.2f}, {interval.high:.2f}]"


def sequential_words(visit: Visit, sequential: Sequential | None) -> str:
    """The test that holds at every look; nothing on English pages."""
    if visit.language == DEFAULT or sequential is None:
        return ""
    level = 1 - sequential.interval.confidence
    key = "study.sequential.line"
    return visit.text(
        key,
        p=p_text(sequential.p_value),
        e=f"{sequential.e_value:.3g}",
        stop=f"{1 / level:.4g}",
        level=f"{100 * level:.3g}",
        low=signed(sequential.interval.low),
        high=signed(sequential.interval.high),
    )


def place_words(visit: Visit, place: Location) -> str:
    """The line, the query and the document, as far as they are known."""
    parts = {"line": place.line, "query": place.query, "document": place.document}
    return " ".join(
        visit.text(f"place.{name}", **{name: value}) for name, value in parts.items() if value is not None
    )


def problem_words(visit: Visit, problem: IdealistError) -> str:
    """In which file and line, and what is wrong, as far as the code says; nothing on English pages."""
    if visit.language == DEFAULT:
        return ""
    source, line = getattr(problem, "source", None), getattr(problem, "line", None)
    named = [PurePath(source).name] if source else []
    where = " ".join([*named, *([] if line is None else [visit.text("place.line", line=line)])])
    sentence = words(visit.language)["problems"].get(problem.code)
    if sentence is None:
        sentence = visit.text("problem.other.file") if where else visit.text("problem.other")
    return visit.text("problem.where", where=where, sentence=sentence) if where else sentence


def verdict_words(visit: Visit, verdict: Verdict) -> list[str]:
    """The outcome, and sentences on the numbers and the guards behind it; nothing on English pages, where `reporting` says
    the same."""
    if visit.language == DEFAULT:
        return []
    words = [visit.text(f"verdict.{verdict.outcome}")]
    if verdict.outcome == "unchanged":  # stands in the place of the interval and the margin
        words.append(visit.text("verdict.same"))
    else:
        words += [_difference(visit, verdict), visit.text("verdict.margin", margin=signed(verdict.margin))]
    if failed := [guard_name(visit, guard.name) for guard in verdict.guards if guard.stops]:
        words.append(visit.text("verdict.failed", guards="、".join(failed)))
    elif verdict.guards:
        words.append(visit.text("verdict.passed", count=len(verdict.guards)))
    if verdict.needed is not None:
        words.append(visit.text(f"verdict.needed.{verdict.unit}", count=f"{verdict.needed:,}"))
    return words


def _difference(visit: Visit, verdict: Verdict) -> str:
    interval = verdict.interval
    value = signed(verdict.value)
    if interval is None:
        return visit.text("verdict.difference", value=value)
    place = "above" if interval.low > 0 else "below" if interval.high < 0 else "holds"
    return visit.text(
        f"verdict.{place}",
        value=value,
        confidence=f"{100 * interval.confidence:g}",
        low=signed(interval.low),
        high=signed(interval.high),
    )


def guard_name(visit: Visit, name: str) -> str:
    return visit.text(f"guard.{GUARDS[name]}") if name in GUARDS else name


def action_words(visit: Visit) -> dict[str, str]:
    """The words for each action of the history."""
    return {
        "project created": visit.text("history.created"),
        "project renamed": visit.text("history.changed"),
        "project removed": visit.text("history.project.removed"),
        "project restored": visit.text("history.project.restored"),
        "project purged": visit.text("history.project.purged"),
        "source added": visit.text("history.added"),
        "source removed": visit.text("history.removed"),
        "source restored": visit.text("history.restored"),
        "source purged": visit.text("history.purged"),
        "note added": visit.text("history.noted"),
        "note removed": visit.text("history.unnoted"),
        "decision recorded": visit.text("history.decided"),
        "task made": visit.text("history.task.made"),
        "task opened": visit.text("history.task.opened"),
        "task closed": visit.text("history.task.closed"),
        "item withdrawn": visit.text("history.item.withdrawn"),
        "rater added": visit.text("history.rater.added"),
        "rater removed": visit.text("history.rater.removed"),
        "member set": visit.text("history.member.set"),
        "member removed": visit.text("history.member.removed"),
        "logged in": visit.text("history.logged_in"),
        "user added": visit.text("history.user.added"),
        "user disabled": visit.text("history.user.disabled"),
        "user enabled": visit.text("history.user.enabled"),
        "role changed": visit.text("history.role"),
        "invited": visit.text("history.invited"),
        "invitation revoked": visit.text("history.invitation.revoked"),
        "password changed": visit.text("history.password.changed"),
        "password reset": visit.text("history.password.reset"),
        "password link": visit.text("history.password.link"),
        "account connected": visit.text("history.connected"),
        "token made": visit.text("history.token.made"),
        "token revoked": visit.text("history.token.revoked"),
    }
