"""What tests share: where things are, and a way to run the command as a user does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).parent.parent

# An assertion that fails there shows its values, as one in a test does.
pytest.register_assert_rewrite("support")

# Learning wants heavy libraries, which have an environment of their own.
NO_LEARNING = [library for library in ("torch", "lightgbm") if find_spec(library) is None]
# The workbench, where the extra `web` is not installed.
NO_WEB = [
    library
    for library in ("alembic", "argon2", "fastapi", "httpx2", "jinja2", "sqlalchemy")
    if find_spec(library) is None
]
collect_ignore_glob = ["learn/*", "drop_ins/*ranklib*"] if NO_LEARNING else []
# So do engines: a library, and the tests that want it.
ENGINES = {
    "pyspark": "engines/*spark*",
    "ray": "engines/*ray*",
    "dask": "engines/*dask*",
    "psycopg": "engines/*postgres*",
    "sqlglot": "engines/*parsed*",
}
NO_ENGINES = [library for library in ENGINES if find_spec(library) is None]
collect_ignore_glob += [ENGINES[library] for library in NO_ENGINES]
collect_ignore_glob += ["web/*"] if NO_WEB else []
# And tools that we work inside: tests/integrations/test_with_LIBRARY.py wants the library that it names.
WITH_TOOL = "test_with_"
NO_TOOLS = [
    library
    for library in sorted(
        path.stem.removeprefix(WITH_TOOL)
        for path in (ROOT / "tests" / "integrations").glob(f"{WITH_TOOL}*.py")
    )
    if find_spec(library) is None
]
collect_ignore_glob += [f"integrations/{WITH_TOOL}{library}.py" for library in NO_TOOLS]

# The same examples every time, so that the same commit always gives the same answer; `make explore` looks for
# new ones.
settings.register_profile(
    "same", deadline=None, max_examples=100, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("few", settings.get_profile("same"), max_examples=30)  # where each takes long
settings.register_profile("new", settings.get_profile("same"), derandomize=False, max_examples=1000)
settings.load_profile(os.environ.get("IDEALIST_EXAMPLES", "same"))

# A shell starts what runs in its background with SIGINT ignored, and so would be whatever tests start and interrupt.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# As users have it: what is not flushed is lost.
BUFFERED = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}

Command = Callable[..., "subprocess.CompletedProcess[str]"]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if NO_LEARNING:
        libraries = " and ".join(NO_LEARNING)
        terminalreporter.write_line(
            f"tests/learn left out: {libraries} not installed (make test-learn runs them)"
        )
    if NO_WEB:
        terminalreporter.write_line(f"tests/web left out: {', '.join(NO_WEB)} not installed (the extra web)")
    if NO_ENGINES:
        libraries = " and ".join(NO_ENGINES)
        terminalreporter.write_line(
            f"some of tests/engines left out: {libraries} not installed (make test-engines runs them)"
        )
    if NO_TOOLS:
        terminalreporter.write_line(
            f"some of tests/integrations left out: {', '.join(NO_TOOLS)} not installed (make test-integrations runs them)"
        )


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A Spark session with two executors; one for all tests of a process."""
    from support.clusters import java_is_missing, start_cluster

    if java_is_missing():
        pytest.skip("Spark needs Java 17 or newer: install a JRE, or set JAVA_HOME")
    session = start_cluster(tmp_path_factory.mktemp("spark"))
    yield session
    session.stop()


@pytest.fixture(scope="session")
def shop() -> Path:
    """The folder of the bundled sample data."""
    return ROOT / "examples" / "shop"


def collection_beside(name: str) -> Path:
    """The folder of a collection that is too large for the repository, and may lie beside the checkout."""
    folder = ROOT.parent / "shared" / "data" / name
    if not folder.exists():
        pytest.skip(f"the collection {name} is not beside the checkout")
    return folder


@pytest.fixture(scope="session")
def robust() -> Path:
    """TREC 2003 Robust: judgments and submitted runs."""
    return collection_beside("robust03")


@pytest.fixture(scope="session")
def ohsumed() -> Path:
    """LETOR 2.0 OHSUMED: grades and features, in five parts."""
    return collection_beside("ohsumed")


@pytest.fixture(scope="session")
def rag24() -> Path:
    """TREC 2024 RAG: judgments of people and of a machine."""
    return collection_beside("rag24")


@pytest.fixture
def idealist() -> Command:
    """Runs `idealist` in a process of its own."""

    def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "idealist", *map(str, arguments)],
            capture_output=True,
            text=True,
            check=False,
            env={**BUFFERED, "PYTHONIOENCODING": "utf-8", **environment},
        )

    return run
