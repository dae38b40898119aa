"""One's own account: the password, and tokens for the API."""

from __future__ import annotations

from idealist.errors import InputError
from idealist.web.browsers import client_address
from idealist.web.people.passwords import change_password
from idealist.web.people.sessions import add_token, list_tokens, revoke_token
from idealist.web.people.users import login_ways
from idealist.web.screens.session import repeated_password
from idealist.web.screens.visit import Screen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from starlette.responses import Response

    from idealist.web.screens.visit import Visit


LIFETIMES = ("30", "90", "365", "")  # days of a token; it may have no end


def show_account(visit: Visit, new_token: str | None = None, *, changed: bool = False) -> Response:
    tokens = list_tokens(visit.database, visit.person.id)
    has_password, connected = login_ways(visit.database, visit.person.id)
    return visit.show(
        "account.html",
        tokens=tokens,
        new_token=new_token,
        changed=changed,
        lifetimes=LIFETIMES,
        has_password=has_password,
        connected=connected,
    )


def make_token(visit: Visit) -> Response:
    days = visit.sent("days")
    if days not in LIFETIMES:
        raise InputError(f"{days!r} is not a number of days of the list", hint="choose one of the list")
    token = add_token(visit.database, visit.person.id, visit.sent("name"), int(days) if days else None)
    return show_account(visit, token)


def send_password(visit: Visit) -> Response:
    change_password(
        visit.database,
        visit.person,
        visit.sent("current"),
        repeated_password(visit),
        address=client_address(visit.request),
        session=visit.session,
    )
    return show_account(visit, changed=True)


def withdraw_token(visit: Visit) -> Response:
    revoke_token(visit.database, visit.person.id, visit.number("token"))
    return visit.go("/account")


SCREENS = (
    Screen("GET", "/account", show_account, role="rater"),
    Screen("POST", "/account/password", send_password, role="rater", again=show_account),
    Screen("POST", "/account/tokens", make_token, role="rater", again=show_account),
    Screen("POST", "/account/tokens/{token:int}/revoke", withdraw_token, role="rater", again=show_account),
)
