"""Runs that commands make: what they may be called, and where they are written."""

from __future__ import annotations

from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.data import Run


def require_run_name(name: str) -> None:
    """Raises for a name that the last column of a run cannot hold."""
    if len(name.split()) != 1:
        raise InputError(
            f"the name {name!r} cannot be written in a column", hint="choose one without spaces: --name"
        )


def write_made_run(run: Run, output: str | None, *, force: bool) -> None:
    """To a file, in the format of its ending, or to standard output; TREC text where no ending says another."""
    from idealist.data.writing import format_by_ending, write_run

    if output is None:
        write_run(run, "-", format="trec")
    else:
        write_run(run, output, format=format_by_ending(output) or "trec", force=force)
