"""Several objectives, against sums by hand; mixes of measures against their formulas."""

from __future__ import annotations

import math
from typing import Any

import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import tasks

from idealist import InputError, evaluate
from idealist.data import read_objectives
from idealist.measures import Mix, MultiObjective, parse


@given(tasks(), st.randoms(use_true_random=False))
def test_grades_are_weighed_together(task: Any, random: Any) -> None:
    run, judgments = task
    rows = [
        {"query": q, "document": d, "relevance": y, "novelty": random.randrange(3)}
        for q, documents in judgments.items()
        for d, y in documents.items()
    ]
    if not any(row["query"] in run for row in rows):
        return
    combined: dict[str, dict[str, float]] = {}
    for row in rows:
        worth = 0.7 * (2.0 ** row["relevance"] - 1) + 0.3 * row["novelty"]
        combined.setdefault(row["query"], {})[row["document"]] = worth
    measure = MultiObjective(
        of=parse("nDCG@3"), weights={"relevance": 0.7, "novelty": 0.3}, worth={"relevance": "exp"}
    )
    assert parse(str(measure)) == measure
    result = evaluate(read_objectives(rows), run, measure)
    expected = evaluate(combined, run, "nDCG@3")
    assert result.by_query(measure) == pytest.approx(expected.by_query("nDCG@3"), abs=1e-12)
    alone = MultiObjective(of=parse("AP"), weights={"novelty": 1})
    novelty: dict[str, dict[str, float]] = {}
    for row in rows:
        novelty.setdefault(row["query"], {})[row["document"]] = row["novelty"]
    assert evaluate(read_objectives(rows), run, alone).by_query(alone) == evaluate(
        novelty, run, "AP"
    ).by_query("AP")


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "polars", "pandas"])
def test_objectives_from_everywhere(kind: str, tmp_path: Any) -> None:
    frame = polars.DataFrame({"qid": ["q", "q"], "docid": ["a", "b"], "x": [1, 0], "y": [0.0, 2.5]})
    path = tmp_path / "o"
    source: Any = path
    if kind == "csv":
        frame.write_csv(path)
    elif kind == "jsonl":
        frame.write_ndjson(path)
    elif kind == "parquet":
        frame.write_parquet(path)
    else:
        source = frame if kind == "polars" else frame.to_pandas()
    table = read_objectives(source)
    assert table.names == ["x", "y"]
    assert table["y"].to_dict() == {"q": {"a": 0.0, "b": 2.5}}
    # Without weights every objective counts alike: a is worth 1, b 2.5, and b stands first.
    measure = "Multi(of=DCG@1)"
    assert evaluate(table, {"q": {"b": 2.0, "a": 1.0}}, measure).value(measure, "q") == 2.5


@pytest.mark.parametrize(
    ("rows", "measure", "message"),
    [
        ("doc,x\na,1", "Multi", "there is no column 'query'"),
        ("query,doc\nq,a", "Multi", "there is no column of grades"),
        ("query,doc,x\nq,a,1\nq,a,2", "Multi", "line 3: document 'a' appears twice for query 'q'"),
        ("query,doc,x\nq,a,high", "Multi", "line 2: x is 'high', not a number"),
        ("query,doc,x\nq,a,", "Multi", "line 2: x is empty"),
        ("query,doc,x\nq,a,1", "Multi(weights={y:1})", "there is no objective 'y'\nhint: name one of: x"),
        ("query,doc,x\nq,a,1", "Multi(worth={y:exp})", "gains has 'y', which has no weight"),
        ("query,doc,x\nq,a,1", "Multi(worth={x:{0:0,2:1}})", "is not defined for grade 1"),
        ("query,doc,x\nq,a,5000", "Multi(worth={x:exp})", "is not defined for grade 5000"),
        ("query,doc,x\nq,a,1", "nDCG", "nDCG needs one grade per document, and these are several grades"),
    ],
)
def test_bad_objectives(rows: str, measure: str, message: str, tmp_path: Any) -> None:
    path = tmp_path / "o.csv"
    path.write_text(rows)
    with pytest.raises(InputError) as caught:
        evaluate(read_objectives(path), {"q": {"a": 1.0}}, measure)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Multi(weights={x:-1,y:1})", "weights: the weight of x must be 0 or more, not -1"),
        ("Multi(weights={x:0})", "weights must add up to more than 0"),
        ("Multi(weights={x:a})", "weights: the weight of x must be a number, not 'a'"),
        ("Multi(weights={x:1,x:2})", "weights: 'x' appears twice"),
        ("Multi(weights=x)", "weights: 'x' is not name:value"),
        ("Multi(of=nosuch)", "no measure is called 'nosuch'"),
        ("Mix(parts={CG:1})", "CG cannot be mixed with others"),
        ("Mix(parts={GMAP:1})", "GMAP cannot be mixed with others"),
        ("Mix(parts={Unjudged@5:1})", "Unjudged@5 cannot be mixed with others"),
        ("Mix(parts={})", "a mix needs measures"),
        ("Mix(how=median)", "how must be sum, harmonic, product or chebyshev, not 'median'"),
        ("Multi(of=P-IA@5)", "P-IA@5 is not a measure of one grade per document"),
    ],
)
def test_bad_parameters(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text)
    assert message in str(caught.value)


GRADES = st.lists(st.integers(0, 3), min_size=1, max_size=6).filter(any)


@given(GRADES, st.floats(0, 5), st.floats(0.1, 5))
def test_mixes_by_their_formulas(grades: list[int], first: float, second: float) -> None:
    parts = {"nDCG@3": first, "RR": second}
    a, b = parse("nDCG@3")(grades), parse("RR")(grades)
    v, w = first / (first + second), second / (first + second)
    expected = {
        "sum": v * a + w * b,
        "harmonic": 0.0 if (a == 0 and v > 0) or b == 0 else 1 / ((v / a if v else 0) + w / b),
        "product": (a**v if v else 1.0) * b**w,
        "chebyshev": 1 - max(v * (1 - a), w * (1 - b)) / max(v, w),
    }
    for how, value in expected.items():
        assert Mix(parts=parts, how=how)(grades) == pytest.approx(value, abs=1e-9), how


def test_a_mix_is_undefined_where_a_part_is() -> None:
    assert math.isnan(Mix(parts={"RR": 1, "Judged": 1}).values(_rankings([0]))[0])


def _rankings(grades: list[int]) -> Any:
    from idealist import Rankings

    return Rankings.from_grades([grades])


def test_a_mix_needs_what_its_parts_need() -> None:
    judged = {"ann": {"a": 1}}
    mix = "Mix(parts={pNDCG:1,RR:1})"
    with pytest.raises(ValueError, match="cannot be mixed"):
        parse(mix)
    assert evaluate(judged, judged, "Mix(parts={nDCG:1,RR:1})").mean("Mix(parts={nDCG:1,RR:1})") == 1.0
