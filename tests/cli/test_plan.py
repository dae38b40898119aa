"""idealist plan as a user meets it."""

from __future__ import annotations

import csv
import itertools
import json
import os
from pathlib import Path
from typing import Any

import pytest

from idealist import InputError, evaluate, read_judgments, read_run
from idealist.cli.files import write_file
from idealist.plan.document_samples import grade_sample, pool_documents, sample_documents
from idealist.plan.open_documents import next_documents, open_differences
from idealist.plan.pilots import pilot_pair
from idealist.statistics.power import needed_queries


def pilot(shop: Path) -> list[Path]:
    return [shop / "shop.qrels", shop / "a.run", shop / "b.run"]


def test_queries_from_assumptions(idealist: Any) -> None:
    done = idealist("plan", "queries", "--effect", "0.1", "--sd", "0.2")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0].startswith("48 queries show a difference of 0.1000 with 80 % power at an alpha of 5 %")
    assert lines[0].endswith("have an sd of 0.2000 and an unseen failure may cost 1.0000.")
    assert [line.split()[0] for line in lines[2:]] == ["queries", "12", "24", "48", "72", "96"]
    student = idealist("plan", "queries", "--effect", "0.1", "--sd", "0.2", "--interval", "student")
    assert student.stdout.startswith(f"{needed_queries(0.2, 0.1, failure=None)} queries")
    assert "have an sd of 0.2000, by Student's t." in student.stdout
    known = idealist("plan", "queries", "--effect", "0.1", "--sd", "0.2", "--failure", "0.5")
    assert known.stdout.startswith(f"{needed_queries(0.2, 0.1, failure=0.5)} queries")
    both = idealist("plan", "detectable", "-n", "9", "--sd", "1", "--failure", "0.5", "--interval", "student")
    assert "--failure changes nothing with --interval student" in both.stderr


def test_a_pilot_with_weights(idealist: Any, shop: Path, tmp_path: Path) -> None:
    """A query of weight 0 counts for nothing: the sd is that of `pilot_pair` with the same weights."""
    judgments = read_judgments(shop / "shop.qrels")
    weights = {query: float(at % 3) for at, query in enumerate(judgments)}
    table = tmp_path / "w.csv"
    table.write_text("query,weight\n" + "".join(f"{query},{weight}\n" for query, weight in weights.items()))
    runs = {name: read_run(shop / f"{name}.run") for name in "ab"}
    known = pilot_pair(evaluate(judgments, runs, "AP", weights=weights), "AP")
    plain = pilot_pair(evaluate(judgments, runs, "AP"), "AP")
    command = ["plan", "queries", "--effect", "0.02", "--pilot", *pilot(shop), "-m", "AP", "--format", "json"]
    assert json.loads(idealist(*command, "--weights", table).stdout)["sd"] == pytest.approx(known.sd)
    assert known.sd != pytest.approx(plain.sd)
    done = idealist("plan", "queries", "--effect", "0.1", "--sd", "0.2", "--weights", table)
    assert "--weights changes nothing without a pilot of runs" in done.stderr
    done = idealist("plan", "detectable", "--n", "9", "--same", "0.7", "--weights", table)
    assert "--weights is for a number of queries" in done.stderr


def test_queries_from_a_pilot(idealist: Any, shop: Path) -> None:
    done = idealist(
        "plan", "queries", "--effect", "0.02", "--pilot", *pilot(shop), "-m", "AP", "--format", "json"
    )
    got = json.loads(done.stdout)
    runs = [read_run(shop / "a.run"), read_run(shop / "b.run")]
    known = pilot_pair(evaluate(read_judgments(shop / "shop.qrels"), runs, "AP"), "AP")
    assert got["sd"] == known.sd
    assert got["queries"] == needed_queries(known.sd, 0.02, failure=known.failure, best=1)
    assert got["failure"] == known.failure
    assert got["between"][0] < got["queries"] < got["between"][1]
    assert got["pilot"]["interval"]["low"] == known.interval.low
    assert [point["power"] > 0.8 for point in got["curve"]] == [False, False, True, True, True]
    table = idealist("plan", "queries", "--effect", "0.02", "--pilot", *pilot(shop), "-m", "AP")
    assert "Pilot: AP of b less that of a on 40 queries, mean" in table.stdout


