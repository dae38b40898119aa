"""The `idealist` command: one module per subcommand."""

from __future__ import annotations

import gc
import os
import sys

# What `signal` is made of. That makes enums of all the names there are, which takes as long as five modules of ours.
from _signal import SIG_DFL, SIGTERM, getsignal, signal  # type: ignore[import-not-found]
from io import TextIOWrapper

from idealist.cli.messages import say
from idealist.errors import IdealistError
from idealist.projects.settings import project_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence
    from types import FrameType, ModuleType
    from typing import NoReturn

# What no project speaks to.
ALONE = ("init", "completion", "doctor", "measures", "conventions", "model", "serve")
# What has a command line of its own, not a parser of ours.
FOREIGN = ("trec-eval", "ranklib")
# How many objects are made before cycles among them are looked for.
CYCLES_EVERY = 100_000
_terminated = False


def entry() -> NoReturn:
    """The installed command. Leaves at once when all is written: taking the interpreter and the data
    apart again would take longer than evaluating a usual run."""
    # What is imported stays: looking through it for cycles every 700 objects takes a twentieth of a short command.
    gc.set_threshold(CYCLES_EVERY)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # Ids that are not UTF-8 go out as they came in.
            utf8 = stream.encoding.lower().replace("-", "") == "utf8"
            stream.reconfigure(errors="surrogateescape" if utf8 else _plain_letters())
    if getsignal(SIGTERM) == SIG_DFL:
        signal(SIGTERM, _terminate)
    code = main()
    os._exit(143 if code == 130 and _terminated else code)


def _plain_letters() -> str:
    """The name of what writes the letters that an encoding does not have."""
    from codecs import register_error

    from idealist.cli.plain_letters import plain_letters

    register_error("idealist.plain", plain_letters)
    return "idealist.plain"


def _terminate(number: int, frame: FrameType | None) -> None:
    """SIGTERM as an interrupt: unfinished files are removed. A second one ends the process at once."""
    global _terminated
    _terminated = True
    signal(SIGTERM, SIG_DFL)
    raise KeyboardInterrupt


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command. 0: done; 2: wrong usage or input, or no place to write; 130: interrupted (of the installed
    command: 143 by SIGTERM)."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = _dispatch(words)
        sys.stdout.flush()
        return code
    except IdealistError as error:
        _flush()  # what was found before the error comes first
        say(*f"idealist: {error}".split("\n"))
        return 2
    except KeyboardInterrupt:
        return 130
    except MemoryError:
        say(
            "idealist: there is not enough memory for this",
            "hint: give it fewer or smaller files at a time",
        )
        return 2
    except RecursionError:
        say("idealist: something is nested too deeply to be read")
        return 2
    except BrokenPipeError:
        return 0  # whoever read our output has enough of it
    except OSError as error:
        say(f"idealist: cannot write: {error.strerror}")
        return 2


def _flush() -> None:
    """Writes out what is buffered, if there is still somebody to read it: the error is what counts now."""
    from contextlib import suppress

    if sys.stdout is not None:
        with suppress(OSError):
            sys.stdout.flush()


def _parsed(parser: ArgumentParser, words: list[str]) -> tuple[Namespace, str]:
    """The arguments of a command, what is left out as the project file has it; and the line that says what it said."""
    path = project_file() if words[0] not in ALONE else None
    if path is None:
        return parser.parse_args(words[1:]), ""
    from idealist.cli.project_options import parse_in_project

    return parse_in_project(parser, words[1:], path)


def _run(module: ModuleType, settings: Namespace) -> int:
    """Runs a command, its result to standard output or to the file that -o names."""
    if getattr(settings, "result_file", None) is None:
        code: int = module.run(settings)
        return code
    from idealist.cli.result_files import run_to_file

    return run_to_file(module, settings)


def _dispatch(words: list[str]) -> int:
    if words and words[0] in FOREIGN:
        if words[0] == "ranklib":
            from idealist.cli.commands.ranklib import run
        else:
            from idealist.cli.commands.trec_eval import run
        return run(words[1:])
    if words[:1] == ["completion"] and words[2:3] == ["--complete"]:  # what its scripts ask
        from idealist.cli.completing import answer

        sys.stdout.write(answer(words[1], words[3:]))
        return 0
    from idealist.cli.parser import COMMANDS, command_parser, misplaced_option, overview, unknown_command

    if words and words[0] == "help":
        return _dispatch([*words[1:], "--help"])

    if words and words[0] in COMMANDS:
        module, parser = command_parser(words[0])
        settings, spoken = _parsed(parser, words)
        if sys.stdout is None:
            raise IdealistError("standard output is closed")
        try:
            code = _run(module, settings)
        finally:
            if spoken:
                _flush()
                say(spoken)
        return code
    if not words:
        overview().print_help()
        return 0
    if not words[0].startswith("-"):
        raise unknown_command(words[0])
    if words[0] not in ("-h", "--help", "--version"):
        raise misplaced_option(words[0])
    overview().parse_args(words)
    return 2
