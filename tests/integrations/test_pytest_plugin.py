"""assert_not_worse, by itself and in tests that pytest runs."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

from idealist import InputError, evaluate
from idealist.integrations.pytest import assert_not_worse

pytest_plugins = ["pytester"]
PLUGIN = "idealist.integrations.pytest"
JUDGED = {f"q{at:02}": {"a": 1} for at in range(30)}
GOOD = {query: {"a": 2.0, "b": 1.0} for query in JUDGED}  # RR 1
BAD = {query: {"b": 2.0, "a": 1.0} for query in JUDGED}  # RR 1/2
MIXED = {query: (GOOD if at % 2 else BAD)[query] for at, query in enumerate(JUDGED)}  # 1 and 1/2 in turn
SWAPPED = {query: (BAD if at % 2 else GOOD)[query] for at, query in enumerate(JUDGED)}


def test_what_passes() -> None:
    assert assert_not_worse(JUDGED, GOOD, BAD, "RR").reason == "better"
    assert assert_not_worse(JUDGED, BAD, GOOD, "RR", margin=0.6).outcome == "ship"  # worse by 1/2


def test_what_is_worse() -> None:
    with pytest.raises(AssertionError) as failed:
        assert_not_worse(JUDGED, BAD, GOOD, "RR", margin=0.1)
    lines = str(failed.value).splitlines()
    assert lines[0].startswith("BLOCK: worse (difference −0.5000")
    assert lines[-8:-6] == ["RR on 30 queries: baseline 1.0000, run 0.5000", "margin 0.1000"]
    assert lines[-6:-4] == ["30 of 30 queries got worse, most of all:", "  q00  1.0000 → 0.5000"]


def test_what_is_not_shown() -> None:
    """As many queries gain 1/2 as lose it: the difference is 0, and its interval is wide."""
    with pytest.raises(
        AssertionError, match=r"UNDECIDED: the interval includes both 0 and .* more queries would decide"
    ):
        assert_not_worse(JUDGED, MIXED, SWAPPED, "RR", margin=0.01)


def test_where_lower_is_better() -> None:
    """The rank down to which all relevant documents are seen: a lower one is better."""
    worse, better = {"q1": {"b": 2.0, "a": 1.0}}, {"q1": {"a": 2.0, "b": 1.0}}
    measure, judged = "CoverageError", {"q1": {"a": 1}}
    assert assert_not_worse(judged, better, worse, measure, policy="sign").outcome == "ship"
    with pytest.raises(AssertionError, match=r"q1  1\.0000 → 2\.0000"):
        assert_not_worse(judged, worse, better, measure, policy="sign")


def test_guards_and_settings() -> None:
    with pytest.raises(AssertionError, match="FAILED  same queries"):
        assert_not_worse(JUDGED, {"q00": GOOD["q00"]}, BAD, "RR", policy="sign", conventions="lightgbm")
    assert assert_not_worse(
        JUDGED, {"q00": GOOD["q00"]}, BAD, "RR", policy="sign", conventions="lightgbm", guards=[]
    )


def test_evaluations() -> None:
    old, new = (evaluate(JUDGED, run, "RR") for run in (BAD, GOOD))
    assert assert_not_worse(run=new, baseline=old, measure="RR").outcome == "ship"
    with pytest.raises(AssertionError, match=r"baseline 1\.0000, run 0\.5000"):
        assert_not_worse(run=old, baseline=new, measure="RR")
    with pytest.raises(InputError, match="an evaluation is compared with an evaluation"):
        assert_not_worse(JUDGED, new, BAD, "RR")
    with pytest.raises(InputError, match="the baseline has 2 systems: x, y"):
        assert_not_worse(run=new, baseline=evaluate(JUDGED, {"x": BAD, "y": GOOD}, "RR"), measure="RR")


def test_no_judgments() -> None:
    with pytest.raises(InputError, match="there are no judgments to measure by") as refused:
        assert_not_worse(run=GOOD, baseline=BAD)
    assert "idealist.toml" in refused.value.hint


TEST = """
def test_new(assert_not_worse):
    assert_not_worse(run="b.run", baseline="a.run", margin="2%", guards=["queries"])

def test_old(assert_not_worse):
    assert_not_worse(run="a.run", baseline="b.run", margin="2%")
