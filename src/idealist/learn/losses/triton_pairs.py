"""Triton kernels for sums over pairs: each program has some documents of one list, and walks over all of its others.

No pair is written to memory, and no two programs write to the same place, so that the same call gives the same numbers.
"""

# Constants of a kernel are written in capitals, as Triton does.
# ruff: noqa: N803
from __future__ import annotations

import torch
import triton
import triton.language as tl

from idealist.learn.losses.pair_weights import DISTANCE, FIRST, PLAIN, SWAP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.learn.losses.graded_lists import Lists
    from idealist.learn.losses.pair_weights import PairWeights

KINDS = {PLAIN: 0, SWAP: 1, DISTANCE: 2, FIRST: 3}
OWN, OTHERS = 16, 128  # documents of a program, and how many others it looks at together


@triton.jit
def _pair_kernel(  # type: ignore[no-untyped-def]
    scores, gains, better, worse, ranks, discounts, beyond, above, deltas,
    as_better, as_worse, gradient, length,
    KIND: tl.constexpr, SWAPS: tl.constexpr, CUT: tl.constexpr, OWN: tl.constexpr, OTHERS: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64) * length
    own = tl.program_id(1) * OWN + tl.arange(0, OWN)
    here = own < length
    s = tl.load(scores + row + own, mask=here, other=0.0)[:, None]
    g = tl.load(gains + row + own, mask=here, other=0.0)[:, None]
    b = tl.load(better + row + own, mask=here, other=0.0)[:, None]
    w = tl.load(worse + row + own, mask=here, other=0.0)[:, None]
    if KIND != 0:
        d = tl.load(discounts + row + own, mask=here, other=0.0)[:, None]
    if KIND == 2:
        r = tl.load(ranks + row + own, mask=here, other=1.0)[:, None]
        if CUT:
            e = tl.load(beyond + row + own, mask=here, other=0.0)[:, None]
            a = tl.load(above + row + own, mask=here, other=0.0)[:, None]
    sum_better = tl.zeros((OWN, OTHERS), s.dtype)
    sum_worse = tl.zeros((OWN, OTHERS), s.dtype)
    slopes = tl.zeros((OWN, OTHERS), s.dtype)
    for start in range(0, length, OTHERS):
        other = start + tl.arange(0, OTHERS)
        there = other < length
        s2 = tl.load(scores + row + other, mask=there, other=0.0)[None, :]
        g2 = tl.load(gains + row + other, mask=there, other=0.0)[None, :]
        b2 = tl.load(better + row + other, mask=there, other=0.0)[None, :]
        w2 = tl.load(worse + row + other, mask=there, other=0.0)[None, :]
        more = g - g2
        if KIND == 3:
            d2 = tl.load(discounts + row + other, mask=there, other=0.0)[None, :]
            differ = (own[:, None] != other[None, :]).to(s.dtype)
            first = g * b * d * w2 * differ
            second = g2 * b2 * d2 * w * differ
            behind = s2 - s
        else:
            if KIND == 0:
                size = (more != 0).to(s.dtype)
            else:
                d2 = tl.load(discounts + row + other, mask=there, other=0.0)[None, :]
                size = tl.abs(d - d2)
                if KIND == 2:
                    r2 = tl.load(ranks + row + other, mask=there, other=1.0)[None, :]
                    apart = (tl.abs(r - r2) + 0.5).to(tl.int32)
                    delta = tl.load(deltas + apart)
                    if CUT:
                        e2 = tl.load(beyond + row + other, mask=there, other=0.0)[None, :]
                        delta = delta * tl.where(r > r2, e, e2)
                        a2 = tl.load(above + row + other, mask=there, other=0.0)[None, :]
                        delta = delta * tl.maximum(a, a2)
                    size = size + delta if SWAPS else delta
                size = size * tl.abs(more)
            is_better = more > 0
            first = tl.where(is_better, size * b * w2, 0.0)
            second = tl.where(is_better, 0.0, size * b2 * w)
            behind = tl.where(is_better, s2 - s, s - s2)
        small = tl.exp(-tl.abs(behind))
        loss = tl.maximum(behind, 0.0) + tl.log(1.0 + small)
        share = tl.where(behind >= 0, 1.0, small) / (1.0 + small)
        sum_better += first * loss
        slopes -= first * share
        if KIND == 3:  # the other way round
            loss = loss - behind
            share = 1.0 - share
        sum_worse += second * loss
        slopes += second * share
    tl.store(as_better + row + own, tl.sum(sum_better, 1), mask=here)
    tl.store(as_worse + row + own, tl.sum(sum_worse, 1), mask=here)
    tl.store(gradient + row + own, tl.sum(slopes, 1), mask=here)


def pair_sums_in_kernel(
    lists: Lists, weights: PairWeights, sigma: float
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """What `pair_sums` sums in blocks."""
    # Scaled out here, because a number that a kernel is given is one of 32 bits.
    scores = (lists.scores.detach() * sigma).contiguous()
    as_better, as_worse, gradient = (torch.empty_like(scores) for _ in range(3))
    none = scores  # never read
    count, length = scores.shape
    _pair_kernel[(count, triton.cdiv(length, OWN))](
        scores,
        weights.gains.contiguous(),
        weights.better.contiguous(),
        weights.worse.contiguous(),
        weights.ranks.contiguous(),
        weights.discounts.contiguous(),
        none if weights.beyond is None else weights.beyond.contiguous(),
        none if weights.above is None else weights.above.contiguous(),
        none if weights.deltas is None else weights.deltas * weights.mu,
        as_better,
        as_worse,
        gradient,
        length,
        KIND=KINDS[weights.kind],
        SWAPS=weights.swaps,
        CUT=weights.beyond is not None,
        OWN=OWN,
        OTHERS=OTHERS,
    )
    return as_better, as_worse, gradient.mul_(sigma)
