"""Votes as a guard beside something else that decides."""

from __future__ import annotations

from idealist.decision.verdict import CANNOT_TELL, FAILED, PASSED, PASSING, Guard

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from idealist.votes.result import GSB

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
