"""The built site on a server of its own, and a browser."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from conftest import ROOT
from support.chromium import PATIENCE, chromium_browser


@pytest.fixture(scope="session")
def site() -> Path:
    """The folder of a site that runs Python."""
    if "IDEALIST_LIVE" not in os.environ:
        pytest.skip("a site that runs Python is built by make test-live")
    return ROOT / os.environ["IDEALIST_LIVE"]


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=site))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def browser(site: Path) -> Iterator[Any]:
    with chromium_browser() as launched:
        yield launched


@pytest.fixture
def opened(browser: Any, address: str) -> Iterator[Any]:
    """Opens a page of the site, with no way to anywhere else."""
    contexts = []

    def opening(path: str, **settings: Any) -> Any:
        context = browser.new_context(base_url=address, **settings)
        context.set_default_timeout(PATIENCE)
        context.route(lambda url: not url.startswith(address), lambda route: route.abort())
        contexts.append(context)
        page = context.new_page()
        page.goto(path)
        return page

    yield opening
    for context in contexts:
        context.close()
