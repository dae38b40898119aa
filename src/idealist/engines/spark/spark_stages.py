"""The stages of an evaluation: one shuffle of packed rows; or none, where Spark or a Parquet file has the rows of a query together.

DataFrames that are Parquet files and nothing else: these are read with pyarrow, in Python's workers. Turning rows into
Arrow takes Spark longer than all the rest.
"""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from idealist.base.frozen import Frozen
from idealist.engines.parquet_workers import (
    FileColumn,
    FileSide,
    MeasuringFiles,
    PackingFiles,
    query_ranges,
    read_footers,
    row_shares,
)
from idealist.engines.shuffle import MOST_PARTITIONS, TOTALS, Measuring, Packing, as_partitions, merge_totals
from idealist.engines.spark.dataframes import INTEGERS
from idealist.engines.totals import Totals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from pyspark.sql import DataFrame

    from idealist.engines.parquet_workers import QueryRange, RowGroup
    from idealist.engines.spark.dataframes import Side
    from idealist.engines.task import Task


PARQUET = "org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat"
# With one of these, Spark leaves out what it cannot read.
LENIENT = ("ignoreCorruptFiles", "ignoreMissingFiles")
MOST_FILES = 4096  # their footers are read by the driver


class ScannedSide(Frozen):
    """The row groups of a run or of judgments, and what workers must know to read them."""

    files: FileSide
    groups: tuple[RowGroup, ...]


def scanned(side: Side) -> ScannedSide | None:
    """The files of a run or of judgments; None where Spark has to read them: where a DataFrame is more than files, where
    they lie elsewhere than in the file system, or have types that are not certain to be read alike."""
    if side.columns is None:
        return None
    try:
        found = _files(side.origin)
    except Exception:  # a session of Spark Connect shows no plan, and another Spark may have another
        return None
    if found is None:
        return None
    names, paths = found
    if not all(source in names for _, source in side.columns):
        return None
    from pyspark.sql.pandas.types import to_arrow_schema

    kinds = to_arrow_schema(side.frame.schema)
    columns = tuple(FileColumn(names[source], name, kinds.field(name).type) for name, source in side.columns)
    groups = read_footers(paths, columns)
    if groups is None:
        return None
    return ScannedSide(FileSide(side.kind, columns, side.lists, side.numbers), groups)


def _files(frame: DataFrame) -> tuple[dict[str, str], list[str]] | None:
    """The paths of a DataFrame that is nothing but Parquet files, and its columns' names there."""
    plan = frame._jdf.queryExecution().withCachedData()
    names = {name: name for name in frame.columns}
    if len(names) < len(frame.columns):
        return None
    while (kind := plan.getClass().getSimpleName()) in ("Project", "SubqueryAlias"):
        if kind == "Project":
            below = dict(_renamed(plan.projectList()))
            names = {name: below[source] for name, source in names.items() if source in below}
        plan = plan.child()
    if kind != "LogicalRelation":
        return None
    relation = plan.relation()
    if relation.getClass().getSimpleName() != "HadoopFsRelation":
        return None
    if relation.fileFormat().getClass().getName() != PARQUET or relation.partitionSchema().length():
        return None
    conf = frame.sparkSession.conf
    options = {str(key).lower() for key in _elements(relation.options().keys().toSeq())}
    if any(
        name.lower() in options or conf.get(f"spark.sql.files.{name}", "false") != "false" for name in LENIENT
    ):
        return None
    addresses = [urlsplit(address) for address in relation.location().inputFiles()]
    if not 0 < len(addresses) <= MOST_FILES or any(each.scheme != "file" for each in addresses):
        return None
    return names, [unquote(each.path) for each in addresses]


def _renamed(expressions: Any) -> Iterator[tuple[str, str]]:
    """The columns that a projection passes on as they are, by their new names."""
    for expression in _elements(expressions):
        source = expression
        if expression.getClass().getSimpleName() == "Alias":
            source = expression.child()
        if source.getClass().getSimpleName() == "AttributeReference":
            yield expression.name(), source.name()


def _elements(sequence: Any) -> Iterator[Any]:
    """Those of a sequence of Scala's."""
    return (sequence.apply(at) for at in range(sequence.size()))


