"""One request to an endpoint that speaks as OpenAI's does, and what its answer means."""

from __future__ import annotations

import json
import os
from time import monotonic
from urllib.parse import urlsplit

from idealist.errors import InputError, shortened, visible
from idealist.frozen import Frozen
from idealist.judges.cache import Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from email.message import Message
    from typing import Any
    from urllib.request import OpenerDirector

PATH = "/chat/completions"
KEY_VARIABLE = "OPENAI_API_KEY"
LARGEST = 10_000_000  # bytes of an answer
BLOCK = 65_536
HIDDEN = "[key]"
# Statuses that may be others the next time; those that all requests will meet; the rest is about one request.
TRY_AGAIN = (408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529)
HOPELESS = (401, 402, 403, 404, 405, 410)


class Unavailable(Exception):
    """There was no answer this time. `wait` is what the endpoint asks for, in seconds, if it does; `reached` is whether
    it could be reached at all."""

    def __init__(self, reason: str, *, wait: float | None = None, reached: bool = True) -> None:
        super().__init__(reason)
        self.wait = wait
        self.reached = reached


class Rejected(Exception):
    """The endpoint does not answer this request, however often it is asked."""


class Hopeless(Exception):
    """The endpoint answers no request, of these or of others."""

    def __init__(self, reason: str, hint: str) -> None:
        super().__init__(reason)
        self.hint = hint


