"""Every result is readable: as text, in one line, in a notebook, as a frame."""

from __future__ import annotations

import csv
import io
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from support.report_pages import Page

import idealist as il
from idealist.base.results import Result
from idealist.integrations.metric_difference import MetricDifference
from idealist.integrations.search_engines import FetchedRun, SearchEngine
from idealist.learn.laws.law_results import LawCheck, LawResults
from idealist.plan.pilots import pilot_pair
from idealist.show.views import VIEWS, view
from idealist.votes.vote_plan import pilot_votes

# RR of old is 1/2 for every query but the last, of new 1 but for the first two: differences 0, 0, 1/2, 1/2, 1/2, −1/2.
QUERIES = [f"q{at}" for at in range(6)]
JUDGED = {query: {"a": 2, "b": 0, "c": 1} for query in QUERIES}
FIRST, SECOND = {"a": 3.0, "b": 2.0, "x": 1.0}, {"b": 3.0, "a": 2.0, "x": 1.0}
OLD = {query: FIRST if at == 5 else SECOND for at, query in enumerate(QUERIES)}
NEW = {query: FIRST if 2 <= at < 5 else SECOND for at, query in enumerate(QUERIES)}
RUNS = {"old": OLD, "new": NEW}
PEOPLE = {query: JUDGED[query] for query in QUERIES[:4]}
MACHINE = {query: {"a": 2, "b": 1, "c": at % 3} for at, query in enumerate(QUERIES)}
VOTES = {
    "query": [query for query in QUERIES for _ in range(2)],
    "rater": ["x", "y"] * 6,
    "vote": ["good", "good", "same", "good", "bad", "bad", "good", "same", "same", "same", "good", "good"],
}
PAIRS = {
    "query": [query for query in QUERIES for _ in range(2)],
    "left": ["old", "new"] * 6,
    "right": ["new", "old"] * 6,
    "winner": ["left", "right", "tie", "left", "left", "tie"] * 2,
}
EXPERIMENT = {"user": range(40), "group": ["old", "new"] * 20, "clicked": [0, 1, 0, 0] * 10}
STRATA = il.data.SampledJudgments({"q0": {"a": ("1", 1), "b": ("2", 1), "c": ("2", 0), "x": ("2", None)}})


def evaluation() -> il.evaluation.Evaluation:
    return il.evaluate(JUDGED, RUNS, ["RR", "nDCG@2"])


def clicked() -> il.data.Impressions:
    return il.clicks.simulate_clicks(JUDGED, NEW, impressions=60, k=2, exponent=1)


def interleaved() -> Any:
    log = il.clicks.simulate_interleaving(JUDGED, RUNS, impressions=40, k=2)
    return il.clicks.analyse_interleaving(log, offline=il.compare(JUDGED, RUNS, "RR"))


def queries() -> Any:
    from idealist.data.columns import Columns

    return il.plan.sample_queries(Columns({"query": QUERIES}), 3)


def on_an_engine() -> Any:
    """Of DuckDB, which is everywhere; results of the other engines are shown by the same code."""
    import duckdb
    import pyarrow as pa

    from idealist.engines.duckdb import evaluate

    connection = duckdb.connect()

    def relation(nested: dict[str, dict[str, Any]], number: str) -> Any:
        rows = [
            {"query": query, "document": document, number: float(value)}
            for query, documents in nested.items()
            for document, value in documents.items()
        ]
        return connection.from_arrow(pa.Table.from_pylist(rows))

    runs = {name: relation(run, "score") for name, run in RUNS.items()}
    return evaluate(relation(JUDGED, "grade"), runs, ["RR", "nDCG@2"])


def questions() -> il.machine.Questions:
    return il.machine.grade_questions({"q": ["d"]}, {"q": "capital of italy"}, {"d": "Rome is the capital."})


