"""What a workbench is started with."""

from __future__ import annotations

import ipaddress
import os
from pathlib import Path

from idealist import system
from idealist.frozen import Frozen

LARGEST_UPLOAD = 4_000 * 10**6
SMALL_REQUEST = 1 << 20
HOST, PORT = "127.0.0.1", 8765


class Settings(Frozen):
    """`database` is a file or a PostgreSQL URL, `folder` where runs and judgments are stored as files; `names` are the names
    that the server may be asked by, besides addresses; `login` says whether people must log in."""

    database: str
    folder: Path
    host: str = HOST
    port: int = PORT
    names: tuple[str, ...] = ()
    login: bool = False
    secure: bool = False
    largest_upload: int = LARGEST_UPLOAD


def is_loopback(host: str) -> bool:
    """Whether nobody but this machine reaches an address.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0"), is_loopback("::1")
    (True, True, False, True)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def data_folder() -> Path:
    """Where programs of this user keep their data, as the system has it."""
    if named := os.environ.get("IDEALIST_DATA"):
        return Path(named)
    return system.data_folder() / "idealist"


def files_folder(database: str) -> Path:
    """The folder of stored files: beside a SQLite file, by its name; of PostgreSQL, in the user's data folder.

    >>> files_folder("/data/shop.db").name
    'shop.db.files'
    """
    if "://" in database:
        return data_folder() / "files"
    return Path(f"{Path(database).absolute()}.files")
