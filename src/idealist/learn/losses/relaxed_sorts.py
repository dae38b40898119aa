"""Losses of relaxed sorts: NeuralSort's matrix of ranks and documents, NeuralNDCG and PiRank.

The relaxed sort of NeuralSort: row r of a matrix is a distribution over the documents that may stand at rank r.

P̂_r = softmax_j(((n + 1 - 2r)·s_j - Σ_k |s_j - s_k|)/T), Grover, Wang, Zweig and Ermon, ICLR 2019.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch

from idealist.base.values import as_count
from idealist.errors import InputError
from idealist.learn.losses.loss import Loss, RandomLoss, blocks, known_gradient, positive, wants_gradient

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.learn.losses.graded_lists import Lists
    from idealist.measures.measure import Measure


class RelaxedSort:
    """Rows of the matrix when they are asked for, and gradients by their logits brought back to the scores."""

    def __init__(self, lists: Lists, temperature: float) -> None:
        self.mask = lists.mask
        self.counts = lists.counts
        self.temperature = temperature
        scores = lists.scores.detach()
        # A constant does not matter to the rows; without it the sums below lose fewer digits.
        mean = (scores * self.mask).sum(dim=-1) / self.counts.clamp(min=1)
        self.scores = (scores - mean[:, None]).masked_fill(~self.mask, 0)
        self.sorted, self.order = self.scores.masked_fill(~self.mask, torch.inf).sort(dim=-1)
        self.below = torch.searchsorted(self.sorted, self.scores, right=False)
        self.up_to = torch.searchsorted(self.sorted, self.scores, right=True)
        self.signs = self._signs(lists.there)
        distances = self.scores * self.signs - self._signs(self.scores)
        # The parts of logits; where there is no document they are minus infinity, unless there is none at all.
        self.near = (-distances / temperature).masked_fill(
            ~self.mask & (self.counts > 0)[:, None], -torch.inf
        )
        self.far = self.scores / temperature
        ranks = torch.arange(1, scores.shape[1] + 1, device=scores.device)
        self.filled = (ranks <= self.counts[:, None]).to(scores.dtype)
        self.steps = (self.counts[:, None] + 1 - 2 * ranks).to(scores.dtype)
        self.by_score, self.by_distance = torch.zeros_like(scores), torch.zeros_like(scores)

    def _signs(self, values: torch.Tensor) -> torch.Tensor:
        """Σ_k sign(s_j - s_k)·values_k for every document j, by running sums along the sorted scores."""
        values = values.masked_fill(~self.mask, 0)
        running = torch.nn.functional.pad(values.gather(1, self.order).cumsum(dim=-1), (1, 0))
        total = values.sum(dim=-1, keepdim=True)
        return running.gather(1, self.below) - (total - running.gather(1, self.up_to))

    def rows(self, some: slice, here: slice) -> torch.Tensor:
        """Rows of some lists. Those of ranks that a list does not have mean nothing: `filled` is 0 there."""
        steps = self.steps[some, here, None]
        return torch.addcmul(self.near[some, None, :], steps, self.far[some, None, :]).softmax(dim=-1)

    def add_slopes(self, slopes: torch.Tensor, some: slice, here: slice) -> None:
        """Adds gradients by the logits of rows, given as a matrix."""
        weights = torch.stack([self.steps[some, here], torch.ones_like(self.steps[some, here])], dim=1)
        by_score, by_distance = torch.bmm(weights, slopes).unbind(dim=1)
        self.by_score[some] += by_score
        self.by_distance[some] += by_distance

    def add_weighted_rows(
        self, rows: torch.Tensor, weights: torch.Tensor, worth: torch.Tensor, some: slice, here: slice
    ) -> torch.Tensor:
        """Σ_j rows_rj·worth_j for every row, after adding the gradient of Σ_r weights_r times it.

        By a logit that is weights_r·rows_rj·(worth_j - held_r), of which only sums over rows are needed: products of the
        matrix with vectors, so that it is read twice and nothing of its size is made.
        """
        held = torch.bmm(rows, worth[some, :, None])[..., 0]
        steps = self.steps[some, here]
        factors = torch.stack([weights * steps, weights * steps * held, weights, weights * held], dim=1)
        sums = torch.bmm(factors, rows)
        self.by_score[some] += worth[some] * sums[:, 0] - sums[:, 1]
        self.by_distance[some] += worth[some] * sums[:, 2] - sums[:, 3]
        return held

    def gradient(self) -> torch.Tensor:
        """Σ_k |s_j - s_k| has the sign of s_j - s_k by s_j, and the other one by s_k."""
        through = self.by_distance * self.signs + self._signs(self.by_distance)
        return ((self.by_score - through) / self.temperature).masked_fill(~self.mask, 0)


# Numbers of the matrices that are there at once, unless one list alone has more. On a GPU every step must be worth the
# launch of a kernel.
MATRIX = {"cpu": 1 << 23, "cuda": 1 << 26}
LARGEST = 1 << 31  # numbers of one list's matrix: 8 GB in 32 bits


class NeuralNDCG(RandomLoss):
    """Minus nDCG over a doubly stochastic relaxed sort: -(1/I) Σ_r d(r) Σ_j S_rj·G_j.

    S is P̂ of NeuralSort at temperature T after Sinkhorn's scaling: columns and rows are divided by their sums in turn, at
    most `steps` times, each list until its sums are within `tolerance` of 1. As T goes to 0 the loss goes to minus the
    measure. Quadratic time and memory, for the matrices of some lists at a time; no step of the scaling keeps a matrix.
    `transposed` scales P̂ᵀ, the paper's other form, which sums each document's discounts over its ranks: the two differ by
    what the scaling leaves. A cut-off is as wide as that of `Soft` at T/10. With `samples`, scores are disturbed by `noise` times a Gumbel variable, and the loss is the
    mean over so many draws. Pobrotyn and Białobrzeski, SIGIR eCom 2021.

    >>> loss = NeuralNDCG(temperature=0.01)
    >>> round(float(loss(torch.tensor([3.0, 2.0, 1.0]), torch.tensor([0, 0, 1]))), 4)  # 1/log2(4)
    -0.5
    """

    claims = ("shift", "cut-off", "limit")
    parameters_of_loss = ("temperature", "steps", "tolerance", "transposed", "samples", "noise", "seed")

    def __init__(
        self,
        measure: str | Measure = "nDCG",
        *,
        temperature: float = 1.0,
        steps: int = 50,
        tolerance: float = 1e-6,
        transposed: bool = False,
        samples: int = 0,
        noise: float = 0.1,
        seed: int = 0,
        generator: torch.Generator | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(measure, seed=seed, generator=generator, reduction=reduction)
        self.temperature = positive(temperature, "temperature")
        self.steps = as_count(steps, "steps", 0)
        self.tolerance = positive(tolerance, "tolerance")
        self.transposed = bool(transposed)
        self.samples = as_count(samples, "samples", 0, hint="0 draws nothing")
        self.noise = positive(noise, "noise")
        self.random = self.samples > 0

    def values(self, lists: Lists) -> torch.Tensor:
        if not self.samples:
            return self._of_scores(lists)
        drawn = -torch.log(-torch.log(self.uniform(lists, self.samples)))
        total = torch.zeros_like(lists.gains[:, 0])
        for draw in range(self.samples):
            disturbed = (lists.scores + self.noise * drawn[..., draw]).masked_fill(~lists.mask, 0)
            total = total + self._of_scores(replace(lists, scores=disturbed))
        return total / self.samples

    def _of_scores(self, lists: Lists) -> torch.Tensor:
        longest = lists.gains.shape[1]
        if longest**2 > LARGEST:
            raise InputError(
                f"NeuralNDCG would need a matrix of {longest:,} × {longest:,}",
                hint="PiRank needs no whole matrix",
            )
        worth = lists.shares(lists.weighted_gains)
        relaxed = RelaxedSort(lists, self.temperature)
        values = torch.zeros_like(worth[:, 0])
        with_gradient = wants_gradient(lists.scores)
        weights = -lists.soft_discounts(self.temperature)
        at_once = max(1, MATRIX.get(worth.device.type, MATRIX["cpu"]) // max(longest**2, 1))
        for first in range(0, len(worth), at_once):
            some = slice(first, min(first + at_once, len(worth)))
            matrix = relaxed.rows(some, slice(0, longest))
            if not lists.full:
                matrix.mul_(relaxed.filled[some, :, None])
            by_rank, by_document = weights[some], worth[some]
            if self.transposed:
                scaling = Scaling(matrix.transpose(1, 2), self.steps, self.tolerance)
                by_rank, by_document = by_document, by_rank
            else:
                scaling = Scaling(matrix, self.steps, self.tolerance)
            held = scaling.times(by_document * scaling.by_column)
            values[some] = (by_rank * scaling.by_row * held).sum(dim=-1)
            if with_gradient:
                left, right = scaling.slopes(by_rank, by_document)
                if self.transposed:
                    left, right = right.transpose(1, 2), left.transpose(1, 2)
                self._add_slopes(relaxed, matrix, left, right, some)
        return known_gradient(lists.scores, values, relaxed.gradient() if with_gradient else None)

    @staticmethod
    def _add_slopes(
        relaxed: RelaxedSort, matrix: torch.Tensor, left: torch.Tensor, right: torch.Tensor, some: slice
    ) -> None:
        """By a logit: A_rj·(B_rj - Σ_j A_rj·B_rj), where B = left·right is the gradient by the matrix; some rows at a time."""
        mean = (left * torch.bmm(matrix, right.transpose(1, 2))).sum(dim=-1, keepdim=True)
        for lists, rows in blocks(len(matrix), matrix.shape[1], matrix.shape[2], matrix.device):
            by_logit = (
                torch.bmm(left[lists, rows], right[lists]).sub_(mean[lists, rows]).mul_(matrix[lists, rows])
            )
            relaxed.add_slopes(by_logit, slice(some.start + lists.start, some.start + lists.stop), rows)


@dataclass(frozen=True)
class _Step:
    """One scaling: which lists took it, and the factors before and after."""

    taken: torch.Tensor
    rows_before: torch.Tensor
    by_row: torch.Tensor
    by_column: torch.Tensor


class Scaling:
    """Sinkhorn's scaling as what it is, a factor for each row and one for each column: S = diag(u)·A·diag(v).

    A step is v = 1/(Aᵀu), then u = 1/(Av). So the way back needs these vectors alone, and what it gives for A is a product
    of two thin matrices.
    """

    def __init__(self, matrix: torch.Tensor, steps: int, tolerance: float) -> None:
        self.matrix = matrix
        self.by_row = (matrix.sum(dim=-1) > 0).to(matrix.dtype)
        columns = matrix.sum(dim=-2)
        self.by_column = (columns > 0).to(matrix.dtype)
        self.history: list[_Step] = []
        for number in range(steps):
            columns = self.times_transposed(self.by_row)
            there = columns > 0
            off = (self.by_column * columns - 1).abs().where(there, torch.zeros_like(columns))
            taken = (off > tolerance).any(dim=-1, keepdim=True)
            if number == 0:  # from then on the rows add up to 1
                first = self.by_row * self.times(self.by_column)
                taken |= ((first - self.by_row).abs() > tolerance).any(dim=-1, keepdim=True)
            if not bool(taken.any()):
                break
            by_column = torch.where(there, 1 / columns.where(there, torch.ones_like(columns)), 0)
            rows = self.times(by_column)
            by_row = torch.where(rows > 0, 1 / rows.where(rows > 0, torch.ones_like(rows)), 0)
            before = self.by_row
            self.by_row = torch.where(taken, by_row, self.by_row)
            self.by_column = torch.where(taken, by_column, self.by_column)
            self.history.append(_Step(taken, before, self.by_row, self.by_column))

    def times(self, vectors: torch.Tensor) -> torch.Tensor:
        return torch.bmm(self.matrix, vectors[..., None])[..., 0]

    def times_transposed(self, vectors: torch.Tensor) -> torch.Tensor:
        return torch.bmm(self.matrix.transpose(1, 2), vectors[..., None])[..., 0]

    def slopes(self, weights: torch.Tensor, worth: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The gradient of Σ weights_r·S_rj·worth_j by the entries of the matrix before it was scaled, as two factors."""
        by_row = weights * self.times(self.by_column * worth)
        by_column = worth * self.times_transposed(weights * self.by_row)
        left, right = [weights * self.by_row], [self.by_column * worth]
        for step in reversed(self.history):
            taken = step.taken.to(by_row.dtype)
            by_row_sum = -by_row * step.by_row**2 * taken
            left.append(by_row_sum)
            right.append(step.by_column)
            all_by_column = by_column + self.times_transposed(by_row_sum)
            by_column_sum = -all_by_column * step.by_column**2 * taken
            left.append(step.rows_before)
            right.append(by_column_sum)
            by_row = torch.where(step.taken, self.times(by_column_sum), by_row)
            by_column = torch.where(step.taken, torch.zeros_like(by_column), by_column)
        return torch.stack(left, dim=-1), torch.stack(right, dim=-2)


