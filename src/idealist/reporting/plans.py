"""Plans: how many queries or judgments are needed, and the pilot that this stands on."""

from __future__ import annotations

from idealist.frozen import Frozen
from idealist.plan.votes import VotePilot, judgments_power, needed_judgments
from idealist.reporting.cells import ends_of
from idealist.reporting.table import Table
from idealist.reporting.view import Lines, View
from idealist.statistics.power import curve, needed_queries, queries_power
from idealist.wording import count_of, count_queries, interval_title, percent, range_text, signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from idealist.plan.pilots import PairPilot

FEW = 50  # queries; with fewer, Student's t asks for more than the normal distribution


def queries_plan(
    sd: float,
    *,
    effect: float,
    power: float,
    alpha: float,
    exact: bool = False,
    pilot: PairPilot | None = None,
) -> View:
    """How many queries show a difference: the number, and for the ends of the pilot's interval, if there is one."""
    how: dict[str, Any] = {"power": power, "alpha": alpha, "exact": exact}
    needed = needed_queries(sd, effect, **how)
    between = student = None
    if pilot is not None:
        ends = pilot.interval.low, pilot.interval.high
        between = needed_queries(ends[0], effect, **how), needed_queries(ends[1], effect, **how)
    if not exact and needed < FEW:
        student = needed_queries(sd, effect, **how | {"exact": True})
    return needed_queries_view(
        needed,
        curve(lambda n: queries_power(n, sd, effect, alpha=alpha, exact=exact), needed),
        effect=effect,
        sd=sd,
        between=between,
        student=student,
        pilot=pilot,
        **how,
    )


def judgments_plan(
    known: Mapping[str, float], *, gsb: float, power: float, alpha: float, pilot: VotePilot | None = None
) -> View:
    """How many judgments show a GSB, when votes are like those `known`: same, per_query and icc."""
    needed = needed_judgments(gsb, power=power, alpha=alpha, **known)
    points = curve(lambda n: judgments_power(n, gsb, alpha=alpha, **known), needed, least=1)
    return needed_judgments_view(needed, points, gsb=gsb, known=known, power=power, alpha=alpha, pilot=pilot)


def needed_queries_view(
    needed: int,
    points: Sequence[tuple[int, float]],
    *,
    effect: float,
    sd: float,
    power: float,
    alpha: float,
    exact: bool,
    between: tuple[int, int] | None = None,
    student: int | None = None,
    pilot: PairPilot | None = None,
) -> View:
    """How many queries show a difference, and the power of other numbers. `between` are the numbers for the ends of
    the pilot's interval, `student` is that of Student's t."""
    lines = [
        f"{needed:,} queries show a difference of {signed(abs(effect))} {_risks(power, alpha)}, when the differences "
        f"have an sd of {signed(sd)}."
    ]
    if pilot is not None:
        lines.append(pilot_line(pilot))
    record: dict[str, Any] = {"queries": needed, "effect": effect, "sd": sd, "exact": exact}
    if between is not None:
        lines.append(f"By the ends of that interval, {between[0]:,} to {between[1]:,} queries.")
        record["between"] = list(between)
    if student is not None and student > needed:
        lines.append(f"By Student's t, which counts with so few, {student:,} (--exact).")
    return _curve_view(lines, "queries", points, record, power, alpha, pilot)


def needed_judgments_view(
    needed: int,
    points: Sequence[tuple[int, float]],
    *,
    gsb: float,
    known: Mapping[str, float],
    power: float,
    alpha: float,
    pilot: VotePilot | None = None,
) -> View:
    """How many judgments show a GSB, and the power of other numbers. `known` is what the votes are taken to be like:
    same, per_query and icc."""
    lines = [
        f"{needed:,} judgments show a GSB of {percent(abs(gsb))} {_risks(power, alpha)}, {_votes_like(known)}.",
        *([pilot_line(pilot)] if pilot is not None else []),
    ]
    return _curve_view(
        lines, "judgments", points, {"judgments": needed, "gsb": gsb, **known}, power, alpha, pilot
    )


def detectable_difference_view(
    by_power: Mapping[float, float],
    *,
    n: int,
    sd: float,
    exact: bool,
    power: float,
    alpha: float,
    pilot: PairPilot | None = None,
) -> View:
    """The smallest difference that n queries show, by power."""
    detectable = by_power[power]
    lines = [
        f"{n:,} queries show a difference of {signed(detectable)} or more {_risks(power, alpha)}, when the differences "
        f"have an sd of {signed(sd)}.",
        *([pilot_line(pilot)] if pilot is not None else []),
    ]
    record = {"n": n, "unit": "queries", "difference": detectable, "sd": sd, "exact": exact}
    return _power_view(lines, "difference", by_power, record, power, alpha, pilot)


