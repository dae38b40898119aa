"""Users and their roles, and the people invited."""

from __future__ import annotations

from sqlalchemy import and_, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from idealist.base.frozen import Frozen
from idealist.errors import InputError
from idealist.web.access.secrets import new_token, password_hash, token_hash
from idealist.web.base.audit import record
from idealist.web.base.database import DAY, insert_new, now
from idealist.web.base.schema import api_tokens, invitations, sessions, users

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sqlalchemy import Connection, Row

    from idealist.web.base.database import Database


# A rater judges the tasks assigned; an analyst has the projects; an admin has the people too.
ROLES = ("rater", "analyst", "admin")
LOCAL = "local"  # the person at the loopback address, who has no password
INVITED_FOR = 7 * DAY
_OPEN = and_(invitations.c.used.is_(None), invitations.c.revoked.is_(None))
# Whoever can log in: by a password, or by way of another server.
LOGS_IN = or_(users.c.password.is_not(None), users.c.subject.is_not(None))
LONGEST_NAME = 80


class Person(Frozen):
    """Who asks: a user, by what they may do."""

    id: int
    name: str
    role: str
    language: str | None = None

    def has_role(self, role: str) -> bool:
        """Whether the person has a role, or one above it.

        >>> Person(1, "ann", "analyst").has_role("rater"), Person(1, "ann", "analyst").has_role("admin")
        (True, False)
        """
        return ROLES.index(self.role) >= ROLES.index(role)


def known_role(role: str) -> str:
    if role not in ROLES:
        raise InputError(f"{role!r} is not a role", hint=f"name one of: {', '.join(ROLES)}")
    return role


def add_user(database: Database, name: str, password: str, role: str) -> Person:
    hashed = password_hash(password)
    with database.writing() as connection:
        return _insert(connection, name, hashed, known_role(role))


def local_person(database: Database) -> Person:
    wanted = select(users).where(users.c.name == LOCAL)
    with database.reading() as connection:
        row = connection.execute(wanted).first()
    if row is None:
        with database.writing() as connection:
            insert_new(connection, users, {"name": LOCAL, "role": "admin", "created": now()})
            row = connection.execute(wanted).one()
    return person_of(row)


def rater_without_login(database: Database, name: str) -> Person:
    """A rater who judges in packets and cannot log in; the same one under the same name."""
    wanted = select(users).where(
        users.c.name == " ".join(name.split()), users.c.role == "rater", users.c.password.is_(None)
    )
    with database.writing() as connection:
        row = connection.execute(wanted).first()
        return _insert(connection, name, None, "rater") if row is None else person_of(row)


def person_of(row: Row[Any]) -> Person:
    return Person(row.id, row.name, row.role, row.language)


def has_admin(database: Database) -> bool:
    """Whether somebody could log in and invite others."""
    wanted = select(func.count()).where(users.c.role == "admin", LOGS_IN, users.c.disabled.is_(None))
    with database.reading() as connection:
        return bool(connection.execute(wanted).scalar_one())


def list_users(database: Database) -> list[Row[Any]]:
    """Everybody who can log in, or could before they were disabled."""
    facts = ("id", "name", "role", "created", "disabled", "password")
    with database.reading() as connection:
        wanted = select(*(users.c[fact] for fact in facts)).where(LOGS_IN).order_by(users.c.name)
        return list(connection.execute(wanted))


def active_users(database: Database) -> list[Row[Any]]:
    """Who could be let into a project."""
    able = and_(LOGS_IN, users.c.disabled.is_(None))
    with database.reading() as connection:
        wanted = select(users.c.id, users.c.name, users.c.role).where(able).order_by(users.c.name)
        return list(connection.execute(wanted))


def set_role(database: Database, user: int, role: str, *, by: int) -> None:
    with database.writing() as connection:
        _refuse_last_admin(connection, user, role)
        connection.execute(update(users).where(users.c.id == user).values(role=known_role(role)))
        record(connection, "role changed", {"name": _name(connection, user), "role": role}, user=by)


def disable(database: Database, user: int, *, by: int) -> None:
    """Ends the sessions and tokens of a user and lets no new session begin; what they did stays theirs."""
    with database.writing() as connection:
        _refuse_last_admin(connection, user, None)
        connection.execute(update(users).where(users.c.id == user).values(disabled=now()))
        connection.execute(sessions.delete().where(sessions.c.user_id == user))
        live = and_(api_tokens.c.user_id == user, api_tokens.c.revoked.is_(None))
        connection.execute(update(api_tokens).where(live).values(revoked=now()))
        record(connection, "user disabled", {"name": _name(connection, user)}, user=by)


def enable(database: Database, user: int, *, by: int) -> None:
    """Lets a user who was disabled log in again; tokens that ended stay ended."""
    off = and_(users.c.id == user, users.c.disabled.is_not(None))
    with database.writing() as connection:
        if not connection.execute(update(users).where(off).values(disabled=None)).rowcount:
            raise InputError(f"there is no user {user} who is disabled", hint="reload the page")
        record(connection, "user enabled", {"name": _name(connection, user)}, user=by)


