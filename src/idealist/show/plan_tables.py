"""Plans: how many queries or judgments are needed, and which documents to judge."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.base.wording import count_of, count_queries, interval_title, percent, range_text, signed
from idealist.show.cells import ends_of
from idealist.show.table import Table
from idealist.show.view import Lines, View
from idealist.statistics.power import FAILURE, curve, needed_queries, queries_power
from idealist.votes.vote_plan import VotePilot, judgments_power, needed_judgments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from idealist.plan.judgment_draws import JudgmentDraw
    from idealist.plan.launches import LaunchPower
    from idealist.plan.open_documents import OpenDifference, OpenDocument
    from idealist.plan.pilots import PairPilot
    from idealist.show.table import Cell


def queries_plan(
    sd: float,
    *,
    effect: float,
    power: float,
    alpha: float,
    failure: float | None = FAILURE,
    best: float = FAILURE,
    pilot: PairPilot | None = None,
) -> View:
    """How many queries show a difference: the number, and for the ends of the pilot's interval, if there is one. `failure` is
    what an unseen failure would cost, None for Student's interval."""
    how: dict[str, Any] = {"power": power, "alpha": alpha, "failure": failure, "best": best}
    needed = needed_queries(sd, effect, **how)
    between = None
    if pilot is not None:
        largest = (
            float("inf") if failure is None else max(failure, best)
        )  # of differences, and of their deviation
        ends = pilot.interval.low, min(pilot.interval.high, largest)
        between = needed_queries(ends[0], effect, **how), needed_queries(ends[1], effect, **how)
    return needed_queries_view(
        needed,
        curve(lambda n: queries_power(n, sd, effect, alpha=alpha, failure=failure, best=best), needed),
        effect=effect,
        sd=sd,
        between=between,
        pilot=pilot,
        power=power,
        alpha=alpha,
        failure=failure,
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
    failure: float | None,
    between: tuple[int, int] | None = None,
    pilot: PairPilot | None = None,
) -> View:
    """How many queries show a difference, and the power of other numbers. `between` are the numbers for the ends of
    the pilot's interval."""
    lines = [
        f"{needed:,} queries show a difference of {signed(abs(effect))} {_risks(power, alpha)}, when the differences "
        f"have an sd of {signed(sd)}{_failing(failure)}."
    ]
    if pilot is not None:
        lines.append(pilot_line(pilot))
    record: dict[str, Any] = {"queries": needed, "effect": effect, "sd": sd, "failure": failure}
    if between is not None:
        lines.append(f"By the ends of that interval, {between[0]:,} to {between[1]:,} queries.")
        record["between"] = list(between)
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
    by_power: Mapping[float, float | None],
    *,
    n: int,
    sd: float,
    failure: float | None,
    power: float,
    alpha: float,
    pilot: PairPilot | None = None,
) -> View:
    """The smallest difference that n queries show, by power; None where none is shown."""
    detectable = by_power[power]
    effect = "no difference at all" if detectable is None else f"a difference of {signed(detectable)} or more"
    lines = [
        f"{n:,} queries show {effect} {_risks(power, alpha)}, when the differences "
        f"have an sd of {signed(sd)}{_failing(failure)}.",
        *([pilot_line(pilot)] if pilot is not None else []),
    ]
    record = {"n": n, "unit": "queries", "difference": detectable, "sd": sd, "failure": failure}
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
        f"{count_of(n, 'judgment')} {'shows' if n == 1 else 'show'} {effect} {_risks(power, alpha)}, {_votes_like(known)}.",
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


def _failing(failure: float | None) -> str:
    """By which interval it is planned."""
    return ", by Student's t" if failure is None else f" and an unseen failure may cost {signed(failure)}"


