"""idealist gate as a CI step meets it."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from idealist import InputError, read_judgments, read_run
from idealist.cli.gate_file import KEYS, read_gate
from idealist.comparison.comparing import compare
from idealist.projects.settings import GUARDS
from idealist.votes.voting import gsb

VOTES = "query,vote,rater,side\n"


def rules(folder: Path, text: str, name: str = "gate.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def compare_rules(shop: Path, **more: object) -> str:
    """A gate in which b takes a's place, or as `more` says."""
    given: dict[str, object] = {
        "judgments": str(shop / "shop.qrels"),
        "baseline": str(shop / "a.run"),
        "candidate": str(shop / "b.run"),
    }
    return "".join(f"{key} = {json.dumps(value)}\n" for key, value in (given | more).items())


def votes_file(folder: Path, good: int, same: int, bad: int) -> Path:
    words = ["good"] * good + ["same"] * same + ["bad"] * bad
    path = folder / "votes.csv"
    path.write_text("query,vote\n" + "".join(f"q{at},{word}\n" for at, word in enumerate(words)))
    return path


def test_the_example(idealist: Any, shop: Path) -> None:
    done = idealist("gate", shop / "gate.toml")
    contrast = compare(
        read_judgments(shop / "shop.qrels"), [read_run(shop / "a.run"), read_run(shop / "b.run")], "nDCG@10"
    )["b", "nDCG@10"]
    lines = done.stdout.splitlines()
    assert "failure of up to 8.81 % of queries could be missing" in lines[6]  # 1 − .025^(1/40)
    assert lines[7] == f"nDCG@10 on 40 queries: a {contrast.baseline_value:.4f}, b {contrast.value:.4f}"
    assert lines[0].startswith("UNDECIDED: better, but equally judged failed (difference 0.1888")
    assert done.returncode == 3
    assert [line.split()[0] for line in lines[1:6]] == ["passed", "cannot", "FAILED", "passed", "passed"]


@pytest.mark.parametrize("tests", ["wilcoxon,t", ["wilcoxon", "t"]])
def test_tests_are_shown(idealist: Any, shop: Path, tmp_path: Path, tests: object) -> None:
    """As text or as a list, beside the values that they are of."""
    path = rules(tmp_path, compare_rules(shop, tests=tests))
    contrast = compare(
        shop / "shop.qrels", [shop / "a.run", shop / "b.run"], "nDCG@10", tests=["wilcoxon", "t"]
    )["b", "nDCG@10"]
    record = json.loads(idealist("gate", path, "--format", "json").stdout)
    assert record["parts"][0]["tests"] == {
        "wilcoxon": contrast.p_wilcoxon,
        "t": contrast.significance("t").p_value,
    }
    assert idealist("gate", path).stdout.splitlines()[-1].endswith("; p (wilcoxon) <0.0001; p (t) <0.0001")


def test_a_test_that_is_none(idealist: Any, shop: Path, tmp_path: Path) -> None:
    done = idealist("gate", rules(tmp_path, compare_rules(shop, tests=["t", "luck"])))
    assert done.returncode == 2
    assert "gate.toml, line 4: there is no test 'luck'" in done.stderr


@pytest.mark.parametrize(
    ("baseline", "candidate", "code", "word"), [("a", "b", 0, "SHIP: better"), ("b", "a", 1, "BLOCK: worse")]
)
def test_exit_codes(
    idealist: Any, shop: Path, tmp_path: Path, baseline: str, candidate: str, code: int, word: str
) -> None:
    text = compare_rules(
        shop, baseline=str(shop / f"{baseline}.run"), candidate=str(shop / f"{candidate}.run")
    )
    done = idealist("gate", rules(tmp_path, text + "guards.judged = false\n"))
    assert (done.returncode, word in done.stdout) == (code, True), done.stdout + done.stderr


