"""idealist gsb: good, same, bad, by people's votes or by the differences of a measure."""

from __future__ import annotations

from idealist.base.values import as_finite
from idealist.cli.guards import add_guards, guards_named
from idealist.cli.inputs import add_weights, read_judgments_for
from idealist.cli.messages import say_note
from idealist.cli.options import (
    MEASURE,
    add_confidence,
    add_conventions,
    add_gate,
    add_margin,
    add_policy,
    add_result,
    add_seed,
    add_threads,
    conventions_of,
    option_named,
    write_view,
)
from idealist.cli.sources import TABLES, add_sources, named_files, sources_of, table_of
from idealist.data.vote_words import COUNTS
from idealist.errors import InputError
from idealist.show.vote_tables import gsb_view
from idealist.votes.folded_votes import FOLDS
from idealist.votes.vote_estimates import METHODS
from idealist.votes.vote_layouts import BY_MEASURE, NAMES
from idealist.votes.vote_table import read_votes
from idealist.votes.voting import VoteSettings, gsb, gsb_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from idealist.votes.gsb_result import GSB

SUMMARY = "decide whether a candidate is better, from good/same/bad votes"
EPILOG = """examples:
  idealist gsb votes.csv --margin 0.02
  idealist gsb votes.csv --columns vote=label --share head=0.7 --share tail=0.3 --gate
  idealist gsb votes.csv --columns query=term,rater= --words good=1,same=2,bad=3
  idealist gsb sheet.xlsx --columns vote=ann+ben+cleo --scale 1-5
  idealist gsb --counts 20,23,17
  idealist gsb votes-so-far.csv --votes-per-query 3 --sequential
  idealist gsb --judgments robust.qrels a.run b.run -m nDCG@10 --threshold 0.01

B is the candidate. With --gate the exit code is 0 to ship, 1 to block, 3 when undecided."""
OTHER_TABLES = tuple(f"{name}." for name in TABLES if name != "votes")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        metavar="VOTES",
        nargs="*",
        help="votes, or counts in columns G, S, B: a table in any format, FILE::TABLE, or - for standard input; with "
        "--judgments, the runs A and B",
    )
    parser.add_argument(
        "--counts", metavar="G,S,B", help="without a file: how many votes were good, same and bad"
    )
    _add_votes(parser.add_argument_group("reading votes"))
    _add_measured(parser.add_argument_group("by a measure, without votes"))
    default = VoteSettings()
    _add_statistics(parser.add_argument_group("statistics"), default)
    _add_verdict(parser.add_argument_group("verdict"), default)
    parser.add_argument(
        "--raters", action="store_true", help="also print every rater and every pair of raters"
    )
    add_result(parser)
    add_threads(parser)
    add_weights(parser)
    add_sources(
        parser,
        columns=f"; of votes: {', '.join(name for name in NAMES if name not in COUNTS)}, or {', '.join(COUNTS)} for "
        "counts, and nothing behind = leaves a column out",
    )
    add_conventions(parser)


def _add_votes(group: argparse._ActionsContainer) -> None:
    group.add_argument(
        "--words",
        metavar="good=WORD,…",
        help="the meaning of votes in other words: good=WORD,same=WORD,bad=WORD, each as often as needed",
    )
    group.add_argument(
        "--candidate",
        metavar="SYSTEM",
        help="the new system, where votes name A and B (default: B) or rows name two systems and the winner",
    )
    group.add_argument(
        "--scale",
        metavar="WORST-BEST",
        help="votes are numbers of a scale from the worst to the best for the candidate, such as 1-7 or 5-1; or, of votes from -N to "
        "+N, the largest severity N (default: the largest seen)",
    )


def _add_measured(group: argparse._ActionsContainer) -> None:
    group.add_argument("--judgments", metavar="FILE", help="judgments in any format; VOTES are two runs")
    group.add_argument("-m", "--measure", help=f"the measure (default: {MEASURE})")
    group.add_argument(
        "--threshold", type=float, metavar="X", help="differences up to X count as same (default: 0)"
    )


