"""The public names of this package."""

from idealist.show.reporting import Report as Report
from idealist.show.table import FORMATS as FORMATS
from idealist.show.table import Table as Table

__all__: list[str]
