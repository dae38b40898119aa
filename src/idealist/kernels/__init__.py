"""The typed face of the native core: reads, joins and sums; knows no measure.

What measures are written in is `algebra`, of which all names are here, too."""

from __future__ import annotations

import copyreg

from idealist.base.system import available_threads
from idealist.errors import InputError
from idealist.kernels._native import (
    ArrowFailed,
    ArrowReader,
    DelimitedNumbers,
    FeatureText,
    Feed,
    FileChanged,
    Gathering,
    JsonDicts,
    LineParser,
    MatchOptions,
    Partitions,
    Places,
    Rankings,
    Rows,
    Stream,
    TextCutter,
    Union,
    Values,
    Window,
    arrow_of,
    delimited_lines,
    duplicate_rows,
    exchange_gradients,
    file_window,
    ids_beyond_ascii,
    ids_with_space,
    infinite_rows,
    json_lines,
    lambda_gradients,
    list_window,
    lookalike_rows,
    match,
    match_dict,
    own_ids,
    packed,
    piece_count,
    rank_against,
    rank_items,
    rank_lists,
    rank_matrix,
    read_file,
    read_part,
    row_counts,
    row_document,
    row_line,
    row_numbers,
    rows_from_arrays,
    rows_from_dict,
    scattered_queries,
    tree_scores,
    unite,
    unpacked,
    values_by_query,
)
from idealist.kernels.algebra import (
    OPERATIONS,
    Gain,
    any_hit,
    are_values,
    at_ranks,
    best_of_ties,
    by_group,
    by_rank,
    chosen,
    condensed,
    cut_short,
    discounted_gains,
    filled,
    gains,
    grades,
    hits,
    hits_within,
    ideal_gains,
    ideal_order,
    ideal_ranks,
    joined,
    looked_up,
    part,
    precision_sum,
    ranks,
    reciprocal_rank,
    regraded,
    relevant,
    retrieved,
    tied,
    worst_of_ties,
    worths,
)

__all__ = [
    "OPERATIONS",
    "ArrowFailed",
    "ArrowReader",
    "DelimitedNumbers",
    "FeatureText",
    "Feed",
    "FileChanged",
    "Gain",
    "Gathering",
    "JsonDicts",
    "LineParser",
    "MatchOptions",
    "Partitions",
    "Places",
    "Rankings",
    "Rows",
    "Stream",
    "TextCutter",
    "Union",
    "Values",
    "Window",
    "any_hit",
    "are_values",
    "arrow_of",
    "at_ranks",
    "available_threads",
    "best_of_ties",
    "by_group",
    "by_rank",
    "chosen",
    "condensed",
    "cut_short",
    "delimited_lines",
    "discounted_gains",
    "duplicate_rows",
    "exchange_gradients",
    "file_window",
    "filled",
    "gains",
    "grades",
    "hits",
    "hits_within",
    "ideal_gains",
    "ideal_order",
    "ideal_ranks",
    "ids_beyond_ascii",
    "ids_with_space",
    "infinite_rows",
    "joined",
    "json_lines",
    "lambda_gradients",
    "list_window",
    "lookalike_rows",
    "looked_up",
    "match",
    "match_dict",
    "own_ids",
    "packed",
    "part",
    "piece_count",
    "precision_sum",
    "rank_against",
    "rank_items",
    "rank_lists",
    "rank_matrix",
    "ranks",
    "read_file",
    "read_part",
    "reciprocal_rank",
    "regraded",
    "relevant",
    "retrieved",
    "row_counts",
    "row_document",
    "row_line",
    "row_numbers",
    "rows_from_arrays",
    "rows_from_dict",
    "scattered_queries",
    "thread_count",
    "tied",
    "tree_scores",
    "unite",
    "unpacked",
    "values_by_query",
    "worst_of_ties",
    "worths",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array

MOST_THREADS = 256


def thread_count(threads: int | None) -> int:
    """The number of threads to use; all cores by default."""
    if threads is None:
        return available_threads()
    if not hasattr(threads, "__index__") or threads < 1:
        raise InputError(
            f"threads must be a whole number of 1 or more, not {threads!r}",
            hint="leave it out to use all cores",
        )
    return min(int(threads), MOST_THREADS)


def _reduced(values: Values) -> tuple[type[Values], tuple[array[float]]]:
    """Values as pickle and copy write them: eight bytes each."""
    from array import array

    return Values, (array("d", values),)


copyreg.pickle(Values, _reduced)
