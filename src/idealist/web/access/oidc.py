"""Logging in by OpenID Connect: a provider says who somebody is. Who may come in is still said here: by an invitation, or by
connecting one's account."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from urllib.parse import urlsplit

from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError

from idealist.base.frozen import Frozen
from idealist.errors import InputError
from idealist.remote.transport import is_local, quoted
from idealist.web.access.accounts import LONGEST_NAME, accept_as, person_of
from idealist.web.access.secrets import new_token, same
from idealist.web.base.audit import record
from idealist.web.base.database import MINUTE, SECOND, now
from idealist.web.base.schema import users

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from authlib.integrations.requests_client import OAuth2Session

    from idealist.web.access.accounts import Person
    from idealist.web.base.database import Database

SECRET_VARIABLE = "IDEALIST_OIDC_SECRET"
PATIENCE = 10  # seconds for each answer of the provider
LEEWAY = 60  # seconds that its clock and ours may differ
LASTS = 10 * MINUTE  # from the way there to the way back
# Signed with a key that the provider alone has; never "none", never with a secret that is shared.
ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]
NAMES = ("name", "preferred_username", "email")


class Started(Frozen):
    """A login that is under way: what must come back, and what it is for. The browser keeps it, signed, until then."""

    state: str
    nonce: str
    verifier: str
    expires: int
    next: str = "/"
    invitation: str = ""
    connect: int = 0  # the user whose account is being connected


class Identity(Frozen):
    """Who somebody is to the provider: a hash of that, and a name."""

    subject: str
    name: str


class Provider:
    """The provider that a workbench trusts, by its address (`issuer`), with the id and secret that it knows us by."""

    def __init__(self, issuer: str, client: str, secret: str) -> None:
        self.issuer = issuer
        self.client = client
        self._secret = secret
        self._facts: dict[str, Any] | None = None

    @property
    def name(self) -> str:
        """As pages name it."""
        return urlsplit(self.issuer).hostname or self.issuer

    def start(self, redirect: str, **purpose: Any) -> tuple[str, Started]:
        """The address of the provider to send a browser to, and what is to be kept meanwhile."""
        started = Started(new_token(), new_token(), new_token(), now() + LASTS, **purpose)
        address, _ = self._session(redirect).create_authorization_url(
            self._known()["authorization_endpoint"],
            state=started.state,
            nonce=started.nonce,
            code_verifier=started.verifier,
        )
        return address, started

    def finish(self, redirect: str, answer: dict[str, str], started: Started) -> Identity:
        """Who came back from the provider, by the token that it signed."""
        from authlib.common.errors import AuthlibBaseError
        from joserfc.errors import JoseError
        from requests.exceptions import RequestException

        if not same(answer.get("state", ""), started.state) or started.expires < now():
            raise InputError("this login was not begun here, or took too long", hint="begin again")
        if "code" not in answer:
            said = answer.get("error_description") or answer.get("error") or "nothing"
            raise InputError(
                f"{self.name} did not let you in: {quoted(said, self._secret)}", hint="begin again"
            )
        try:
            token = self._session(redirect).fetch_token(
                self._known()["token_endpoint"],
                code=answer["code"],
                code_verifier=started.verifier,
                timeout=PATIENCE,
                allow_redirects=False,
            )
            claims = self._claims(token, started.nonce)
        except RequestException as error:
            raise self._unreachable(error) from None
        except (AuthlibBaseError, JoseError, ValueError, KeyError, TypeError) as error:
            said = quoted(f"{type(error).__name__}: {error}", self._secret)
            raise InputError(
                f"what {self.name} said of you cannot be believed: {said}",
                hint="begin again; if it stays so, an admin should check --oidc-issuer and --oidc-client",
            ) from None
        named = next((str(claims[key]) for key in NAMES if claims.get(key)), "somebody")
        whole = f"{claims['iss']}\n{claims['sub']}"
        return Identity(hashlib.sha256(whole.encode()).hexdigest(), " ".join(named.split())[:LONGEST_NAME])

    def _session(self, redirect: str) -> OAuth2Session:
        from authlib.integrations.requests_client import OAuth2Session

        session = OAuth2Session(
            self.client,
            self._secret,
            scope="openid profile email",
            redirect_uri=redirect,
            code_challenge_method="S256",
            token_endpoint_auth_method="client_secret_basic" if self._secret else "none",
        )
        session.trust_env = not is_local(self.issuer)
        return session

    def _claims(self, token: dict[str, Any], nonce: str) -> dict[str, Any]:
        from authlib.oidc.core import CodeIDToken
        from joserfc import jwk, jwt

        known = self._known()
        keys = jwk.KeySet.import_key_set(self._get(known["jwks_uri"]))  # type: ignore[arg-type]
        decoded = jwt.decode(token["id_token"], keys, algorithms=ALGORITHMS)
        options = {"iss": {"value": known["issuer"]}, "aud": {"value": self.client}}
        params = {"nonce": nonce, "client_id": self.client, "access_token": token.get("access_token")}
        claims = CodeIDToken(decoded.claims, decoded.header, options, params)
        claims.validate(now=now() // SECOND, leeway=LEEWAY)
        return dict(claims)

    def _known(self) -> dict[str, Any]:
        """What the provider says of itself, asked once."""
        if self._facts is None:
            facts = self._get(f"{self.issuer}/.well-known/openid-configuration")
            wanted = ("issuer", "authorization_endpoint", "token_endpoint", "jwks_uri")
            missing = [name for name in wanted if not isinstance(facts.get(name), str)]
            if missing or facts["issuer"].rstrip("/") != self.issuer:
                raise InputError(
                    f"{self.issuer} is no provider of OpenID Connect by this name",
                    hint="--oidc-issuer is the address that it calls itself",
                )
            for name in wanted:
                if not facts[name].startswith("https:") and not is_local(facts[name]):
                    raise InputError(f"{self.issuer}: its {name} is not https", hint="use another provider")
            self._facts = facts
        return self._facts

    def _get(self, address: str) -> dict[str, Any]:
        from requests import Session
        from requests.exceptions import RequestException

        with Session() as session:
            session.trust_env = not is_local(self.issuer)
            try:
                answer = session.get(address, timeout=PATIENCE, allow_redirects=False)
                answer.raise_for_status()
                said = answer.json()
            except (RequestException, ValueError) as error:
                raise self._unreachable(error) from None
        if not isinstance(said, dict):
            raise self._unreachable(ValueError())
        return said

    def _unreachable(self, error: Exception) -> InputError:
        return InputError(
            f"{self.name} does not answer as it should ({type(error).__name__})",
            hint="try again, or log in with a password",
        )


def sealed(secret: bytes, started: Started) -> str:
    """A login under way as a cookie has it."""
    facts = {field: getattr(started, field) for field in started.fields}
    text = base64.urlsafe_b64encode(json.dumps(facts).encode()).decode()
    return f"{text}.{_seal(secret, text)}"


def unsealed(secret: bytes, cookie: str) -> Started:
    text, _, seal = cookie.partition(".")
    if not same(seal, _seal(secret, text)):
        raise InputError("this login was not begun here, or took too long", hint="begin again")
    return Started(**json.loads(base64.urlsafe_b64decode(text)))


def _seal(secret: bytes, text: str) -> str:
    return hmac.new(secret, f"oidc:{text}".encode(), hashlib.sha256).hexdigest()


def person_known_as(database: Database, identity: Identity, invitation: str) -> Person:
    """Who in this workbench somebody is to the provider; with an invitation, they become somebody."""
    with database.reading() as connection:
        row = connection.execute(select(users).where(users.c.subject == identity.subject)).first()
    if row is not None and row.disabled is not None:
        raise InputError("this account is disabled", hint="ask an admin")
    if row is not None:
        return person_of(row)
    if not invitation:
        raise InputError(
            f"nobody here is connected with this account ({identity.name})",
            hint="open the link of an invitation; or log in with your password, and connect them on the page Account",
        )
    return accept_as(database, invitation, identity.name, identity.subject)


def connect(database: Database, user: int, identity: Identity) -> None:
    """Lets a user log in by the provider from now on."""
    try:
        with database.writing() as connection:
            connection.execute(update(users).where(users.c.id == user).values(subject=identity.subject))
            record(connection, "account connected", {"name": identity.name}, user=user)
    except IntegrityError:
        raise InputError(
            "somebody else is connected with this account", hint="ask an admin who it is"
        ) from None
