"""Commands read from a workbench as from any other source: by its database, and by its address."""

from __future__ import annotations

import socket
import sqlite3
from pathlib import Path
from threading import Thread
from uuid import uuid4

import pytest
from support.served import served

from idealist import InputError, convert, evaluate, gsb, read_judgments, read_run, read_votes
from idealist.cli import main
from idealist.votes import rater_agreement
from idealist.web.access.accounts import add_user, local_person
from idealist.web.access.sessions import add_token
from idealist.web.judging.tasks import add_task
from idealist.web.projects.projects import create_project
from idealist.web.studies.study_results import adjudicate, disagreements, report_settings, study_result
from idealist.web.studies.task_answers import study_data, study_of
from idealist.web.workbench import Workbench


def database_of(bench: Workbench) -> str:
    """The path of a workbench's database, with its files beside it as `idealist serve` has them."""
    path = Path(str(bench.settings.database))
    beside = Path(f"{path}.files")
    if not beside.exists():
        beside.symlink_to(bench.settings.folder)
    return str(path)


@pytest.fixture
def shop_db(shop_bench: Workbench) -> str:
    return database_of(shop_bench)


def test_runs_and_judgments_are_those_that_were_added(shop_db: str, shop: Path) -> None:
    judgments = read_judgments(f"{shop_db}::judgments")
    assert judgments.to_dict() == read_judgments(shop / "shop.qrels").to_dict()
    run = read_run(f"{shop_db}::runs/a")
    assert (run.name, run.to_dict()) == ("a", read_run(shop / "a.run").to_dict())
    result = evaluate(f"{shop_db}::judgments", [f"{shop_db}::Shop/runs/a", f"{shop_db}::runs/b"], "nDCG@10")
    expected = evaluate(shop / "shop.qrels", [shop / "a.run", shop / "b.run"], "nDCG@10")
    assert list(result.systems) == ["a", "b"]
    for system in ("a", "b"):
        assert result.by_query("nDCG@10", system) == expected.by_query("nDCG@10", system)


def test_votes_are_those_of_the_report(shop_bench: Workbench, shop_db: str) -> None:
    study = study_of(shop_bench.database, 1, 1)
    assert study is not None
    for _ in range(2):  # without an adjudication, and with one
        data = study_data(shop_bench.database, study)
        expected = study_result(data, report_settings())
        for part in ("votes", "Shop/votes", "votes/Words or synonyms?"):
            result = gsb(f"{shop_db}::{part}", votes_per_query=3)
            assert (result.value, result.interval, result.n) == (
                expected.value,
                expected.interval,
                expected.n,
            )
        given = rater_agreement(read_votes(f"{shop_db}::votes", columns={"vote": "given"}))
        assert given == expected.agreement
        item = disagreements(data)[0].item.id
        adjudicate(
            shop_bench.database,
            study,
            item,
            id=str(uuid4()),
            preference="right",
            user=local_person(shop_bench.database).id,
        )


