"""The result of interleaving: which system users prefer, and how sure that is."""

from __future__ import annotations

from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.results import Drawable
from idealist.wording import count_of, signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.decision.verdict import Verdict
    from idealist.statistics.interval import Interval


class Preference(Frozen):
    """A system beside the baseline: the mean over impressions of how much more of a click it is credited with, from −1 to
    1, with interval and p-value of one method (`p_adjusted` is Holm's over all systems), and the verdict. `wins`, `ties`
    and `losses` count the impressions in which it has more, as much and less credit.

    `sequential` is the test that one may look at while the log grows. Balanced interleaving has neither interval nor
    test: its preference is (wins − losses)/impressions, which random clicks do not leave at 0.
    """

    system: str
    baseline: str
    wins: int
    ties: int
    losses: int
    value: float
    interval: Interval | None
    p_value: float | None
    p_adjusted: float | None
    verdict: Verdict
    sequential: PreferenceSequence | None


class PreferenceSequence(Frozen):
    """The sequential test of a preference at its last look: the evidence now, the p-value that holds however often one
    looked, and the interval that holds at all looks together. `users` entered it with `impressions`; `left_out` count
    for the preference, but never here."""

    e_value: float
    p_value: float
    interval: Interval
    users: int
    impressions: int
    left_out: int


class OfflineSensitivity(Frozen):
    """How soon clicks and judgments tell the same two systems apart: the number of impressions and of judged queries
    that would show what each found with 80 % power, and whether both favour the same system."""

    system: str
    measure: str
    difference: float
    interval: Interval | None
    p_value: float | None
    queries: int
    queries_needed: int | None
    impressions_needed: int | None
    agree: bool


class InterleavingResult(Drawable, Frozen):
    """Systems beside a baseline, by the clicks on interleaved lists. `unit` is what intervals keep together: users,
    or impressions where the log has none."""

    preferences: tuple[Preference, ...]
    impressions: int
    clicked: int
    units: int
    unit: str
    confidence: float
    offline: tuple[OfflineSensitivity, ...]
    notes: tuple[str, ...]

    def __getitem__(self, system: str) -> Preference:
        for entry in self.preferences:
            if entry.system == system:
                return entry
        names = ", ".join(entry.system for entry in self.preferences)
        raise InputError(f"no system beside the baseline is called {system!r}", hint=f"name one of: {names}")

    @property
    def verdict(self) -> Verdict:
        """Of two systems, the one verdict there is."""
        if len(self.preferences) > 1:
            names = ", ".join(entry.system for entry in self.preferences)
            raise InputError("there are several verdicts", hint=f"result[NAME].verdict, of {names}")
        return self.preferences[0].verdict

    def _gist(self) -> str:
        texts = ", ".join(f"{entry.system} {signed(entry.value)}" for entry in self.preferences[:3])
        return f"{texts} beside {self.preferences[0].baseline}; {count_of(self.impressions, 'impression')}"
