"""The site: its pages from the code, and the check of the built pages (`make site` builds them and runs it)."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

import idealist as il
from idealist.cli.parser import COMMANDS

CONFIGURATION = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")


def checked(folder: Path) -> tuple[int, list[str]]:
    done = subprocess.run(
        [sys.executable, ROOT / "website" / "check.py", folder],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return done.returncode, done.stdout.splitlines()


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ('<a href="other.html#there">', None),
        ('<a href="https://example.org/">', None),
        ('<a href="missing.html">', "index.html: missing.html leads nowhere"),
        ('<a href="other.html#nowhere">', "index.html: other.html#nowhere has no such anchor"),
        ('<a href="#nowhere">', "index.html: #nowhere has no such anchor"),
        ('<img src="missing.svg">', "index.html: missing.svg leads nowhere"),
        ('<script src="https://cdn.example.org/x.js">', "index.html: loads https://cdn.example.org/x.js"),
        ('<link rel="stylesheet" href="//fonts.example.org/f">', "index.html: loads //fonts.example.org/f"),
        ('<link rel="canonical" href="https://example.org/">', None),
    ],
)
def test_broken_links_and_what_is_loaded_from_elsewhere(
    tmp_path: Path, body: str, problem: str | None
) -> None:
    (tmp_path / "index.html").write_text(body)
    (tmp_path / "other.html").write_text('<h2 id="there">')
    code, lines = checked(tmp_path)
    assert (code, lines[:-1] if problem is None else lines) == ((1, [problem]) if problem else (0, []))


def test_fonts_of_styles_are_not_loaded_from_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "index.html").touch()
    (tmp_path / "a.css").write_text('@import "https://fonts.example.org/f"; b {background: url(x.png)}')
    assert checked(tmp_path) == (1, ["a.css: loads https://fonts.example.org/f"])


def test_the_search_shows_answers_first_and_chinese_pages_after_english_ones(tmp_path: Path) -> None:
    places = ["how-do-i.html#ties", "index.html", "generated/idealist.html#x", "zh/index.html"]
    (tmp_path / "search").mkdir()
    index = tmp_path / "search" / "search_index.json"
    index.write_text(json.dumps({"docs": [{"location": place} for place in places]}))
    subprocess.run([sys.executable, ROOT / "website" / "search.py", tmp_path], check=True)
    assert [entry.get("boost") for entry in json.loads(index.read_text())["docs"]] == [2.0, None, 0.5, 0.5]


def test_chinese_pages_say_that_they_are_chinese(tmp_path: Path) -> None:
    pages = [tmp_path / "index.html", tmp_path / "zh" / "index.html", tmp_path / "zh" / "guides" / "a.html"]
    for page in pages:
        page.parent.mkdir(exist_ok=True)
        page.write_text('<!doctype html>\n<html lang="en" class="no-js">')
    subprocess.run([sys.executable, ROOT / "website" / "languages.py", tmp_path], check=True)
    languages = [re.findall(r'lang="([^"]*)"', page.read_text()) for page in pages]
    assert languages == [["en"], ["zh-Hans"], ["zh-Hans"]]


def test_a_folder_without_pages_is_no_site(tmp_path: Path) -> None:
    assert checked(tmp_path)[0] == 1


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("generated")
    subprocess.run(
        [sys.executable, ROOT / "website" / "generate.py", folder], check=True, capture_output=True
    )
    return {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.md")}


def test_every_command_has_its_help(generated: dict[str, str]) -> None:
    headings = re.findall(r"^## idealist (\S+)$", generated["commands"], re.MULTILINE)
    assert tuple(headings) == COMMANDS
    assert generated["commands"].count("usage: idealist evaluate") == 1


def test_every_public_name_has_an_entry(generated: dict[str, str]) -> None:
    """Measures are on the page of measures, modules on pages of their own."""
    entries = set(re.findall(r"^::: idealist\.(\w+)$", generated["idealist"], re.MULTILINE))
    modules = {name.removeprefix("idealist.") for name in generated}
    measures = {
        name
        for name in il.__all__
        if isinstance(getattr(il, name), type)
        and getattr(il, name).__module__.startswith("idealist.measures.families.")
    }
    assert entries == set(il.__all__) - modules - measures


@pytest.mark.parametrize("page", ["measures", "statistics"])
def test_no_star_of_a_formula_becomes_emphasis(page: str) -> None:
    """The site takes any two stars of a paragraph for emphasis, and leaves them out."""
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
    assert set(re.findall(r"\*([^*]*)\*", prose)) <= {"undefined"}


def test_every_page_from_the_code_is_in_the_navigation(generated: dict[str, str]) -> None:
    listed = re.findall(r"generated/([\w.]+)\.md", CONFIGURATION)
    assert sorted(listed) == sorted(generated)


def test_every_page_is_in_the_navigation_once() -> None:
    listed = re.findall(r": ([\w/.-]+\.md)$", CONFIGURATION, re.MULTILINE)
    pages = [path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")]
    written = [page for page in pages if not page.startswith(("generated/", "design/"))]
    assert sorted(page for page in listed if not page.startswith("generated/")) == sorted(written)


def test_pictures_are_small_and_drawn_by_our_own_figures(tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "website" / "pictures.py", tmp_path], check=True)
    committed = {path.name: path for path in (ROOT / "docs" / "pictures").iterdir()}
    drawn = {path.name: path for path in tmp_path.iterdir()}
    assert committed.keys() == drawn.keys()
    for name, path in committed.items():
        # Bytes differ between versions of matplotlib; what a reader is told does not.
        labels = [
            re.findall(r'aria-label="([^"]+)"', picture.read_text(encoding="utf-8"))
            for picture in (path, drawn[name])
        ]
        assert labels[0] == labels[1] != []
        assert path.stat().st_size < 25_000
