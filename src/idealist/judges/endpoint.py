"""One request to an endpoint that speaks as OpenAI's does, and what its answer means."""

from __future__ import annotations

import json
from time import monotonic

from idealist.data.values import as_within
from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.judges.cache import Reply
from idealist.remote.keys import hidden_in_answer, read_key
from idealist.remote.transport import (
    LONGEST_TIMEOUT,
    Unavailable,
    checked_address,
    post,
    quoted,
    require_privacy,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

PATH = "/chat/completions"
KEY_VARIABLE = "OPENAI_API_KEY"


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
            return checked_address(value, "endpoint", "http://localhost:8000/v1")
        if field == "model" and not (isinstance(value, str) and value.strip()):
            raise InputError(f"the model must have a name, not {value!r}")
        if field == "timeout":
            return as_within(value, "timeout", 0, LONGEST_TIMEOUT, "(]")
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

    def ask(self, body: Mapping[str, Any], date: str) -> Reply:
        """The answer to a request; Unavailable or Rejected where there is none, an InputError where there will be none to any
        other request. The key is in no message."""
        key = read_key(self.key_variable)
        require_privacy(self.url, key, self.key_variable)
        hints = {
            401: f"the key in ${self.key_variable} is not accepted, or missing",
            402: "the account has no credit left",
            403: f"the key in ${self.key_variable} may not use this model",
            404: f"is {self.address} the address, and {self.model!r} the model's name?",
        }
        begun = monotonic()
        content = post(
            self.address,
            body,
            headers={"Authorization": f"Bearer {key}"} if key else {},
            key=key,
            timeout=self.timeout,
            hints=hints,
        )
        return _reply(content, key, monotonic() - begun, date)


def _reply(content: str, key: str, seconds: float, date: str) -> Reply:
    try:
        record = json.loads(content)
    except (ValueError, RecursionError):
        raise Unavailable(f"the answer is not JSON: {quoted(content, key)}") from None
    try:
        choice = record["choices"][0]
        message = choice["message"]
        text, refusal = _text(message.get("content")), message.get("refusal")
        finish = str(choice.get("finish_reason") or "stop")
    except (AttributeError, IndexError, KeyError, TypeError):
        raise Unavailable(
            f"the answer has no choices[0].message, as OpenAI's have: {quoted(content, key)}"
        ) from None
    usage = record.get("usage") if isinstance(record.get("usage"), dict) else {}
    if refusal or finish == "content_filter":
        finish = "refusal"
    return Reply(
        hidden_in_answer(str(refusal or text), key),
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
