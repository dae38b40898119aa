"""trec_eval's command: two files and options in, lines out; and its help, in our words."""

from __future__ import annotations

import sys
from math import copysign, exp, inf, log, nan
from textwrap import fill

from idealist import kernels
from idealist.drop_ins.trec_eval.gain_values import POOLED, gain_values
from idealist.drop_ins.trec_eval.getopt import Settings, Stopped, read_settings
from idealist.drop_ins.trec_eval.measure_catalogue import (
    PAIRS,
    PERSISTENCE,
    RELSTRING_LENGTH,
    UnfitRequest,
    columns,
    columns_of,
    requested,
    supported_measures,
    supported_nicknames,
)
from idealist.drop_ins.trec_eval.plain_values import SMALLEST, UTILITIES, Queries, total, values_of
from idealist.drop_ins.trec_eval.text_reader import FORMATS, Inputs, read_file, read_inputs, read_scores
from idealist.kernels import Values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TextIO

    from idealist.drop_ins.trec_eval.measure_catalogue import Column

    Scores = dict[str, dict[str, tuple[float, float]]]


WIDTH = 100
OPTIONS_HELP = """\
idealist trec-eval [9|10] [options] JUDGMENTS RESULTS

Prints what trec_eval prints: version 9 (9.0.8) unless 10 is said first.

 -q, --query_eval_wanted            print the values of every query too
 -n, --nosummary                    do not print the line of all queries
 -m, --measure NAME[.PARAMETERS]    print this measure or set of measures; more than once for several.
                                    Parameters: P.5,10   set_F.0.5   utility.1,-1,0,0   ndcg.1=3,2=9
 -c, --complete_rel_info_wanted     average over all judged queries; those without results count 0
 -l, --level_for_rel N              a document is relevant from this grade up (1)
 -M, --Max_retrieved_per_topic N    look at the first N documents of every query only
 -J, --Judged_docs_only             take documents without judgment out of the results first
 -N, --Number_docs_in_coll N        how many documents there are in all, for utility
 -R, --Rel_info_format FORMAT       the judgments are qrels, qrels_jg, prefs or qrels_prefs
 -T, --Results_format FORMAT        the results are trec_results; there is no other format
 -Z, --Zscore FILE                  print standard scores: lines of query, measure, mean, deviation
 -D, --Debug_level N[.QUERY]        evaluate this query only; there is no debug output
 -o, --Output_old_results_format    has no effect, as in trec_eval
 -v, --version                      which version of trec_eval it is
 -h, --help                         this; with -m, what these measures are
"""
EXAMPLES = """\
examples:
  idealist trec-eval robust.qrels bm25.run
  idealist trec-eval -q -m ndcg_cut.10 -m map robust.qrels bm25.run
  idealist trec-eval 10 -c -m official -l 2 robust.qrels bm25.run
"""
FORMATS_HELP = """\
judgments (qrels):    query  iteration  document  grade
          qrels_jg:   query  group  document  grade
          prefs:      query  group  subgroup  document  level
          qrels_prefs: query  group  document  level
results:              query  Q0  document  rank  score  run
"""


def help_text(settings: Settings) -> str:
    parts = [OPTIONS_HELP, EXAMPLES, FORMATS_HELP]
    if settings.requests:
        parts += [
            _explained(name, settings.version) for name in requested(settings.requests, settings.version)
        ]
    else:
        names = " ".join(supported_measures(settings.version))
        parts.append(f"measures:\n{_wrapped(names)}\n")
        nicknames = supported_nicknames(settings.version)
        parts += [f"{nickname}:\n{_wrapped(' '.join(names))}\n" for nickname, names in nicknames.items()]
    return "\n".join(parts)


def _explained(name: str, version: int) -> str:
    first = columns_of(name, None, version)[0]
    if first.measure is None:
        about = (
            "the run's name" if name == "runid" else "the grades of the first documents, one mark for each"
        )
    else:
        from inspect import cleandoc

        about = cleandoc(type(first.measure).__doc__ or "").partition(">>>")[0].rstrip()
        about = f"{first.measure}: {about}"
    return f"{name}\n" + "\n".join(f"    {line}".rstrip() for line in about.split("\n")) + "\n"


