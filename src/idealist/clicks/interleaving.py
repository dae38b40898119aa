"""The analysis of a log of interleaved lists: whom users prefer, interval, tests and verdict."""

from __future__ import annotations

from math import ceil

from idealist.base.frozen import Frozen
from idealist.base.results import Drawable
from idealist.base.values import as_count, as_share
from idealist.base.wording import count_of, p_text, percent, signed
from idealist.clicks.impressions import read_impressions
from idealist.comparison.remarks import queries_to_show
from idealist.comparison.verdict import decide, read_margin
from idealist.errors import InputError
from idealist.statistics.inversion import INVERSION, BoundedMean
from idealist.statistics.multiple_comparisons import holm
from idealist.statistics.power import further_queries, queries_needed
from idealist.statistics.sequential_testing import SEQUENCE, EProcess
from idealist.votes.vote_summary import EVERY_LOOK
from idealist.votes.vote_tests import complete_units

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy import ndarray

    from idealist.clicks.impressions import Impressions
    from idealist.comparison import Comparison
    from idealist.comparison.verdict import Margin, Verdict
    from idealist.statistics.mean_estimates import Interval
    from idealist.types import GivenTable


SAME = 1e-9  # credits that differ by less are sums of the same numbers


def credited_systems(log: Impressions) -> list[str]:
    """The systems that clicks are credited to."""
    systems = list(log.ranks or log.credits)
    if len(systems) < 2:
        there = (
            f"the log names {systems[0]!r} alone"
            if systems
            else "the log does not say whose documents they are"
        )
        raise InputError(
            f"two or more systems are compared: {there}",
            source=log.source,
            hint="log the columns credit:NAME or rank:NAME of the interleaved lists, or a column `system`",
        )
    if log.ranks and len(systems) > 2:
        raise InputError(
            f"ranks of {len(systems)} systems: balanced interleaving is of two",
            source=log.source,
            hint="name two",
        )
    return systems


def compared_systems(log: Impressions, baseline: str | None) -> tuple[str, list[str]]:
    """The baseline, which is the first system unless another is named, and the systems that are compared with it."""
    systems = credited_systems(log)
    first = systems[0] if baseline is None else baseline
    if first not in systems:
        raise InputError(
            f"the baseline {first!r} is not in the log", hint=f"name one of: {', '.join(systems)}"
        )
    return first, [system for system in systems if system != first]


def credit_table(log: Impressions) -> dict[str, ndarray]:
    """By system, the credit of every impression."""
    import numpy as np

    if log.ranks:
        return _balanced(log)
    return {
        name: np.bincount(log.impression, credit * log.clicked, len(log))
        for name, credit in log.credits.items()
    }


def _balanced(log: Impressions) -> dict[str, ndarray]:
    """Clicks on the first documents of each system, down to the rank at which either has the lowest clicked one.

    That is how far users read of both lists to see what they clicked. Joachims, KDD 2002.
    """
    import numpy as np

    best = np.minimum.reduce(list(log.ranks.values()))
    # Rows stand by position, so that the last clicked one of an impression is the lowest.
    depth = np.zeros(len(log))
    clicked = np.nonzero(log.clicked)[0]
    depth[log.impression[clicked]] = best[clicked]
    return {
        name: np.bincount(log.impression, log.clicked & (rank <= depth[log.impression]), len(log))
        for name, rank in log.ranks.items()
    }


def preferences(log: Impressions, credits: dict[str, ndarray], system: str, baseline: str) -> ndarray:
    """By impression, how much more of a click the system is credited with than the baseline: the mean over its clicks,
    between −1 and 1, and 0 without a click.

    Users who click at random, by position or until they have enough, whatever is shown, leave its mean at 0 with
    every method that credits clicks fairly at each position. That is not so of who has more credit, which is all
    that balanced interleaving says: +1, −1 or 0.
    """
    import numpy as np

    difference = credits[system] - credits[baseline]
    if log.ranks:
        return winners(difference)
    clicks = np.bincount(log.impression, log.clicked, len(log))
    means: ndarray = difference / np.maximum(clicks, 1)
    worst = int(np.abs(means).argmax())
    if abs(means[worst]) > 1 + SAME:
        raise InputError(
            f"impression {log.names[worst]!r} credits {system!r} and {baseline!r} with clicks that differ by "
            f"{abs(means[worst]):.4g}, and may by 1 at most",
            source=log.source,
            hint="credit:NAME is the share of a click that a system is given, such as 0, 0.5 or 1",
        )
    clipped: ndarray = np.clip(means, -1.0, 1.0)
    return clipped