def machine_answers() -> il.machine.MachineAnswers:
    """As if the endpoint had answered."""
    from idealist.machine.asking import Reply

    asked = questions()
    replies = {question: Reply('{"grade": 3}') for question in asked.rows}
    counts = {"requests": 1, "cached": 0, "input_tokens": 80, "output_tokens": 6}
    return il.machine.MachineAnswers(asked, ENDPOINT, replies, {}, prices=None, **counts)


def cluster_comparison() -> Any:
    from idealist.engines.engine_results import ClusterComparison
    from idealist.engines.kernel import total_values
    from idealist.engines.task import make_task

    task = make_task(["RR", "nDCG@2"], systems=("old", "new"), baseline="old")
    return ClusterComparison(task, total_values(task, on_an_engine().values_table()))


ENDPOINT = il.machine.Endpoint("http://localhost:8000/v1", "judge")
RESULTS: dict[str, Callable[[], Any]] = {
    "Agreement": lambda: il.votes.rater_agreement(VOTES),
    "CheckResult": lambda: il.check(JUDGED, OLD),
    "ClusterComparison": cluster_comparison,
    "ClusterSummary": lambda: on_an_engine().summary,
    "ClickFit": lambda: il.clicks.fit_clicks(clicked()),
    "Comparison": lambda: il.compare(JUDGED, RUNS, ["RR", "nDCG@2"], segments={q: q[-1] for q in QUERIES}),
    "Contrast": lambda: il.compare(JUDGED, RUNS, "RR").contrasts[0],
    "CorrectedMeans": lambda: il.evaluate(PEOPLE, RUNS, "RR", machine=JUDGED).corrected(),
    "JudgeReport": lambda: il.machine.report(JUDGED, MACHINE, RUNS, "RR"),
    "JudgmentDraw": lambda: il.plan.draw_judgments(RUNS, MACHINE, 8),
    "PoweredMean": lambda: il.statistics.powered_mean([0.1, 0.4], [0.2, 0.3], [0.5, 0.6]),
    "ToolDifference": lambda: il.why(JUDGED, OLD, "nDCG@2", between=("idealist", "lightgbm")),
    "EngineEvaluation": on_an_engine,
    "Estimate": lambda: il.machine.estimate(questions(), ENDPOINT),
    "Evaluation": evaluation,
    "Explanation": lambda: il.explain(JUDGED, NEW, query="q0"),
    "Finding": lambda: il.check(JUDGED, OLD).findings[0],
    "FetchedRun": lambda: FetchedRun(
        il.Run({"q": {"a": 2.0, "b": 2.0}}),
        SearchEngine("solr", "http://localhost/solr", "shop"),
        2,
        0,
        ("r",),
        1,
    ),
    "ABTest": lambda: il.comparison.ab(EXPERIMENT),
    "GroupDifference": lambda: il.comparison.ab(EXPERIMENT)["clicked"],
    "Risk": lambda: il.compare(JUDGED, RUNS, "RR").risks()[0],
    "Risks": lambda: il.compare(JUDGED, RUNS, "RR").risks(),
    "SampleRatio": lambda: il.comparison.ab(EXPERIMENT).ratio,
    "GSB": lambda: il.gsb(VOTES),
    "ImpressionPlan": lambda: il.plan.needed_impressions(0.05, 0.7),
    "InterleavedLists": lambda: il.clicks.interleave(RUNS, k=2),
    "InterleavingResult": interleaved,
    "LawResults": lambda: LawResults([LawCheck("shift", "broken", "2 added")], "mine"),
    "MachineAnswers": machine_answers,
    "MetricDifference": lambda: MetricDifference("LlamaIndex", "ndcg", 0.5, "nDCG@2", 1.0, ("a reason",)),
    "OpenDifferences": lambda: il.plan.open_differences({"q0": {"a": 1}}, RUNS),
    "OpenDocuments": lambda: il.plan.next_documents({"q0": {"a": 1}}, RUNS),
    "PairPilot": lambda: pilot_pair(evaluation(), "RR"),
    "RaterModel": lambda: il.votes.rater_model(VOTES, rounds=20),
    "Report": lambda: il.report(JUDGED, RUNS, ["RR", "nDCG@2"], votes=VOTES),
    "SampledDocuments": lambda: il.plan.sample_documents(RUNS, {1: 1, 3: 0.5}),
    "SampledQueries": queries,
    "SamplingErrors": lambda: il.plan.sampling_errors(
        STRATA, {"q0": {"c": 4.0, "b": 3.0, "a": 2.0}}, "xinfAP"
    ),
    "ConventionSearch": lambda: il.evaluation.find_conventions(JUDGED, OLD, "nDCG@2", "0.5"),
    "Segment": lambda: il.comparison.segments(evaluation(), "RR", dict.fromkeys(QUERIES, "all"), "new")[0],
    "Segments": lambda: il.comparison.segments(evaluation(), "RR", {q: q[-1] for q in QUERIES}, "new"),
    "Sequential": lambda: il.gsb(VOTES).sequential,
    "SlateEstimates": lambda: il.clicks.estimate_clicks(clicked(), NEW),
    "SystemRanking": lambda: il.votes.rank_systems(PAIRS, rounds=100),
    "TieBounds": lambda: il.evaluate({"q": {"b": 1}}, {"q": {"a": 1.0, "b": 1.0}}, "RR").ties("RR"),
    "TunedFusion": lambda: il.fusion.tune_fusion(JUDGED, RUNS, "rrf", "RR", grid={"k": [1, 60]}, folds=2),
    "Verdict": lambda: il.compare(JUDGED, RUNS, "RR").verdict(),
    "VotePilot": lambda: pilot_votes(il.read_votes(VOTES)),
}


