"""An endpoint on this machine that speaks as OpenAI's does, and misbehaves as it is told."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from threading import Lock
from typing import Any

from support.loopback import listening

# What a reaction does with a request: it answers by methods of the handler. It gets the body and its number, from 1.
Reaction = Callable[["Handler", dict[str, Any], int], None]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    endpoint: FakeEndpoint

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        number = self.endpoint.note(body, self.headers.get("Authorization", ""), self.path)
        self.endpoint.reaction(self, body, number)

    def send(self, status: int, text: str, **headers: str) -> None:
        content = text.encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)

    def say(self, content: str | None, finish: str = "stop", **message: Any) -> None:
        """Answers as a model does."""
        record = {
            "choices": [
                {"message": {"role": "assistant", "content": content, **message}, "finish_reason": finish}
            ],
            "usage": {"prompt_tokens": 100, "completion_tokens": 7},
        }
        self.send(200, json.dumps(record))

    def cut(self, text: str, announced: int) -> None:
        """Announces more than it sends, and hangs up."""
        self.send_response(200)
        self.send_header("Content-Length", str(announced))
        self.end_headers()
        self.wfile.write(text.encode())
        self.close_connection = True

    def log_message(self, *_: Any) -> None:
        pass


class FakeEndpoint:
    """What was asked so far: `bodies`, `keys` as the header has them, and `paths`."""

    def __init__(self, reaction: Reaction) -> None:
        self.reaction = reaction
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.paths: list[str] = []
        self.url = ""
        self._lock = Lock()

    def note(self, body: dict[str, Any], key: str, path: str) -> int:
        with self._lock:
            self.bodies.append(body)
            self.keys.append(key)
            self.paths.append(path)
            return len(self.bodies)


@contextmanager
def endpoint(reaction: Reaction) -> Iterator[FakeEndpoint]:
    """An endpoint that reacts so, on a port that the system chooses."""
    fake = FakeEndpoint(reaction)
    with listening(type("Its", (Handler,), {"endpoint": fake})) as address:
        fake.url = f"{address}/v1"
        yield fake


def grading(grade: int = 2) -> Reaction:
    """Always the same grade."""
    return lambda handler, body, number: handler.say(json.dumps({"grade": grade}))
