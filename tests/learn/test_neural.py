"""Linear, MLP and attention scorers: fitted, resumed, saved and exported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from idealist.conventions import Conventions
from idealist.data.features import Features
from idealist.errors import InputError
from idealist.learn.losses import Soft
from idealist.learn.losses.loss_names import loss_of
from idealist.learn.model_training import train
from idealist.learn.models.base_model import Bag, Model
from idealist.learn.models.linear import Linear
from idealist.learn.models.model_storage import load_model, save_model
from idealist.learn.models.neural_model import Batches
from idealist.learn.models.ranklib_models import SigmoidNetwork
from idealist.learn.objective import Objective
from idealist.learn.trainers.neural_trainers import LinearTrainer
from idealist.learn.trainers.trainer import Trainer
from idealist.measures.naming import parse

KINDS: dict[str, dict[str, Any]] = {
    "linear": {},
    "mlp": {"hidden": "8,4", "dropout": 0.2},
    "attention": {"width": 8, "heads": 2, "layers": 1, "dropout": 0.2},
}


def made(queries: int, seed: int) -> Features:
    """Lists of 3 to 9 documents whose grade follows 2·a − b; c says nothing."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(3, 10, size=queries)
    matrix = rng.normal(size=(sizes.sum(), 3))
    grades = np.clip(np.round(2 * matrix[:, 0] - matrix[:, 1] + 1), 0, 4)
    return Features(matrix, sizes=sizes, grades=grades, names=["a", "b", "c"])


TRAIN, VALIDATION = made(24, 0), made(10, 1)


def fitted(kind: str, **changes: Any) -> Model:
    parameters = {"epochs": 4, "batch": 8, **KINDS[kind]}
    trainer = Trainer.parse(
        kind, **{**parameters, **{n: v for n, v in changes.items() if n in ("epochs", "batch", "loss")}}
    )
    rest = {name: value for name, value in changes.items() if name in ("seed", "checkpoint", "progress")}
    return trainer.fit(TRAIN, VALIDATION, measure="nDCG@5", **rest)


def scores(model: Model) -> list[float]:
    found: list[float] = model.scores(VALIDATION).tolist()
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_it_learns(kind: str) -> None:
    model = train(
        kind, TRAIN, VALIDATION, measure="nDCG@5", epochs=40, learning_rate=0.02, batch=8, **KINDS[kind]
    )
    test = made(20, 2)
    value = Objective(test, "nDCG@5").value(model.scores(test))
    random = Objective(test, "nDCG@5").value(np.random.default_rng(0).normal(size=len(test)))
    assert value > random + (1 - random) / 2
    assert model.training["value"] == Objective(VALIDATION, "nDCG@5").value(model.scores(VALIDATION))


@pytest.mark.parametrize("seed", [0, 5, 7])
def test_a_linear_model_finds_the_sign_of_one_feature(seed: int) -> None:
    """The feature is the grade but for less than a tenth: the ranking is perfect with any weight above 0."""
    rng = np.random.default_rng(0)
    grades = rng.integers(0, 4, 240)
    rows = Features(grades[:, None] + rng.uniform(0, 0.1, (240, 1)), sizes=[8] * 30, grades=grades)
    assert train("linear", rows, measure="nDCG@10", seed=seed, epochs=5).training["value"] == 1.0


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_gives_the_same_model_whatever_ran_before(kind: str) -> None:
    before = torch.random.get_rng_state()
    first = scores(fitted(kind))
    assert torch.equal(before, torch.random.get_rng_state())
    torch.manual_seed(99)
    torch.rand(7)
    assert scores(fitted(kind)) == first
    assert scores(fitted(kind, seed=1)) != first


