"""The guards of the verdict on one system: which are checked, by which margins, and what they answer."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.comparison.contrast import contrast_of
from idealist.comparison.guard_rules import few_large_losses, unharmed, unharmed_segments
from idealist.comparison.unjudged import equally_judged, same_queries
from idealist.comparison.verdict import decide
from idealist.errors import InputError
from idealist.statistics.paired import Paired

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from idealist.comparison.comparison import Comparison
    from idealist.comparison.contrast import Contrast
    from idealist.comparison.unjudged import ValuesAtRate
    from idealist.comparison.verdict import Guard, Margin
    from idealist.evaluation import Evaluation

    # The kind of a guarded contrast, its name there, and the contrast.
    Guarded = tuple[str, str, Contrast]


class GuardRule(Frozen):
    """A rule of guards: `watched` are some of GUARDS, `margins` those that a measure or a segment must be shown to keep;
    `margin` and `policy` are the verdict's; `unjudged_rate` is how often unjudged documents are taken to be relevant."""

    watched: Sequence[str]
    margins: Mapping[str, float | str]
    margin: Margin
    policy: str
    unjudged_rate: float | None = None


def guards_of(
    comparison: Comparison, goal: Contrast, segments: Sequence[Contrast], rule: GuardRule
) -> list[Guard]:
    """The guards of a verdict on `goal`, in the order of GUARDS; `segments` are the contrasts of all segments. Where the lists
    of the two systems are the same, nothing that is measured on them can be worse."""
    evaluation, baseline, watched = comparison.evaluation, comparison.baseline, rule.watched
    guarded: list[Guarded] = [
        ("measures", contrast.measure.label, contrast)
        for contrast in comparison.contrasts
        if contrast.system == goal.system and contrast.measure != goal.measure
        if contrast.measure.better != "neither" and "measures" in watched
    ]
    guarded += [
        ("segments", contrast.segment or "", contrast)
        for contrast in segments
        if (contrast.system, contrast.measure) == (goal.system, goal.measure) and "segments" in watched
    ]
    margin_of = {_named(name, guarded, goal, evaluation): margin for name, margin in rule.margins.items()}
    lists = comparison.list_change(goal.system)
    if lists.reason(goal.measure):
        watched = [name for name in watched if name == "queries"]
        guarded = [each for each in guarded if each[0] == "measures" and lists.numbers_differ]

    def of(kind: str) -> tuple[dict[str, Contrast], dict[str, float | str | None]]:
        contrasts = {name: contrast for group, name, contrast in guarded if group == kind}
        changed = [name for name, contrast in contrasts.items() if not lists.reason(contrast.measure)]
        return contrasts, {name: margin_of.get(name, margin_of.get(kind)) for name in changed}

    guards = unharmed("other measures", *of("measures"))
    guards += unharmed_segments(*of("segments"), rule.margin)
    if "judged" in watched and not goal.measure.given:  # judgments say nothing of numbers from elsewhere
        outcome = _outcomes(goal, rule)
        guards += equally_judged(
            evaluation, goal.measure, baseline, goal.system, outcome, rate=rule.unjudged_rate
        )
    if "queries" in watched:
        guards += same_queries(evaluation, baseline, goal.system)
    if "losses" in watched:
        guards += few_large_losses(goal)
    return guards


def _outcomes(goal: Contrast, rule: GuardRule) -> Callable[[ValuesAtRate | None], str]:
    """The outcome without guards if these queries had these values, the baseline's and the system's; None: as measured."""
    paired = goal.paired

    def outcome(changed: ValuesAtRate | None) -> str:
        before, after = changed or ({}, {})
        other = goal
        if changed is not None:
            old = zip(paired.queries, paired.baseline_values, strict=True)
            new = zip(paired.queries, paired.values, strict=True)
            other = contrast_of(
                goal.system,
                goal.baseline,
                goal.measure,
                Paired(
                    paired.queries,
                    tuple(before.get(query, value) for query, value in old),
                    tuple(after.get(query, value) for query, value in new),
                    paired.weights,
                    paired.strata,
                    paired.own_weights,
                ),
                confidence=goal.confidence,
                region=0.0,
                seed=goal.seed,
                interval=goal.interval_name,
                range=goal.range,
            )
        return decide(other.gain, other.gain_interval, margin=rule.margin, policy=rule.policy).outcome

    return outcome


def _named(name: str, guarded: Sequence[Guarded], goal: Contrast, evaluation: Evaluation) -> str:
    """The scope of a guard's margin: all measures, all segments, or one by its name."""
    kinds = dict.fromkeys(kind for kind, _, _ in guarded)
    by_name = {label: label for _, label, _ in guarded}
    by_name |= {str(contrast.measure): label for kind, label, contrast in guarded if kind == "measures"}
    if name in kinds or name in by_name:
        return by_name.get(name, name)
    try:
        measure = evaluation.measure_of(name)
    except InputError:
        measure = None
    for kind, label, contrast in guarded:
        if kind == "measures" and contrast.measure == measure:
            return label
    if measure == goal.measure:
        raise InputError(
            f"{goal.measure} decides, so it is no guard", hint="`margin` is the margin of what decides"
        )
    raise InputError(
        f"no measure or segment {name!r} was compared, so none can be guarded",
        hint=f"name one of: {', '.join([*kinds, *dict.fromkeys(by_name.values())]) or 'those that are compared'}",
    )