@pytest.mark.parametrize(("gsb", "needed"), [("0.02", "5,885"), ("0.05", "940"), ("-0.1", "234")])
def test_judgments(idealist: Any, gsb: str, needed: str) -> None:
    done = idealist("plan", "judgments", "--gsb", gsb, "--same", "0.7")
    assert done.stdout.startswith(f"{needed} judgments show a GSB of ")


def test_clustered_judgments(idealist: Any) -> None:
    done = idealist(
        "plan", "judgments", "--gsb", "0.02", "--same", "0.7", "--per-query", "10", "--icc", "0.1"
    )
    assert done.stdout.startswith("11,181 judgments")
    assert "10 are on one query and these have an ICC of 0.1." in done.stdout


def test_detectable(idealist: Any) -> None:
    done = idealist("plan", "detectable", "--n", "200", "--sd", "0.2")
    assert done.stdout.startswith("200 queries show a difference of 0.0403 or more")
    # As in Python, and exact with few queries, too.
    few_queries = idealist("plan", "detectable", "-n", "5", "--sd", "0.15", "--interval", "student")
    assert few_queries.stdout.startswith("5 queries show a difference of 0.2523 or more")
    votes = idealist("plan", "detectable", "--n", "940", "--same", "0.7", "--format", "json")
    assert json.loads(votes.stdout)["gsb"] == pytest.approx(0.05, abs=1e-4)
    few = idealist("plan", "detectable", "--n", "3", "--same", "0.7")
    assert few.stdout.startswith("3 judgments show no GSB at all")


@pytest.mark.parametrize("kind", ["table", "csv", "markdown", "latex", "json"])
def test_formats(idealist: Any, shop: Path, kind: str) -> None:
    for arguments in (["queries", "--effect", "0.1", "--sd", "0.2"], ["next", *pilot(shop)]):
        done = idealist("plan", *arguments, "--format", kind)
        assert done.returncode == 0, done.stderr
        assert "queries" in done.stdout or "query" in done.stdout


def test_next(idealist: Any, shop: Path) -> None:
    runs, judgments = (
        [read_run(shop / "a.run"), read_run(shop / "b.run")],
        read_judgments(shop / "shop.qrels"),
    )
    known = next_documents(judgments, runs, k=5)
    (difference,) = open_differences(judgments, runs, k=5)
    done = idealist("plan", "next", *pilot(shop), "-k", "5", "-n", "9")
    lines = done.stdout.splitlines()
    shown = [tuple(line.split()[:2]) for line in lines[1:10]]
    assert sorted(shown) == sorted((document.query, document.document) for document in known[:9])
    assert shown[0] == (known[0].query, known[0].document)
    groups = [query for query, _ in itertools.groupby(query for query, _ in shown)]
    assert len(groups) == len(set(groups))  # the documents of a query stand together
    assert lines[11].startswith(f"{len(known)} unjudged documents of ")
    assert lines[12].startswith(f"b less a in mean DCG@5: {difference.judged:.4f} with unjudged documents")
    assert f"{difference.projected:.4f} if they are as good" in lines[12]
    assert "judge a sample: idealist plan pool --strata" in lines[13]
    record = json.loads(idealist("plan", "next", *pilot(shop), "-k", "5", "--format", "json").stdout)
    assert record["open"] == len(known)
    assert record["documents"][0]["document"] == known[0].document
    assert record["differences"][0]["reach"] == difference.reach
    several = idealist("plan", "next", *pilot(shop), shop / "a.run", "-n", "1")
    assert several.stdout.splitlines()[0].endswith("runs")
    same = idealist("plan", "next", shop / "shop.qrels", shop / "a.run", shop / "a.run")
    assert same.stdout.splitlines()[-1] == "no unjudged document in the first 10 can move the difference"