def test_all_of_them_are_here() -> None:
    assert set(RESULTS) == set(VIEWS)


@pytest.fixture(params=RESULTS)
def result(request: pytest.FixtureRequest) -> Result:
    made: Result = RESULTS[request.param]()
    assert request.param in [cls.__name__ for cls in type(made).__mro__]
    return made


def test_text_and_one_line(result: Result) -> None:
    assert str(result) == view(result).to_text().rstrip("\n")
    assert str(result).strip()
    assert re.match(rf"<?{type(result).__name__}[:(]", repr(result))
    assert "\n" not in repr(result)
    assert len(repr(result)) < 250


def test_html_is_whole(result: Result) -> None:
    html: Any = result
    if not isinstance(result, il.show.Report):  # whose page stands in a frame of its own
        assert html._repr_html_() == result.to_html()
    assert Page(result.to_html()).text.strip()


def test_markdown_and_latex(result: Result) -> None:
    assert result.to_markdown().strip()
    outside = result.to_latex().split(r"\begin{tabular}")[0]
    assert all(line.startswith("% ") for line in outside.splitlines() if line)


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow"])
def test_frames_have_the_rows_of_csv(result: Result, library: str) -> None:
    pytest.importorskip(library)
    frame = result.to_frame(library)
    rows = list(csv.reader(io.StringIO(result.to_csv())))[1:]
    by_query = isinstance(result, il.evaluation.Evaluation)  # its frame has queries, its CSV means
    assert len(frame) == (24 if by_query else len(rows))


def test_json_is_plain(result: Result) -> None:
    assert view(result).to_json().strip()


def test_they_travel_between_processes(result: Result) -> None:
    assert str(pickle.loads(pickle.dumps(result))) == str(result)


def test_a_frame_has_one_type_in_a_column() -> None:
    """Grades 1 and 1/2 are numbers with a fraction; an unjudged document has none, whatever stands for it in text."""
    frame = il.evaluation.explain_grades([1, None, 0.5]).to_frame("polars")
    assert frame["grade"].to_list() == [1.0, None, 0.5]
    assert "–" in str(il.evaluation.explain_grades([1, None, 0.5]))


