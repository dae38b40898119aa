"""One's own account: tokens for the API."""

from __future__ import annotations

from idealist.web.people.sessions import add_token, list_tokens, revoke_token
from idealist.web.screens.visit import Screen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from starlette.responses import Response

    from idealist.web.screens.visit import Visit


def show_account(visit: Visit, new_token: str | None = None) -> Response:
    tokens = list_tokens(visit.database, visit.person.id)
    return visit.show("account.html", tokens=tokens, new_token=new_token)


def make_token(visit: Visit) -> Response:
    return show_account(visit, add_token(visit.database, visit.person.id, visit.sent("name")))


def withdraw_token(visit: Visit) -> Response:
    revoke_token(visit.database, visit.person.id, visit.number("token"))
    return visit.go("/account")


SCREENS = (
    Screen("GET", "/account", show_account, role="rater"),
    Screen("POST", "/account/tokens", make_token, role="rater", again=show_account),
    Screen("POST", "/account/tokens/{token:int}/revoke", withdraw_token, role="rater", again=show_account),
)
