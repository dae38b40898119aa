"""What pages of the site ask of Python, asked here: the same code runs in the browser."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from conftest import ROOT


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT / "live")
    monkeypatch.chdir(tmp_path)
    from in_browser import answers, tables

    monkeypatch.setattr(tables, "FOLDER", tmp_path)
    return answers


def asked(answers: ModuleType, question: str, *values: Any) -> Any:
    return json.loads(answers.answered(question, json.dumps(values)))


def printed(answers: ModuleType, code: str) -> tuple[str, bool]:
    answer = asked(answers, "example", code)["answer"]
    return answer["output"], answer["failed"]


def test_an_example_prints_what_a_prompt_prints(answers: ModuleType) -> None:
    assert printed(answers, "x = 2\nx\nprint('three')\nNone\n(x,\n 4)") == ("2\nthree\n(2, 4)\n", False)


def test_public_names_need_no_import_and_nothing_is_kept(answers: ModuleType) -> None:
    assert printed(answers, "NDCG = NDCG(k=1)\nNDCG([1, 0]), il.AP()([0, 1])") == ("(1.0, 0.5)\n", False)
    assert printed(answers, "CG()([1]); CG = 3") == ("1.0\n", False)
    assert printed(answers, "CG()([1])") == ("1.0\n", False)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("def half(x):\n    return x / 0\nhalf(1)", "line 2, ZeroDivisionError: division by zero\n"),
        ("import nosuch.part", "This needs nosuch, which the Python in this page does not have."),
        ("parse('nDGC')", "UnknownMeasure: no measure is called 'nDGC'\nhint: did you mean nDCG"),
        ("evaluate('shop.qrels', 'a.run', 'AP').mean('AP', system='c')", "InputError: "),
    ],
)
def test_errors_of_examples_are_a_few_words(answers: ModuleType, code: str, words: str) -> None:
    output, failed = printed(answers, code)
    assert words in output
    assert failed


def test_long_output_is_cut(answers: ModuleType) -> None:
    output, _ = printed(answers, "print('a' * 1_000_000)")
    assert len(output) < 21_000


def test_an_error_says_which_text_and_line_it_is_about(answers: ModuleType) -> None:
    error = asked(answers, "measured", "q 0 a 1\n", {"run A": "q Q0 a 1 high x\n"}, "nDCG")["error"]
    assert (error["source"], error["line"]) == ("run A", 1)
    assert error["message"].startswith("run A, line 1: the score is not a number: 'high'\nhint: ")


def test_tools_that_refuse_say_why(answers: ModuleType) -> None:
    judgments, run = "q 0 a 1\nr 0 a 1\n", "q Q0 a 1 2 x\n"
    tools = asked(answers, "measured", judgments, {"run A": run}, "nDCG")["answer"]["tools"]
    assert "no number: query &#39;r&#39; is judged but missing from the run" in tools


def test_what_can_be_chosen(answers: ModuleType) -> None:
    choices = asked(answers, "choices")["answer"]
    assert choices["tools"]["ranx"] == "ranx"
    assert "nDCG" in choices["measures"]


def test_numpy_is_loaded_once_when_it_is_imported(
    answers: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from in_browser import loading

    package, calls = tmp_path / "absent_until_loaded.py", []

    def load() -> bool:
        calls.append("load")
        package.write_text("here = True")
        return len(calls) > 1

    monkeypatch.setattr(loading, "NUMPY", package.stem)
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    loading.numpy_when_imported(load)
    with pytest.raises(ModuleNotFoundError):  # what could not be loaded may be there the next time
        __import__(package.stem)
    assert calls == ["load"]
    monkeypatch.syspath_prepend(tmp_path)
    assert __import__(package.stem).here
    assert calls == ["load", "load"]
    assert not any(isinstance(finder, loading.WhenImported) for finder in sys.meta_path)
