"""Personalised nDCG against a loop over each user's list."""

from __future__ import annotations

import math
from typing import Any

import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import tasks

from idealist import Conventions, InputError, evaluate
from idealist.data import read_profiles

GAINS = ["", "linear", "exp", "{-2:0,-1:0,0:0,1:5,2:1,3:2,4:3}", "z-score", "above-mean", "percentile"]
DISCOUNTS = ["", "log2", "zipf", "[1,0.5,0.5,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1]"]


def gain_of(name: str, judged: list[float]) -> Any:
    """The gain of a grade, by the definition."""
    mean = sum(judged) / len(judged)
    spread = math.sqrt(sum((grade - mean) ** 2 for grade in judged) / len(judged))
    table = {1: 5.0, 2: 1.0, 3: 2.0, 4: 3.0}
    return {
        "": lambda y: max(0.0, y),
        "linear": lambda y: max(0.0, y),
        "exp": lambda y: 2.0**y - 1 if y > 0 else 0.0,
        "{-2:0,-1:0,0:0,1:5,2:1,3:2,4:3}": lambda y: table.get(y, 0.0),
        "z-score": lambda y: (y - mean) / spread if spread else 0.0,
        "above-mean": lambda y: max(0.0, y - mean),
        "percentile": lambda y: (sum(x < y for x in judged) + sum(x == y for x in judged) / 2) / len(judged),
    }[name]


def discount_of(name: str, patience: float | None) -> Any:
    if patience is not None:
        return lambda r: patience ** (r - 1)
    if name == "zipf":
        return lambda r: 1 / r
    if name.startswith("["):
        return lambda r: [float(x) for x in name[1:-1].split(",")][r - 1]
    return lambda r: 1 / math.log2(r + 1)


def ranked(scores: dict[str, float]) -> list[str]:
    by_id = sorted(scores, key=lambda d: d.encode("utf-8", "surrogateescape"), reverse=True)
    return sorted(by_id, key=lambda d: scores[d], reverse=True)


@given(tasks(), st.data())
def test_every_user_by_hand(task: Any, data: st.DataObject) -> None:
    run, judgments = task
    rows = []
    for user in judgments:
        with_patience = data.draw(st.booleans())
        rows.append(
            {
                "user": user,
                "k": data.draw(st.sampled_from([None, 1, 2, 5])),
                "gain": data.draw(st.sampled_from(GAINS)),
                "discount": "" if with_patience else data.draw(st.sampled_from(DISCOUNTS)),
                "patience": data.draw(st.sampled_from([0.3, 0.9])) if with_patience else None,
            }
        )
    result = evaluate(judgments, run, "pNDCG@3", profiles=rows)
    for row in rows:
        judged = judgments[row["user"]]
        k = row["k"] or 3
        discount = discount_of(row["discount"], row["patience"])

        def total(gains: list[float], discount: Any = discount, k: int = k) -> float:
            return math.fsum(gain * discount(r) for r, gain in enumerate(gains[:k], 1))

        if not judged:
            expected = 0.0
        else:
            gain = gain_of(row["gain"], list(judged.values()))
            found = total([gain(judged[d]) if d in judged else 0.0 for d in ranked(run.get(row["user"], {}))])
            best = total(sorted((max(0.0, gain(y)) for y in judged.values()), reverse=True))
            expected = found / best if best else 0.0
        assert result.value("pNDCG@3", row["user"]) == pytest.approx(expected, abs=1e-12)


@given(tasks())
def test_with_one_profile_for_all_it_is_ndcg(task: Any) -> None:
    run, judgments = task
    users = [{"query": user, "discount": "log2", "gain": "exp", "k": 2} for user in judgments]
    result = evaluate(judgments, run, ["pNDCG", "nDCG(gain=exp)@2"], profiles=users)
    for query in result.queries:
        assert result.value("pNDCG", query) == pytest.approx(result.value("nDCG(gain=exp)@2", query), 1e-12)


