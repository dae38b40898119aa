"""Text with brackets in it."""

from __future__ import annotations


def top_level(text: str, separators: str) -> list[str]:
    """The parts between separators that stand outside brackets.

    >>> top_level("nDCG(gain={0:0,1:5}), P@5", ",")
    ['nDCG(gain={0:0,1:5})', 'P@5']
    """
    parts, depth, begin = [], 0, 0
    for at, character in enumerate(text):
        depth += (character in "({[") - (character in ")}]")
        if depth == 0 and character in separators:
            parts.append(text[begin:at])
            begin = at + 1
    return [part.strip() for part in (*parts, text[begin:]) if part.strip()]
