"""Judgment groups and preferences against trec_eval 9, which is inside pytrec_eval."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import preference_strategies, trec_eval_library
from support.preference_strategies import Subgroups
from support.strategies import SCORES, UTF8_DOCUMENTS

from idealist import Conventions, evaluate
from idealist.data import GroupedJudgments
from idealist.data.preferences import Preferences

pytestmark = pytest.mark.skipif(not trec_eval_library.has_formats(), reason="this build hides them")

PREFERENCES = [
    "prefs_simp", "prefs_simp_ret", "prefs_simp_imp", "prefs_pair", "prefs_pair_ret", "prefs_pair_imp",
    "prefs_avgjg", "prefs_avgjg_ret", "prefs_avgjg_imp", "prefs_num_prefs_poss", "prefs_num_prefs_ful",
    "prefs_num_prefs_ful_ret",
]  # fmt: skip
MULTIPLES = [0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0]
GROUPS = {
    "map_avgjg": "map_avgjg",
    **{f"P_avgjg_{k}": f"P_avgjg_{k}" for k in (5, 10, 30)},
    **{f"Rprec_mult_avgjg_{m:.2f}": f"Rprec_mult_avgjg(multiple={m})" for m in MULTIPLES},
}
# Where scores are equal, trec_eval has the smaller id first for preferences.
ASCENDING = Conventions(ties="id-ascending")

runs = st.dictionaries(st.sampled_from(UTF8_DOCUMENTS), SCORES, min_size=1)
group_names = st.sampled_from(["ann", "bob", "10", "ü"])
grouped = st.dictionaries(
    group_names,
    st.dictionaries(st.sampled_from(UTF8_DOCUMENTS), st.integers(-2, 4), min_size=1),
    min_size=1,
)


def rows(groups: dict[str, Subgroups]) -> trec_eval_library.Rows:
    return [
        (group, subgroup, document, repr(level))
        for group, subgroups in groups.items()
        for subgroup, documents in subgroups.items()
        for document, level in documents.items()
    ]


def defined(measure: str, run: dict[str, float], subgroups: Subgroups) -> bool:
    """Whether the measure has a value that no convention gave it."""
    judged = Preferences({"q": {"g": subgroups}})
    zero, one = (
        evaluate(judged, {"q": run}, measure, conventions=ASCENDING.replace(empty=empty)).mean(measure)
        for empty in ("zero", "one")
    )
    return zero == one


@pytest.fixture(scope="module")
def folder(tmp_path_factory: Any) -> Any:
    return tmp_path_factory.mktemp("trec_eval")


@given(run=runs, groups=preference_strategies.groups(UTF8_DOCUMENTS, lowest=-1))
def test_preferences(folder: Path, run: dict[str, float], groups: dict[str, Subgroups]) -> None:
    theirs = trec_eval_library.values("prefs", rows(groups), run, PREFERENCES, folder)
    ours = evaluate(Preferences({"q": groups}), {"q": run}, PREFERENCES, conventions=ASCENDING)
    for name in PREFERENCES:
        assert ours.value(name, "q") == pytest.approx(theirs[name], abs=1e-12), name


@given(run=runs, grades=grouped)
def test_preferences_that_follow_from_grades(folder: Path, run: Any, grades: Any) -> None:
    groups = {group: {"0": documents} for group, documents in grades.items()}
    without: trec_eval_library.Rows = [(group, document, level) for group, _, document, level in rows(groups)]
    theirs = trec_eval_library.values("qrels_prefs", without, run, PREFERENCES, folder)
    ours = evaluate(Preferences({"q": groups}), {"q": run}, PREFERENCES, conventions=ASCENDING)
    for name in PREFERENCES:
        assert ours.value(name, "q") == pytest.approx(theirs[name], abs=1e-12), name


@given(run=runs, groups=preference_strategies.groups(UTF8_DOCUMENTS))
def test_balanced_preferences(folder: Path, run: dict[str, float], groups: dict[str, Subgroups]) -> None:
    """Where trec_eval's program does what its description says."""
    names = []
    for name, all_retrieved in (("prefs_avgjg_Rnonrel", False), ("prefs_avgjg_Rnonrel_ret", True)):
        fine = True
        for subgroups in groups.values():
            level = {d: x for documents in subgroups.values() for d, x in documents.items()}
            relevant = {d for d in level if level[d] > 0}
            others = [d for d in level if level[d] <= 0 and (not all_retrieved or d in run)]
            fine &= len(relevant) > 0 and (len(subgroups) > 1 or len(relevant) >= len(others))
            fine &= not all_retrieved or relevant <= set(run)
            fine &= defined(name, run, subgroups)  # else it is nan there, and then the query 0
        names += [name] if fine else []
    theirs = trec_eval_library.values("prefs", rows(groups), run, names, folder)
    if names:
        ours = evaluate(Preferences({"q": groups}), {"q": run}, names, conventions=ASCENDING)
        for name in names:
            assert ours.value(name, "q") == pytest.approx(theirs[name], abs=1e-12), name


