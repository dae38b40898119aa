"""Conventions as the native core takes them."""

from __future__ import annotations

from idealist import kernels
from idealist.conventions import as_conventions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.conventions import Conventions


def match_options(conventions: Conventions, depth: int | None = None) -> kernels.MatchOptions:
    as_conventions(conventions)
    return kernels.MatchOptions(
        ties=conventions.ties,
        remove_unjudged=conventions.unjudged == "removed",
        single_precision=conventions.precision == "single",
        negative_unjudged=conventions.negative == "unjudged",
        depth=depth,
    )
