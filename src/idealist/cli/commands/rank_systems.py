"""idealist rank-systems: many systems by votes on pairs of them."""

from __future__ import annotations

from idealist.cli.inputs import add_weights
from idealist.cli.options import add_confidence, add_result, add_seed, write_view
from idealist.cli.sources import add_sources, sources_of, table_of
from idealist.cli.table_columns import stated_columns
from idealist.show.vote_model_tables import system_ranking_view
from idealist.votes.davidson import RIDGE
from idealist.votes.pair_votes import NAMES, read_pair_votes
from idealist.votes.system_ranking import rank_systems

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

SUMMARY = "rank many systems by side-by-side votes on pairs of them"
EPILOG = """examples:
  idealist rank-systems pairs.csv
  idealist rank-systems pairs.csv --pairs --format markdown
  idealist rank-systems arena.jsonl --columns query=question_id,winner=verdict
  idealist rank-systems pairs.csv --no-side --rounds 5000 --seed 1
  idealist rank-systems pairs.csv --weights traffic.csv --weight-by visits

A row is a vote: query, left, right (the two systems) and winner (left, right or tie, or the name of a system)."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "votes",
        metavar="VOTES",
        help="votes on pairs: a table in any format, FILE::TABLE, or - for standard input",
    )
    parser.add_argument("--pairs", action="store_true", help="also print every pair of systems")
    how = parser.add_argument_group("statistics")
    how.add_argument("--no-side", action="store_true", help="do not estimate an advantage of the left side")
    how.add_argument(
        "--rounds",
        type=int,
        default=1000,
        metavar="N",
        help="rounds of the bootstrap over queries (default: 1000)",
    )
    how.add_argument(
        "--ridge",
        type=float,
        default=RIDGE,
        metavar="X",
        help=f"pulls strengths towards each other, for systems that win or lose every vote (default: {RIDGE})",
    )
    add_confidence(how)
    add_seed(how)
    add_result(parser)
    add_weights(parser)
    add_sources(parser, columns=f"; of votes on pairs: {', '.join(NAMES)}")


def run(arguments: argparse.Namespace) -> int:
    votes = read_pair_votes(
        table_of(arguments.votes, sources_of(arguments), "votes", main=True),
        columns=stated_columns(arguments.columns),
    )
    ranking = rank_systems(
        votes,
        side=not arguments.no_side,
        weights=table_of(arguments.weights, sources_of(arguments), "weights"),
        weight_by=arguments.weight_by,
        confidence=arguments.confidence,
        rounds=arguments.rounds,
        ridge=arguments.ridge,
        seed=arguments.seed,
    )
    write_view(system_ranking_view(ranking, pairs=arguments.pairs), arguments.format)
    return 0
