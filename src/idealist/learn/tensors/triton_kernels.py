"""Triton kernels that find the first k documents of every row and what they are worth, in one read of the scores, and one that
ranks whole rows.

Scores are compared as whole numbers of 32 bits in the order of the floats. A document is its `place` (the lower
goes first among equal scores) and its grade, packed into another 32 bits: the greatest key, and among those that have it
the smallest packing, is the next document, with its grade at hand.
"""

# Triton reads the annotations of arguments that are known when a kernel is compiled, and has no types for the others.
# ruff: noqa: N803
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import triton
import triton.language as tl

GRADE_BITS = tl.constexpr(5)  # grades 0 to 31
HIGHEST_GRADE = tl.constexpr(31)
GRADES = tl.constexpr(32)
LOWEST = tl.constexpr(-(2**31))  # below the key of every float: there is no document
LOWEST_OF_ALL = tl.constexpr(-(2**63))
LAST = tl.constexpr(2**31 - 1)  # beyond every packing
ROUNDING = tl.constexpr(1e-5)


@triton.jit
def _loaded_keys(scores, at, there):
    """The scores as whole numbers, LOWEST where there is no document; and where one is nan or infinite."""
    score = tl.load(scores + at, mask=there, other=0.0).to(tl.float32) + 0.0  # -0.0 is 0.0
    bits = score.to(tl.int32, bitcast=True)
    key = bits ^ ((bits >> 31) & 0x7FFFFFFF)
    return tl.where(there, key, LOWEST), (bits & 0x7FFFFFFF) >= 0x7F800000


@triton.jit
def _loaded_grades(grades, at, there):
    """The grades as whole numbers, 0 for nan; and where one is none of those that have a gain."""
    given = tl.load(grades + at, mask=there, other=0)
    strange = (given < 0) | (given > HIGHEST_GRADE)  # before 32 bits cut a larger number short
    grade = given.to(tl.int32)
    if given.dtype.is_floating():
        known = given == given
        strange = known & (strange | (grade.to(given.dtype) != given))
        grade = tl.where(known, grade, 0)
    return tl.where(strange, 0, grade), strange


@triton.jit
def _raise_flag(flag, strange):
    """Says that some row holds what the kernels cannot take."""
    if tl.max(tl.max(strange.to(tl.int32), 1), 0) > 0:
        tl.store(flag, 1)


@triton.jit
def _packed(places, at, column, grade, there):
    """A document's place, or column, and grade."""
    if places is not None:
        place = tl.load(places + at, mask=there, other=0)
    else:
        place = column[None, :] + tl.zeros_like(grade)
    return (place << GRADE_BITS) | grade


@triton.jit
def _ideal_sums(grade, there, tables, ROWS: tl.constexpr, K: tl.constexpr):
    """The discounted gains of the best order: level by level, as many ranks as a level has documents."""
    prefix = tables + GRADES + K
    left = tl.where(there, grade, 0)
    taken = tl.zeros((ROWS,), tl.int32)
    best = tl.zeros((ROWS,), tl.float32)
    level = tl.max(left, 1)
    while tl.max(tl.where(taken < K, level, 0), 0) > 0:
        here = left == level[:, None]
        end = tl.minimum(taken + tl.sum(here.to(tl.int32), 1), K)
        span = tl.load(prefix + end) - tl.load(prefix + taken)
        best += tl.where(level > 0, tl.load(tables + level) * span, 0.0)
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
def _first_by_fours(
    key,
    packed,
    K: tl.constexpr,
    RANKS: tl.constexpr,
    ROWS: tl.constexpr,
    BLOCK: tl.constexpr,
    BY_PLACE: tl.constexpr,
):
    """The first K documents, packed, and their keys: every four neighbours are put in order, and only their heads
    compete. A rank without a document has the packing of one that is not there, whose grade is 0."""
    k0, k1, k2, k3 = _fours(key, ROWS, BLOCK)
    p0, p1, p2, p3 = _fours(packed, ROWS, BLOCK)
    # Only neighbours are exchanged, which keeps the order of equal keys.
    k0, p0, k1, p1 = _exchange(k0, p0, k1, p1, BY_PLACE)
    k2, p2, k3, p3 = _exchange(k2, p2, k3, p3, BY_PLACE)
    k1, p1, k2, p2 = _exchange(k1, p1, k2, p2, BY_PLACE)
    k0, p0, k1, p1 = _exchange(k0, p0, k1, p1, BY_PLACE)
    k2, p2, k3, p3 = _exchange(k2, p2, k3, p3, BY_PLACE)
    k1, p1, k2, p2 = _exchange(k1, p1, k2, p2, BY_PLACE)
    rank = tl.arange(0, RANKS)[None, :]
    first = tl.zeros((ROWS, RANKS), tl.int32)
    keys = tl.zeros((ROWS, RANKS), tl.int32)
    for step in range(K):
        top = tl.max(k0, 1)
        winner = tl.min(tl.where(k0 == top[:, None], p0, LAST), 1)
        first = tl.where(rank == step, winner[:, None], first)
        keys = tl.where(rank == step, top[:, None], keys)
        out = p0 == winner[:, None]
        k0 = tl.where(out, k1, k0)
        p0 = tl.where(out, p1, p0)
        k1 = tl.where(out, k2, k1)
        p1 = tl.where(out, p2, p1)
        k2 = tl.where(out, k3, k2)
        p2 = tl.where(out, p3, p2)
        k3 = tl.where(out, LOWEST, k3)
    return first, keys


