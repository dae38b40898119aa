"""A real, tiny sentence-transformers model, evaluated by any measure."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import StaticEmbedding
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from idealist import InputError, compare, evaluate
from idealist.learn import RetrievalEvaluator

# PyTorch and the libraries around it warn of each other; none of it is ours.
pytestmark = pytest.mark.filterwarnings("ignore")

WORDS = ["[UNK]", "red", "blue", "lipstick", "scarf", "wool"]
QUERIES = {"q1": "red lipstick", "q2": "blue scarf", "q3": "not judged"}
DOCUMENTS = {"d1": "red lipstick", "d2": "blue lipstick", "d3": "red scarf", "d4": "blue scarf wool"}
JUDGMENTS = {"q1": {"d1": 2, "d2": 1}, "q2": {"d4": 1, "d1": 0}}


@pytest.fixture(scope="module")
def model() -> SentenceTransformer:
    """A word is a direction of its own, so that the similarity is the cosine of the words' counts."""
    import torch

    tokenizer = Tokenizer(WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    module = StaticEmbedding(tokenizer, embedding_weights=torch.eye(len(WORDS)).numpy())
    return SentenceTransformer(modules=[module], device="cpu")


def test_what_a_model_retrieves(model: SentenceTransformer, tmp_path: Path) -> None:
    evaluator = RetrievalEvaluator(QUERIES, DOCUMENTS, JUDGMENTS, ["RR", "P@1", "nDCG@2"], name="shop")
    metrics = evaluator(model, str(tmp_path), epoch=1, steps=10)
    # q1: d1 has both words, d2 and d3 one each and stand as in the documents; q2: d4 first (2 of 3 words), d1 last.
    assert evaluator.run is not None
    assert evaluator.run.ranking("q1")[0] == "d1"
    assert evaluator.run.ranking("q2")[0] == "d4"
    assert metrics["shop_RR"] == metrics["shop_P@1"] == 1
    assert metrics["shop_nDCG@2"] == pytest.approx(
        evaluate(JUDGMENTS, evaluator.run, "nDCG@2").mean("nDCG@2")
    )
    assert metrics["shop_RR_low"] < 1 == metrics["shop_RR_high"]  # two queries do not say much
    assert (evaluator.primary_metric, evaluator.greater_is_better) == ("shop_RR", True)
    with (tmp_path / "RetrievalEvaluator_shop_results.csv").open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["epoch"], row["RR"]) == ("1", "1.0")


@pytest.mark.parametrize("chunk", [1, 3, 100])
def test_chunks_and_depth_change_nothing(model: SentenceTransformer, chunk: int) -> None:
    whole = RetrievalEvaluator(QUERIES, DOCUMENTS, JUDGMENTS)
    small = RetrievalEvaluator(QUERIES, DOCUMENTS, JUDGMENTS, chunk=chunk, depth=3)
    whole(model), small(model)
    assert whole.run is not None
    assert small.run is not None
    for query in JUDGMENTS:
        assert small.run.ranking(query) == whole.run.ranking(query)[:3]


def test_two_models_are_compared(model: SentenceTransformer) -> None:
    evaluator = RetrievalEvaluator(QUERIES, DOCUMENTS, JUDGMENTS, "RR")
    evaluator(model)
    assert evaluator.run is not None
    other = {"q1": {"d2": 1.0}, "q2": {"d1": 1.0}}
    runs: dict[str, Any] = {"model": evaluator.run, "other": other}
    compared = compare(JUDGMENTS, runs, "RR", baseline="other")
    assert "model" in str(compared)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"queries": {"q1": "red"}}, "query 'q2' is judged but has no text"),
        ({"documents": {}}, "there are no documents"),
        ({"measures": []}, "no measure was given"),
        ({"depth": 0}, "depth"),
    ],
)
def test_bad_input(changed: dict[str, Any], message: str) -> None:
    given = {"queries": QUERIES, "documents": DOCUMENTS, "judgments": JUDGMENTS, **changed}
    with pytest.raises(InputError, match=message):
        RetrievalEvaluator(**given)