def test_sample(idealist: Any, shop: Path, tmp_path: Path) -> None:
    out = tmp_path / "sample.csv"
    arguments = ["plan", "sample", shop / "queries.csv", "-n", "8", "--by", "traffic", "--stratify", "kind"]
    done = idealist(*arguments, "--seed", "1", "-o", out)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == f"{out}: 8 of 40 queries, seed 1\n"
    rows = list(csv.DictReader(out.read_text().splitlines()))
    source = {row["query"]: row for row in csv.DictReader((shop / "queries.csv").read_text().splitlines())}
    assert len({row["query"] for row in rows}) == 8
    for row in rows:
        assert {name: row[name] for name in source[row["query"]]} == source[row["query"]]
        assert float(row["sampling_weight"]) * float(row["sampling_probability"]) == pytest.approx(
            float(row["weight"])
        )
    again = idealist(*arguments, "--seed", "1")
    assert again.stdout == out.read_text()
    assert idealist(*arguments, "--seed", "2").stdout != out.read_text()
    lines = idealist(*arguments, "--seed", "1", "--format", "jsonl").stdout.splitlines()
    assert [json.loads(line)["query"] for line in lines] == [row["query"] for row in rows]


def test_pool(idealist: Any, shop: Path, tmp_path: Path) -> None:
    out = tmp_path / "pool.csv"
    runs = [shop / "a.run", shop / "b.run"]
    done = idealist("plan", "pool", *runs, "-k", "20", "--judged", shop / "shop.qrels", "-o", out)
    assert done.returncode == 0
    known = pool_documents([read_run(path) for path in runs], 20, judged=read_judgments(shop / "shop.qrels"))
    pairs = [(row["query"], row["document"]) for row in csv.DictReader(out.read_text().splitlines())]
    assert pairs == [(query, document) for query, documents in known.items() for document in documents]
    trec = idealist("plan", "pool", *runs, "-k", "3", "--format", "trec").stdout.splitlines()
    assert all(len(line.split(" ")) == 2 for line in trec)
    lines = idealist("plan", "pool", *runs, "-k", "3", "--format", "jsonl").stdout.splitlines()
    assert sum(len(json.loads(line)["documents"]) for line in lines) == len(trec)
    sample = tmp_path / "sample.csv"
    sample.write_text("query,why\nlipstick,x\n")
    some = idealist("plan", "pool", *runs, "-k", "3", "--format", "trec", "--queries", sample).stdout
    assert {line.split()[0] for line in some.splitlines()} == {"lipstick"}


def test_a_sample_of_documents_from_plan_to_values(idealist: Any, shop: Path, tmp_path: Path) -> None:
    pool, judge, sampled = (tmp_path / name for name in ("pool.csv", "judge.csv", "sampled.qrels"))
    runs = [shop / "a.run", shop / "b.run"]
    draw = ["plan", "pool", *runs, "--strata", "5:1,20:0.5", "--seed", "3"]
    done = idealist(*draw, "-o", pool, "--to-judge", judge)
    assert (done.returncode, done.stdout) == (0, "")
    known = sample_documents([read_run(path) for path in runs], {5: 1, 20: 0.5}, seed=3)
    drawn = [(document.query, document.document) for document in known if document.sampled]
    assert done.stderr == f"{pool}: {len(drawn)} of {len(known):,} documents of 40 queries to judge, seed 3\n"
    rows = list(csv.DictReader(pool.read_text().splitlines()))
    assert [(row["query"], row["document"], row["stratum"]) for row in rows] == [
        (document.query, document.document, document.stratum) for document in known
    ]
    assert [(float(row["probability"]), row["sampled"]) for row in rows] == [
        (document.probability, str(int(document.sampled))) for document in known
    ]
    assert [
        (row["query"], row["document"]) for row in csv.DictReader(judge.read_text().splitlines())
    ] == drawn
    lines = idealist(*draw, "--format", "jsonl").stdout.splitlines()
    assert [json.loads(line)["sampled"] for line in lines] == [int(document.sampled) for document in known]

    missing = idealist("plan", "grade", pool, shop / "shop.qrels")
    assert missing.returncode == 2
    assert "documents of the sample have no grade" in missing.stderr
    graded = idealist("plan", "grade", pool, shop / "shop.qrels", "--ungraded", "0", "-o", sampled)
    assert graded.returncode == 0
    assert "grades of documents that were not drawn" in graded.stderr
    assert f"{len(drawn)} judged documents of 40 queries, a sample of {len(known):,}" in graded.stderr
    again = idealist("plan", "grade", pool, shop / "shop.qrels", "--ungraded", "0")
    assert again.stdout == sampled.read_text()
    record = json.loads(idealist("evaluate", sampled, *runs, "-m", "infNDCG@10", "--format", "json").stdout)
    grades = read_judgments(shop / "shop.qrels")
    python = evaluate(
        grade_sample(known, grades, ungraded=0), [read_run(path) for path in runs], "infNDCG@10"
    )
    assert str(python.mean("infNDCG@10", "b"))[:10] in json.dumps(record)


