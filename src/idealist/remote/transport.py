"""One request over HTTP with the key of its server, and what came of it: an answer, none this time, or a refusal."""

from __future__ import annotations

import json
import os
import re
from time import monotonic
from urllib.parse import urlsplit

from idealist.errors import InputError, shortened, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from email.message import Message
    from typing import Any
    from urllib.request import OpenerDirector


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


LARGEST = 10_000_000  # bytes of an answer
LONGEST_TIMEOUT = 1_000_000  # seconds; sockets take no more than some
BLOCK = 65_536
# Statuses that may be others the next time; those that all requests will meet; the rest is about one request.
TRY_AGAIN = (408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529)
HOPELESS = (401, 402, 403, 404, 405, 410)


class Unavailable(Exception):
    """There was no answer this time. `wait` is what the server asks for, in seconds, if it does; `reached` is whether it
    could be reached at all."""

    def __init__(self, reason: str, *, wait: float | None = None, reached: bool = True) -> None:
        super().__init__(reason)
        self.wait = wait
        self.reached = reached


class Rejected(Exception):
    """The server does not answer this request, however often it is asked."""


def post(
    address: str,
    body: Mapping[str, Any],
    *,
    headers: Mapping[str, str],
    key: str,
    timeout: float,
    hints: Mapping[int, str],
    largest: int = LARGEST,
) -> str:
    """The answer to a request in JSON, as text. Unavailable or Rejected where there is none; an InputError, with a hint
    for its status, where there will be none to any other request. The `key` of the headers is in no message; an answer
    may quote it, and whoever shows or keeps a part of it hides it there. `timeout` is in seconds for a whole answer."""
    try:
        return _post(address, json.dumps(body, default=dict).encode(), headers, key, timeout, largest)
    except _Refused as refused:
        if refused.status in HOPELESS or 300 <= refused.status < 400:
            hint = hints.get(refused.status, _hint(refused.status))
            raise InputError(f"{address}: {refused}", hint=hint) from None
        raise Rejected(str(refused)) from None


def require_privacy(address: str, key: str, variable: str) -> None:
    """Refuses to send a key where others can read it."""
    if key and not address.startswith("https:") and not is_local(address):
        raise InputError(
            f"the key in ${variable} would be sent unencrypted to {address}",
            hint=f"use https, or unset {variable}",
        )


def checked_address(value: Any, what: str, example: str) -> str:
    """The address of a server: a host and a path, without a key."""
    hint = f"for example {example}"
    if not isinstance(value, str):
        raise InputError(f"the {what} must be an address, not {value!r}", hint=hint)
    try:
        parts = urlsplit(value.strip())
        parts.port  # noqa: B018 - raises for one that is no number
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(f"the {what} must be an address of http or https, not {value!r}", hint=hint)
    if parts.username or parts.password or parts.query or parts.fragment:
        raise InputError(
            f"the address of the {what} holds more than a host and a path",
            hint="a key belongs in an environment variable: addresses are printed and kept",
        )
    return value.strip().rstrip("/")


def quoted(text: str, key: str) -> str:
    """The message of a server, on one line, without the key, and not too long."""
    return visible(shortened(" ".join(hidden(text, key).split()), 200)) or "nothing"


