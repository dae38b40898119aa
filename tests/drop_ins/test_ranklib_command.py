"""`idealist ranklib` as its users call it, beside what RankLib itself wrote and reported."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest
from conftest import Command

from idealist.data.feature_reading import read_features
from idealist.drop_ins.ranklib.ranklib_command import run
from idealist.drop_ins.ranklib.ranklib_options import OPTIONS, RANKERS, REFUSED, help_text, read_settings
from idealist.drop_ins.ranklib.ranklib_training import trainer_for
from idealist.errors import InputError
from idealist.learn import load_model

GOLDEN = Path(__file__).parents[1] / "learn" / "ranklib"
TRAIN, TEST = str(GOLDEN / "train.letor"), str(GOLDEN / "test.letor")
REPORTED = (GOLDEN / "reported").read_text().splitlines()
# Small enough to take a moment each.
QUICK = {
    0: "-tree 5 -leaf 4 -thread 1",
    1: "-epoch 3",
    2: "-round 5",
    3: "-round 5",
    4: "-r 1 -i 2",
    5: "-epoch 3 -layer 2 -node 3",
    6: "-tree 5 -leaf 4 -shrinkage 0.2 -tc -1 -mls 2 -thread 1",
    7: "-epoch 5 -lr 0.1",
    8: "-bag 3 -leaf 5 -srate 0.8 -frate 0.5 -rtype 6 -tree 2 -thread 1",
    9: "-L2 0.1",
}


def ranklib(options: str) -> None:
    assert run(options.split()) == 0


@pytest.mark.parametrize("ranker", QUICK)
def test_every_ranker_trains_saves_and_tests(
    ranker: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "new" / "model.txt"
    options = f"-train {TRAIN} -validate {TEST} -test {TEST} -ranker {ranker} -metric2t NDCG@5 -save {model} {QUICK[ranker]}"
    ranklib(options)
    said = capsys.readouterr().out
    assert f"Ranking method: {RANKERS[ranker]}\n" in said
    (value,) = re.findall(r"NDCG@5 on test data: (\S+)\n", said)
    assert re.search(r"NDCG@5 on training data: 0\.\d+\n", said)
    # The validation data is the test data here.
    assert f"NDCG@5 on validation data: {value}\n" in said
    # The file is RankLib's, names its algorithm, and gives the same value when it is read again.
    assert model.read_text().startswith(f"## {RANKERS[ranker]}\n")
    ranklib(f"-load {model} -test {TEST} -metric2T NDCG@5 -silent")
    assert capsys.readouterr().out == f"NDCG@5 on test data: {value}\n"
    # And the same command gives the same model.
    before = model.read_text()
    ranklib(f"{options} -silent")
    assert model.read_text() == before


@pytest.mark.parametrize("metric", ["MAP", "DCG@5", "P@5", "RR@5", "RR", "ERR@5", "NDCG"])
@pytest.mark.parametrize("ranker", [4, 5, 6])
def test_every_metric_can_be_trained_by(metric: str, ranker: int, capsys: pytest.CaptureFixture[str]) -> None:
    ranklib(f"-silent -train {TRAIN} -ranker {ranker} -metric2t {metric} {QUICK[ranker]}")
    shown = "NDCG@10" if metric == "NDCG" else metric
    assert re.fullmatch(rf"{shown} on training data: \d\.\d+\n", capsys.readouterr().out)


def expected_lines(splitting: str) -> list[str]:
    prefix = f"split {splitting} - "
    return [line.removeprefix(prefix) for line in REPORTED if line.startswith(prefix)]


@pytest.mark.parametrize(
    "splitting",
    ["-kcv 3", "-kcv 4 -tvs 0.7", "-tts 0.6", "-tvs 0.75 -test test.letor", "-validate test.letor"],
)
def test_splits_and_folds_are_ranklibs(
    splitting: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """RankBoost draws nothing at random: on the same queries it has the same values."""
    monkeypatch.chdir(GOLDEN)
    ranklib(f"-silent -train train.letor -ranker 2 -round 8 -metric2t NDCG@5 {splitting}")
    said = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    expected = expected_lines(splitting)
    assert expected
    for line in expected:
        if "|" in line:
            # RankLib sorts the training lists by grade, so that ties count as right there: only the test column agrees.
            name, _, test = line.split("|")
            (ours,) = (one.split("|") for one in said if one.startswith(name.strip()) and "|" in one)
            assert ours[-1].strip() == test.strip()
        else:
            assert line in said


def test_files_are_in_ranklibs_layout(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = GOLDEN / "lambdamart.model"
    ranklib(f"-silent -load {model} -rank {TEST} -score {tmp_path / 'scores'} -indri {tmp_path / 'run'}")
    assert (tmp_path / "scores").read_text() == (GOLDEN / "lambdamart.scores").read_text()
    assert (tmp_path / "run").read_text() == (GOLDEN / "lambdamart.indri").read_text()
    ranklib(f"-silent -rank {TEST} -indri {tmp_path / 'input'}")
    assert (tmp_path / "input").read_text() == (GOLDEN / "input.indri").read_text()
    capsys.readouterr()
    ranklib(f"-silent -load {model} -test {TEST} -metric2T MAP -idv {tmp_path / 'idv'}")
    assert capsys.readouterr().out.startswith("MAP on test data: ")
    start = "idv lambdamart.model - "
    assert (tmp_path / "idv").read_text().splitlines() == [
        line.removeprefix(start) for line in REPORTED if line.startswith(f"{start}MAP ")
    ]


@pytest.mark.parametrize("how", ["sum", "zscore", "linear"])
def test_models_over_normalised_data(how: str, capsys: pytest.CaptureFixture[str]) -> None:
    ranklib(f"-silent -load {GOLDEN / 'coordinate.model'} -norm {how} -test {TEST} -metric2T NDCG@10")
    # The ranker called linear has such a line too, before it.
    expected = [line.split()[-1] for line in REPORTED if line.startswith(f"{how} test NDCG@10 ")][-1]
    assert capsys.readouterr().out == f"NDCG@10 on test data: {expected}\n"


def test_models_of_folds_rank_the_queries_of_their_folds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ranklib(f"-silent -train {TRAIN} -ranker 2 -round 4 -metric2t NDCG@5 -kcv 3 -kcvmd {tmp_path} -kcvmn rb")
    total = capsys.readouterr().out.splitlines()[-1].split()[-1]
    loads = " ".join(f"-load {tmp_path / f'f{fold}.rb'}" for fold in (1, 2, 3))
    ranklib(f"-silent {loads} -test {TRAIN} -metric2T NDCG@5")
    assert capsys.readouterr().out == f"NDCG@5 on test data: {total}\n"
    features = read_features(TRAIN)
    ranklib(f"-silent {loads} -rank {TRAIN} -score {tmp_path / 'scores'}")
    lines = (tmp_path / "scores").read_text().splitlines()
    assert [line.split("\t")[0] for line in lines] == [
        query for query, size in zip(features.queries, features.sizes, strict=True) for _ in range(size)
    ]


def test_scores_of_a_file_are_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ranklib(f"-silent -test {TEST} -score {GOLDEN / 'lambdamart.scores'} -metric2T NDCG@10")
    (expected,) = (line.split()[-1] for line in REPORTED if line.startswith("lambdamart test NDCG@10"))
    assert capsys.readouterr().out == f"NDCG@10 on test data: {expected}\n"
    (tmp_path / "few").write_text("1.0\n2.0\n")
    with pytest.raises(InputError, match="2 scores for 63 documents"):
        ranklib(f"-test {TEST} -score {tmp_path / 'few'}")


def test_features_that_a_file_names(tmp_path: Path) -> None:
    (tmp_path / "features").write_text("# wanted\n3\tlength\n1\n")
    ranklib(f"-silent -train {TRAIN} -ranker 9 -feature {tmp_path / 'features'} -save {tmp_path / 'model'}")
    assert load_model(tmp_path / "model").names == ("3", "1")
    (tmp_path / "features").write_text("77\n")
    with pytest.raises(InputError, match="feature 77 is not in the training data"):
        ranklib(f"-silent -train {TRAIN} -ranker 9 -feature {tmp_path / 'features'}")
    (tmp_path / "features").write_text("1\nbm25\n")
    with pytest.raises(InputError, match=r"line 2: 'bm25' is not the number"):
        ranklib(f"-silent -train {TRAIN} -ranker 9 -feature {tmp_path / 'features'}")


def test_queries_without_a_relevant_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "data").write_text("1 qid:a 1:2 # x\n0 qid:a 1:1 # y\n0 qid:b 1:1 # z\n")
    ranklib(f"-silent -test {tmp_path / 'data'} -metric2T MAP")
    ranklib(f"-silent -test {tmp_path / 'data'} -metric2T MAP -hr")
    assert capsys.readouterr().out == "MAP on test data: 0.5\nMAP on test data: 1.0\n"


def test_a_negative_grade(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("1 qid:a 1:2\n0 qid:b 1:1\n-1 qid:b 1:1\n")
    with pytest.raises(InputError, match="query 'b' has the grade -1"):
        ranklib(f"-silent -test {tmp_path / 'data'} -metric2T MAP")


def test_a_model_of_other_features(tmp_path: Path) -> None:
    (tmp_path / "model").write_text("## Coordinate Ascent\n1:0.5 46:1.0\n")
    with pytest.raises(InputError, match="feature '46', and the lines name features up to 6") as caught:
        ranklib(f"-silent -load {tmp_path / 'model'} -rank {TEST} -score {tmp_path / 'scores'}")
    assert "-missingZero" in caught.value.hint
    assert not (tmp_path / "scores").exists()
    ranklib(f"-silent -missingZero -load {tmp_path / 'model'} -rank {TEST} -score {tmp_path / 'scores'}")
    assert (tmp_path / "scores").exists()


def test_what_differs_or_changes_nothing_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    ranklib(f"-train {TRAIN} -ranker 2 -round 2 -leaf 5 -sparse -idv x")
    notes = capsys.readouterr().err.splitlines()
    assert notes == [
        "note: -leaf changes nothing for RankBoost",
        "note: -sparse: without effect",
        "note: -idv changes nothing in training",
    ]


def test_what_folds_do_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ranklib(f"-train {TRAIN} -ranker 9 -kcv 2 -kcvmd {tmp_path} -kcvmn lr -test {TEST}")
    assert "note: -test is not measured with -kcv" in capsys.readouterr().err
    ranklib(f"-load {tmp_path / 'f1.lr'} -load {tmp_path / 'f2.lr'} -test {TEST}")
    assert "note: the queries are cut into 2 folds" in capsys.readouterr().err


BAD = {
    "": None,
    "-train": "-train needs a value",
    "-frobnicate 3": "not an option of RankLib",
    "-keep": "not taken here",
    "-all dir": "not taken here",
    "-ranker 10": "must be 0 to 9, not 10",
    "-ranker six": "whole number, not 'six'",
    "-tree 0": "-tree must be 1 or more",
    "-tvs 1.5": "between 0 and 1",
    "-shrinkage nan": "finite",
    "-rtype 3": "must be 0 \\(MART\\) or 6",
    "-ranker 1 -ranker 2": "given twice",
    "-norm max -test x": "must be one of sum, zscore, linear",
    "-silent": "nothing to do",
    f"-rank {TEST} -load {GOLDEN / 'mart.model'}": "-rank writes nothing",
    f"-rank {TEST} -score x": "-score needs a model",
    f"-train {TRAIN} -kcv 99": "12 queries cannot be cut into 99 folds",
    f"-train {TRAIN} -tts 0.01": "leaves none on one side",
    f"-load {GOLDEN / 'reported'} -test {TEST}": "not a model file",
}


@pytest.mark.parametrize("options", BAD)
def test_bad_options(options: str, capsys: pytest.CaptureFixture[str]) -> None:
    if BAD[options] is None:
        ranklib(options)
        assert capsys.readouterr().out == help_text()
        return
    with pytest.raises(InputError, match=str(BAD[options])):
        ranklib(options)


def test_options_are_told_apart_by_their_letters_alone() -> None:
    settings = read_settings(["-TRAIN", "a", "-metric2T", "MAP", "-metric2t", "NDCG@3"])
    assert (settings["-train"], settings["-metric2T"], settings["-metric2t"]) == ("a", "MAP", "NDCG@3")


def test_parameters_reach_the_trainers() -> None:
    forest = trainer_for(
        read_settings(
            ["-ranker", "8", "-bag", "7", "-leaf", "9", "-tc", "-1", "-thread", "-1", "-rtype", "6"]
        )
    )
    assert (forest.name, forest.bags, forest.leaves, forest.candidates, forest.threads, forest.bagged) == (  # type: ignore[attr-defined]
        "random-forest",
        7,
        9,
        0,
        0,
        "lambdamart",
    )
    boost = trainer_for(
        read_settings(["-ranker", "3", "-noeq", "-max", "2", "-round", "9", "-tolerance", "0.1"])
    )
    assert boost.parameters() == {
        "normalisation": "none",
        "rounds": 9,
        "tolerance": 0.1,
        "set_aside": False,
        "repeats": 2,
    }


def test_the_page_lists_every_option() -> None:
    page = (Path(__file__).parents[2] / "docs" / "learn-ranklib.md").read_text()
    for name, option in OPTIONS.items():
        assert f"`{name}`" in page, name
        assert option.differs in page, name
    for name in REFUSED:
        assert f"`{name}`" in page, name


def test_as_a_command(idealist: Command) -> None:
    done = idealist(
        "ranklib", "-silent", "-load", GOLDEN / "mart.model", "-test", TEST, "-metric2T", "NDCG@10"
    )
    (expected,) = (line.split()[-1] for line in REPORTED if line.startswith("mart test NDCG@10"))
    assert done.stdout == f"NDCG@10 on test data: {expected}\n"


def test_a_library_that_is_missing(idealist: Command, tmp_path: Path) -> None:
    (tmp_path / "lightgbm.py").write_text("raise ModuleNotFoundError('no', name='lightgbm')\n")
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    done = idealist("ranklib", "-silent", "-train", TRAIN, "-ranker", "6", PYTHONPATH=path)
    assert (done.returncode, done.stderr.splitlines()) == (
        2,
        [
            "idealist: idealist ranklib needs lightgbm, which is not installed",
            "hint: pip install 'idealist[learn]'",
        ],
    )


@pytest.mark.parametrize("written", ["-save", "-score", "-indri", "-idv"])
def test_inputs_are_not_written_over(tmp_path: Path, written: str) -> None:
    rows, model = tmp_path / "rows.txt", tmp_path / "model.txt"
    rows.write_text(Path(TRAIN).read_text())
    train = f"-silent -train {rows} -ranker 9"
    ranklib(f"{train} -save {model}")
    load = f"-silent -load {model} {'-test' if written == '-idv' else '-rank'} {rows}"
    with pytest.raises(InputError, match="this is one of the inputs"):
        ranklib(f"{train if written == '-save' else load} {written} {rows}")
    assert rows.read_text() == Path(TRAIN).read_text()
