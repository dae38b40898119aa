"""What the values of a measure lie between, by its definition or by the judgments."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.evaluation.result import Evaluation
    from idealist.measures import Measure


def range_of(evaluation: Evaluation, measure: Measure) -> tuple[float, float]:
    """The least and the largest value that there may be; infinite where neither the measure nor its depth and the grades of the
    judgments limit it.

    >>> from idealist import DCG, evaluate
    >>> result = evaluate({"q": {"a": 2, "b": 1}}, {"q": {"a": 1.0}}, [DCG(k=1), "AP", "DCG"])
    >>> [range_of(result, measure) for measure in result.measures]  # 2 / log2(2)
    [(0.0, 2.0), (0.0, 1.0), (0.0, inf)]
    """
    return measure.bounds if evaluation.grades is None else measure.range_with(*evaluation.grades)
