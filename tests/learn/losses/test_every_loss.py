"""What holds of every loss: gradients, batches, weights, bad input."""

from __future__ import annotations

import pickle

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from support.losses import CERTAIN, RANDOM, name_of, number, some_lists

import idealist as il
from idealist.learn import losses
from idealist.learn.losses import LambdaRank, Loss, Soft, SoftmaxCrossEntropy, loss_named
from idealist.learn.losses.loss_names import LOSSES

every = pytest.mark.parametrize("loss", CERTAIN + RANDOM, ids=name_of)
certain = pytest.mark.parametrize("loss", CERTAIN, ids=name_of)


@certain
def test_gradients_are_those_of_the_values(loss: Loss) -> None:
    scores, grades, mask = some_lists()
    weights = torch.rand(scores.shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    queries = torch.tensor([1.0, 2.0, 0.5, 0.0], dtype=torch.float64)

    def value(scores: torch.Tensor) -> torch.Tensor:
        weighed = {"item_weights": weights} if loss.weighs_documents else {}
        return loss(scores, grades, mask=mask, query_weights=queries, **weighed)

    assert torch.autograd.gradcheck(value, (scores.requires_grad_(),))


@every
def test_gradients_are_finite_whatever_comes(loss: Loss) -> None:
    """Few cases by name stand in the laws; these are drawn, in 32 bits."""

    @given(
        st.lists(
            st.tuples(
                st.sampled_from([0.0, 0.0, 1.0, -1.0, 1e4, -1e4, 1e-30, 3.3, 3.3000002]),
                st.sampled_from([0.0, 1.0, 2.0, 3.0, float("nan")]),
                st.booleans(),
            ),
            min_size=1,
            max_size=6,
        )
    )
    def finite(documents: list[tuple[float, float, bool]]) -> None:
        scores, grades, mask = (list(column) for column in zip(*documents, strict=True))
        given_scores = torch.tensor([scores, scores], requires_grad=True)
        value = loss(
            given_scores, torch.tensor([grades, grades]), mask=torch.tensor([mask, [True] * len(mask)])
        )
        value.backward()
        assert value.isfinite()
        assert given_scores.grad is not None
        assert given_scores.grad.isfinite().all()
        assert not given_scores.grad[0][~torch.tensor(mask)].any()

    finite()


@certain
def test_a_matrix_one_list_and_flat_lists_are_the_same(loss: Loss) -> None:
    scores, grades, mask = some_lists()
    apart = [loss(scores[at][mask[at]], grades[at][mask[at]]) for at in range(4)]
    together = loss(scores, grades, mask=mask)
    flat = loss(scores[mask], grades[mask], sizes=mask.sum(dim=-1))
    assert number(together) == pytest.approx(sum(map(number, apart)) / 4)
    assert number(flat) == pytest.approx(number(together))


@certain
def test_how_a_matrix_lies_in_memory_does_not_matter(loss: Loss) -> None:
    scores, grades, mask = some_lists()
    turned = [tensor.T.contiguous().T for tensor in (scores, grades, mask)]
    assert not turned[0].is_contiguous()
    assert number(loss(turned[0], turned[1], mask=turned[2])) == number(loss(scores, grades, mask=mask))


@certain
def test_a_query_of_weight_two_counts_as_two(loss: Loss) -> None:
    scores, grades, _ = some_lists(3, 2)
    twice = loss(scores[[0, 0, 1]], grades[[0, 0, 1]])
    weighed = loss(scores, grades, query_weights=torch.tensor([2.0, 1.0]))
    assert number(weighed) == pytest.approx(number(twice))


@certain
def test_reductions(loss: Loss) -> None:
    scores, grades, _ = some_lists()
    each = loss.replaced(reduction="none")(scores, grades)
    assert each.shape == (4,)
    assert number(loss.replaced(reduction="sum")(scores, grades)) == pytest.approx(number(each.sum()))
    assert number(loss(scores, grades)) == pytest.approx(number(each.mean()))


@certain
def test_nothing_relevant_is_zero_and_counts_and_no_document_does_not(loss: Loss) -> None:
    """As in `evaluate` under empty=zero; a list without documents is padding of the batch."""
    scores, grades, _ = some_lists(5, 3)
    grades[1] = 0
    mask = torch.ones_like(grades, dtype=torch.bool)
    mask[2] = False
    scores.requires_grad_()
    value = loss(scores, grades, mask=mask)
    value.backward()
    alone = loss(scores[0].detach(), grades[0])
    assert number(value) == pytest.approx(number(alone) / 2)
    assert not scores.grad[1:].any()


@every
def test_no_list_and_no_document(loss: Loss) -> None:
    for shape in ((0, 3), (2, 0), (0, 0)):
        scores = torch.zeros(shape, requires_grad=True)
        value = loss(scores, torch.zeros(shape))
        value.backward()
        assert value == 0


@every
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_short_numbers_are_computed_with_in_32_bits(loss: Loss, dtype: torch.dtype) -> None:
    scores, grades, _ = some_lists()
    short = scores.to(dtype).requires_grad_()
    value = loss(short, grades)
    value.backward()
    assert value.dtype == torch.float32
    assert short.grad is not None
    assert short.grad.dtype == dtype
    if not getattr(loss, "random", False):
        assert number(value) == pytest.approx(number(loss(short.detach().double(), grades)), rel=1e-4)


@certain
def test_what_is_computed_in_16_bits_around_a_loss_does_not_touch_it(loss: Loss) -> None:
    scores, grades, mask = some_lists(6, 4, 30)
    scores = scores.float()
    expected = loss(scores, grades, mask=mask)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert loss(scores, grades, mask=mask) == expected


@certain
def test_a_loss_trains_after_it_was_used_for_inference(loss: Loss) -> None:
    """What is kept from call to call was made there; 13 documents, which no other test has."""
    scores, grades, _ = some_lists(6, 2, 13)
    with torch.inference_mode():
        value = number(loss(scores, grades))
    again = loss(scores.requires_grad_(), grades)
    again.backward()
    assert number(again) == value


@every
def test_without_gradients_the_value_is_the_same(loss: Loss) -> None:
    scores, grades, mask = some_lists()
    values = []
    for wanted in (True, False):
        if hasattr(loss, "reset"):
            loss.reset()
        values.append(number(loss(scores.clone().requires_grad_(wanted), grades, mask=mask)))
    assert values[0] == values[1]


@every
def test_losses_are_copied_by_pickle_and_by_their_settings(loss: Loss) -> None:
    scores, grades, _ = some_lists()
    if hasattr(loss, "reset"):
        loss.reset()
    copies = [loss.replaced(), loss_named(type(loss).__name__, **loss.settings())]
    if not hasattr(loss, "generator"):
        copies.append(pickle.loads(pickle.dumps(loss)))
    expected = loss(scores, grades)
    for copy in copies:
        assert repr(copy) == repr(loss)
        assert copy(scores, grades) == expected


def test_propensities_divide_what_weights_multiply() -> None:
    scores, clicks, _ = some_lists()
    seen = torch.full(scores.shape, 0.25, dtype=torch.float64)
    for loss in (SoftmaxCrossEntropy(), LambdaRank(), Soft("DCG")):
        assert loss(scores, clicks, propensities=seen) == pytest.approx(
            4 * float(loss(scores, clicks)), rel=1e-9
        )
    # With an ideal list of the same gains, a factor that all have cancels out.
    assert Soft()(scores, clicks, propensities=seen) == pytest.approx(float(Soft()(scores, clicks)))


def test_inverse_propensities_are_unbiased() -> None:
    """A relevant document is clicked where it is seen: with chance p its term counts 1/p, else 0; the mean is the term."""
    scores, relevant = torch.tensor([0.3, -0.2]), torch.tensor([1.0, 1.0])
    seen = torch.tensor([0.8, 0.5])
    loss = SoftmaxCrossEntropy()
    mean = sum(
        (0.8 if a else 0.2) * 0.5 * float(loss(scores, torch.tensor([a, b]), propensities=seen))
        for a in (1.0, 0.0)
        for b in (1.0, 0.0)
    )
    assert mean == pytest.approx(float(loss(scores, relevant)))


def test_judged_documents_outside_the_list_belong_to_the_ideal_list() -> None:
    """One of the two relevant documents was not retrieved: 1 / (1 + 1/log2(3))."""
    scores, grades = torch.tensor([[2.0, 1.0]]), torch.tensor([[1, 0]])
    judged = torch.tensor([[1.0, 0.0, 1.0, float("nan")]])
    cold = Soft(temperature=1e-3)
    expected = il.evaluate({"q": {"a": 1, "b": 0, "c": 1}}, {"q": {"a": 2, "b": 1}}, "nDCG").mean("nDCG")
    assert -cold(scores, grades, judged=judged) == pytest.approx(expected)
    retrieved = Soft("nDCG(ideal=retrieved)", temperature=1e-3)
    assert -retrieved(scores, grades, judged=judged) == pytest.approx(1.0)


def test_functions_are_the_losses_called_once() -> None:
    scores, grades, mask = some_lists()
    assert losses.soft(scores, grades, measure="nDCG@3", temperature=0.5, mask=mask) == Soft(
        "nDCG@3", temperature=0.5
    )(scores, grades, mask=mask)
    for loss in LOSSES:
        name = {"Ordinal": ""}.get(loss.__name__, loss.__name__)
        functions = [n for n in dir(losses) if n.replace("_", "") == name.lower()]
        assert name == "" or len(functions) == 1, loss


def test_a_table_need_not_have_what_no_document_has() -> None:
    """Padding, unjudged documents and negative grades have no gain, and grade 0 is not looked up for them."""
    loss = Soft(il.NDCG(gain={1: 1, 2: 3}), reduction="none")
    scores, mask = torch.tensor([[2.0, 1.0], [1.0, 0.0]]), torch.tensor([[True, True], [True, False]])
    alone = [float(loss(scores[0], torch.tensor([1, 2]))), float(loss(scores[1, :1], torch.tensor([2])))]
    assert loss(scores, torch.tensor([[1, 2], [2, 0]]), mask=mask).tolist() == alone
    assert loss(torch.tensor([2.0, 1.0, 1.0]), torch.tensor([1, 2, 2]), sizes=[2, 1]).tolist() == alone
    of_two = float(Soft("nDCG")(scores[1], torch.tensor([3, 0])))
    for worthless in (float("nan"), -1.0):
        assert float(loss(scores[1], torch.tensor([2, worthless]))) == of_two


@pytest.mark.parametrize("gain", ["linear", "exp", "binary", "{0:0,1:1}"])
@pytest.mark.parametrize("number", [float("inf"), -float("inf")])
def test_grades_are_finite(gain: str, number: float) -> None:
    loss = Soft(f"nDCG(gain={gain})")
    scores, grades = torch.zeros(2, 2), torch.tensor([[1.0, 0.0], [1.0, number]])
    with pytest.raises(il.InputError, match=f"list 1, place 1: a grade of {number}"):
        loss(scores, grades)
    with pytest.raises(il.InputError, match=f"list 1, place 1: a grade of {number}"):
        loss(scores, torch.ones(2, 2), judged=grades)
    assert loss(scores, grades, mask=torch.tensor([[True, True], [True, False]])).isfinite()


@pytest.mark.parametrize(
    ("gain", "grade", "words"),
    [
        ("exp", 128, "grade 128 is too high for gain=exp in 32 bits"),  # floats of 32 bits end below 2^128
        ("linear", 1e39, "a gain of 1e.39 is infinite in 32 bits"),
        ("{0:0,1:1e39}", 1, "a gain of 1e.39 is infinite in 32 bits"),
    ],
)
def test_gains_are_finite_in_the_bits_of_the_scores(gain: str, grade: float, words: str) -> None:
    loss = Soft(f"nDCG(gain={gain})")
    scores, grades = torch.zeros(1, 2), torch.tensor([[grade, 0.0]], dtype=torch.float64)
    with pytest.raises(il.InputError, match=words):
        loss(scores, grades)
    same = Soft()(scores.double(), torch.tensor([[1, 0]]))
    assert float(loss(scores.double(), grades)) == pytest.approx(float(same))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([1.0, 2.0], [1]), "scores have shape (2,) and grades (1,)"),
        (([1.0, float("nan")], [1, 0]), "list 0 has a score that is nan, at place 1"),
        (([[1.0], [float("inf")]], [[1], [0]]), "list 1 has a score that is inf, at place 0"),
        (([[[1.0]]], [[[1]]]), "scores have 3 dimensions"),
    ],
)
def test_bad_scores(arguments: tuple[list[float], list[int]], words: str) -> None:
    with pytest.raises(il.InputError) as caught:
        Soft()(torch.tensor(arguments[0]), torch.tensor(arguments[1]))
    assert words in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ({"mask": torch.ones(2)}, "the mask is torch.float32 of shape (2,)"),
        ({"sizes": [3]}, "the sizes add up to 3, but there are 2 scores"),
        ({"sizes": [-1, 3]}, "sizes (2,) for scores"),
        ({"sizes": [2], "mask": torch.tensor([True, True])}, "sizes and a mask"),
        ({"item_weights": torch.tensor([1.0])}, "item_weights have shape (1,)"),
        ({"item_weights": torch.tensor([1.0, -1.0])}, "list 0, place 1: a weight of -1"),
        ({"propensities": torch.tensor([1.0, 0.0])}, "list 0, place 1: a propensity of 0"),
        ({"query_weights": torch.tensor([1.0, 2.0])}, "query weights for 1 lists"),
        ({"query_weights": torch.tensor([float("nan")])}, "list 0, place 0: a query weight of nan"),
        ({"judged": torch.ones(2, 2)}, "judged grades have shape (2, 2) for 1 lists"),
    ],
)
def test_bad_companions_of_scores(extra: dict[str, object], words: str) -> None:
    with pytest.raises(il.InputError) as caught:
        Soft()(torch.tensor([1.0, 2.0]), torch.tensor([1, 0]), **extra)
    assert words in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: LambdaRank("AP"), "LambdaRank cannot be made from AP"),
        (lambda: Soft(temperature=0), "temperature must be above 0, not 0"),
        (lambda: Soft(temperature=float("inf")), "temperature must be finite, not inf"),
        (lambda: Soft(reduction="median"), "there is no reduction 'median'"),
        (lambda: losses.LambdaLoss(kind="loss3"), "there is no LambdaLoss of kind 'loss3'"),
        (lambda: losses.PLRank(samples=0), "samples must be a whole number, 1 or more, not 0"),
        (lambda: losses.Ordinal(levels=0), "levels must be a whole number, 1 or more, not 0"),
        (lambda: losses.Ordinal(levels=2, thresholds=[1.0, 0.0]), "thresholds (1.0, 0.0) for 2 levels"),
        (
            lambda: losses.UnbiasedLambdaRank(positions=0),
            "positions must be a whole number, 1 or more, not 0",
        ),
        (lambda: losses.UnbiasedLambdaRank(norm=-1), "norm must be 0 or more, not -1"),
        (lambda: loss_named("hinge"), "there is no loss 'hinge'"),
        (lambda: loss_named("lambdarnk"), "did you mean LambdaRank? Name one of: Soft, NeuralNDCG, "),
        (lambda: Soft()([0.5, 0.1], torch.ones(2)), "the scores of a loss are a tensor, not list"),
        (lambda: Soft()(torch.ones(2), [1, 0]), "the grades of a loss are a tensor, not list"),
        (lambda: Soft()(torch.ones(2, 3, 1), torch.ones(2, 3)), "squeeze it, scores.squeeze(-1)"),
        (lambda: loss_named("ListNet", temperature=1), "ListNet has no parameter 'temperature'"),
        (
            lambda: losses.Ordinal(levels=1)(torch.ones(1), torch.tensor([2])),
            "grade 2 occurs, but the loss has 1 levels",
        ),
        (
            lambda: losses.LambdaRank("nDCG(gain={0:0,1:3})")(torch.ones(1), torch.tensor([2])),
            "grade 2 occurs, which the gain table lacks",
        ),
    ],
)
def test_bad_settings(make: object, words: str) -> None:
    with pytest.raises(il.InputError) as caught:
        make()  # type: ignore[operator]
    assert words in str(caught.value)
    assert caught.value.hint
