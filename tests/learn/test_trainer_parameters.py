"""Parameters of trainers, read from text and numbers."""

from __future__ import annotations

import pytest

from idealist.base.values import as_kind
from idealist.errors import InputError


@pytest.mark.parametrize("given", [2**60 + 1, str(2**60 + 1), f" +{2**60 + 1} "])
def test_whole_numbers_keep_all_digits(given: int | str) -> None:
    assert as_kind(given, "seed", int) == 2**60 + 1
    assert as_kind(f"1,{2**60 + 1}", "seeds", tuple) == (1, 2**60 + 1)


@pytest.mark.parametrize("kind", [int, float, tuple])
def test_numbers_that_no_float_holds_are_refused(kind: type) -> None:
    with pytest.raises(InputError, match="rate must be a finite number"):
        as_kind(10**400, "rate", kind)