def _wrapped(text: str) -> str:
    return fill(text, WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)


NO_SCORE = -1000000.0
UNMATCHED = "trec_eval: No queries with both results and relevance info\n"
# What a measure says of judgments in a format it is not for.
WRONG_FORMAT = {
    "qrels": "trec_eval.form_res_qrels: rel_info format not qrels or results format not trec_results\n",
    "qrels_jg": "trec_eval: rel_info format not qrels_jg or results format not trec_results\n",
    "prefs": "trec_eval.form_prefs_info: prefs_info format not (prefs or qrels_prefs) or results format not "
    "trec_results\n",
}


def run(arguments: Sequence[str]) -> int:
    """Runs the command and gives its exit status. The first argument may say which version: 9 or 10."""
    version = 9
    if arguments and arguments[0] in ("9", "10"):
        version, arguments = int(arguments[0]), arguments[1:]
    lines: list[str] = []
    try:
        settings = read_settings(arguments, version)
        if settings.help:
            lines.append(help_text(settings))
        else:
            _evaluate(settings, lines)
        message, code = "", 0
    except UnfitRequest as error:
        message, code = "\n".join(error.lines) + "\n", error.status
    except Stopped as stopped:
        message, code = stopped.message, stopped.code
    _write(sys.stdout, "".join(lines))
    if message and sys.stderr is not None:
        _write(sys.stderr, message)
    return code


def _write(stream: TextIO, text: str) -> None:
    """Ids go out as the bytes they came in, whatever the terminal's encoding is."""
    if hasattr(stream, "buffer"):
        stream.flush()
        stream.buffer.write(text.encode("utf-8", "surrogateescape"))
    else:  # somebody's own, in memory
        stream.write(text)
    stream.flush()


class Evaluated:
    """The queries that are evaluated, one after the other, and the values of every column."""

    def __init__(self, names: list[str], missing: list[bool], tag: str) -> None:
        self.names = names
        self.missing = missing
        self.tag = tag
        self.values: dict[str, Values] = {}
        self.strings: dict[str, list[str]] = {}


def _evaluate(settings: Settings, lines: list[str]) -> None:
    if settings.judgment_format not in FORMATS:
        raise Stopped(f"trec_eval: Illegal rel_format '{settings.judgment_format}'\n", 2)
    if settings.run_format != "trec_results":
        raise Stopped(f"trec_eval: Illegal retrieval results format '{settings.run_format}'\n", 2)
    if settings.judgment_format == "qrels":
        read: Callable[[Settings], Inputs] = read_inputs
    else:
        from idealist.drop_ins.trec_eval.rich_judgments import read_rich_inputs

        read = read_rich_inputs
    inputs = read(settings)
    scores = None
    if settings.scores is not None:
        refusal = Stopped(f"trec_eval.get_zscores: Cannot read zscores file '{settings.scores}'\n", 255)
        scores = read_scores(read_file(settings.scores, refusal), settings.scores)
    requested_columns = columns(settings.requests or ("official",), settings.version, settings.level)
    chosen, end = _chosen(inputs, settings, requested_columns)
    evaluated = _evaluated(inputs, chosen, settings, requested_columns)
    _sign_undefined(evaluated)
    if scores is not None:
        _convert(evaluated, requested_columns, scores)
    if settings.per_query:
        lines += _query_lines(evaluated, requested_columns, scores is not None)
    if end is not None:
        raise end
    if not chosen:
        raise Stopped(UNMATCHED, 7)
    if settings.summary:
        lines += _summary_lines(evaluated, requested_columns, settings, inputs, scores is not None)


def _chosen(
    inputs: Inputs, settings: Settings, requested_columns: list[Column]
) -> tuple[list[int], Stopped | None]:
    """The queries that are evaluated, and what stops it there."""
    missing = set(inputs.native.missing())
    refused = _refused(requested_columns, settings)
    chosen: list[int] = []
    for query, name in enumerate(inputs.native.queries()):
        if settings.only_query is not None and name != settings.only_query:
            continue
        if query in missing and settings.version == 9:
            continue
        if query in missing and not settings.complete:
            hint = "use -c to count such queries as empty"
            message = f"trec_eval: query '{name}' has judgments but no results\nhint: {hint}\n"
            return chosen, Stopped(message, 4)
        if name in inputs.faults:
            refused = _refused(requested_columns, settings, inputs.faults[name])
        if refused:
            return chosen, Stopped(refused, 4)
        chosen.append(query)
    return chosen, None


