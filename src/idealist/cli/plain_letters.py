"""Signs of tables and sentences for terminals that do not have them."""

from __future__ import annotations

# What looks like the signs of tables and sentences, where an encoding does not have them.
PLAIN = {"─": "-", "│": "|", "→": "->", "…": "...", "×": "x", "−": "-", "–": "-", "≥": ">=", "≤": "<="}


def plain_letters(error: UnicodeError) -> tuple[str, int]:
    """An error handler for encodings: what looks like the sign that cannot be written, else a question mark.

    >>> from codecs import register_error
    >>> register_error("plain", plain_letters)
    >>> "0.5 → 1 中".encode("ascii", "plain")
    b'0.5 -> 1 ?'
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    return "".join(PLAIN.get(letter, "?") for letter in letters), error.end
