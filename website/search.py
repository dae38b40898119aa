"""What the search of the built site shows first: short answers and concepts, then other pages, then lists of Python's names; and
English pages before Chinese ones for words that both have.

python website/search.py build/site
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

# How much a match on a page counts, by the beginning of its address; 1 elsewhere.
BOOSTS = {"how-do-i.html": 2.0, "concepts/": 1.5, "generated/": 0.5, "zh/": 0.5}


def boost(site: Path) -> None:
    path = site / "search" / "search_index.json"
    index = json.loads(path.read_text(encoding="utf-8"))
    for entry in index["docs"]:
        for beginning, factor in BOOSTS.items():
            if entry["location"].startswith(beginning):
                entry["boost"] = factor
    path.write_text(json.dumps(index, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    boost(Path(sys.argv[1]))
