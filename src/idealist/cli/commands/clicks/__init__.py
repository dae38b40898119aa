"""idealist clicks: models of clicks, estimates for lists that were not shown, and simulated logs."""

from __future__ import annotations

from idealist.cli.commands.clicks import estimates, fits, simulations
from idealist.cli.parts import add_parts, run_part

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

SUMMARY = "learn from click logs: propensities, expected clicks of a run, simulated logs"
EPILOG = """examples:
  idealist clicks fit impressions.csv --model pbm --rounds 100
  idealist clicks fit impressions.csv --model dbn -o propensities.csv --weighed clicks.csv
  idealist clicks estimate impressions.csv new.run -k 5
  idealist clicks simulate shop.qrels b.run -n 5000 --behaviour position --exponent 0.5 -o impressions.csv

A log has a row for every document shown: impression, query, document, position and click (0 or 1); if known also user
(or session), time, and propensity, the probability that the document was put there given those above it."""
PARTS = {
    "fit": (fits.SUMMARY, fits.configure, fits.run),
    "estimate": (estimates.SUMMARY, estimates.configure, estimates.run),
    "simulate": (simulations.SUMMARY, simulations.configure, simulations.run),
}


def configure(parser: argparse.ArgumentParser) -> None:
    add_parts(parser, "clicks", PARTS, EPILOG)


def run(arguments: argparse.Namespace) -> int:
    return run_part(arguments, PARTS)
