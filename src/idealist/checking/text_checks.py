"""What is odd about a file of TREC text as text."""

from __future__ import annotations

from idealist.checking.result import Place
from idealist.wording import count_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from idealist.checking.result import Finding
    from idealist.checking.subject import Subject
    from idealist.checking.text import TrecText


def text_findings(subject: Subject, text: TrecText) -> Iterator[Finding]:
    found = subject.finding
    if text.bad:
        yield found(
            "bad-line",
            f"{count_of(text.bad, 'line')} of {text.lines:,} cannot be read; the rest is checked without them",
            text.bad,
            [Place(line=line, text=wrong) for line, wrong in text.bad_lines],
            _advice(text),
        )
    ends = {r"\n": text.newlines, r"\r\n": text.returns_newlines, r"\r": text.returns}
    if sum(map(bool, ends.values())) > 1 or text.returns:
        shown = ", ".join(f"{count:,} of {end}" for end, count in ends.items() if count)
        yield found("line-ends", f"line ends: {shown}", min(count for count in ends.values() if count))
    if text.marked:
        yield found("byte-order-mark", "the file begins with a byte order mark")
    if len(text.systems) > 1:
        shown = ", ".join(text.systems[:5]) + (" …" if len(text.systems) > 5 else "")
        yield found(
            "several-systems",
            f"{len(text.systems):,} systems are named in the last column: {shown}",
            len(text.systems),
            hint="put each system into a file of its own",
        )
    if text.blank > 0:
        yield found("blank-lines", f"{count_of(text.blank, 'blank line')}", text.blank)
    if not text.ended:
        yield found(
            "last-newline",
            "the last line has no line end",
            hint="see that the file is whole; joined with another file, two lines would become one",
        )


def _advice(text: TrecText) -> str:
    if text.looks not in (None, text.kind):
        return f"this looks like {'a run' if text.looks == 'run' else text.looks}"
    if text.returns and text.lines == 1:
        return "lines end with carriage returns; --fix makes newlines of them"
    return "repair them, or leave them out with --fix and --drop-bad-lines"
