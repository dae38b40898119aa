"""GSB: whether the candidate is better, by the votes of people who saw both or by the differences of a measure."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.base.named import other_names
from idealist.base.values import as_choice, as_count, as_seed, as_share, as_within
from idealist.base.wording import count_queries
from idealist.comparison.unchanged import lists_that_differ
from idealist.comparison.unjudged import equally_judged, same_queries
from idealist.comparison.verdict import (
    CANNOT_TELL,
    FAILED,
    PASSED,
    PASSING,
    POLICIES,
    Guard,
    as_unchanged,
    read_margin,
)
from idealist.data.columns import Columns
from idealist.data.query_weights import QueryWeights
from idealist.data.segments import query_segments, segment_of
from idealist.data.vote_words import require_counts
from idealist.errors import InputError
from idealist.votes.agreement_of_raters import ANCHOR_FLOOR
from idealist.votes.folded_votes import FOLDS
from idealist.votes.gsb_result import GSB
from idealist.votes.vote_estimates import METHODS
from idealist.votes.vote_summary import summarise
from idealist.votes.vote_table import Votes, read_votes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from idealist.data.segments import Profiles
    from idealist.evaluation import Evaluation
    from idealist.measures import Measure
    from idealist.types import GivenTable


AGREEMENT_FLOOR = 0.3  # of AC1: those who guess among three answers have 0
# What can turn "ship" into "undecided"; the last two where the votes are those of a measure.
GUARDS = ("agreement", "sides", "anchors", "segments", "judged", "queries")

CHOICES = {"fold": FOLDS, "interval": METHODS, "policy": POLICIES}


class VoteSettings(Frozen):
    """The settings of `gsb`, checked."""

    fold: str = "votes"
    interval: str = "auto"
    confidence: float = 0.95
    shares: Mapping[str, float] | None = None
    margin: Any = None
    policy: str = "interval"
    agreement_floor: float = AGREEMENT_FLOOR
    anchor_floor: float = ANCHOR_FLOOR
    rounds: int = 10_000
    seed: int = 0
    guards: tuple[str, ...] = GUARDS
    sequential: bool = False
    votes_per_query: int | None = None

    def _checked(self, field: str, value: Any) -> Any:
        if field in CHOICES:
            return as_choice(value, field, CHOICES[field])
        if field == "confidence":
            return as_share(value, field)
        if field == "margin":
            return read_margin(value, limit=1.0)
        if field.endswith("_floor"):
            return as_within(value, field, -1, 1)
        if field == "guards":
            return tuple(as_choice(guard, "a guard", GUARDS) for guard in value)
        if field == "sequential" and value and self.shares is not None:
            raise InputError(
                "a sequential verdict cannot use shares of segments: how votes will fall into segments is not "
                "known while they come in",
                hint="give every vote a weight instead, or leave the shares or --sequential out",
            )
        if field == "votes_per_query" and value is not None:
            return as_count(
                value, "votes per query", hint="how many votes every query gets: raters times documents"
            )
        if field == "rounds":
            return as_count(value, "rounds")
        if field == "seed":
            return as_seed(value)
        return value


@other_names(method="interval")
def gsb(
    votes: Votes | GivenTable | None = None,
    *,
    good: float | None = None,
    same: float | None = None,
    bad: float | None = None,
    weights: Any = None,
    weight_by: str | None = None,
    fold: str = "votes",
    interval: str = "auto",
    confidence: float = 0.95,
    shares: Mapping[str, float] | None = None,
    margin: float | str | None = None,
    policy: str = "interval",
    agreement_floor: float = AGREEMENT_FLOOR,
    anchor_floor: float = ANCHOR_FLOOR,
    rounds: int = 10_000,
    seed: int = 0,
    guards: Sequence[str] = GUARDS,
    sequential: bool = False,
    votes_per_query: int | None = None,
) -> GSB:
    """GSB of votes: what read_votes gives, or anything that it reads; or of the counts `good`, `same` and `bad`
    of independent votes, one per query.

    `weights` are those of queries (a table, a mapping, a sample), where the votes do not have them in a column;
    `weight_by` names the column of the one or the other.

    `fold` says what counts once where raters share an item: every vote (the default), every item by the mean of its
    votes, or every item by their majority (none: same); the majority's result stands beside the others. Votes of one
    query, and those of one rater, are kept together in the interval (`interval`: inversion, or one of METHODS) and its
    test. `shares` are the segments' shares of the traffic. `margin` (0.02 or "2%"; without one it
    is 0.02, and a significant loss never ships) and `policy` are the verdict's; `agreement_floor` is the
    least AC1 of raters that it trusts, and `guards` are what it watches. `sequential` makes its interval the
    confidence sequence, so that one may look while votes come in and stop at any time; a query enters that
    when it has `votes_per_query` votes, or, without that, when the next query begins.

    >>> result = gsb(["good", "same", "bad", "bad"])
    >>> result.value, result.good, result.same, result.bad
    (-0.25, 1, 1, 2)
    >>> gsb(good=20, same=23, bad=17).value  # 3/60
    0.05
    """
    counts = any(count is not None for count in (good, same, bad))
    if votes is not None and counts:
        raise InputError("both votes and counts of votes were given", hint="give only one of them")
    if votes is None and not counts:
        raise InputError(
            "there are no votes", hint="give a table or a list of votes, or the counts good, same and bad"
        )
    settings = VoteSettings(
        fold,
        interval,
        confidence,
        shares,
        margin,
        policy,
        agreement_floor,
        anchor_floor,
        rounds,
        seed,
        tuple(guards),
        sequential,
        votes_per_query,
    )
    source: Any = Columns(require_counts(good, same, bad)) if counts else votes
    return summarise(read_votes(source, weights=weights, weight_by=weight_by), settings)


@other_names(method="interval")
def gsb_from(
    evaluation: Evaluation,
    measure: str | Measure,
    system: str | None = None,
    baseline: str | None = None,
    *,
    threshold: float = 0.0,
    segments: Profiles | GivenTable | None = None,
    segment_by: str | None = None,
    **settings: Any,
) -> GSB:
    """GSB of a measure: a query is good when `system` is better than `baseline` by more than the threshold, bad
    when it is worse by more, and same otherwise. Of two systems the first is the baseline unless another is named.
    Queries that lack a value for either are left out. `segments` and `segment_by` are those of compare, `settings` those
    of gsb.

    >>> from idealist import evaluate
    >>> runs = {"a": {q: {"x": 2.0, "y": 1.0} for q in "123"}, "b": {q: {"x": 1.0, "y": 2.0} for q in "123"}}
    >>> result = gsb_from(evaluate({"1": {"y": 1}, "2": {"x": 1}, "3": {"y": 1}}, runs, "RR"), "RR")
    >>> result.good, result.same, result.bad
    (2, 0, 1)
    """
    parsed_measure = evaluation.measure_of(measure)
    if parsed_measure.better == "neither":
        raise InputError(
            f"no value of {parsed_measure} is better than another", hint="choose another measure"
        )
    as_within(threshold, "the threshold", 0)
    system, baseline = _two_systems(evaluation, system, baseline)
    system_values, baseline_values = (
        evaluation.by_query(parsed_measure, system),
        evaluation.by_query(parsed_measure, baseline),
    )
    weight_of = dict(zip(system_values, evaluation.weights_of(parsed_measure, system), strict=True))
    shared_queries = [query for query in system_values if query in baseline_values]
    if not shared_queries:
        raise InputError(
            f"{system} and {baseline} share no query with a value of {parsed_measure}",
            hint="both need judged queries in common",
        )
    sign = -1 if parsed_measure.better == "lower" else 1
    tie_bound = threshold + 1e-12  # sums of floats that should be equal
    gains = {query: sign * (system_values[query] - baseline_values[query]) for query in shared_queries}
    table: dict[str, list[Any]] = {
        "query": shared_queries,
        "vote": [(gains[query] > tie_bound) - (gains[query] < -tie_bound) for query in shared_queries],
    }
    weights = None
    if evaluation.weighted:
        weights = QueryWeights({query: weight_of[query] for query in shared_queries}, evaluation.weighted_by)
    by_query = query_segments(segments, segment_by)
    if by_query is not None:
        table["segment"] = [segment_of(query, by_query) for query in shared_queries]
    notes = [
        f"{system} compared with {baseline} by {parsed_measure}; differences up to {threshold:g} are same",
        f"conventions: {evaluation.conventions}",
    ]
    if lacking := len(system_values.keys() ^ baseline_values.keys()):
        notes.append(f"{count_queries(lacking)} without a value for one of the two systems: left out")
    vote_settings = VoteSettings(**settings)
    if vote_settings.sequential:
        raise InputError(
            "a measure has all its values at once, so there is nothing to look at early",
            hint="sequential is for votes",
        )
    further_guards = (
        equally_judged(evaluation, parsed_measure, baseline, system)
        if "judged" in vote_settings.guards
        else []
    )
    further_guards += same_queries(evaluation, baseline, system) if "queries" in vote_settings.guards else []
    result = summarise(
        Votes(Columns(table), weights=weights),
        vote_settings,
        notes=notes,
        measure=str(parsed_measure),
        further_guards=further_guards,
    )
    if system_values == baseline_values:
        same = lists_that_differ(evaluation, baseline, system, [parsed_measure]) == 0
        result = result.replace(verdict=as_unchanged(result.verdict)) if same else result
    return result


def _two_systems(evaluation: Evaluation, system: str | None, baseline: str | None) -> tuple[str, str]:
    systems = evaluation.systems
    for name in (system, baseline):
        if name is not None and name not in systems:
            raise InputError(f"no system is called {name!r}", hint=f"name one of: {', '.join(systems)}")
    if baseline is None:
        candidates = [name for name in systems if name != system]
        if len(candidates) != (2 if system is None else 1):
            raise InputError(
                f"{len(systems)} systems were measured; name the system and the baseline",
                hint=f"two of: {', '.join(systems)}",
            )
        baseline = candidates[0]
    if system is None:
        candidate_systems = [name for name in systems if name != baseline]
        if len(candidate_systems) != 1:
            raise InputError(f"several systems were measured; name one of: {', '.join(candidate_systems)}")
        system = candidate_systems[0]
    if system == baseline:
        raise InputError(f"{system} would be compared with itself", hint="name two systems")
    return system, baseline


SEGMENTS = "segments"


def votes_guard(votes: GSB, *, stated: bool, stated_guards: Collection[str] = ()) -> Guard:
    """Whether people's votes speak against a system: with a `stated` margin they must be shown not to be worse by more
    than it; without one they must not be significantly worse.

    Votes that a guard of their own stops have not passed: they cannot tell. That stops the system where a segment lost,
    where the margin is stated, or where the guard is one of `stated_guards`.

    >>> from idealist import gsb
    >>> print(votes_guard(gsb(good=5, same=10, bad=60), stated=False))
    FAILED  votes: worse (difference −0.7333, 95 % interval −0.8471 to −0.5715 over queries, allowing for rare large differences)
    """
    verdict = votes.verdict
    stopping = [guard for guard in verdict.guards if guard.stops]
    message = "; ".join([verdict.why, *(f"{guard.name}: {guard.message}" for guard in stopping)])
    if verdict.outcome == "block":
        return Guard("votes", FAILED, message, True)
    if stated and verdict.outcome not in PASSING:
        return Guard("votes", CANNOT_TELL, message, True)
    stops = any(guard.name == SEGMENTS or guard.name in stated_guards for guard in stopping)
    return Guard("votes", CANNOT_TELL if stopping else PASSED, message, stops)
