"""What is imported in the background once the server has answered for the first time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = """
import sys
from pathlib import Path
from starlette.testclient import TestClient
from idealist.web.app import application
from idealist.web.base.server_settings import Settings
from idealist.web.serving import Prefetch
from idealist.web.workbench import Workbench

workbench = Workbench(Settings(str(Path(sys.argv[1]) / "bench.db"), Path(sys.argv[1]) / "files"))
with TestClient(Prefetch(application(workbench), workbench.jobs), base_url="http://127.0.0.1") as client:
    print("scipy" in sys.modules)
    print(client.get("/projects").status_code)
print("scipy.stats" in sys.modules, "idealist.measures.families.gain" in sys.modules)
"""


def test_nothing_is_imported_before_the_first_answer_and_everything_after(tmp_path: Path) -> None:
    """Leaving the server waits for its jobs, so that the last line is printed when they are done."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.stdout.split() == ["False", "200", "True", "True"]
