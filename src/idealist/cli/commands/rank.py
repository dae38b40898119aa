"""idealist rank: a model and features in, a run out."""

from __future__ import annotations

from idealist.base.wording import count_of, count_queries
from idealist.cli.feature_files import FEATURES, add_feature_sources, read_feature_files
from idealist.cli.files import refuse_existing, refuse_inputs
from idealist.cli.messages import say
from idealist.cli.model_files import add_model
from idealist.cli.options import add_output
from idealist.cli.run_files import require_run_name, write_made_run

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

SUMMARY = "rank documents with a trained model"
EPILOG = """examples:
  idealist rank model.json test.txt -o model.run
  idealist rank model.json test.txt | idealist evaluate test.txt -
  idealist rank model.safetensors candidates.parquet --depth 100 -o model.run.gz"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    parser.add_argument(
        "rows", metavar="FEATURES", nargs="+", help=f"{FEATURES}; several files are one table"
    )
    add_output(parser, "write the run there, in the format of its ending (default: TREC to standard output)")
    parser.add_argument("--name", help="name of the run (default: the name of the model's file)")
    parser.add_argument(
        "--depth", type=int, metavar="N", help="write the first N documents of each query (default: all)"
    )
    add_feature_sources(parser)


def run(arguments: argparse.Namespace) -> int:
    import os

    from idealist.base.values import as_count
    from idealist.data.features import join_features
    from idealist.fusion.fusing import cut
    from idealist.learn.models.model_storage import load_model

    refuse_existing(arguments.output, arguments.force)
    refuse_inputs(arguments.output, [arguments.model, *arguments.rows])
    if arguments.depth is not None:
        as_count(arguments.depth, "--depth")
    name = arguments.name or os.path.basename(arguments.model).partition(".")[0] or "model"
    require_run_name(name)
    model = load_model(arguments.model, format=arguments.model_format)
    rows = join_features(read_feature_files(arguments.rows, arguments, names=model.names))
    # Best first, as a run is read; Features keep the order of the file.
    ranked = cut(model.rank(rows, name=name), arguments.depth or int(rows.sizes.max()))
    write_made_run(ranked, arguments.output, force=arguments.force)
    where = "" if arguments.output is None else f" → {arguments.output}"
    say(f"{name}: {count_queries(len(ranked))}, {count_of(len(ranked.rows), 'document')}{where}")
    return 0