@triton.jit
def _first_of_all(key, packed, K: tl.constexpr, RANKS: tl.constexpr, ROWS: tl.constexpr):
    """The same, all documents competing every time."""
    rank = tl.arange(0, RANKS)[None, :]
    first = tl.zeros((ROWS, RANKS), tl.int32)
    keys = tl.zeros((ROWS, RANKS), tl.int32)
    for step in range(K):
        top = tl.max(key, 1)
        winner = tl.min(tl.where(key == top[:, None], packed, LAST), 1)
        first = tl.where(rank == step, winner[:, None], first)
        keys = tl.where(rank == step, top[:, None], keys)
        key = tl.where(packed == winner[:, None], LOWEST, key)
    return first, keys


@triton.jit
def row_gain_sums(
    scores,
    grades,
    places,
    ideal,
    lengths,
    tables,
    sums,
    flag,
    undefined,
    rows,
    columns,
    score_stride,
    grade_stride,
    place_stride,
    K: tl.constexpr,
    ROWS: tl.constexpr,
    BLOCK: tl.constexpr,
    STEP: tl.constexpr,
    FOURS: tl.constexpr,
):
    """DCG@K, the ideal DCG@K and their quotient, or what counts where that is undefined, of ROWS rows a program. `ideal`,
    if given, holds the grades that the ideal list is made of, in the place of the row's own. `tables` holds gains by
    grade, discounts by rank and their sums. Columns and strides are counted in STEPs, so that the compiler knows how wide
    loads may be."""
    RANKS: tl.constexpr = triton.next_power_of_2(K)
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    column = tl.arange(0, BLOCK)
    there = (row < rows)[:, None] & (column < columns * STEP)[None, :]
    if lengths is not None:
        there = there & (column[None, :] < tl.load(lengths + row, mask=row < rows, other=0)[:, None])
    wide = row[:, None].to(tl.int64) * STEP
    at = wide * grade_stride + column[None, :]
    key, strange = _loaded_keys(scores, wide * score_stride + column[None, :], there)
    grade, odd = _loaded_grades(grades, at, there)
    packed = _packed(places, wide * place_stride + column[None, :], column, grade, there)
    if ideal is not None:
        # Where a segment had fewer documents than K, its score is minus infinity: all else was looked at before.
        key = tl.where(strange, LOWEST, key)
        best = _ideal_sums(tl.load(ideal + at, mask=there, other=0), there, tables, ROWS, K)
    else:
        _raise_flag(flag, (strange | odd) & there)
        best = _ideal_sums(grade, there, tables, ROWS, K)
    if FOURS:
        first, _ = _first_by_fours(key, packed, K, RANKS, ROWS, BLOCK, places is not None)
    else:
        first, _ = _first_of_all(key, packed, K, RANKS, ROWS)
    rank = tl.arange(0, RANKS)
    weights = tl.load(tables + GRADES + rank, mask=rank < K, other=0.0)
    total = tl.sum(tl.load(tables + (first & HIGHEST_GRADE)) * weights[None, :], 1)
    share = tl.where(best > 0, total / tl.where(best > 0, best, 1.0), undefined)
    # The same numbers added in another order must not pass 1 for that.
    share = tl.where((share > 1) & (share < 1 + ROUNDING), 1.0, share)
    tl.store(sums + row, total, mask=row < rows)
    tl.store(sums + rows + row, best, mask=row < rows)
    tl.store(sums + 2 * rows + row, share, mask=row < rows)


