"""trec_eval 9 itself, as it is compiled into pytrec_eval: its formats for judgments that pytrec_eval does not
offer. Every call needs a query of its own: what trec_eval made of the last one stays in static memory."""

from __future__ import annotations

import itertools
from ctypes import (
    CDLL,
    CFUNCTYPE,
    POINTER,
    Structure,
    addressof,
    byref,
    c_char_p,
    c_double,
    c_int,
    c_long,
    c_void_p,
)
from importlib.util import find_spec
from pathlib import Path

Rows = list[tuple[str, ...]]


class Options(Structure):
    _fields_ = [
        ("query_flag", c_long),
        ("summary_flag", c_long),
        ("debug_level", c_long),
        ("debug_query", c_char_p),
        ("relation_flag", c_long),
        ("average_complete_flag", c_long),
        ("judged_docs_only_flag", c_long),
        ("num_docs_in_coll", c_long),
        ("relevance_level", c_long),
        ("max_num_docs_per_topic", c_long),
        ("rel_info_format", c_char_p),
        ("results_format", c_char_p),
        ("zscore_flag", c_long),
        ("meas_arg", c_void_p),
    ]


class NamedValue(Structure):
    _fields_ = [("name", c_char_p), ("value", c_double)]


class Values(Structure):
    _fields_ = [
        ("qid", c_char_p),
        ("num_queries", c_long),
        ("values", POINTER(NamedValue)),
        ("num_values", c_long),
        ("max_num_values", c_long),
    ]


class Ranked(Structure):
    _fields_ = [("qid", c_char_p), ("run_id", c_char_p), ("ret_format", c_char_p), ("q_results", c_void_p)]


class Judged(Structure):
    _fields_ = [("qid", c_char_p), ("rel_format", c_char_p), ("q_rel_info", c_void_p)]


class AllRanked(Structure):
    _fields_ = [("count", c_long), ("room", c_long), ("queries", POINTER(Ranked))]


class AllJudged(Structure):
    _fields_ = [("count", c_long), ("room", c_long), ("queries", POINTER(Judged))]


START = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p)
CALCULATE = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)


class Program(Structure):
    """A measure."""

    _fields_ = [
        ("name", c_char_p),
        ("explanation", c_char_p),
        ("start", START),
        ("calculate", CALCULATE),
        ("accumulate", c_void_p),
        ("average", c_void_p),
        ("print_single", c_void_p),
        ("print_final", c_void_p),
        ("parameters", c_void_p),
        ("index", c_long),
    ]


EXTENSION = find_spec("pytrec_eval_ext")
LIBRARY = CDLL(EXTENSION.origin if EXTENSION else None)
NUMBERS = itertools.count()


def has_formats() -> bool:
    """Whether this build lets them be called."""
    return all(hasattr(LIBRARY, f"te_get_{form}") for form in ("qrels_jg", "prefs", "qrels_prefs"))


def values(
    form: str,
    judged: Rows,
    run: dict[str, float],
    names: list[str],
    folder: Path,
    *,
    judged_only: bool = False,
) -> dict[str, float]:
    """What trec_eval's measures give one query, whose judgments are the rows behind its id, as -R `form` has
    them, with -J if `judged_only`. Scores must be exact in single precision."""
    query = f"q{next(NUMBERS)}"
    judgment_file, run_file = folder / "judged", folder / "run"
    judgment_file.write_text("".join(f"{' '.join((query, *row))}\n" for row in judged))
    run_file.write_text("".join(f"{query} Q0 {name} 0 {score!r} s\n" for name, score in run.items()))
    options = Options(
        summary_flag=1,
        relation_flag=1,
        judged_docs_only_flag=int(judged_only),
        relevance_level=1,
        max_num_docs_per_topic=2**62,
        rel_info_format=form.encode(),
        results_format=b"trec_results",
    )
    all_judged, all_ranked = AllJudged(), AllRanked()
    _check(LIBRARY[f"te_get_{form}"](byref(options), str(judgment_file).encode(), byref(all_judged)))
    _check(LIBRARY.te_get_trec_results(byref(options), str(run_file).encode(), byref(all_ranked)))
    found = Values(qid=query.encode())
    for name in names:
        measure = Program.in_dll(LIBRARY, f"te_meas_{name}")
        _check(measure.start(*map(addressof, (options, measure, found))))
        given = (options, all_judged.queries[0], all_ranked.queries[0], measure, found)
        _check(measure.calculate(*map(addressof, given)))
    return {found.values[i].name.decode(): found.values[i].value for i in range(found.num_values)}


def _check(outcome: int) -> None:
    if outcome == -1:
        raise ValueError("trec_eval refuses this")
