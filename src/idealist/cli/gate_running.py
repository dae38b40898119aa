"""A gate decided: its files read and compared, its votes counted, and one verdict from all of them by its rules."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.cli.gate_inputs import GateInputs, options_of
from idealist.comparison.guard_rules import unharmed
from idealist.comparison.verdict import Guard, with_guards
from idealist.projects.settings import VOTES_DECIDE
from idealist.votes.voting import votes_guard

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from idealist.cli.gate_file import Gate
    from idealist.comparison.comparison import Comparison
    from idealist.comparison.contrast import Contrast
    from idealist.comparison.verdict import Verdict
    from idealist.evaluation import Evaluation
    from idealist.statistics.mean_estimates import Interval
    from idealist.votes.gsb_result import GSB

RATER_SIDES, AGREEMENT = "sides", "agreement of raters"  # as gsb calls these guards


class GateDecision(Frozen):
    """The verdict of a gate; the numbers of each part that it is on, the one that decides first; what is noted beside
    them; and the evaluation of runs and numbers and the name of the baseline there, if there are any."""

    verdict: Verdict
    parts: tuple[Mapping[str, Any], ...]
    notes: tuple[str, ...]
    evaluation: Evaluation | None = None
    baseline: str = ""


def decide_gate(gate: Gate, threads: int | None) -> GateDecision:
    """What a gate decides: the verdict of the part that decides, with all others as its guards.

    The part that decides has the whole level. Each guard is tested at the same level: all of them must pass for the
    verdict to ship, so that none needs a share of it (an intersection–union test).
    """
    compared = _compared(gate, threads) if gate.names("judgments") or gate.names("numbers") else None
    votes = counted_votes(gate) if gate.names("votes") else None
    if compared is None:
        assert votes is not None
        return GateDecision(votes.verdict, (_part_of_votes(votes, decides=True),), votes.notes)
    evaluation, baseline = compared.comparison.evaluation, compared.comparison.baseline
    verdict, parts, notes = compared.verdict, compared.parts, compared.notes
    if votes is not None:
        notes = (*notes, *votes.notes)
        decides = gate.settings["measure"] == VOTES_DECIDE
        counts = _part_of_votes(votes, decides=decides)
        if decides:
            verdict, parts = with_guards(votes.verdict, verdict.guards), (counts, *parts)
        else:
            guard = votes_guard(
                votes, stated=gate.guards["votes"] is not None, stated_guards=_stated_guards(gate)
            )
            verdict, parts = with_guards(verdict, [guard]), (*parts, counts)
    return GateDecision(verdict, parts, notes, evaluation, baseline)


class _Compared(Frozen):
    """What runs and numbers say: the verdict of the measure that decides or, where votes do, one with the guards alone
    that stand beside them; and the numbers of each measure."""

    comparison: Comparison
    verdict: Verdict
    parts: tuple[Mapping[str, Any], ...]

    @property
    def notes(self) -> tuple[str, ...]:
        return (*self.comparison.evaluation.notes, *self.comparison.notes)


def _compared(gate: Gate, threads: int | None) -> _Compared:
    from idealist.cli.sources import table_of
    from idealist.comparison.comparing import compare_evaluations

    settings, guards = gate.settings, gate.guards
    inputs = GateInputs(gate)
    baseline, candidate = inputs.systems
    segments = table_of(gate.path("segments"), options_of(gate), "segments") if settings["segments"] else None
    comparison = compare_evaluations(
        inputs.evaluation(threads),
        baseline=baseline,
        segments=segments,
        segment_by=settings["segment_by"],
        seed=settings["seed"],
        interval=settings["interval"],
        shares=settings["shares"],
        confidence=settings["confidence"],
        rounds=settings["rounds"],
        **({} if settings["tests"] is None else {"tests": settings["tests"]}),
    )
    decides = settings["measure"] != VOTES_DECIDE
    goal = comparison.measures[0]
    margins = {
        inputs.label(name): margin for name, margin in guards["measures"].items() if margin is not None
    }
    segment_margin = {} if guards["segment_margin"] is None else {"segments": guards["segment_margin"]}
    verdict = comparison.verdict(
        goal,
        candidate,
        margin=settings["margin"] if decides else None,
        policy=settings["policy"],
        guards=[
            *(["measures"] if decides else []),
            *("segments", "queries"),
            *(["judged"] if guards["judged"] else []),
            *(["losses"] if guards["losses"] and decides else []),
        ],
        guard_margins={**(margins if decides else {}), **segment_margin},
        unjudged_rate=guards["unjudged_rate"],
    )
    if guards["judged_floor"] is not None:
        looked = next((measure for measure in comparison.measures if not measure.given), goal)
        verdict = with_guards(verdict, _judged(comparison, looked.depth, guards["judged_floor"]))
    contrasts = [comparison[candidate, measure] for measure in comparison.measures]
    if not decides:
        lists = comparison.list_change(candidate)
        changed = [each.measure.label for each in contrasts if not lists.reason(each.measure)]
        watched = unharmed(
            "measures",
            {each.measure.label: each for each in contrasts},
            {name: margin for name, margin in margins.items() if name in changed},
        )
        verdict = verdict.replace(guards=(*watched, *verdict.guards))
    parts = [
        _part(contrast, decides and contrast.measure == goal, verdict, margins, settings["tests"])
        for contrast in contrasts
    ]
    return _Compared(comparison, verdict, tuple(parts))


def _part(
    contrast: Contrast, decides: bool, verdict: Verdict, margins: Mapping[str, Any], tests: Any
) -> dict[str, Any]:
    """The numbers of one measure, for people and for JSON."""
    from idealist.comparison.verdict import read_margin

    stated = margins.get(contrast.measure.label)
    margin = None if stated is None else read_margin(stated, baseline=contrast.baseline_value).size
    part = {
        "part": contrast.measure.label,
        "decides": decides,
        "baseline": contrast.baseline,
        "candidate": contrast.system,
        "n": contrast.n,
        "baseline_value": contrast.baseline_value,
        "value": contrast.value,
        "difference": contrast.difference,
        "interval": _ends(contrast.interval),
        "margin": verdict.margin if decides else margin,
    }
    if (corrected := contrast.correction) is not None:
        part["corrected"] = {"difference": corrected.value, "interval": _ends(corrected.interval)}
    if decides and tests is not None:
        part["tests"] = {str(test): result.p_value for test, result in contrast.tests.items()}
    return part


def _ends(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]


def _part_of_votes(votes: GSB, *, decides: bool) -> dict[str, Any]:
    return {
        "part": "votes",
        "decides": decides,
        "unit": "vote" if votes.fold == "votes" else "item",
        **{name: getattr(votes, name) for name in ("n", "good", "same", "bad")},
        "difference": votes.value,
        "interval": _ends(votes.interval),
        "margin": votes.verdict.margin,
    }


def _stated_guards(gate: Gate) -> list[str]:
    """The guards of votes that the file asks for by name."""
    floor, sides = gate.guards["agreement_floor"], gate.guards["side_bias"]
    return [AGREEMENT] * (floor is not None) + [RATER_SIDES] * bool(sides)


def counted_votes(gate: Gate) -> GSB:
    """The votes of a gate, counted by its rules."""
    from idealist.cli.sources import SourceOptions, table_of
    from idealist.votes.vote_table import read_votes
    from idealist.votes.voting import GUARDS as VOTE_GUARDS
    from idealist.votes.voting import gsb

    settings, guards = gate.settings, gate.guards
    columns = gate.columns_of("votes")
    text = {name: settings[name] for name in ("encoding", "decimal")}
    votes = read_votes(
        table_of(gate.path("votes"), SourceOptions(columns=columns, **text), "votes", main=True),
        columns=columns,
        words=settings["words"],
        candidate=settings["votes_candidate"],
    )
    floor, decides = guards["agreement_floor"], settings["measure"] == VOTES_DECIDE
    result = gsb(
        votes,
        fold=settings["fold"],
        confidence=settings["confidence"],
        margin=settings["margin"] if decides else guards["votes"],
        policy=settings["policy"],
        seed=settings["seed"],
        guards=[guard for guard in VOTE_GUARDS if guard != RATER_SIDES or guards["side_bias"] is not False],
        **({} if floor is None else {"agreement_floor": floor}),
    )
    return result.replace(
        verdict=with_guards(result.verdict, _unanswered(result, floor, guards["side_bias"]))
    )


def _judged(comparison: Comparison, k: int | None, floor: float) -> list[Guard]:
    """Whether enough of both runs is judged, down to where the measure looks."""
    shares = comparison.evaluation.judged.get(k, {})
    low = [system for system, share in shares.items() if not share >= floor]
    where = "judged" if k is None else f"judged@{k}"
    texts = ", ".join(f"{system} {share:.4f}" for system, share in shares.items())
    message = f"{where} {texts or 'is not known'}, at least {floor:g} is needed"
    return [Guard.of("enough judged", bool(shares) and not low, message)]


def _unanswered(result: GSB, floor: float | None, sides: bool | None) -> Iterable[Guard]:
    """Guards that were asked for, but that the votes cannot answer: they do not pass."""
    if floor is not None and result.agreement is None:
        yield Guard.of(AGREEMENT, False, "no item has votes of two raters")
    if sides and result.side_bias is None:
        yield Guard.of(RATER_SIDES, False, "the votes do not say where the candidate was shown")
