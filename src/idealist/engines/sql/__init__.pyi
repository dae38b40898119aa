"""The public names of this package."""

from idealist.engines.sql.writing import query as query

__all__: list[str]
