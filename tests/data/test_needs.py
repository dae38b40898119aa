"""What measures look at, and how it is given: said once, by the need itself."""

from __future__ import annotations

import pickle

import pytest

import idealist as il
from idealist import InputError
from idealist import data as io
from idealist.cli.inputs import add_tables
from idealist.cli.parser import command_parser
from idealist.data import RichJudgments
from idealist.data.needs import GRADES, GROUPS, ITEMS, NEEDS, QUERIES, TABLES, Need
from idealist.measures import registry


def test_every_measure_names_a_need_and_every_need_has_a_measure() -> None:
    assert {cls().needs for cls in registry().values()} == set(NEEDS)
    assert len({need.name for need in NEEDS}) == len(NEEDS)


@pytest.mark.parametrize("need", [need for need in NEEDS if need.reader], ids=lambda need: need.name)
def test_a_reader_is_a_function_of_io_and_is_said_or_is_an_argument(need: Need) -> None:
    assert callable(getattr(io, need.reader))
    assert need.reader in need.python or need.python == f"{need.name}=…"


def test_what_must_be_given_apart() -> None:
    assert [need for need in NEEDS if not need.given_apart] == [GRADES, QUERIES]
    assert [need for need in NEEDS if need.given_as == "judgments"] == [
        cls.need
        for cls in (
            il.data.GroupedJudgments,
            il.data.Preferences,
            il.data.SampledJudgments,
            il.data.Objectives,
        )
    ]
    assert all(issubclass(cls, RichJudgments) for cls in (il.data.GroupedJudgments, il.data.Objectives))


def test_the_command_has_an_option_for_every_table() -> None:
    _, parser = command_parser("conventions")
    add_tables(parser)
    help_text = " ".join(parser.format_help().split())
    for need in TABLES:
        assert need.command in help_text
        assert " ".join(need.columns.split()) in help_text


def test_a_measure_says_what_it_lacks_in_the_words_of_its_need() -> None:
    with pytest.raises(InputError) as caught:
        il.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "Popularity@10")
    assert caught.value.message == "Popularity@10 needs a table of items with a column popularity"
    assert caught.value.hint == "items=… in Python, --items FILE for the command"


def test_needs_are_the_same_in_another_process() -> None:
    assert pickle.loads(pickle.dumps(ITEMS)) == ITEMS
    assert {GROUPS: 1}[pickle.loads(pickle.dumps(GROUPS))] == 1


def test_a_need_that_is_text_is_refused() -> None:
    with pytest.raises(InputError, match="Mine needs 'items', which is text, not a Need"):

        class Mine(il.Measure):
            needs = "items"  # type: ignore[assignment]
