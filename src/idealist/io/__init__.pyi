"""The public names of this package."""

from idealist.io.clicks import read_clicks as read_clicks
from idealist.io.features import read_features as read_features
from idealist.io.groups import read_groups as read_groups
from idealist.io.items import read_items as read_items
from idealist.io.objectives import read_objectives as read_objectives
from idealist.io.preferences import read_preferences as read_preferences
from idealist.io.profiles import read_profiles as read_profiles
from idealist.io.query_numbers import read_numbers as read_numbers
from idealist.io.reading import RunFile as RunFile
from idealist.io.reading import read_judgments as read_judgments
from idealist.io.reading import read_run as read_run
from idealist.io.strata import read_strata as read_strata
from idealist.io.systems import read_runs as read_runs
from idealist.io.tables import read_table as read_table
from idealist.io.texts import read_texts as read_texts
from idealist.io.votes import read_votes as read_votes
from idealist.io.writing import write_judgments as write_judgments
from idealist.io.writing import write_run as write_run

__all__: list[str]