def test_queries_keep_their_type() -> None:
    """Whole numbers as they were given, in frames of evaluations and of contrasts."""
    judged = {7: {"a": 1}, 8: {"a": 1}}
    first, second = {"a": 2.0, "b": 1.0}, {"b": 2.0, "a": 1.0}
    compared = il.compare(judged, {"old": {7: second, 8: first}, "new": {7: first, 8: first}}, "RR")
    frame = compared["new", "RR"].to_frame("pandas")
    assert frame["query"].tolist() == [7, 8]
    assert frame["difference"].tolist() == [0.5, 0.0]  # 1 − 1/2, 1 − 1
    assert compared.evaluation.to_frame("pandas")["query"].tolist() == [7, 8, 7, 8]


def test_ids_of_other_results_keep_their_type() -> None:
    """Queries and documents as whole numbers where all inputs had them so, as text elsewhere."""
    judged: dict[Any, Any] = {7: {1: 1, 2: 2}}
    runs: dict[str, Any] = {"old": {7: {1: 1.0, 3: 2.0}}, "new": {7: {1: 2.0, 4: 1.0}}}
    explained = il.explain(judged, runs["old"], query="7").to_frame("pandas")
    assert explained["document"].tolist() == [3, 1]
    assert explained["ideal document"].tolist() == [2, 1]
    following = il.plan.next_documents(judged, runs).to_frame("pandas")
    assert following["query"].tolist() == [7, 7]
    assert sorted(following["document"]) == [3, 4]  # 1 is judged
    sample = il.plan.sample_documents(runs, {2: 1}).to_frame("pandas")
    assert sorted(sample["document"]) == [1, 3, 4]
    agreement = il.evaluation.agree(runs["new"], runs["old"], "Overlap@2").to_frame("pandas")
    assert agreement["query"].tolist() == [7]
    mixed = il.plan.next_documents(judged, {**runs, "text": {"7": {"1": 2.0, "5": 1.0}}}).to_frame("pandas")
    assert sorted(mixed["document"]) == ["3", "4", "5"]
    assert set(mixed["query"]) == {"7"}


def test_queries_of_frames_and_samples_keep_their_type() -> None:
    pandas = pytest.importorskip("pandas")
    from idealist.data.columns import Columns

    run = pandas.DataFrame({"query": [7, 7], "document": [10, 11], "score": [1.0, 2.0]})
    judged = pandas.DataFrame({"query": [7], "document": [10], "grade": [1]})
    assert il.explain(judged, run, query="7").to_frame("pandas")["document"].tolist() == [11, 10]
    drawn = il.plan.sample_queries(Columns({"query": [3, 4]}), 2)
    assert drawn.to_frame("pandas")["query"].tolist() == [3, 4]
    as_text = il.plan.sample_queries(Columns({"query": ["3", "4"]}), 2)
    assert as_text.to_frame("pandas")["query"].tolist() == ["3", "4"]


def test_showing_means_imports_no_more_than_it_takes() -> None:
    code = """
import sys
import idealist as il
result = il.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "RR")
assert "idealist.show" not in sys.modules
str(result)
heavy = ("numpy", "idealist.comparison", "idealist.statistics", "idealist.votes", "idealist.checks")
print([name for name in heavy if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_what_has_no_view_is_said() -> None:
    class Own(Result):
        pass

    with pytest.raises(il.InputError, match="a Own cannot be shown"):
        str(Own())


def test_a_long_list_is_cut_for_people_only() -> None:
    sample = il.plan.sample_documents({f"q{at:03}": FIRST for at in range(30)}, {3: 1})
    assert len(sample) == 90  # 30 queries × 3 documents
    assert str(sample).splitlines()[-1] == "… and 50 more; to_frame and to_csv have all"
    assert len(sample.to_csv().splitlines()) == 91
