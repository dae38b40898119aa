"""RankLib's metrics, normalisations and number texts beside its own (tests/learn/ranklib/make_golden.py says how they were made)."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idealist.data import Judgments
from idealist.data.feature_reading import read_features
from idealist.data.features import Features
from idealist.data.reading import read_judgments
from idealist.drop_ins.ranklib.ranklib_data import normalised
from idealist.drop_ins.ranklib.ranklib_metrics import parse_metric
from idealist.drop_ins.ranklib.ranklib_training import double_text
from idealist.errors import InputError
from idealist.learn import load_model

GOLDEN = Path(__file__).parents[1] / "learn" / "ranklib"
REPORTED = [line.split() for line in (GOLDEN / "reported").read_text().splitlines()]
Case = tuple[str, str, str]


def per_query() -> dict[Case, dict[str, float]]:
    """What RankLib's -idv files hold, by model, judgments and metric."""
    found: dict[Case, dict[str, float]] = defaultdict(dict)
    for words in REPORTED:
        if words[0] == "idv":
            _, model, judged, metric, query, value = words
            found[model, judged, metric][query] = float(value)
    return found


CASES = per_query()


def test_all_cases_are_there() -> None:
    # 13 metrics, by the order of the file and by two models, with and without judgments of further documents.
    assert len(CASES) == 13 * 3 * 2
    assert all(len(values) == 8 + 1 for values in CASES.values())


@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_values_of_queries_are_ranklibs(case: Case) -> None:
    model, judged, metric = case
    features = read_features(GOLDEN / "test.letor", fill=0)
    falling = -np.arange(len(features), dtype=float)
    scores = falling if model == "-" else load_model(GOLDEN / model).scores(features)
    judgments = None if judged == "-" else read_judgments(GOLDEN / judged)
    values = parse_metric(metric).values(features, scores, judgments)
    ours = dict(zip(features.queries, values.tolist(), strict=True)) | {"all": float(values.mean())}
    # RankLib's reciprocal ranks are in single precision.
    assert ours == pytest.approx(CASES[case], abs=1e-7 if metric.startswith("RR") else 1e-12)


@pytest.mark.parametrize("highest", [4, 6])
def test_err_with_the_highest_grade_of_the_scale(highest: int) -> None:
    features = read_features(GOLDEN / "five-grades.letor")
    expected = {words[4]: float(words[5]) for words in REPORTED if words[:2] == ["gmax", str(highest)]}
    values = parse_metric("ERR@10", highest).values(features, -np.arange(len(features), dtype=float))
    assert dict(zip(features.queries, values, strict=True)) == pytest.approx(
        {query: value for query, value in expected.items() if query != "all"}
    )
    assert values.mean() == pytest.approx(expected["all"])


def test_precision_of_a_list_shorter_than_k() -> None:
    features = Features([[0.0]] * 2, sizes=[2], grades=[1, 0])
    assert parse_metric("P@10").values(features, np.array([1.0, 0.0])).tolist() == [1 / 2]


def test_judgments_of_further_documents_by_hand() -> None:
    features = Features([[0.0]] * 2, sizes=[2], grades=[0, 1], queries=["a"])
    judged = Judgments({"a": {"x": 1, "y": 1, "z": 0, "w": 2}})
    scores = np.array([2.0, 1.0])
    # AP: precision 1/2 at the one relevant document, shared among three.
    assert parse_metric("MAP").values(features, scores, judged) == pytest.approx([0.5 / 3])
    ideal = 3 + 1 / np.log2(3) + 1 / np.log2(4)
    assert parse_metric("NDCG@10").values(features, scores, judged) == pytest.approx(
        [(1 / np.log2(3)) / ideal]
    )
    assert parse_metric("NDCG@1").values(features, np.array([1.0, 2.0]), judged) == pytest.approx([1 / 3])


def test_names_of_metrics() -> None:
    assert [str(parse_metric(text)) for text in ("map", "NDCG", "dcg@3", "P", "rr", "ERR@20")] == [
        "MAP",
        "NDCG@10",
        "DCG@3",
        "P@10",
        "RR",
        "ERR@20",
    ]
    for text, message in {
        "Best@3": "not a metric of RankLib that is supported",
        "NDCG@x": "a number of ranks",
    }.items():
        with pytest.raises(InputError, match=message):
            parse_metric(text)


def test_grades_that_a_metric_cannot_take() -> None:
    half = Features([[0.0]], sizes=[1], grades=[0.5])
    with pytest.raises(InputError, match=r"row 1 has the grade 0\.5"):
        parse_metric("MAP").values(half, np.zeros(1))
    five = Features([[0.0]], sizes=[1], grades=[5])
    with pytest.raises(InputError, match="grade 5 is above the highest grade, 4"):
        parse_metric("ERR@10").values(five, np.zeros(1))


@pytest.mark.parametrize("how", ["sum", "zscore", "linear"])
def test_normalised_features_score_as_ranklibs_do(how: str) -> None:
    features = read_features(GOLDEN / "test.letor", fill=0)
    scores = load_model(GOLDEN / "coordinate.model").scores(normalised(features, how))
    expected = [line.split()[2] for line in (GOLDEN / f"coordinate.{how}.scores").read_text().splitlines()]
    assert [double_text(score) for score in scores.tolist()] == expected


def test_trees_over_normalised_features() -> None:
    features = read_features(GOLDEN / "test.letor", fill=0)
    scores = load_model(GOLDEN / "lambdamart.model").scores(normalised(features, "zscore"))
    lines = (GOLDEN / "lambdamart.zscore.scores").read_text().splitlines()
    assert scores.tolist() == [float(line.split()[2]) for line in lines]


def test_normalisations_by_hand() -> None:
    table = Features([[1, -4, 5], [3, -2, 5]], sizes=[2])
    assert normalised(table, "sum").matrix.tolist() == [
        [0.25, pytest.approx(-4 / 6), 0.5],
        [0.75, pytest.approx(-1 / 3), 0.5],
    ]
    # Mean 2, standard deviation √2 (n − 1 = 1); a constant column stays as it is.
    z = normalised(table, "zscore").matrix
    assert z[:, 0].tolist() == pytest.approx([-1 / 2**0.5, 1 / 2**0.5])
    assert z[:, 2].tolist() == [5, 5]
    # Of values below 0 the greatest is taken for 0: (−2 − −4) / (0 − −4).
    assert normalised(table, "linear").matrix.tolist() == [[0, 0, 0], [1, 0.5, 0]]
    # One document alone: a share of its own, no spread, no range.
    alone = Features([[4.0]], sizes=[1])
    assert [normalised(alone, how).matrix.tolist() for how in ("sum", "zscore", "linear")] == [
        [[1]],
        [[4]],
        [[0]],
    ]
    with pytest.raises(InputError, match="no normalisation 'max'"):
        normalised(table, "max")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_as_java_prints_them_are_the_same_numbers(number: float) -> None:
    text = double_text(number)
    assert float(text) == number
    mantissa, _, exponent = text.partition("E")
    assert "." in mantissa
    if exponent:
        assert 1 <= abs(float(mantissa)) < 10
        assert not 1e-3 <= abs(number) < 1e7


def test_numbers_as_java_prints_them_in_the_golden_files() -> None:
    texts = [line.split()[2] for path in GOLDEN.glob("*.scores") for line in path.read_text().splitlines()]
    assert len(texts) > 500
    assert [double_text(float(text)) for text in texts] == texts
