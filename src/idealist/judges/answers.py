"""What an answer of a model says; one that does not say it plainly is not read."""

from __future__ import annotations

import json
import re

from idealist.judges.prompts import VOTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.judges.prompts import Prompt

SIDES = ("left", "right", "same")
FENCE = re.compile(r"^```(?:json)?\s*\n(.*?)\n?```$", re.DOTALL)
# A line that says nothing but the answer, with or without its name, and whatever Markdown puts around it.
LINE = re.compile(
    r"^[\s*_\"'`(\[]*((?:the )?(?:final )?(?:grade|better|answer)(?: is)?[\s*_]*[:=]?[\s*_\"'`]*)?([a-z]+|\d+)[\s*_\"'`)\].!]*$",
    re.IGNORECASE,
)


def read_answer(content: str, prompt: Prompt) -> int | str | None:
    """The grade, or the better side; None where the answer does not say exactly one that could be given.

    >>> from idealist.judges.prompts import Prompt
    >>> [read_answer(text, Prompt()) for text in ('{"grade": 2}', "It fits.\\nGrade: 3", "2 or 3", "7")]
    [2, 3, None, None]
    """
    text = content.strip()
    if fenced := FENCE.match(text):
        text = fenced.group(1).strip()
    key = "better" if prompt.asks == VOTES else "grade"
    record = _record(text)
    if record is not None:
        return _allowed(record.get(key), prompt)
    if text.startswith("{"):
        return None  # JSON that is cut off, or several objects
    lines = [LINE.match(line) for line in text.splitlines() if line.strip()]
    named = {_allowed(line.group(2), prompt) for line in lines if line is not None and line.group(1)}
    if not lines or lines[-1] is None or len(named) > 1:
        return None  # it does not end with an answer, or gives two
    return _allowed(lines[-1].group(2), prompt)


def _record(text: str) -> dict[str, object] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _allowed(value: object, prompt: Prompt) -> int | str | None:
    if prompt.asks == VOTES:
        side = value.strip().lower() if isinstance(value, str) else None
        return side if side in SIDES else None
    if isinstance(value, str) and value.strip().isdigit():
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    is_grade = isinstance(value, int) and not isinstance(value, bool) and value in prompt.scale.grades
    return value if is_grade and isinstance(value, int) else None