def credit_at_stake(log: Impressions, system: str, baseline: str) -> float:
    """How much credit a click moves on average, one way or the other, over the documents shown that move any: 1 for
    team draft; 0 where no document does."""
    import numpy as np

    moved = np.abs(log.credits[system] - log.credits[baseline])
    moving = moved[moved > SAME]
    return float(moving.mean()) if len(moving) else 0.0


def winners(difference: ndarray) -> ndarray:
    """+1 where the difference in credit is above 0, −1 where it is below, 0 where there is none."""
    import numpy as np

    signs: ndarray = np.where(np.abs(difference) < SAME, 0, np.sign(difference)).astype(int)
    return signs


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


FEW_CLICKED = 0.05
NO_VERDICT = "balanced interleaving has no verdict, as random clicks alone favour one of two lists that are nearly alike"
BETTER_METHODS = "interleave by team-draft, probabilistic or optimised"


def analyse_interleaving(
    log: Impressions | GivenTable,
    *,
    baseline: str | None = None,
    margin: float | str | None = None,
    confidence: float = 0.95,
    sequential: bool = False,
    per_user: int | None = None,
    offline: Comparison | None = None,
) -> InterleavingResult:
    """Which system users prefer, by a log of interleaved lists: what read_impressions gives, or anything it reads,
    with the columns credit:NAME of `interleave`, or a column `system` that says whose document it is.

    The preference of an impression is the mean over its clicks of how much more of a click the system is credited
    with than the baseline, which clicks that know no relevance leave at 0 on average. Its interval and p-value are by
    test inversion over users (or sessions); `margin` is that of the verdict: unless it is stated, 2 % of the credit that
    a click decides on average, which is 0.02 for team draft and less where systems share clicks. `sequential`
    makes the verdict one that may be looked at while the log grows: a user enters that test with her first `per_user`
    impressions, or, without that, when the next user's begin. `offline` is a Comparison of the same systems by
    judgments, whose sensitivity is shown beside. Logs of balanced interleaving have no verdict.

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
    if impressions.ranks and sequential:
        raise InputError(f"{NO_VERDICT}, so it has no sequential one", hint=BETTER_METHODS)
    stated_margin = read_margin(margin, limit=1.0)
    credits = credit_table(impressions)
    unit = "users" if impressions.has_users else "impressions"
    complete = _complete_users(impressions, per_user)
    means, sequences = {}, {}
    for name in others:
        values = preferences(impressions, credits, name, first)
        means[name] = preference_mean(impressions, values)
        if not impressions.ranks:
            sequences[name] = _sequence(impressions, values, complete, confidence)
    better = {} if impressions.ranks else _p_better(means, sequences if sequential else {})
    entries, notes = [], list[str]()
    for name in others:
        mean, sequence = means[name], sequences.get(name)
        measured_margin = stated_margin
        if not stated_margin.stated and not impressions.ranks:
            stake = credit_at_stake(impressions, name, first)
            measured_margin = stated_margin.replace(size=stated_margin.size * stake)
            notes += _notes_on_margin(name, first, measured_margin, stake)
        interval = None if impressions.ranks else mean.interval(confidence)
        p_value = None if impressions.ranks else mean.p_value()
        if sequential and sequence is not None:
            interval, p_value = sequence.interval, sequence.p_value
        verdict = decide(
            mean.value,
            interval,
            margin=measured_margin,
            needed=None
            if sequential or interval is None
            else further_queries(mean, measured_margin.size, confidence),
            unit=unit,
            remark=EVERY_LOOK * sequential,
            method=f"a {SEQUENCE}" if sequential else f"{INVERSION} over {unit}",
            beside_others=_beside_others(better, name, confidence),
        )
        signs = winners(credits[name] - credits[first])
        entries.append(
            Preference(
                system=name,
                baseline=first,
                wins=int((signs > 0).sum()),
                ties=int((signs == 0).sum()),
                losses=int((signs < 0).sum()),
                value=mean.value,
                interval=interval,
                p_value=p_value,
                p_adjusted=None,
                verdict=verdict if interval else verdict.replace(reason=f"{NO_VERDICT}: {BETTER_METHODS}"),
                sequential=sequence,
            )
        )
    if not impressions.ranks:
        adjusted = holm([entry.p_value for entry in entries if entry.p_value is not None])
        entries = [entry.replace(p_adjusted=p) for entry, p in zip(entries, adjusted, strict=True)]
    clicked = len(set(impressions.impression[impressions.clicked].tolist()))
    return InterleavingResult(
        preferences=tuple(entries),
        impressions=len(impressions),
        clicked=clicked,
        units=len(impressions.users),
        unit=unit,
        confidence=confidence,
        offline=()
        if offline is None
        else tuple(_beside(entry, means[entry.system], offline, len(impressions)) for entry in entries),
        notes=(*_notes(impressions, entries, clicked, per_user), *notes),
    )


def _notes_on_margin(name: str, first: str, margin: Margin, stake: float) -> list[str]:
    if not stake:
        return [
            f"every document that was shown has the same credit for {name} and {first}: clicks cannot tell"
        ]
    if stake > 1 - SAME:
        return []
    return [
        f"no margin is stated: for {name} it is {signed(margin.size)}, 2 % of the credit that a click decides on average, "
        f"{signed(stake)}"
    ]


def _p_better(means: dict[str, BoundedMean], sequences: dict[str, PreferenceSequence]) -> dict[str, float]:
    """The one-sided p-values behind "better", adjusted for all systems by Holm's method."""
    p_values = []
    for name, mean in means.items():
        half = sequences[name].p_value / 2 if name in sequences else None
        p_values.append(mean.p_better if half is None else half if mean.value > 0 else 1 - half)
    return dict(zip(means, holm(p_values), strict=True))


