"""Which model is asked, and how.

``INTERLOCK_PROVIDER``, ``INTERLOCK_MODEL``, ``INTERLOCK_BASE_URL`` and ``INTERLOCK_API_KEY`` say
it; what they leave open is told by the variables that the providers' own programs know.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from interlock.model.record import Record
from interlock.policy.installation import install_command

ANTHROPIC, CHAT, RESPONSES, GEMINI = "anthropic", "openai-chat", "openai-responses", "gemini"
LOCAL = ("127.0.0.1", "localhost", "::1")
NO_KEY = "none"
"""What is sent as the key of an endpoint on this machine that wants none."""


class ModelError(Exception):
    """No model can be asked; the text is one sentence that says what is missing and what to do."""


class ModelProvider(Record):
    """One way to ask. ``keys`` and ``urls``: the provider's own variables. ``begins``: how the
    names of its models begin.

    ``model``: the one that is asked where none is named. ``made``: module and class of Pydantic
    AI's model, module and class of its provider.
    """

    keys: tuple[str, ...]
    urls: tuple[str, ...]
    begins: tuple[str, ...]
    model: str
    made: tuple[str, str, str, str]


_OPENAI = ("providers.openai", "OpenAIProvider")
PROVIDERS: dict[str, ModelProvider] = {
    ANTHROPIC: ModelProvider(
        ("ANTHROPIC_API_KEY",), ("ANTHROPIC_BASE_URL",), ("claude",), "claude-sonnet-5-5",
        ("models.anthropic", "AnthropicModel", "providers.anthropic", "AnthropicProvider"),
    ),
    RESPONSES: ModelProvider(
        ("OPENAI_API_KEY",), ("OPENAI_BASE_URL",), ("gpt-", "o1", "o3", "o4", "codex"),
        "gpt-5.6-terra",
        ("models.openai", "OpenAIResponsesModel", *_OPENAI),
    ),
    CHAT: ModelProvider(("OPENAI_API_KEY",), ("OPENAI_BASE_URL",), (), "gpt-5.6-terra",
        ("models.openai", "OpenAIChatModel", *_OPENAI)),
    GEMINI: ModelProvider(
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"), ("GOOGLE_GEMINI_BASE_URL",), ("gemini",),
        "gemini-3.8-flash",
        ("models.google", "GoogleModel", "providers.google", "GoogleProvider"),
    ),
}  # fmt: skip
"""In the order in which keys are looked for."""


class ModelChoice(Record):
    """What is asked: a provider's name, a model's, the base of its URL (``""``: the provider's
    own), the key.
    """

    provider: str
    model: str
    url: str = ""
    key: str = ""


def choose_model(environment: Mapping[str, str]) -> ModelChoice:
    """Return what the environment says; raises ``ModelError``."""
    given = {
        name: environment.get(f"INTERLOCK_{name}", "").strip()
        for name in ("PROVIDER", "MODEL", "BASE_URL", "API_KEY")
    }
    name = given["PROVIDER"] or _detect_provider(given["MODEL"], given["BASE_URL"], environment)
    if name not in PROVIDERS:
        raise ModelError(
            f"INTERLOCK_PROVIDER is {name!r}: expected one of {', '.join(sorted(PROVIDERS))}"
        )
    row = PROVIDERS[name]
    own = next((environment[key] for key in row.keys if environment.get(key)), "")
    url = given["BASE_URL"] or next(
        (environment[key] for key in row.urls if environment.get(key)), ""
    )
    key = (
        given["API_KEY"]
        or ("" if given["BASE_URL"] else own)
        or (NO_KEY if _host(url) in LOCAL else "")
    )
    if url and (urlsplit(url).scheme not in ("http", "https") or not _host(url)):
        raise ModelError(
            f"INTERLOCK_BASE_URL is {url!r}: expected the beginning of an address, such as"
            " http://127.0.0.1:11434/v1"
        )
    if not key:
        raise ModelError(
            f"there is no key for {_host(url) or name}: set"
            f" {'INTERLOCK_API_KEY' if url else f'{row.keys[0]}, or INTERLOCK_API_KEY'}"
        )
    if url and not given["MODEL"]:
        raise ModelError(f"INTERLOCK_MODEL is not set: name a model that {_host(url)} serves")
    return ModelChoice(name, given["MODEL"] or row.model, url, key)


def _detect_provider(model: str, url: str, environment: Mapping[str, str]) -> str:
    """Return the provider that is meant where none is named: by the model's name, by the address,
    by whose key is there.
    """
    by_name = next(
        (
            name
            for name, row in PROVIDERS.items()
            if row.begins and model.lower().startswith(row.begins)
        ),
        "",
    )
    if by_name and not url:
        return by_name
    if url:
        return (
            by_name
            if by_name in (ANTHROPIC, GEMINI) and not url.rstrip("/").endswith("/v1")
            else CHAT
        )
    by_key = next(
        (name for name, row in PROVIDERS.items() if any(environment.get(key) for key in row.keys)),
        "",
    )
    if not by_key:
        wanted = ", ".join([row.keys[0] for name, row in PROVIDERS.items() if name != CHAT])
        raise ModelError(
            f"no model is named and no key is there: set one of {wanted}; or INTERLOCK_BASE_URL and"
            " INTERLOCK_MODEL for another endpoint"
        )
    return by_key


def _host(url: str) -> str:
    return urlsplit(url).hostname or ""


def model(what: ModelChoice) -> Any:
    """Return Pydantic AI's model; raises ``ModelError`` where it is not installed."""
    models, model_class, providers, provider_class = PROVIDERS[what.provider].made
    try:
        provider = getattr(importlib.import_module(f"pydantic_ai.{providers}"), provider_class)
        made = getattr(importlib.import_module(f"pydantic_ai.{models}"), model_class)
    except ImportError as error:
        raise ModelError(
            "the agent needs packages that are not installed; install them with:"
            f" {install_command('agent')}"
        ) from error
    return made(what.model, provider=provider(api_key=what.key, base_url=what.url or None))
