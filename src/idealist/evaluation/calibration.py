"""Machine grades turned into the human grades to be expected, learned from pairs that both judged."""

from __future__ import annotations

from idealist.data.grouped import bytewise
from idealist.data.judgments import Judgments
from idealist.data.values import as_choice
from idealist.errors import InputError
from idealist.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

METHODS = ("isotonic", "table")
FOLDS = 5


class Calibration(Frozen):
    """The expected human grade by machine grade, learned without the queries of `queries`."""

    grades: Mapping[float, float]
    queries: tuple[str, ...] = ()

    def applied(self, machine: Judgments) -> Judgments:
        """The judgments with human grades; a machine grade that was not seen has that of the nearest seen one, and the
        lower of two."""
        known = sorted(self.grades)
        expected: dict[float, float] = {}
        by_query: dict[str, dict[str, float]] = {}
        for query, documents in machine.items():
            by_query[query] = {}
            for document, grade in documents.items():
                if grade not in expected:
                    nearest = min(known, key=lambda seen: (abs(seen - grade), seen))
                    expected[grade] = self.grades[nearest]
                by_query[query][document] = expected[grade]
        return Judgments(by_query, name=machine.name)


def calibrations(human: Judgments, machine: Judgments, method: str) -> list[Calibration]:
    """Five fits, each without every fifth of the queries that both judged; fewer where there are fewer queries."""
    pairs: dict[str, list[tuple[float, float]]] = {}
    for query, documents in human.items():
        if query in machine:
            machine_grades = machine[query]
            its = [(machine_grades[d], grade) for d, grade in documents.items() if d in machine_grades]
            if its:
                pairs[query] = its
    queries = sorted(pairs, key=bytewise)
    if len(queries) < 2:
        raise InputError(
            f"calibrating the machine's grades needs two queries that people judged too, and there {'is' if queries else 'are'} {len(queries)}",
            hint="leave --calibrate (calibrate=) out",
        )
    folds = [tuple(queries[at::FOLDS]) for at in range(min(FOLDS, len(queries)))]
    return [
        Calibration(
            fitted_grades([pair for query in queries if query not in fold for pair in pairs[query]], method),
            fold,
        )
        for fold in folds
    ]


def fitted_grades(pairs: Sequence[tuple[float, float]], method: str) -> dict[float, float]:
    """The mean human grade by machine grade, from pairs of both; "isotonic" makes it rise with the machine's.

    >>> pairs = [(0, 0), (1, 2), (1, 1), (2, 1), (2, 0)]
    >>> fitted_grades(pairs, "table")
    {0: 0.0, 1: 1.5, 2: 0.5}
    >>> fitted_grades(pairs, "isotonic")  # 1 and 2 pooled: (1.5·2 + 0.5·2)/4
    {0: 0.0, 1: 1.0, 2: 1.0}
    """
    as_choice(method, "calibrate", METHODS)
    sums: dict[float, tuple[float, int]] = {}
    for machine_grade, human_grade in pairs:
        total, count = sums.get(machine_grade, (0.0, 0))
        sums[machine_grade] = total + human_grade, count + 1
    known = sorted(sums)
    means = [sums[grade][0] / sums[grade][1] for grade in known]
    if method == "isotonic":
        from scipy.optimize import isotonic_regression

        means = isotonic_regression(means, weights=[sums[grade][1] for grade in known]).x.tolist()
    return dict(zip(known, map(float, means), strict=True))


def expected_shares(
    rows: Sequence[tuple[float, float, float]], method: str
) -> dict[float, dict[float, float]]:
    """By machine grade, the share of every human grade to be expected, from rows of machine grade, human grade and weight;
    "isotonic" makes the share of every grade or higher rise with the machine's.

    >>> expected_shares([(0, 0, 1.0), (1, 0, 1.0), (1, 2, 3.0)], "table")
    {0: {0: 1.0, 2: 0.0}, 1: {0: 0.25, 2: 0.75}}
    """
    as_choice(method, "calibrate", METHODS)
    totals: dict[float, float] = {}
    for machine_grade, _, weight in rows:
        totals[machine_grade] = totals.get(machine_grade, 0.0) + weight
    known, grades = sorted(totals), sorted({human_grade for _, human_grade, _ in rows})
    reaching: list[list[float]] = []
    for grade in grades:
        sums = dict.fromkeys(known, 0.0)
        for machine_grade, human_grade, weight in rows:
            sums[machine_grade] += weight * (human_grade >= grade)
        shares = [sums[label] / totals[label] for label in known]
        if method == "isotonic":
            from scipy.optimize import isotonic_regression

            weights = [totals[label] for label in known]
            shares = isotonic_regression(shares, weights=weights).x.tolist()
        reaching.append(shares)
    reaching.append([0.0] * len(known))
    return {
        label: {grade: reaching[row][at] - reaching[row + 1][at] for row, grade in enumerate(grades)}
        for at, label in enumerate(known)
    }
