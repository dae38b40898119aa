"""Tables of evaluations and comparisons."""

from __future__ import annotations

from idealist import Conventions, evaluate
from idealist.comparison import compare_evaluations
from idealist.show.comparison_tables import comparison_tables
from idealist.show.convention_tables import conventions_table
from idealist.show.evaluation_tables import means_table, measures_table, query_table

JUDGED = {f"q{n}": {"a": 1, "b": 0} for n in range(12)}
GOOD = {query: {"a": 2.0, "b": 1.0} for query in JUDGED}
BAD = {query: {"a": 1.0, "b": 2.0} for query in JUDGED}
MIXED = {query: (GOOD if n % 2 else BAD)[query] for n, query in enumerate(JUDGED)}
RESULT = evaluate(JUDGED, {"bad": BAD, "good": GOOD, "mixed": MIXED}, ["RR", "P@1"])


def test_letters_name_the_systems_that_are_worse() -> None:
    """RR is 1/2, 1 and 3/4: each is far from the others, against little noise within queries."""
    table = means_table(RESULT, comparison=compare_evaluations(RESULT, baseline="bad"))
    assert table.titles == ["measure", "(a) bad", "(b) good", "(c) mixed", "n"]
    assert table.rows[0] == ["RR", 0.5, 1.0, 0.75, 12]
    assert table.marks == {(0, 2): "ac", (0, 3): "a", (1, 2): "ac", (1, 3): "a"}
    assert table.best == {(0, 2), (1, 2)}


def test_without_a_comparison_there_are_no_letters() -> None:
    table = means_table(RESULT)
    assert table.titles == ["measure", "bad", "good", "mixed", "n"]
    assert not table.marks
    assert not table.below


def test_a_system_against_the_baseline() -> None:
    table = comparison_tables(compare_evaluations(RESULT, baseline="bad"))[0]
    assert table.rows[0][:3] == ["RR", "bad", 0.5]
    row = dict(zip(table.titles, table.rows[1], strict=True))
    assert (row["system"], row["value"], row["difference"]) == ("good", 1.0, 0.5)
    assert row["wins/ties/losses"] == "12/0/0"
    assert table.rules == {3}  # above the baseline's row of the second measure


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
    result = evaluate(judged, runs, "RR", conventions=Conventions(missing="skip"))
    rows = query_table(result, result.measures[0], "old", most=20).rows
    assert [row[0] for row in rows] == ["q1", "q2", "q3", "q0"]


def test_with_two_systems_the_difference_is_shown() -> None:
    two = evaluate(JUDGED, {"bad": BAD, "good": GOOD}, "RR")
    table = query_table(two, two.measures[0], "bad", most=20)
    assert table.titles == ["query", "bad", "good", "difference"]
    assert table.rows[0][1:] == [0.5, 1.0, 0.5]


def test_conventions_and_measures_are_in_words() -> None:
    assert ["judged queries missing from the run", "zero", "an empty ranking: nothing was found"] in (
        conventions_table(RESULT.conventions).rows
    )
    assert measures_table(RESULT).rows[1][:2] == ["P@1", "P(k=1)"]
