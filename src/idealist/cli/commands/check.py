"""idealist check: what is wrong or odd about judgments and runs, and repaired copies."""

from __future__ import annotations

import os

from idealist.base.system import read_at
from idealist.checks import check, repair
from idealist.checks.checking import DEPTHS
from idealist.checks.repaired_copies import KEEP
from idealist.checks.text_lines import HEAD, kind_of
from idealist.cli.files import refuse_existing, write_file
from idealist.cli.options import add_result, add_threads, option_named, write_view
from idealist.cli.sources import (
    add_sources,
    expanded,
    judgment_options,
    ranked_columns,
    run_options,
    sources_of,
)
from idealist.data import read_judgments, read_run
from idealist.data.compression import without_ending
from idealist.data.detection import kind_of_source, names_of_source
from idealist.data.formats.format import BYTE_ORDER_MARK
from idealist.data.formats.trec import plain_text
from idealist.data.id_spelling import SPELLINGS
from idealist.data.reading import ReadRequest
from idealist.errors import InputError
from idealist.show.check_tables import check_view, codes_view

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from idealist.checks import Repaired

SUMMARY = "look for what is wrong or odd in judgments and runs, and repair it in a copy"
EPILOG = """examples:
  idealist check robust.qrels bm25.run dense.run
  idealist check bm25.run --fix bm25.fixed.run

exit code: 0 nothing but notes, 1 warnings, 2 errors"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="*",
        help="judgments and runs, recognised by their columns; runs are checked with the judgments",
    )
    parser.add_argument(
        "--judgments",
        metavar="FILE",
        help="the file of judgments (default: recognised by its columns; a pipe is taken for a run)",
    )
    parser.add_argument(
        "-k",
        "--at",
        type=int,
        action="append",
        metavar="K",
        help=f"report how many of the first K documents are judged; may be repeated (default: {' '.join(map(str, DEPTHS))})",
    )
    parser.add_argument(
        "--max-grade",
        type=float,
        metavar="GRADE",
        help="the highest grade of the scale; higher ones are reported",
    )
    parser.add_argument("--ignore", metavar="CODE,…", help="codes that are not reported")
    parser.add_argument(
        "--codes", action="store_true", help="list the codes, what they mean and what --fix does"
    )
    add_result(parser, force=False)
    add_threads(parser)
    add_sources(parser, features=True)
    group = parser.add_argument_group("repaired copies of files, as TREC text, never in place")
    group.add_argument("--fix", metavar="OUT", help="write a repaired copy of FILE")
    group.add_argument(
        "--fix-to", metavar="DIR", help="write repaired copies of all FILEs, under their names"
    )
    group.add_argument("--keep", choices=KEEP, help="which of two different grades is kept")
    group.add_argument("--drop-bad-lines", action="store_true", help="leave out lines that cannot be read")
    group.add_argument(
        "--join-ids",
        metavar="HOW,…",
        help="write ids of a run as the judgments have them, where they differ only in: "
        f"{', '.join(SPELLINGS)}; or all",
    )
    group.add_argument("--force", action="store_true", help="replace files that exist already")


def run(arguments: argparse.Namespace) -> int:
    if arguments.codes:
        write_view(codes_view(), arguments.format)
        return 0
    arguments.files = expanded(arguments.files)
    runs, judgments = _sorted(arguments)
    copies = _copies(arguments)
    ignored = [code.strip() for code in (arguments.ignore or "").split(",") if code.strip()]
    how = judgment_options(sources_of(arguments))
    result = check(
        None if judgments is None else ReadRequest(judgments, "judgments", shared_options=True, **how),
        [
            ReadRequest(path, "run", shared_options=True, **run_options(sources_of(arguments), judgments))
            for path in runs
        ],
        at=arguments.at or DEPTHS,
        max_grade=arguments.max_grade,
        ignore=ignored,
        threads=arguments.threads,
    )
    try:
        repaired = _repaired(copies, judgments, arguments)
    except InputError:
        write_view(check_view(result), arguments.format)
        raise
    write_view(check_view(result, repaired), arguments.format)
    return result.exit_code


def _repaired(
    copies: dict[str, str], judgments: str | None, arguments: argparse.Namespace
) -> dict[str, Repaired]:
    """By where they were written; all are made before the first is written."""
    join_ids = [name.strip() for name in (arguments.join_ids or "").split(",") if name.strip()]
    others = {path for path in copies if _is_other_format(path)}
    for path in others:
        if not join_ids or path == judgments:
            raise InputError(
                f"{path}: this is not TREC text, of which alone more than ids can be repaired",
                hint="`idealist convert` makes TREC text of other formats",
            )
    judged = None
    if join_ids:
        if judgments is None:
            raise InputError(
                "--join-ids writes ids as judgments have them, and there are none",
                hint="name the judgments, too",
            )
        how = judgment_options(sources_of(arguments))
        judged = read_judgments(judgments, columns=how["columns"])
    made = {
        target: repair(
            read_run(path, **run_options(sources_of(arguments))) if path in others else path,
            kind="judgments" if path == judgments else "run",
            keep=arguments.keep,
            drop_bad_lines=arguments.drop_bad_lines,
            join_ids=() if path == judgments else join_ids,
            judgments=judged if join_ids else None,
        )
        for path, target in copies.items()
    }
    if arguments.fix_to is not None:
        try:
            os.makedirs(arguments.fix_to, exist_ok=True)
        except OSError as error:
            raise InputError(f"{arguments.fix_to}: cannot be made: {error.strerror}") from None
    for target, copy in made.items():
        write_file(target, copy.content, force=arguments.force)
    return made


def _is_other_format(path: str) -> bool:
    """Whether a file is known not to be TREC text, which is repaired line by line."""
    if names_of_source(path) is not None:
        return True
    if not os.path.isfile(path):
        return False
    head = plain_text(path, lambda descriptor, size: read_at(descriptor, HEAD, 0))
    return head.removeprefix(BYTE_ORDER_MARK).lstrip().startswith((b"{", b"["))


def _sorted(arguments: argparse.Namespace) -> tuple[list[str], str | None]:
    """The runs among the files, and the judgments."""
    files, stated = arguments.files, arguments.judgments
    others = [path for path in files if path != stated]
    kinds = {path: _kind(path, arguments) for path in others}
    judgments = [path for path, kind in kinds.items() if kind == "judgments"]
    if stated is not None:
        return others, stated
    if len(judgments) > 1:
        raise InputError(
            f"{judgments[0]} and {judgments[1]} both look like judgments",
            hint="check them one after the other, or name one with --judgments",
        )
    if not files:
        raise InputError("there is nothing to check", hint="name files of judgments and runs")
    return [path for path in others if path not in judgments], judgments[0] if judgments else None


def _kind(path: str, arguments: argparse.Namespace) -> str | None:
    """What a file holds, by its first lines; what is not TREC text is read to find out. A pipe can be read but
    once: it is taken for a run."""
    if path == "-" or (os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path))):
        return None
    kind = kind_of_source(path, ranked_columns(sources_of(arguments)))
    if kind is None and os.path.isfile(path):  # lines that may be wrong
        try:
            kind = plain_text(path, lambda descriptor, size: kind_of(read_at(descriptor, HEAD, 0)))
        except InputError:  # what is wrong with it is found when it is checked
            return None
    if kind is not None:
        return kind
    judged, runs = judgment_options(sources_of(arguments)), run_options(sources_of(arguments))
    for kind, read, how in (("run", read_run, runs), ("judgments", read_judgments, judged)):
        try:
            read(path, columns=how["columns"])
        except InputError:
            continue
        return kind
    return None


def _copies(arguments: argparse.Namespace) -> dict[str, str]:
    """Where the copy of each file goes; refuses what would be written over a source."""
    files = [path for path in dict.fromkeys(arguments.files) if path != arguments.judgments]
    if arguments.fix is None and arguments.fix_to is None:
        for option in ("keep", "drop_bad_lines", "join_ids", "force"):
            if getattr(arguments, option) and not (option == "force" and arguments.result_file):
                name = option_named(option)
                raise InputError(f"{name} changes nothing without --fix", hint=f"leave {name} out")
        return {}
    if "-" in files:
        raise InputError("standard input cannot be repaired", hint="write it to a file first")
    if arguments.fix is not None and arguments.fix_to is not None:
        raise InputError(
            "--fix and --fix-to cannot both be given", hint="--fix for one file, --fix-to for several"
        )
    if arguments.fix is not None:
        if len(files) != 1:
            raise InputError(
                f"--fix is for one file, not {len(files)}",
                hint="name judgments with --judgments, or use --fix-to for several",
            )
        copies = {files[0]: arguments.fix}
    else:
        files = list(dict.fromkeys([*files, *([arguments.judgments] if arguments.judgments else [])]))
        copies = {path: os.path.join(arguments.fix_to, _plain_name(path)) for path in files}
        if len(set(copies.values())) < len(copies):
            raise InputError(
                "two of the files have the same name", hint="repair them one after the other with --fix"
            )
    for target in copies.values():
        _refuse_sources(target, [*files, *([arguments.judgments] if arguments.judgments else [])])
        refuse_existing(target, arguments.force)
    return copies


def _plain_name(path: str) -> str:
    """Copies are plain text, whatever the file was."""
    return without_ending(os.path.basename(path))


def _refuse_sources(target: str, files: list[str]) -> None:
    if without_ending(target) != target:
        raise InputError(f"{target}: copies are plain text", hint="leave out the ending of compressed files")
    for path in files:
        if os.path.exists(target) and os.path.exists(path) and os.path.samefile(target, path):
            raise InputError(
                f"{target} is {path} itself", hint="files are never repaired in place: name another"
            )
