"""Checks of TREC text as text."""

from __future__ import annotations

from idealist.checking.result import Location
from idealist.wording import count_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from idealist.checking.result import Finding
    from idealist.checking.subject import Subject
    from idealist.checking.text import TrecText


def text_findings(subject: Subject, text: TrecText) -> Iterator[Finding]:
    finding = subject.finding
    if text.bad:
        yield finding(
            "bad-line",
            f"{count_of(text.bad, 'line')} of {text.lines:,} cannot be read; the rest is checked without them",
            text.bad,
            [Location(line=line, text=wrong) for line, wrong in text.bad_lines],
            _advice(text),
        )
    ends = {r"\n": text.newlines, r"\r\n": text.returns_newlines, r"\r": text.returns}
    if sum(map(bool, ends.values())) > 1 or text.returns:
        listed = ", ".join(f"{count:,} of {end}" for end, count in ends.items() if count)
        yield finding("line-ends", f"line ends: {listed}", min(count for count in ends.values() if count))
    if text.marked:
        yield finding("byte-order-mark", "the file begins with a byte order mark")
    if len(text.systems) > 1:
        listed = ", ".join(text.systems[:5]) + (" …" if len(text.systems) > 5 else "")
        yield finding(
            "several-systems",
            f"{len(text.systems):,} systems are named in the last column: {listed}",
            len(text.systems),
            hint="put each system into a file of its own",
        )
    if text.blank > 0:
        yield finding("blank-lines", f"{count_of(text.blank, 'blank line')}", text.blank)
    if not text.ended:
        yield finding(
            "last-newline",
            "the last line has no line end",
            hint="check that the file is complete; joined with another file, two lines would become one",
        )


def _advice(text: TrecText) -> str:
    if text.looks not in (None, text.kind):
        return f"this looks like {'a run' if text.looks == 'run' else text.looks}"
    if text.returns and text.lines == 1:
        return "lines end with carriage returns; --fix makes newlines of them"
    return "repair them, or leave them out with --fix and --drop-bad-lines"