def test_what_was_judged_before_is_a_stratum_and_not_judged_again(
    idealist: Any, shop: Path, tmp_path: Path
) -> None:
    pool, judge, new = (tmp_path / name for name in ("pool.csv", "judge.csv", "new.qrels"))
    old = shop / "shop.qrels"
    runs = [shop / "a.run", shop / "b.run"]
    idealist("plan", "pool", *runs, "--strata", "10:0.5", "--judged", old, "-o", pool, "--to-judge", judge)
    to_judge = list(csv.DictReader(judge.read_text().splitlines()))
    known = read_judgments(old).to_dict()
    assert to_judge
    assert not any(row["document"] in known.get(row["query"], {}) for row in to_judge)
    new.write_text("".join(f"{row['query']} 0 {row['document']} 1\n" for row in to_judge))
    done = idealist("plan", "grade", pool, old, new)
    assert done.returncode == 0
    strata = [line.split()[3:] for line in done.stdout.splitlines()]
    assert ["0", "-1"] not in strata
    assert strata.count(["1", "1"]) == len(to_judge)
    new.write_text("lipstick 0 p002 0\n")
    clash = idealist("plan", "grade", pool, old, new)
    assert "query 'lipstick', document 'p002' has grade 0, and 3 in a file before" in clash.stderr


