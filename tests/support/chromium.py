"""Debian's Chromium, driven by Playwright, and what tests ask of every page in it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from support.programs import program_absent

AXE = Path(__file__).parents[1] / "web" / "vendor" / "axe.min.js"
SERIOUS = """async part => (await axe.run(part || document, {resultTypes: ["violations"]})).violations
    .filter(found => ["serious", "critical"].includes(found.impact))
    .map(found => found.id + ": " + found.nodes.map(node => node.html).slice(0, 3).join(" | "))"""
SIZES = "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"

# Milliseconds until what is expected must be there: Python has to start in a page, what failed is sent again after 15
# seconds at most, and the machine may be busy.
PATIENCE = 60_000


def require_chromium() -> str:
    """The path of the program; without it, or without Playwright, tests are skipped, or fail where they must run."""
    if find_spec("playwright") is None:
        program_absent("playwright is not installed")
    path = shutil.which("chromium")
    if path is None:
        program_absent("there is no chromium on the path: install the package chromium")
    return path


@contextmanager
def chromium_browser() -> Iterator[Any]:
    """A browser without windows; `expect` waits with patience for its pages."""
    path = require_chromium()
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as started:
        browser = started.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-background-networking"]
        )
        yield browser
        browser.close()


def serious_faults(page: Any, part: str = "") -> list[str]:
    """What axe finds on a page, or in a part of it, that is serious or critical."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    faults: list[str] = page.evaluate(SERIOUS, part)
    return faults


def scrolls_sideways(page: Any) -> bool:
    whole, seen = page.evaluate(SIZES)
    return bool(whole > seen)


def complaints(page: Any) -> list[str]:
    """What the browser complains about from now on: errors of scripts, what the policy refuses, files that are missing."""
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    return said
