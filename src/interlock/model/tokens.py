"""Tokens that are known by their shape: a prefix, an alphabet and a length, as the services that
issue them document it. Without ``re``.

What a shape needs beyond its prefix (length, alphabet, a digit) keeps ordinary words apart:
``sk-learn`` and ``hf_transfer`` are no secrets.
"""

from __future__ import annotations

from collections.abc import Iterator

Found = tuple[int, int, str]

DIGITS = "0123456789"
HEX = DIGITS + "abcdef"
UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ALNUM = DIGITS + UPPER + UPPER.lower()
WORD = ALNUM + "_"
BASE64URL = WORD + "-"
DOTTED = BASE64URL + "."

SHAPES: tuple[tuple[str, str, str, int, int], ...] = (
    # prefix, kind, alphabet of the rest, its least and greatest length (0: any)
    *[(prefix, "aws-key", UPPER + DIGITS, 16, 16) for prefix in ("AKIA", "ASIA", "ABIA", "ACCA")],
    *[
        (prefix, "github-token", ALNUM, 20, 0)
        for prefix in ("ghp_", "gho_", "ghu_", "ghs_", "ghr_")
    ],
    ("github_pat_", "github-token", WORD, 20, 0),
    *[
        (prefix, "gitlab-token", BASE64URL, 16, 0)
        for prefix in tuple(
            "glpat- gldt- glptt- glrt- glcbt- glsoat- glft- glimt- glagent-".split()
        )
    ],
    ("sk-ant-", "anthropic-key", BASE64URL, 16, 0),
    ("sk-", "api-key", BASE64URL, 20, 0),
    *[
        (prefix, "stripe-key", ALNUM, 16, 0)
        for prefix in ("sk_live_", "sk_test_", "rk_live_", "rk_test_")
    ],
    ("whsec_", "webhook-secret", ALNUM + "+/=", 24, 0),
    *[(f"xox{letter}-", "slack-token", BASE64URL, 15, 0) for letter in "abcdeprs"],
    ("xapp-", "slack-token", BASE64URL, 15, 0),
    ("hooks.slack.com/services/", "webhook", ALNUM + "/", 24, 0),
    ("discord.com/api/webhooks/", "webhook", BASE64URL + "/", 40, 0),
    ("AIza", "google-key", BASE64URL, 30, 0),
    ("GOCSPX-", "google-secret", BASE64URL, 24, 0),
    ("ya29.", "google-token", DOTTED, 30, 0),
    ("npm_", "npm-token", ALNUM, 30, 0),
    ("pypi-", "pypi-token", BASE64URL, 40, 0),
    ("rubygems_", "rubygems-token", HEX, 40, 0),
    ("cio", "crates-token", ALNUM, 32, 32),
    ("hf_", "huggingface-token", ALNUM, 30, 0),
    ("r8_", "replicate-token", ALNUM, 30, 0),
    ("gsk_", "groq-key", ALNUM, 40, 0),
    ("xai-", "xai-key", ALNUM, 40, 0),
    ("pplx-", "perplexity-key", ALNUM, 40, 0),
    ("SG.", "sendgrid-key", DOTTED, 60, 70),
    ("xkeysib-", "brevo-key", BASE64URL, 64, 0),
    ("key-", "mailgun-key", HEX, 32, 32),
    ("SK", "twilio-key", HEX, 32, 32),
    *[(prefix, "digitalocean-token", HEX, 64, 64) for prefix in ("dop_v1_", "doo_v1_", "dor_v1_")],
    *[
        (prefix, "shopify-token", HEX, 32, 32)
        for prefix in ("shpat_", "shpca_", "shppa_", "shpss_")
    ],
    *[(prefix, "square-token", BASE64URL, 22, 0) for prefix in ("sq0atp-", "sq0csp-")],
    ("dapi", "databricks-token", HEX, 32, 32),
    ("ATATT3xFfGF0", "atlassian-token", BASE64URL + "=", 40, 0),
    ("lin_api_", "linear-key", ALNUM, 32, 0),
    ("ntn_", "notion-token", ALNUM, 40, 0),
    ("figd_", "figma-token", BASE64URL, 30, 0),
    ("PMAK-", "postman-key", HEX + "-", 50, 0),
    ("glsa_", "grafana-token", WORD, 32, 0),
    *[(prefix, "newrelic-key", ALNUM + "-", 24, 0) for prefix in ("NRAK-", "NRII-", "NRJS-")],
    *[(prefix, "vault-token", BASE64URL, 24, 0) for prefix in ("hvs.", "hvb.", "hvr.")],
    *[(prefix, "doppler-token", ALNUM, 40, 0) for prefix in ("dp.pt.", "dp.ct.", "dp.sa.")],
    *[
        (prefix, "planetscale-token", DOTTED, 30, 0)
        for prefix in ("pscale_tkn_", "pscale_pw_", "pscale_oauth_")
    ],
    *[(prefix, "docker-token", BASE64URL, 20, 0) for prefix in ("dckr_pat_", "dckr_oat_")],
    ("AGE-SECRET-KEY-1", "age-key", UPPER + DIGITS, 58, 58),
    *[(prefix, "supabase-key", WORD, 30, 0) for prefix in ("sbp_", "sb_secret_")],
    *[(prefix, "sentry-token", ALNUM + "_=+/", 40, 0) for prefix in ("sntrys_", "sntryu_")],
    ("pul-", "pulumi-token", HEX, 40, 40),
    *[
        (prefix, "tailscale-key", BASE64URL, 20, 0)
        for prefix in ("tskey-auth-", "tskey-api-", "tskey-client-")
    ],
    ("fm2_", "fly-token", ALNUM + "+/=", 60, 0),
    *[(prefix, "netlify-token", ALNUM, 36, 0) for prefix in ("nfp_", "nfc_")],
    *[(prefix, "sonar-token", HEX, 40, 40) for prefix in ("sqp_", "squ_", "sqa_")],
    ("CCIPAT_", "circleci-token", WORD, 40, 0),
    ("bkua_", "buildkite-token", HEX, 40, 40),
    ("LTAI", "alibaba-key", ALNUM, 16, 26),
    ("AKCp", "artifactory-key", ALNUM, 60, 0),
    ("eyJ", "jwt", DOTTED + "=", 25, 0),
)
LEAST = 20
"""Characters of the shortest token, its prefix included: what has no word as long holds none."""