def test_paths_are_relative_to_the_file(
    idealist: Any, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert idealist("gate", shop / "gate.toml").returncode == 3
    monkeypatch.chdir(shop)
    assert idealist("gate", "gate.toml").returncode == 3


def test_json_and_markdown(idealist: Any, shop: Path) -> None:
    record = json.loads(idealist("gate", shop / "gate.toml", "--format", "json").stdout)
    first = record["parts"][0]
    assert (first["part"], first["baseline"], first["candidate"]) == ("nDCG@10", "a", "b")
    assert [part["decides"] for part in record["parts"]] == [True, False, False]
    assert record["verdict"]["outcome"] == "undecided"
    assert record["verdict"]["exit_code"] == 3
    assert "enough judged" in [guard["name"] for guard in record["verdict"]["guards"]]
    lines = idealist("gate", shop / "gate.toml", "--format", "markdown").stdout.splitlines()
    assert lines[0] == "### Verdict: undecided"
    failed = "- **failed**: equally judged: judged@10 0.67 and 1.00: 0.33 apart; the verdict turns if "
    assert sum(line.startswith(failed) for line in lines) == 1


def test_guards_hold_back(idealist: Any, shop: Path, tmp_path: Path) -> None:
    start = compare_rules(shop) + "[guards]\njudged = false\n"
    assert idealist("gate", rules(tmp_path, start)).returncode == 0
    floor = idealist("gate", rules(tmp_path, start + "judged_floor = 0.9\n"))
    assert floor.returncode == 3
    assert "FAILED  enough judged: judged@10 a 0.6667, b 1.0000, at least 0.9 is needed" in floor.stdout
    names = [f'"{query}"' for query in read_judgments(shop / "shop.qrels")]
    table = tmp_path / "queries.csv"
    table.write_text("query,part\n" + "".join(f"{name},x\n" for name in names))
    segments = idealist("gate", rules(tmp_path, 'segments = "queries.csv"\nsegment_by = "part"\n' + start))
    assert (segments.returncode, "passed  segments" in segments.stdout) == (0, True)


def test_a_guard_measure_that_is_worse_holds_back(idealist: Any, tmp_path: Path) -> None:
    """B finds the one good document first, and loses the second one."""
    queries = range(12)
    (tmp_path / "j.qrels").write_text("".join(f"q{q} 0 x 1\nq{q} 0 y 1\nq{q} 0 z 0\n" for q in queries))
    (tmp_path / "a.run").write_text(
        "".join(f"q{q} Q0 z 1 3 a\nq{q} Q0 x 2 2 a\nq{q} Q0 y 3 1 a\n" for q in queries)
    )
    (tmp_path / "b.run").write_text(
        "".join(f"q{q} Q0 x 1 3 b\nq{q} Q0 z 2 2 b\n" + f"q{q} Q0 y 3 1 b\n" * (q < 2) for q in queries)
    )
    text = 'judgments = "j.qrels"\nbaseline = "a.run"\ncandidate = "b.run"\nmeasure = "P@1"\n'
    plain = idealist("gate", rules(tmp_path, text))
    assert plain.returncode == 0, plain.stdout + plain.stderr
    held = idealist("gate", rules(tmp_path, text + '[guards]\nmeasures = ["R@3"]\n'))
    assert held.returncode == 3
    assert "FAILED  other measures: R@3 is significantly worse, −0.4167, p " in held.stdout
    # As a table, with margins: 12 queries cannot show a loss of less than half of 1.0, but less than all of it.
    for margin, code in (('"50%"', 3), ("0.9", 0)):
        done = idealist("gate", rules(tmp_path, text + f'[guards]\nmeasures = {{ "R@3" = {margin} }}\n'))
        assert done.returncode == code, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("counts", "code"), [((300, 300, 100), 0), ((100, 300, 300), 1), ((30, 40, 30), 3), ((0, 900, 0), 0)]
)
def test_gsb_exit_codes(idealist: Any, tmp_path: Path, counts: tuple[int, int, int], code: int) -> None:
    votes = votes_file(tmp_path, *counts)
    done = idealist("gate", rules(tmp_path, 'votes = "votes.csv"\n'))
    assert done.returncode == code, done.stdout + done.stderr
    result = gsb(votes)
    assert done.stdout.splitlines()[:-1] == str(result.verdict).splitlines()
    assert done.stdout.splitlines()[-1].startswith(f"GSB of {sum(counts)} votes: {counts[0]} good")
    if code == 3:
        assert f"; {result.verdict.needed:,} more" in done.stdout


