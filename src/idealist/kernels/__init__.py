"""The typed face of the native core: reads, joins and sums; knows no measure."""

from __future__ import annotations

import copyreg

from idealist.errors import InputError
from idealist.kernels._native import (
    ArrowFailed,
    ArrowReader,
    DelimitedNumbers,
    FeatureText,
    Feed,
    FileChanged,
    Gain,
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
    any_hit,
    arrow_of,
    best_of_ties,
    by_group,
    chosen,
    condensed,
    cut_short,
    delimited_lines,
    discounted_gains,
    duplicate_rows,
    file_window,
    filled,
    gains,
    grades,
    hits,
    hits_within,
    ideal_gains,
    ideal_order,
    ideal_ranks,
    ids_beyond_ascii,
    ids_with_space,
    json_lines,
    lambda_gradients,
    list_window,
    lookalike_rows,
    match,
    match_dict,
    own_ids,
    packed,
    part,
    piece_count,
    precision_sum,
    rank_against,
    rank_items,
    rank_lists,
    rank_matrix,
    ranks,
    read_file,
    read_part,
    reciprocal_rank,
    regraded,
    relevant,
    retrieved,
    row_counts,
    row_document,
    row_line,
    row_numbers,
    rows_from_arrays,
    rows_from_dict,
    scattered_queries,
    tied,
    tree_scores,
    unite,
    unpacked,
    values_by_query,
    worst_of_ties,
)
from idealist.system import available_threads

__all__ = [
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
    "arrow_of",
    "available_threads",
    "best_of_ties",
    "by_group",
    "chosen",
    "condensed",
    "cut_short",
    "delimited_lines",
    "discounted_gains",
    "duplicate_rows",
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
    "json_lines",
    "lambda_gradients",
    "list_window",
    "lookalike_rows",
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
