"""A measure of somebody else's in ten lines, and what follows from it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

from idealist import InputError, Measure, evaluate, kernels
from idealist.measures import parse
from idealist.measures.measure import parsed_before, registered
from idealist.measures.own import with_modules

SHOP = ROOT / "examples" / "shop"
PAGE = (ROOT / "docs/own-measures.md").read_text(encoding="utf-8")


def said(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "idealist", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_a_command_measures_it() -> None:
    measures = ["-m", "patience:Patience(patience=0.5) nDCG@10", "-m", "patience:Patience"]
    done = said(SHOP, "evaluate", "shop.qrels", "a.run", *measures, "--format", "csv")
    assert done.returncode == 0, done.stderr
    assert [name in done.stdout for name in ("Patience(patience=0.5)", "nDCG@10", "Patience,")] == [True] * 3


def test_it_is_explained_rank_by_rank() -> None:
    words = ["--query", "red-lipstick", "-m", "patience:Patience", "--format", "csv"]
    done = said(SHOP, "explain", "shop.qrels", "a.run", *words)
    assert done.returncode == 0, done.stderr
    head, first, *_ = done.stdout.splitlines()
    assert "contribution" in head
    assert "useless" in head
    assert "p018" in first


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere:Mine", "there is no module 'nowhere'"),
        ("patience.py:Patience", "'patience.py' is not the name of a module"),
        ("patience:Impatience", "patience has no measure called 'Impatience'\nhint: it has: Patience"),
        ("patience:kernels", "patience:kernels is not a class of measures"),
        ("patience:Patience(patience=x)", "patience must be a number, not 'x'"),
        ("patience:Patience@5", "Patience has no cut-off"),
    ],
)
def test_what_is_wrong_with_a_name_is_said(name: str, message: str) -> None:
    done = said(SHOP, "evaluate", "shop.qrels", "a.run", "-m", name)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import missing_library", "broken cannot be imported: No module named 'missing_library'"),
        ("1 / 0", "broken cannot be imported: ZeroDivisionError: division by zero"),
        (
            "import idealist\nclass AP(idealist.RR):\n    name = 'AP'",
            "broken:AP has the name of another measure, 'AP'",
        ),
    ],
)
def test_a_module_that_fails_is_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "broken.py").write_text(text, encoding="utf-8")
    done = said(tmp_path, "evaluate", SHOP / "shop.qrels", SHOP / "a.run", "-m", "broken:AP")  # type: ignore[arg-type]
    assert message in done.stderr


def test_only_commands_import_modules() -> None:
    """What people type into a page of the workbench is no program."""
    with pytest.raises(InputError, match="no measure is called 'patience:Patience'"):
        parse("patience:Patience")


def test_a_class_without_a_name_in_texts_is_found_in_what_was_measured() -> None:
    class Unnamed(Measure):
        """A half for every query."""

        def values(self, rankings: Any) -> Any:
            return kernels.retrieved(rankings.native, None) * 0 + 0.5

    measured = evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, [Unnamed(), "RR"])
    assert measured.mean("Unnamed") == 0.5
    with pytest.raises(InputError, match="no measure is called 'Unknown'"):
        measured.mean("Unknown")


def test_names_and_parameters_around_it_stay() -> None:
    text = "nDCG(gain={0:0,1:3})@5, idealist.measures.families.binary:AP(level=2)@7 P@5"
    assert with_modules(text) == "nDCG(gain={0:0,1:3})@5, AP(level=2)@7 P@5"


def test_parameters_of_its_own_are_read_by_their_defaults() -> None:
    class Parameters(Measure, name="ParametersOfItsOwn"):
        """Of several types."""

        share: float = 0.5
        times: int = 2
        fast: bool = False
        words: str = "all"

    try:
        read = parse("ParametersOfItsOwn(share=1,times=3,fast=true,words=few)")
        assert read == Parameters(share=1.0, times=3, fast=True, words="few")
        for wrong in ("times=2.5", "fast=yes"):
            with pytest.raises(InputError, match="by default it is"):
                parse(f"ParametersOfItsOwn({wrong})")
    finally:
        del registered()["ParametersOfItsOwn"]
        parsed_before().clear()


def test_the_page_names_every_operation() -> None:
    methods = [
        name for cls in (kernels.Places, kernels.Values) for name in vars(cls) if not name.startswith("_")
    ]
    assert [name for name in (*kernels.OPERATIONS, *methods) if f"`{name}`" not in PAGE] == []
