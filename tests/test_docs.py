"""What the documentation shows is what happens."""

from __future__ import annotations

import doctest
import importlib
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import NO_LEARNING, NO_TOOLS, NO_WEB, ROOT

import idealist
from idealist.cli.installation import FEATURES

# The workbench is tested where its libraries are; pages of docs/ called learn… and modules of idealist.learn and of idealist.backends are tested where their libraries are (make test-learn).
PAGES = [
    page
    for page in (
        *sorted(ROOT.glob("README*.md")),
        ROOT / "CONTRIBUTING.md",
        *sorted((ROOT / "docs").rglob("*.md")),
    )
    if page.parent.name != "generated" and not (NO_LEARNING and page.name.startswith("learn"))
]
MODULES = [
    name
    for _, name, _ in pkgutil.walk_packages(idealist.__path__, "idealist.")
    if "__main__" not in name
    and not (NO_LEARNING and name.startswith(("idealist.learn.", "idealist.backends.")))
    and not (NO_WEB and name.startswith("idealist.web."))
    and name.removeprefix("idealist.integrations.") not in NO_TOOLS
]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", [n for n in MODULES if not n.endswith("_native")])
def test_docstrings(name: str) -> None:
    module = importlib.import_module(name)
    assert (module.__doc__ or "").strip(), f"{name} does not say what it is"
    assert doctest.testmod(module).failed == 0


def blocks(language: str) -> list[tuple[str, str]]:
    return [
        (f"{page.relative_to(ROOT)} {number}", text)
        for page in PAGES
        for number, (kind, text) in enumerate(BLOCK.findall(page.read_text(encoding="utf-8")), 1)
        if kind == language
    ]


@pytest.mark.parametrize(
    ("place", "text"), blocks("python"), ids=lambda value: value if len(value) < 40 else ""
)
def test_python_blocks(place: str, text: str, monkeypatch: pytest.MonkeyPatch, shop: Path) -> None:
    monkeypatch.chdir(shop)
    if ">>>" in text:
        test = doctest.DocTestParser().get_doctest(text, {}, place, place, 0)
        assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed == 0
    else:
        exec(compile(text, place, "exec", dont_inherit=True), {})


@pytest.mark.parametrize(
    ("place", "text"), blocks("console"), ids=lambda value: value if len(value) < 40 else ""
)
def test_console_blocks(place: str, text: str, shop: Path) -> None:
    """Each `$ idealist …` runs in the sample data's folder and prints what stands below it."""
    for command, shown in re.findall(r"^\$ (idealist .*)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE):
        done = subprocess.run(
            ["bash", "-c", command.replace("idealist", f"{sys.executable} -m idealist", 1)],
            cwd=shop,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        )
        assert done.returncode == 0, done.stderr
        if shown.strip():
            assert [line.rstrip() for line in done.stdout.strip().splitlines()] == [
                line.rstrip() for line in shown.strip().splitlines()
            ], place


def test_every_link_leads_somewhere() -> None:
    for page in [*PAGES, ROOT / "ARCHITECTURE.md", ROOT / "CHANGELOG.md"]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.relative_to(ROOT)}: {target}"


@pytest.mark.parametrize("page", sorted(ROOT.glob("README*.md")), ids=lambda page: page.name)
def test_the_readme_has_its_pictures_and_every_extra(page: Path) -> None:
    """As HTML, since Markdown knows no widths; a picture is small enough for a page that opens at once."""
    text = page.read_text(encoding="utf-8")
    pictures = re.findall(r'src="([^"]+)"', text)
    assert len(pictures) == 2
    for target in [*pictures, *re.findall(r'href="([^"]+)"', text)]:
        assert (ROOT / target).exists(), target
    assert all((ROOT / picture).stat().st_size < 200_000 for picture in pictures)
    assert [extra for extra in (*FEATURES, "all") if f"`{extra}`" not in text] == []


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("measures", ["measures"]),
        ("conventions", ["conventions"]),
        ("statistics", ["compare", "--list-tests"]),
    ],
)
def test_the_reference_pages_are_up_to_date(name: str, command: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "idealist", *command, "--format", "markdown"],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        check=True,
    )
    page = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    assert page == done.stdout, "`make docs` makes it anew"
