"""idealist interleave: lists of several runs, and which run users prefer by their clicks."""

from __future__ import annotations

from idealist.cli.commands.interleave import analyses, lists, plans, simulations
from idealist.cli.parts import add_parts, run_part

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

SUMMARY = "interleave runs into lists to show, and say which run users prefer by their clicks"
EPILOG = """examples:
  idealist interleave lists a.run b.run -k 10 -n 100 -o lists.csv
  idealist interleave lists a.run b.run c.run --method optimised -o lists.jsonl
  idealist interleave analyse log.csv --margin 0.02
  idealist interleave analyse log.csv --sequential --per-user 1 --gate
  idealist interleave analyse log.csv --offline shop.qrels a.run b.run -m nDCG@10
  idealist interleave plan --preference 0.02 --ties 0.6
  idealist interleave plan --simulate shop.qrels a.run b.run --behaviour navigational
  idealist interleave simulate shop.qrels a.run b.run -n 2000 -o log.csv

Show a list, and log every document of it with its columns credit:… or rank:…, an impression, and click (0 or 1); if known
also user (or session) and time."""
PARTS = {
    "lists": (lists.SUMMARY, lists.configure, lists.run),
    "analyse": (analyses.SUMMARY, analyses.configure, analyses.run),
    "plan": (plans.SUMMARY, plans.configure, plans.run),
    "simulate": (simulations.SUMMARY, simulations.configure, simulations.run),
}


def configure(parser: argparse.ArgumentParser) -> None:
    add_parts(parser, "interleave", PARTS, EPILOG)


def run(arguments: argparse.Namespace) -> int:
    return run_part(arguments, PARTS)