def _add_statistics(group: argparse._ActionsContainer, default: VoteSettings) -> None:
    group.add_argument(
        "--fold",
        choices=FOLDS,
        default=default.fold,
        help=f"what counts once where raters share an item: every vote, or every item by the mean or the majority of its "
        f"votes (default: {default.fold})",
    )
    group.add_argument(
        "--interval",
        choices=tuple(METHODS),
        default=default.interval,
        help="how the interval is computed; auto: test inversion over queries and raters, and Tango's where segments have "
        f"shares of the traffic; whichever it is, test inversion where fewer than 25 votes are decided (default: {default.interval})",
    )
    add_confidence(group)
    group.add_argument(
        "--share",
        action="append",
        metavar="SEGMENT=SHARE",
        help="a segment's share of the traffic; may be repeated",
    )
    group.add_argument(
        "--rounds",
        type=int,
        default=default.rounds,
        metavar="N",
        help=f"number of rounds in random tests (default: {default.rounds})",
    )
    add_seed(group)
    group.add_argument(
        "--votes-per-query",
        type=int,
        metavar="N",
        help="a query enters the sequential test with its first N votes (default: when the next query begins)",
    )


def _add_verdict(group: argparse._ActionsContainer, default: VoteSettings) -> None:
    add_margin(group, "0.02")
    group.add_argument(
        "--sequential",
        action="store_true",
        help="a verdict that stays valid when it is looked at again and again while votes come in",
    )
    add_policy(group)
    group.add_argument(
        "--agreement-floor",
        type=float,
        default=default.agreement_floor,
        metavar="X",
        help=f"lowest acceptable agreement of raters, as Gwet's AC1 (default: {default.agreement_floor})",
    )
    group.add_argument(
        "--anchor-floor",
        type=float,
        default=default.anchor_floor,
        metavar="X",
        help=f"lowest acceptable share of right votes on items with a known answer (default: {default.anchor_floor})",
    )
    add_guards(group, default.guards)
    add_gate(group)


def run(arguments: argparse.Namespace) -> int:
    if arguments.judgments is not None:
        result = _measured(arguments)
    else:
        result = _voted(arguments) if arguments.counts is None else _counted(arguments)
    write_view(gsb_view(result, raters=arguments.raters), arguments.format)
    return result.verdict.exit_code if arguments.gate else 0


def _settings(arguments: argparse.Namespace) -> dict[str, Any]:
    shares = _pairs(arguments.share or [], "--share", "head=0.7")
    return {
        "fold": arguments.fold,
        "interval": arguments.interval,
        "confidence": arguments.confidence,
        "shares": {
            name: as_finite(text, f"the share of {name!r}", text=True, hint="such as 0.7")
            for name, text in shares.items()
        }
        or None,
        "margin": arguments.margin,
        "policy": arguments.policy,
        "agreement_floor": arguments.agreement_floor,
        "anchor_floor": arguments.anchor_floor,
        "rounds": arguments.rounds,
        "seed": arguments.seed,
        "sequential": arguments.sequential,
        "votes_per_query": arguments.votes_per_query,
        **({} if arguments.guards is None else {"guards": guards_named(arguments.guards)}),
    }


def _voted(arguments: argparse.Namespace) -> GSB:
    _refuse_measuring(arguments)
    if not arguments.files:
        raise InputError("there are no votes", hint="give a file of votes, or --counts GOOD,SAME,BAD")
    if len(arguments.files) > 1:
        raise InputError(
            f"votes are read from one file, not {len(arguments.files)}",
            hint="put all votes in one file; two runs go with --judgments",
        )
    _refuse_trec(arguments.files[0])
    votes = read_votes(
        table_of(arguments.files[0], sources_of(arguments), "votes", main=True),
        columns=_columns(arguments),
        words=_words(arguments.words),
        candidate=arguments.candidate,
        scale=int(arguments.scale) if (arguments.scale or "").isdecimal() else arguments.scale,
        weights=table_of(arguments.weights, sources_of(arguments), "weights"),
        weight_by=arguments.weight_by,
    )
    return gsb(votes, **_settings(arguments))