def _votes_like(known: Mapping[str, float]) -> str:
    """The assumptions about the votes."""
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
    """The result of a pilot in a sentence."""
    if isinstance(pilot, VotePilot):
        return (
            f"Pilot: {count_of(pilot.n, 'vote')} of {count_queries(pilot.queries)}, GSB {percent(pilot.value)}, "
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


def launch_view(powers: Sequence[LaunchPower], decides: str, seed: int) -> View:
    """The chance to ship, a row for each number of queries: where all is equal, and where what decides is better."""
    by_changes = list(dict.fromkeys(tuple(power.changes.items()) for power in powers))
    titles = ["n", *(["votes"] if powers[0].votes is not None else [])]
    for changes in by_changes:
        gains = ", ".join(f"{name} {change:+g}" for name, change in changes)
        titles.append(f"ships at {gains}" if gains else "ships when equal")
    rows: list[list[Cell]] = []
    for n in dict.fromkeys(power.n for power in powers):
        of_n = [power for power in powers if power.n == n]
        chances = [
            next(p.chance for p in of_n if tuple(p.changes.items()) == changes) for changes in by_changes
        ]
        rows.append([n, *([] if of_n[0].votes is None else [of_n[0].votes]), *chances])
    line = (
        f"chance that the whole decision ships, {decides} deciding; {count_of(powers[0].samples, 'sample')} each, drawn from the pilot "
        f"with the two systems exchanged at random, seed {seed}"
    )
    record = {
        "decides": decides,
        "seed": seed,
        "chances": [{field: _plain(getattr(power, field)) for field in power.fields} for power in powers],
    }
    table = Table(titles, rows)
    return View(lambda: [table, Lines((line,))], rows=lambda: table, record=lambda: record)


def _plain(value: Any) -> Any:
    return dict(value) if hasattr(value, "items") else value


NO_SAMPLE = (
    "these decide between the runs; for the value of each run, judge a sample: idealist plan pool --strata"
)


def next_view(
    open_documents: Sequence[OpenDocument],
    chosen: Sequence[OpenDocument],
    differences: Sequence[OpenDifference],
    k: int,
) -> View:
    """The documents to judge next, `chosen` among all `open_documents`, and how open the differences still are."""
    several = len({system for document in differences for system in document.systems}) > 2
    titles = ["query", "document", "move", *(["runs"] if several else [])]
    rows: list[list[Cell]] = [
        [
            document.query,
            document.document,
            document.move,
            *([" – ".join(document.systems)] if several else []),
        ]
        for document in chosen
    ]
    table = Table(titles, rows)
    record = {
        "k": k,
        "open": len(open_documents),
        "documents": [plain_record(document) for document in chosen],
        "differences": [plain_record(document) for document in differences],
    }
    lines = tuple(_next_lines(open_documents, chosen, differences, k))
    return View(lambda: [table, Lines(lines)], rows=lambda: table, record=lambda: record)


def _next_lines(
    open_documents: Sequence[OpenDocument],
    chosen: Sequence[OpenDocument],
    differences: Sequence[OpenDifference],
    k: int,
) -> list[str]:
    if not open_documents:
        return [f"no unjudged document in the first {k} can move the difference"]
    queries = len({item.query for item in open_documents})
    share = sum(item.move for item in chosen) / sum(item.move for item in open_documents)
    lines = [
        f"{count_of(len(open_documents), 'unjudged document')} of {count_queries(queries)} in the first {k} can move the "
        f"difference; these {len(chosen):,} hold {100 * share:.0f} % of what they can move"
    ]
    for item in differences:
        first, other = item.systems
        line = (
            f"{other} less {first} in mean DCG@{k}: {item.judged:.4f} with unjudged documents worth nothing"
        )
        if item.projected is not None:
            line += f", {item.projected:.4f} if they are as good as the judged ones that favour the same run"
        lines.append(line)
    return [*lines, NO_SAMPLE]


COLUMNS = ("query", "document", "grade", "inclusion_probability", "stratum", "machine_grade")


def draw_view(draw: JudgmentDraw) -> View:
    """Strata for people, documents for machines."""
    lines = worth_lines(draw)
    return View(
        lambda: [strata_table(draw), Lines(tuple(lines))],
        rows=lambda: draw_rows(draw),
        record=lambda: {
            "documents": [{field: getattr(d, field) for field in COLUMNS} for d in draw],
            "strata": [{field: getattr(s, field) for field in s.fields} for s in draw.strata],
            "errors": [{"labels": n, "error": error} for n, error in draw.errors.items()],
        },
        beside=lines,
    )


def strata_table(draw: JudgmentDraw) -> Table:
    rows: list[list[Cell]] = [
        [s.stratum, s.documents, s.drawn, percent(s.probability), s.effect, s.spread] for s in draw.strata
    ]
    titles = ["machine grade and part", "documents", "to judge", "probability", "effect", "spread of grades"]
    return Table(titles, rows)


def draw_rows(draw: JudgmentDraw) -> Table:
    """A document a row, as `evaluate --machine` reads it when the grades are filled in."""
    rows: list[list[Cell]] = [[getattr(document, field) for field in COLUMNS] for document in draw]
    return Table(list(COLUMNS), rows)


def worth_lines(draw: JudgmentDraw) -> list[str]:
    """Notes on what the judgments leave open, and on the worth of more of them."""
    known = len(draw) - len(draw.to_judge)
    judged = f"; {count_of(known, 'document')} judged already, with probability 1" if known else ""
    lines = [f"{count_of(len(draw.to_judge), 'document')} to judge{judged}"]
    sizes = list(draw.errors)
    if sizes:
        text = f"drawing leaves a standard error of {signed(draw.errors[sizes[0]])} in a mean difference in DCG@{draw.k}"
        if len(sizes) > 1:
            text += f"; {sizes[1] - sizes[0]:,} more judgments would make it {signed(draw.errors[sizes[1]])}"
        lines.append(f"{text} (queries that were not asked add their own)")
    return lines
