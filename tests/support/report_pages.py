"""Inputs of reports that try to break them, and a reader of HTML that minds."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

VOID = {"meta", "br", "link", "img", "hr", "input"}
ODD_QUERIES = [
    b"<script>document.title='broken'</script>",
    b"</title><img/src=x/onerror=alert(1)>",
    b'"quoted"&amp;',
    "中文查询".encode(),
    "\N{RIGHT-TO-LEFT OVERRIDE}gnorw".encode(),
    b"not\xffutf8",
    b"$x^2$",
    b"https://example.org/?q=1&r=2",
    b"long" * 60,
]


def write_odd_inputs(folder: Path) -> tuple[Path, Path, Path]:
    """Judgments and two runs whose names and ids are markup, other scripts, bytes that are no text, or long."""
    judged, one, two = [], [], []
    for at, query in enumerate(ODD_QUERIES):
        documents = [b"<b>%d</b>" % number for number in range(6)]
        judged += [b"%s 0 %s %d" % (query, doc, grade) for grade, doc in enumerate(documents[:4])]
        one += [b"%s Q0 %s %d %d a" % (query, doc, n, 10 - n) for n, doc in enumerate(documents)]
        two += [b"%s Q0 %s %d %d b" % (query, doc, n, n + at) for n, doc in enumerate(documents)]
    paths = folder / "odd&.qrels", folder / "<i>a<i>.run", folder / ("very-long-name-" * 12 + ".run")
    for path, lines in zip(paths, (judged, one, two), strict=True):
        path.write_bytes(b"\n".join(lines) + b"\n")
    return paths


class Page(HTMLParser):
    """Reads a page; what is not closed in the order it was opened is an error."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(attrs) == len(dict(attrs)), f"<{tag}> has an attribute twice"
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data

    def values(self, name: str) -> list[str]:
        return [value for _, found in self.tags for key, value in found.items() if key == name and value]
