"""A small provider of OpenID Connect on loopback, which signs tokens, and misbehaves as it is told."""

from __future__ import annotations

import base64
import hashlib
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit

from support.loopback import listening

CLIENT, SECRET = "idealist", "the client's secret"


class FakeProvider:
    """Who logs in there is `person`; `claims` take the place of those of an honest token; `key` signs; `algorithm` is how."""

    def __init__(self) -> None:
        from joserfc.jwk import RSAKey

        self.issuer = ""
        self.person = {"sub": "u-1", "name": "Ann Example"}
        self.claims: dict[str, Any] = {}
        self.published = RSAKey.generate_key(2048, {"kid": "first", "use": "sig"})
        self.key: Any = self.published
        self.algorithm = "RS256"
        self.codes: dict[str, dict[str, str]] = {}
        self.tokens = 0

    def authorize(self, query: dict[str, str]) -> str:
        """What the browser is sent back with, once the person has logged in: the address."""
        assert query["client_id"] == CLIENT
        assert query["response_type"] == "code"
        assert "openid" in query["scope"].split()
        assert query["code_challenge_method"] == "S256"
        code = f"code-{len(self.codes)}"
        self.codes[code] = query
        return f"{query['redirect_uri']}?code={code}&state={query['state']}"

    def token(self, form: dict[str, str], authorization: str) -> dict[str, Any] | None:
        """A token for a code, once, to whom it was given; None where that is refused."""
        from joserfc import jwt

        asked = self.codes.pop(form.get("code", ""), None)
        basic = "Basic " + base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        if asked is None or authorization != basic or form["redirect_uri"] != asked["redirect_uri"]:
            return None
        digest = hashlib.sha256(form["code_verifier"].encode()).digest()
        if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != asked["code_challenge"]:
            return None
        self.tokens += 1
        now = int(time.time())
        honest = {"iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": asked["nonce"]}
        claims = {**honest, **self.person, **self.claims}
        claims = {name: value for name, value in claims.items() if value is not None}
        header = {"alg": self.algorithm, "kid": "first"}
        signed = jwt.encode(header, claims, self.key, algorithms=[self.algorithm])
        return {"access_token": "access", "token_type": "Bearer", "id_token": signed}


@contextmanager
def oidc_provider() -> Iterator[FakeProvider]:
    fake = FakeProvider()

    class Handler(BaseHTTPRequestHandler):
        def _json(self, status: int, content: Any) -> None:
            text = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def do_GET(self) -> None:
            path = urlsplit(self.path)
            if path.path == "/.well-known/openid-configuration":
                parts = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "keys"}
                self._json(
                    200,
                    {"issuer": fake.issuer, **{name: f"{fake.issuer}/{at}" for name, at in parts.items()}},
                )
            elif path.path == "/keys":
                self._json(200, {"keys": [fake.published.as_dict(private=False)]})
            elif path.path == "/authorize":
                query = {name: values[0] for name, values in parse_qs(path.query).items()}
                self.send_response(302)
                self.send_header("Location", fake.authorize(query))
                self.send_header("Content-Length", "0")
                self.end_headers()
            else:
                self._json(404, {})

        def do_POST(self) -> None:
            sent = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            form = {name: values[0] for name, values in sent.items()}
            token = fake.token(form, self.headers.get("Authorization", ""))
            refused = {"error": "invalid_grant"}
            self._json(400 if token is None else 200, refused if token is None else token)

        def log_message(self, *_: Any) -> None:
            pass

    with listening(Handler) as fake.issuer:
        yield fake
