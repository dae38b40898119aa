"""Verdicts: the word, why, and what was watched."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.base.wording import count_of, count_queries, count_text, p_text, percent, signed
from idealist.errors import visible
from idealist.show.cells import ends_of, folded_line
from idealist.show.table import Table
from idealist.show.view import View, markdown_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from idealist.comparison.verdict import Guard, Verdict
    from idealist.show.table import Cell

OUTCOMES = ("ship", "unchanged", "block", "undecided")


class VerdictBlock(Frozen):
    """One verdict; `system` names what it is on, where there are several, and `about` says more of that."""

    verdict: Verdict
    system: str = ""
    about: str = ""

    def to_text(self, *, color: bool = False, width: int | None = None) -> str:
        lines = verdict_lines(self.verdict, self.system)
        return "".join(f"{folded_line(visible(line), width)}\n" for line in lines)

    def to_markdown(self) -> str:
        """For the comment on a pull request."""
        verdict = self.verdict
        on = f" on {markdown_text(self.about or self.system)}" if self.about or self.system else ""
        lines = [f"### Verdict{on}: {verdict.outcome}", "", f"{_capital(markdown_text(verdict.why))}."]
        lines += ["", f"{_capital(rule_text(verdict))}."]
        if verdict.guards:
            lines.append("")
        for guard in verdict.guards:
            answer = guard.answer if guard.passed else f"**{guard.answer}**"
            lines.append(f"- {answer}: {markdown_text(_said(guard))}")
        if verdict.remark:
            lines += ["", markdown_text(verdict.remark)]
        return "\n".join(lines) + "\n"

    def to_latex(self) -> str:
        return "".join(f"% {line}" for line in self.to_text().splitlines(keepends=True))

    def to_html(self) -> str:
        """A <div> with the class of its outcome, for a page that has colours for it."""
        from idealist.show.html import element, escape, sentence

        verdict = self.verdict
        outcome = verdict.outcome if verdict.outcome in OUTCOMES else "undecided"
        about = f"{escape(self.about or self.system)}: " if self.about or self.system else ""
        lines = [element("p", f"{element('strong', escape(verdict.outcome))} {about}{sentence(verdict.why)}")]
        lines.append(element("p", sentence(rule_text(verdict)), class_="soft"))
        if verdict.guards:
            guards = (f"{guard.answer} · {_said(guard)}" for guard in verdict.guards)
            lines.append(element("ul", "".join(element("li", sentence(guard)) for guard in guards)))
        if verdict.remark:
            lines.append(element("p", sentence(verdict.remark), class_="soft"))
        return element("div", "\n" + "\n".join(lines) + "\n", class_=f"verdict {outcome}") + "\n"


def verdict_view(verdict: Verdict) -> View:
    return View(
        lambda: [VerdictBlock(verdict)],
        rows=lambda: verdict_rows({"": verdict}),
        record=verdict.to_dict,
        beside=verdict_lines(verdict),
    )


def gate_view(
    verdict: Verdict, parts: Sequence[Mapping[str, Any]], notes: Sequence[str], source: str
) -> View:
    """What a gate decided, by the numbers of which parts, the one that decides first; in Markdown also the notes, which
    a command says elsewhere."""
    record = {"gate": source, "verdict": verdict.to_dict(), "parts": list(parts), "notes": list(notes)}
    return View(
        lambda: [_Gate(VerdictBlock(verdict), tuple(map(_headline, parts)), tuple(notes))],
        rows=lambda: verdict_rows({"": verdict}),
        record=lambda: record,
        beside=verdict_lines(verdict),
    )


class _Gate(Frozen):
    """A verdict, and below it the numbers that it is on: what was decided comes first."""

    block: VerdictBlock
    headlines: tuple[str, ...]
    notes: tuple[str, ...]

    def to_text(self, *, color: bool = False, width: int | None = None) -> str:
        lines = "".join(f"{folded_line(visible(line), width)}\n" for line in self.headlines)
        return f"{self.block.to_text(width=width)}{lines}"

    def to_markdown(self) -> str:
        lines = "".join(f"- {markdown_text(line)}\n" for line in (*self.headlines, *self.notes))
        return f"{self.block.to_markdown()}\n{lines}"

    def to_latex(self) -> str:
        return self.block.to_latex() + "".join(f"% {visible(line)}\n" for line in self.headlines)

    def to_html(self) -> str:
        from idealist.show.html import element, escape

        lines = "".join(element("li", escape(line)) for line in self.headlines)
        return f"{self.block.to_html()}{element('ul', lines)}\n"


def _headline(part: Mapping[str, Any]) -> str:
    """The numbers of one part, in a line."""
    margin = "" if part["decides"] or part["margin"] is None else f"; margin {signed(part['margin'])}"
    if "good" in part:
        counts = ", ".join(f"{count_text(part[name])} {name}" for name in ("good", "same", "bad"))
        return f"GSB of {count_of(part['n'], part['unit'])}: {counts}{margin}"
    difference = "" if part["decides"] else f": difference {_with_ends(part)}{margin}"
    if (corrected := part.get("corrected")) is not None:
        difference += f"; corrected difference {_with_ends(corrected)}"
    return (
        f"{part['part']} on {count_queries(part['n'])}: {part['baseline']} {part['baseline_value']:.4f}, "
        f"{part['candidate']} {part['value']:.4f}{_p_values(part.get('tests', {}))}{difference}"
    )


def _with_ends(numbers: Mapping[str, Any]) -> str:
    ends = numbers["interval"]
    return signed(numbers["difference"]) + (
        "" if ends is None else f" ({signed(ends[0])} to {signed(ends[1])})"
    )


def _p_values(by_test: Mapping[str, float | None]) -> str:
    """The p-values of tests behind the numbers that they are of."""
    texts = (f"p ({test}) {'undefined' if p is None else p_text(p)}" for test, p in by_test.items())
    return "".join(f"; {text}" for text in texts)


def verdict_lines(verdict: Verdict, system: str = "") -> list[str]:
    """The verdict, its guards and its remark, a line each."""
    first = f"{system}  {verdict.line}" if system else verdict.line
    guards = [f"  {guard}" for guard in verdict.guards]
    return [first, *guards, *([f"  {verdict.remark}"] if verdict.remark else [])]


def verdict_rows(verdicts: Mapping[str, Verdict]) -> Table:
    """A verdict a row, for machines."""
    rows: list[list[Cell]] = [
        [
            *(about, verdict.outcome, verdict.reason, verdict.value, *ends_of(verdict.interval)),
            *(verdict.margin, verdict.policy, verdict.needed, verdict.unit),
            "; ".join(guard.name for guard in verdict.guards if guard.stops),
        ]
        for about, verdict in verdicts.items()
    ]
    titles = ["system", "outcome", "reason", "difference", "low", "high"]
    return Table([*titles, "margin", "policy", "needed", "unit", "failed guards"], rows)


def rule_text(verdict: Verdict) -> str:
    """The rule of the verdict."""
    return f"policy {verdict.policy}, {margin_text(verdict)}"


def margin_text(verdict: Verdict) -> str:
    """The margin, and the share of the baseline's mean that it was given as."""
    share = verdict.margin_share
    return f"margin {signed(verdict.margin)}" + (
        "" if share is None else f" ({percent(share)} of the baseline's mean)"
    )


def _said(guard: Guard) -> str:
    return f"{guard.name}: {guard.message}" if guard.message else guard.name


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