def test_files_are_replaced_only_when_asked(idealist: Any, shop: Path, tmp_path: Path) -> None:
    out = tmp_path / "sample.csv"
    out.write_text("mine")
    arguments = ["plan", "sample", shop / "queries.csv", "-n", "2", "-o", out]
    done = idealist(*arguments)
    assert done.returncode == 2
    assert done.stderr == f"idealist: {out}: the file exists already\nhint: --force replaces it\n"
    assert out.read_text() == "mine"
    assert idealist(*arguments, "--force").returncode == 0
    assert out.read_text().startswith("query,")
    assert os.listdir(tmp_path) == ["sample.csv"]


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out.csv"
    out.write_text("old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match="No space left on device"):
        write_file(str(out), "new", force=True)
    assert out.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.csv"]


def test_links_and_odd_places(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "out.csv").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real" / "out.csv")
    write_file(str(tmp_path / "link"), "new", force=True)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "out.csv").read_text() == "new"
    for path in (tmp_path / "real", tmp_path / "gone" / "out.csv"):
        with pytest.raises(InputError):
            write_file(str(path), "new", force=True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the following arguments are required: WHAT"),
        (["queries", "--sd", "1"], "required: --effect"),
        (["queries", "--effect", "0.1"], "one of the arguments --sd --pilot is required"),
        (["queries", "--effect", "0", "--sd", "1"], "the effect must not be 0"),
        (["queries", "--effect", "nan", "--sd", "1"], "the effect must be a number, not nan"),
        (
            ["queries", "--effect", "0.1", "--sd", "1", "--power", "80"],
            "the power must lie between 0 and 1, not 80",
        ),
        (["queries", "--effect", "0.1", "--pilot", "shop.qrels", "a.run", "a.run"], "on every query"),
        (["queries", "--effect", "0.1", "--pilot", "shop.qrels", "a.run", "gone.run"], "no such file"),
        (["judgments", "--gsb", "0.5", "--same", "0.7"], "at most 0.3"),
        (["judgments", "--gsb", "0.1", "--same", "0.7", "--icc", "0.1"], "add --per-query"),
        (["detectable", "--n", "5", "--pilot", "shop.qrels", "b.run"], "--pilot names 1 run, not two"),
        (["detectable", "--n", "5", "--pilot", *["a.run"] * 4], "--pilot names 4 files"),
        (["detectable", "--n", "5", "--sd", "1", "--icc", "0.1"], "--icc is for a number of judgments"),
        (
            ["detectable", "--n", "5", "--same", "0.7", "--failure", "1"],
            "--failure is for a number of queries",
        ),
        (["next", "shop.qrels", "a.run"], "only one run was given"),
        (["next", "shop.qrels", "a.run", "b.run", "-k", "0"], "k must be a whole number, 1 or more, not 0"),
        (
            ["next", "shop.qrels", "a.run", "b.run", "-n", "0"],
            "the number of documents must be a whole number, 1 or more, not 0",
        ),
        (["sample", "queries.csv", "-n", "99"], "99 queries were requested, but there are 40"),
        (["sample", "queries.csv", "-n", "9", "--by", "clicks"], "there is no column 'clicks'"),
        (["sample", "gone.csv", "-n", "9"], "there is no such file"),
        (["pool", "a.run", "-k", "3", "--seed", "-1"], "the seed must be a whole number, 0 or more, not -1"),
        (["pool", "a.run"], "the depth of the pool is not stated"),
        (["pool", "a.run", "-k", "3", "--to-judge", "x.csv"], "--to-judge is for a sample"),
        (["pool", "a.run", "--strata", "10"], "'10' is not DEPTH:SHARE"),
        (["pool", "a.run", "--strata", "10:x"], "'10:x' is not DEPTH:SHARE"),
        (["pool", "a.run", "--strata", "10:1,10:0.5"], "10 appears twice"),
        (
            ["pool", "a.run", "--strata", "10:2"],
            "the share of the stratum down to 10 must be above 0 and at most 1, not 2",
        ),
        (["pool", "a.run", "-k", "5", "--strata", "10:1"], "-k is 5, and the strata end at 10"),
        (["pool", "a.run", "--strata", "10:1", "--format", "trec"], "cannot carry a sample's strata"),
        (["grade", "queries.csv", "shop.qrels"], "there is no column 'document'"),
    ],
)
def test_input_errors(
    idealist: Any, shop: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(shop)
    done = idealist("plan", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_pilot_of_votes(idealist: Any, tmp_path: Path) -> None:
    """Ten queries of four documents; the votes of a query are the same, two queries in ten are decided."""
    lines = [
        f"q{query},d{document},{'good' if query == 0 else 'bad' if query == 1 else 'same'}\n"
        for query in range(10)
        for document in range(4)
    ]
    votes = tmp_path / "votes.csv"
    votes.write_text("query,document,vote\n" + "".join(lines))
    got = json.loads(
        idealist("plan", "judgments", "--gsb", "0.1", "--pilot", votes, "--format", "json").stdout
    )
    assert (got["same"], got["per_query"], got["icc"]) == (0.8, 4.0, pytest.approx(1.0))
    assert got["pilot"]["queries"] == 10
    alone = json.loads(
        idealist("plan", "judgments", "--gsb", "0.1", "--same", "0.8", "--format", "json").stdout
    )
    assert got["judgments"] == pytest.approx(4 * alone["judgments"], abs=4)
    table = idealist("plan", "detectable", "--n", "1000", "--pilot", votes)
    assert "Pilot: 40 votes of 10 queries, GSB 0 %, 80 % same, ICC 1." in table.stdout
    stated = idealist("plan", "judgments", "--gsb", "0.1", "--pilot", votes, "--icc", "0")
    assert stated.stdout.startswith(f"{alone['judgments']:,} judgments")
