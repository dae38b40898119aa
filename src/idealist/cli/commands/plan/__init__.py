"""idealist plan: how much to judge, and what; one module per subject."""

from __future__ import annotations

from idealist.cli.commands.plan import decision, next_judgments, pools, query_samples, sample_grades, sizes
from idealist.cli.parts import add_parts, run_part

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

SUMMARY = "compute how many queries or judgments are needed, and choose them"
EPILOG = """examples:
  idealist plan queries --effect 0.01 --pilot robust.qrels bm25.run dense.run -m nDCG@10
  idealist plan judgments --gsb 0.02 --same 0.7 --per-query 10 --icc 0.1
  idealist plan detectable -n 200 --sd 0.2
  idealist plan decision gate.toml -n 100 200 400 --gain 0.02
  idealist plan next robust.qrels bm25.run dense.run -k 10 -n 200
  idealist plan next judged.qrels bm25.run dense.run --machine machine.qrels --budget 200 -o drawn.csv
  idealist plan sample queries.csv -n 100 --by traffic --seed 1 -o sample.csv
  idealist plan pool bm25.run dense.run -k 20 --judged robust.qrels -o pool.csv
  idealist plan pool bm25.run dense.run --strata 20:1,50:0.5,100:0.2 -o pool.csv --to-judge judge.csv
  idealist plan grade pool.csv grades.qrels -o sampled.qrels"""
# In the order that help lists them: what each is about, its options, and what runs it.
PARTS = {
    "queries": ("how many queries show a difference", sizes.configure_queries, sizes.run_queries),
    "judgments": (
        "how many side-by-side judgments show a GSB",
        sizes.configure_judgments,
        sizes.run_judgments,
    ),
    "detectable": (
        "the smallest difference or GSB that a number of them shows",
        sizes.configure_detectable,
        sizes.run_detectable,
    ),
    "decision": (decision.SUMMARY, decision.configure, decision.run),
    "next": (next_judgments.SUMMARY, next_judgments.configure, next_judgments.run),
    "sample": (query_samples.SUMMARY, query_samples.configure, query_samples.run),
    "pool": (pools.SUMMARY, pools.configure, pools.run),
    "grade": (sample_grades.SUMMARY, sample_grades.configure, sample_grades.run),
}


def configure(parser: argparse.ArgumentParser) -> None:
    add_parts(parser, "plan", PARTS, EPILOG)


def run(arguments: argparse.Namespace) -> int:
    return run_part(arguments, PARTS)
