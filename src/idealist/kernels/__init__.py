"""The typed face of the native core: reads, joins and sums; knows no measure."""

from __future__ import annotations

import os

from idealist.kernels._native import (
    Feed,
    FileChanged,
    Gain,
    MatchOptions,
    Rankings,
    Rows,
    Values,
    any_hit,
    discounted_gains,
    hits,
    hits_within,
    ideal_gains,
    match,
    match_dict,
    match_file,
    precision_sum,
    rank_lists,
    rank_matrix,
    read_file,
    reciprocal_rank,
    relevant,
    retrieved,
    rows_from_dict,
)

__all__ = [
    "Feed",
    "FileChanged",
    "Gain",
    "MatchOptions",
    "Rankings",
    "Rows",
    "Values",
    "any_hit",
    "available_threads",
    "discounted_gains",
    "hits",
    "hits_within",
    "ideal_gains",
    "match",
    "match_dict",
    "match_file",
    "precision_sum",
    "rank_lists",
    "rank_matrix",
    "read_file",
    "reciprocal_rank",
    "relevant",
    "retrieved",
    "rows_from_dict",
]


def available_threads() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
