"""The public names of this package."""

from idealist.presets.search import ConventionSearch as ConventionSearch
from idealist.presets.search import TriedConventions as TriedConventions
from idealist.presets.search import find_conventions as find_conventions
from idealist.presets.walk import ChoiceStep as ChoiceStep
from idealist.presets.walk import ToolDifference as ToolDifference
from idealist.presets.walk import why as why

__all__: list[str]
