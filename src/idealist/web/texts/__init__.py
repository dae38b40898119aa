"""Texts by key and language, and which language a browser asks for: one JSON file per language, with the same keys."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

LANGUAGES = {"en": "English", "zh": "中文"}
DEFAULT = "en"


@lru_cache
def texts(language: str) -> dict[str, str]:
    """All texts of a language, by key."""
    content = (Path(__file__).parent / f"{language}.json").read_text(encoding="utf-8")
    found: dict[str, str] = json.loads(content)
    return found


def text(language: str, key: str, **values: object) -> str:
    """One text, with values in the place of {names}. A key that is not there is a mistake of ours: it raises.

    >>> text("en", "task.raters.count", count=3)
    'raters: 3'
    """
    found = texts(language)[key]
    return found.format(**values) if values else found


@lru_cache
def words(language: str) -> dict[str, dict[str, str]]:
    """What tables, findings and errors are called in a language other than English: the heads of tables, what
    they are, and labels by the English ones, findings and errors by their code. English pages have them as `reporting` and the commands write them."""
    if language == DEFAULT:
        return {"heads": {}, "legends": {}, "labels": {}, "findings": {}, "problems": {}}
    content = (Path(__file__).parent / f"results_{language}.json").read_text(encoding="utf-8")
    found: dict[str, dict[str, str]] = json.loads(content)
    return found


def preferred(header: str) -> str:
    """The first language of an Accept-Language header that there are texts in.

    >>> preferred("de-DE,zh-CN;q=0.9,en;q=0.8"), preferred("fr")
    ('zh', 'en')
    """
    weighed: list[tuple[float, str]] = []
    for part in header.split(","):
        name, _, quality = part.strip().partition(";q=")
        try:
            weighed.append((-float(quality or 1), name.split("-")[0].lower()))
        except ValueError:
            continue
    return next((name for _, name in sorted(weighed, key=lambda pair: pair[0]) if name in LANGUAGES), DEFAULT)
