"""Runs from search engines: each in its own form, and when they misbehave."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from support.fake_endpoint import Handler, Reaction, endpoint
from support.fake_search_engines import ANSWERS, answering, elasticsearch

from idealist import InputError, read_run
from idealist.cli import main
from idealist.integrations.search_engines.fetching import FetchedRun, SearchEngine, fetch_run
from idealist.integrations.search_engines.protocols import DIALECTS, filled

QUERIES = {"q1": "red lipstick", "q2": "scarf", "q3": 'a "quoted" {depth} text', "q4": "blue wool"}
# By hand: two words in common before one, equal ones by id; q3 has no word of any document.
LISTS = {
    "q1": {"d1": 2.0, "d2": 1.0, "d3": 1.0},
    "q2": {"d2": 1.0, "d4": 1.0},
    "q4": {"d4": 2.0},
}


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SEARCH_AUTHORIZATION", raising=False)


def fetched(reaction: Reaction, engine: str = "elasticsearch", how: Any = None, **fields: Any) -> FetchedRun:
    with endpoint(reaction) as fake:
        asked = SearchEngine(engine, fake.url, "shop", **{"timeout": 5.0, **fields})
        return fetch_run(QUERIES, asked, first_wait=0.01, **(how or {}))


@pytest.mark.parametrize("engine", DIALECTS)
def test_each_engine_is_asked_and_read_in_its_own_form(engine: str) -> None:
    assert set(ANSWERS) == set(DIALECTS)
    result = fetched(answering(engine), engine)
    assert result.run.to_dict() == LISTS
    assert (result.asked, result.resumed, result.empty, result.tied) == (4, 0, ("q3",), 2)
    assert result.run.name == "shop"
    assert "1 query without documents, not in the run: 'q3'" in str(result)


@pytest.mark.parametrize("engine", DIALECTS)
def test_the_depth_is_kept(engine: str) -> None:
    assert fetched(answering(engine), engine, depth=1).run.to_dict()["q1"] == {"d1": 2.0}


def test_what_is_sent() -> None:
    with endpoint(answering("elasticsearch")) as fake:
        engine = SearchEngine("elasticsearch", fake.url, "shop,old-*", depth=7)
        with pytest.raises(InputError, match="no query has a document"):
            fetch_run({"q": 'a "quoted" {depth} text'}, engine)
    assert fake.paths == ["/v1/shop,old-*/_search"]
    assert fake.bodies == [
        {
            "size": 7,
            "_source": ["_id"],
            "track_total_hits": False,
            "query": {"multi_match": {"query": 'a "quoted" {depth} text'}},
        }
    ]


def test_a_template_is_filled_as_json() -> None:
    template = {"size": "{depth}", "a": ["{id}: {query}", {"b": "{id_field}"}], "c": 1.5, "{query}": None}
    values: dict[str, str | int] = {"{depth}": 3, "{id}": "q", "{id_field}": "sku", "{query}": '{id}"}'}
    assert filled(template, values) == {
        "size": 3,
        "a": ['q: {id}"}', {"b": "sku"}],
        "c": 1.5,
        "{query}": None,
    }


def test_ids_of_another_field() -> None:
    assert fetched(answering("elasticsearch"), id_field="sku").run.ranking("q4") == ["sku-d4"]
    with pytest.raises(InputError, match=r"query 'q\d': a hit has no 'nr', or one that is not an id: null"):
        fetched(answering("elasticsearch"), id_field="nr")


def test_ranks_keep_the_order_of_the_engine() -> None:
    def by_date(handler: Handler, body: dict[str, Any], number: int) -> None:
        answer = elasticsearch(body)
        for hit in answer["hits"]["hits"]:
            hit["_score"] = None
        handler.send(200, json.dumps(answer))

    with pytest.raises(
        InputError, match="document 'd1' has no score, as when an engine sorts by a field"
    ) as error:
        fetched(by_date)
    assert error.value.hint == "--scores rank keeps the order of the engine"
    result = fetched(by_date, how={"scores": "rank"})
    assert result.run.to_dict()["q1"] == {"d1": -1.0, "d2": -2.0, "d3": -3.0}
    assert result.tied == 0


def test_an_order_that_is_not_that_of_the_scores_is_refused() -> None:
    def reversed_list(handler: Handler, body: dict[str, Any], number: int) -> None:
        answer = elasticsearch(body)
        answer["hits"]["hits"].reverse()
        handler.send(200, json.dumps(answer))

    with pytest.raises(
        InputError, match="query 'q1': the list of the engine is not in the order of its scores"
    ):
        fetched(reversed_list)


def test_a_document_twice_is_refused() -> None:
    def twice(handler: Handler, body: dict[str, Any], number: int) -> None:
        answer = elasticsearch(body)
        answer["hits"]["hits"] *= 2
        handler.send(200, json.dumps(answer))

    with pytest.raises(InputError, match="query 'q1': document 'd1' is in the list twice"):
        fetched(twice)


def failing_first(status: int, text: str, engine: str) -> Reaction:
    """Fails the first time that a query is asked."""
    seen: set[str] = set()

    def react(handler: Handler, body: dict[str, Any], number: int) -> None:
        key = json.dumps(body)
        if key in seen:
            answering(engine)(handler, body, number)
        else:
            seen.add(key)
            handler.send(status, text)

    return react


@pytest.mark.parametrize(
    ("engine", "status", "text"),
    [
        ("elasticsearch", 429, '{"error": {"root_cause": [{"reason": "queue full"}]}}'),
        ("elasticsearch", 503, "shutting down"),
        ("elasticsearch", 200, '{"timed_out": true, "_shards": {}, "hits": {"hits": []}}'),
        (
            "opensearch",
            200,
            '{"timed_out": false, "_shards": {"total": 5, "failed": 1}, "hits": {"hits": []}}',
        ),
        ("solr", 200, '{"responseHeader": {"partialResults": true}, "response": {"docs": []}}'),
        ("vespa", 504, '{"root": {"errors": [{"code": 12, "summary": "Timed out"}]}}'),
        ("vespa", 200, '{"root": {"errors": [{"code": 12, "message": "no nodes"}]}}'),
        ("vespa", 200, '{"root": {"coverage": {"coverage": 50, "degraded": {"timeout": true}}}}'),
        ("solr", 200, '{"response": '),
        ("solr", 200, "[]"),
    ],
)
def test_what_failed_or_is_incomplete_is_asked_again(engine: str, status: int, text: str) -> None:
    assert fetched(failing_first(status, text, engine), engine).run.to_dict() == LISTS


@pytest.mark.parametrize(
    ("status", "text", "message", "hint"),
    [
        (401, "{}", "status 401", "put the value of the header Authorization into $SEARCH_AUTHORIZATION"),
        (404, '{"error": "no such index"}', "no such index", "is 'shop' the index"),
        (
            400,
            '{"error": {"root_cause": [{"reason": "unknown field [tilte]"}]}}',
            "unknown field",
            "--template",
        ),
        (302, "", "it sends requests elsewhere", "name the address itself"),
    ],
)
def test_what_no_request_will_change_ends_it(status: int, text: str, message: str, hint: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        fetched(lambda handler, body, number: handler.send(status, text), how={"concurrency": 1})
    assert hint in str(error.value.hint)


def answer(text: str, handler: Any, body: Any, number: int) -> None:
    handler.send(200, text)


def test_the_key_goes_with_requests_and_into_no_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEARCH_AUTHORIZATION", "ApiKey very-secret")
    with endpoint(answering("elasticsearch")) as fake:
        fetch_run(QUERIES, SearchEngine("elasticsearch", fake.url, "shop"))
    assert set(fake.keys) == {"ApiKey very-secret"}
    with pytest.raises(InputError) as error:
        fetched(lambda handler, body, number: handler.send(403, '{"error": "ApiKey very-secret is bad"}'))
    assert "very-secret" not in str(error.value)
    for said in (
        '{"error": "there is no key very-secret"}',
        '{"root": {"errors": [{"code": 4, "message": "very-secret?"}]}}',
    ):
        with (
            pytest.raises(InputError) as error,
            endpoint(partial(answer, said)) as fake,
        ):
            fetch_run(
                QUERIES, SearchEngine("vespa", fake.url, "shop"), concurrency=1, retries=0, first_wait=0.001
            )
        assert "[key]" in str(error.value)
        assert "very-secret" not in str(error.value)
    with pytest.raises(InputError, match="would be sent unencrypted"):
        fetch_run(QUERIES, SearchEngine("elasticsearch", "http://search.example.org", "shop"))


def test_a_header_with_a_line_end_is_stripped_or_refused_by_its_variable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SEARCH_AUTHORIZATION", "ApiKey very-secret\r\n")
    with endpoint(answering("elasticsearch")) as fake:
        fetch_run(QUERIES, SearchEngine("elasticsearch", fake.url, "shop"))
        assert set(fake.keys) == {"ApiKey very-secret"}
        monkeypatch.setenv("SEARCH_AUTHORIZATION", "ApiKey very-secret\r\nX-Other: 1")
        with pytest.raises(InputError, match=r"the key in \$SEARCH_AUTHORIZATION has a character") as error:
            fetch_run(QUERIES, SearchEngine("elasticsearch", fake.url, "shop"))
    assert "very-secret" not in repr(error.value)


def test_fetching_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    journal = tmp_path / "bm25.run.partial"

    def down_for_scarves(handler: Handler, body: dict[str, Any], number: int) -> None:
        if body["query"]["multi_match"]["query"] == "scarf":
            handler.send(500, "down")
        else:
            answering("elasticsearch")(handler, body, number)

    with endpoint(down_for_scarves) as fake:
        engine = SearchEngine("elasticsearch", fake.url, "shop")
        how: dict[str, Any] = {"journal": journal, "first_wait": 0.001, "retries": 1}
        with pytest.raises(
            InputError, match="1 of 4 queries have no list, query 'q2' because of: status 500: down"
        ):
            fetch_run(QUERIES, engine, **how)
        asked = len(fake.bodies)
        assert asked == 5
        with journal.open("a") as file:
            file.write('{"query": "q2", "hi')  # the machine stopped while a line was written
        fake.reaction = answering("elasticsearch")
        result = fetch_run(QUERIES, engine, **how)
        assert (result.asked, result.resumed, len(fake.bodies)) == (1, 3, asked + 1)
        assert result.run.to_dict() == LISTS
        with pytest.raises(
            InputError, match="these lists are of other queries, or were asked for in another way"
        ):
            fetch_run(QUERIES, engine.replace(depth=3), **how)
        journal.write_text(journal.read_text().replace('"hits"', '"hut"'))
        with pytest.raises(
            InputError, match=r"bm25\.run\.partial, line 2: this is not a list that was fetched"
        ):
            fetch_run(QUERIES, engine, **how)


def test_lists_of_another_depth_or_other_ids_are_not_mixed_in(tmp_path: Path) -> None:
    """A template that names neither looks the same for both."""
    template = json.dumps({"size": 9, "query": {"multi_match": {"query": "{query}"}}})
    journal = tmp_path / "bm25.run.partial"
    with endpoint(answering("elasticsearch")) as fake:
        engine = SearchEngine("elasticsearch", fake.url, "shop", depth=2, template=template)
        fetch_run(QUERIES, engine, journal=journal)
        for other in (engine.replace(depth=1), engine.replace(id_field="sku")):
            with pytest.raises(InputError, match="these lists are of other queries"):
                fetch_run(QUERIES, other, journal=journal)
        assert fetch_run(QUERIES, engine, journal=journal).asked == 0


def test_a_schema_with_quotes_stays_a_name() -> None:
    engine = SearchEngine("vespa", "http://localhost:8080", 'a"b {query}')
    assert engine.body("q1", "text")["yql"] == 'select documentid from sources a"b {query} where userQuery()'


def test_nothing_is_left_where_no_list_came(tmp_path: Path) -> None:
    journal = tmp_path / "bm25.run.partial"
    with pytest.raises(InputError, match="it cannot be reached"):
        fetch_run(QUERIES, SearchEngine("solr", "http://127.0.0.1:1/solr", "shop"), journal=journal)
    assert not journal.exists()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"engine": "lucene"}, "there is no search engine 'lucene'"),
        ({"url": "localhost:9200"}, "the engine must be an address of http or https"),
        ({"url": "http://me:secret@localhost"}, "holds more than a host and a path"),
        ({"depth": 0}, "depth must be"),
        ({"template": "{"}, "the template is not JSON"),
        ({"template": '{"size": 3}'}, r"must be a JSON object that holds \{query\}"),
        (
            {"template": '{"q": "{query}", "size": "{dept}"}'},
            "has the place {dept}, which stands for nothing",
        ),
        ({"timeout": 0}, "timeout must be above 0"),
        ({"timeout": float("inf")}, "timeout must be finite"),
        ({"timeout": 1e300}, "timeout must be above 0 and at most 1000000"),
    ],
)
def test_bad_settings(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        SearchEngine(**{"engine": "solr", "url": "http://localhost:8983/solr", "index": "shop", **fields})


def test_an_index_is_needed() -> None:
    with pytest.raises(InputError, match="elasticsearch needs an index"):
        fetch_run(QUERIES, SearchEngine("elasticsearch", "http://localhost:1"))


def test_the_command_writes_the_run_and_leaves_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    queries, target = tmp_path / "queries.tsv", tmp_path / "bm25.run"
    queries.write_text("".join(f"{name}\t{text}\n" for name, text in QUERIES.items()))
    with endpoint(answering("solr")) as fake:
        command = [
            "fetch-run",
            str(queries),
            str(target),
            "--engine",
            "solr",
            "--url",
            fake.url,
            "--index",
            "shop",
        ]
        assert main(command) == 0
        assert main(command) == 2  # it is there
    assert read_run(target).to_dict() == LISTS
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bm25.run", "queries.tsv"]
    output = capsys.readouterr()
    assert "note: 2 lists with equal scores" in output.out
    assert "exists already" in output.err


def command_for(url: str, *words: Any) -> list[str]:
    return ["fetch-run", *map(str, words), "--engine", "solr", "--url", url, "--index", "shop"]


def test_queries_in_another_encoding_and_other_columns(tmp_path: Path) -> None:
    queries, target = tmp_path / "queries.csv", tmp_path / "bm25.run"
    queries.write_bytes("nr,frage\nq1,Gr\xfcn\nq2,scarf\n".encode("latin-1"))
    with endpoint(answering("solr")) as fake:
        command = command_for(fake.url, queries, target)
        assert main([*command, "--columns", "query=nr,text=frage", "--encoding", "latin-1"]) == 0
        ours = ["--columns", "queries.query=nr,queries.text=frage", "--encoding", "queries=latin-1"]
        assert main([*command, *ours, "--input-format", "csv", "--force"]) == 0
    assert {body["query"]["edismax"]["query"] for body in fake.bodies} == {"Grün", "scarf"}


def test_lists_that_a_format_cannot_carry_are_not_lost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    queries = tmp_path / "queries.tsv"
    queries.write_text("q 1\tscarf\n")
    with endpoint(answering("solr")) as fake:
        assert main(command_for(fake.url, queries, tmp_path / "a.run")) == 2
        said = " ".join(capsys.readouterr().err.split())
        assert "query 'q 1': TREC text cannot carry ids" in said
        assert "renamed to OTHER.partial" in said
        (tmp_path / "a.run.partial").rename(tmp_path / "a.json.partial")
        assert main(command_for(fake.url, queries, tmp_path / "a.json")) == 0
        assert len(fake.bodies) == 1
    assert list(read_run(tmp_path / "a.json")) == ["q 1"]


def test_a_folder_that_is_not_there_is_said_before_anything_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    queries = tmp_path / "queries.tsv"
    queries.write_text("q1\tscarf\n")
    assert main(command_for("http://127.0.0.1:1", queries, tmp_path / "none" / "a.run")) == 2
    assert "there is no folder" in capsys.readouterr().err


def test_the_template_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["fetch-run", "-", "--engine", "vespa", "--url", "http://localhost:8080", "--show-template"])
        == 0
    )
    assert json.loads(capsys.readouterr().out)["hits"] == "{depth}"
