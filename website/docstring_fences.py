"""Doctests in docstrings as fenced code: Markdown would take `>>>` for a quotation within quotations."""

from __future__ import annotations

import re

from griffe import Extension, Object

# From a line that begins with >>> to the next empty line.
DOCTEST = re.compile(r"^>>> .*(?:\n(?!\s*$).*)*", re.MULTILINE)


class DocstringFences(Extension):  # type: ignore[misc]  # griffe is not there where types are checked
    """Puts each doctest of a docstring between the fences of a code block."""

    def on_object(self, *, obj: Object, **_: object) -> None:
        if obj.docstring is not None:
            obj.docstring.value = DOCTEST.sub(r"```pycon\n\g<0>\n```", obj.docstring.value)
