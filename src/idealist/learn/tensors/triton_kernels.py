"""Triton kernels that find the first k documents of every row and what they are worth, in one read of the scores.

Scores are compared as whole numbers of 32 bits in the order of the floats. A document is its `place` (the lower
goes first among equal scores) and its grade, packed into another 32 bits: the greatest key, and among those that have it
the smallest packing, is the next document, with its grade at hand.
"""

from __future__ import annotations

import triton
import triton.language as tl

GRADE_BITS = tl.constexpr(5)  # grades 0 to 31
HIGHEST_GRADE = tl.constexpr(31)
LOWEST = tl.constexpr(-(2**31))  # below the key of every float: there is no document
LAST = tl.constexpr(2**31 - 1)  # beyond every packing


@triton.jit
def _loaded_keys(scores, at, there):
    """The scores as whole numbers, LOWEST where there is no document; and where one is nan or infinite."""
    score = tl.load(scores + at, mask=there, other=0.0).to(tl.float32) + 0.0  # -0.0 is 0.0
    bits = score.to(tl.int32, bitcast=True)
    key = bits ^ ((bits >> 31) & 0x7FFFFFFF)
    return tl.where(there, key, LOWEST), (bits & 0x7FFFFFFF) >= 0x7F800000


@triton.jit
def _loaded_grades(grades, at, there, levels):
    """The grades as whole numbers, 0 for nan; and where one is none of the levels."""
    given = tl.load(grades + at, mask=there, other=0)
    grade = given.to(tl.int32)
    strange = (grade < 0) | (grade >= levels)
    if given.dtype.is_floating():
        known = given == given
        strange = known & (strange | (grade.to(given.dtype) != given))
        grade = tl.where(known, grade, 0)
    return tl.where(strange, 0, grade), strange


@triton.jit
def _raise_flag(flag, strange):
    """Says that some row holds what the kernels cannot take."""
    if tl.max(tl.max(strange.to(tl.int32), 1), 0) > 0:
        tl.atomic_or(flag, 1)


@triton.jit
def _packed(places, at, column, grade, there, HAS_PLACES: tl.constexpr):
    """A document's place, or column, and grade."""
    if HAS_PLACES:
        place = tl.load(places + at, mask=there, other=0)
    else:
        place = column[None, :] + tl.zeros_like(grade)
    return (place << GRADE_BITS) | grade


@triton.jit
def _ideal_sums(grade, there, gains, prefix, ROWS: tl.constexpr, K: tl.constexpr):
    """The discounted gains of the best order: level by level, as many ranks as a level has documents."""
    left = tl.where(there, grade, 0)
    taken = tl.zeros((ROWS,), tl.int32)
    best = tl.zeros((ROWS,), tl.float64)
    level = tl.max(left, 1)
    while tl.max(tl.where(taken < K, level, 0), 0) > 0:
        here = left == level[:, None]
        end = tl.minimum(taken + tl.sum(here.to(tl.int32), 1), K)
        span = tl.load(prefix + end) - tl.load(prefix + taken)
        best += tl.where(level > 0, tl.load(gains + level) * span, 0.0)
        taken = tl.where(level > 0, end, taken)
        left = tl.where(here, 0, left)
        level = tl.max(left, 1)
    return best


@triton.jit
def _exchange(key_a, pack_a, key_b, pack_b, BY_PLACE: tl.constexpr):
    """Two documents in order: the greater key first. Equal keys stay, so that of neighbours the lower column goes
    first, unless it is the place that counts."""
    swap = key_b > key_a
    if BY_PLACE:
        swap = swap | ((key_b == key_a) & (pack_b < pack_a))
    return (
        tl.where(swap, key_b, key_a),
        tl.where(swap, pack_b, pack_a),
        tl.where(swap, key_a, key_b),
        tl.where(swap, pack_a, pack_b),
    )


