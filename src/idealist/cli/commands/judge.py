"""idealist judge: grades or votes of a model, for the pooled documents of runs."""

from __future__ import annotations

from idealist.cli.files import refuse_existing, refuse_inputs, rows_text, write_file
from idealist.cli.inputs import stated_queries
from idealist.cli.messages import show
from idealist.cli.options import add_format, add_output, add_requests, add_seed, add_threads, write_view
from idealist.cli.sources import (
    RUNS,
    add_sources,
    expanded,
    named_files,
    read_judged,
    sources_of,
    texts_of,
)
from idealist.cli.templates import template_text
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from idealist.machine.answers import MachineAnswers
    from idealist.machine.asking import Endpoint
    from idealist.machine.questions import Questions

SUMMARY = "ask a language model for grades or votes"
EPILOG = """examples:
  idealist judge queries.tsv documents.jsonl a.run b.run -k 10 --endpoint http://localhost:8000/v1 --model NAME --dry-run
  idealist judge queries.tsv documents.jsonl a.run b.run -k 10 --endpoint http://localhost:8000/v1 --model NAME -o machine.csv
  idealist judge queries.tsv documents.jsonl a.run --judged people.qrels --endpoint URL --model NAME --samples 3 --rate 60 -o machine.csv
  idealist judge queries.tsv documents.jsonl a.run b.run --pairwise -k 5 --endpoint URL --model NAME -o votes.csv
  idealist evaluate machine.csv a.run b.run
  idealist gsb votes.csv

Any server with the interface of OpenAI's API can be asked: URL is its address up to /v1. A key is read from the environment
(OPENAI_API_KEY, or --key-variable), and written nowhere. Every answer is kept in --cache as soon as it is there: a
command that was stopped goes on where it ended, and nothing is asked twice.

exit code: 0 all was answered and read, 1 something was not, 2 nothing could be asked"""
TEXTS = "TSV of id and text, a table with the columns id, text and, optionally, title, or ir_datasets:ID"
CACHE = "answers.sqlite"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query_texts", metavar="QUERIES", help=f"texts of queries: {TEXTS}")
    parser.add_argument("document_texts", metavar="DOCUMENTS", help="texts of documents, in the same form")
    parser.add_argument("runs", metavar="RUN", nargs="+", help=RUNS)
    parser.add_argument("-k", type=int, default=10, help="how many documents of every run (default: 10)")
    parser.add_argument("--judged", metavar="JUDGMENTS", help="leave out documents that are judged here")
    parser.add_argument("--queries", metavar="FILE", help="only the queries of this table, such as a sample")
    _add_questions(parser.add_argument_group("what is asked"))
    _add_endpoint(parser.add_argument_group("who is asked"))
    _add_pace(parser.add_argument_group("how fast, and at what cost"))
    add_seed(parser)
    add_output(
        parser, "the file of grades or votes: .csv, .jsonl, or .qrels for grades (default: a summary alone)"
    )
    parser.add_argument(
        "--answers", metavar="FILE", help="write every answer as it came to this file, as JSONL"
    )
    add_format(parser)
    add_sources(parser)
    add_threads(parser)


def _add_questions(group: argparse._ActionsContainer) -> None:
    group.add_argument(
        "--pairwise",
        action="store_true",
        help="ask which of two runs has the better first k documents: the first RUN is the baseline, the second the candidate",
    )
    group.add_argument(
        "--scale",
        default="0-3",
        metavar="GRADES",
        help="the grades: 0-3, 0,1, or 0:no,1:in part,2:yes (default: 0-3)",
    )
    group.add_argument(
        "--template",
        metavar="FILE",
        help="a prompt of your own: text with {query} and {document}, or {query}, {left} and {right}; {scale} for the grades",
    )
    group.add_argument(
        "--samples",
        type=int,
        metavar="N",
        help="how often each question is asked; the grade is their median (default: 1; with --pairwise 2, sides exchanged)",
    )
    group.add_argument(
        "--longest",
        type=int,
        default=8000,
        metavar="N",
        help="how many characters of a document, or of a list, the model sees (default: 8000)",
    )


