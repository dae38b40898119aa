"""Conventions as the native core wants them."""

from __future__ import annotations

from idealist import kernels
from idealist.conventions import Conventions
from idealist.errors import InputError


def match_options(conventions: Conventions, depth: int | None = None) -> kernels.MatchOptions:
    if not isinstance(conventions, Conventions):
        raise InputError(f"conventions are a Conventions object, not {conventions!r}")
    return kernels.MatchOptions(
        ties=conventions.ties,
        remove_unjudged=conventions.unjudged == "removed",
        single_precision=conventions.precision == "single",
        negative_unjudged=conventions.negative == "unjudged",
        depth=depth,
    )
