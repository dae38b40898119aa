"""`.ci/run` gives every step a fresh machine: a copy of the commit, an empty pip cache, none of our variables."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from shutil import copy, which

import pytest
from conftest import ROOT

pytestmark = pytest.mark.skipif(
    not all(map(which, ("bash", "git", "make", "tar"))), reason="it is a script for bash, git, make and tar"
)
STEPS = [
    "demo",
    "check",
    "test",
    "test-learn",
    "test-engines",
    "test-integrations",
    "site",
    "simulate",
    "peers",
    "sanitize",
    "fuzz",
    "test-live",
]
# Each step writes down where it is and what it sees; one of them may be told to fail, and to say that the compiler is another.
MAKEFILE = f"""
{" ".join(STEPS)}:
	@env > $(SEEN)/$@ && pwd > $(SEEN)/$@.folder && ls -A . $(PIP_CACHE_DIR) > $(SEEN)/$@.files
	@test -z "$(OTHER)" || {{ mkdir -p build/live && echo "$(OTHER)" > build/live/other-compiler; }}
	@test "$@" != "$(BROKEN)"
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with nothing but the script and a Makefile, and a file that is not committed."""
    folder = tmp_path / "checkout"
    (folder / ".ci").mkdir(parents=True)
    copy(ROOT / ".ci" / "run", folder / ".ci" / "run")
    (folder / "Makefile").write_text(MAKEFILE)
    author = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org"]
    for command in (["init", "--quiet"], ["add", "."], [*author, "commit", "--quiet", "--message", "all"]):
        subprocess.run(["git", *command], cwd=folder, check=True)
    (folder / "forgotten").touch()
    return folder


@pytest.fixture(autouse=True)
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """None is missing, so that none is installed on this machine."""
    folder = tmp_path / "programs"
    folder.mkdir()
    for name in ("chromium", "debootstrap", "npm", "pg_ctl"):
        (folder / name).touch(mode=0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def run(checkout: Path, *steps: str, **variables: str) -> tuple[subprocess.CompletedProcess[str], Path]:
    seen, temporary = checkout.parent / "seen", checkout.parent / "temporary"
    seen.mkdir()
    temporary.mkdir()
    done = subprocess.run(
        [checkout / ".ci" / "run", *steps],
        env={**os.environ, "SEEN": str(seen), "TMPDIR": str(temporary), **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert list(temporary.iterdir()) == [], "it does not clean up"
    return done, seen


def test_every_step_has_a_fresh_machine(checkout: Path) -> None:
    ours = {"IDEALIST_EXAMPLES": "few", "PYTHONPATH": "src", "VIRTUAL_ENV": "/x", "PYTEST_ADDOPTS": "-k no"}
    machine = {"PIP_FIND_LINKS": "/wheels", "PYTHON": "python3.99"}
    done, seen = run(
        checkout, PIP_CACHE_DIR="/x/cache", PATH=f"/x/bin:{os.environ['PATH']}", **ours, **machine
    )
    assert done.returncode == 0, done.stderr
    for step in STEPS:
        variables = dict(line.partition("=")[::2] for line in (seen / step).read_text().splitlines())
        assert not set(ours) & set(variables)
        assert machine.items() <= variables.items()
        assert variables["PATH"] == os.environ["PATH"]
        folder = (seen / f"{step}.folder").read_text().strip()
        assert folder != str(checkout)
        assert variables["PIP_CACHE_DIR"] == str(Path(folder).parent / "pip-cache")
        # The copy has what is committed, and the cache has nothing.
        assert (seen / f"{step}.files").read_text().split() == [
            ".:",
            ".ci",
            "Makefile",
            f"{variables['PIP_CACHE_DIR']}:",
        ]
        assert f"== make {step} took" in done.stdout


def test_a_compiler_that_moved_on_is_said_and_fails_nothing(checkout: Path) -> None:
    done, _ = run(checkout, BROKEN="test-live", OTHER="emcc is 7.0")
    assert done.returncode == 0
    assert "== make test-live left out: emcc is 7.0" in done.stdout


def test_the_first_step_that_fails_is_named_and_the_last(checkout: Path) -> None:
    done, seen = run(checkout, BROKEN="simulate")
    assert done.returncode == 1
    assert "== make simulate failed after" in done.stdout
    assert not (seen / "peers").exists()


def test_steps_that_are_named_are_run_alone(checkout: Path) -> None:
    done, seen = run(checkout, "fuzz", "check")
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in seen.iterdir() if not path.suffix) == ["check", "fuzz"]
