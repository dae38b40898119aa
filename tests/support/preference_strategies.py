"""Made-up preferences in which no group contradicts itself."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

Subgroups = dict[str, dict[str, float]]


@st.composite
def subgroups(draw: st.DrawFn, documents: list[str], lowest: int = 0) -> Subgroups:
    """One group's: every document has a worth, and levels go with it in each subgroup in another way."""
    worth = draw(st.dictionaries(st.sampled_from(documents), st.integers(lowest, 4), min_size=1, max_size=9))
    names = draw(st.lists(st.sampled_from(["0", "s1", "s2", "ß"]), min_size=1, max_size=4, unique=True))
    made: Subgroups = {}
    for name in names:
        members = draw(st.lists(st.sampled_from(sorted(worth)), min_size=1, unique=True))
        scale, lift = draw(st.sampled_from([0.5, 1.0, 3.0])), draw(st.sampled_from([0.0, 2.0]))
        made[name] = {
            member: scale * worth[member] + (lift if worth[member] > 0 else 0.0) for member in members
        }
    return made


def groups(documents: list[str], lowest: int = 0) -> st.SearchStrategy[dict[str, Subgroups]]:
    names = st.sampled_from(["ann", "bob", "10", "ü"])
    return st.dictionaries(names, subgroups(documents, lowest), min_size=1)


def preferences(
    queries: list[str], documents: list[str], lowest: int = 0
) -> st.SearchStrategy[dict[str, dict[str, Any]]]:
    return st.dictionaries(st.sampled_from(queries), groups(documents, lowest), min_size=1, max_size=3)