AROUND: tuple[tuple[str, str, str, tuple[int, int], str, tuple[int, int]], ...] = (
    # what stands in the middle, kind, the alphabet and lengths (least, greatest) before and after
    # it
    (":AA", "telegram-token", DIGITS, (8, 10), BASE64URL, (32, 40)),
    ("8Q~", "azure-secret", DOTTED + "~", (3, 3), DOTTED + "~", (31, 37)),
    ("7Q~", "azure-secret", DOTTED + "~", (3, 3), DOTTED + "~", (31, 37)),
    ("-us", "mailchimp-key", HEX, (32, 32), DIGITS, (1, 2)),
    (".atlasv1.", "terraform-token", ALNUM, (14, 14), BASE64URL, (60, 80)),
)
_SURE = ("aws-key", "age-key", "webhook")
"""Kinds whose alphabet or prefix says enough without a digit."""


def run(text: str, start: int, alphabet: str) -> int:
    """Return where the run of the alphabet's characters that begins at ``start`` ends."""
    rest = text[start:]
    return len(text) - len(rest.lstrip(alphabet))


def tokens(text: str) -> Iterator[Found]:
    """Yield ``(start, end, kind)`` of every token that is known by its shape."""
    for prefix, kind, alphabet, least, most in SHAPES:
        start = text.find(prefix)
        while start >= 0:
            first = start + len(prefix)
            if start and text[start - 1] in WORD:
                start = text.find(prefix, first)
                continue
            end = run(text, first, alphabet)
            if _fits(kind, text[first:end], least, most):
                yield start, end, kind
            # what begins within the run is a tail of it, and fits no better
            start = text.find(prefix, end)
    yield from _around(text)


def _fits(kind: str, rest: str, least: int, most: int) -> bool:
    if len(rest) < least or (most and len(rest) > most):
        return False
    if kind == "jwt":
        return rest.count(".") >= 2
    return kind in _SURE or any(char in DIGITS for char in rest)


def _around(text: str) -> Iterator[Found]:
    for middle, kind, before, (least, most), after, (shortest, longest) in AROUND:
        at = text.find(middle)
        while at >= 0:
            low = max(0, at - most - 1)
            start = low + len(text[low:at].rstrip(before))
            rest = at + len(middle)
            end = (
                rest
                + len(text[rest : rest + longest + 1])
                - len(text[rest : rest + longest + 1].lstrip(after))
            )
            if least <= at - start <= most and shortest <= end - rest <= longest:
                yield start, end, kind
            at = text.find(middle, rest)
