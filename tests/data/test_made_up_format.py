"""Adding a format is adding a module with a `Format` object: a made-up one is read as a run, as judgments and as votes."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from idealist import evaluate, kernels
from idealist.data import RunFile, read_judgments, read_run
from idealist.data import format_list as registry
from idealist.data.columns import Columns
from idealist.data.detection import names_of_source
from idealist.data.formats.format import ANYTHING, Format, Head
from idealist.data.opening import Opened
from idealist.data.reading import ReadRequest
from idealist.data.triples import rows_of_table
from idealist.errors import InputError
from idealist.votes.vote_table import read_votes


class Cards(Format):
    """A line `--- cards`, then cards: lines `name: text`, and a blank line between two."""

    name = "cards"
    label = "cards"
    about = "cards with a blank line between two"
    carries = ANYTHING
    endings = (".cards",)
    options = ("columns", "encoding")

    def recognises(self, head: Head) -> bool:
        return head.first == b"--- cards"

    def column_names(self, opened: Opened, part: str | None) -> list[str] | None:
        first = opened.head.decode().split("\n\n")[1]
        return [line.partition(":")[0] for line in first.splitlines()]

    def table(self, opened: Opened, request: ReadRequest) -> Columns:
        _, *cards = opened.content().decode().strip().split("\n\n")
        records = [dict(line.split(": ") for line in card.splitlines()) for card in cards]
        return Columns({name: [one[name] for one in records] for name in records[0]}, source=opened.source)

    def rows(self, opened: Opened, request: ReadRequest, threads: int) -> kernels.Rows:
        return rows_of_table(self.table(opened, request), request.kind, request.columns, threads)


@pytest.fixture
def cards(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("idealist.data.formats.cards")
    module.__dict__["FORMAT"] = Cards()
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(registry, "TEXT", (*registry.TEXT, "cards"))


def written(path: Path, *records: dict[str, object]) -> Path:
    cards = ("\n".join(f"{name}: {cell}" for name, cell in record.items()) for record in records)
    path.write_text("\n\n".join(("--- cards", *cards)) + "\n")
    return path


@pytest.mark.usefixtures("cards")
def test_a_run_judgments_and_votes_in_a_new_format(tmp_path: Path) -> None:
    run = written(
        tmp_path / "run",
        {"query": "q", "document": "a", "score": 1.5},
        {"query": "q", "document": "b", "score": 2.5},
    )
    judgments = written(tmp_path / "judgments", {"query": "q", "document": "a", "grade": 1})
    votes = written(tmp_path / "votes", {"term": "q", "vote": "good"}, {"term": "r", "vote": "bad"})
    assert read_run(run).to_dict() == {"q": {"a": 1.5, "b": 2.5}}
    assert read_judgments(judgments, format="cards").to_dict() == {"q": {"a": 1.0}}
    assert read_votes(votes, columns={"query": "term"}).values == [1, -1]
    # What a format says of itself is all that the rest asks for.
    assert names_of_source(str(run)) == ["query", "document", "score"]
    assert evaluate(read_judgments(judgments), RunFile(run), "RR").mean("RR") == 1 / 2
    assert "cards" in registry.listed()
    with pytest.raises(InputError, match="there is no part 'part': this is cards"):
        read_run(f"{run}::part")


@pytest.mark.usefixtures("cards")
def test_several_systems_in_a_new_format(tmp_path: Path) -> None:
    row = {"query": "q", "document": "a", "score": 1}
    path = written(tmp_path / "runs", {**row, "system": "old"}, {**row, "system": "new", "document": "b"})
    assert read_run(path, system="new").to_dict() == {"q": {"b": 1.0}}


def test_it_is_gone_without_its_module(tmp_path: Path) -> None:
    path = written(tmp_path / "run", {"query": "q", "document": "a", "score": 1.5})
    with pytest.raises(InputError, match="there is no format 'cards'"):
        read_run(path, format="cards")
