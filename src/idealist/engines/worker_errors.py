"""Errors of ours that a worker raised: engines pass them on as the text of its traceback."""

from __future__ import annotations

import re

from idealist import errors

# An error of ours, as it stands at the end of a worker's traceback.
OURS = re.compile(
    r"^idealist\.errors\.(InputError|UnknownMeasure|MissingDependency): (.*?)(?:\nhint: ([^\n]*))?(?=\n\s*\n|\n\s+at |\n?\Z)",
    re.DOTALL | re.MULTILINE,
)


def error_within(text: str) -> errors.IdealistError | None:
    """The error of ours in the text of an engine's error; None where there is none.

    >>> error_within("Traceback …\\nidealist.errors.InputError: the query is null\\nhint: fill it in\\n\\n\\tat java.base/…")
    InputError('the query is null')
    """
    match = OURS.search(text)
    if match is None:
        return None
    kind, message, hint = match.groups()
    error: errors.IdealistError = getattr(errors, kind)(message.strip(), hint=hint or "")
    return error
