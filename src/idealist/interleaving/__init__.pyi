"""The public names of this package."""

from idealist.interleaving.analysis import analyse_interleaving as analyse_interleaving
from idealist.interleaving.drawing import InterleavedLists as InterleavedLists
from idealist.interleaving.drawing import interleave as interleave
from idealist.interleaving.methods import Balanced as Balanced
from idealist.interleaving.methods import InterleavedList as InterleavedList
from idealist.interleaving.methods import Interleaving as Interleaving
from idealist.interleaving.methods import TeamDraft as TeamDraft
from idealist.interleaving.optimised import Optimised as Optimised
from idealist.interleaving.probabilistic import Probabilistic as Probabilistic
from idealist.interleaving.result import InterleavingResult as InterleavingResult
from idealist.interleaving.result import Preference as Preference
from idealist.interleaving.simulation import simulate_interleaving as simulate_interleaving

__all__: list[str]
