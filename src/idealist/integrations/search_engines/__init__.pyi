"""The public names of this package."""

from idealist.integrations.search_engines.fetching import FetchedRun as FetchedRun
from idealist.integrations.search_engines.fetching import SearchEngine as SearchEngine
from idealist.integrations.search_engines.fetching import fetch_run as fetch_run

__all__: list[str]
