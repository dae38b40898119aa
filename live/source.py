"""A source archive from the index that pip uses; `pip download` would configure the whole build, only to read its name.

source.py NAME-VERSION.tar.gz FOLDER
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import urllib.request
from html import unescape
from pathlib import Path
from urllib.parse import urldefrag, urljoin

from pip._internal.models.index import PyPI  # pip's own index, where none is set


def index() -> str:
    """The address of the index."""
    asked = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    configured = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    return os.environ.get("PIP_INDEX_URL") or configured or PyPI.simple_url


def download(archive: str, folder: Path) -> None:
    """Writes the archive, if its checksum is that of the index."""
    page = f"{index().rstrip('/')}/{archive.rpartition('-')[0]}/"
    with urllib.request.urlopen(page) as response:
        links = re.findall(r'href="([^"]+)"', response.read().decode())
    for link in links:
        address, checksum = urldefrag(urljoin(page, unescape(link)))
        if address.rpartition("/")[2] == archive:
            break
    else:
        raise SystemExit(f"{archive} is not on the index that pip uses")
    with urllib.request.urlopen(address) as response:
        content = response.read()
    if checksum != f"sha256={hashlib.sha256(content).hexdigest()}":
        raise SystemExit(f"{archive} is not what the index says: another checksum")
    (folder / archive).write_bytes(content)


if __name__ == "__main__":
    download(sys.argv[1], Path(sys.argv[2]))