def invite(database: Database, role: str, *, by: int) -> str:
    """A token that makes one user of this role; the link with it is shown once."""
    token = new_token()
    with database.writing() as connection:
        facts = {"token": token_hash(token), "role": known_role(role), "created_by": by}
        connection.execute(insert(invitations).values(created=now(), expires=now() + INVITED_FOR, **facts))
        record(connection, "invited", {"role": role}, user=by)
    return token


def open_invitations(database: Database) -> list[Row[Any]]:
    """The invitations that somebody could still accept, the newest first: for which role, by whom, until when."""
    columns = (
        invitations.c.id,
        invitations.c.role,
        invitations.c.created,
        invitations.c.expires,
        users.c.name,
    )
    wanted = (
        select(*columns)
        .outerjoin(users, users.c.id == invitations.c.created_by)
        .where(_OPEN, invitations.c.expires > now())
        .order_by(invitations.c.id.desc())
    )
    with database.reading() as connection:
        return list(connection.execute(wanted))


def revoke_invitation(database: Database, number: int, *, by: int) -> None:
    """Makes the link of an invitation good for nobody."""
    with database.writing() as connection:
        taken = update(invitations).where(invitations.c.id == number, _OPEN).values(revoked=now())
        role = connection.execute(taken.returning(invitations.c.role)).scalar()
        if role is None:
            raise InputError("this invitation was used or revoked before", hint="reload the page")
        record(connection, "invitation revoked", {"role": role}, user=by)


def invitation_role(database: Database, token: str) -> str:
    """The role that an invitation gives; an error where it gives none any more."""
    with database.reading() as connection:
        return str(_open_invitation(connection, token).role)


def accept(database: Database, token: str, name: str, password: str) -> Person:
    """Makes the user that somebody was invited to be; an invitation is good for one."""
    hashed = password_hash(password)
    with database.writing() as connection:
        invitation = _open_invitation(connection, token, lock=True)
        person = _insert(connection, name, hashed, invitation.role)
        used = {"used": now(), "used_by": person.id}
        connection.execute(update(invitations).where(invitations.c.id == invitation.id).values(used))
        return person


def accept_as(database: Database, token: str, name: str, subject: str) -> Person:
    """Makes the user that somebody was invited to be, who logs in by a provider. If somebody has the name, theirs gets a number."""
    with database.writing() as connection:
        invitation = _open_invitation(connection, token, lock=True)
        taken = set(connection.execute(select(users.c.name).where(users.c.name.startswith(name))).scalars())
        named = (f"{name[: LONGEST_NAME - 5]} {number}" for number in range(2, len(taken) + 3))
        free = name if name not in taken else next(other for other in named if other not in taken)
        person = _insert(connection, free, None, invitation.role, subject=subject)
        used = {"used": now(), "used_by": person.id}
        connection.execute(update(invitations).where(invitations.c.id == invitation.id).values(used))
        return person


def login_ways(database: Database, user: int) -> tuple[bool, bool]:
    """Whether a user has a password, and whether they are connected with a provider."""
    wanted = select(users.c.password, users.c.subject).where(users.c.id == user)
    with database.reading() as connection:
        row = connection.execute(wanted).one()
    return row.password is not None, row.subject is not None


def _open_invitation(connection: Connection, token: str, *, lock: bool = False) -> Row[Any]:
    """An invitation that is good; with `lock`, whoever accepts it at the same time waits, and finds it used."""
    wanted = select(invitations).where(invitations.c.token == token_hash(token))
    row = connection.execute(wanted.with_for_update() if lock else wanted).first()
    if row is None or row.used is not None or row.revoked is not None or row.expires < now():
        raise InputError(
            "this invitation is not valid: it was used or revoked, or is more than seven days old",
            hint="ask an admin for another",
        )
    return row


def _insert(
    connection: Connection, name: str, password: str | None, role: str, *, subject: str | None = None
) -> Person:
    name = " ".join(name.split())
    if not 0 < len(name) <= LONGEST_NAME:
        raise InputError(f"a name has 1 to {LONGEST_NAME} characters, not {len(name)}")
    try:
        with connection.begin_nested():
            made = insert(users).values(
                name=name, password=password, role=role, subject=subject, created=now()
            )
            number = connection.execute(made.returning(users.c.id)).scalar_one()
    except IntegrityError:
        raise InputError(f"somebody is called {name!r} already", hint="choose another name") from None
    record(connection, "user added", {"name": name, "role": role}, user=number)
    return Person(number, name, role)


def _name(connection: Connection, user: int) -> str | None:
    return connection.execute(select(users.c.name).where(users.c.id == user)).scalar()


def _refuse_last_admin(connection: Connection, user: int, role: str | None) -> None:
    able = (users.c.role == "admin") & LOGS_IN & users.c.disabled.is_(None)
    # Two admins who take each other's role away at the same time: the second waits, and is then the only one.
    locked = select(users.c.id).where(able).order_by(users.c.id).with_for_update()
    admins = set(connection.execute(locked).scalars())
    current = connection.execute(select(users.c.role).where(users.c.id == user)).scalar()
    if current is None:
        raise InputError(f"there is no user {user}")
    if current == "admin" and role != "admin" and not admins - {user}:
        raise InputError("this is the only admin", hint="make somebody else an admin first")
