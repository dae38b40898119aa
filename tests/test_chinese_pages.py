"""The Chinese pages say what the English ones say: the same code (which `test_docs.py` runs) and the same numbers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import ROOT

CHINESE = [ROOT / "README.zh-CN.md", *sorted((ROOT / "docs" / "zh").rglob("*.md"))]
BLOCK = re.compile(r"^```\w*\n.*?^```", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r" *#.*")
# A number that is not a part of a word, an id or a longer number.
NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*")
HEADING = re.compile(r"^(#+) ", re.MULTILINE)


def english(page: Path) -> Path:
    if page.parent == ROOT:
        return ROOT / "README.md"
    return ROOT / "docs" / page.relative_to(ROOT / "docs" / "zh")


def blocks(page: Path) -> list[str]:
    return [COMMENT.sub("", block) for block in BLOCK.findall(page.read_text(encoding="utf-8"))]


def prose(page: Path) -> str:
    return BLOCK.sub("", page.read_text(encoding="utf-8"))


def test_start_answers_comparing_gsb_and_concepts_are_there() -> None:
    concepts = {f"concepts/{page.name}" for page in (ROOT / "docs" / "concepts").glob("*.md")}
    pages = {page.relative_to(ROOT / "docs" / "zh").as_posix() for page in CHINESE[1:]}
    assert pages == {
        "index.md",
        "how-do-i.md",
        "guides/compare-and-ship.md",
        "project.md",
        "votes.md",
        "tools.md",
        *concepts,
    }


@pytest.mark.parametrize("page", CHINESE, ids=lambda page: str(page.relative_to(ROOT)))
def test_code_and_its_output_are_the_same(page: Path) -> None:
    assert blocks(page) == blocks(english(page))


@pytest.mark.parametrize("page", CHINESE, ids=lambda page: str(page.relative_to(ROOT)))
def test_numbers_are_the_same(page: Path) -> None:
    assert set(NUMBER.findall(prose(page))) == set(NUMBER.findall(prose(english(page))))


@pytest.mark.parametrize("page", CHINESE, ids=lambda page: str(page.relative_to(ROOT)))
def test_sections_are_the_same(page: Path) -> None:
    assert HEADING.findall(prose(page)) == HEADING.findall(prose(english(page)))


@pytest.mark.parametrize("page", CHINESE[1:], ids=lambda page: str(page.relative_to(ROOT)))
def test_they_are_in_chinese(page: Path) -> None:
    """Not a copy: more Chinese characters than Latin words."""
    text = re.sub(r"`[^`]*`", "", prose(page))
    assert len(re.findall(r"[\u4e00-\u9fff]", text)) > 2 * len(re.findall(r"[A-Za-z]+", text))
