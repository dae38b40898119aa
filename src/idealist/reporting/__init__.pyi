"""The public names of this package."""

from idealist.reporting.report import Report as Report
from idealist.reporting.table import FORMATS as FORMATS
from idealist.reporting.table import Table as Table

__all__: list[str]
