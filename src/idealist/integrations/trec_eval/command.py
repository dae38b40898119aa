"""trec_eval's command: two files and options in, lines out."""

from __future__ import annotations

import sys
from math import copysign, exp, inf, log, nan

from idealist import kernels
from idealist.integrations.trec_eval.catalogue import (
    PAIRS,
    PERSISTENCE,
    RELSTRING_LENGTH,
    UnfitRequest,
    columns,
)
from idealist.integrations.trec_eval.gains import POOLED, gain_values
from idealist.integrations.trec_eval.inputs import Inputs, read_file, read_inputs
from idealist.integrations.trec_eval.options import Settings, Stopped, read_settings
from idealist.integrations.trec_eval.text import FORMATS, read_scores
from idealist.integrations.trec_eval.values import SMALLEST, UTILITIES, Queries, total, values_of
from idealist.kernels import Values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TextIO

    from idealist.integrations.trec_eval.catalogue import Column

    Scores = dict[str, dict[str, tuple[float, float]]]

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
            from idealist.integrations.trec_eval.help import help_text

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
        from idealist.integrations.trec_eval.rich import read_rich_inputs

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
