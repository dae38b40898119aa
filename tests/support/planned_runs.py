"""Small runs and judgments for the tests of plans, and the Robust runs cut off at a depth."""

from __future__ import annotations

from pathlib import Path

from hypothesis import strategies as st

from idealist import Run, read_run

DOCUMENTS = st.permutations(list("abcdef")).flatmap(
    lambda order: st.integers(0, 6).map(lambda n: {doc: float(-at) for at, doc in enumerate(order[:n])})
)
RUNS = st.fixed_dictionaries({"q1": DOCUMENTS, "q2": DOCUMENTS})
JUDGED = st.dictionaries(
    st.sampled_from(["q1", "q2"]), st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 1), min_size=1)
)


def cut_runs(folder: Path, k: int) -> dict[str, Run]:
    """The runs of a folder, the first k documents of each query."""
    runs = {}
    for path in sorted(folder.glob("*.run.gz")):
        whole = read_run(path)
        cut = {query: {doc: -float(at) for at, doc in enumerate(whole.ranking(query)[:k])} for query in whole}
        runs[whole.name] = Run(cut, name=whole.name)
    return runs
