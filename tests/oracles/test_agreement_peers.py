"""Agreement against SciPy, and Compat against ir_measures."""

from __future__ import annotations

from typing import Any

import ir_measures
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import UTF8_DOCUMENTS, judgments

from idealist import evaluate
from idealist.evaluation.run_agreement import agree


@given(st.permutations(range(12)), st.permutations(range(12)), st.integers(2, 12))
def test_correlations_agree_with_scipy(one: list[int], other: list[int], size: int) -> None:
    one, other = one[:size], other[:size]
    runs = [{"q": {f"d{i}": score for i, score in enumerate(scores)}} for scores in (one, other)]
    result = agree(runs[0], runs[1], ["KendallTau", "Spearman", "WeightedTau"])
    for name, function in [
        ("KendallTau", scipy.stats.kendalltau),
        ("Spearman", scipy.stats.spearmanr),
        ("WeightedTau", scipy.stats.weightedtau),
    ]:
        assert result.value(name, "q") == pytest.approx(function(one, other).statistic, abs=1e-12), name


@given(
    st.dictionaries(
        st.sampled_from(["1", "2", "3"]),
        st.lists(st.sampled_from(UTF8_DOCUMENTS), unique=True, min_size=1),
        min_size=1,
    ),
    judgments(UTF8_DOCUMENTS, smallest=1),
    st.sampled_from([0.5, 0.8, 0.95]),
)
def test_compat_agrees_with_ir_measures(lists: dict[str, list[str]], judged: Any, p: float) -> None:
    # Distinct scores above 0: there ir_measures' ideal, too, is the one nearest to the run.
    run = {query: {d: 1.0 / rank for rank, d in enumerate(docs, 1)} for query, docs in lists.items()}
    judged.setdefault(next(iter(run)), {"d1": 1})
    result = evaluate(judged, run, f"Compat(p={p})")
    for metric in ir_measures.iter_calc([ir_measures.Compat(p=p)], judged, run):
        assert result.value(f"Compat(p={p})", metric.query_id) == pytest.approx(metric.value, abs=1e-12)
