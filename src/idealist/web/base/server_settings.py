"""What a workbench is started with."""

from __future__ import annotations

import ipaddress
import os
from pathlib import Path

from idealist.base import system
from idealist.base.frozen import Frozen
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

LARGEST_UPLOAD = 4_000 * 10**6
SMALL_REQUEST = 1 << 20
LOOPBACK = ("127.0.0.0/8", "::1/128")
HOST, PORT = "127.0.0.1", 8765


class Settings(Frozen):
    """`database` is a file or a PostgreSQL URL, `folder` where runs and judgments are stored as files; `names` are the names
    that the server may be asked by, besides addresses; `login` says whether people must log in. `proxies` are addresses and
    networks whose word is taken for where a request comes from, besides this machine; `oidc_issuer` and `oidc_client` the
    provider of OpenID Connect that people may log in by, and what it calls this workbench."""

    database: str
    folder: Path
    host: str = HOST
    port: int = PORT
    names: tuple[str, ...] = ()
    login: bool = False
    secure: bool = False
    proxies: tuple[str, ...] = ()
    oidc_issuer: str = ""
    oidc_client: str = ""
    largest_upload: int = LARGEST_UPLOAD


def reason_for_login(host: str, names: tuple[str, ...], secure: bool, proxies: tuple[str, ...]) -> str | None:
    """Why people must log in: somebody else may reach the server, directly or through a proxy; None where nobody does.

    >>> reason_for_login("127.0.0.1", ("bench.example",), True, ())
    'it is reached as bench.example'
    """
    if not is_loopback(host):
        return f"{host} can be reached by others"
    if names:
        return f"it is reached as {names[0]}"
    return "it is reached through a proxy" if secure or proxies else None


def checked_proxies(given: Sequence[str]) -> tuple[str, ...]:
    """Addresses and networks as they are written, without an end of hosts.

    >>> checked_proxies(["10.0.0.2", "172.30.0.0/16"])
    ('10.0.0.2/32', '172.30.0.0/16')
    """
    checked = []
    for text in given:
        try:
            network = ipaddress.ip_network(text.strip())
        except ValueError as error:
            raise InputError(
                f"{text!r} is not an address or a network: {error}",
                hint="for example 10.0.0.2, or 172.30.0.0/16",
            ) from None
        if network.prefixlen == 0:
            raise InputError(
                f"{text} is everybody, who could then say that they are anybody",
                hint="name the address of the proxy",
            )
        checked.append(str(network))
    return tuple(checked)


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