# Of what Spark estimates an input to take on disk: about two million rows, which take a worker 400 MB.
BYTES_PER_PARTITION = 16 << 20
NO_ESTIMATE = 1 << 50  # sizes beyond this say that Spark does not know
# Totals of more partitions than this are merged on the cluster first, and so are all that count items.
MOST_COLLECTED = 256
PACKED = "part int, side int, rows binary"
EXCHANGE = re.compile(r"(?<!\w)Exchange\b")


class Stages(Frozen):
    """Judgments, runs and what is measured, before anything is computed."""

    task: Task
    judgments: Side
    runs: tuple[Side, ...]
    partitions: int
    exact_partitions: bool = False  # as many as were asked for, and no other

    def values(self) -> DataFrame:
        """The values of all queries, and rows that have totals alone; lazy."""
        return self._measured(values=True)

    def totals(self) -> DataFrame:
        """The totals of every partition; lazy."""
        return self._measured(values=False)

    def _measured(self, *, values: bool) -> DataFrame:
        schema = values_schema(self.task, self.judgments)
        columns = schema if values else f"{TOTALS} binary"
        grouped = self._grouped()
        scans = () if grouped is not None else tuple(map(scanned, self._sides))
        ranges = None if self.exact_partitions else self._ranges(scans)
        if ranges is not None:
            files = [scan.files for scan in scans if scan is not None]
            by_range = MeasuringFiles(self.task, arrow_schema(schema), files, ranges, values=values)
            return self._numbers(len(ranges)).mapInArrow(by_range, columns)
        source = self._packed(scans) if grouped is None else grouped
        work = Measuring(
            self.task,
            arrow_schema(schema),
            grouped=grouped is not None,
            values=values,
            judgments=_judgments_schema(self.judgments),
        )
        return source.mapInArrow(work, columns)

    @property
    def _sides(self) -> tuple[Side, ...]:
        return self.judgments, *self.runs

    def _ranges(self, scans: Sequence[ScannedSide | None]) -> list[QueryRange] | None:
        """Ranges of queries, where files are sorted by them; None elsewhere."""
        groups = [scan.groups for scan in scans if scan is not None]
        return query_ranges(groups, self._cores()) if len(groups) == len(self._sides) else None

    def _numbers(self, count: int) -> DataFrame:
        """The numbers below `count`, one to a task."""
        return self.judgments.frame.sparkSession.range(0, count, 1, count)

    def _cores(self) -> int:
        return int(self.judgments.frame.sparkSession.sparkContext.defaultParallelism)

    def _packed(self, scans: Sequence[ScannedSide | None]) -> DataFrame:
        """Rows of both sides by the partition of their query, in binary cells: one shuffle."""
        packed: DataFrame | None = None
        whole = all(dict(side.frame.dtypes)["query"] in INTEGERS for side in self._sides)
        for number, (side, scan) in enumerate(zip(self._sides, scans, strict=True)):
            work = Packing(
                side.kind, number, self.partitions, whole=whole, lists=side.lists, numbers=side.numbers
            )
            if scan is None:
                cells = side.frame.mapInArrow(work, PACKED)
            else:
                shares = row_shares(scan.groups, self._cores())
                from_files = PackingFiles(work, shares, scan.files.columns)
                cells = self._numbers(len(shares)).mapInArrow(from_files, PACKED)
            packed = cells if packed is None else packed.unionAll(cells)
        assert packed is not None
        if hasattr(packed, "repartitionById"):
            return packed.repartitionById(self.partitions, "part")
        return packed.repartition(self.partitions, "part")

    def _grouped(self) -> DataFrame | None:
        """Rows of both sides, those of a query together, where that takes no shuffle; None elsewhere.

        The window function makes Spark answer for it: whatever it knows of the partitioning, its plan is right.
        """
        from pyspark.sql import Window, functions

        types = {side.frame.schema["query"].dataType for side in (self.judgments, *self.runs)}
        documents = {_long(side).schema["document"].dataType for side in (self.judgments, *self.runs)}
        if len(types) > 1:
            return None  # their hashes differ, so that no partitioning can serve both
        together: DataFrame | None = None
        extra = [name for name in self.judgments.frame.columns if name not in ("query", "document", "number")]
        before = 0
        for number, side in enumerate((self.judgments, *self.runs)):
            rows = _long(side)
            if len(documents) > 1:
                rows = rows.withColumn("document", functions.col("document").cast("string"))
            if number:
                for name in extra:
                    kind = self.judgments.frame.schema[name].dataType
                    rows = rows.withColumn(name, functions.lit(None).cast(kind))
            count = exchanges(side.frame)
            if count is None:
                return None
            before += count
            rows = rows.select(functions.lit(number).alias("side"), "query", "document", "number", *extra)
            together = rows if together is None else together.unionAll(rows)
        assert together is not None
        place = functions.row_number().over(Window.partitionBy("query").orderBy("side"))
        placed = together.withColumn("place", place)
        return placed if exchanges(placed) == before else None


