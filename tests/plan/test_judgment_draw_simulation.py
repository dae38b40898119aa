"""Drawing documents, judging them and measuring: right in the mean, with intervals that cover."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.rag24 import noisy_ranking, shared_grades

import idealist as il
from idealist.plan import draw_judgments

pytestmark = pytest.mark.slow


def test_the_way_from_a_draw_to_a_difference_is_unbiased(rag24: Path) -> None:
    """300 of 700 to 800 documents among the first ten of two systems, 60 draws: the mean of the estimated differences is
    the true one, within three standard errors; that of an even draw of as many is, too."""
    human, machine = shared_grades(rag24)
    runs = {"people": noisy_ranking(human, 2.0, 1), "imitator": noisy_ranking(machine, 1.0, 3)}
    some = dict(list(human.items())[:8])  # people judged eight queries before: spreads come from them
    later = {query: documents for query, documents in human.items() if query not in some}
    runs = {name: {query: run[query] for query in later} for name, run in runs.items()}
    measures = ("DCG@10", "P@10")
    truth = il.compare(later, runs, measures)
    rng = np.random.default_rng(0)
    differences: dict[str, list[float]] = {measure: [] for measure in measures}
    even: dict[str, list[float]] = {measure: [] for measure in measures}
    for seed in range(60):
        draw = draw_judgments(runs, machine, 300, judged=some, seed=seed)
        assert all(document.grade is None for document in draw)
        pool = [(d.query, d.document) for d in draw_judgments(runs, machine, 10_000)]
        chosen = rng.choice(len(pool), 300, replace=False)
        evenly: dict[str, dict[str, tuple[float, float]]] = {}
        for at in chosen:
            query, document = pool[at]
            evenly.setdefault(query, {})[document] = human[query][document], 300 / len(pool)
        for drawn, estimates in ((draw.graded(later), differences), (il.data.DrawnJudgments(evenly), even)):
            result = il.evaluate(drawn, runs, measures, machine={q: machine[q] for q in later})
            for measure in measures:
                estimates[measure].append(result.mean(measure, "imitator") - result.mean(measure, "people"))
    for measure in measures:
        true = truth["imitator", measure].difference
        error = np.std(differences[measure], ddof=1)
        assert abs(np.mean(differences[measure]) - true) <= 3 * error / np.sqrt(60)
        assert abs(np.mean(even[measure]) - true) <= 3 * np.std(even[measure], ddof=1) / np.sqrt(60)


def test_intervals_of_drawn_documents_cover(rag24: Path) -> None:
    """Queries drawn with replacement, and of each ten documents of the pool: the interval covers the value over all."""
    human, machine = shared_grades(rag24)
    runs = {"people": noisy_ranking(human, 2.0, 1), "imitator": noisy_ranking(machine, 1.0, 3)}
    tops = {
        query: sorted({d for run in runs.values() for d in sorted(run[query], key=run[query].get)[-10:]})  # type: ignore[arg-type]
        for query in human
    }
    measures = ("DCG@10", "P@10")
    truth = il.compare(human, runs, measures)
    rng = np.random.default_rng(1)
    names, trials = list(human), 120
    covered = dict.fromkeys(measures, 0)
    for _ in range(trials):
        again = {f"q{i:02}": names[at] for i, at in enumerate(rng.integers(0, len(names), len(names)))}
        drawn = {
            new: {d: (human[old][d], 10 / len(tops[old])) for d in rng.choice(tops[old], 10, replace=False)}
            for new, old in again.items()
        }
        result = il.evaluate(
            il.data.DrawnJudgments(drawn),
            {name: {new: run[old] for new, old in again.items()} for name, run in runs.items()},
            measures,
            machine={new: machine[old] for new, old in again.items()},
        )
        assert result.machine is not None
        for measure in result.measures:
            estimate = result.machine.estimate(result, measure, ("people", "imitator"), 0.95)
            assert estimate is not None
            assert estimate.interval is not None
            covered[str(measure)] += truth["imitator", str(measure)].difference in estimate.interval
    # 120 trials of 95 %: fewer than 107 or so would be a sign of a wrong interval.
    assert all(count >= 107 for count in covered.values()), covered


def test_strata_take_less_variance_than_an_even_draw(rag24: Path) -> None:
    """Exact, from the grades of all documents: the variance that drawing 300 of them adds to the difference in DCG@10, by
    strata, over that of an even draw; and that the error which is printed beforehand is the true one."""
    human, machine = shared_grades(rag24)
    some = dict(list(human.items())[:8])
    later = [query for query in human if query not in some]
    scores = {"people": noisy_ranking(human, 2.0, 1), "imitator": noisy_ranking(machine, 1.0, 3)}
    runs = {name: {query: run[query] for query in later} for name, run in scores.items()}
    pairs = [(machine[q][d], human[q][d]) for q in later for d in human[q]]
    expected = {label: np.mean([y for m, y in pairs if m == label]) for label in range(4)}
    weights = {
        name: {
            query: {d: 1 / np.log2(r + 2) for r, d in enumerate(sorted(s, key=s.__getitem__)[:-11:-1])}
            for query, s in run.items()
        }
        for name, run in runs.items()
    }

    def moved(query: str, document: str) -> float:
        before, after = (weights[name][query].get(document, 0.0) for name in ("people", "imitator"))
        return float((after - before) * (human[query][document] - expected[int(machine[query][document])]))

    everything = list(draw_judgments(runs, machine, 10_000, judged=some))
    draw = draw_judgments(runs, machine, 300, judged=some)
    moves = np.array([moved(d.query, d.document) for d in everything])
    even = len(moves) ** 2 * (1 - 300 / len(moves)) * moves.var(ddof=1) / 300
    stratified = 0.0
    for stratum in draw.strata:
        of = np.array([m for m, d in zip(moves, everything, strict=True) if d.stratum == stratum.stratum])
        assert len(of) == stratum.documents
        stratified += stratum.documents**2 * (1 - stratum.probability) * of.var(ddof=1) / stratum.drawn
    assert stratified / even < 0.75
    assert draw.errors[300] == pytest.approx(np.sqrt(stratified) / len(later), rel=0.05)
