"""`idealist trec-eval` prints what trec_eval prints. Expected text is from the programs of 9.0.4, 9.0.8 and 10.0."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from idealist.cli import main

JUDGMENTS = """\
1 0 a 2
1 0 b 0
1 0 c 1
1 0 d -1
2 0 a 1
2 0 e 0
3 0 f 1
"""
# Equal scores go by id, descending; 16777217 and 16777216 are equal in 32 bits; the last line names the run.
RUN = """\
1 Q0 b 1 3.5 first
1 Q0 a 2 3.5 first
1 Q0 x 3 2 first
1 Q0 c 4 1e0 first
1 Q0 d 5 0.5 first
2 Q0 e 1 9 first
2 Q0 a 2 16777217 first
2 Q0 z 3 16777216 first
9 Q0 a 1 1 tag more columns
"""


class Folder:
    """Two files, and the command on them."""

    def __init__(self, path: Path, capsys: Any) -> None:
        self.path, self.capsys = path, capsys
        self.write("judgments", JUDGMENTS)
        self.write("run", RUN)

    def write(self, name: str, text: str | bytes) -> str:
        path = self.path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    def run(self, options: str, judgments: str = "judgments", run: str = "run") -> tuple[int, str, str]:
        """Exit status, output, and messages, in which files have no folder."""
        files = [str(self.path / judgments), str(self.path / run)]
        code = main(["trec-eval", *options.split(), *files])
        out, err = self.capsys.readouterr()
        return code, out, err.replace(f"{self.path}/", "")

    def table(self, options: str, **files: str) -> list[list[str]]:
        code, out, err = self.run(options, **files)
        assert (code, err) == (0, "")
        return [line.split("\t") for line in out.splitlines()]


@pytest.fixture
def folder(tmp_path: Path, capsys: Any) -> Folder:
    return Folder(tmp_path, capsys)


def test_lines_are_as_trec_eval_prints_them(folder: Folder) -> None:
    code, out, _ = folder.run("-q -m P.5 -m map -m num_ret -m relstring -m runid -m num_q -m gm_map")
    assert code == 0
    assert out == (
        "num_ret               \t1\t5\n"
        "map                   \t1\t0.5000\n"
        "P_5                   \t1\t0.4000\n"
        "relstring             \t1\t'02-1.'\n"
        "num_ret               \t2\t3\n"
        "map                   \t2\t0.5000\n"
        "P_5                   \t2\t0.2000\n"
        "relstring             \t2\t'-10'\n"
        "runid                 \tall\ttag\n"
        "num_q                 \tall\t2\n"
        "num_ret               \tall\t8\n"
        "map                   \tall\t0.5000\n"
        "gm_map                \tall\t0.5000\n"
        "P_5                   \tall\t0.3000\n"
    )


def test_the_official_measures(folder: Folder) -> None:
    rows = folder.table("")
    recalls = [f"iprec_at_recall_{tenth / 10:.2f}" for tenth in range(11)]
    cutoffs = [f"P_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)]
    single = ["runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref"]
    assert [name.strip() for name, _, _ in rows] == [*single, "recip_rank", *recalls, *cutoffs]
    values = {name.strip(): value for name, _, value in rows}
    assert (values["num_rel"], values["bpref"], values["Rprec"]) == ("3", "0.5000", "0.2500")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("-c", {"num_q": "3", "num_ret": "8", "num_rel": "4", "map": "0.3333", "gm_map": "0.0136"}),
        # -c counts what has a grade above 0, whatever the level.
        ("-c -l 2", {"num_q": "3", "num_rel": "4", "num_rel_ret": "1", "map": "0.1667"}),
        ("-l2", {"num_rel": "1", "num_rel_ret": "1", "map": "0.2500"}),
        ("-M 1", {"num_ret": "2", "map": "0.0000", "num_rel_ret": "0"}),
        ("-M3 -J", {"num_ret": "4", "map": "0.6250", "num_rel_ret": "2"}),
        ("-J", {"num_ret": "5", "map": "0.7917", "num_rel_ret": "3"}),
        ("-nqc", {}),
    ],
)
def test_options(folder: Folder, options: str, expected: dict[str, str]) -> None:
    wanted = "-m num_q -m num_ret -m num_rel -m num_rel_ret -m map -m gm_map"
    rows = folder.table(f"{options} {wanted}")
    found = {name.strip(): value for name, query, value in rows if query == "all"}
    assert {name: found.get(name) for name in expected} == expected
    assert bool(found) == ("n" not in options)


def test_long_options_and_their_order(folder: Folder) -> None:
    plain = folder.run("-q -l 2 -m P.5")
    files = [str(folder.path / "judgments"), "--measure=P.5", str(folder.path / "run")]
    assert main(["trec-eval", "9", "--level", "2", *files, "--query"]) == 0
    assert folder.capsys.readouterr().out == plain[1]


def test_parameters_of_the_first_request_count(folder: Folder) -> None:
    assert [row[0].strip() for row in folder.table("-m P.7,3 -m P.10 -m ndcg.1=3,2=9 -m set_F.0.5")] == [
        "P_3",
        "P_7",
        "ndcg_1=3,2=9",
        "set_F_0.5",
    ]


def test_one_query_only(folder: Folder) -> None:
    assert folder.table("-D 1.2 -m map -m num_q") == [
        ["num_q                 ", "all", "1"],
        ["map                   ", "all", "0.5000"],
    ]


def test_standard_scores(folder: Folder) -> None:
    folder.write("scores", "1 map 0.25 0.125\n2 map 0.5 0\n")
    rows = folder.table(f"-q -m map -m P.5 -Z {folder.path}/scores")
    assert rows == [
        ["Zmap                   ", "1", "2.0000"],
        ["ZP_5                   ", "1", "-1000000.0000"],
        ["Zmap                   ", "2", "0.0000"],
        ["ZP_5                   ", "2", "-1000000.0000"],
        ["Zmap                   ", "all", "1.0000"],
        ["ZP_5                   ", "all", "-1000000.0000"],
    ]


@pytest.mark.parametrize("version", ["9", "10"])
def test_standard_scores_of_all_queries(folder: Folder, version: str) -> None:
    # A mean that is not a number is printed without the sign of 0 / 0.
    folder.write("scores", "1 map 0.25 0.125\n2 map nan 1\n3 map 1 0.5\n3 num_rel 3 2\n")
    rows = folder.table(f"{version} -c -q -m map -m num_q -m num_rel -Z {folder.path}/scores")
    found = {(name.strip(), query): value for name, query, value in rows}
    assert found["Zmap", "1"] == "2.0000"
    assert found["Zmap", "2"] == found["Zmap", "all"] == "   nan"
    assert found["Znum_q", "all"] == "3.0000"
    assert found["Znum_rel", "all"] == "4.0000"
    assert found.get(("Zmap", "3")) == ("-2.0000" if version == "10" else None)


def test_numbers_are_read_as_c_reads_them(folder: Folder) -> None:
    folder.write("judgments", "1 0 a 1.9\n1 0 b x\n1 0 c 1e2\n")  # grades 1, 0 and 1
    folder.write("run", "\n 1 Q0 a 1 garbage t\n1 Q0 b 2 0x10 t\n1 Q0 c 3 -inf t\n1 Q0 d 4 1e400 t\n")
    assert folder.table("-q -m relstring -n") == [["relstring             ", "1", "'-011'"]]


def test_nothing_retrieved_has_no_precision(folder: Folder) -> None:
    rows = folder.table("-J -m iprec_at_recall.0,1 -m map", run=folder.write("none", "1 Q0 x 1 1 t\n"))
    assert [value for _, _, value in rows] == ["0.0000", "  -nan", "0.0000"]


@pytest.mark.parametrize(
    ("judgments", "code", "message"),
    [
        ("", 2, "trec_eval.get_qrels: Cannot read qrels file 'judgments'\n"),
        ("1 0 a\n", 2, "trec_eval.get_qrels: Malformed line 1\n"),
        ("1 0 a 1\n\n", 2, "trec_eval.get_qrels: Malformed line 2\n"),
        ("1 0 a 1 x\n", 2, "trec_eval.get_qrels: Malformed line 1\n"),
    ],
)
def test_bad_judgments(folder: Folder, judgments: str, code: int, message: str) -> None:
    folder.write("judgments", judgments)
    assert folder.run("") == (code, "", f"{message}trec_eval: Quit in file 'judgments'\n")


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ("", "trec_eval.get_results: Cannot read results file 'run'\n"),
        ("\n1 Q0 a 1 2 t\n1 Q0 a 1 2\n", "trec_eval.get_results: Malformed line 2\n"),
        ("\n", "trec_eval.get_results: No results in file 'run'\n"),  # trec_eval crashes
    ],
)
def test_bad_runs(folder: Folder, run: str, message: str) -> None:
    folder.write("run", run)
    assert folder.run("") == (2, "", f"{message}trec_eval: Quit in file 'run'\n")


def test_documents_that_are_there_twice(folder: Folder) -> None:
    folder.write("run", RUN + "2 Q0 a 4 0 tag\n")
    message = "trec_eval.form_res_qrels: duplicate docs atrec_eval: Can't calculate measure 'map'\n"
    # What comes before is printed, and nothing is wrong as far as -M looks.
    assert folder.run("-q -m map") == (4, "map                   \t1\t0.5000\n", message)
    assert folder.run("-M 3 -m map")[0] == 0
    assert folder.run("-m num_q")[0] == 0
    folder.write("run", RUN)
    folder.write("judgments", JUDGMENTS + "2 0 e 1\n")
    message = "trec_eval.form_res_rels: duplicate docs e\ntrec_eval: Can't calculate measure 'map'\n"
    assert folder.run("-m map") == (4, "", message)


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ("-m nosuch", 1, "trec_eval: illegal measure 'nosuch'\n"),
        ("-m dcg", 1, "trec_eval: illegal measure 'dcg'\n"),  # only in 10
        ("-m P.", 1, "trec_eval: improper measure in parameter 'P'\ntrec_eval: illegal measure 'P'\n"),
        ("-m P.0", 2, "trec_eval: Negative cutoff detected\ntrec_eval: Cannot initialize measure 'P'\n"),
        ("-m P.2,2", 2, "trec_eval: duplicate cutoffs detected\ntrec_eval: Cannot initialize measure 'P'\n"),
        (
            "-m ndcg.2",
            2,
            "trec_eval: malformed pair parameters in '2'\ntrec_eval: Cannot initialize measure 'ndcg'\n",
        ),
        (
            "-m utility.1,2",
            4,
            "trec_eval.calc_utility: improper number of coefficients\n"
            "trec_eval: Can't calculate measure 'utility'\n",
        ),
        (
            "-m prefs_simp",
            4,
            "trec_eval.form_prefs_info: prefs_info format not (prefs or qrels_prefs) or results format not "
            "trec_results\ntrec_eval: Can't calculate measure 'prefs_simp'\n",
        ),
        ("-R no", 2, "trec_eval: Illegal rel_format 'no'\n"),
        ("-T no", 2, "trec_eval: Illegal retrieval results format 'no'\n"),
        ("-Z none", 255, "trec_eval.get_zscores: Cannot read zscores file 'none'\n"),
        ("-v", 0, "trec_eval version 9.0.8\n"),
    ],
)
def test_refusals(folder: Folder, options: str, code: int, message: str) -> None:
    assert folder.run(options) == (code, "", message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-z"], "trec_eval: invalid option -- 'z'\n"),
        (["-ql"], "trec_eval: option requires an argument -- 'l'\n"),
        (["--no-such"], "trec_eval: unrecognized option '--no-such'\n"),
        (
            ["--Re", "qrels"],
            "trec_eval: option '--Re' is ambiguous; possibilities: '--Rel_info_format' '--Results_format'\n",
        ),
        (["--help=1"], "trec_eval: option '--help' doesn't allow an argument\n"),
        (["--measure"], "trec_eval: option '--measure' requires an argument\n"),
        (["only one file"], ""),
    ],
)
def test_wrong_usage(folder: Folder, arguments: list[str], message: str) -> None:
    assert main(["trec-eval", *arguments]) == 1
    out, err = folder.capsys.readouterr()
    assert out == ""
    assert err.startswith(f"{message}Usage: ")


def test_no_query_in_both(folder: Folder) -> None:
    other = folder.write("other", "x Q0 a 1 1 t\n")
    message = "trec_eval: No queries with both results and relevance info\n"
    assert folder.run("", run=other) == (7, "", message)
    assert folder.run("-c", run=other) == (7, "", message)


def test_help_names_every_measure(folder: Folder) -> None:
    from idealist.drop_ins.trec_eval.measure_catalogue import supported_measures

    assert main(["trec-eval", "-h"]) == 0
    shown = folder.capsys.readouterr().out
    assert set(supported_measures()) <= set(shown.split())
    assert "  idealist trec-eval -q -m ndcg_cut.10 -m map robust.qrels bm25.run\n" in shown
    assert main(["trec-eval", "10", "-h", "-m", "all_trec"]) == 0
    shown = folder.capsys.readouterr().out
    assert "rbp_resid" in shown
    assert ">>>" not in shown  # what the measures are, without their examples


def test_gzip_is_read(folder: Folder) -> None:
    run = folder.write("run.gz", gzip.compress(RUN.encode()))
    judgments = folder.write("judgments.gz", gzip.compress(JUDGMENTS.encode()))
    assert folder.run("-q", judgments=judgments, run=run) == folder.run("-q")


def test_only_negative_grades_are_no_crash(folder: Folder) -> None:
    # trec_eval 9 leaves with status 4 if such a query comes first, and has what the query before it had if not.
    folder.write("judgments", "1 0 a -1\n1 0 x -2\n")
    assert [row[2] for row in folder.table("-m ndcg -m map -m bpref -l 9")] == ["0.0000"] * 3


@pytest.mark.parametrize("number", ["inf", "-inf", "nan", "1e300", "-1e300", "99999999999999999999", "0x7p3"])
def test_no_parameter_is_a_crash(folder: Folder, number: str) -> None:
    names = ["P", "recall", "ndcg_cut", "iprec_at_recall", "Rprec_mult", "11pt_avg", "set_F", "relstring"]
    names += [
        f"utility.1,2,{number}",
        f"ndcg.1={number},2=1",
        f"G.1={number}",
        f"Rndcg.1={number}",
        "success",
    ]
    for name in names:
        for version in ("9", "10"):
            code, _, _ = folder.run(f"{version} -cq -m {name if '.' in name else f'{name}.{number}'}")
            assert code in (0, 2, 4)
    for option in ("-l", "-M", "-N"):
        assert folder.run(f"-q -m all_trec {option} {number}")[0] == 0


class TestVersion10:
    def test_scores_are_doubles(self, folder: Folder) -> None:
        assert folder.table("10 -c -q -n -m relstring")[1] == ["relstring             ", "2", "'1-0'"]

    def test_a_judged_query_must_have_results(self, folder: Folder) -> None:
        code, out, err = folder.run("10 -q -m map")
        assert (code, out) == (4, "map                   \t1\t0.5000\nmap                   \t2\t1.0000\n")
        assert "query '3' has judgments but no results" in err

    def test_missing_queries_are_printed(self, folder: Folder) -> None:
        rows = folder.table(
            "10 -c -q -m num_ret -m num_rel -m relstring -m utility -m unj.5 -m iprec_at_recall.0"
        )
        assert [row[2] for row in rows if row[1] == "3"] == ["0", "1", "0.0000", "''", "0.0000", "0.0000"]

    def test_the_placeholder_of_a_missing_query(self, folder: Folder) -> None:
        # trec_eval 10 gives it one unjudged document, and takes that back for measures without parameters.
        asked = "-m relstring.5 -m utility.1,-1,0,0 -m rbp_resid.p=0.5 -m iprec_at_recall.0"

        def values(options: str) -> list[str]:
            return [row[2] for row in folder.table(f"10 -c -q -n {options} {asked}") if row[1] == "3"]

        assert values("") == ["0.0000", "'-'", "-1.0000", "1.0000"]
        assert values("-J") == ["  -nan", "''", "0.0000", "0.0000"]
        assert values("-M 0") == ["  -nan", "''", "0.0000", "0.0000"]
        plain = folder.table("10 -c -q -n -D 0.3 -m relstring -m utility -m rbp_resid")
        assert [row[2] for row in plain] == ["''", "0.0000", "0.0000"]

    def test_complete_averages_are_over_all_judged_queries(self, folder: Folder) -> None:
        # The AP of query 1 is 0.5, and there are three; 4 documents have a grade above 0, whatever the level.
        rows = folder.table("10 -c -D 0.1 -m num_q -m map")
        assert [row[2] for row in rows] == ["3", f"{0.5 / 3:.4f}"]
        assert folder.table("10 -c -l 2 -m num_rel")[0][2] == "4"

    def test_new_measures(self, folder: Folder) -> None:
        names = ["dcg", "ideal_dcg", "rbp.p=0.5", "rbp_resid.p=0.5", "unj.5"]
        rows = folder.table("10 -D 1.1 " + " ".join(f"-m {name}" for name in names))
        # Grades 0, 2, none, 1, negative: gains of rbp are halves of grades.
        assert {name.strip(): value for name, _, value in rows} == {
            "dcg": f"{2 / 1.5849625007211562 + 1 / 2.321928094887362:.4f}",
            "ideal_dcg": f"{2 + 1 / 1.5849625007211562:.4f}",
            "rbp_p=0.5": f"{0.5 * (0.5 + 0.5 / 8):.4f}",
            "rbp_resid_p=0.5": f"{1 / 32 + 0.5 * (1 / 4 + 1 / 16):.4f}",
            "unj_5": "0.4000",
        }

    def test_comments_and_standard_input(self, folder: Folder, monkeypatch: Any) -> None:
        expected = folder.run("10 -c")
        folder.write("judgments", f"# one\n# two\n{JUDGMENTS}# last\n")
        commented = f"# a run\n# by me\n{RUN}# the end\n"
        folder.write("run", commented)
        assert folder.run("10 -c") == expected
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(commented.encode())))
        assert main(["trec-eval", "10", "-c", str(folder.path / "judgments"), "-"]) == 0
        assert folder.capsys.readouterr().out == expected[1]
        assert folder.run("-c")[0] == 2  # 9 knows no comments

    def test_recall_is_cut_to_the_nearest(self, folder: Folder) -> None:
        folder.write("judgments", "".join(f"1 0 d{i} 1\n" for i in range(4)))
        folder.write("run", "1 Q0 d0 1 3 t\n1 Q0 x 2 2 t\n1 Q0 d1 3 1 t\n")
        # 0.3 · 4 = 1.2: one document in 10, two in 9.
        assert folder.table("-m iprec_at_recall.0.3")[0][2] == "0.6667"
        assert folder.table("10 -m iprec_at_recall.0.3")[0][2] == "1.0000"


def test_ids_go_out_as_they_came_in(tmp_path: Path) -> None:
    """Whatever the terminal's encoding: the bytes of the file."""
    judged, run = tmp_path / "judged", tmp_path / "run"
    judged.write_bytes("é 0 d 1\n".encode() + b"\xff 0 d 1\n")
    run.write_bytes("é Q0 d 1 1 t\n".encode() + b"\xff Q0 d 1 1 t\n")
    done = subprocess.run(
        [sys.executable, "-m", "idealist", "trec-eval", "-q", "-m", "map", judged, run],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "latin-1"},
        check=True,
    )
    assert [line.split(b"\t")[1] for line in done.stdout.splitlines()] == ["é".encode(), b"\xff", b"all"]


def test_numbers_of_many_digits(tmp_path: Path) -> None:
    judged, run = tmp_path / "judged", tmp_path / "run"
    judged.write_text("q 0 d 1\n")
    run.write_text("q Q0 d 1 1 t\n")
    for option in (["-M", "9" * 5000], ["-N", "9" * 5000], ["-m", "P." + "9" * 5000]):
        done = subprocess.run(
            [sys.executable, "-m", "idealist", "trec-eval", *option, str(judged), str(run)],
            capture_output=True,
            text=True,
        )
        assert (done.returncode, "Traceback" in done.stderr) == (0, False), option


def test_documents_at_one_level_in_a_subgroup_may_be_preferred_in_another(tmp_path: Path) -> None:
    # trec_eval 9.0.4 prints 1.0000.
    judged, run = tmp_path / "judged", tmp_path / "run"
    judged.write_text("1 0 0 a 1\n1 0 0 b 1\n1 0 1 a 2\n1 0 1 b 1\n")
    run.write_text("1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n")
    done = subprocess.run(
        [sys.executable, "-m", "idealist", "trec-eval", "-R", "prefs", "-m", "prefs_simp", judged, run],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "prefs_simp            \tall\t1.0000\n"
