"""Which backend has which measure: every backend is asked."""

from __future__ import annotations

from idealist.errors import InputError
from idealist.measures import registry
from idealist.show.table import Table
from idealist.show.view import View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from idealist.measures import Measure
    from idealist.show.table import Cell

SCORES, GRADES = [3.0, 2.0, 1.0], [1, 0, 2]
OPENING = """\
A measure has one definition. Natively all are measured: files, frames, dicts and [engines](engines.md). What else a measure's definition
runs on, with a cut-off or without, is what the backends answer when they are asked: [explained](explain.md) rank by rank, on [tensors](learn.md) of PyTorch,
[soft](learn-losses.md), as a loss to train for, and as [SQL](sql.md). [Write a measure](own-measures.md) says what each needs.

`idealist measures --backends --format markdown` prints this page; asking takes PyTorch.
"""


def _explained(measure: Measure) -> None:
    from idealist.evaluation import explain_grades

    explain_grades(GRADES, measure)


def _on_tensors(measure: Measure) -> None:
    from idealist.learn import evaluate_tensors

    evaluate_tensors(GRADES, SCORES, measure)


def _soft(measure: Measure) -> None:
    from idealist.learn.losses import Soft

    Soft(measure)


def _as_sql(measure: Measure) -> None:
    from idealist.engines.sql import query

    query(measure)


# Each raises an InputError for a measure that it cannot compute.
BACKENDS: dict[str, Callable[[Measure], None]] = {
    "explained": _explained,
    "tensors": _on_tensors,
    "soft": _soft,
    "SQL": _as_sql,
}


def has(backend: str, measure: Measure) -> bool:
    """Whether a backend has a measure.

    >>> from idealist import NDCG
    >>> from idealist.measures import ILD
    >>> has("SQL", NDCG(k=10)), has("SQL", ILD(k=10))
    (True, False)
    """
    try:
        BACKENDS[backend](measure)
    except InputError:
        return False
    return True


def _forms(cls: type[Measure]) -> list[Measure]:
    """With a cut-off and without: of all documents, as many are relevant whatever their order."""
    return [cls(), *([cls(k=10)] if "k" in cls.fields else [])]


def backends_view() -> View:
    """All measures and what they run on."""
    answers = {
        cls: [any(has(backend, measure) for measure in _forms(cls)) for backend in BACKENDS]
        for cls in registry().values()
    }
    rows: list[list[Cell]] = [
        [cls.family.replace("_", " "), cls.name, *("yes" if known else "" for known in answer)]
        for cls, answer in answers.items()
    ]
    table = Table(["family", "measure", *BACKENDS], rows)
    counts = (
        f"{sum(column)} {backend}"
        for backend, column in zip(BACKENDS, zip(*answers.values(), strict=True), strict=True)
    )
    counted = f"Of {len(answers)} measures: {', '.join(counts)}."
    page = f"# Measures by backend\n\n{OPENING}\n{counted}\n\n{table.to_markdown()}"
    return View(lambda: [table], rows=lambda: table, page=lambda: page)
