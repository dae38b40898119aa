"""The number of impressions that interleaving needs: from a stated preference, from a log, or by simulation."""

from __future__ import annotations

from math import ceil

from idealist.base.frozen import Frozen
from idealist.base.results import Result
from idealist.base.values import as_within
from idealist.base.wording import count_of, percent, signed
from idealist.clicks.impressions import read_impressions
from idealist.clicks.interleaved_lists import simulate_interleaving
from idealist.clicks.interleaving import (
    BETTER_METHODS,
    NO_VERDICT,
    compared_systems,
    credit_table,
    preference_mean,
    preferences,
    winners,
)
from idealist.errors import InputError
from idealist.statistics.power import check_risks, queries_needed
from idealist.votes.vote_plan import needed_judgments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.clicks.impressions import Impressions
    from idealist.clicks.interleaving_methods import Interleaving
    from idealist.clicks.simulated_logs import ClickBehaviour
    from idealist.types import GivenJudgments, GivenRuns, GivenTable


class ImpressionPlan(Result, Frozen):
    """How many impressions show a preference, where a share `ties` of them is tied and each user has `per_user`
    impressions with an ICC of `icc` (None where it is a log that says how alike they are). `source` says where these
    come from."""

    impressions: int
    preference: float
    ties: float
    per_user: float
    icc: float | None
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
    """How many impressions show a preference where a share `ties` of them has none, and the others credit one system
    with all clicks, as team draft with one click does: what needed_judgments says of votes, as an impression is one;
    users take the place of queries. Of other methods a pilot knows more.

    >>> needed_impressions(0.05, 0.7).impressions
    940
    """
    as_within(ties, "the share of ties", 0, 1, "[)", hint="such as 0.5")
    needed = needed_judgments(preference, ties, power=power, alpha=alpha, per_query=per_user, icc=icc)
    return ImpressionPlan(needed, preference, ties, per_user, icc, power, alpha, source)


def pilot_impressions(
    log: Impressions | GivenTable,
    *,
    preference: float | None = None,
    baseline: str | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
) -> tuple[ImpressionPlan, ...]:
    """The same by a log of interleaved lists, for the interval that decides: as many users like those of the log as
    show its preference, or the one that is stated, each with as many impressions as there. A plan for each system
    beside the baseline."""
    impressions = read_impressions(log)
    return _plans(
        impressions, baseline, preference, power, alpha, f"pilot of {len(impressions):,} impressions"
    )


def simulate_needed_impressions(
    judgments: GivenJudgments,
    runs: GivenRuns,
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
    log = simulate_interleaving(judgments, runs, behaviour, method, impressions=impressions, k=k, seed=seed)
    return _plans(log, None, None, power, alpha, count_of(impressions, "simulated impression"))


def _plans(
    log: Impressions,
    baseline: str | None,
    preference: float | None,
    power: float,
    alpha: float,
    source: str,
) -> tuple[ImpressionPlan, ...]:
    check_risks(power, alpha)
    if log.ranks:
        raise InputError(f"{NO_VERDICT}, so no number of impressions gives one", hint=BETTER_METHODS)
    first, others = compared_systems(log, baseline)
    credits, plans, per_user = credit_table(log), [], len(log) / len(log.users)
    for system in others:
        values = preferences(log, credits, system, first)
        seen = float(values.mean())
        shown = seen if preference is None else as_within(preference, "the preference", -1, 1, "()")
        if shown == 0:
            raise InputError(
                f"{system} and {first} win alike: no number of impressions shows a preference of 0",
                hint="state the preference that matters to you, such as 0.02",
            )
        if shown * seen < 0:
            values, seen = -values, -seen
        # As large as the log's in the mean square, which a share of ties leaves as it is whoever is preferred.
        square, spread = float((values**2).mean()), float(values.var())
        stretch = max(1.0, (square - shown**2) / spread) ** 0.5 if spread else 1.0
        mean = preference_mean(log, shown + (values - seen) * stretch)
        users = queries_needed(mean.above if shown > 0 else mean.below, 0.0, 1 - alpha, power=power)
        if users is None:
            raise InputError(
                f"a preference of {signed(shown)} is too small for any number of impressions to show",
                hint="plan for a larger one",
            )
        tied = float((winners(credits[system] - credits[first]) == 0).mean())
        named = f"{source}, {system} beside {first}"
        plans.append(ImpressionPlan(ceil(users * per_user), shown, tied, per_user, None, power, alpha, named))
    return tuple(plans)
