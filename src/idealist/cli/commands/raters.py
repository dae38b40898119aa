"""idealist raters: how good raters are, and what items probably are, by their labels alone."""

from __future__ import annotations

import os

from idealist.base.wording import count_of
from idealist.cli.files import deliver, refuse_existing, refuse_inputs, rows_text
from idealist.cli.options import add_confidence, add_format, add_output, add_seed, write_view
from idealist.cli.sources import add_sources, expanded, read_judged, sources_of, table_of
from idealist.cli.table_columns import stated_columns
from idealist.data.detection import is_trec_file
from idealist.errors import InputError
from idealist.show.vote_model_tables import ITEM_TITLES, item_rows, rater_model_view
from idealist.votes.label_models import MODELS
from idealist.votes.rater_models import SMOOTHING, rater_model
from idealist.votes.ratings import read_ratings

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from idealist.votes.ratings import Ratings

SUMMARY = "estimate how reliable raters are and the true label of each item, by a model of their labels"
EPILOG = """examples:
  idealist raters votes.csv
  idealist raters grades.csv --model one-coin --machine gpt -o labels.csv
  idealist raters ann.qrels ben.qrels gpt.qrels --machine gpt
  idealist raters votes.csv --confusions --format json

A table has the columns query, rater, vote or grade and, optionally, document; of several files each holds the judgments of
one rater, who is called as the file. Known answers (the column anchor) are not used to fit, but to check."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        metavar="LABELS",
        nargs="+",
        help="a table of votes or grades with a column rater, or one file of judgments per rater",
    )
    parser.add_argument(
        "--model",
        choices=tuple(MODELS),
        default="dawid-skene",
        help="model of the raters (default: dawid-skene)",
    )
    parser.add_argument(
        "--machine",
        action="append",
        default=[],
        metavar="RATER",
        help="name of a rater that is a machine; may be repeated",
    )
    parser.add_argument(
        "--confusions", action="store_true", help="also print the confusion matrix of every rater"
    )
    how = parser.add_argument_group("statistics")
    how.add_argument(
        "--smoothing",
        type=float,
        default=SMOOTHING,
        metavar="N",
        help=f"labels added to each cell of a rater's table (default: {SMOOTHING})",
    )
    how.add_argument(
        "--rounds",
        type=int,
        default=200,
        metavar="N",
        help="rounds of the bootstrap over queries (default: 200)",
    )
    add_confidence(how)
    add_seed(how)
    add_output(
        parser, "write every item's label with its probability, as .csv or .jsonl (default: none is written)"
    )
    add_format(parser)
    add_sources(parser, columns="; of labels also rater, vote and anchor")


def run(arguments: argparse.Namespace) -> int:
    refuse_existing(arguments.output, arguments.force)
    refuse_inputs(arguments.output, arguments.files)
    model = rater_model(
        _read(arguments),
        model=arguments.model,
        machines=arguments.machine,
        smoothing=arguments.smoothing,
        confidence=arguments.confidence,
        rounds=arguments.rounds,
        seed=arguments.seed,
    )
    if arguments.output is not None:
        kind = "jsonl" if arguments.output.endswith(".jsonl") else "csv"
        text = rows_text(ITEM_TITLES, item_rows(model), kind)
        deliver(text, arguments.output, count_of(len(model.items), "item"), force=arguments.force)
    write_view(rater_model_view(model, confusions=arguments.confusions), arguments.format)
    return 0


def _read(arguments: argparse.Namespace) -> Ratings:
    paths, options = expanded(arguments.files), sources_of(arguments)
    if len(paths) == 1:
        if is_trec_file(paths[0], "judgments"):
            raise InputError(
                "these are the judgments of one rater only: nothing tells how good that rater is",
                source=paths[0],
                hint="name a file of judgments for each rater, or a table with a column `rater`",
            )
        source = table_of(paths[0], options.replace(columns=None), "votes", main=True)
        return read_ratings(source, columns=stated_columns(arguments.columns))
    names = [os.path.basename(path).partition(".")[0] for path in paths]
    if len(set(names)) < len(names):
        raise InputError(
            f"two files are called {next(name for name in names if names.count(name) > 1)!r}",
            hint="rename one: a rater has the name of the file",
        )
    return read_ratings({name: read_judged(path, options) for name, path in zip(names, paths, strict=True)})
