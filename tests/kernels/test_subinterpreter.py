"""The native core belongs to the main interpreter."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

CODE = """
import sys
try:
    import _interpreters as interpreters
    run = interpreters.exec
except ImportError:
    import _xxsubinterpreters as interpreters
    run = interpreters.run_string
other = interpreters.create()
run(other, '''
import sys
sys.path[:] = {path!r}
try:
    import idealist.kernels
except ImportError as error:
    print(error, flush=True)
''')
"""


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="Python itself refuses there")
def test_importing_in_a_subinterpreter_is_refused() -> None:
    """It would import, and wait for ever at the first call."""
    code = CODE.replace("{path!r}", repr(sys.path))
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    # nanobind 3 refuses by itself, in other words.
    assert re.search(
        r"cannot be imported in a subinterpreter|not support loading in subinterp", done.stdout
    ), done.stderr
