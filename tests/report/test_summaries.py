"""What a page says in tables."""

from __future__ import annotations

from types import SimpleNamespace

from idealist import Conventions, evaluate
from idealist.comparison import compare_evaluations
from idealist.report.summaries import (
    comparison_table,
    conventions_table,
    gsb_table,
    means_table,
    measures_table,
    query_table,
)
from idealist.statistics.interval import Interval

JUDGED = {f"q{n}": {"a": 1, "b": 0} for n in range(12)}
GOOD = {query: {"a": 2.0, "b": 1.0} for query in JUDGED}
BAD = {query: {"a": 1.0, "b": 2.0} for query in JUDGED}
MIXED = {query: (GOOD if n % 2 else BAD)[query] for n, query in enumerate(JUDGED)}
RESULT = evaluate({"bad": BAD, "good": GOOD, "mixed": MIXED}, JUDGED, ["RR", "P@1"])


def test_letters_name_the_systems_that_are_worse() -> None:
    """RR is 1/2, 1 and 3/4: each is far from the others, against little noise within queries."""
    table = means_table(RESULT, compare_evaluations(RESULT, baseline="bad"))
    assert table.titles == ["measure", "(a) bad", "(b) good", "(c) mixed", "queries"]
    assert table.rows[0] == ["RR", 0.5, 1.0, 0.75, 12]
    assert table.marks == {(0, 2): "ac", (0, 3): "a", (1, 2): "ac", (1, 3): "a"}
    assert table.best == {(0, 2), (1, 2)}


def test_without_a_comparison_there_are_no_letters() -> None:
    table = means_table(RESULT)
    assert table.titles == ["measure", "bad", "good", "mixed", "queries"]
    assert not table.marks
    assert not table.below


def test_a_system_against_the_baseline() -> None:
    table = comparison_table(compare_evaluations(RESULT, baseline="bad").contrasts)
    row = dict(zip(table.titles, table.rows[0], strict=True))
    assert (row["baseline"], row["value"], row["difference"]) == (0.5, 1.0, 0.5)
    assert row["wins / ties / losses"] == "12/0/0"
    assert table.rules == {2}


def test_queries_that_moved_most_come_first() -> None:
    table = query_table(RESULT, RESULT.measures[0], "mixed", most=5)
    assert len(table.rows) == 5
    assert table.below == ["the 5 of 12 queries that moved most; idealist evaluate --by-query has them all"]
    by_id = query_table(RESULT, RESULT.measures[0], None, most=1)
    assert by_id.rows == [["q0", 0.5, 1.0, 0.5]]
    assert "first in order of their ids" in by_id.below[0]


def test_the_largest_move_of_any_system_counts() -> None:
    """q3 moves by 1/2 in one system, q1 by 2/3 and q2 by 1/2 in the other; q0 does not move, and q4 is in no run."""
    judged = {f"q{n}": {"x": 1} for n in range(5)}

    def ranked(*places: int) -> dict[str, dict[str, float]]:
        return {
            f"q{n}": {"x" if at == place else f"d{at}": -float(at) for at in (1, 2, 3)}
            for n, place in enumerate(places)
        }

    runs = {"old": ranked(1, 1, 1, 1), "one": ranked(1, 1, 1, 2), "two": ranked(1, 3, 2, 1)}
    result = evaluate(runs, judged, "RR", conventions=Conventions(missing="skip"))
    rows = query_table(result, result.measures[0], "old").rows
    assert [row[0] for row in rows] == ["q1", "q2", "q3", "q0"]


def test_with_two_systems_the_difference_is_shown() -> None:
    two = evaluate({"bad": BAD, "good": GOOD}, JUDGED, "RR")
    table = query_table(two, two.measures[0], "bad")
    assert table.titles == ["query", "bad", "good", "difference"]
    assert table.rows[0][1:] == [0.5, 1.0, 0.5]


def test_conventions_and_measures_are_in_words() -> None:
    assert ["judged queries missing from the run", "zero", "an empty ranking: nothing was found"] in (
        conventions_table(RESULT).rows
    )
    assert measures_table(RESULT).rows[1][:2] == ["P@1", "P(k=1)"]


def test_weighted_votes_are_not_said_to_be_the_plain_share() -> None:
    plain = SimpleNamespace(good=3, same=0, bad=1, value=0.5, interval=Interval(0.1, 0.8, 0.95), p_value=0.2)
    assert gsb_table(plain).rows[3] == ["GSB = (good − bad) / all", 0.5]
    weighted = SimpleNamespace(**{**vars(plain), "value": 0.4, "interval": None})
    assert [row[0] for row in gsb_table(weighted).rows] == [
        *("good", "same", "bad", "GSB, weighted", "p (no difference)")
    ]
