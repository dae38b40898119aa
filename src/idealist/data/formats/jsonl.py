"""JSONL: a record a line."""

from __future__ import annotations

from idealist.data.formats.format import Head
from idealist.data.formats.json import Json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.data.opening import Opened


class JsonLines(Json):
    name = "jsonl"
    label = "JSONL"
    about = "a record a line"
    endings = (".jsonl", ".ndjson")
    written = "a record a row: query, document and score or grade"
    keeps_empty_queries = False
    first_line = last_line = ""

    def recognises(self, head: Head) -> bool:
        """An object whose values are not all objects, or several objects."""
        if head.text[:1] != b"{" or b"\0" in head.start:
            return False
        import json

        try:
            first, *others = [json.loads(line) for line in head.lines[:2]]
        except (ValueError, RecursionError):
            return False
        return isinstance(first, dict) and (
            bool(others) or any(not isinstance(value, dict) for value in first.values())
        )

    def column_names(self, opened: Opened, part: str | None) -> list[str] | None:
        import json

        return list(json.loads(Head(opened.head).first))


FORMAT = JsonLines()