def retry_after(headers: Message) -> float | None:
    """The seconds that a server asks to wait: a number, or a date."""
    from email.utils import parsedate_to_datetime

    text = (headers.get("Retry-After") or "").strip()
    try:
        seconds = float(text)
    except ValueError:
        try:
            from datetime import UTC, datetime

            seconds = (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds()
        except (TypeError, ValueError):
            return None
    return max(seconds, 0.0) if seconds == seconds else None


def is_local(address: str) -> bool:
    """Whether this machine is meant."""
    from ipaddress import ip_address

    host = urlsplit(address).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


class _Refused(Exception):
    """A status that is not that of an answer, nor one to try again after."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


def _post(
    address: str, body: bytes, headers: Mapping[str, str], key: str, timeout: float, largest: int
) -> str:
    from http.client import HTTPException
    from ssl import SSLCertVerificationError
    from urllib.error import HTTPError, URLError
    from urllib.request import Request

    begun = monotonic()
    fields = {"Content-Type": "application/json", "User-Agent": "idealist", **headers}
    request = Request(address, data=body, headers=fields, method="POST")
    try:
        with opener(address).open(request, timeout=timeout) as response:
            return _content(response, begun, timeout, largest)
    except HTTPError as error:
        with error:
            raise _refusal(error, key) from None
    except TimeoutError:
        raise Unavailable(f"no answer within {timeout:g} seconds") from None
    except URLError as error:
        if isinstance(error.reason, TimeoutError):
            raise Unavailable(f"no answer within {timeout:g} seconds") from None
        if isinstance(error.reason, SSLCertVerificationError):
            raise Rejected(f"its certificate cannot be trusted: {error.reason.verify_message}") from None
        raise Unavailable(f"it cannot be reached: {_reason(error.reason, key)}", reached=False) from None
    except (HTTPException, ConnectionError, OSError) as error:
        raise Unavailable(f"the answer was cut off: {_reason(error, key)}") from None
    except ValueError:  # its text would quote a header
        raise Rejected("the request cannot be sent: a header or the address is not valid") from None


def _content(response: Any, begun: float, timeout: float, largest: int) -> str:
    """The answer's text, whole, and within the time that there is."""
    parts: list[bytes] = []
    size = 0
    while block := response.read1(BLOCK):
        parts.append(block)
        size += len(block)
        if size > largest:
            raise Rejected(f"the answer has more than {largest:,} bytes")
        if monotonic() - begun > timeout:
            raise Unavailable(f"no whole answer within {timeout:g} seconds")
    announced = response.headers.get("Content-Length", "")
    if announced.isdigit() and size < int(announced):
        raise Unavailable(f"the answer was cut off after {size:,} of {int(announced):,} bytes")
    return b"".join(parts).decode("utf-8", "replace")


def _refusal(error: Any, key: str) -> Exception:
    """The refusal that a status stands for."""
    said = _error_text(error, key)
    status = f"status {error.code}{f': {said}' if said else ''}"
    if error.code in TRY_AGAIN:
        return Unavailable(status, wait=retry_after(error.headers))
    if 300 <= error.code < 400:
        status = f"it sends requests elsewhere (status {error.code})"
    return _Refused(error.code, status)


def _hint(status: int) -> str:
    if 300 <= status < 400:
        return "name the address itself: a key is not sent to where an answer points"
    return "check the address"


def _error_text(error: Any, key: str) -> str:
    """The message in the body of an error, if it can be read."""
    from http.client import HTTPException

    try:
        text = error.read(20_000).decode("utf-8", "replace")
    except (OSError, HTTPException):
        return ""
    return quoted(error_message(text), key) if text else ""


def error_message(text: str) -> str:
    """The message of an error in JSON, in one of the forms that servers use; the text itself if it is in none."""
    try:
        said = json.loads(text)["error"]
    except (KeyError, TypeError, ValueError, RecursionError):
        return text
    if not isinstance(said, dict):
        return str(said)
    # OpenAI and Vespa; Solr; Elasticsearch and OpenSearch, whose first cause says more than the whole.
    causes = said.get("root_cause")
    first = causes[0] if isinstance(causes, list) and causes and isinstance(causes[0], dict) else {}
    for part in (said.get("message"), said.get("msg"), first.get("reason"), said.get("reason")):
        if part:
            return str(part)
    return text


def _reason(error: object, key: str) -> str:
    return visible(hidden(str(getattr(error, "strerror", None) or error), key) or type(error).__name__)


def opener(address: str) -> OpenerDirector:
    """The opener of addresses: no redirection is followed, and this machine is not asked for by way of a proxy."""
    from urllib.request import HTTPRedirectHandler, ProxyHandler, build_opener

    class Stay(HTTPRedirectHandler):
        def redirect_request(self, *_: Any) -> None:
            return None

    return build_opener(Stay, *([ProxyHandler({})] if is_local(address) else []))