def detectable_gsb_view(
    by_power: Mapping[float, float | None],
    *,
    n: int,
    known: Mapping[str, float],
    power: float,
    alpha: float,
    pilot: VotePilot | None = None,
) -> View:
    """The smallest GSB that n judgments show, by power; None where none is shown."""
    detectable = by_power[power]
    effect = "no GSB at all" if detectable is None else f"a GSB of {percent(detectable)} or more"
    lines = [
        f"{n:,} judgments show {effect} {_risks(power, alpha)}, {_votes_like(known)}.",
        *([pilot_line(pilot)] if pilot is not None else []),
    ]
    record = {"n": n, "unit": "judgments", "gsb": detectable, **known}
    return _power_view(lines, "GSB", by_power, record, power, alpha, pilot)


def _curve_view(
    lines: list[str],
    unit: str,
    points: Sequence[tuple[int, float]],
    record: Mapping[str, Any],
    power: float,
    alpha: float,
    pilot: PairPilot | VotePilot | None,
) -> View:
    curve = [{unit: n, "power": its_power} for n, its_power in points]
    table = Table([unit, "power"], [[n, its_power] for n, its_power in points])
    whole = {**record, "curve": curve, "power": power, "alpha": alpha, **_piloted(pilot)}
    return View(lambda: [Lines(tuple(lines)), table], rows=lambda: table, record=lambda: whole)


def _power_view(
    lines: list[str],
    name: str,
    by_power: Mapping[float, float | None],
    record: Mapping[str, Any],
    power: float,
    alpha: float,
    pilot: PairPilot | VotePilot | None,
) -> View:
    table = Table(["power", name], [[its_power, detectable] for its_power, detectable in by_power.items()])
    rows = [{"power": its_power, name: detectable} for its_power, detectable in by_power.items()]
    whole = {**record, "power": power, "alpha": alpha, "by_power": rows, **_piloted(pilot)}
    return View(lambda: [Lines(tuple(lines)), table], rows=lambda: table, record=lambda: whole)


def _piloted(pilot: PairPilot | VotePilot | None) -> dict[str, Any]:
    return {} if pilot is None else {"pilot": plain_record(pilot)}


def _risks(power: float, alpha: float) -> str:
    return f"with {percent(power)} power at an alpha of {percent(alpha)}"


def _votes_like(known: Mapping[str, float]) -> str:
    """What the votes are taken to be like."""
    same = f'when {percent(known["same"])} of the votes are "same"'
    if known["per_query"] == 1:
        return same
    return f"{same}, {known['per_query']:.3g} are on one query and these have an ICC of {known['icc']:.3g}"


def pilot_view(pilot: PairPilot | VotePilot) -> View:
    """A pilot by itself."""
    record = plain_record(pilot)
    flat = {name: value for name, value in record.items() if not isinstance(value, (dict, tuple))}
    if not isinstance(pilot, VotePilot):
        ends = dict(zip(("sd_low", "sd_high"), ends_of(pilot.interval), strict=True))
        flat = {"first": pilot.systems[0], "second": pilot.systems[1], **flat, **ends}
    table = Table(list(flat), [list(flat.values())])
    return View(lambda: [Lines((pilot_line(pilot),))], rows=lambda: table, record=lambda: record)


def pilot_line(pilot: PairPilot | VotePilot) -> str:
    """What a pilot says, in a sentence."""
    if isinstance(pilot, VotePilot):
        return (
            f"Pilot: {count_of(pilot.n, 'judged item')} of {count_queries(pilot.queries)}, GSB {percent(pilot.value)}, "
            f"{percent(pilot.same)} same, ICC {pilot.icc:.3g}."
        )
    first, second = pilot.systems
    interval = f"{interval_title(pilot.interval.confidence)} {range_text(pilot.interval)}"
    return (
        f"Pilot: {pilot.measure} of {second} less that of {first} on {count_queries(pilot.n)}, mean "
        f"{signed(pilot.difference)}, sd {signed(pilot.sd)} ({interval})."
    )


def plain_record(value: Frozen) -> dict[str, Any]:
    """The fields of an object, and of those within it, for JSON."""
    return {
        field: plain_record(item) if isinstance(item := getattr(value, field), Frozen) else item
        for field in value.fields
    }