class PiRank(Loss):
    """Minus the measure over a relaxed sort: -(1/I) Σ_r d(r) Σ_j P̂_rj·G_j, P̂ by NeuralSort at temperature T.

    A cut-off is as wide as that of `Soft` at T/10: the paper's, which takes the first k rows alone, leaves documents further
    down without a gradient. As T goes to 0 the loss goes to minus the measure. Quadratic time, a block of ranks at a time.
    Swezey, Grover, Charron and Ermon, NeurIPS 2021.

    >>> loss = PiRank()
    >>> round(float(loss(torch.tensor([1.0, 0.0]), torch.tensor([1, 0]))), 4)  # σ(1) at rank 1, σ(-1) at rank 2
    -0.9007
    """

    claims = ("shift", "cut-off", "limit")
    parameters_of_loss = ("temperature",)

    def __init__(
        self, measure: str | Measure = "nDCG", *, temperature: float = 1.0, reduction: str = "mean"
    ) -> None:
        super().__init__(measure, reduction=reduction)
        self.temperature = positive(temperature, "temperature")

    def values(self, lists: Lists) -> torch.Tensor:
        worth = lists.shares(lists.weighted_gains)
        discounts = lists.soft_discounts(self.temperature)
        relaxed = RelaxedSort(lists, self.temperature)
        values = torch.zeros_like(worth[:, 0])
        with_gradient = wants_gradient(lists.scores)
        for some, here in blocks(len(worth), worth.shape[1], worth.shape[1], worth.device):
            shares = relaxed.rows(some, here)
            weights = -discounts[some, here] * relaxed.filled[some, here]
            if with_gradient:
                held = relaxed.add_weighted_rows(shares, weights, worth, some, here)
            else:
                held = torch.bmm(shares, worth[some, :, None])[..., 0]
            values[some] += (held * weights).sum(dim=-1)
        return known_gradient(lists.scores, values, relaxed.gradient() if with_gradient else None)
