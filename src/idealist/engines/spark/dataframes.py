"""Spark DataFrames as runs and judgments: a row per document, or a row per query with arrays; and files and tables read into them."""

from __future__ import annotations

import os

from idealist.base.frozen import Frozen
from idealist.base.wording import type_name
from idealist.data.column_names import DOCUMENT, columns_of, find_roles, find_system
from idealist.engines.spark.faults import as_input_errors
from idealist.errors import InputError, MissingDependency

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from pyspark.sql import DataFrame, SparkSession


INTEGERS = ("tinyint", "smallint", "int", "bigint")
# What has no text that is sure to be the same on both sides.
NO_IDS = ("float", "double", "array", "map", "struct", "binary", "variant", "void")


def spark_library() -> Any:
    """The module pyspark.sql, or what to install."""
    try:
        import pyspark.sql
    except ImportError:
        raise MissingDependency(
            "idealist.engines.spark needs pyspark, which is not installed",
            hint="pip install 'idealist[spark]'",
        ) from None
    return pyspark.sql


class Side(Frozen):
    """A run or judgments, ready for the kernel: `frame` has the columns query, document and number (score or grade, or
    null arrays of them where there are none), then those of segments and, where queries are neither text nor whole
    numbers, `id` with their own type. `lists` says that document and number are arrays. `origin` is the DataFrame that
    was given; `columns` pairs the names of `frame` with the columns there, where each is one of them."""

    kind: str
    frame: DataFrame
    query_type: Any
    lists: bool
    numbers: bool
    by: tuple[str, ...] = ()
    origin: Any = None
    columns: tuple[tuple[str, str], ...] | None = None


def read_side(
    frame: Any, kind: str, *, columns: Mapping[str, str] | None = None, by: Sequence[str] = ()
) -> Side:
    """A DataFrame's columns by their names, which are those that `idealist.evaluate` knows, or by `columns`."""
    spark_library()
    _refuse_others(frame, kind)
    from pyspark.sql import functions

    for name in by:
        if name not in frame.columns:
            raise InputError(
                f"{kind}: there is no column {name!r}, by which to tell segments apart",
                hint=f"there are {', '.join(frame.columns)}",
            )
    columns = _own(frame, columns_of(columns, kind))
    if kind == "run" and (system := find_system(frame.columns, columns)) is not None:
        raise InputError(
            f"run: the column {system!r} tells several systems apart",
            hint=f"give each by its name: {{'a': frame.where(\"{system} = 'a'\").drop('{system}'), …}}",
        )
    types = dict(frame.dtypes)
    roles = _roles(frame, kind, columns, types, by)
    expressions, lists = roles.expressions, roles.lists
    query = expressions["query"]
    query_name = frame.select(query).columns[0]
    document_type = frame.select(expressions["document"]).dtypes[0][1]
    if lists:
        document_type = document_type.removeprefix("array<").removesuffix(">")
    _refuse_type(types[query_name], kind, "query")
    _refuse_type(document_type, kind, "document")
    document = expressions["document"]
    as_it_is = document_type in INTEGERS or document_type == "string"
    if not as_it_is:
        document = document.cast("array<string>" if lists else "string")
    number = expressions.get("number")
    number_type = "array<double>" if lists else "double"
    plain = types[query_name] in INTEGERS or types[query_name] == "string"
    selected = [
        (query if plain else query.cast("string")).alias("query"),
        document.alias("document"),
        (functions.lit(None).cast(number_type) if number is None else number.cast(number_type)).alias(
            "number"
        ),
        *(functions.col(_quoted(name)).alias(name) for name in by),
        *([] if plain or kind == "run" else [query.alias("id")]),
    ]
    return Side(
        kind,
        frame.select(*selected),
        frame.schema[query_name].dataType,
        lists,
        number is not None,
        tuple(by),
        frame,
        (*roles.sources, *((name, name) for name in by)) if plain and as_it_is and roles.sources else None,
    )


class Roles(Frozen):
    """The expressions of query, document and number, whether the latter are arrays, and which columns they are; None where
    one of them is no column."""

    expressions: Mapping[str, Any]
    lists: bool
    sources: tuple[tuple[str, str], ...] | None