def _refuse_trec(path: str) -> None:
    """Raises for TREC text, whose first line would be taken for the names of columns."""
    from idealist.data.detection import is_trec_file

    for kind, what in (("run", "this is a run"), ("judgments", "these are judgments")):
        if is_trec_file(path, kind):
            raise InputError(
                f"{what}, not votes",
                source=path,
                hint=BY_MEASURE,
            )


def _counted(arguments: argparse.Namespace) -> GSB:
    _refuse_measuring(arguments)
    if arguments.files:
        given = [arguments.counts, *arguments.files]
        raise InputError(
            f"both --counts and a file of votes, {arguments.files[0]}, are given",
            hint=f"counts are one word: --counts {','.join(part.strip(',') for part in given)}"
            if all(part.strip(",").isdigit() for part in given)
            else "give one or the other",
        )
    for option in ("columns", "words", "candidate", "scale", "share", "weights", "weight_by"):
        if getattr(arguments, option) is not None:
            raise InputError(
                f"{option_named(option)} is for a table of votes or counts, not for --counts",
                hint="leave it out",
            )
    counts = arguments.counts.split(",")
    try:
        good, same, bad = map(float, counts)
    except ValueError:
        raise InputError(
            f"--counts is {arguments.counts!r}, not three numbers", hint="--counts 20,23,17: good, same, bad"
        ) from None
    return gsb(good=good, same=same, bad=bad, **_settings(arguments))


def _refuse_measuring(arguments: argparse.Namespace) -> None:
    for option in ("measure", "threshold", "query_sizes"):
        if getattr(arguments, option) is not None:
            raise InputError(
                f"{option_named(option)} goes with --judgments",
                hint="leave it out, or give judgments and runs",
            )


def _measured(arguments: argparse.Namespace) -> GSB:
    for option in ("words", "candidate", "scale", "share", "counts"):
        if getattr(arguments, option) is not None:
            raise InputError(f"--{option} is for votes, not for judgments and runs", hint="leave it out")
    from idealist.data.run import runs_by_name
    from idealist.evaluation import evaluate
    from idealist.measures import parse_all

    conventions = conventions_of(arguments)
    measures = parse_all([arguments.measure or MEASURE], defaults=conventions.parameters)
    runs = runs_by_name(named_files(arguments.files, sources_of(arguments), judgments=arguments.judgments))
    if len(runs) != 2:
        raise InputError(
            f"two runs are compared, not {len(runs)}",
            hint="--judgments QRELS A.run B.run, or one table whose column `system` names two",
        )
    judgments = read_judgments_for(
        arguments.judgments, measures, sources_of(arguments), threads=arguments.threads
    )
    result = evaluate(
        judgments,
        runs,
        measures,
        conventions=conventions,
        weights=table_of(arguments.weights, sources_of(arguments), "weights"),
        weight_by=arguments.weight_by,
        threads=arguments.threads,
    )
    for note in result.notes:
        say_note(note)
    baseline, system = runs
    return gsb_from(
        result, measures[0], system, baseline, threshold=arguments.threshold or 0.0, **_settings(arguments)
    )


def _columns(arguments: argparse.Namespace) -> dict[str, str]:
    """What the columns of votes are called."""
    whole = [] if arguments.columns is None else arguments.columns.split(",")
    stated = [part.removeprefix("votes.") for part in whole if not part.startswith(OTHER_TABLES)]
    return _pairs(stated, "--columns", "vote=label")


def _words(text: str | None) -> dict[str, list[str]] | None:
    """The words that --words states, by their meaning."""
    if text is None:
        return None
    words: dict[str, list[str]] = {}
    for part in text.split(","):
        meaning, equals, word = part.partition("=")
        if not equals or not word.strip():
            raise InputError(f"--words {part!r} is not good=WORD", hint="--words good=1,same=2,bad=3")
        words.setdefault(meaning.strip(), []).append(word.strip())
    return words


def _pairs(texts: list[str], option: str, example: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise InputError(f"{option} {text!r} has no name and value", hint=f"{option} {example}")
        if name.strip() in pairs:
            raise InputError(f"{option} {name.strip()} is given twice", hint="give it once")
        pairs[name.strip()] = value.strip()
    return pairs