def test_a_user_does_not_depend_on_the_others() -> None:
    judged = {u: {"a": 2, "b": 1, "c": 0} for u in ("ann", "bob", "eve")}
    run = {u: {"c": 3.0, "b": 2.0, "a": 1.0} for u in judged}
    users: dict[str, list[Any]] = {
        "user": ["ann", "bob", "eve"],
        "patience": [0.3, 0.7, 0.7],
        "gain": ["exp", "z-score", "exp"],
    }
    together = evaluate(judged, run, "pNDCG", profiles=users).to_dict()["run"]["pNDCG"]
    for at, user in enumerate(judged):
        alone = {name: [column[at]] for name, column in users.items()}
        value = evaluate({user: judged[user]}, {user: run[user]}, "pNDCG", profiles=alone).value(
            "pNDCG", user
        )
        assert value == together[user]


@pytest.mark.parametrize("n", [2, 5, 20])
def test_a_z_score_has_no_bound_below(n: int) -> None:
    """One bad document first, n − 1 good ones after it: z-scores of −√(n − 1) and 1/√(n − 1)."""
    judged = {"ann": {"bad": 0} | {f"good{at}": 1 for at in range(n - 1)}}
    run = {"ann": dict.fromkeys(judged["ann"], 1.0) | {"bad": 2.0}}
    profiles = {"user": ["ann"], "gain": ["z-score"], "k": [1]}
    found = evaluate(judged, run, "pNDCG", profiles=profiles)
    assert found.value("pNDCG", "ann") == pytest.approx(1 - n)
    assert found.measures[0].bounds == (-math.inf, 1.0)


@given(
    st.lists(st.integers(0, 4), min_size=2, max_size=8).filter(lambda grades: len(set(grades)) > 1),
    st.randoms(),
    st.sampled_from([1, 2, 10]),
    st.sampled_from([0.1, 0.9]),
)
def test_with_z_scores_it_lies_between_one_less_n_and_one(
    grades: list[int], random: Any, k: int, patience: float
) -> None:
    judged = {"ann": {f"d{at}": grade for at, grade in enumerate(grades)}}
    run = {"ann": {document: random.random() for document in judged["ann"]}}
    profiles = {"user": ["ann"], "gain": ["z-score"], "k": [k], "patience": [patience]}
    value = evaluate(judged, run, "pNDCG", profiles=profiles).value("pNDCG", "ann")
    assert 1 - len(grades) - 1e-9 <= value <= 1 + 1e-9


