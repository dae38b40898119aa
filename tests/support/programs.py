"""Programs that some tests need and pip does not install: a browser, a database server."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest

REQUIRED = "IDEALIST_NEED_PROGRAMS"  # .ci/run sets it: there, a program that is absent is a failure


def program_absent(reason: str) -> NoReturn:
    """Skips what needs a program, or fails where all programs must be there."""
    if os.environ.get(REQUIRED):
        pytest.fail(f"{reason} ({REQUIRED} is set)", pytrace=False)
    pytest.skip(reason, allow_module_level=True)
