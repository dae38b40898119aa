"""Rankings cut short."""

from __future__ import annotations

from idealist import kernels
from idealist.data import Rankings


def test_only_the_first_ranks_are_left() -> None:
    native = Rankings.from_grades([[1, None, 0, 2], [None]], [[1, 0, 2, 3], [1]]).native
    cut = kernels.cut_short(native, 3)
    assert [cut.query(at) for at in range(2)] == [
        (3, [1, 3], [1.0, 0.0], [3.0, 2.0, 1.0, 0.0]),
        (1, [], [], [1.0]),
    ]
    assert kernels.cut_short(native, 0).query(0) == (0, [], [], [3.0, 2.0, 1.0, 0.0])
    assert kernels.cut_short(native, 2**40) == native
