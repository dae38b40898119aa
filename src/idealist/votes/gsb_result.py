"""The result of votes: GSB, its rates, segments, side bias, raters and verdict."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.base.results import Drawable
from idealist.base.wording import count_text, range_text, signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.comparison.verdict import Verdict
    from idealist.statistics.mean_estimates import Interval
    from idealist.votes.agreement_of_raters import Agreement, AnchorRecord
    from idealist.votes.vote_estimates import Stratum
    from idealist.votes.vote_tests import Sequential, SignErrors


class Rates(Frozen):
    """The result by its other names; nan where nothing was decided.

    Of shares g, s and b: `win_rate` g/(g+b), `win_rate_half_ties` g + s/2, `ratio` (g+s)/(b+s),
    `not_worse_rate` g + s. Intervals are by test inversion over queries; that of half ties is GSB's.
    """

    win_rate: float
    win_rate_half_ties: float
    ratio: float
    not_worse_rate: float
    win_rate_interval: Interval | None = None
    win_rate_half_ties_interval: Interval | None = None
    not_worse_rate_interval: Interval | None = None


class Severity(Frozen):
    """Σ s/(scale · n): 1 when every vote is the best there is, −1 when every one is the worst."""

    value: float
    interval: Interval | None
    scale: int


class SideBias(Frozen):
    """GSB of the votes given where the candidate was shown left, less that where it was shown right: 0 but for
    chance unless a side is favoured, however good the candidate is. `p_value` is of that difference.

    `left_wins` says how often the one on the left won, of the votes that decided.
    """

    gsb_left: float
    gsb_right: float
    difference: float
    p_value: float
    left_wins: int
    decided: int
    shown_left: int
    shown: int

    @property
    def confounded(self) -> bool:
        """Whether the candidate was always shown on one side, so that side and quality cannot be told apart."""
        return self.shown_left in (0, self.shown)


class OtherTest(Frozen):
    """A test beside the one that the interval inverts."""

    name: str
    p_value: float


class Refolded(Frozen):
    """The same votes folded in another way, with the outcome of their verdict before guards; `unsettled` items have no
    majority."""

    fold: str
    value: float
    interval: Interval | None
    good: float
    same: float
    bad: float
    p_value: float
    outcome: str
    unsettled: int


class VoteSegment(Frozen):
    """GSB of the votes of one segment."""

    name: str
    value: float
    interval: Interval | None
    good: float
    same: float
    bad: float
    n: float
    p_value: float


class GSB(Drawable, Frozen):
    """Good, same, bad: (G − B)/(G + S + B) from the candidate's side, with its interval, test and verdict.

    `good`, `same` and `bad` are votes, and `n` is their sum; under another `fold` than "votes" they are items. With
    weights or shares of segments, `value`, `interval`, `rates` and `p_value` are of the traffic, the counts are not.
    `p_value` is that of the test that the interval inverts, which `test` names; `other_tests` are further ones.
    `refolded` is what the majority of each item's votes says (or, where that decides, what all votes say); None where
    no item has two votes, and `conflict` says where it has the other sign or another verdict. `measure` is the measure whose differences are the votes, where no people voted.
    """

    value: float
    interval: Interval | None
    method: str
    good: float
    same: float
    bad: float
    n: float
    fold: str
    votes: int
    items: int
    queries: int
    raters: int
    effective_n: float
    p_value: float
    test: str
    other_tests: tuple[OtherTest, ...]
    rates: Rates
    severity: Severity | None
    refolded: Refolded | None
    sequential: Sequential | None
    side_bias: SideBias | None
    agreement: Agreement | None
    anchors: tuple[AnchorRecord, ...]
    segments: tuple[VoteSegment, ...]
    strata: tuple[Stratum, ...]
    sign_errors: SignErrors
    notes: tuple[str, ...]
    verdict: Verdict
    measure: str | None = None
    conflict: str = ""

    @property
    def e_value(self) -> float | None:
        """The evidence after the last complete query; one may stop as soon as it reaches 1/α. None where votes
        have no order, as counts have none."""
        return None if self.sequential is None else self.sequential.e_value

    @property
    def always_valid_p(self) -> float | None:
        """A p-value that holds however often one looked; None where votes have no order."""
        return None if self.sequential is None else self.sequential.p_value

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; what is undefined is None."""
        record: dict[str, Any] = {
            name: _plain(getattr(self, name)) for name in self.fields if name != "verdict"
        }
        record["e_value"] = _plain(self.e_value)
        record["always_valid_p"] = _plain(self.always_valid_p)
        record["verdict"] = self.verdict.to_dict()
        return record

    def to_json(self) -> str:
        import json

        return json.dumps(self.to_dict(), allow_nan=False, ensure_ascii=False)

    def _gist(self) -> str:
        interval_text = "" if self.interval is None else f" ({range_text(self.interval)})"
        counts = ", ".join(f"{name} {count_text(getattr(self, name))}" for name in ("good", "same", "bad"))
        return f"{signed(self.value)}{interval_text}; {counts}; {self.verdict.outcome}"


def whole(total: Any) -> float:
    """A sum of counts as a whole number, where it is one."""
    number = float(total)
    return round(number) if abs(number - round(number)) < 1e-9 else number


def _plain(value: Any) -> Any:
    if isinstance(value, Frozen):
        return {name: _plain(getattr(value, name)) for name in value.fields}
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            return None
        return value
    return value