def _beside_others(better: dict[str, float], name: str, confidence: float) -> str:
    """Why a system that is better by itself is not, as one of several."""
    if len(better) < 2 or better[name] <= (1 - confidence) / 2:
        return ""
    p = p_text(min(1.0, 2 * better[name]))
    return (
        f"better by itself, but not as one of {count_of(len(better), 'candidate')} (p {p} by Holm's method)"
    )


def preference_mean(log: Impressions, values: ndarray) -> BoundedMean:
    """The mean preference of impressions, whose users are kept together."""
    import numpy as np

    sizes = np.bincount(log.user, minlength=len(log.users)).astype(float)
    sums = np.bincount(log.user, values, len(log.users))
    return BoundedMean(sums / sizes.max(), -1.0, 1.0, sizes / sizes.max())


def _complete_users(log: Impressions, per_user: int | None) -> list[list[int]]:
    """The impressions that users enter the sequential test with, in the order in which they do."""
    rows = list(range(len(log)))
    if log.times is not None:
        rows.sort(key=log.times.__getitem__)  # ties stay in the order of rows
    complete, _ = complete_units(rows, [log.users[log.user[row]] for row in rows], per_user)
    return list(complete.values())


def _sequence(
    log: Impressions, values: ndarray, complete: list[list[int]], confidence: float
) -> PreferenceSequence:
    """The sequential test; its interval holds the value of all impressions, some of which may not have entered."""
    process = EProcess([values[rows].sum() for rows in complete], [len(rows) for rows in complete])
    interval, value = process.interval(confidence), float(values.mean())
    entered = sum(map(len, complete))
    return PreferenceSequence(
        e_value=process.e_value,
        p_value=process.p_value,
        interval=interval.replace(low=min(interval.low, value), high=max(interval.high, value)),
        users=len(complete),
        impressions=entered,
        left_out=len(log) - entered,
    )


def _beside(
    entry: Preference, mean: BoundedMean, comparison: Comparison, impressions: int
) -> OfflineSensitivity:
    baseline = entry.baseline
    if comparison.contrasts[0].baseline != baseline:
        raise InputError(
            f"the comparison's baseline is {comparison.contrasts[0].baseline!r}, that of the log {baseline!r}",
            hint="name the same baseline for both",
        )
    measure = comparison.measures[0]
    contrast = comparison[entry.system, measure]
    clicks = mean.above if entry.value > 0 else mean.below
    users = None if entry.interval is None else queries_needed(clicks, 0.0, entry.interval.confidence)
    return OfflineSensitivity(
        system=entry.system,
        measure=str(measure),
        difference=contrast.difference,
        interval=contrast.interval,
        p_value=contrast.p_value,
        queries=contrast.n,
        queries_needed=queries_to_show(contrast),
        impressions_needed=None if users is None else ceil(users * impressions / mean.above.n),
        agree=entry.value * contrast.gain > 0,
    )


def _notes(log: Impressions, entries: list[Preference], clicked: int, per_user: int | None) -> list[str]:
    notes = []
    if clicked < FEW_CLICKED * len(log):
        notes.append(f"only {percent(clicked / len(log))} of the impressions have a click")
    if not log.has_users:
        notes.append("the log names no users or sessions: impressions are taken for independent")
    if log.times is None and not log.ranks:
        notes.append("the log has no times: the sequential test takes rows in their order")
    first = entries[0].sequential
    if first is not None and first.left_out:
        reason = (
            "of users who came back (per_user takes the first impressions of every user)"
            if per_user is None
            else f"beyond the first {per_user:,} of a user"
        )
        notes.append(f"not in the sequential test: {count_of(first.left_out, 'impression')} {reason}")
    if len(entries) > 1:
        notes.append(f"p-values are adjusted for {len(entries)} systems by Holm's method; intervals are not")
    return notes
