"""A tiny cross encoder with random weights, made here, trained by sentence-transformers with our losses and measures."""

from __future__ import annotations

import csv
import warnings
from pathlib import Path
from typing import Any

import pytest
import torch
from support.losses import number

import idealist as il
from idealist.learn import CrossEncoderEvaluator, CrossEncoderLoss
from idealist.learn.losses import LambdaLoss, ListMLE, Loss, PLRank, Soft

# PyTorch and the libraries around it warn of each other; none of it is ours.
pytestmark = pytest.mark.filterwarnings("ignore")

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "red", "blue", "lipstick", "mug", "old", "new"]
ROWS = [
    {"query": "red lipstick", "docs": ["red lipstick new", "blue mug", "red mug"], "labels": [2, 0, 1]},
    {"query": "blue mug", "docs": ["old lipstick", "blue mug old"], "labels": [0, 2]},
    {"query": "old mug", "docs": ["mug new", "old mug", "red lipstick", "old"], "labels": [1, 2, 0, 1]},
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of one layer, 16 wide, with a vocabulary of eleven words."""
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizer

    path = tmp_path_factory.mktemp("tiny")
    (path / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=32,
        num_labels=1,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    BertForSequenceClassification(config).save_pretrained(path)
    BertTokenizer(str(path / "vocab.txt")).save_pretrained(path)
    return path


@pytest.fixture
def model(folder: Path) -> Any:
    from sentence_transformers import CrossEncoder

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return CrossEncoder(str(folder), device="cpu", max_length=16)


def columns() -> tuple[list[list[Any]], list[torch.Tensor]]:
    return [[row["query"] for row in ROWS], [row["docs"] for row in ROWS]], [
        torch.tensor(row["labels"]) for row in ROWS
    ]


def trained(model: Any, loss: Loss, folder: Path, **settings: Any) -> tuple[Any, CrossEncoderEvaluator]:
    from datasets import Dataset
    from sentence_transformers.cross_encoder import CrossEncoderTrainer, CrossEncoderTrainingArguments

    evaluator = CrossEncoderEvaluator(ROWS, ["nDCG@2", "RR"], name="shop")
    arguments = CrossEncoderTrainingArguments(
        output_dir=str(folder),
        per_device_train_batch_size=3,
        learning_rate=5e-3,
        report_to=[],
        disable_tqdm=True,
        seed=1,
        use_cpu=True,
        **settings,
    )
    trainer = CrossEncoderTrainer(
        model=model,
        args=arguments,
        train_dataset=Dataset.from_list(ROWS),
        loss=CrossEncoderLoss(model, loss),
        evaluator=evaluator,
    )
    trainer.train()
    return trainer, evaluator


@pytest.mark.parametrize(
    "loss",
    [LambdaLoss("nDCG(gain=exp)@2"), Soft(temperature=1.0), ListMLE(), PLRank(seed=3)],
    ids=lambda loss: type(loss).__name__,
)
def test_training_makes_the_measure_better(model: Any, loss: Loss, tmp_path: Path) -> None:
    before = CrossEncoderEvaluator(ROWS, "nDCG@2")(model)["nDCG@2"]
    trained(model, loss, tmp_path, max_steps=25)
    after = CrossEncoderEvaluator(ROWS, "nDCG@2")(model)["nDCG@2"]
    assert after > before
    assert after > 0.9


def test_the_best_checkpoint_is_the_one_of_our_measure(model: Any, tmp_path: Path) -> None:
    trainer, evaluator = trained(
        model,
        LambdaLoss("nDCG@2"),
        tmp_path,
        max_steps=6,
        eval_strategy="steps",
        eval_steps=2,
        save_strategy="steps",
        save_steps=2,
        load_best_model_at_end=True,
        metric_for_best_model="eval_shop_nDCG@2",
        greater_is_better=True,
    )
    assert evaluator.primary_metric == "shop_nDCG@2"
    seen = [row["eval_shop_nDCG@2"] for row in trainer.state.log_history if "eval_shop_nDCG@2" in row]
    assert len(seen) == 3
    assert trainer.state.best_metric == max(seen)
    assert evaluator(model)["shop_nDCG@2"] == pytest.approx(max(seen))


def test_the_evaluator_has_the_values_of_evaluate(model: Any, tmp_path: Path) -> None:
    """Scored one by one, without a sigmoid."""
    run, judgments = {}, {}
    for row in ROWS:
        scores = [
            float(model.predict([(row["query"], text)], activation_fn=torch.nn.Identity())[0])
            for text in row["docs"]
        ]
        run[row["query"]] = {str(at): score for at, score in enumerate(scores)}
        judgments[row["query"]] = {str(at): grade for at, grade in enumerate(row["labels"])}
    expected = il.evaluate(judgments, run, ["nDCG@2", "AP"])
    evaluator = CrossEncoderEvaluator(ROWS, ["nDCG@2", il.AP()])
    values = evaluator(model, str(tmp_path / "out"), epoch=1, steps=5)
    assert values == pytest.approx({name: expected.mean(name) for name in ("nDCG@2", "AP")})
    evaluator(model, str(tmp_path / "out"), epoch=2, steps=10)
    with (tmp_path / "out" / "CrossEncoderEvaluator_results.csv").open() as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["epoch", "steps", "nDCG@2", "AP"]
    assert [row[:2] for row in rows[1:]] == [["1", "5"], ["2", "10"]]


def test_the_loss_is_that_of_the_scores(model: Any) -> None:
    inputs, labels = columns()
    scores = [
        torch.tensor(
            [float(model.predict([(query, text)], activation_fn=torch.nn.Identity())[0]) for text in docs]
        )
        for query, docs in zip(*inputs, strict=True)
    ]
    loss = LambdaLoss("nDCG@2")
    expected = sum(number(loss(s, g)) for s, g in zip(scores, labels, strict=True)) / 3
    for size in (None, 2):
        assert number(CrossEncoderLoss(model, loss, mini_batch_size=size)(inputs, labels)) == pytest.approx(
            expected, rel=1e-4
        )
    halved = CrossEncoderLoss(model, loss, activation_fn=lambda scores: scores / 2)(inputs, labels)
    expected = sum(number(loss(s / 2, g)) for s, g in zip(scores, labels, strict=True)) / 3
    assert number(halved) == pytest.approx(expected, rel=1e-4)


def test_what_goes_into_the_model_card(model: Any) -> None:
    loss = CrossEncoderLoss(model, Soft("nDCG@5"))
    assert loss.get_config_dict() == {
        "loss": "Soft",
        "measure": "nDCG@5",
        "temperature": 0.1,
        "cutoff_temperature": None,
        "reduction": "mean",
        "mini_batch_size": None,
    }
    assert CrossEncoderEvaluator(ROWS).get_config_dict()["measures"] == ["nDCG@10"]


def test_lower_is_better_where_it_is() -> None:
    assert not CrossEncoderEvaluator(ROWS, "RankingLoss").greater_is_better
    assert CrossEncoderEvaluator(ROWS).greater_is_better


def test_bad_columns(model: Any) -> None:
    inputs, labels = columns()
    loss = CrossEncoderLoss(model, ListMLE())
    with pytest.raises(il.InputError, match="query 'red lipstick' has 3 documents and 1 labels"):
        loss(inputs, [torch.tensor([1]), *labels[1:]])
    with pytest.raises(il.InputError, match="columns"):
        loss(inputs, torch.tensor([1, 0, 1]))
    with pytest.raises(il.InputError, match="sample 0 has no 'docs'"):
        CrossEncoderEvaluator([{"query": "a", "documents": [], "labels": []}])
    with pytest.raises(il.InputError, match="sample 0, query 'a', has 1 documents and 2 grades"):
        CrossEncoderEvaluator([{"query": "a", "docs": ["x"], "labels": [1, 2]}])
    with pytest.raises(il.InputError, match="there is no document"):
        CrossEncoderEvaluator([])
    with pytest.raises(il.InputError, match="no measure"):
        CrossEncoderEvaluator(ROWS, [])
