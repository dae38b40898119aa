"""What --columns says of the one table of a command that takes a single table."""

from __future__ import annotations

from idealist.errors import InputError


def stated_columns(text: str | None) -> dict[str, str] | None:
    """Our names of columns and theirs.

    >>> stated_columns("query=term,winner=verdict")
    {'query': 'term', 'winner': 'verdict'}
    """
    if text is None:
        return None
    columns: dict[str, str] = {}
    for part in text.split(","):
        ours, equals, theirs = part.partition("=")
        if not (equals and ours.strip() and theirs.strip()):
            raise InputError(
                f"--columns: {part!r} is not OURS=THEIRS", hint="for example query=term,winner=verdict"
            )
        columns[ours.strip().rpartition(".")[2]] = theirs.strip()
    return columns