def test_the_sign_alone_tells_its_error_rate(idealist: Any, tmp_path: Path) -> None:
    votes_file(tmp_path, 30, 40, 31)
    done = idealist("gate", rules(tmp_path, 'votes = "votes.csv"\npolicy = "sign"\n'))
    assert done.returncode == 1
    assert "by its sign alone" in done.stdout
    assert "% of the time" in done.stdout


def test_guards_that_votes_cannot_answer_do_not_pass(idealist: Any, tmp_path: Path) -> None:
    votes_file(tmp_path, 300, 300, 100)
    start = 'votes = "votes.csv"\n[guards]\n'
    done = idealist("gate", rules(tmp_path, start + "agreement_floor = 0.4\nside_bias = true\n"))
    assert done.returncode == 3
    assert "FAILED  agreement of raters: no item has votes of two raters" in done.stdout
    assert "FAILED  sides: the votes do not say where the candidate was shown" in done.stdout


def test_sides_and_agreement(idealist: Any, tmp_path: Path) -> None:
    """The left one wins nine times in ten, and two raters always agree."""
    lines = []
    for at in range(400):
        side = "left" if at % 2 else "right"
        vote = "good" if (side == "left") != (at % 20 == 0) or at % 4 == 0 else "bad"
        lines += [f"q{at},{vote},{rater},{side}\n" for rater in ("x", "y")]
    (tmp_path / "votes.csv").write_text(VOTES + "".join(lines))
    start = 'votes = "votes.csv"\n[guards]\nagreement_floor = 0.4\n'
    biased = idealist("gate", rules(tmp_path, start))
    assert biased.returncode == 3, biased.stdout
    assert "FAILED  sides" in biased.stdout
    assert "passed  agreement of raters" in biased.stdout
    assert idealist("gate", rules(tmp_path, start + "side_bias = false\n")).returncode == 0