def _refused(requested_columns: list[Column], settings: Settings, fault: str = "") -> str:
    """Why a query has no values, by the first measure that says so; empty if all have."""
    for column in requested_columns:
        if refusal := _refusal(column, settings, fault):
            return f"{refusal}trec_eval: Can't calculate measure '{column.base}'\n"
    return ""


def _refusal(column: Column, settings: Settings, fault: str) -> str:
    form = _format_of(column.base)
    judgment_form = "prefs" if settings.judgment_format == "qrels_prefs" else settings.judgment_format
    if form is None:
        return ""
    if form != judgment_form:
        return WRONG_FORMAT[form]
    if not fault and column.base == "utility" and len(column.parameter or UTILITIES) != len(UTILITIES):
        return "trec_eval.calc_utility: improper number of coefficients\n"
    return fault


def _format_of(base: str) -> str | None:
    if base in ("runid", "num_q"):
        return None
    if base.startswith("prefs_"):
        return "prefs"
    return "qrels_jg" if base.endswith("_avgjg") else "qrels"


def _evaluated(
    inputs: Inputs, chosen: list[int], settings: Settings, requested_columns: list[Column]
) -> Evaluated:
    missing = set(inputs.native.missing())
    names = inputs.native.queries()
    evaluated = Evaluated(
        [names[query] for query in chosen], [query in missing for query in chosen], inputs.tag
    )
    measured_columns = [column for column in requested_columns if column.base not in ("runid", "num_q")]
    if settings.judgment_format != "qrels":
        for column in measured_columns if chosen else ():
            values = inputs.values(column, settings)  # type: ignore[attr-defined]
            evaluated.values[column.name] = Values([values[query] for query in chosen])
        return evaluated
    native = inputs.native if len(chosen) == len(names) else kernels.chosen(inputs.native, chosen)
    threads = kernels.thread_count(None)
    queries = Queries(native, settings.version, settings.level, settings.collection_size, threads)
    for column in measured_columns if chosen else ():
        if column.base == "relstring":
            evaluated.strings[column.name] = _relevance_strings(column, queries)
        elif column.base in PAIRS:
            evaluated.values[column.name] = Values(gain_values(column, queries))
        else:
            evaluated.values[column.name] = values_of(column, queries)
    if any(evaluated.missing):
        _settle_missing(
            evaluated, measured_columns, placeholder=settings.depth > 0 and not settings.judged_only
        )
    return evaluated


def _settle_missing(evaluated: Evaluated, measured_columns: list[Column], placeholder: bool) -> None:
    """In 10, a query without results has one unjudged document as a placeholder, unless that is cut off or taken
    out. Some measures count it, or do so when they have parameters: trec_eval takes it back by their plain names."""
    for column in measured_columns:
        if column.base == "relstring":
            if placeholder and column.parameter and column.parameter[0] >= 1:
                strings = zip(evaluated.strings[column.name], evaluated.missing, strict=True)
                evaluated.strings[column.name] = ["-" if missing else string for string, missing in strings]
            continue
        values = zip(evaluated.values[column.name], evaluated.missing, strict=True)
        evaluated.values[column.name] = Values(
            [_settled(value, column, placeholder) if missing else value for value, missing in values]
        )


def _settled(value: float, column: Column, placeholder: bool) -> float:
    """The value of a query without results, from that of an empty list."""
    if column.base == "utility":
        if column.parameter is None:
            return 0.0
        return value + column.parameter[1] - column.parameter[3] if placeholder else value
    if column.base == "rbp_resid" and column.parameter and placeholder:
        p: float = dict(column.parameter).get("p", PERSISTENCE)
        return p + (1 - p)
    if column.base in ("iprec_at_recall", "11pt_avg") and placeholder:
        return 0.0
    return value


