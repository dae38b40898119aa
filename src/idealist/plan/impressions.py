"""The number of impressions that interleaving needs: from a stated preference, from a log, or by simulation."""

from __future__ import annotations

from idealist.data.values import as_within
from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.interleaving.outcomes import compared_systems, credit_table, preferences
from idealist.interleaving.simulation import simulate_interleaving
from idealist.io.impressions import read_impressions
from idealist.plan.votes import needed_judgments, pilot_votes
from idealist.results import Result
from idealist.wording import count_of, percent, signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.clicks.behaviours import ClickBehaviour
    from idealist.data.impressions import Impressions
    from idealist.interleaving.methods import Interleaving


class ImpressionPlan(Result, Frozen):
    """How many impressions show a preference, where a share `ties` of them is tied and each user has `per_user`
    impressions with an ICC of `icc`. `source` says where these come from."""

    impressions: int
    preference: float
    ties: float
    per_user: float
    icc: float
    power: float
    alpha: float
    source: str

    def _gist(self) -> str:
        shown = f"a preference of {signed(self.preference)}, {percent(self.ties)} ties"
        return f"{count_of(self.impressions, 'impression')} for {shown}"


def needed_impressions(
    preference: float,
    ties: float,
    *,
    per_user: float = 1,
    icc: float = 0.0,
    power: float = 0.8,
    alpha: float = 0.05,
    source: str = "as stated",
) -> ImpressionPlan:
    """How many impressions show a preference, (wins − losses)/impressions, where a share `ties` of them has no
    winner: what needed_judgments says of votes, as an impression is one; users take the place of queries.

    >>> needed_impressions(0.05, 0.7).impressions
    940
    """
    as_within(ties, "the share of ties", 0, 1, "[)", hint="such as 0.5")
    needed = needed_judgments(preference, ties, power=power, alpha=alpha, per_query=per_user, icc=icc)
    return ImpressionPlan(needed, preference, ties, per_user, icc, power, alpha, source)


def pilot_impressions(
    log: Any,
    *,
    preference: float | None = None,
    baseline: str | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
) -> tuple[ImpressionPlan, ...]:
    """The same by a log of interleaved lists: ties, impressions per user and their ICC are its own, and so is the
    preference unless it is stated. A plan for each system beside the baseline."""
    impressions = read_impressions(log)
    return _plans(
        impressions, baseline, preference, power, alpha, f"pilot of {len(impressions):,} impressions"
    )


def simulate_needed_impressions(
    runs: Any,
    judgments: Any,
    behaviour: str | ClickBehaviour = "navigational",
    method: str | Interleaving = "team-draft",
    *,
    impressions: int = 2000,
    k: int = 10,
    power: float = 0.8,
    alpha: float = 0.05,
    seed: int = 0,
) -> tuple[ImpressionPlan, ...]:
    """The same by simulated users of the runs themselves, who go by the judgments: simulate_interleaving has the
    arguments. Real users are not so alike; take it as the order of magnitude."""
    log = simulate_interleaving(runs, judgments, behaviour, method, impressions=impressions, k=k, seed=seed)
    return _plans(log, None, None, power, alpha, count_of(impressions, "simulated impression"))


def _plans(
    log: Impressions,
    baseline: str | None,
    preference: float | None,
    power: float,
    alpha: float,
    source: str,
) -> tuple[ImpressionPlan, ...]:
    first, others = compared_systems(log, baseline)
    credits, plans = credit_table(log), []
    for system in others:
        by_user: dict[str, list[int]] = {}
        for user, vote in zip(log.user.tolist(), preferences(credits, system, first).tolist(), strict=True):
            by_user.setdefault(log.users[user], []).append(vote)
        pilot = pilot_votes(by_user)
        shown = pilot.value if preference is None else preference
        if shown == 0:
            raise InputError(
                f"{system} and {first} win alike: no number of impressions shows a preference of 0",
                hint="state the preference that matters to you, such as 0.02",
            )
        known = {"per_user": pilot.per_query, "icc": pilot.icc, "power": power, "alpha": alpha}
        named = f"{source}, {system} beside {first}"
        plans.append(needed_impressions(shown, pilot.same, source=named, **known))
    return tuple(plans)