def test_columns_and_candidate(idealist: Any, tmp_path: Path) -> None:
    rows = "".join(f"q{at},{'B' if at % 5 else 'A'}\n" for at in range(200))
    (tmp_path / "votes.csv").write_text("topic_name,choice\n" + rows)
    text = 'votes = "votes.csv"\nvotes_candidate = "B"\n[columns]\nquery = "topic_name"\nvote = "choice"\n'
    done = idealist("gate", rules(tmp_path, text))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "GSB of 200 votes: 160 good, 0 same, 40 bad"


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        (
            'margn = 0.02\nvotes = "v"',
            "gate.toml, line 1: unknown key 'margn'",
            "did you mean margin? the keys are judgments, runs, baseline, candidate",
        ),
        ('votes = "v"\nmeasure = "AP"', "line 2: measure changes nothing without judgments", "votes"),
        ('votes = "v"\nmachine = "m"', "line 2: machine changes nothing without judgments", "leave it out"),
        ('votes = "v"\nsegments = "s"', "line 2: segments changes nothing without", "leave it out"),
        ('numbers = "n"\nbaseline = "a"\ncandidate = "b"', "there is no key 'measure'", "faithfulness"),
        ('numbers = "n"\nbaseline = "a"', "there is no key 'candidate'", "its system"),
        (
            'numbers = {old = "n"}',
            "numbers must have the tables of baseline and candidate",
            "a list of texts",
        ),
        ('votes = "v"\ncriterion = {"AP" = 1.0}', "criterion changes nothing without", "leave it out"),
        (
            'judgments = "j"\nbaseline = "a"\ncandidate = "b"\n[criterion]\n"AP" = 1.0',
            'line 4: measure = "criterion" and the table [criterion] go together',
            "a line for each measure",
        ),
        (
            'judgments = "j"\nbaseline = "a"\ncandidate = "b"\nmeasure = "criterion"\n[criterion]\n"AP" = -1.0',
            "criterion.AP must be above 0, not -1",
            "weights by measure",
        ),
        (
            'judgments = "j"\nbaseline = "a"\ncandidate = "b"\nmeasure = "votes"',
            'line 4: measure = "votes", and no votes are named',
            'votes = "votes.csv"',
        ),
        (
            'votes = "v"\n[guards]\nagreement = 1',
            "line 3: unknown key 'guards.agreement'",
            "did you mean agreement_floor? the keys of guards are measures, votes",
        ),
        ('votes = "v"\nvotes = "w"', "gate.toml: this is not TOML: Expected another key", "a line reads"),
        ('votes = "v"\n[guard]\nside_bias = true', "line 2: unknown key 'guard'", "guards"),
        ("margin = 0.1", "this gate names nothing to decide by", "judgments, baseline and candidate"),
        ("", "this gate names nothing to decide by", "numbers and votes are the names of tables"),
        (
            'judgments = "j"\nbaseline = "a"',
            "there is no key 'candidate', which a gate needs",
            'candidate = "…" names the run',
        ),
        (
            'votes = "v"\nmargin = "two"',
            "line 2: margin must be a number, not 'two'",
            "a number, 0 or more",
        ),
        (
            'votes = "v"\nmargin = -0.1',
            "margin must be 0 or more, not -0.1",
            "a number, 0 or more",
        ),
        (
            'votes = "v"\nmargin = nan',
            "margin must be a number, not nan",
            "a number, 0 or more",
        ),
        ('votes = "v"\nmargin = inf', "margin must be finite, not inf", "a number, 0 or more"),
        (
            'votes = "v"\nmargin = true',
            "margin must be a number, 0 or more, or a share such as",
            "a number, 0 or more",
        ),
        (
            'votes = "v"\nconfidence = 95',
            "confidence must lie between 0 and 1, not 95",
            "between 0 and 1",
        ),
        (
            'votes = "v"\nseed = 1.5',
            "the seed must be a whole number, 0 or more, not 1.5",
            "a whole number",
        ),
        ('votes = ["v"]', "votes must be text, not ['v']", "a table of votes: text"),
        (
            'votes = "v"\npolicy = "coin"',
            "policy must be interval or sign, not 'coin'",
            '"interval" or "sign"',
        ),
        ('votes = "v"\nguards = 3', "line 2: guards must be a table, not 3", "[guards]"),
        (
            'votes = "v"\nguards.side_bias = 1',
            "guards.side_bias must be true or false, not 1",
            "true or false",
        ),
        (
            'votes = "v"\ncolumns = "q"',
            "columns must be a table of texts, not 'q'",
            "a table of texts",
        ),
        ('votes = "gone.csv"', "gone.csv: there is no such file", "check the path"),
        ("votes = v", "this is not TOML", "margin = 0.02"),
    ],
)
def test_wrong_files(idealist: Any, tmp_path: Path, text: str, message: str, hint: str) -> None:
    path = rules(tmp_path, text)
    done = idealist("gate", path)
    assert (done.returncode, done.stdout) == (2, "")
    first, _, second = done.stderr.partition("\nhint: ")
    assert message in first
    assert hint in second
    assert str(tmp_path) in first
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("more", "guards", "message"),
    [
        ({"measure": "nDGC@10"}, "", "nDGC"),
        ({"measure": "NumRel"}, "", "NumRel has no mean over queries"),
        ({}, 'measures = ["NumRet"]', "NumRet has no mean over queries"),
        ({"conventions": "nist"}, "", "nist"),
        ({"judgments": "gone.qrels"}, "", "there is no such file"),
        ({"segment_by": "kind"}, "", "segment_by is a column of segments, and no table of them is named"),
        (
            {},
            'measures = "AP"',
            "guards.measures must be a list of measures, or a table of margins by measure, not 'AP'",
        ),
        ({}, "judged_floor = 2", "guards.judged_floor must be from 0 to 1, not 2"),
    ],
)
def test_wrong_comparisons(
    idealist: Any, shop: Path, tmp_path: Path, more: dict[str, object], guards: str, message: str
) -> None:
    done = idealist("gate", rules(tmp_path, f"{compare_rules(shop, **more)}[guards]\n{guards}\n"))
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_column_that_is_not_there(idealist: Any, shop: Path, tmp_path: Path) -> None:
    table = json.dumps(str(shop / "queries.csv"))
    text = f'{compare_rules(shop)}segments = {table}\nsegment_by = "country"\n'
    done = idealist("gate", rules(tmp_path, text))
    assert done.returncode == 2
    assert "there is no column 'country'" in done.stderr


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file\nhint: check the path"):
        read_gate(str(tmp_path / "gone.toml"))
    (tmp_path / "gate.toml").touch()
    with pytest.raises(InputError, match=r"there is no such file\nhint: did you mean .*gate\.toml\?"):
        read_gate(str(tmp_path / "gate.tml"))
    with pytest.raises(InputError, match="cannot be read"):
        read_gate(str(tmp_path))
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="this is not text"):
        read_gate(str(tmp_path / "binary"))


