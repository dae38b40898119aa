"""The Triton kernels in Triton's interpreter, on a processor: the values are those of PyTorch's operations."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import idealist as il

pytest.importorskip("triton")

SCRIPT = """
import itertools
import torch
import idealist as il
from idealist.learn import evaluate_tensors
from idealist.learn.tensors import fused, ordering, tensor_batches

fused.LONGEST_ROW = 256  # longer rows are ranked in segments
fused.SEGMENTS = (128,)
generator = torch.Generator().manual_seed(0)


def drawn(rows, columns, dtype=torch.int32):
    scores = (torch.randn(rows, columns, generator=generator) * 4).round() / 4  # with ties, and with -0.0
    grades = torch.randint(0, 5, (rows, columns), generator=generator)
    grades[0] = 0
    return scores, grades.to(dtype)


def taken(measure, scores, grades, conventions, **how):
    batch = next(iter(tensor_batches.batches(scores, grades, None, how.get("sizes"))))
    return fused.fused_values(il.measures.parse(measure), batch, il.conventions.as_conventions(conventions))


def compare(measure, scores, grades, conventions, **how):
    found = taken(measure, scores, grades, conventions, **how)
    assert found is not None, (measure, conventions, "was not fused")
    # Scores of 64 bits are not for the kernels.
    expected = evaluate_tensors(grades, scores.double(), measure, conventions=conventions, **how).values(measure)
    gap = (found - expected).abs() / expected.abs().clamp(min=1)
    assert torch.equal(found.isnan(), expected.isnan()), (measure, conventions)
    assert float(gap.nan_to_num().max()) < 1e-6, (measure, conventions, scores.shape)


# The order of whole rows, of which some documents may be missing.
for columns, ties in itertools.product((1, 2, 37, 100), ("input-order", "id-descending", "id-ascending")):
    scores, _ = drawn(3, columns)
    there = torch.rand(3, columns, generator=generator) < 0.7
    ties = ordering.tie_order(ties, columns, scores.device)
    assert ordering.can_sort(scores)
    for mask, depth in itertools.product((None, there), (None, 5)):
        found = ordering.ordered(scores, mask, ties, depth)
        expected = ordering.ordered(scores.double(), mask, ties, depth)[:, : found.shape[1]]
        rank = torch.arange(found.shape[1])
        known = rank >= 0 if mask is None else rank < mask.sum(1, keepdim=True)
        assert torch.equal(found * known, expected * known), (columns, ties, depth)


rules = ["ties=input-order", "ties=id-descending,empty=one", "ties=id-ascending,empty=skip,missing=skip"]
measures = ["nDCG@10", "nDCG(gain=exp)@3", "DCG(gain=binary,discount=letor)@5", "IDCG@2", "CG@4", "NCG(gain=exp)@7"]
for measure, rule in zip(itertools.cycle(measures), rules * 4):
    compare(measure, *drawn(3, 100), rule)
for columns in (1, 2, 5, 37, 130):
    compare("nDCG@10", *drawn(3, columns), rules[columns % 3])
compare("nDCG", *drawn(3, 21), rules[0])
for dtype in (torch.int64, torch.int8, torch.float32):
    compare("nDCG@5", *drawn(2, 33, dtype), rules[1])
compare("nDCG@10", *drawn(2, 700), rules[0])
compare("DCG@10", *drawn(2, 701), rules[1])
compare("nDCG@10", *drawn(4, 40), rules[2], sizes=torch.tensor([40, 0, 3, 17]))
compare("nDCG@10", *drawn(3, 600), rules[1], sizes=torch.tensor([600, 130, 2]))

# A mask of what stands at the beginning of rows is as good as sizes; one with gaps is not for the kernels.
scores, grades = drawn(3, 12)
for gap in (False, True):
    mask = torch.arange(12) < torch.tensor([[12], [5], [0]])
    mask[1, 2] = not gap
    batch = next(iter(tensor_batches.batches(scores, grades, mask, None)))
    found = fused.fused_values(il.NDCG(k=5), batch, il.Conventions())
    expected = evaluate_tensors(grades, scores.double(), "nDCG@5", mask=mask).values("nDCG@5")
    assert found is None if gap else float((found - expected).abs().max()) < 1e-6

# Few relevant, as usual, and a grade that is not there.
scores, grades = drawn(3, 64, torch.float32)
grades[grades < 4] = 0
grades[1, 3] = float("nan")
compare("nDCG@10", scores, grades, rules[0])

# What the kernels cannot take is left to the others, and is right the next time.
for bad in (-1, 32, 1000):
    scores, grades = drawn(2, 20)
    grades[1, 7] = bad
    assert taken("nDCG@5", scores, grades, rules[0]) is None
scores, grades = drawn(2, 20, torch.int64)
grades[1, 7] = 2**32 + 1  # whose lower 32 bits are 1
assert taken("nDCG@5", scores, grades, rules[0]) is None
scores, grades = drawn(2, 20, torch.float32)
grades[1, 7] = 0.5
assert taken("nDCG@5", scores, grades, rules[0]) is None
for bad in (float("nan"), float("inf"), -float("inf")):
    scores, grades = drawn(2, 20)
    scores[1, 7] = bad
    try:
        evaluate_tensors(grades, scores, "nDCG@5", conventions=rules[0])
    except il.InputError as error:
        assert f"query 1: the score of document 7 is {bad}" in str(error)
    else:
        raise AssertionError(bad)
compare("nDCG@5", *drawn(2, 20), rules[0])
for rule in ("ties=averaged", "ties=optimistic", "negative=keep", "empty=error", "missing=error"):
    assert taken("nDCG@5", *drawn(2, 20), rule) is None, rule
assert taken("nDCG(gain={0:0,1:1,2:2,3:3,4:4})@5", *drawn(2, 20), rules[0]) is None
assert taken("AP", *drawn(2, 20), rules[0]) is None
print("all alike")
"""


def test_the_kernels_have_the_values_of_pytorch() -> None:
    environment = {
        **os.environ,
        "TRITON_INTERPRET": "1",
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": str(Path(il.__file__).parent.parent),
    }
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        capture_output=True,
        text=True,
        env=environment,
        timeout=600,
        check=False,
    )
    assert done.stdout == "all alike\n", done.stderr