def test_commands_take_the_parts(shop_db: str, shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", f"{shop_db}::judgments", f"{shop_db}::runs/a", "-m", "nDCG@10"]) == 0
    from_workbench = capsys.readouterr().out
    assert main(["evaluate", str(shop / "shop.qrels"), str(shop / "a.run"), "-m", "nDCG@10"]) == 0
    assert from_workbench == capsys.readouterr().out
    assert main(["gsb", f"{shop_db}::votes"]) == 0
    assert "known answers: Ben (demo) 1 of 3 right" in capsys.readouterr().out
    codes = [
        main(["check", judgments, run])
        for judgments, run in (
            (f"{shop_db}::judgments", f"{shop_db}::runs/b"),
            (str(shop / "shop.qrels"), str(shop / "b.run")),
        )
    ]
    assert codes[0] == codes[1]
    assert "40 queries" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ("runs/zebra", "the project has no run 'zebra'"),
        ("runs", "which has no part 'runs'"),
        ("clicks", "which has no part 'clicks'"),
        ("votes/zebra", "there is no study 'zebra'"),
    ],
)
def test_a_part_that_is_not_there(shop_db: str, part: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as raised:
        read_run(f"{shop_db}::{part}")
    assert raised.value.hint


def test_of_several_projects_one_is_named(shop_bench: Workbench, shop_db: str) -> None:
    create_project(shop_bench.database, "Other")
    with pytest.raises(InputError, match="has 2 projects, and 'judgments' names none") as raised:
        read_judgments(f"{shop_db}::judgments")
    assert "Shop" in str(raised.value.hint)
    assert len(read_judgments(f"{shop_db}::Shop/judgments")) == 40
    with pytest.raises(InputError, match="the project has no judgments"):
        read_judgments(f"{shop_db}::Other/judgments")
    add_task(shop_bench.database, 2, kind="sides", name="new", contents=[], raters=[])
    with pytest.raises(InputError, match="has no votes yet"):
        read_votes(f"{shop_db}::Other/votes")


def test_files_that_are_kept_elsewhere(shop_db: str) -> None:
    Path(f"{shop_db}.files").unlink()
    with pytest.raises(InputError, match=r"is not in .*\.files") as raised:
        read_run(f"{shop_db}::runs/a")
    assert "--files" in str(raised.value.hint)


def test_other_databases_and_tables_are_read_as_before(shop_db: str, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "x.db") as base:
        base.execute("CREATE TABLE judgments (query TEXT, document TEXT, grade REAL)")
        base.execute("INSERT INTO judgments VALUES ('q', 'd', 2)")
    base.close()
    assert read_judgments(f"{tmp_path}/x.db::judgments").to_dict() == {"q": {"d": 2}}
    from idealist.data.tables import read_table

    assert list(read_table(f"{shop_db}::projects").columns["name"]) == ["Shop"]


def test_nothing_is_written_into_a_workbench(shop_db: str, shop: Path) -> None:
    before = Path(shop_db).read_bytes()
    for part in ("runs/a", "judgments", "mine"):
        with pytest.raises(InputError, match="this is the database of a workbench"):
            convert(shop / "a.run", f"{shop_db}::{part}", force=True)
    assert Path(shop_db).read_bytes() == before


def test_by_address(shop_bench: Workbench, shop_db: str, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("IDEALIST_TOKEN", raising=False)
    monkeypatch.setenv(
        "http_proxy", "http://127.0.0.1:9"
    )  # which nobody answers: this machine is asked itself
    with served(shop_bench) as address:
        for base in (address, f"{address}/projects/1"):
            run = read_run(f"{base}::runs/b")
            assert (run.name, run.to_dict()) == ("b", read_run(shop / "b.run").to_dict())
        assert len(read_judgments(f"{address}::judgments")) == 40
        votes, stored = read_votes(f"{address}::votes"), read_votes(f"{shop_db}::votes")
        assert (votes.values, votes.raters, votes.sides) == (stored.values, stored.raters, stored.sides)
        for part, message in (
            ("runs/z", "its runs are: a, b"),
            ("votes/z", "the studies are"),
            ("x", "which has no part 'x'"),
        ):
            with pytest.raises(InputError, match=message):
                read_run(f"{address}/projects/1::{part}")
        with pytest.raises(InputError, match="not the address of a project"):
            read_run(f"{address}/somewhere::runs/a")
        with pytest.raises(InputError, match="name a part of it"):
            read_run(f"{address}/projects/1")
    with pytest.raises(InputError, match="does not answer"):
        read_run(f"{address}::runs/a")


def test_a_token_opens_a_workbench_with_people(
    public_bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("IDEALIST_TOKEN", raising=False)
    admin = add_user(public_bench.database, "ann", "correct horse battery", "admin")
    rater = add_user(public_bench.database, "ben", "correct horse battery", "rater")
    create_project(public_bench.database, "shop")
    with served(public_bench) as address:
        with pytest.raises(InputError) as raised:
            read_run(f"{address}::runs/a")
        assert "IDEALIST_TOKEN" in str(raised.value.hint)
        monkeypatch.setenv("IDEALIST_TOKEN", add_token(public_bench.database, rater.id, "x"))
        with pytest.raises(InputError, match="takes the role analyst"):
            read_run(f"{address}::runs/a")
        monkeypatch.setenv("IDEALIST_TOKEN", add_token(public_bench.database, admin.id, "x") + "\r\n")
        with pytest.raises(InputError, match="the project has no run 'a'"):
            read_run(f"{address}::runs/a")


def test_a_token_is_not_sent_where_others_can_read_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IDEALIST_TOKEN", "secret")
    with pytest.raises(InputError, match="would be sent unencrypted to http") as caught:
        read_judgments("http://workbench.invalid/projects/1::judgments")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        (b"GARBAGE\r\n\r\n", "cut off, or not HTTP"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc", "cut off, or not HTTP"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc", "cut off, or not HTTP"),
        (b"HTTP/1.1 401 No\r\nContent-Length: 100\r\n\r\nabc", "status 401"),
        (b"HTTP/1.1 200 OK\r\n\r\n<html>", "no list of projects"),
        (b'HTTP/1.1 200 OK\r\n\r\n{"a": 1}', "no list of projects"),
        (b"", "does not answer"),
    ],
)
def test_an_answer_of_another_server_is_an_error_of_ours(sent: bytes, message: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(65_536)
                connection.sendall(sent)

        thread = Thread(target=answer)
        thread.start()
        with pytest.raises(InputError, match=message):
            read_judgments(f"http://127.0.0.1:{server.getsockname()[1]}::judgments")
        thread.join()


def test_a_password_in_an_address_is_refused_without_it() -> None:
    with pytest.raises(InputError, match="more than a host and a path") as refused:
        read_judgments("http://ann:hunter2@127.0.0.1:1/projects/1::judgments")
    assert "hunter2" not in repr(refused.value) + str(refused.value)


def test_a_token_that_no_header_can_hold_is_refused_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IDEALIST_TOKEN", "secret-token\nsecond line")
    with pytest.raises(InputError, match=r"the key in \$IDEALIST_TOKEN has a character") as raised:
        read_judgments("http://127.0.0.1:9/projects/1::judgments")
    assert "secret-token" not in repr(raised.value)