def test_defaults(tmp_path: Path) -> None:
    gate = read_gate(str(rules(tmp_path, '\ufeffvotes = "v.csv"\n')))
    assert gate.settings["margin"] is None  # 2 %, and no significant loss ships
    assert gate.settings["policy"] == "interval"
    assert gate.path("votes") == str(tmp_path / "v.csv")
    assert gate.settings["measure"] == "votes"
    assert set(gate.guards) == set(GUARDS)
    assert {name for name, value in gate.guards.items() if value} == {"judged", "losses"}


def _read_example(shown: str) -> dict[str, Any]:
    """The file that the help shows, as TOML reads it."""
    text = shown.split("a gate.toml:\n")[1].split("\none decision")[0]
    return tomllib.loads("\n".join(line.strip() for line in text.splitlines()))


def test_help_tells_every_key(idealist: Any) -> None:
    shown = idealist("gate", "--help").stdout
    assert "idealist gate gate.toml --format markdown" in shown
    assert _read_example(shown)["judgments"] == "shop.qrels"
    for name in (*KEYS, *(f"guards.{key}" for key in GUARDS)):
        assert name in shown


def test_a_candidate_that_drops_queries_is_held_back(idealist: Any, shop: Path, tmp_path: Path) -> None:
    lines = [line for line in (shop / "b.run").read_text().splitlines() if line.split()[0] < "c"]
    (tmp_path / "half.run").write_text("\n".join(lines) + "\n")
    text = compare_rules(
        shop, baseline=str(shop / "b.run"), candidate=str(tmp_path / "half.run"), conventions="lightgbm"
    )
    done = idealist("gate", rules(tmp_path, text), "--format", "markdown")
    assert done.returncode == 3, done.stderr
    assert "- **failed**: same queries" in done.stdout
    assert "judged but not in the run" in done.stdout  # the notes are a part of the comment
    assert done.stderr == ""


def test_judgments_are_read_as_the_measure_needs_them(idealist: Any, shop: Path, tmp_path: Path) -> None:
    text = compare_rules(shop, judgments=str(shop / "subtopics.qrels"), measure="alpha-nDCG@10")
    done = idealist("gate", rules(tmp_path, text))
    assert "alpha-nDCG@10 on 40 queries" in done.stdout, done.stderr
