"""The language of every built page, which screen readers and the choice of Chinese glyphs go by: the theme knows one for all.

python website/languages.py build/site
"""

from __future__ import annotations

import sys
from pathlib import Path

FOLDERS = {"zh": "zh-Hans"}


def name_languages(site: Path) -> None:
    for folder, language in FOLDERS.items():
        for path in (site / folder).rglob("*.html"):
            text = path.read_text(encoding="utf-8")
            path.write_text(text.replace('<html lang="en"', f'<html lang="{language}"', 1), encoding="utf-8")


if __name__ == "__main__":
    name_languages(Path(sys.argv[1]))
