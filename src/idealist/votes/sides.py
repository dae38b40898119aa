"""Side bias: whether votes depend on the side on which the candidate was shown."""

from __future__ import annotations

from idealist.votes.folding import anchored
from idealist.votes.result import SideBias
from idealist.votes.tests import flip_p

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.data.votes import Votes


def find_side_bias(votes: Votes, *, rounds: int = 10_000, seed: int = 0) -> SideBias | None:
    """GSB of the votes given when the candidate was shown left, and right, but for items with a known answer.

    The test asks whether votes depend on the side at all: every query's sum of (left − share of left)·(vote − mean)
    has either sign as often if it does not. How good the candidate is, and how often it was left, change nothing.
    """
    import numpy as np

    if votes.sides is None or not any(votes.sides):
        return None
    rows = np.nonzero(~anchored(votes)[np.asarray(votes.items)] & (np.asarray(votes.sides) != ""))[0]
    if not len(rows):
        return None
    left = np.asarray(votes.sides)[rows] == "left"
    vote = np.asarray(votes.values, dtype=float)[rows]
    _, query = np.unique(np.asarray(votes.queries)[rows], return_inverse=True)
    p = flip_p(
        np.bincount(query, (left - left.mean()) * (vote - vote.mean())),
        rounds=rounds,
        seed=seed,
    )
    gsb_left, gsb_right = (float(vote[side].mean()) if side.any() else float("nan") for side in (left, ~left))
    left_wins = int((vote[left] > 0).sum() + (vote[~left] < 0).sum())
    decided = int((vote != 0).sum())
    return SideBias(
        gsb_left,
        gsb_right,
        gsb_left - gsb_right,
        p,
        left_wins,
        decided,
        int(left.sum()),
        len(rows),
    )