def _relevance_strings(column: Column, queries: Queries) -> list[str]:
    requested_length = column.parameter[0] if column.parameter else RELSTRING_LENGTH
    length = int(max(0.0, min(requested_length, queries.native.longest())))
    strings = []
    for query in range(len(queries)):
        retrieved, ranks, grades, _ = queries.native.query(query)
        marks = ["-"] * min(length, retrieved)
        for rank, grade in zip(ranks, grades, strict=True):
            if rank <= len(marks):
                marks[rank - 1] = _mark(int(grade) if grade >= 0 else POOLED)
        strings.append("".join(marks))
    return strings


def _mark(grade: int) -> str:
    if grade > 9:
        return ">"
    return "." if grade == POOLED else str(grade)


def _sign_undefined(evaluated: Evaluated) -> None:
    """C's 0 / 0 has a sign, which its printf shows; a mean that a file of scores gives as nan has none."""
    for name, values in evaluated.values.items():
        if values.first_undefined() is not None:
            evaluated.values[name] = Values(
                [copysign(nan, -1) if value != value else value for value in values]
            )


def _convert(evaluated: Evaluated, requested_columns: list[Column], scores: Scores) -> None:
    """Values become their distance from a mean, in standard deviations."""
    for column in requested_columns:
        if column.name not in evaluated.values:
            continue
        values = list(evaluated.values[column.name])
        for query, name in enumerate(evaluated.names):
            mean, deviation = scores.get(name, {}).get(column.name, (nan, 0.0))
            if deviation:
                values[query] = (values[query] - mean) / deviation
            else:
                values[query] = 0.0 if values[query] == mean else NO_SCORE
        evaluated.values[column.name] = Values(values)


def _number(value: float) -> str:
    if value != value:
        return "  -nan" if copysign(1, value) < 0 else "   nan"
    return f"{value:6.4f}"


def _query_lines(evaluated: Evaluated, requested_columns: list[Column], zscores: bool) -> list[str]:
    mark = "Z" if zscores else ""
    printed_columns = [
        column
        for column in requested_columns
        if column.base not in ("runid", "num_q") and column.summary != "geometric"
    ]
    lines = []
    heads = [f"{mark}{column.name:<22}\t" for column in printed_columns]
    values = {name: list(column) for name, column in evaluated.values.items()}
    for query, name in enumerate(evaluated.names):
        for head, column in zip(heads, printed_columns, strict=True):
            if column.base == "relstring":
                lines.append(f"{column.name:<22}\t{name}\t'{evaluated.strings[column.name][query]}'\n")
                continue
            value = values[column.name][query]
            text = str(int(value)) if column.summary == "sum" and not zscores else _number(value)
            lines.append(f"{head}{name}\t{text}\n")
    return lines


def _summary_lines(
    evaluated: Evaluated, requested_columns: list[Column], settings: Settings, inputs: Inputs, zscores: bool
) -> list[str]:
    count = len(inputs.native) if settings.complete else len(evaluated.names)
    mark = "Z" if zscores else ""
    lines = []
    for column in requested_columns:
        if column.base == "relstring":
            continue
        if column.base == "runid":
            lines.append(f"{'runid':<22}\tall\t{evaluated.tag}\n")
            continue
        if column.base == "num_q":
            lines.append(f"{mark}{'num_q':<22}\tall\t{_number(count) if zscores else count}\n")
            continue
        added = total(evaluated.values[column.name]) if evaluated.names else 0.0
        if column.summary == "sum":
            if column.base == "num_rel" and settings.complete:
                added = total(kernels.relevant(inputs.native, 1.0))  # whatever the level
            text = _number(added) if zscores else str(int(added))
        elif column.summary == "geometric":
            text = _number(_exponential((added + (count - len(evaluated.names)) * log(SMALLEST)) / count))
        else:
            text = _number(added / count)
        lines.append(f"{mark}{column.name:<22}\tall\t{text}\n")
    return lines


def _exponential(number: float) -> float:
    try:
        return exp(number)
    except OverflowError:
        return inf