def _add_endpoint(group: argparse._ActionsContainer) -> None:
    group.add_argument(
        "--endpoint",
        required=True,
        metavar="URL",
        help="address of the server, for example http://localhost:8000/v1",
    )
    group.add_argument("--model", required=True, metavar="NAME", help="name of the model at the endpoint")
    group.add_argument(
        "--key-variable",
        default="OPENAI_API_KEY",
        metavar="NAME",
        help="the environment variable that holds the key (default: OPENAI_API_KEY; without it none is sent)",
    )
    group.add_argument(
        "--temperature",
        type=float,
        metavar="T",
        help="temperature of the model (default: 0 with one sample, 1 with several)",
    )
    group.add_argument(
        "--max-tokens", type=int, default=256, metavar="N", help="longest answer, in tokens (default: 256)"
    )
    group.add_argument(
        "--body",
        default="{}",
        metavar="JSON",
        help="further fields of requests; null removes one, as in '{\"max_tokens\": null}'",
    )


def _add_pace(group: argparse._ActionsContainer) -> None:
    group.add_argument(
        "--dry-run",
        action="store_true",
        help="print how many requests and tokens it would take, and send nothing",
    )
    group.add_argument(
        "--cache", default=CACHE, metavar="FILE", help=f"where answers are kept (default: {CACHE})"
    )
    add_requests(group, 60.0)
    group.add_argument(
        "--limit", type=int, metavar="N", help="send at most N requests in this run of the command"
    )
    group.add_argument(
        "--prices",
        metavar="READ,WRITTEN",
        help="prices of a million tokens read and written, such as 0.15,0.60, to print the cost",
    )


def run(arguments: argparse.Namespace) -> int:
    from idealist.cli.progress import Progress
    from idealist.machine.asking import ask, estimate
    from idealist.show.views import view

    texts = [arguments.query_texts, arguments.document_texts]
    for path in (arguments.output, arguments.answers):
        refuse_existing(path, arguments.force)
        refuse_inputs(path, [*texts, *expanded(arguments.runs), arguments.judged])
    format = _output_format(arguments)
    endpoint = _endpoint(arguments)
    prices = _prices(arguments.prices)
    questions = _questions(arguments)
    if not questions.rows:
        raise InputError(
            "there is nothing to ask: all documents are judged", hint="raise -k, or leave --judged out"
        )
    how: dict[str, Any] = {"cache": arguments.cache, "prices": prices}
    how |= {"concurrency": arguments.concurrency, "rate": arguments.rate}
    expected = estimate(questions, endpoint, **how)
    if arguments.dry_run:
        write_view(view(expected), arguments.format)
        return 0
    show(view(expected))
    bar = Progress("asking", "answers")
    try:
        answers = ask(
            questions,
            endpoint,
            retries=arguments.retries,
            limit=arguments.limit,
            seed=arguments.seed,
            progress=bar,
            **how,
        )
    finally:
        bar.wipe()
    if arguments.answers is not None:
        records = answers.answers()
        titles = list(records[0]) if records else []
        text = rows_text(titles, [list(record.values()) for record in records], "jsonl")
        write_file(arguments.answers, text, force=arguments.force)
    if arguments.output is not None:
        write_file(arguments.output, _written(answers, format), force=arguments.force)
    write_view(view(answers), arguments.format)
    return 1 if answers.failures or answers.unread or answers.unasked else 0


def _output_format(arguments: argparse.Namespace) -> str:
    """By the ending of the file."""
    if arguments.output is None:
        return ""
    endings = {".csv": "csv", ".jsonl": "jsonl", **({} if arguments.pairwise else {".qrels": "trec"})}
    for ending, format in endings.items():
        if arguments.output.lower().endswith(ending):
            return format
    raise InputError(
        f"{arguments.output}: the ending names no format", hint=f"end the name with {', '.join(endings)}"
    )


