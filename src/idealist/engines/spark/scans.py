"""DataFrames that are Parquet files and nothing else: these are read with pyarrow, in Python's workers. Turning rows into
Arrow takes Spark longer than all the rest."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from idealist.base.frozen import Frozen
from idealist.engines.file_workers import FileSide
from idealist.engines.parquet import FileColumn, read_footers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from pyspark.sql import DataFrame

    from idealist.engines.parquet import RowGroup
    from idealist.engines.spark.inputs import Side

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
