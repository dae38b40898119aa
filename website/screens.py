"""The pictures of the workbench in the documentation: screens of its sample project, in Chromium.

python website/screens.py docs

Those of History and of a task have answers and measurements of weeks, which the sample project does not have; they are not taken here.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

EXPLAIN = (
    "/projects/1/explain?run=a&query=red-lipstick&measure=nDCG&k=10&gain=linear&discount=log2&ideal=judged"
)
# Of each picture: the address, the width and height of the window, and how wide the picture is.
SCREENS = {
    "workbench": (EXPLAIN, 940, 783, 1880),
    "workbench-evaluate": ("/projects/1/evaluate", 1200, 860, 1000),
    "workbench-explain": (EXPLAIN, 1200, 1200, 1000),
    "workbench-compare": ("/projects/1/compare", 1200, 1500, 1000),
    "workbench-study": ("/projects/1/studies/1", 1200, 1300, 1000),
}


def save(page: Page, width: int, path: Path) -> None:
    """As a PNG of 256 colours, which is a third as large; rare ones, such as that of a loss, stay what they are."""
    with Image.open(io.BytesIO(page.screenshot())) as picture:
        size = width, round(picture.height * width / picture.width)
        picture.convert("RGB").resize(size, Image.Resampling.LANCZOS).quantize(
            256, Image.Quantize.MAXCOVERAGE
        ).save(path, optimize=True)


def main(folder: Path) -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("there is no chromium on the path: install the package chromium")
    served = [sys.executable, "-m", "idealist", "serve", "--demo", "--port", "0"]
    server = subprocess.Popen(served, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        assert server.stdout is not None
        lines = iter(server.stdout.readline, "")
        address = next(word for line in lines for word in line.split() if word.startswith("http"))
        with sync_playwright() as started:
            browser = started.chromium.launch(
                executable_path=chromium, args=["--no-sandbox", "--disable-background-networking"]
            )
            for name, (path, width, height, picture_width) in SCREENS.items():
                page = browser.new_page(
                    viewport={"width": width, "height": height}, device_scale_factor=2, locale="en-GB"
                )
                page.goto(address.rstrip("/") + path)
                page.wait_for_load_state("networkidle")
                page.wait_for_timeout(1500)  # charts are drawn after the last request
                save(page, picture_width, folder / f"{name}.png")
                page.close()
            browser.close()
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
