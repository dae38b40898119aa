"""Whether the built site holds together: every link leads to a page and an anchor that exist, and no page loads
anything from elsewhere, so that it works without a network.

python website/check.py build/site
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

# What a browser loads by itself. A link to elsewhere that somebody has to click is fine.
LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src", "object": "data"}
REMOTE = re.compile(r"^(https?:)?//")
# Styles load by url(…) and @import.
STYLE_REMOTE = re.compile(r"(?:url\(|@import\s+)[\"']?((?:https?:)?//[^\"')\s]+)")
# Names for other machines, which no browser loads.
NOT_LOADED = {"canonical", "alternate", "next", "prev"}


class Page(HTMLParser):
    """The anchors, links and loaded files of one page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.anchors |= {attributes[name] for name in ("id", "name") if attributes.get(name)}
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        target = attributes.get(LOADED.get(tag, ""), "")
        if target and not NOT_LOADED & set(attributes.get("rel", "").split()):
            self.loaded.append(target)


def problems(site: Path) -> list[str]:
    """What is wrong with the site, one line each."""
    site = site.resolve()
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    found = [] if pages else [f"{site}: no pages"]
    for path, page in pages.items():
        place = path.relative_to(site)
        # The page of missing pages is shown at any address, so its links are absolute.
        if place.name == "404.html":
            continue
        for target in page.links + page.loaded:
            if urlsplit(target).scheme or REMOTE.match(target):
                continue
            address, anchor = map(unquote, urldefrag(target))
            goal = (path.parent / address).resolve() if address else path
            if not goal.is_file():
                found.append(f"{place}: {target} leads nowhere")
            elif anchor and goal.suffix == ".html" and anchor not in pages[goal].anchors:
                found.append(f"{place}: {target} has no such anchor")
        found += [f"{place}: loads {target}" for target in page.loaded if REMOTE.match(target)]
    for path in sorted(site.rglob("*.css")):
        remote = STYLE_REMOTE.findall(path.read_text(encoding="utf-8"))
        found += [f"{path.relative_to(site)}: loads {target}" for target in remote]
    return found


if __name__ == "__main__":
    faults = problems(Path(sys.argv[1]))
    print(
        "\n".join(faults)
        or f"{sys.argv[1]}: every link leads somewhere, and nothing is loaded from elsewhere"
    )
    sys.exit(bool(faults))