class Endpoint(Frozen):
    """Where questions are asked: the `url` up to /v1, the `model`, and how it is to answer.

    The key is read from the environment variable `key_variable` when it is needed, and kept nowhere; without it none is
    sent. `timeout` is in seconds for a whole answer. `extra` are further fields of the request, as a mapping or JSON; one that is
    null takes a field away, as in {"max_tokens": null, "max_completion_tokens": 500}.

    >>> Endpoint("http://localhost:8000/v1", "judge").address
    'http://localhost:8000/v1/chat/completions'
    """

    url: str
    model: str
    key_variable: str = KEY_VARIABLE
    timeout: float = 60.0
    temperature: float = 0.0
    max_tokens: int = 256
    extra: str = "{}"

    def _checked(self, field: str, value: Any) -> Any:
        if field == "url":
            return _checked_url(value)
        if field == "model" and not (isinstance(value, str) and value.strip()):
            raise InputError(f"the model must have a name, not {value!r}")
        if field == "timeout" and not value > 0:
            raise InputError(f"timeout must be above 0 seconds, not {value!r}")
        if field == "temperature" and not 0 <= value <= 2:
            raise InputError(f"temperature must lie between 0 and 2, not {value!r}")
        if field == "max_tokens" and (not isinstance(value, int) or value < 1):
            raise InputError(f"max_tokens must be a whole number, 1 or more, not {value!r}")
        return _checked_extra(value) if field == "extra" else value

    @property
    def address(self) -> str:
        return self.url if self.url.endswith(PATH) else self.url + PATH

    def body(self, messages: list[dict[str, str]]) -> dict[str, Any]:
        """All that is sent of a question."""
        fields = {
            "model": self.model,
            "messages": messages,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            **json.loads(self.extra),
        }
        return {name: value for name, value in fields.items() if value is not None}

    def ask(self, body: dict[str, Any], date: str) -> Reply:
        """The answer to a request; Unavailable or Rejected where there is none, an InputError where there will be none to any
        other request. The key is in no message."""
        key = os.environ.get(self.key_variable, "")
        self._require_privacy(key)
        begun = monotonic()
        try:
            content = self._post(json.dumps(body).encode(), key, begun)
        except (Unavailable, Rejected) as error:
            # What an endpoint says is quoted, and it may quote the key.
            error.args = (hidden(str(error), key),)
            raise
        except Hopeless as error:
            raise InputError(hidden(f"{self.address}: {error}", key), hint=error.hint) from None
        return _reply(hidden(content, key), monotonic() - begun, date)

    def _require_privacy(self, key: str) -> None:
        if key and not self.url.startswith("https:") and not _is_local(self.url):
            raise InputError(
                f"the key in ${self.key_variable} would be sent unencrypted to {self.url}",
                hint=f"use https, or unset {self.key_variable}",
            )

    def _post(self, body: bytes, key: str, begun: float) -> str:
        from http.client import HTTPException
        from ssl import SSLCertVerificationError
        from urllib.error import HTTPError, URLError
        from urllib.request import Request

        headers = {"Content-Type": "application/json", "User-Agent": "idealist"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        request = Request(self.address, data=body, headers=headers, method="POST")
        try:
            with _opener(self.url).open(request, timeout=self.timeout) as response:
                return self._content(response, begun)
        except HTTPError as error:
            with error:
                raise self._refusal(error) from None
        except TimeoutError:
            raise Unavailable(f"no answer within {self.timeout:g} seconds") from None
        except URLError as error:
            if isinstance(error.reason, TimeoutError):
                raise Unavailable(f"no answer within {self.timeout:g} seconds") from None
            if isinstance(error.reason, SSLCertVerificationError):
                raise Rejected(f"its certificate cannot be trusted: {error.reason.verify_message}") from None
            raise Unavailable(f"it cannot be reached: {_reason(error.reason)}", reached=False) from None
        except (HTTPException, ConnectionError, OSError) as error:
            raise Unavailable(f"the answer was cut off: {_reason(error)}") from None

    def _content(self, response: Any, begun: float) -> str:
        """The answer's text, whole, and within the time that there is."""
        parts: list[bytes] = []
        size = 0
        while block := response.read1(BLOCK):
            parts.append(block)
            size += len(block)
            if size > LARGEST:
                raise Rejected(f"the answer has more than {LARGEST:,} bytes")
            if monotonic() - begun > self.timeout:
                raise Unavailable(f"no whole answer within {self.timeout:g} seconds")
        announced = response.headers.get("Content-Length", "")
        if announced.isdigit() and size < int(announced):
            raise Unavailable(f"the answer was cut off after {size:,} of {int(announced):,} bytes")
        return b"".join(parts).decode("utf-8", "replace")

    def _refusal(self, error: Any) -> Exception:
        """What a status says that is not that of an answer."""
        said = _error_text(error)
        status = f"status {error.code}{f': {said}' if said else ''}"
        if error.code in TRY_AGAIN:
            return Unavailable(status, wait=retry_after(error.headers))
        if error.code in HOPELESS:
            hints = {
                401: f"the key in ${self.key_variable} is not accepted, or missing",
                402: "the account has no credit left",
                403: f"the key in ${self.key_variable} may not use this model",
                404: f"is {self.address} the address, and {self.model!r} the model's name?",
            }
            return Hopeless(status, hints.get(error.code, "check the address"))
        if 300 <= error.code < 400:
            return Hopeless(
                f"it sends requests elsewhere (status {error.code})",
                "name the address itself: a key is not sent to where an answer points",
            )
        return Rejected(status)


def retry_after(headers: Message) -> float | None:
    """The seconds that an endpoint asks to wait: a number, or a date."""
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


def hidden(text: str, key: str) -> str:
    return text.replace(key, HIDDEN) if key else text


def _reply(content: str, seconds: float, date: str) -> Reply:
    try:
        record = json.loads(content)
    except (ValueError, RecursionError):
        raise Unavailable(f"the answer is not JSON: {_quoted(content)}") from None
    try:
        choice = record["choices"][0]
        message = choice["message"]
        text, refusal = _text(message.get("content")), message.get("refusal")
        finish = str(choice.get("finish_reason") or "stop")
    except (AttributeError, IndexError, KeyError, TypeError):
        raise Unavailable(
            f"the answer has no choices[0].message, as OpenAI's have: {_quoted(content)}"
        ) from None
    usage = record.get("usage") if isinstance(record.get("usage"), dict) else {}
    if refusal or finish == "content_filter":
        finish = "refusal"
    return Reply(
        str(refusal or text),
        finish,
        _count(usage.get("prompt_tokens")),
        _count(usage.get("completion_tokens")),
        round(seconds, 3),
        date,
    )


def _text(content: Any) -> str:
    """The text of a message, which some endpoints give in parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content)
    return str(content or "")


def _count(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def _quoted(text: str) -> str:
    return visible(shortened(" ".join(text.split()), 200)) or "nothing"


def _reason(error: object) -> str:
    return visible(str(getattr(error, "strerror", None) or error) or type(error).__name__)


def _error_text(error: Any) -> str:
    """What the body of an error says, if it can be read."""
    from http.client import HTTPException

    try:
        text = error.read(20_000).decode("utf-8", "replace")
    except (OSError, HTTPException):
        return ""
    try:
        said = json.loads(text)["error"]
        text = said["message"] if isinstance(said, dict) else str(said)
    except (KeyError, TypeError, ValueError, RecursionError):
        pass
    return _quoted(str(text)) if text else ""


def _checked_url(value: Any) -> str:
    hint = "for example http://localhost:8000/v1"
    if not isinstance(value, str):
        raise InputError(f"the endpoint must be an address, not {value!r}", hint=hint)
    try:
        parts = urlsplit(value.strip())
        parts.port  # noqa: B018 - raises for one that is no number
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(f"the endpoint must be an address of http or https, not {value!r}", hint=hint)
    if parts.username or parts.password or parts.query or parts.fragment:
        raise InputError(
            "the address of the endpoint holds more than a host and a path",
            hint="a key belongs in an environment variable: addresses are printed and kept",
        )
    return value.strip().rstrip("/")


def _checked_extra(value: Any) -> str:
    if not isinstance(value, str):
        value = json.dumps(value, sort_keys=True)
    try:
        fields = json.loads(value)
    except ValueError:
        fields = None
    if not isinstance(fields, dict) or {"messages", "stream", "n"} & fields.keys():
        raise InputError(
            f"further fields of a request must be a JSON object without messages, stream and n, not {value}",
            hint='for example {"top_p": 0.9}',
        )
    return str(value)


def _is_local(url: str) -> bool:
    from ipaddress import ip_address

    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _opener(url: str) -> OpenerDirector:
    """What opens addresses: no redirection is followed, and this machine is not asked for by way of a proxy."""
    from urllib.request import HTTPRedirectHandler, ProxyHandler, build_opener

    class Stay(HTTPRedirectHandler):
        def redirect_request(self, *_: Any) -> None:
            return None

    return build_opener(Stay, *([ProxyHandler({})] if _is_local(url) else []))
