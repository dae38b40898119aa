"""What an answer of a model says; one that does not say it plainly is not read."""

from __future__ import annotations

import json
import re

from idealist.judges.prompts import VOTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.judges.prompts import Prompt

SIDES = ("left", "right", "same")
# What some models think before they answer, and the marks of code at the end of an answer.
THOUGHTS = re.compile(r"^\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
FENCE = re.compile(r"```(?:json)?\s*\n([^`]*?)\s*```$")
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
    text = FENCE.sub(lambda fenced: _one_line(fenced.group(1)), THOUGHTS.sub("", content).strip())
    key = "better" if prompt.asks == VOTES else "grade"
    record = _record(text)
    if record is not None:
        return _allowed(record.get(key), prompt)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    answers = [_line_answer(line, key, prompt) for line in lines]
    named = {value for is_named, value in answers if is_named}
    if not lines or len(named) > 1:
        return None  # it gives two answers
    return answers[-1][1]


def _line_answer(line: str, key: str, prompt: Prompt) -> tuple[bool, int | str | None]:
    """Whether a line names what it says, as JSON or in words, and the answer, if that is all that it says."""
    record = _record(line)
    if record is not None:
        return key in record, _allowed(record.get(key), prompt)
    said = LINE.match(line)
    return (False, None) if said is None else (said.group(1) is not None, _allowed(said.group(2), prompt))


def _one_line(text: str) -> str:
    """JSON of several lines as one; anything else as it is."""
    record = _record(text)
    return text if record is None else json.dumps(record)


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
