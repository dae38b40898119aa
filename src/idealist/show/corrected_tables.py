"""Values that human and machine judgments give together, with those of either beside them."""

from __future__ import annotations

from idealist.base.wording import count_of, count_queries, interval_title
from idealist.show.cells import difference_cell, ends_of, interval_cell, number_cell, p_cell
from idealist.show.table import Table
from idealist.show.view import Lines, View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from idealist.comparison.contrast import Contrast
    from idealist.evaluation.corrected import CorrectedMeans
    from idealist.show.table import Cell
    from idealist.statistics.prediction_powered import PoweredMean

FIELDS = (
    *(
        "value",
        "interval",
        "p_value",
        "p_adjusted",
        "error",
        "weight",
        "n",
        "unlabelled",
        "human",
        "human_interval",
    ),
    *("machine", "machine_interval", "bias", "bias_interval", "worth"),
)
P_VALUES = ("p_value", "p_adjusted")
OF_MEANS = tuple(field for field in FIELDS if field not in P_VALUES)  # that a mean is 0 is no question


def corrected_view(corrected: CorrectedMeans) -> View:
    """The corrected means."""
    return View(
        lambda: [
            means_table(corrected),
            Lines(tuple(correction_lines(list(corrected.values())))),
        ],
        rows=lambda: corrected_rows(corrected),
        record=corrected.to_dict,
    )


def powered_view(estimate: PoweredMean) -> View:
    """One corrected mean by itself."""
    return View(
        lambda: [
            Table(_titles("corrected", _confidence([estimate])), [_cells(estimate)]),
            Lines(tuple(correction_lines([estimate]))),
        ],
        rows=lambda: Table(_machine_titles(), [_machine_cells(estimate)]),
        record=estimate.to_dict,
    )


def means_table(corrected: CorrectedMeans) -> Table:
    rows = [[measure.label, system, *_cells(mean)] for (system, measure), mean in corrected.items()]
    return Table(["measure", "system", *_titles("corrected", corrected.confidence)], rows)


def corrected_rows(corrected: CorrectedMeans) -> Table:
    rows: list[list[Cell]] = [
        [str(measure), system, *_machine_cells(mean, OF_MEANS)]
        for (system, measure), mean in corrected.items()
    ]
    return Table(["measure", "system", *_machine_titles(OF_MEANS)], rows)


def differences_table(contrasts: Sequence[Contrast]) -> Table | None:
    """The corrected differences of a comparison, those of segments too where they are given; None where it was made without
    a machine."""
    corrected = [(contrast, contrast.corrected) for contrast in contrasts if contrast.corrected is not None]
    if not corrected:
        return None
    segmented = any(contrast.segment is not None for contrast, _ in corrected)
    rows: list[list[Cell]] = [
        [
            contrast.measure.label,
            *([contrast.segment or "all queries"] if segmented else []),
            *(contrast.system, difference_cell(estimate.value), interval_cell(estimate.interval)),
            *(p_cell(estimate.p_value), p_cell(estimate.p_adjusted), difference_cell(estimate.human)),
            *(difference_cell(estimate.machine), difference_cell(estimate.bias)),
            *(interval_cell(estimate.bias_interval), _worth(estimate)),
        ]
        for contrast, estimate in corrected
    ]
    sure = interval_title(contrasts[0].confidence)
    titles = ["measure", *(["segment"] if segmented else []), "system", "corrected", sure, "p", "p (Holm)"]
    return Table([*titles, "human", "machine", "machine − human", sure, "worth"], rows)


def corrected_columns() -> list[str]:
    """The columns of a corrected difference beside those of a contrast."""
    return [f"corrected_{title}" for title in _machine_titles()]


def corrected_cells(contrast: Contrast) -> list[Cell]:
    if contrast.corrected is None:
        return [None] * len(corrected_columns())
    return _machine_cells(contrast.corrected)


def correction_lines(estimates: Sequence[PoweredMean]) -> list[str]:
    """The meaning of the columns, and the worth of the machine's judgments, in words."""
    if not estimates:
        return []
    most = max(estimates, key=lambda estimate: estimate.worth)
    if most.unit == "judgment":
        how = (
            f"by {count_of(most.n, 'drawn document')} and the machine, over {count_queries(most.unlabelled)}"
        )
        how += "; human: by the drawn documents alone"
    else:
        how = f"prediction-powered (PPI++), {count_queries(most.n)} judged by people, {most.unlabelled:,} more by the machine"
    lines = [f"corrected: {how}; machine: what its judgments alone would say"]
    if round(most.worth) < 1:
        return [*lines, "the machine's judgments add nothing: the corrected values are the human ones"]
    least = min(estimates, key=lambda estimate: estimate.worth)
    low, high = round(least.worth), round(most.worth)
    worth = f"{high:,}" if low == high else f"{low:,} to {high:,}"
    noun = count_of(high, most.unit).partition(" ")[2]
    return [*lines, f"worth: the machine's judgments are worth {worth} more human {noun}"]


def _titles(name: str, confidence: float | None) -> list[str]:
    sure = interval_title(confidence)
    return [name, sure, "human", sure, "machine", "machine − human", sure, "worth"]


def _cells(estimate: PoweredMean) -> list[Cell]:
    return [
        *(number_cell(estimate.value), interval_cell(estimate.interval)),
        *(number_cell(estimate.human), interval_cell(estimate.human_interval)),
        *(number_cell(estimate.machine), difference_cell(estimate.bias)),
        *(interval_cell(estimate.bias_interval), _worth(estimate)),
    ]


def _worth(estimate: PoweredMean) -> Cell:
    more = round(estimate.worth)
    return f"+{count_of(more, estimate.unit)}" if more else "nothing"


def _confidence(estimates: Sequence[PoweredMean]) -> float | None:
    return next((e.interval.confidence for e in estimates if e.interval is not None), None)


def _machine_titles(fields: Sequence[str] = FIELDS) -> list[str]:
    titles: list[str] = []
    for field in fields:
        stem = field.removesuffix("interval")
        titles += [f"{stem}low", f"{stem}high"] if field.endswith("interval") else [field]
    return titles


def _machine_cells(estimate: PoweredMean, fields: Sequence[str] = FIELDS) -> list[Cell]:
    cells: list[Cell] = []
    for field in fields:
        value = getattr(estimate, field)
        cells += ends_of(value) if field.endswith("interval") else [value]
    return cells
