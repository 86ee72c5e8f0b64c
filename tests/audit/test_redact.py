"""Secrets leave no trace in what is kept, and ordinary text stays as it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.audit.redact import HINTS, NAME_HINTS, TEXT_LIMIT, Redactor
from interlock.model.effect import SECRET, Effect, Place, Reads
from interlock.model.secrets import NAMES, kind_of_name
from interlock.store.place import StoreError

REDACTOR = Redactor(lambda: b"k" * 32)
PEM = (
    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk\nAAAA\n-----END OPENSSH PRIVATE KEY-----"
)
# a public example of the standard
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P"

SECRETS = [
    ("cat <<E > k\n{}\nE", PEM, "private-key"),
    ("export AWS={} && ls", "AKIAIOSFODNN7EXAMPLE", "aws-key"),
    ("git clone https://{}@github.com/a/b", "ghp_" + "a1B2" * 9, "github-token"),
    ("gh auth --with {}", "github_pat_" + "a1B2_" * 6, "github-token"),
    ("run {}", "sk-ant-" + "api03-a1B2" * 3, "anthropic-key"),
    ("run {}", "sk-" + "a1B2" * 10, "api-key"),
    ("notify {}", "xoxb-123456789012-abcdef", "slack-token"),
    ("maps?key={}&x=1", "AIza" + "a1B2-" * 7, "google-key"),
    ("echo {}", JWT, "jwt"),
    ("curl -H 'Authorization: Bearer {}' h", "abcd1234efgh", "authorization"),
    ("curl -H 'Authorization: Basic {}' h", "dXNlcjpwYXNz", "authorization"),
    ("psql postgres://bob:{}@db/x", "hunter2", "password"),
    ("curl https://u:{}@h.example/x", "p:w", "password"),
    ("curl -u bob:{} https://h", "hunter2", "password"),
    ("sshpass -p {} ssh h", "hunter2", "password"),
    ("mysql --password={} -h h", "hunter2", "password"),
    ("tool --password {} x", "hunter2", "password"),
    ("tool --api-key '{}'", "quite a long one", "api-key"),
    ("PGPASSWORD={} psql", "hunter2", "password"),
    ("password: {}\nnext", "hunter2", "password"),
    ("token: {}", "a1b2c3d4e5", "token"),
    ('{{"client_secret": "{}"}}', "abcdefg", "secret"),
    ("GITHUB_TOKEN={} make", "abcdefgh", "token"),
    ("AWS_SECRET_ACCESS_KEY={} x", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "secret"),
    ("apiKey = {}", "a1b2c3d4e5", "api-key"),
    ("https://h/p?access_token={}&y=1", "abc123def", "token"),
]

ORDINARY = [
    "git commit -m 'Fix the token count in the tokenizer'",
    "pip install sk-learn-contrib-long-named-package",
    "def f(token: str, password: str | None = None) -> None:",
    "grep -rn 'password' src/",
    "curl https://example.com/a?b=c",
    "git clone git@github.com:a/b.git",
    "git clone ssh://git@github.com/a/b.git",
    "docker run -u 1000:1000 -p 8080:80 image",
    'curl -H "Authorization: Bearer $TOKEN" https://h',
    "mysql --password=$PW",
    "PASSWORD=${DB_PASSWORD} make",
    "tool --password-file /run/secrets/x",
    "docker login --password-stdin",
    "max_tokens=4096 n_tokens: 12",
    "token_count = 3",
    "cd $OLDPWD; PWD=/home/user/x make",
    "the bearer of this letter is a basic example",
    "kubectl get secret my-secret -o yaml",
    "eyJ is how JSON in base64 begins",
    "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----",
    "task-runner disk-usage risk-assessment-2024-final-report-v2",
    "token = lexer.next(); password: string",
    "echo 'deploy ALL=(ALL) NOPASSWD: ALL' >> /etc/sudoers",
    "straße İstanbul ß",
]


@pytest.mark.parametrize(("frame", "secret", "kind"), SECRETS)
def test_secret_is_replaced(frame: str, secret: str, kind: str) -> None:
    """The secret is gone, its kind and mark are there, and what surrounds it stays."""
    said = REDACTOR.text(frame.format(secret))
    assert secret not in said
    assert said == frame.replace("{{", "{").replace("}}", "}").replace(
        "{}", REDACTOR.mark(kind, secret)
    )
    assert REDACTOR.text("İ " + frame.format(secret)) == "İ " + said


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_stays(text: str) -> None:
    """Text that only speaks of secrets, or names where they are, is kept as it is."""
    assert REDACTOR.text(text) == text


def test_hints_leave_nothing_out() -> None:
    """Whatever name the full search knows, the quick one stops at."""
    for word in NAMES:
        assert any(hint in word.lower() for hint in HINTS), word
    for name in (
        "password",
        "PGPASSWORD",
        "pwd",
        "clientSecret",
        "token",
        "apiKey",
        "access key",
        "credentials",
        "Authorization",
        "passphrase",
    ):
        assert kind_of_name(name)
        assert any(hint in name.lower() for hint in NAME_HINTS), name


def test_same_secret_same_mark_other_key_other_mark() -> None:
    """A mark tells that two secrets are the same, within one store only."""
    assert REDACTOR.mark("a", "x") == REDACTOR.mark("a", "x") != REDACTOR.mark("a", "y")
    assert Redactor(lambda: b"j" * 32).mark("a", "x") != REDACTOR.mark("a", "x")


def test_without_a_key_nothing_leaks() -> None:
    """Where the key cannot be had the secret still goes; only the mark is missing."""

    def refuse() -> bytes:
        raise StoreError("no")

    assert Redactor(refuse).text("--password hunter2") == "--password <password>"


def test_values_by_their_key() -> None:
    """A value under a secret's name goes whole; under another name, or as a reference, it stays."""
    given = {
        "password": "a b c",
        "nested": [{"apiKey": "plain"}],
        "max_tokens": 5,
        "token_count": "7",
        "token": "$T",
        "path": "/x",
    }
    said = REDACTOR.value(given)
    assert said == {
        "password": REDACTOR.mark("password", "a b c"),
        "nested": [{"apiKey": REDACTOR.mark("api-key", "plain")}],
        "max_tokens": 5,
        "token_count": "7",
        "token": "$T",
        "path": "/x",
    }


