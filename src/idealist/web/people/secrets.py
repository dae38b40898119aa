"""Random tokens, their hashes, passwords, and the secret that forms are signed with."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from functools import lru_cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import select

from idealist.errors import InputError
from idealist.web.store.database import insert_new
from idealist.web.store.tables import settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.web.store.database import Database

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


def server_secret(database: Database) -> bytes:
    """The key of this workbench, made when it is first asked for."""
    wanted = select(settings.c.value).where(settings.c.name == "secret")
    with database.reading() as connection:
        stored = connection.execute(wanted).scalar()
    if stored is None:
        with database.writing() as connection:  # unless another server of the same database is faster
            insert_new(connection, settings, {"name": "secret", "value": secrets.token_hex(32)})
        with database.reading() as connection:
            stored = connection.execute(wanted).scalar_one()
    return bytes.fromhex(stored)


def form_token(secret: bytes, session: str) -> str:
    """What a form must carry: only a page of ours, shown in this session, knows it."""
    return hmac.new(secret, f"form:{session}".encode(), hashlib.sha256).hexdigest()


def same(first: str, second: str) -> bool:
    return hmac.compare_digest(first.encode(), second.encode())