def _roles(
    frame: Any, kind: str, columns: Mapping[str, str] | None, types: Mapping[str, str], by: Sequence[str]
) -> Roles:
    """Which column is which. A rank counts as a score from the lowest up."""
    from pyspark.sql import functions

    arrays = [name for name, kind_ in types.items() if kind_.startswith("array<") and name not in by]
    if not arrays:
        found = find_roles(frame.columns, kind, columns, source=kind)
        sources = {role: frame.columns[at] for role, at in found.items()}
        named = {role: functions.col(_quoted(name)) for role, name in sources.items()}
        return Roles(_with_number(named, lists=False), False, _sources(sources))
    structs = [name for name in arrays if types[name].startswith("array<struct<")]
    scalars = [name for name in frame.columns if name not in arrays]
    if structs:
        fields = frame.schema[structs[0]].dataType.elementType.names
        names = [*scalars, *fields]
        expressions = [functions.col(_quoted(name)) for name in scalars]
        expressions += [functions.col(_quoted(structs[0])).getField(field) for field in fields]
    else:
        names = [*scalars, *(name if columns else _singular(name) for name in arrays)]
        expressions = [functions.col(_quoted(name)) for name in (*scalars, *arrays)]
        if len(arrays) == 1 and not columns:
            names[-1] = "document"  # whatever it is called, it has the documents
    if len(arrays) == 1 and not structs:
        names.append("score" if kind == "run" else "grade")  # there is none: see `Side.numbers`
    elif structs and len(fields) == 2 and not columns:
        names = [*scalars, *_pair(fields, kind)]
    found = find_roles(names, kind, columns, source=kind)
    named = {role: expressions[at] for role, at in found.items() if at < len(expressions)}
    columns_ = [*scalars, *arrays]
    sources = {} if structs else {role: columns_[at] for role, at in found.items() if at < len(columns_)}
    return Roles(_with_number(named, lists=True), True, _sources(sources))


def _sources(found: Mapping[str, str]) -> tuple[tuple[str, str], ...] | None:
    """The columns that are the query, the document and the number; None where one has to be computed."""
    if not found or "rank" in found:
        return None
    return tuple((role if role in ("query", "document") else "number", name) for role, name in found.items())


def _with_number(named: dict[str, Any], *, lists: bool) -> dict[str, Any]:
    from pyspark.sql import functions

    expressions = {role: named[role] for role in ("query", "document")}
    for role, expression in named.items():
        if role in ("score", "grade"):
            expressions["number"] = expression
        elif role == "rank":
            expressions["number"] = (
                functions.transform(expression, lambda rank: -rank.cast("double"))
                if lists
                else -expression.cast("double")
            )
    return expressions


def _refuse_others(frame: Any, kind: str) -> None:
    if not hasattr(frame, "isStreaming") or not hasattr(frame, "mapInArrow"):
        raise InputError(
            f"{kind}: a Spark DataFrame is expected, not {type_name(frame)}",
            hint="spark.createDataFrame or spark.read makes one; idealist.evaluate takes files and local frames",
        )
    if frame.isStreaming:
        raise InputError(
            f"{kind}: a stream never ends, and a query can be measured only when all its rows are known",
            hint="write the stream to a table and evaluate that, or use foreachBatch where a batch has whole queries",
        )


def _refuse_type(written: str, kind: str, role: str) -> None:
    if written.startswith(NO_IDS):
        raise InputError(
            f"{kind}: the {role} is of type {written}, and ids are text, whole numbers or dates",
            hint="cast it to a string",
        )


def _own(frame: Any, columns: Mapping[str, str]) -> dict[str, str] | None:
    """Those of the names that this frame has: one mapping serves all runs."""
    if not columns:
        return None
    names = {*frame.columns}
    for field in frame.schema.fields:
        element = getattr(field.dataType, "elementType", None)
        names.update(getattr(element, "names", None) or ())
    return {role: name for role, name in columns.items() if name in names} or None


def _pair(fields: Sequence[str], kind: str) -> list[str]:
    """The names of a document and its number, whatever the latter is called: ALS recommends (item, rating)."""
    number = "score" if kind == "run" else "grade"
    by_name = [at for at, field in enumerate(fields) if field.lower() in DOCUMENT]
    document = by_name[0] if len(by_name) == 1 else 0
    return ["document" if at == document else number for at in range(2)]


def _singular(name: str) -> str:
    return name.removesuffix("s")


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


ENDINGS = {".parquet": "parquet", ".orc": "orc", ".csv": "csv", ".json": "json", ".jsonl": "json"}


def read_frame(session: SparkSession, name: str | os.PathLike[str]) -> DataFrame:
    """A DataFrame of a path (Parquet, ORC, CSV with a header, JSON lines, or Delta where its folder has a log) or of
    a table of the session's catalogue."""
    spark_library()
    path = os.fspath(name)
    kind = next((kind for ending, kind in ENDINGS.items() if path.rstrip("/").endswith(ending)), None)
    with as_input_errors():
        if kind is None and os.path.isdir(os.path.join(path, "_delta_log")):
            kind = "delta"
        if kind is None and ("/" in path or os.path.exists(path)):
            kind = "parquet"
        if kind is None:
            return session.table(path)
        if kind == "csv":
            return session.read.csv(path, header=True, inferSchema=True)
        try:
            return session.read.format(kind).load(path)
        except Exception as error:
            if kind == "delta" and "DATA_SOURCE_NOT_FOUND" in str(error):
                raise InputError(
                    f"{path} is a Delta table, and this Spark has no Delta",
                    hint="start it with --packages io.delta:delta-spark_2.13:VERSION, or name the table as Parquet",
                ) from None
            raise
