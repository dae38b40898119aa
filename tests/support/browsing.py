"""Pages of the workbench as a browser without scripts sees them."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from html import unescape
from typing import Any, TypeVar

T = TypeVar("T")

PATIENCE = 60  # seconds until work in the background is done, on a machine that does other things too


def awaited(ask: Callable[[], T | None], otherwise: str) -> T:
    """The first answer that is not None; `otherwise` is what is wrong where none comes."""
    patience = time.monotonic() + PATIENCE
    while time.monotonic() < patience:
        if (answer := ask()) is not None:
            return answer
        time.sleep(0.05)
    raise AssertionError(otherwise)


class Browsing:
    """A client that fills in forms: it takes the form token from the page that the form is on."""

    def __init__(self, workbench: Any, **options: Any) -> None:
        from starlette.testclient import TestClient

        from idealist.web.app import application

        # No lifespan: the fixture closes the workbench.
        self.client = TestClient(application(workbench), base_url="http://127.0.0.1:8765", **options)

    def get(self, path: str, **options: Any) -> Any:
        return self.client.get(path, **options)

    def page(self, path: str, status: int = 200) -> str:
        answer = self.client.get(path)
        assert answer.status_code == status, (answer.status_code, answer.text)
        return unescape(str(answer.text))

    def whole_page(self, path: str, status: int = 200) -> str:
        """A page once all its parts are computed: before that it asks for them again by itself."""

        def computed() -> Any:
            answer = self.client.get(path)
            busy = 'aria-busy="true"' in answer.text or 'hx-trigger="load delay:' in answer.text
            return None if busy else answer

        answer = awaited(computed, f"{path} is never computed")
        assert answer.status_code == status, (answer.status_code, answer.text)
        return unescape(str(answer.text))

    def token(self, path: str) -> str:
        found = re.search(r'name="form_token" value="([0-9a-f]+)"', self.client.get(path).text)
        assert found is not None, path
        return found[1]

    def send(self, path: str, page: str, files: Any = None, **fields: str) -> Any:
        """Sends a form that is on `page` to `path`."""
        data = {"form_token": self.token(page), **fields}
        return self.client.post(path, data=data, files=files)

    def log_in(self, name: str, password: str) -> Any:
        return self.send("/login", "/login", name=name, password=password)

    def upload(self, project: int, filename: str, content: bytes, **fields: str) -> Any:
        files = {"file": (filename, content)}
        return self.send(f"/projects/{project}/sources", f"/projects/{project}", files=files, **fields)
