"""Keys of servers: read from the environment when they are needed, and in no message."""

from __future__ import annotations

import os
import re

from idealist.errors import InputError

HIDDEN = "[key]"
# Keys that are shorter are no secrets: local servers take any, such as "2", "null" or "EMPTY".
SHORTEST_SECRET = 8
# What stands in a string of JSON with a backslash; a slash may.
IN_JSON = str.maketrans({'"': '\\"', "\\": "\\\\"})


def read_key(variable: str) -> str:
    """The key in an environment variable, without the spaces and line ends around it; "" where there is none.

    A header of a request holds printable ASCII only. What else the key holds is named, and the key is not.
    """
    key = os.environ.get(variable, "").strip().strip("\ufeff\u200b")
    for position, character in enumerate(key, 1):
        if not " " <= character <= "~":
            raise InputError(
                f"the key in ${variable} has a character that a request cannot hold: U+{ord(character):04X} at position {position}",
                hint=f"set {variable} again, without line ends, quotation marks and invisible characters around the key",
            )
    return key


def hidden(text: str, key: str) -> str:
    """A text of a server without the key that it may quote. A key that is no secret is hidden where it stands alone.

    >>> hidden("no such key: sk-123456", "sk-123456")
    'no such key: [key]'
    >>> hidden("no such key: a", "a")
    'no such key: [key]'
    """
    # "ApiKey …" and "Basic …": what follows the name of the scheme is the secret.
    for secret in dict.fromkeys((key, key.rpartition(" ")[2])):
        if not secret:
            continue
        written = (secret, secret.translate(IN_JSON), secret.translate(IN_JSON).replace("/", "\\/"))
        forms = "|".join(map(re.escape, dict.fromkeys(written)))
        if len(secret) < SHORTEST_SECRET:
            forms = rf"(?<!\w)(?:{forms})(?!\w)"
        text = re.sub(forms, HIDDEN, text)
    return text


def hidden_in_answer(text: str, key: str) -> str:
    """An answer without the key that it may quote; a key that is no secret may well be the answer, and stays.

    >>> hidden_in_answer("2", "2")
    '2'
    """
    return hidden(text, key) if len(key) >= SHORTEST_SECRET else text
