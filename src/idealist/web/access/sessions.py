"""Logins, sessions, tokens and passwords, and who is behind a request."""

from __future__ import annotations

import hashlib
import hmac
from urllib.parse import urlsplit

from sqlalchemy import and_, delete, func, insert, or_, select, update

from idealist.errors import IdealistError, InputError
from idealist.web.access.accounts import local_person, person_of
from idealist.web.access.secrets import form_token, new_token, password_fits, password_hash, same, token_hash
from idealist.web.base.audit import record
from idealist.web.base.database import DAY, MINUTE, now
from idealist.web.base.schema import api_tokens, login_failures, sessions, users

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sqlalchemy import Connection, Row
    from starlette.datastructures import Headers
    from starlette.requests import Request

    from idealist.web.access.accounts import Person
    from idealist.web.base.database import Database
    from idealist.web.workbench import Workbench


SESSION_FOR = 14 * DAY
LONGEST_LIFE = 3_650  # days of a token
WINDOW = 15 * MINUTE
# Failures within the window after which nobody is let in: of one name, and of one address.
MOST_OF_NAME, MOST_OF_ADDRESS = 8, 30
LOGGING_IN = 7326  # the number of a lock
TOKEN_MARK = "idl_"  # so that a token is recognised where it was published by mistake
LONGEST_ADDRESS = 80
SESSION_COOKIE = "idealist_session"
# In the place of a session where nobody is logged in.
WITHOUT_SESSION = "anonymous"
LINK_FOR = 2 * DAY


class TooManyFailures(IdealistError):
    """A name or an address has failed to log in too often, and has to wait."""


def log_in(database: Database, name: str, password: str, address: str) -> str:
    """The token of a new session. A wrong name and a wrong password give the same answer."""
    name = " ".join(name.split())[:80]
    with database.reading() as connection:
        row = connection.execute(select(users).where(users.c.name == name)).first()
    stored = row.password if row is not None and row.disabled is None else None
    if not tried_password(database, stored, password, name, address) or row is None:
        raise InputError(
            "the name or the password is wrong",
            hint="an admin can give you a link for a new password",
            code="login",
        )
    return start_session(database, row.id)


def tried_password(database: Database, stored: str | None, password: str, name: str, address: str) -> bool:
    """Whether a password fits. The try is counted as a failure before that is looked at, so that of many at once no more than
    the limit are looked at, and taken back if it was none."""
    with database.writing() as connection:
        if (
            connection.dialect.name == "postgresql"
        ):  # where two could count at once, and both find the last free place
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({LOGGING_IN})")
        connection.execute(delete(login_failures).where(login_failures.c.at < now() - WINDOW))
        _refuse_too_many(connection, name, address)
        counted = insert(login_failures).values(name=name, address=address, at=now())
        number = connection.execute(counted.returning(login_failures.c.id)).scalar_one()
    fits = password_fits(stored, password)
    if fits:
        with database.writing() as connection:
            connection.execute(delete(login_failures).where(login_failures.c.id == number))
    return fits


def start_session(database: Database, user: int) -> str:
    token = new_token()
    with database.writing() as connection:
        connection.execute(delete(sessions).where(sessions.c.expires < now()))
        facts = {"token": token_hash(token), "user_id": user, "created": now()}
        connection.execute(insert(sessions).values(expires=now() + SESSION_FOR, **facts))
        record(connection, "logged in", {}, user=user)
    return token


def end_session(database: Database, token: str) -> None:
    with database.writing() as connection:
        connection.execute(delete(sessions).where(sessions.c.token == token_hash(token)))


def person_of_session(database: Database, token: str) -> Person | None:
    wanted = (
        select(users)
        .join(sessions, sessions.c.user_id == users.c.id)
        .where(sessions.c.token == token_hash(token), sessions.c.expires > now(), users.c.disabled.is_(None))
    )
    with database.reading() as connection:
        row = connection.execute(wanted).first()
    return None if row is None else person_of(row)


def person_of_token(database: Database, token: str) -> Person | None:
    wanted = (
        select(users)
        .join(api_tokens, api_tokens.c.user_id == users.c.id)
        .where(
            api_tokens.c.token == token_hash(token),
            api_tokens.c.revoked.is_(None),
            or_(api_tokens.c.expires.is_(None), api_tokens.c.expires > now()),
            users.c.disabled.is_(None),
        )
    )
    with database.reading() as connection:
        row = connection.execute(wanted).first()
    return None if row is None else person_of(row)