@pytest.mark.parametrize("kind", KINDS)
def test_a_fit_that_is_resumed_comes_to_the_same_numbers(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "fit.checkpoint"
    fitted(kind, epochs=2, checkpoint=file)
    assert scores(fitted(kind, epochs=5, checkpoint=file)) == scores(fitted(kind, epochs=5))


@pytest.mark.parametrize("loss", ["xe-ndcg", "pl-rank", "ordinal(levels=4)"])
def test_what_a_loss_draws_or_learns_is_resumed(loss: str, tmp_path: Path) -> None:
    file = tmp_path / "fit.checkpoint"
    fitted("linear", loss=loss, epochs=2, checkpoint=file)
    resumed = fitted("linear", loss=loss, epochs=5, checkpoint=file)
    assert resumed.training["values"] == fitted("linear", loss=loss, epochs=5).training["values"]
    assert scores(resumed) == scores(fitted("linear", loss=loss, epochs=5))


def test_losses_draw_other_numbers_for_other_seeds(losses_made: list[Any]) -> None:
    for seed in (0, 0, 1):
        fitted("linear", loss="xe-ndcg", epochs=1, seed=seed)
    fitted("linear", loss="xe-ndcg(seed=7)", epochs=1, seed=1)
    first, again, other, stated = (loss.seed for loss in losses_made)
    assert first == again != other
    assert stated == 7


def test_thresholds_of_ordinal_learn(losses_made: list[Any]) -> None:
    trainer = Trainer.parse(
        "linear",
        loss="ordinal(levels=4)",
        epochs=1,
        batch=0,
        learning_rate=0.01,
        weight_decay=0.5,
    )
    trainer.fit(TRAIN, VALIDATION, measure="nDCG@5")
    # The first step of Adam is as long as the learning rate, from thresholds 0, 1, 2, 3 that do not decay:
    # gaps are softplus(g), g = ln(e - 1).
    (loss,) = losses_made
    assert abs(float(loss.first.detach())) == pytest.approx(0.01, rel=1e-4)
    moved = (loss.gaps.detach() - float(np.log(np.e - 1))).abs().tolist()
    assert moved == pytest.approx([0.01] * 3, rel=1e-4)


@pytest.fixture
def losses_made(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The losses that trainers make from now on."""
    made: list[Any] = []

    def kept(*given: Any, **named: Any) -> Any:
        made.append(loss_of(*given, **named))
        return made[-1]

    monkeypatch.setattr("idealist.learn.trainers.neural_trainers.loss_of", kept)
    return made


def test_a_checkpoint_goes_on_under_the_same_conventions_names_and_ids(tmp_path: Path) -> None:
    file = tmp_path / "fit.checkpoint"
    trainer = LinearTrainer(epochs=1)
    plain: dict[str, Any] = {"sizes": [2, 2], "grades": [1, 0, 0, 1]}
    rows = [[1.0, 0.0], [0.0, 1.0], [0.5, 0.5], [0.0, 2.0]]
    trainer.fit(Features(rows, **plain), measure="nDCG", checkpoint=file)
    trainer.fit(Features(rows, **plain), measure="nDCG", checkpoint=file)
    others: list[dict[str, Any]] = [{"names": "ab"}, {"queries": "qr"}, {"documents": "defg"}]
    for other in others:
        with pytest.raises(InputError, match="of other settings"):
            trainer.fit(Features(rows, **plain, **other), measure="nDCG", checkpoint=file)
    with pytest.raises(InputError, match="of other settings"):
        trainer.fit(
            Features(rows, **plain),
            measure="nDCG",
            checkpoint=file,
            conventions=Conventions(ties="id-ascending"),
        )


def test_a_checkpoint_of_something_else_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "fit.checkpoint"
    fitted("linear", checkpoint=file)
    with pytest.raises(InputError, match="of other settings, features or another seed"):
        fitted("linear", checkpoint=file, seed=1)
    with pytest.raises(InputError, match="of other settings"):
        fitted("linear", checkpoint=file, batch=4)
    file.write_bytes(file.read_bytes()[:-5])
    with pytest.raises(InputError, match="damaged or cut short"):
        fitted("linear", checkpoint=file)
    file.write_text("my notes")
    with pytest.raises(InputError, match="damaged or cut short"):
        fitted("linear", checkpoint=file)
    assert file.read_text() == "my notes"


@pytest.mark.parametrize("kind", KINDS)
def test_models_score_the_same_when_they_come_back(kind: str, tmp_path: Path) -> None:
    model = fitted(kind)
    file = tmp_path / "model"
    save_model(model, file)
    assert scores(load_model(file)) == scores(model)
    if kind != "linear":
        with pytest.raises(InputError, match="cannot be written as a model of Idealist in JSON"):
            save_model(model, tmp_path / "model.json")


def test_only_some_trainers_have_checkpoints(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="ranknet has no checkpoints"):
        train("ranknet", TRAIN, checkpoint=str(tmp_path / "checkpoint"))


def test_a_damaged_array_is_refused(tmp_path: Path) -> None:
    from safetensors import safe_open
    from safetensors.numpy import save_file

    save_model(fitted("mlp"), tmp_path / "model")
    with safe_open(tmp_path / "model", framework="np") as file:
        arrays, metadata = {name: file.get_tensor(name) for name in file.keys()}, file.metadata()  # noqa: SIM118
    arrays["last.weight"] = arrays["last.weight"][:, 1:]
    save_file(arrays, tmp_path / "other", metadata=metadata)
    with pytest.raises(InputError, match="is incomplete"):
        load_model(tmp_path / "other")


def test_scores_of_a_query_do_not_depend_on_others() -> None:
    model = fitted("attention")
    whole = model.score(VALIDATION.matrix, VALIDATION.sizes)
    first = int(VALIDATION.sizes[0])
    alone = model.score(VALIDATION.matrix[:first], VALIDATION.sizes[:1])
    assert whole[:first].tolist() == alone.tolist()


def test_attention_does_not_look_at_the_order_of_documents() -> None:
    model = fitted("attention")
    size = int(VALIDATION.sizes[0])
    order = np.random.default_rng(0).permutation(size)
    there = model.score(VALIDATION.matrix[:size], np.array([size]))
    moved = model.score(VALIDATION.matrix[:size][order], np.array([size]))
    assert moved.tolist() == pytest.approx(there[order].tolist(), abs=1e-5)


def test_batches_hold_every_query_once_and_lists_of_like_length() -> None:
    sizes = np.array([1, 50] * 8)
    batches = Batches(
        np.zeros((sizes.sum(), 1)),
        np.zeros(sizes.sum()),
        sizes,
        size=4,
        seed=0,
        dtype=torch.float64,
        device=torch.device("cpu"),
    )
    found = batches.query_batches(0)
    assert sorted(np.concatenate(found).tolist()) == list(range(16))
    assert all(len(set(sizes[some])) == 1 for some in found)
    assert [some.tolist() for some in batches.query_batches(1)] != [some.tolist() for some in found]


def test_padding_is_masked() -> None:
    batches = Batches(
        np.ones((3, 1)),
        np.ones(3),
        np.array([2, 1]),
        size=2,
        seed=0,
        dtype=torch.float64,
        device=torch.device("cpu"),
    )
    (batch,) = batches.epoch(0)
    assert sorted(batch.mask.sum(dim=1).tolist()) == [1, 2]
    assert batch.features[~batch.mask].tolist() == [[0.0]]


def test_a_bag_is_the_mean_of_its_seeds(tmp_path: Path) -> None:
    model = train("linear", TRAIN, VALIDATION, measure="nDCG@5", bag=3, epochs=3)
    assert isinstance(model, Bag)
    assert len({member.weights for member in model.models if isinstance(member, Linear)}) == 3
    assert model.training["value"] == Objective(VALIDATION, "nDCG@5").value(model.scores(VALIDATION))
    save_model(model, tmp_path / "bag.json")
    assert scores(load_model(tmp_path / "bag.json")) == scores(model)


def test_early_stopping_keeps_the_best_epoch() -> None:
    trainer = Trainer.parse("linear", epochs=60, patience=3, learning_rate=0.5, batch=8)
    model = trainer.fit(TRAIN, VALIDATION, measure="nDCG@5")
    epoch = model.training["iterations"]["used"]
    run = min(epoch + 3, 60)
    assert model.training["iterations"] == {"unit": "epoch", "used": epoch, "run": run, "limit": 60}
    assert model.training["values"][epoch - 1] == max(model.training["values"]) == model.training["value"]
    last = Trainer.parse("linear", epochs=epoch, patience=0, learning_rate=0.5, batch=8, keep="last")
    assert scores(last.fit(TRAIN, VALIDATION, measure="nDCG@5")) == scores(model)
    shorter = Trainer.parse("linear", epochs=epoch, patience=0, learning_rate=0.5, batch=8)
    assert scores(shorter.fit(TRAIN, VALIDATION, measure="nDCG@5")) == scores(model)


@pytest.mark.parametrize("loss", ["lambda-rank", "ListNet", "soft(temperature=1, k=3)", "xendcg", "pl-rank"])
def test_losses_by_name(loss: str) -> None:
    assert np.isfinite(scores(fitted("linear", loss=loss, epochs=2))).all()
    assert scores(fitted("linear", loss=loss, epochs=2)) == scores(fitted("linear", loss=loss, epochs=2))


def test_by_default_the_loss_is_made_from_the_measure() -> None:
    assert loss_of("soft", parse("AP@5")).settings() == Soft("AP@5").settings()
    assert loss_of("soft(temperature=0.3)", parse("nDCG@5")).settings() == {
        **Soft("nDCG@5").settings(),
        "temperature": 0.3,
    }
    assert loss_of("soft(k=none)", parse("nDCG@5")).settings() == Soft("nDCG").settings()
    # Whole lists, as for all other losses of gains.
    assert str(loss_of("pirank", parse("nDCG@5")).measure) == "nDCG"
    assert loss_of("soft(k=3)", parse("AP")).settings() == Soft("AP@3").settings()


@pytest.mark.parametrize("kind", ["linear", "mlp"])
def test_it_trains_for_what_it_reports(kind: str) -> None:
    def scores_by(**parameters: Any) -> list[float]:
        return scores(train(kind, TRAIN, VALIDATION, measure="RR(level=4)", epochs=3, **parameters))

    assert scores_by() == scores_by(loss="soft")
    assert scores_by() != scores_by(loss="lambda-rank")


def test_a_measure_without_a_soft_form_is_trained_for_by_another_loss() -> None:
    with pytest.raises(InputError, match="GMAP has no soft form: it is no mean over queries") as caught:
        train("linear", TRAIN, VALIDATION, measure="GMAP", epochs=1)
    assert "lambda-loss" in caught.value.hint
    assert np.isfinite(
        scores(train("linear", TRAIN, VALIDATION, measure="GMAP", epochs=1, loss="lambda-loss"))
    ).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"loss": "hinge"}, "there is no loss 'hinge'"),
        ({"loss": "soft(heat=1)"}, "Soft has no parameter 'heat'"),
        ({"loss": "soft(0.3)"}, "cannot be read at '0.3'"),
        ({"epochs": 0}, "epochs must be 1 or more, not 0"),
        ({"learning_rate": 0}, "learning_rate must be above 0"),
        ({"precision": "half"}, "precision must be one of single, double"),
        ({"device": "abacus"}, "device 'abacus' cannot be used"),
        ({"normalisation": "softmax"}, "there is no normalisation"),
    ],
)
def test_settings_that_cannot_be_right(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        train("linear", TRAIN, VALIDATION, **parameters)


def test_heads_share_the_width() -> None:
    with pytest.raises(InputError, match="a width of 9 cannot be shared by 2 heads"):
        train("attention", TRAIN, width=9, heads=2)


def test_features_that_cannot_be_learnt_from() -> None:
    with pytest.raises(InputError, match="every feature is constant"):
        train("linear", Features([[1.0], [1.0]], sizes=[2], grades=[0, 1]))
    with pytest.raises(InputError, match="feature '1' is nan"):
        train("linear", Features([[1.0], [np.nan]], sizes=[2], grades=[0, 1]))
    other = Features(VALIDATION.matrix[:, :2], sizes=VALIDATION.sizes, grades=VALIDATION.grades, names="ab")
    with pytest.raises(InputError, match="takes feature 'c'"):
        train("linear", TRAIN, other)


def test_progress_is_told() -> None:
    seen: list[tuple[int, int]] = []
    fitted("linear", progress=lambda done, whole: seen.append((done, whole)))
    assert seen == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.parametrize("normalisation", ["z-score", "sum", "rank", "log+global-z-score"])
def test_onnx_scores_as_the_model_does(normalisation: str, tmp_path: Path) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    kind = "attention" if normalisation == "z-score" else "linear"
    model = train(kind, TRAIN, VALIDATION, normalisation=normalisation, epochs=1, **KINDS[kind])
    save_model(model, tmp_path / "model.onnx")
    session = onnxruntime.InferenceSession(str(tmp_path / "model.onnx"), providers=["CPUExecutionProvider"])
    start = 0
    for size in [*VALIDATION.sizes.tolist()[:3], 1]:
        rows = VALIDATION.matrix[start : start + size]
        (found,) = session.run(["scores"], {"features": rows})
        assert found.tolist() == pytest.approx(model.score(rows, np.array([size])).tolist(), abs=1e-5)
        start += size
    with pytest.raises(InputError, match="written, but not read"):
        load_model(tmp_path / "model.onnx")


@pytest.mark.parametrize("normalisation", ["z-score", "global-z-score"])
def test_onnx_tells_times_apart(normalisation: str, tmp_path: Path) -> None:
    # Seconds since 1970: near 1.6e9 the numbers of 32 bits are 128 apart.
    onnxruntime = pytest.importorskip("onnxruntime")
    rows = 1.6e9 + np.arange(12.0).reshape(6, 2) ** 2 / 4
    assert len(np.unique(rows[:, 0].astype(np.float32))) == 1
    times = Features(rows, sizes=[6], grades=[0, 0, 1, 1, 2, 2])
    model = train("mlp", times, normalisation=normalisation, epochs=2, **KINDS["mlp"])
    save_model(model, tmp_path / "model.onnx")
    session = onnxruntime.InferenceSession(str(tmp_path / "model.onnx"), providers=["CPUExecutionProvider"])
    (found,) = session.run(["scores"], {"features": rows})
    assert found.tolist() == pytest.approx(model.scores(times).tolist(), abs=1e-5)


def test_trees_and_networks_of_logistic_units_have_no_graph(tmp_path: Path) -> None:
    network = SigmoidNetwork(["a"], [[[1.0], [0.0]]])
    for model in (network, Bag([network, network])):
        with pytest.raises(InputError, match="cannot be written as ONNX") as caught:
            save_model(model, tmp_path / "model.onnx")
        assert "safetensors" in caught.value.hint


def test_a_list_that_no_memory_holds_is_refused() -> None:
    size = 70_000
    long = Features(
        np.arange(size)[:, None], sizes=[size], grades=np.arange(size) % 2, queries=["everything"]
    )
    with pytest.raises(
        InputError, match="query 'everything' has 70,000 documents: a batch of 1 such lists takes"
    ):
        train("attention", long, heads=8, width=8)


@pytest.mark.parametrize("kind", ["linear", "ascent"])
def test_grades_that_the_gain_table_lacks(kind: str) -> None:
    with pytest.raises(
        InputError, match=r"query .*, document .*: the grade is 4, which the gain table lacks"
    ):
        train(kind, TRAIN, measure="nDCG(gain={0:0,1:1})@5")