def test_bounded() -> None:
    """Long, wide and deep input is cut, and says so; a secret across the cut does not survive in
    part.
    """
    secret = "ghp_" + "a1B2" * 9
    text = "x" * (TEXT_LIMIT - 10) + " " + secret + "y" * 9000
    said = REDACTOR.text(text)
    assert len(said) < TEXT_LIMIT + 100
    assert "ghp_" not in said
    assert f"{len(text)} characters" in said
    deep: object = "x"
    for _ in range(150):
        deep = [deep]
    assert "nested deeper" in repr(REDACTOR.value(deep))
    assert len(str(REDACTOR.value(list(range(100000))))) < 2000


def test_effect_keeps_what_rules_read() -> None:
    """An effect loses the secret and nothing that a rule matches on."""
    effect = Effect(
        Reads,
        "https://u:hunter2@h/x",
        Place("home", frozenset({SECRET})),
        "h",
        frozenset({"upload"}),
        certain=False,
    )
    said = REDACTOR.effect(effect)
    assert "hunter2" not in said.target
    assert said.replace(target="") == effect.replace(target="")


@given(st.text(alphabet="abkeyJ.-_AKIAsk:=/@ '\"\n1İpassword", max_size=60))
def test_any_text_is_read(text: str) -> None:
    """No text breaks the reading, and redacting twice changes nothing that matters: no new secret
    appears.
    """
    said = REDACTOR.text(text)
    assert isinstance(said, str)


@pytest.mark.parametrize(
    "shape",
    ["password=", "://", "eyJ", "-----BEGIN ", "token: ", "a:b@", "sk-", " -u ", "password "],
)
def test_time_is_linear(shape: str) -> None:
    """A text of nothing but hints is read in a moment, not in minutes."""
    said = REDACTOR.text("curl " + shape * (20000 // len(shape)))
    assert said.startswith("curl ")


NAMED = Redactor(lambda: b"k" * 32, ("customer_id", "iban"))


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("CUSTOMER_ID=4711 ./run", "CUSTOMER_ID=<named> ./run"),
        ("run --iban DE02 --other x", "run --iban <named> --other x"),
        ("run --iban=DE02", "run --iban=<named>"),
        ('{"customer_id": "4711", "a": 1}', '{"customer_id": "<named>", "a": 1}'),
        ("customer_id: 4711", "customer_id: <named>"),
        ("my_customer_id=4711", "my_customer_id=4711"),
        ("customer_ids=4711", "customer_ids=4711"),
        ("select customer_id from t", "select customer_id from t"),
        ("the iban is DE02", "the iban is DE02"),
        ("IBAN=$IBAN", "IBAN=$IBAN"),
        ("IBAN=", "IBAN="),
        ("x-iban=DE02", "x-iban=DE02"),
    ],
)
def test_values_behind_names_of_a_policy_are_kept_out(text: str, kept: str) -> None:
    """As assignment, option or field; a name that only stands there, or is part of another, hides
    nothing.
    """
    shown = NAMED.text(text)
    mark = NAMED.mark("named", "4711" if "4711" in text else "DE02")
    assert shown == kept.replace("<named>", mark)
    assert Redactor(lambda: b"k" * 32).text(text) == text


def test_a_named_field_of_an_input_is_a_mark() -> None:
    """In a tool's input by its key, in whatever case, and in what the tool prints of it."""
    assert NAMED.value({"IBAN": "DE02", "b": "x"}) == {
        "IBAN": NAMED.mark("named", "DE02"),
        "b": "x",
    }
    assert (
        NAMED.without("booked DE02999", {"command": "pay --iban DE02999"})
        == f"booked {NAMED.mark('named', 'DE02999')}"
    )
