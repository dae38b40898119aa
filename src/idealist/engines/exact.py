"""Sums without rounding: whole numbers, which may be added up in any order and on any machine."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy import ndarray

# A sum is a whole number of these units: no float has a bit below 2^-1074, and its 53 bits are written from 2^-1126 on.
UNIT_EXPONENT = 1126
UNITS = 1 << UNIT_EXPONENT
DIGIT_BITS = 26
DIGIT_MASK = (1 << DIGIT_BITS) - 1
DIGITS = (1024 + UNIT_EXPONENT) // DIGIT_BITS + 3
SPLITTER = 134_217_729.0  # 2^27 + 1
# Beyond this many rows the digits of a column could add up to more than 53 bits.
MOST_ROWS = 1 << 24
LEVELS = 4  # of 26 bits each: all of a number that is not below 2^-51 of the column's largest
BLOCK_ROWS = 1 << 12  # of some dozen columns, which stay in the cache
MOST_EXPONENT = 500  # numbers beyond 2^500 or below 2^-500 have too little room for levels


def exact_sums(table: ndarray) -> list[int]:
    """The sum of every column, in units of 2^-1126; cells that are nan count as 0.

    >>> import numpy as np
    >>> [total / UNITS for total in exact_sums(np.array([[1e16, 0.5], [1.0, np.nan], [-1e16, 0.25]]))]
    [1.0, 0.75]
    """
    import numpy as np

    if len(table) > MOST_ROWS:
        parts = [exact_sums(table[at : at + MOST_ROWS]) for at in range(0, len(table), MOST_ROWS)]
        return [sum(part) for part in zip(*parts, strict=True)]
    rest = np.where(np.isnan(table), 0.0, table)
    sums = _level_sums(rest)
    if rest.any():
        sums = [total + more for total, more in zip(sums, _digit_sums(rest), strict=True)]
    return sums


def _level_sums(rest: ndarray) -> list[int]:
    """The sum of every column but for what is left in `rest`, which is changed.

    A level is the nearest multiple of a power of two, which adding and subtracting a large number gives; what it
    leaves has no rounding. Sums of such multiples are exact in any order as long as they fit in 53 bits.
    """
    import numpy as np

    columns = rest.shape[1]
    largest = np.maximum(rest.max(axis=0, initial=0.0), -rest.min(axis=0, initial=0.0))
    if not (largest < 2.0**MOST_EXPONENT).all() or ((largest > 0) & (largest < 2.0**-MOST_EXPONENT)).any():
        return [0] * columns
    units = (
        np.frexp(largest)[1] - DIGIT_BITS * np.arange(1, LEVELS + 1)[:, None]
    )  # exponents: levels × columns
    rounders = np.ldexp(1.5, units + 52)
    sums = np.zeros((LEVELS, columns))
    for begin in range(0, len(rest), BLOCK_ROWS):
        block = rest[begin : begin + BLOCK_ROWS]
        for level, rounder in enumerate(rounders):
            part = block + rounder
            part -= rounder
            sums[level] += part.sum(axis=0)
            block -= part
    return [
        sum(int(whole) << (UNIT_EXPONENT + unit) for whole, unit in zip(wholes, exponents, strict=True))
        for wholes, exponents in zip(np.ldexp(sums, -units).T.tolist(), units.T.tolist(), strict=True)
    ]


def _digit_sums(table: ndarray) -> list[int]:
    """The sum of every column of any numbers: their bits, digit by digit."""
    import numpy as np

    columns = table.shape[1]
    fractions, exponents = np.frexp(table)
    whole = (fractions * 2.0**53).astype(np.int64)
    place = exponents.astype(np.int64) - 53 + UNIT_EXPONENT
    digit, shift = place // DIGIT_BITS, place % DIGIT_BITS
    cell = (digit + np.arange(columns) * DIGITS).ravel()
    # The 53 bits in two halves, each moved to its place: a half then reaches over two digits.
    low = ((whole & DIGIT_MASK) << shift).ravel()
    high = ((whole >> DIGIT_BITS) << shift).ravel()
    sums = np.zeros(columns * DIGITS)
    for offset, pieces in (
        (0, low & DIGIT_MASK),
        (1, (low >> DIGIT_BITS) + (high & DIGIT_MASK)),
        (2, high >> DIGIT_BITS),
    ):
        sums += np.bincount(cell + offset, weights=pieces, minlength=columns * DIGITS)[: columns * DIGITS]
    return [_number(digits) for digits in sums.reshape(columns, DIGITS)]


def exact_square_sums(table: ndarray) -> list[int]:
    """The sum of the squares of every column, in units of 2^-1126. A square is taken as the two floats that it is
    the sum of (Dekker, 1971), so that equal values have a spread of exactly 0. Values are below 1e150.

    >>> import numpy as np
    >>> exact_square_sums(np.array([[0.1], [0.1]]))[0] * 2 == exact_sums(np.array([[0.1], [0.1]]))[0] ** 2 // UNITS
    True
    """

    square = table * table
    spread = table * SPLITTER
    head = spread - (spread - table)
    tail = table - head
    remainder = ((head * head - square) + 2.0 * head * tail) + tail * tail
    return [whole + rest for whole, rest in zip(exact_sums(square), exact_sums(remainder), strict=True)]


def as_float(total: int) -> float:
    """The nearest float of a sum.

    >>> as_float(UNITS // 2)
    0.5
    """
    return total / UNITS


def _number(digits: ndarray) -> int:
    return sum(int(digits[at]) << (DIGIT_BITS * at) for at in digits.nonzero()[0].tolist())
