"""The `idealist` command: one module per subcommand."""

from __future__ import annotations

import os
import sys

from idealist.errors import IdealistError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

# In the order `idealist --help` shows them; each is a module here with SUMMARY, configure and run.
COMMANDS = ("evaluate", "explain", "measures")


def entry() -> NoReturn:
    """The installed command. Leaves at once when all is written: taking the interpreter and the data
    apart again would take longer than evaluating a usual run."""
    code = main()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (BrokenPipeError, AttributeError):
        pass  # nobody reads on
    os._exit(code)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command. 0: done; 2: wrong usage or input; 130: interrupted."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _dispatch(given)
    except IdealistError as error:
        print(f"idealist: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return 0  # whoever read our output has enough of it


def _dispatch(given: list[str]) -> int:
    from idealist.cli.parser import command_parser, overview

    if given and given[0] in COMMANDS:
        module, parser = command_parser(given[0])
        code: int = module.run(parser.parse_args(given[1:]))
        sys.stdout.flush()
        return code
    overview().parse_args(given)
    return 2