@triton.jit
def row_order(
    scores,
    there,
    places,
    order,
    out,
    rows,
    columns,
    depth,
    score_stride,
    there_stride,
    ROWS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """The columns of ROWS rows, best first, down to a depth. Equal scores go by column or, with `places`, by the column's place,
    of which `order` is the column; what is not `there` stands at the end. A document is one number of 64 bits: its score, and its
    place from the last."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    column = tl.arange(0, BLOCK)
    within = (row < rows)[:, None] & (column < columns)[None, :]
    wide = row[:, None].to(tl.int64)
    known = within
    if there is not None:
        known = within & (tl.load(there + wide * there_stride + column[None, :], mask=within, other=0) != 0)
    key, _ = _loaded_keys(scores, wide * score_stride + column[None, :], known)
    place = column
    if places is not None:
        place = tl.load(places + column, mask=column < columns, other=BLOCK - 1)
    packed = (key.to(tl.int64) << 32) | (BLOCK - 1 - place[None, :]).to(tl.int64)
    # Columns beyond the last stand behind documents that are not there.
    packed = tl.where(within, packed, LOWEST_OF_ALL)
    first = BLOCK - 1 - (tl.sort(packed, dim=1, descending=True) & 0xFFFFFFFF)
    shown = (row < rows)[:, None] & (column < depth)[None, :]
    if order is not None:
        first = tl.load(order + first, mask=shown, other=0)
    tl.store(out + wide * depth + column[None, :], first.to(tl.int64), mask=shown)


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
    segments,
    score_stride,
    grade_stride,
    K: tl.constexpr,
    BLOCK: tl.constexpr,
    STEP: tl.constexpr,
):
    """The first K documents, and the K best grades, of one segment of a row that is too long for one program."""
    RANKS: tl.constexpr = triton.next_power_of_2(K)
    number = tl.program_id(0)
    row = number // segments + tl.zeros((1,), tl.int32)
    column = number % segments * BLOCK + tl.arange(0, BLOCK)
    there = (column < columns * STEP)[None, :]
    if lengths is not None:
        there = there & (column[None, :] < tl.load(lengths + row)[:, None])
    wide = row[:, None].to(tl.int64) * STEP
    key, strange = _loaded_keys(scores, wide * score_stride + column[None, :], there)
    grade, odd = _loaded_grades(grades, wide * grade_stride + column[None, :], there)
    _raise_flag(flag, (strange | odd) & there)
    packed = _packed(places, column[None, :], column, grade, there)
    out = number.to(tl.int64) * K + tl.zeros((1,), tl.int64)

    left = tl.where(there, grade, 0)
    taken = tl.zeros((1,), tl.int32)
    level = tl.max(left, 1)
    rank = tl.arange(0, RANKS)[None, :]
    levels_first = tl.zeros((1, RANKS), tl.int32)
    while tl.max(tl.where(taken < K, level, 0), 0) > 0:
        here = left == level[:, None]
        levels_first = tl.where(rank >= taken[:, None], level[:, None], levels_first)
        taken += tl.sum(here.to(tl.int32), 1)
        left = tl.where(here, 0, left)
        level = tl.max(left, 1)
    levels_first = tl.where(rank < taken[:, None], levels_first, 0)

    first, keys = _first_by_fours(key, packed, K, RANKS, 1, BLOCK, places is not None)
    bits = keys ^ ((keys >> 31) & 0x7FFFFFFF)
    score = tl.where(keys > LOWEST, bits.to(tl.float32, bitcast=True), float("-inf"))
    to = out[:, None] + rank
    tl.store(best_grades + to, levels_first, mask=rank < K)
    tl.store(top_scores + to, score, mask=rank < K)
    tl.store(top_grades + to, first & HIGHEST_GRADE, mask=rank < K)
    tl.store(top_places + to, first >> GRADE_BITS, mask=rank < K)