def test_means_are_weighted_and_the_effective_sample_is_said() -> None:
    judged = {"ann": {"a": 1}, "bob": {"a": 1}}
    run = {"ann": {"a": 1.0}, "bob": {"b": 1.0}}
    result = evaluate(judged, run, "pNDCG", profiles={"user": ["ann", "bob"], "weight": [3, 1]})
    assert result.mean("pNDCG") == 0.75
    assert result.effective_n("pNDCG") == pytest.approx(16 / 10)  # (3 + 1)² / (3² + 1²)
    assert result.notes == (
        "weighted by column weight of the profiles; effective sample size 1.6 of 2 queries",
    )
    plain = evaluate(judged, run, "pNDCG", profiles={"user": ["ann", "bob"]})
    assert (plain.mean("pNDCG"), plain.effective_n("pNDCG"), plain.notes) == (0.5, 2.0, ())


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "parquet", "polars", "pandas", "pyarrow", "records"])
def test_profiles_from_everywhere(kind: str, tmp_path: Any) -> None:
    rows = [
        {"user": "ann", "k": 1, "patience": 0.5, "gain": "{0:0,1:7}"},
        {"user": "bob", "k": None, "patience": None, "gain": None},
    ]
    frame = polars.DataFrame(rows)
    path = tmp_path / f"users.{kind}"
    source: Any = path
    if kind in ("csv", "tsv"):
        frame.write_csv(path, separator="," if kind == "csv" else "\t")
    elif kind == "jsonl":
        frame.write_ndjson(path)
    elif kind == "parquet":
        frame.write_parquet(path)
    elif kind == "records":
        source = rows
    else:
        source = frame if kind == "polars" else frame.to_pandas() if kind == "pandas" else frame.to_arrow()
    judged = {"ann": {"a": 1, "b": 1}, "bob": {"a": 1, "b": 1}}
    run = {"ann": {"x": 2.0, "a": 1.0}, "bob": {"a": 2.0, "x": 1.0}}
    result = evaluate(judged, run, "pNDCG", profiles=source)
    assert result.value("pNDCG", "ann") == 0.0  # k = 1, and x is not relevant
    assert result.value("pNDCG", "bob") == pytest.approx(1 / (1 + 1 / math.log2(3)))


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            "k\n1",
            "there is no column 'query'\nhint: there are k; name it: --columns profiles.query=k",
        ),
        ("user,k\nann,1\nann,2", "line 3: user 'ann' appears twice"),
        ("user,k\nann,0", "line 2: the cut-off k must be a whole number, 1 or more, not 0"),
        ("user,k\nann,x", "line 2: the cut-off k must be a whole number, 1 or more, not 'x'"),
        ("user,gain\nann,sqrt", "line 2: gain='sqrt' is unknown"),
        ("user,patience\nann,1.5", "line 2: p must lie between 0 and 1, not 1.5"),
        ("user,discount\nann,cubic", "line 2: discount='cubic' is unknown"),
        ("user,discount,patience\nann,log2,0.5", "the profile of 'ann' has both a discount and a patience"),
        ("user,weight\nann,-1", "line 2: weight must be 0 or more, not -1"),
        ("user,weight\nann,much", "line 2: weight is 'much', not a number"),
        ("user,weight\nann,", "line 2: weight is empty"),
        ("user,k\nbob,1", "'ann' is judged but has no profile"),
        ("user,k\n", "the table of profiles is empty"),
        ("user,k\nann,1,2", "line 2: expected 2 columns, found 3"),
        ("user,user\nann,1", "line 1: two columns are called 'user'"),
        ('{"user": "ann"}\n{"user"', "line 2: this is not JSON"),
        ("[1]\n", "record 1 is not a mapping from column to value: 1"),
        ("", "the file is empty"),
        ("user,gain\nann,{2:1}", "query 'ann' has grade 1, which the gain table lacks"),
    ],
)
def test_bad_profiles(table: str, message: str, tmp_path: Any) -> None:
    path = tmp_path / "users.csv"
    path.write_text(table)
    with pytest.raises(InputError) as caught:
        evaluate({"ann": {"a": 1}}, {"ann": {"a": 1.0}}, "pNDCG", profiles=path)
    assert message in str(caught.value)


def test_profiles_may_hold_more_users_than_are_judged() -> None:
    judged, run = {"ann": {"a": 1}, "bob": {"b": 1}}, {"ann": {"a": 1.0}, "bob": {"a": 2.0, "b": 1.0}}
    users = {"user": ["zoe", "ann", "yan", "bob"], "k": [5, 1, 5, 1], "weight": [9, 3, 9, 1]}
    result = evaluate(judged, run, "pNDCG", profiles=users)
    assert result.mean("pNDCG") == 3 / 4  # (3·1 + 1·0) / 4: neither zoe's nor yan's weight counts
    assert "profiles: nothing is judged for 2 users, such as 'zoe', not measured" in result.notes


def test_items_may_hold_more_items_than_are_retrieved_or_judged() -> None:
    items = {"item": ["a", "b", "z"], "vector": [[1, 0], [0, 1], [1, 1]]}
    run = {"q": {"a": 2.0, "b": 1.0}}
    assert evaluate({"q": {"a": 1}}, run, "ILD@2", items=items).mean("ILD@2") == 1.0


def test_what_a_user_without_profile_is_told() -> None:
    judged = {"ann": {"a": 1}, "bob": {"a": 1}}
    with pytest.raises(InputError, match="'bob' is judged but has no profile"):
        evaluate(judged, judged, "pNDCG", profiles={"user": ["ann"]})
    with pytest.raises(InputError, match="pNDCG needs a table of user profiles"):
        evaluate(judged, judged, "pNDCG")
    with pytest.raises(InputError, match="pNDCG has no closed form for averaged ties"):
        evaluate(
            judged,
            {"ann": {"a": 1.0, "b": 1.0}, "bob": {"a": 1.0}},
            "pNDCG",
            profiles={"user": ["ann", "bob"]},
            conventions=Conventions(ties="averaged"),
        )
    with pytest.raises(InputError, match="there is no such file"):
        read_profiles("nowhere.csv")
    with pytest.raises(InputError, match="a table must be a file, a frame"):
        read_profiles(5)  # type: ignore[arg-type]
