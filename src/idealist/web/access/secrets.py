"""Random tokens, their hashes, passwords, and the secret that forms are signed with."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import time
from functools import lru_cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from idealist.base.system import close_to_others, make_private_file
from idealist.errors import InputError
from idealist.web.base.stored_files import SECRET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

SECRET_VARIABLE = "IDEALIST_SECRET"
SHORTEST_SECRET = 32
SHORTEST_PASSWORD = 10
LONGEST_PASSWORD = 200
_hasher = PasswordHasher()


def new_token() -> str:
    return secrets.token_urlsafe(32)


def token_hash(token: str) -> str:
    """What the database has of a token. The tokens are random: one round of SHA-256 suffices."""
    return hashlib.sha256(token.encode()).hexdigest()


def password_hash(password: str) -> str:
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise InputError(
            f"a password has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters, not {len(password)}",
            hint="several words are easy to remember",
            code="password-length",
        )
    return str(_hasher.hash(password))


@lru_cache(maxsize=1)
def _of_nobody() -> str:
    """What the password of an unknown name is compared with, so that it takes as long as a known one's."""
    return str(_hasher.hash(secrets.token_urlsafe()))


def password_fits(stored: str | None, password: str) -> bool:
    try:
        return _hasher.verify(stored or _of_nobody(), password[:LONGEST_PASSWORD]) and stored is not None
    except (VerificationError, InvalidHashError):
        return False


def server_secret(folder: Path) -> bytes:
    """The key of this workbench: that of the environment, or of a file in the folder of stored files, made when it is first
    asked for. It is not in the database: a copy of that lets nobody sign what a server believes. Servers of one database share
    the folder, and so the key."""
    if given := os.environ.get(SECRET_VARIABLE, "").strip():
        if len(given) < SHORTEST_SECRET:
            raise InputError(
                f"the secret in ${SECRET_VARIABLE} has {len(given)} characters, and needs {SHORTEST_SECRET} or more",
                hint="openssl rand -hex 32 makes one; without the variable, the server makes one itself",
            )
        return given.encode()
    path = folder / SECRET
    if make_private_file(path):
        path.write_text(secrets.token_hex(32), encoding="ascii")
    close_to_others(path)
    for _ in range(100):  # another server may have made the file this moment
        if len(stored := path.read_text(encoding="ascii").strip()) >= SHORTEST_SECRET:
            return stored.encode()
        time.sleep(0.01)
    raise InputError(f"{path}: this file has no secret", hint="remove it: the server makes another")


def form_token(secret: bytes, session: str) -> str:
    """What a form must carry: only a page of ours, shown in this session, knows it."""
    return hmac.new(secret, f"form:{session}".encode(), hashlib.sha256).hexdigest()


def same(first: str, second: str) -> bool:
    return hmac.compare_digest(first.encode(), second.encode())
