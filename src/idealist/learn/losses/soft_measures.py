"""Soft: any measure with soft ranks, from its own definition."""

from __future__ import annotations

import torch

from idealist.backends.soft.soft_lists import NoSoftForm, SoftLists
from idealist.backends.soft.soft_ranks import Precedence
from idealist.backends.tensors.tensor_values import Values
from idealist.conventions import DEFAULT
from idealist.data import Rankings
from idealist.data.needs import GRADES
from idealist.errors import InputError
from idealist.learn.losses.loss import Loss, known_gradient, positive, wants_gradient
from idealist.measures.families.gain import DCG, NDCG
from idealist.measures.naming import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from idealist.learn.losses.graded_lists import Lists
    from idealist.measures.measure import Measure

CELLS_AT_ONCE = (
    1 << 21
)  # pairs of documents, of which every step of a measure keeps a number for the way back
TRIED = 16  # documents of the list that a measure is tried on: discounts may be equal at the first ranks
OTHER_LOSSES = "take a loss of nDCG, such as lambda-loss, and choose the model by this measure"


class Soft(Loss):
    """Minus any measure with soft ranks: π̂(i) = 1 + Σ_{j≠i} σ((s_j - s_i)/T). Of nDCG it is ApproxNDCG.

    What the measure sums over the documents above another one is summed over all, each by how far it is above. Beyond a
    cut-off k a document counts 1/(1 + (π̂/(k + ½))^(1/W)), where W is `cutoff_temperature`; if not given it grows with the
    logarithm of the list's length, T·max(3, 2·ln(n/(k + ½))), so that no document is too far down to be pulled up. As T goes
    to 0 the loss goes to minus the measure, or to the measure where lower values are better. Quadratic time; measures that
    sum over relevant documents have rows for these alone. Measures of more than one grade per document, and those that ask
    for an operation without a soft form, are errors. Qin, Liu and Li, Information Retrieval 2010.

    >>> loss = Soft("AP", temperature=0.001)
    >>> round(float(loss(torch.tensor([3.0, 2.0, 1.0]), torch.tensor([1, 0, 1]))), 4)  # (1/1 + 2/3) / 2
    -0.8333
    """

    claims: tuple[str, ...] = ("shift", "limit")
    parameters_of_loss = ("temperature", "cutoff_temperature")
    weighs_documents: bool = False

    def __init__(
        self,
        measure: str | Measure = "nDCG",
        *,
        temperature: float = 0.1,
        cutoff_temperature: float | None = None,
        reduction: str = "mean",
    ) -> None:
        self.temperature = positive(temperature, "temperature")
        self.cutoff_temperature = (
            None if cutoff_temperature is None else positive(cutoff_temperature, "cutoff_temperature")
        )
        super().__init__(measure, reduction=reduction)
        if self._of_gains:
            # Of one document below the cut-off that is not the first relevant one, measures such as RR take no notice.
            self.claims = (*self.claims, "cut-off")
            self.weighs_documents = True
        self._whole_matrix = self._try()

    @property
    def _of_gains(self) -> bool:
        """Whether the measure sums gains, which may have weights, in the place of grades."""
        return isinstance(self.measure, (DCG, NDCG))

    def measure_of(self, measure: str | Measure) -> Measure:
        parsed = parse(measure)
        if why := _no_loss(parsed):
            raise InputError(f"{parsed} has no soft form: {why}", hint=OTHER_LOSSES)
        return parsed

    def gains_by(self) -> DCG | NDCG:
        # Of NDCG() only the gains are asked, for lists where nothing has one.
        return self.measure if isinstance(self.measure, (DCG, NDCG)) else NDCG()

    def _try(self) -> bool:
        """Whether the measure asks for all pairs of documents; an error if it has no soft form, before there are lists."""
        scores, grades = torch.zeros(1, TRIED), torch.eye(1, TRIED)
        precedence = Precedence(scores, scores == scores, self.temperature, self.cutoff_temperature)
        try:
            _, slopes = self._values(precedence, grades, None, slopes_wanted=True)
        except _NoLoss:
            raise
        except InputError:
            return True  # it has no value for these grades
        if slopes is None:
            raise _NoLoss(
                f"{self.measure} has no soft form: its value does not move with the scores", hint=OTHER_LOSSES
            )
        return precedence.whole

    def values(self, lists: Lists) -> torch.Tensor:
        grades, judged = lists.grades, lists.judged_grades
        if self._of_gains:
            grades, judged = lists.weighted_gains, lists.judged
        rows = grades.shape[1] if self._whole_matrix else int((grades > 0).sum(1).max())
        values, gradient = lists.scores.new_zeros(len(lists.scores)), torch.zeros_like(lists.scores)
        wanted = wants_gradient(lists.scores)
        for some in _some_lists(len(grades), rows * grades.shape[1]):
            values[some], slopes = self._values(
                Precedence(
                    lists.scores[some].detach(),
                    lists.mask[some].clone(),
                    self.temperature,
                    self.cutoff_temperature,
                ),
                grades[some],
                None if judged is None else judged[some],
                first=some.start,
                slopes_wanted=wanted,
            )
            if slopes is not None:
                gradient[some] = slopes
        return known_gradient(lists.scores, values, gradient if wanted else None)

    def _values(
        self,
        precedence: Precedence,
        grades: torch.Tensor,
        judged: torch.Tensor | None,
        *,
        slopes_wanted: bool,
        first: int = 0,
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """The losses of lists, and their slopes by the scores, if they are wanted and the losses move with these."""
        # By their gradients it is known which numbers move, so that they are there whether the caller has any or not.
        with torch.inference_mode(False), torch.enable_grad():
            precedence.scores = moving = precedence.scores.clone().requires_grad_()
            known = None if judged is None else judged.clone()
            lists: Any = SoftLists(precedence, grades.clone(), known, number=lambda row: first + row)
            measure = self.measure.replace(gain="linear") if self._of_gains else self.measure
            try:
                measured: Any = measure.measured(Rankings(lists, DEFAULT, threads=1))
            except NoSoftForm as error:
                raise _NoLoss(
                    f"{self.measure} has no soft form: it asks for {error}", hint=OTHER_LOSSES
                ) from None
            if not isinstance(measured, Values):
                raise _NoLoss(
                    f"{self.measure} has no soft form: it reads rankings one by one", hint=OTHER_LOSSES
                )
            values = measured.numbers if self.measure.better == "lower" else -measured.numbers
            values = values.nan_to_num(nan=0.0)
            if not slopes_wanted or not values.requires_grad:  # as of lists of one document
                return values.detach(), None
            (slopes,) = torch.autograd.grad(values.sum(), moving)
        return values.detach(), slopes


class _NoLoss(InputError):
    """A measure that cannot be a loss."""


def _no_loss(measure: Measure) -> str:
    """Why a measure cannot be a loss, whatever its operations are; nothing if it may be one."""
    if measure.needs is not GRADES or measure.given:
        return f"it needs {measure.needs_in_words()}"
    if measure.aggregate in ("pooled", "geometric"):
        return "it is no mean over queries"
    if measure.better == "neither":
        return "no value of it is better than another"
    return ""


def _some_lists(lists: int, cells: int) -> Iterator[slice]:
    step = max(1, CELLS_AT_ONCE // max(cells, 1))
    for begin in range(0, lists, step):
        yield slice(begin, min(begin + step, lists))
