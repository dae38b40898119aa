"""Runs in other forms than TREC text: Parquet, JSON and frames, conversion, fusion. Prints JSON lines as
in_process.py does: `python benchmarks/formats.py WORK FOLDER ROUNDS`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from in_process import interleaved, report

import idealist as il

HERE = Path(__file__).parent
BIN = Path(sys.executable).parent
MEASURES = ["nDCG@10", "AP", "RR", "P@10", "R@100", "nDCG"]


def make(folder: str) -> None:
    """The msmarco-like run and judgments as Parquet and JSON."""
    source = f"{folder}/msmarco"
    kinds: list[tuple[str, Any]] = [("qrels", il.read_judgments), ("run", il.read_run)]
    for kind, read in kinds:
        if os.path.exists(f"{source}.{kind}.json"):
            continue
        rows = read(f"{source}.{kind}")
        frame = rows.to_frame("polars")
        if kind == "qrels":
            frame = frame.with_columns(pl.col("grade").cast(pl.Int64))
        frame.write_parquet(f"{source}.{kind}.parquet")
        whole = rows.to_dict()
        if kind == "qrels":
            whole = {query: {d: int(grade) for d, grade in one.items()} for query, one in whole.items()}
        Path(f"{source}.{kind}.json").write_text(json.dumps(whole))


def command(words: list[str]) -> str:
    return subprocess.run(
        words, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ).stdout


def means_of(output: str) -> dict[str, float]:
    pairs = (line.split() for line in output.splitlines())
    return {
        str(il.measures.parse(name.replace("precision", "P").replace("recall", "R"))): float(v)
        for name, v in pairs
    }


def files(kind: str, folder: str, rounds: int) -> None:
    """Whole processes, from files to printed numbers."""
    make(folder)
    paths = [f"{folder}/msmarco.qrels.{kind}", f"{folder}/msmarco.run.{kind}"]
    asked = [word for measure in MEASURES for word in ("-m", measure)]
    mine = [str(BIN / "idealist"), "evaluate", *paths, *asked]
    exact = json.loads(command([*mine, "--format", "json"]))["summary"]
    ours = {one["measure"]: one["mean"] for one in exact}
    for peer in ("ranx", "ir_measures"):
        theirs = [sys.executable, str(HERE / "with_formats.py"), peer, kind, *paths]
        command(theirs)  # Numba compiles once
        seconds, (_, output) = interleaved(rounds, partial(command, mine), partial(command, theirs))
        differences = [abs(ours[measure] - value) for measure, value in means_of(output).items()]
        shown = {"parquet": "Parquet", "json": "JSON"}[kind]
        report(f"msmarco-like {shown} files", peer, seconds, differences)


def frames(folder: str, rounds: int) -> None:
    """A frame in memory to means: polars' for us, pandas' for those who take no other."""
    import ir_measures
    import ranx

    make(folder)
    run = pl.read_parquet(f"{folder}/msmarco.run.parquet")
    judgments = pl.read_parquet(f"{folder}/msmarco.qrels.parquet")
    pandas_run, pandas_judgments = run.to_pandas(), judgments.to_pandas()
    columns = {"q_id_col": "query", "doc_id_col": "document"}
    names = {"query": "query_id", "document": "doc_id", "grade": "relevance"}
    renamed = pandas_judgments.rename(columns=names), pandas_run.rename(columns=names)
    measures = [ir_measures.parse_measure(text) for text in MEASURES]
    texts = ["ndcg@10", "map", "mrr", "precision@10", "recall@100", "ndcg"]

    def with_ranx() -> dict[str, float]:
        given = ranx.Qrels.from_df(pandas_judgments, **columns, score_col="grade")
        found = ranx.Run.from_df(pandas_run, **columns, score_col="score")
        return dict(ranx.evaluate(given, found, texts, make_comparable=True))

    def ours() -> dict[str, float]:
        result = il.evaluate(judgments, run, MEASURES)
        return {measure: result.mean(measure) for measure in MEASURES}

    with_ranx()
    for peer, theirs in (
        ("ranx", with_ranx),
        ("ir_measures", lambda: ir_measures.calc_aggregate(measures, *renamed)),
    ):
        seconds, (mine, other) = interleaved(rounds, ours, theirs)
        other = {name.replace("precision", "P").replace("recall", "R"): v for name, v in map_text(other)}
        known = {str(il.measures.parse(name)): value for name, value in mine.items()}
        differences = [abs(known[str(il.measures.parse(name))] - value) for name, value in other.items()]
        report("msmarco-like polars frames in memory", peer, seconds, differences)


def map_text(means: dict[Any, float]) -> list[tuple[str, float]]:
    return [(str(measure), float(value)) for measure, value in means.items()]


def large_frames(rounds: int) -> None:
    """20 million rows beside the time that polars takes to sort them by query and score."""
    random = np.random.default_rng(5)
    queries, depth = 200_000, 100
    run = pl.DataFrame(
        {
            "query": np.repeat(np.arange(queries), depth),
            "document": random.integers(0, 600, queries * depth) * depth + np.tile(np.arange(depth), queries),
            "score": random.random(queries * depth),
        }
    )
    judgments = run.filter(pl.Series(random.random(len(run)) < 0.05)).select(
        "query", "document", pl.lit(1).alias("grade")
    )
    text = pl.col("query", "document").cast(pl.String)
    shuffled = run.sample(fraction=1.0, shuffle=True, seed=1)
    works = {
        "whole numbers as ids": (run, judgments),
        "whole numbers, rows in no order": (shuffled, judgments),
        "text ids": (run.with_columns(text), judgments.with_columns(text)),
        "text ids, rows in no order": (shuffled.with_columns(text), judgments.with_columns(text)),
    }
    for label, (one, judged) in works.items():
        seconds, _ = interleaved(
            rounds,
            partial(il.evaluate, judged, one, MEASURES),
            partial(one.sort, "query", "score", descending=[False, True]),
        )
        report(f"20 million rows, {label}", "polars, sorting them", seconds, [0.0])


def convert(folder: str, rounds: int) -> None:
    """TREC text to Parquet, beside polars reading and writing the same."""
    source, target = f"{folder}/msmarco.run", f"{folder}/converted.parquet"
    script = (
        "import polars as pl, sys\n"
        "names = ['query', 'iteration', 'document', 'rank', 'score', 'system']\n"
        "types = [pl.String, pl.String, pl.String, pl.Int64, pl.Float64, pl.String]\n"
        "frame = pl.read_csv(sys.argv[1], separator=' ', has_header=False, new_columns=names,"
        " schema_overrides=dict(zip(names, types)))\n"
        "frame.select('query', 'document', 'score').write_parquet(sys.argv[2])\n"
    )
    seconds, _ = interleaved(
        rounds,
        partial(command, [str(BIN / "idealist"), "convert", source, target, "--force"]),
        partial(command, [sys.executable, "-c", script, source, f"{folder}/by_polars.parquet"]),
    )
    speed = os.path.getsize(source) / 1e6 / seconds[0]
    for made in (target, f"{folder}/by_polars.parquet"):
        os.unlink(made)
    report(f"msmarco-like TREC run to Parquet ({speed:.0f} MB/s)", "polars", seconds, [0.0])


def fusion(folder: str, rounds: int) -> None:
    """Two runs in memory to one."""
    import ranx

    run = il.read_run(f"{folder}/msmarco.run").to_dict()
    random = np.random.default_rng(7)
    other = {
        query: dict(zip(list(one)[::-1][:700], random.random(700).tolist(), strict=True))
        | {f"x{at}": 0.5 + at / 1000 for at in range(300)}
        for query, one in run.items()
    }
    ours, theirs = [il.Run(run), il.Run(other)], [ranx.Run(run), ranx.Run(other)]
    works: list[tuple[str, str, str | None]] = [("rrf", "rrf", None), ("combsum", "sum", "min-max")]
    for mine, name, norm in works:
        ranx.fuse(theirs, norm=norm, method=name)
        seconds, (fused, peer) = interleaved(
            rounds,
            partial(il.fuse, ours, mine),
            partial(ranx.fuse, theirs, norm=norm, method=name),
        )
        query = next(iter(run))
        known = peer.to_dict()[query]
        differences = [abs(score - known[document]) for document, score in fused[query].items()]
        report(f"fusing two msmarco-like runs, {mine}", "ranx", seconds, differences)


if __name__ == "__main__":
    what, at, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    if what in ("parquet", "json"):
        files(what, at, count)
    elif what == "large-frames":
        large_frames(count)
    elif what == "frames":
        frames(at, count)
    elif what == "convert":
        convert(at, count)
    else:
        fusion(at, count)
