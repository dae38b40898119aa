"""The public names of this package."""

from idealist.engines import dask as dask
from idealist.engines import duckdb as duckdb
from idealist.engines import polars as polars
from idealist.engines import ray as ray
from idealist.engines import spark as spark
from idealist.engines import sql as sql
from idealist.engines.engine_results import ClusterComparison as ClusterComparison
from idealist.engines.engine_results import ClusterSummary as ClusterSummary
from idealist.engines.kernel import Measured as Measured
from idealist.engines.kernel import measure as measure
from idealist.engines.kernel import measure_grouped as measure_grouped
from idealist.engines.task import Task as Task
from idealist.engines.totals import Totals as Totals

__all__: list[str]