@triton.jit
def _fours(values, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Four tensors of the columns 4j, 4j + 1, 4j + 2 and 4j + 3, which one thread has loaded."""
    even, odd = tl.split(tl.reshape(values, (ROWS, BLOCK // 4, 2, 2)))
    first, third = tl.split(even)
    second, fourth = tl.split(odd)
    return first, second, third, fourth


@triton.jit
def _sums_by_fours(
    key, packed, gains, discounts, K: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr, BY_PLACE: tl.constexpr
):
    """The discounted gains of the first K: every four neighbours are put in order, and only their heads compete."""
    k0, k1, k2, k3 = _fours(key, ROWS, BLOCK)
    p0, p1, p2, p3 = _fours(packed, ROWS, BLOCK)
    # Only neighbours are exchanged, which keeps the order of equal keys.
    k0, p0, k1, p1 = _exchange(k0, p0, k1, p1, BY_PLACE)
    k2, p2, k3, p3 = _exchange(k2, p2, k3, p3, BY_PLACE)
    k1, p1, k2, p2 = _exchange(k1, p1, k2, p2, BY_PLACE)
    k0, p0, k1, p1 = _exchange(k0, p0, k1, p1, BY_PLACE)
    k2, p2, k3, p3 = _exchange(k2, p2, k3, p3, BY_PLACE)
    k1, p1, k2, p2 = _exchange(k1, p1, k2, p2, BY_PLACE)
    sums = tl.zeros((ROWS,), tl.float64)
    for step in range(K):
        top = tl.max(k0, 1)
        winner = tl.min(tl.where(k0 == top[:, None], p0, LAST), 1)
        gain = tl.load(gains + (winner & HIGHEST_GRADE))
        sums += tl.where(top > LOWEST, gain * tl.load(discounts + step), 0.0)
        out = p0 == winner[:, None]
        k0 = tl.where(out, k1, k0)
        p0 = tl.where(out, p1, p0)
        k1 = tl.where(out, k2, k1)
        p1 = tl.where(out, p2, p1)
        k2 = tl.where(out, k3, k2)
        p2 = tl.where(out, p3, p2)
        k3 = tl.where(out, LOWEST, k3)
    return sums


@triton.jit
def _sums_of_first(key, packed, gains, discounts, K: tl.constexpr, ROWS: tl.constexpr):
    """The discounted gains of the first K, taken one after the other."""
    sums = tl.zeros((ROWS,), tl.float64)
    for step in range(K):
        top = tl.max(key, 1)
        winner = tl.min(tl.where(key == top[:, None], packed, LAST), 1)
        gain = tl.load(gains + (winner & HIGHEST_GRADE))
        sums += tl.where(top > LOWEST, gain * tl.load(discounts + step), 0.0)
        key = tl.where(packed == winner[:, None], LOWEST, key)
    return sums


@triton.jit
def gain_sums(
    scores,
    grades,
    places,
    ideal,
    lengths,
    gains,
    discounts,
    prefix,
    found,
    best,
    flag,
    rows,
    columns,
    levels,
    score_stride,
    grade_stride,
    place_stride,
    K: tl.constexpr,
    ROWS: tl.constexpr,
    BLOCK: tl.constexpr,
    STEP: tl.constexpr,
    FOURS: tl.constexpr,
    HAS_PLACES: tl.constexpr,
    HAS_IDEAL: tl.constexpr,
    HAS_LENGTHS: tl.constexpr,
):
    """DCG@K and the ideal DCG@K of ROWS rows a program. `ideal`, if given, holds the grades that the ideal list is
    made of, in the place of the row's own. Columns and strides are counted in STEPs, so that the compiler
    knows how wide loads may be."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    column = tl.arange(0, BLOCK)
    there = (row < rows)[:, None] & (column < columns * STEP)[None, :]
    if HAS_LENGTHS:
        there = there & (column[None, :] < tl.load(lengths + row, mask=row < rows, other=0)[:, None])
    wide = row[:, None].to(tl.int64) * STEP
    at = wide * grade_stride + column[None, :]
    key, strange = _loaded_keys(scores, wide * score_stride + column[None, :], there)
    grade, odd = _loaded_grades(grades, at, there, levels)
    packed = _packed(places, wide * place_stride + column[None, :], column, grade, there, HAS_PLACES)
    if HAS_IDEAL:
        # Where a segment had fewer documents than K, its score is minus infinity: all else was looked at before.
        key = tl.where(strange, LOWEST, key)
        best_sums = _ideal_sums(tl.load(ideal + at, mask=there, other=0), there, gains, prefix, ROWS, K)
    else:
        _raise_flag(flag, (strange | odd) & there)
        best_sums = _ideal_sums(grade, there, gains, prefix, ROWS, K)
    if FOURS:
        sums = _sums_by_fours(key, packed, gains, discounts, K, ROWS, BLOCK, HAS_PLACES)
    else:
        sums = _sums_of_first(key, packed, gains, discounts, K, ROWS)
    tl.store(found + row, sums.to(tl.float32), mask=row < rows)
    tl.store(best + row, best_sums.to(tl.float32), mask=row < rows)


@triton.jit
def segment_tops(
    scores,
    grades,
    places,
    lengths,
    top_scores,
    top_grades,
    top_places,
    best_grades,
    flag,
    columns,
    levels,
    segments,
    score_stride,
    grade_stride,
    K: tl.constexpr,
    BLOCK: tl.constexpr,
    STEP: tl.constexpr,
    HAS_PLACES: tl.constexpr,
    HAS_LENGTHS: tl.constexpr,
):
    """The first K documents, and the K best grades, of one segment of a row that is too long for one program."""
    number = tl.program_id(0)
    row = number // segments + tl.zeros((1,), tl.int32)
    column = number % segments * BLOCK + tl.arange(0, BLOCK)
    there = (column < columns * STEP)[None, :]
    if HAS_LENGTHS:
        there = there & (column[None, :] < tl.load(lengths + row)[:, None])
    wide = row[:, None].to(tl.int64) * STEP
    key, strange = _loaded_keys(scores, wide * score_stride + column[None, :], there)
    grade, odd = _loaded_grades(grades, wide * grade_stride + column[None, :], there, levels)
    _raise_flag(flag, (strange | odd) & there)
    packed = _packed(places, column[None, :], column, grade, there, HAS_PLACES)
    out = (number.to(tl.int64) + tl.zeros((1,), tl.int64)) * K

    left = tl.where(there, grade, 0)
    taken = tl.zeros((1,), tl.int32)
    level = tl.max(left, 1)
    while tl.max(tl.where(taken < K, level, 0), 0) > 0:
        here = left == level[:, None]
        end = tl.minimum(taken + tl.sum(here.to(tl.int32), 1), K)
        while tl.max(end - taken, 0) > 0:
            tl.store(best_grades + out + taken, level)
            taken += 1
        left = tl.where(here, 0, left)
        level = tl.max(left, 1)

    for step in range(K):
        top = tl.max(key, 1)
        winner = tl.min(tl.where(key == top[:, None], packed, LAST), 1)
        bits = top ^ ((top >> 31) & 0x7FFFFFFF)
        score = tl.where(top > LOWEST, bits.to(tl.float32, bitcast=True), float("-inf"))
        tl.store(top_scores + out + step, score)
        tl.store(top_grades + out + step, winner & HIGHEST_GRADE)
        tl.store(top_places + out + step, winner >> GRADE_BITS)
        key = tl.where(packed == winner[:, None], LOWEST, key)
