"""What the command prints, beside what trec_eval 9.0.8 computes: it is inside pytrec_eval."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Any

import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st
from support import preference_strategies, trec_eval_library
from support.preference_strategies import Subgroups
from support.strategies import SCORES, UTF8_DOCUMENTS, judgments, runs

from idealist.drop_ins.trec_eval.measure_catalogue import supported_measures, supported_nicknames
from idealist.drop_ins.trec_eval.program import run as run_command

NOT_IN_PYTREC_EVAL = {"runid", "relstring", "num_q", "yaap"}
PREFERENCES = [name for name in supported_nicknames()["all_prefs"] if name not in ("runid", "num_q")]
GROUPS = ["map_avgjg", "P_avgjg", "Rprec_mult_avgjg"]
PLAIN = [
    name
    for name in supported_measures()
    if name not in NOT_IN_PYTREC_EVAL and not name.startswith(("prefs_", "gm_")) and name not in GROUPS
]
documents = st.sampled_from(UTF8_DOCUMENTS)
grouped = st.dictionaries(
    st.sampled_from(["ann", "bob", "10", "ü"]),
    st.dictionaries(documents, st.integers(-2, 4), min_size=1),
    min_size=1,
)
lists = st.dictionaries(documents, SCORES, min_size=1)


def printed(value: float, name: str) -> str:
    counts = name.startswith(("num_", "prefs_num_"))
    return f"{value:.0f}" if counts else f"{value:6.4f}"


def values_printed(folder: Path, options: list[str], judged: str, run: str) -> dict[str, dict[str, str]]:
    """What the command prints for each query and column."""
    (folder / "judged").write_text(judged)
    (folder / "run").write_text(run)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = run_command([*options, str(folder / "judged"), str(folder / "run")])
    assert code == 0
    values: dict[str, dict[str, str]] = {}
    for line in out.getvalue().splitlines():
        name, query, value = line.split("\t")
        values.setdefault(query, {})[name.strip()] = value
    return values


def run_text(run: dict[str, dict[str, float]]) -> str:
    return "".join(f"{q} Q0 {d} 0 {score!r} t\n" for q, found in run.items() for d, score in found.items())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: Any) -> Any:
    return tmp_path_factory.mktemp("trec_eval")


@given(
    run=runs(UTF8_DOCUMENTS, smallest=1),
    judged=judgments(UTF8_DOCUMENTS, smallest=1),
    level=st.integers(1, 2),
)
@settings(max_examples=200)
def test_plain_judgments(folder: Path, run: Any, judged: Any, level: int) -> None:
    # Nothing of grade 0 makes pytrec_eval hang, and nothing of the level makes its bpref read foreign memory.
    least = 0 if level == 1 else level
    judged = {query: grades for query, grades in judged.items() if max(grades.values()) >= least}
    if not set(run) & set(judged):
        return
    theirs = pytrec_eval.RelevanceEvaluator(judged, PLAIN, relevance_level=level).evaluate(run)
    lines = "".join(f"{q} 0 {d} {grade}\n" for q, grades in judged.items() for d, grade in grades.items())
    options = ["-qn", f"-l{level}", *(f"-m{name}" for name in PLAIN)]
    ours = values_printed(folder, options, lines, run_text(run))
    assert ours == {
        query: {name: printed(value, name) for name, value in values.items()}
        for query, values in theirs.items()
    }


@pytest.mark.skipif(not trec_eval_library.has_formats(), reason="this build hides them")
class TestOtherFormats:
    @given(run=lists, groups=preference_strategies.groups(UTF8_DOCUMENTS))
    def test_preferences(self, folder: Path, run: dict[str, float], groups: dict[str, Subgroups]) -> None:
        rows: trec_eval_library.Rows = [
            (group, subgroup, document, repr(level))
            for group, subgroups in groups.items()
            for subgroup, levels in subgroups.items()
            for document, level in levels.items()
        ]
        self.agree(folder, "prefs", rows, run, PREFERENCES)

    @given(run=lists, groups=grouped)
    def test_preferences_that_follow_from_grades(self, folder: Path, run: Any, groups: Any) -> None:
        # Levels below 0 make trec_eval read beyond the last class of documents.
        self.agree(folder, "qrels_prefs", self.rows(groups, least=0), run, PREFERENCES)

    @given(run=lists, groups=grouped, judged_only=st.booleans())
    def test_groups(self, folder: Path, run: Any, groups: Any, judged_only: bool) -> None:
        self.agree(folder, "qrels_jg", self.rows(groups, least=-2), run, GROUPS, judged_only=judged_only)

    @staticmethod
    def rows(groups: Any, least: int) -> trec_eval_library.Rows:
        return [(g, d, str(max(x, least))) for g, grades in groups.items() for d, x in grades.items()]

    @staticmethod
    def agree(
        folder: Path,
        form: str,
        rows: trec_eval_library.Rows,
        run: dict[str, float],
        names: list[str],
        judged_only: bool = False,
    ) -> None:
        theirs = trec_eval_library.values(form, rows, run, names, folder, judged_only=judged_only)
        judged = "".join(f"q {' '.join(row)}\n" for row in rows)
        options = ["-qn", "-R", form, *(f"-m{name}" for name in names), *(["-J"] if judged_only else [])]
        ours = values_printed(folder, options, judged, run_text({"q": run}))
        assert ours == {"q": {name: printed(value, name) for name, value in theirs.items()}}


def test_shares_of_pairs_are_added_by_rank(folder: Path) -> None:
    """Thirds and halves of three groups: in another order their sum may print otherwise."""
    groups = {
        "ann": {"9": 0, "D1": 3, "u": 2, "10": 0, "d1": 1, "d-1": 3, "e": 0, "d2": 2},
        "bob": {"10": 2, "D1": 3, "u": 1, "9": 0, "d1": 1, "d-1": 3, "z": 0, "e": 0, "d2": 1},
        "10": {"u": 0, "d1": 0, "d2": 1, "9": 2, "10": 2},
    }
    rows: trec_eval_library.Rows = [(g, d, str(x)) for g, grades in groups.items() for d, x in grades.items()]
    names = ["prefs_pair", "prefs_pair_ret", "prefs_pair_imp"]
    for last in range(1, 10):
        run = {
            name: float(-at)
            for at, name in enumerate(["e", "9", "u", "10", "d1", "z", "d2", "D1", "d-1"][:last])
        }
        if trec_eval_library.has_formats():
            TestOtherFormats.agree(folder, "qrels_prefs", rows, run, names)


def test_prefs_avgjg_rnonrel_is_as_the_program_has_it(folder: Path) -> None:
    """One relevant document and two others, in the best order: 1 of 3, where our own measure has 1."""
    options = ["-qn", "-R", "qrels_prefs", "-m", "prefs_avgjg_Rnonrel"]
    run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    ours = values_printed(folder, options, "q 0 a 1\nq 0 b 0\nq 0 c 0\n", run_text(run))
    assert ours == {"q": {"prefs_avgjg_Rnonrel": "0.3333"}}


def test_robust_2003(robust: Any, folder: Path) -> None:
    """Whole runs, every measure: also the means, each the sum from left to right, divided once."""
    import gzip

    lines = gzip.decompress((robust / "qrels.gz").read_bytes()).decode()
    judged = pytrec_eval.parse_qrel(lines.splitlines())
    for path in sorted(robust.glob("*.run.gz")):
        text = gzip.decompress(path.read_bytes()).decode()
        theirs = pytrec_eval.RelevanceEvaluator(judged, PLAIN).evaluate(
            pytrec_eval.parse_run(text.splitlines())
        )
        ours = values_printed(folder, ["-q", *(f"-m{name}" for name in PLAIN)], lines, text)
        means: dict[str, str] = {}
        for name in next(iter(theirs.values())):
            added = 0.0
            for query in sorted(theirs):
                added += theirs[query][name]
            means[name] = printed(added if name.startswith("num_") else added / len(theirs), name)
        assert ours.pop("all") == means
        assert ours == {
            query: {name: printed(value, name) for name, value in values.items()}
            for query, values in theirs.items()
        }
