"""Signing in with a provider: the code flow of OpenID Connect, with PKCE, state and nonce. What
begins here ends in the same browser, within ten minutes, or nowhere.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import BoundedSemaphore
from typing import Any

import httpx2
from authlib.common.security import generate_token
from authlib.integrations.base_client.errors import OAuthError
from authlib.integrations.httpx_client import OAuth2Client
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from interlock.model.jsontext import JsonError, dumps, loads
from interlock.service.keys import ServiceKeys
from interlock.service.people.bounded_answers import BoundedTransport
from interlock.service.people.owner import SignInError
from interlock.service.provider import IdentityProvider, is_address
from interlock.service.secrets import later, new_secret
from interlock.service.store.protocol import ServiceStoreError
from interlock.store.chain import now

ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")
SCOPE = "openid profile email"
BEGUN_SECONDS = 600
TIMEOUT_SECONDS = 10
_ROOM = BoundedSemaphore(4)
SIGNED = ["RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA", "Ed25519"]
"""How a provider's word may be signed: by a key pair, never by a shared secret or not at all."""
BROKEN = "That sign-in was begun elsewhere, or more than ten minutes ago: begin it again here."
_WHOSE = "a provider"


def begin(provider: IdentityProvider, back: str, to: str, keys: ServiceKeys) -> tuple[str, str]:
    """Return where the browser goes, and what its cookie remembers, sealed; raises ``SignInError``.
    ``back``: where the provider leads back to, ``to``: the page after that.
    """
    nonce, verifier = new_secret(), generate_token(64)
    try:
        with _turn(provider), _client(provider, back) as client:
            there = _metadata(client, provider)["authorization_endpoint"]
            address, state = client.create_authorization_url(
                there, code_verifier=verifier, nonce=nonce
            )
    except (httpx2.HTTPError, OAuthError, JsonError, KeyError) as error:
        raise SignInError(_describe_failure(provider, error)) from error
    begun = dumps([state, nonce, verifier, to, later(BEGUN_SECONDS)])
    return str(address), keys.seal(begun, _WHOSE)


def finish(
    provider: IdentityProvider, back: str, words: Mapping[str, str], sealed: str, keys: ServiceKeys
) -> tuple[dict[str, Any], str]:
    """Return what the provider says of the person, verified, and the page after that; raises
    ``SignInError``. ``words``: what it led back with; ``sealed``: the cookie.
    """
    state, nonce, verifier, to = _unseal_state(sealed, keys)
    if not hmac.compare_digest(state.encode(), words.get("state", "").encode("utf-8", "replace")):
        raise SignInError(BROKEN)
    if "code" not in words:
        raise SignInError(
            f"{provider.host} did not let you in: {words.get('error', 'it gave no reason')}."
        )
    try:
        with _turn(provider), _client(provider, back) as client:
            known = _metadata(client, provider)
            token = client.fetch_token(
                known["token_endpoint"], grant_type="authorization_code", code=words["code"],
                code_verifier=verifier,
            )  # fmt: skip
            signers = KeySet.import_key_set(
                client.request("GET", known["jwks_uri"], withhold_token=True).json()
            )
        return _claims(provider, str(token["id_token"]), signers, nonce), to
    except (httpx2.HTTPError, OAuthError, JoseError, KeyError, ValueError) as error:
        raise SignInError(_describe_failure(provider, error)) from error


@contextmanager
def _turn(provider: IdentityProvider) -> Iterator[None]:
    """Have few wait for a provider: it may be slow, and anybody may ask for the way there."""
    if not _ROOM.acquire(blocking=False):
        raise SignInError(
            f"Many people go to {provider.host} at this moment. Try again in a while."
        )
    try:
        yield
    finally:
        _ROOM.release()


def _client(provider: IdentityProvider, back: str) -> OAuth2Client:
    return OAuth2Client(
        provider.client, provider.secret or None, scope=SCOPE, redirect_uri=back,
        token_endpoint_auth_method="client_secret_basic" if provider.secret else "none",
        code_challenge_method="S256", timeout=TIMEOUT_SECONDS, follow_redirects=False,
        transport=BoundedTransport(),
    )  # fmt: skip


def _metadata(client: OAuth2Client, provider: IdentityProvider) -> dict[str, str]:
    """Return what a provider says of itself, once it says that it is that very one."""
    where = f"{provider.issuer}/.well-known/openid-configuration"
    answer = client.request("GET", where, withhold_token=True)
    answer.raise_for_status()
    found = loads(answer.content)
    if not isinstance(found, dict) or str(found.get("issuer", "")).rstrip("/") != provider.issuer:
        raise OAuthError("issuer", f"{where} is about another issuer")
    for name in ENDPOINTS:
        if not leads(provider, str(found[name])):
            raise OAuthError(name, f"{where} names {name} without https://")
    return found


def leads(provider: IdentityProvider, address: str) -> bool:
    """Tell whether a provider may name an address: one of this machine only where it is here."""
    here = not provider.issuer.startswith("https://")
    return is_address(address) and (here or address.startswith("https://"))


def _claims(provider: IdentityProvider, token: str, signers: KeySet, nonce: str) -> dict[str, Any]:
    found: dict[str, Any] = jwt.decode(token, signers, algorithms=SIGNED).claims
    issuers = [provider.issuer, f"{provider.issuer}/"]
    jwt.JWTClaimsRegistry(
        leeway=60,
        iss={"essential": True, "values": issuers},
        sub={"essential": True},
        aud={"essential": True, "value": provider.client},
        exp={"essential": True},
        nonce={"essential": True, "value": nonce},
    ).validate(found)
    if found.get("azp", provider.client) != provider.client:
        raise OAuthError("azp", "it was given for another client")
    return found


def _unseal_state(sealed: str, keys: ServiceKeys) -> tuple[str, str, str, str]:
    try:
        state, nonce, verifier, to, until = loads(keys.opened(sealed, _WHOSE))
    except (ServiceStoreError, JsonError, ValueError) as error:
        raise SignInError(BROKEN) from error
    if until <= now():
        raise SignInError(BROKEN)
    return state, nonce, verifier, to


def _describe_failure(provider: IdentityProvider, error: Exception) -> str:
    said = str(error) or type(error).__name__
    return f"{provider.host} could not be asked who you are: {said}."
