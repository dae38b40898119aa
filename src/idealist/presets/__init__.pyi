"""The public names of this package."""

from idealist.presets.search import Finding as Finding
from idealist.presets.search import Search as Search
from idealist.presets.search import find_conventions as find_conventions
from idealist.presets.walk import Difference as Difference
from idealist.presets.walk import Step as Step
from idealist.presets.walk import why as why

__all__: list[str]