def add_token(database: Database, user: int, name: str, days: int | None = None) -> str:
    """A token for the API, which has the rights of the user; it is shown once. It ends after so many days, with the next change of
    the password, or when it is revoked."""
    name = " ".join(name.split())
    if days is not None and not 1 <= days <= LONGEST_LIFE:
        raise InputError(f"a token lives for 1 to {LONGEST_LIFE:,} days, not {days:,}")
    if not 0 < len(name) <= 80:
        raise InputError("a token has a name of 1 to 80 characters", hint="say what will use it")
    token = TOKEN_MARK + new_token()
    with database.writing() as connection:
        facts = {"token": token_hash(token), "user_id": user, "name": name}
        expires = None if days is None else now() + days * DAY
        connection.execute(insert(api_tokens).values(created=now(), expires=expires, **facts))
        record(connection, "token made", {"name": name}, user=user)
    return token


def list_tokens(database: Database, user: int) -> list[Row[Any]]:
    columns = (api_tokens.c.id, api_tokens.c.name, api_tokens.c.created, api_tokens.c.expires)
    mine = and_(api_tokens.c.user_id == user, api_tokens.c.revoked.is_(None))
    with database.reading() as connection:
        return list(connection.execute(select(*columns).where(mine).order_by(api_tokens.c.id)))


def revoke_token(database: Database, user: int, number: int) -> None:
    mine = and_(api_tokens.c.id == number, api_tokens.c.user_id == user, api_tokens.c.revoked.is_(None))
    with database.writing() as connection:
        revoked = update(api_tokens).where(mine).values(revoked=now()).returning(api_tokens.c.name)
        name = connection.execute(revoked).scalar()
        if name is not None:
            record(connection, "token revoked", {"name": name}, user=user)


def end_access(connection: Connection, user: int, *, but: str = "") -> None:
    """Ends the sessions of a user, but for one, and the tokens for the API."""
    others = and_(sessions.c.user_id == user, sessions.c.token != token_hash(but))
    connection.execute(delete(sessions).where(others))
    live = and_(api_tokens.c.user_id == user, api_tokens.c.revoked.is_(None))
    connection.execute(update(api_tokens).where(live).values(revoked=now()))


def _refuse_too_many(connection: Any, name: str, address: str) -> None:
    """Counts in the database, so that several servers count together."""
    recent = login_failures.c.at > now() - WINDOW
    of_name, of_address = login_failures.c.name == name, login_failures.c.address == address
    wanted = select(
        func.count().filter(of_name).label("of_name"), func.count().filter(of_address).label("of_address")
    ).where(recent, or_(of_name, of_address))
    counts = connection.execute(wanted).one()
    if counts.of_name >= MOST_OF_NAME or counts.of_address >= MOST_OF_ADDRESS:
        raise TooManyFailures(
            "there were too many failed logins", hint="try again in 15 minutes", code="too-many-failures"
        )


def person_behind(workbench: Workbench, session: str) -> Person | None:
    """Who a browser stands for: on loopback the local person, elsewhere whoever logged in."""
    if not workbench.settings.login:
        return local_person(workbench.database)
    return person_of_session(workbench.database, session) if session else None


def client_address(request: Request) -> str:
    """Where a request comes from, by which failed logins are counted."""
    return request.client.host[:LONGEST_ADDRESS] if request.client else "unknown"


def link_to(workbench: Workbench, request: Request, path: str) -> str:
    """The whole address of a page, for somebody else to open."""
    scheme = "https" if workbench.settings.secure else request.base_url.scheme
    return str(request.base_url.replace(scheme=scheme, path=path))


def token_of_forms(workbench: Workbench, session: str) -> str:
    """What every form of a page carries that is shown in this session."""
    return form_token(workbench.secret, session or WITHOUT_SESSION)


def sent_by_our_page(workbench: Workbench, session: str, headers: Headers, token: str) -> bool:
    """Whether a request comes from a page that was shown in this session, by the token that it carries."""
    return _from_here(headers) and same(token, token_of_forms(workbench, session))


def _from_here(headers: Headers) -> bool:
    """Whether a browser says that a request comes from a page of this server; other programs say nothing."""
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    return origin is None or urlsplit(origin).netloc == headers.get("host")


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
