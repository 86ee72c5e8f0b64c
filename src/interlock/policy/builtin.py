"""The built-in policies: what holds when nobody wrote one."""

from __future__ import annotations

from interlock.engine.candidates import index
from interlock.model.policy import Policy
from interlock.model.release import RULES_VERSION
from interlock.rules.catalogue import RULES

HOSTS = frozenset({
    "github.com", "raw.githubusercontent.com", "api.github.com", "codeload.github.com",
    "objects.githubusercontent.com",
    "gist.githubusercontent.com", "gitlab.com", "bitbucket.org",
    "pypi.org", "files.pythonhosted.org", "registry.npmjs.org", "registry.yarnpkg.com", "crates.io",
    "static.crates.io", "index.crates.io",
    "proxy.golang.org", "sum.golang.org",
    "go.dev", "golang.org", "pkg.go.dev", "rubygems.org", "repo.maven.apache.org",
    "repo1.maven.org", "docs.python.org", "python.org", "nodejs.org",
    "developer.mozilla.org",
    "docs.rs", "doc.rust-lang.org", "readthedocs.io", "deb.debian.org", "archive.ubuntu.com",
    "security.ubuntu.com", "packagist.org", "nuget.org",
    "api.nuget.org", "stackoverflow.com",
    "wikipedia.org", "w3.org", "ietf.org", "example.com", "json-schema.org", "schema.org",
    "npmjs.com", "hackage.haskell.org", "hex.pm",
})  # fmt: skip
"""Hosts that ordinary development reads from. That loosens reading only: uploads ask."""

_cache: dict[str, Policy] = {}


def builtin(profile: str = "default") -> Policy:
    """Return a policy that comes with interlock; raises ``ValueError`` for a profile that does not
    exist. Others than the default need PyYAML.
    """
    policy = _cache.get(profile)
    if policy is None:
        policy = _cache[profile] = _default() if profile == "default" else _load_profile(profile)
    return policy


def _default() -> Policy:
    return Policy(RULES, index(RULES), "default", f"builtin-default-{RULES_VERSION}", HOSTS)


def _load_profile(name: str) -> Policy:
    from interlock.policy.merge import merge
    from interlock.policy.profiles import profile
    from interlock.policy.schema import PROFILES

    if name not in PROFILES:
        raise ValueError(f"there is no profile {name!r}; known: {', '.join(PROFILES)}")
    layer = profile(name, {rule.id: rule for rule in RULES})
    return merge(builtin(), (layer,)).policy.replace(
        profile=name, hash=f"builtin-{name}-{RULES_VERSION}"
    )