@given(run=runs, groups=grouped, judged_only=st.booleans())
def test_judgment_groups(folder: Path, run: Any, groups: Any, judged_only: bool) -> None:
    judged: trec_eval_library.Rows = [
        (g, document, str(x)) for g, documents in groups.items() for document, x in documents.items()
    ]
    names = ["map_avgjg", "P_avgjg", "Rprec_mult_avgjg"]
    theirs = trec_eval_library.values("qrels_jg", judged, run, names, folder, judged_only=judged_only)
    conventions = Conventions(unjudged="removed", negative="unjudged") if judged_only else Conventions()
    ours = evaluate(GroupedJudgments({"q": groups}), {"q": run}, GROUPS.values(), conventions=conventions)
    for name, text in GROUPS.items():
        assert ours.value(text, "q") == pytest.approx(theirs[name], abs=1e-12), name


def test_worked_values() -> None:
    # trec_eval 9.0.8 prints these for two people and the run a, c, b.
    groups: dict[str, Subgroups] = {
        "ann": {"1": {"a": 3, "b": 2, "c": 0}, "2": {"b": 2, "d": 1}},
        "bob": {"1": {"c": 1, "a": 0, "e": 0}},
    }
    printed = {
        "prefs_simp": "0.7143",
        "prefs_simp_ret": "0.5000",
        "prefs_simp_imp": "0.7143",
        "prefs_pair": "0.7500",
        "prefs_pair_ret": "0.5000",
        "prefs_pair_imp": "0.7500",
        "prefs_avgjg": "0.6500",
        "prefs_avgjg_ret": "0.3333",
        "prefs_avgjg_imp": "0.6500",
        "prefs_num_prefs_poss": "7.0000",
        "prefs_num_prefs_ful": "5.0000",
        "prefs_num_prefs_ful_ret": "2.0000",
    }
    run = {"q": {"a": 3.0, "c": 2.0, "b": 1.0}}
    result = evaluate(Preferences({"q": groups}), run, PREFERENCES)
    assert {name: f"{result.value(name, 'q'):.4f}" for name in PREFERENCES} == printed


def test_a_defect_that_is_not_copied(folder: Path) -> None:
    """With more documents that are not relevant than R, trec_eval also compares these with each other: the
    best order of one relevant document and two others gets 1 of 3."""
    groups: dict[str, Subgroups] = {"ann": {"0": {"a": 1, "b": 0, "c": 0}}}
    run = {"a": 3.0, "b": 2.0, "c": 1.0}
    names = ["prefs_avgjg_Rnonrel", "prefs_avgjg_Rnonrel_ret"]
    theirs = trec_eval_library.values("prefs", rows(groups), run, names, folder)
    ours = evaluate(Preferences({"q": groups}), {"q": run}, names)
    for name in names:
        assert theirs[name] == pytest.approx(1 / 3)
        assert ours.value(name, "q") == 1
