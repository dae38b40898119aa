"""The analysis of a log of interleaved lists: preference, interval, tests and verdict."""

from __future__ import annotations

from math import ceil

from idealist.data.columns import Columns
from idealist.data.values import as_count, as_share
from idealist.data.votes import Votes
from idealist.errors import InputError
from idealist.interleaving.outcomes import compared_systems, credit_table, preferences
from idealist.interleaving.result import InterleavingResult, OfflineSensitivity, Preference
from idealist.io.impressions import read_impressions
from idealist.statistics.corrections import holm
from idealist.statistics.intervals import clustered_interval
from idealist.statistics.power import normal_quantile
from idealist.votes.settings import VoteSettings
from idealist.votes.summary import summarise
from idealist.wording import percent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import ndarray

    from idealist.comparison import Comparison
    from idealist.data.impressions import Impressions
    from idealist.decision.verdict import Verdict
    from idealist.votes.result import GSB

POWER, ALPHA = 0.8, 0.05
FEW_CLICKED = 0.05


def analyse_interleaving(
    log: Any,
    *,
    baseline: str | None = None,
    margin: float | str | None = None,
    confidence: float = 0.95,
    sequential: bool = False,
    per_user: int | None = None,
    offline: Comparison | None = None,
    rounds: int = 10_000,
    seed: int = 0,
) -> InterleavingResult:
    """Which system users prefer, by a log of interleaved lists: what read_impressions gives, or anything it reads,
    with the columns credit:NAME or rank:NAME of `interleave`, or a column `system` that says whose document it is.

    An impression is a vote for the system with more credited clicks, "same" where both have as many. Interval, test,
    sequential test and verdict are those of `gsb`, where users (or sessions) take the place of queries; `margin` is
    too, and `sequential` makes the verdict one that may be looked at while the log grows: a user enters that test
    with her first `per_user` impressions, or, without that, when the next user's begin. `offline` is a Comparison of
    the same systems by judgments, whose sensitivity is shown beside.

    >>> table = {"impression": [1, 1, 2, 2], "query": ["q"] * 4, "document": list("abab"), "position": [1, 2, 1, 2]}
    >>> found = analyse_interleaving({**table, "system": list("xyxy"), "click": [0, 1, 0, 1]})
    >>> found["y"].value, found["y"].wins
    (1.0, 2)
    """
    impressions = read_impressions(log)
    as_share(confidence, "confidence")
    if per_user is not None:
        per_user = as_count(per_user, "impressions per user")
    first, others = compared_systems(impressions, baseline)
    credits = credit_table(impressions)
    settings = VoteSettings(
        confidence=confidence,
        margin=margin,
        guards=(),
        sequential=sequential,
        votes_per_query=per_user,
        rounds=rounds,
        seed=seed,
    )
    unit = "users" if impressions.has_users else "impressions"
    votes = {name: _votes(impressions, preferences(credits, name, first), settings) for name in others}
    adjusted = dict(zip(others, holm([votes[name].p_value for name in others]), strict=True))
    entries = []
    for name in others:
        gsb = votes[name]
        difference = credits[name] - credits[first]
        entries.append(
            Preference(
                system=name,
                baseline=first,
                wins=int(gsb.good),
                ties=int(gsb.same),
                losses=int(gsb.bad),
                value=gsb.value,
                interval=gsb.interval,
                p_value=gsb.p_value,
                p_adjusted=adjusted[name],
                credit=float(difference.mean()),
                credit_interval=clustered_interval(
                    difference, impressions.user, len(impressions.users), confidence, "users"
                ),
                verdict=_of_users(gsb.verdict, unit),
                votes=gsb,
            )
        )
    clicked = len(set(impressions.impression[impressions.clicked].tolist()))
    return InterleavingResult(
        preferences=tuple(entries),
        impressions=len(impressions),
        clicked=clicked,
        units=len(impressions.users),
        unit=unit,
        confidence=confidence,
        offline=() if offline is None else tuple(_beside(entry, offline, first) for entry in entries),
        notes=tuple(_notes(impressions, entries, clicked, per_user)),
    )


def _votes(log: Impressions, signs: ndarray, settings: VoteSettings) -> GSB:
    """Impressions as votes, users as queries."""
    table: dict[str, list[Any]] = {
        "query": [log.users[user] for user in log.user.tolist()],
        "vote": signs.tolist(),
    }
    if log.times is not None:
        table["time"] = log.times
    return summarise(Votes(Columns(table)), settings)


def _of_users(verdict: Verdict, unit: str) -> Verdict:
    """The same verdict, in words of users and impressions."""
    return verdict.replace(
        unit=unit if verdict.unit == "queries" else "impressions",
        method=verdict.method.replace("queries", unit),
        needed_votes=None,
    )


def needed_for(value: float, variance: float) -> int | None:
    """How many values of this variance show their mean with 80 % power at 5 %: ((z₀.₉₇₅ + z₀.₈)·sd/mean)².

    >>> needed_for(0.1, 0.5)  # 7.849 · 0.5/0.01
    393
    """
    if value == 0 or value != value:
        return None
    z = normal_quantile(1 - ALPHA / 2) + normal_quantile(POWER)
    return ceil(z**2 * variance / value**2)


def _beside(entry: Preference, comparison: Comparison, baseline: str) -> OfflineSensitivity:
    import numpy as np

    if comparison.contrasts[0].baseline != baseline:
        raise InputError(
            f"the comparison's baseline is {comparison.contrasts[0].baseline!r}, that of the log {baseline!r}",
            hint="name the same baseline for both",
        )
    measure = comparison.measures[0]
    contrast = comparison[entry.system, measure]
    paired = contrast.paired
    gains = contrast.sign * (np.asarray(paired.values) - np.asarray(paired.baseline_values))
    spread = float(np.var(gains, ddof=1)) if len(gains) > 1 else float("nan")
    n = entry.wins + entry.ties + entry.losses
    # The design effect of users who come again is in the effective number of votes.
    stretch = n / max(1.0, entry.votes.effective_n)
    variance = (entry.wins + entry.losses) / n - entry.value**2
    return OfflineSensitivity(
        system=entry.system,
        measure=str(measure),
        difference=contrast.difference,
        interval=contrast.interval,
        p_value=contrast.p_value,
        queries=contrast.n,
        queries_needed=needed_for(float(gains.mean()), spread) if spread == spread else None,
        impressions_needed=needed_for(entry.value, variance * stretch),
        agree=entry.value * contrast.gain > 0,
    )


def _notes(log: Impressions, entries: list[Preference], clicked: int, per_user: int | None) -> list[str]:
    notes = []
    if clicked < FEW_CLICKED * len(log):
        notes.append(f"only {percent(clicked / len(log))} of the impressions have a click")
    if not log.has_users:
        notes.append("the log names no users or sessions: impressions are taken for independent")
    if log.times is None:
        notes.append("the log has no times: the sequential test takes rows in their order")
    first = entries[0].votes
    if first.sequential is not None and first.sequential.left_out:
        reason = (
            "of users who came back (per_user takes the first impressions of every user)"
            if per_user is None
            else f"beyond the first {per_user:,} of a user"
        )
        notes.append(f"{first.sequential.left_out:,} impressions {reason} are not in the sequential test")
    if log.ranks:
        notes.append(
            "balanced interleaving may favour one of two lists that are nearly alike, by random clicks alone"
        )
    if len(entries) > 1:
        notes.append(f"p-values are adjusted for {len(entries)} systems by Holm's method; intervals are not")
    return notes
