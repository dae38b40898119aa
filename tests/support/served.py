"""A workbench behind a real server, in a thread, for browsers."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def served(workbench: Any) -> Iterator[str]:
    """The address of a server on a free port, as long as the block lasts; the workbench is closed with it."""
    import uvicorn

    from idealist.web.app import application
    from idealist.web.serving import free_socket

    opened = free_socket("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(application(workbench), log_level="error"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [opened]})
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            time.sleep(0.01)
        yield f"http://127.0.0.1:{opened.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        opened.close()
