"""Passwords that are changed: by who knows the old one, or by a link that an admin makes."""

from __future__ import annotations

import hashlib
import hmac

from sqlalchemy import select, update

from idealist.errors import InputError
from idealist.web.people.secrets import password_hash, same
from idealist.web.people.sessions import end_access, tried_password
from idealist.web.people.users import person_of
from idealist.web.store.clock import DAY, now
from idealist.web.store.projects import record
from idealist.web.store.tables import users

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sqlalchemy import Connection, Row

    from idealist.web.people.roles import Person
    from idealist.web.store.database import Database

LINK_FOR = 2 * DAY


def change_password(
    database: Database, person: Person, current: str, new: str, *, address: str, session: str = ""
) -> None:
    """Changes one's own password; the other sessions end, and the tokens for the API. Wrong guesses count as those of a login."""
    with database.reading() as connection:
        row = connection.execute(select(users).where(users.c.id == person.id)).one()
    if row.password is None:
        raise InputError("there is no password to change", hint="on the loopback address nobody logs in")
    if not tried_password(database, row.password, current, person.name, address):
        raise InputError(
            "the current password is wrong",
            hint="an admin can make a link for a new one",
            code="password-wrong",
        )
    _set(database, person.id, new, "password changed", by=person.id, session=session)


def reset_token(secret: bytes, database: Database, user: int, *, by: int) -> str:
    """What a link for a new password carries: good for two days, and until the password is changed."""
    expires = now() + LINK_FOR
    with database.writing() as connection:
        row = _row(connection, user)
        record(connection, "password link", {"user": user, "name": row.name}, user=by)
    return f"{user}.{expires}.{_seal(secret, row, expires)}"


def reset_person(secret: bytes, database: Database, token: str) -> Person:
    """Who a link is for, if it is good."""
    user, _, rest = token.partition(".")
    expires, _, seal = rest.partition(".")
    if user.isdecimal() and expires.isdecimal() and int(user) < 2**31 and int(expires) > now():
        with database.reading() as connection:
            row = connection.execute(_able(int(user))).first()
        if row is not None and same(seal, _seal(secret, row, int(expires))):
            return person_of(row)
    raise InputError(
        "this link is not valid: it was used, or is more than two days old", hint="ask an admin for another"
    )


def reset_password(secret: bytes, database: Database, token: str, new: str) -> Person:
    """Sets the password of who a link is for; all their sessions end, and the link with them."""
    person = reset_person(secret, database, token)
    _set(database, person.id, new, "password reset", by=person.id)
    return person


def _able(user: int) -> Any:
    return select(users).where(users.c.id == user, users.c.password.is_not(None), users.c.disabled.is_(None))


def _row(connection: Connection, user: int) -> Row[Any]:
    row = connection.execute(_able(user)).first()
    if row is None:
        raise InputError(f"there is no user {user} with a password", hint="choose one of the list")
    return row


def _seal(secret: bytes, row: Row[Any], expires: int) -> str:
    """The stored hash is in it: a new password makes the link void."""
    text = f"password:{row.id}:{expires}:{row.password}"
    return hmac.new(secret, text.encode(), hashlib.sha256).hexdigest()


def _set(database: Database, user: int, password: str, action: str, *, by: int, session: str = "") -> None:
    hashed = password_hash(password)
    with database.writing() as connection:
        connection.execute(update(users).where(users.c.id == user).values(password=hashed))
        end_access(connection, user, but=session)
        record(connection, action, {"user": user}, user=by)
