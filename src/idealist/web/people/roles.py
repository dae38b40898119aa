"""The roles of people, each of which may do what those before it may."""

from __future__ import annotations

from idealist.errors import InputError
from idealist.frozen import Frozen

# A rater judges the tasks assigned; an analyst has the projects; an admin has the people too.
ROLES = ("rater", "analyst", "admin")


class Person(Frozen):
    """Who asks: a user, by what they may do."""

    id: int
    name: str
    role: str
    language: str | None = None

    def may(self, role: str) -> bool:
        """Whether the person has a role, or one above it.

        >>> Person(1, "ann", "analyst").may("rater"), Person(1, "ann", "analyst").may("admin")
        (True, False)
        """
        return ROLES.index(self.role) >= ROLES.index(role)


def known_role(role: str) -> str:
    if role not in ROLES:
        raise InputError(f"{role!r} is not a role", hint=f"name one of: {', '.join(ROLES)}")
    return role
