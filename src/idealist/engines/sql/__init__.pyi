"""The public names of this package."""

from idealist.engines.sql.sql_query import query as query

__all__: list[str]