def _endpoint(arguments: argparse.Namespace) -> Endpoint:
    from idealist.machine.asking import Endpoint

    samples = arguments.samples or 1
    temperature = arguments.temperature
    if temperature is None:
        temperature = 1.0 if samples > 1 and not arguments.pairwise else 0.0
    return Endpoint(
        arguments.endpoint,
        arguments.model,
        key_variable=arguments.key_variable,
        timeout=arguments.timeout,
        temperature=temperature,
        max_tokens=arguments.max_tokens,
        extra=arguments.body,
    )


def _prices(text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    try:
        read, written = (float(part) for part in text.split(","))
    except ValueError:
        read = written = -1.0
    if not (0 <= read < float("inf") and 0 <= written < float("inf")):
        raise InputError(
            f"--prices must be two numbers, of a million tokens read and written, not {text!r}",
            hint="for example 0.15,0.60",
        )
    return read, written


def _questions(arguments: argparse.Namespace) -> Questions:
    from idealist.machine.questions import GRADES, VOTES, Prompt, Scale, grade_questions, vote_questions

    sources = sources_of(arguments)
    template = "" if arguments.template is None else template_text(arguments.template)
    prompt = Prompt(
        VOTES if arguments.pairwise else GRADES, Scale.parse(arguments.scale), template, arguments.longest
    )
    queries = texts_of(arguments.query_texts, sources, "queries")
    documents = texts_of(arguments.document_texts, sources, "documents")
    runs = named_files(expanded(arguments.runs), sources, judgments=arguments.judged)
    chosen = stated_queries(arguments)
    if arguments.pairwise:
        lists = _lists(arguments, runs, chosen)
        samples = 2 if arguments.samples is None else arguments.samples
        return vote_questions(
            lists[1], lists[0], queries, documents, prompt=prompt, samples=samples, seed=arguments.seed
        )
    from idealist.plan.document_samples import pool_documents

    judged = None if arguments.judged is None else read_judged(arguments.judged, sources)
    pairs = pool_documents(runs, arguments.k, judged=judged, queries=chosen, seed=arguments.seed)
    samples = 1 if arguments.samples is None else arguments.samples
    return grade_questions(pairs, queries, documents, prompt=prompt, samples=samples)


def _lists(arguments: argparse.Namespace, runs: Any, chosen: list[str] | None) -> list[dict[str, list[str]]]:
    """The first k documents of two runs, by query."""
    from idealist.conventions import DEFAULT
    from idealist.data.arguments import runs_in_memory
    from idealist.plan.document_samples import chosen_queries, first_documents

    if len(runs) != 2:
        raise InputError(
            f"--pairwise compares two runs, and {len(runs)} were given",
            hint="the baseline, then the candidate",
        )
    if arguments.judged is not None:
        raise InputError("--judged is for grades, and --pairwise asks for votes", hint="leave it out")
    systems = runs_in_memory(runs)
    queries = chosen_queries(systems, chosen)
    lists = []
    for system in systems.values():
        by_query = {query: first_documents(system, query, arguments.k, DEFAULT) for query in queries}
        lists.append({query: documents for query, documents in by_query.items() if documents})
    return lists


def _written(answers: MachineAnswers, format: str) -> str:
    """Grades or votes with their origin, as readers of judgments and votes take them."""
    if format == "trec":
        # The second column of TREC's judgments is free: it says where they come from.
        origin = f"{'_'.join(answers.model.split())}:{answers.prompt}"
        return "".join(f"{row.query} {origin} {row.document} {row.grade}\n" for row in answers.grade_rows)
    from idealist.machine.answers import MachineGrade, MachineVote

    titles = MachineVote.fields if answers.questions.prompt.asks == "votes" else MachineGrade.fields
    return rows_text(titles, [[getattr(row, title) for title in titles] for row in answers.rows], format)