"""


@pytest.fixture
def project(pytester: pytest.Pytester, shop: Path) -> pytest.Pytester:
    """A project with runs and a test, whose file names the judgments."""
    pytester.makepyfile(test_ranker=TEST)
    (pytester.path / "idealist.toml").write_text('judgments = "data/shop.qrels"\n')
    pytester.mkdir("data")
    (pytester.path / "data" / "shop.qrels").write_bytes((shop / "shop.qrels").read_bytes())
    for name in ("a.run", "b.run"):
        (pytester.path / name).write_bytes((shop / name).read_bytes())
    return pytester


def test_in_a_project(project: pytest.Pytester) -> None:
    result = project.runpytest_subprocess("-p", PLUGIN, "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            ">*assert_not_worse(*a.run*b.run*)",
            "E *AssertionError: BLOCK: worse (difference −0.1888, 95 % interval −0.2546 to −0.1052*",
            "E *nDCG@10 on 40 queries: baseline 0.9279, run 0.7391",
            "E *36 of 40 queries got worse, most of all:",
            "test_ranker.py:*: AssertionError",
        ]
    )
    # The traceback ends at the test's own line.
    assert "def assert_not_worse" not in result.stdout.str()


def test_an_error_is_shown_at_the_line_of_the_test(project: pytest.Pytester) -> None:
    """And not where Idealist found it out."""
    project.makepyfile(
        test_ranker=TEST.replace('run="b.run", baseline="a.run"', 'run="none.run", baseline="a.run"')
    )
    result = project.runpytest_subprocess("-p", PLUGIN, "-p", "no:cacheprovider", "-k", "test_new")
    result.stdout.fnmatch_lines(
        [
            ">*assert_not_worse(*none.run*",
            "E *InputError: none.run: there is no such file",
            "E *hint: check the path",
            "test_ranker.py:*: InputError",
        ]
    )


def test_judgments_that_are_no_file_of_the_folder(project: pytest.Pytester) -> None:
    (project.path / "idealist.toml").write_text('judgments = "ir_datasets:none-of-them"\n')
    result = project.runpytest_subprocess("-p", PLUGIN, "-p", "no:cacheprovider", "-k", "test_new")
    result.stdout.fnmatch_lines(["E * ir_datasets*"])
    assert f"{project.path}/ir_datasets" not in result.stdout.str()


def test_the_project_says_measure_margin_and_guards(project: pytest.Pytester) -> None:
    """Run a misses one query, and has more unjudged documents: without these guards, b in its place ships by RR, too."""
    (project.path / "idealist.toml").write_text(
        'judgments = "data/shop.qrels"\nmeasures = ["RR"]\nmargin = "90%"\nconventions = "empty=skip"\n'
        "[guards]\njudged = false\n"
    )
    project.makepyfile(
        test_ranker="""
        def test_new(assert_not_worse):
            verdict = assert_not_worse(run="b.run", baseline="a.run")
            assert verdict.margin > 0.5
            assert "equally judged" not in [guard.name for guard in verdict.guards]

        def test_own(assert_not_worse):
            assert assert_not_worse(run="b.run", baseline="a.run", margin=0.3, measure="AP").margin == 0.3
        """
    )
    result = project.runpytest_subprocess("-p", PLUGIN, "-p", "no:cacheprovider")
    result.assert_outcomes(passed=2)


def test_a_project_that_cannot_be_read_fails_the_test(project: pytest.Pytester) -> None:
    (project.path / "idealist.toml").write_text('judgement = "data/shop.qrels"\n')
    result = project.runpytest_subprocess("-p", PLUGIN, "-p", "no:cacheprovider", "-k", "test_new")
    result.stdout.fnmatch_lines(["E * unknown key 'judgement'", "E *did you mean judgments?*"])


def test_it_is_listed(project: pytest.Pytester) -> None:
    shown = project.runpytest_subprocess("-p", PLUGIN, "--fixtures", "-q")
    shown.stdout.fnmatch_lines(["*Fails unless a run is no worse than a baseline*"])


def test_pytest_finds_it() -> None:
    """The name is the module's, or asking for the plugin by `-p` would register it twice."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert settings["project"]["entry-points"]["pytest11"] == {PLUGIN: PLUGIN}


def test_it_costs_little(tmp_path: Path) -> None:
    """Whoever has Idealist installed loads the plugin in every session: nothing heavy comes with it."""
    code = f"import sys, pytest; before = set(sys.modules); import {PLUGIN}; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded: list[Any] = done.stdout.split()
    assert {name for name in loaded if name.startswith("idealist")} == {
        "idealist",
        "idealist.base",
        "idealist.base.annotations",
        "idealist.base.frozen",
        "idealist.base.values",
        "idealist.errors",
        "idealist.base.public_names",
        "idealist.integrations",
        "idealist.integrations.pytest",
        "idealist.base.named",
        "idealist.base.results",
    }
    assert len(loaded) <= 11, loaded