def exchanges(frame: DataFrame) -> int | None:
    """How many shuffles a DataFrame's plan has; None where Spark does not show it."""
    text = plan_text(frame)
    return None if text is None else len(EXCHANGE.findall(text))


def plan_text(frame: DataFrame) -> str | None:
    """The physical plan; None where a session does not show it."""
    explain = getattr(frame, "_explain_string", None)  # of Spark Connect
    try:
        text = frame._jdf.queryExecution().executedPlan().toString() if explain is None else explain()
    except AttributeError:
        return None
    return str(text)


def partition_count(sides: tuple[Side, ...], given: int | None) -> int:
    """As many partitions as were asked for; else by what Spark estimates of the size, or its setting."""
    if given is not None:
        return as_partitions(given)
    session = sides[0].frame.sparkSession
    try:
        sizes = [
            int(str(side.frame._jdf.queryExecution().optimizedPlan().stats().sizeInBytes())) for side in sides
        ]
        cores = int(session.sparkContext.defaultParallelism)
    except Exception:  # a session of Spark Connect shows neither
        sizes, cores = [NO_ESTIMATE], 1
    if sum(sizes) >= NO_ESTIMATE:
        return min(int(session.conf.get("spark.sql.shuffle.partitions") or 200), MOST_PARTITIONS)
    return min(max(cores, -(-sum(sizes) // BYTES_PER_PARTITION)), MOST_PARTITIONS)


def collected(frame: DataFrame, task: Task, partitions: int) -> Totals:
    """The totals of all partitions, merged; the only thing that reaches the driver."""
    if partitions > MOST_COLLECTED or any(measure.aggregate == "pooled" for measure in task.measures):
        frame = frame.repartition(max(1, round(partitions**0.5))).mapInArrow(merge_totals, f"{TOTALS} binary")
    totals = Totals(task.systems)
    for row in frame.toLocalIterator() if partitions > MOST_COLLECTED else frame.collect():
        totals.merge(Totals.from_bytes(bytes(row[0])))
    return totals


def values_schema(task: Task, judgments: Side) -> Any:
    """The columns of values: query in its own type, system, segments, measures, and totals."""
    from pyspark.sql import types

    fields = [
        types.StructField("query", judgments.query_type),
        types.StructField("system", types.StringType()),
    ]
    fields += [types.StructField(name, judgments.frame.schema[name].dataType) for name in task.by]
    fields += [types.StructField(name, types.DoubleType()) for name in task.columns]
    return types.StructType([*fields, types.StructField(TOTALS, types.BinaryType())])


def arrow_schema(schema: Any) -> Any:
    from pyspark.sql.pandas.types import to_arrow_schema

    return to_arrow_schema(schema)


def _judgments_schema(judgments: Side) -> Any:
    import pyarrow as pa

    schema = arrow_schema(judgments.frame.schema)
    names = ["grade" if name == "number" else name for name in schema.names]
    types = [
        field.type.value_type if judgments.lists and field.name in ("document", "number") else field.type
        for field in schema
    ]
    return pa.schema(list(zip(names, types, strict=True)))


def _long(side: Side) -> DataFrame:
    """A row per document, in Spark's own words: a plan that goes through Python forgets its partitioning."""
    from pyspark.sql import functions

    if not side.lists:
        return side.frame
    others = [name for name in side.frame.columns if name not in ("document", "number")]
    # What cannot be unfolded becomes a null, which is refused like any other.
    whole = functions.coalesce("document", functions.array(functions.lit(None)))
    of_one_length = functions.when(
        functions.size("number") == functions.size("document"), functions.col("number")
    )
    lists = side.frame.select(*others, of_one_length.alias("number"), whole.alias("document"))
    rows = lists.select(*others, "number", functions.posexplode("document").alias("place", "document"))
    if side.numbers:
        number = functions.get("number", functions.col("place"))
    else:
        number = -(functions.col("place") + 1).cast("double") if side.kind == "run" else functions.lit(1.0)
    return rows.withColumn("number", number).select("query", "document", "number", *others[1:])
