"""One question of a page, one answer: both are JSON, and an error is an answer too."""

from __future__ import annotations

import json
from typing import Any

from idealist.errors import IdealistError, InputError
from in_browser import examples, tables
from in_browser.absent import absent_package

QUESTIONS = {
    function.__name__: function
    for function in (tables.choices, tables.measured, tables.difference, tables.build_up, examples.example)
}


def answered(question: str, values: str) -> str:
    """The answer as {"answer": …}, or as {"error": …} with what is wrong and where."""
    try:
        whole: dict[str, Any] = {"answer": QUESTIONS[question](*json.loads(values))}
    except Exception as error:
        whole = {"error": problem(error)}
    return json.dumps(whole)


def problem(error: Exception) -> dict[str, Any]:
    """What the page shows of an error: its text, and the pasted text and line that it is about."""
    if isinstance(error, IdealistError):
        found: dict[str, Any] = {"message": str(error)}
        if isinstance(error, InputError):
            found |= {"source": error.source, "line": error.line}
        return found
    return {"message": absent_package(error) or f"{type(error).__name__}: {error}"}
