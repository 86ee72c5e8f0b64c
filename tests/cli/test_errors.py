"""What people get wrong, and what machines refuse: one clear sentence, the right exit code, never a
traceback.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from interlock.cli.main import COMMANDS, main

SOURCE = Path(__file__).resolve().parents[2] / "src"

BROKEN_POLICY = "version: 1\nrules: [\n"

# the surroundings, what is typed, the exit code, words that the sentence has to hold
ROWS: list[tuple[str, str, int, str]] = [
    # wrong arguments
    ("fresh", "statuz", 2, "did you mean `interlock status`?"),
    ("fresh", "nonsense", 2, "there is no command 'nonsense'; `interlock help` lists the commands"),
    ("fresh", "", 2, "Begin with `interlock init`"),
    ("fresh", "--version", 0, "interlock "),
    ("fresh", "check --review -- some-program", 0, "no validator was asked: the policy that holds here names none"),
    ("fresh", "audit", 2, "required: verify/anchor/prune/export"),
    ("fresh", "approvals", 0, "nothing waits"),
    ("fresh", "grants", 0, "no standing approvals"),
    ("fresh", "log --limit x", 2, "--limit"),
    ("fresh", "log -n -5", 2, "--limit"),
    ("fresh", "log --since yesterday", 2, "is no time; expected 90m, 12h, 7d, or a time"),
    ("fresh", "rules --tag nonsense", 2, "tags are: GR-001"),
    ("fresh", "status --jsn", 2, "interlock status"),
    ("fresh", "checkpoints prune x", 2, "unknown word 'x'"),
    ("fresh", "policy diff", 2, "name two policies"),
    ("fresh", "policy replay --since x", 2, "such as 30s, 5m, 12h or 30d"),
    ("fresh", "check --cwd /no/such/folder ls", 2, "--cwd is '/no/such/folder', which is no folder here"),
    ("fresh", "check --json --sarif ls", 2, "not allowed with argument"),
    ("fresh", "explain secret.nosuch", 2, "no rule is called 'secret.nosuch'"),
    ("fresh", "explain d-", 2, "'d-' is too short"),
    ("fresh", "explain --last", 2, "no decision is recorded yet"),
    ("fresh", "log --since 2026-13-40", 2, "'2026-13-40' is no time"),
    ("fresh", "--foo", 2, "there is no option '--foo'; `interlock help` lists the commands"),
    ("fresh", "-v", 2, "no option '-v'"),
    ("fresh", "help nosuch", 2, "there is no command 'nosuch'"),
    ("fresh", "serve --listen 0.0.0.0:0", 1, "without TLS anybody on the way reads along: name --certificate FILE and --key FILE"),
    ("fresh", "serve --listen localhost:99999", 1, "expected ADDRESS or ADDRESS:PORT"),
    ("fresh", "serve --certificate x.pem", 1, "name both, --certificate and --key"),
    ("fresh", "serve --url http://team", 1, "expected the proxy's https:// address"),
    ("fresh", "serve --token", 1, "no service has run here yet"),
    ("fresh", "serve --verify", 1, "no service has run here yet"),
    *[("fresh", f"export{more}", 1, "no service has run here yet") for more in ("", " add ecs https://a.example/", " forget x-1", " skip x-1")],
    ("fresh", "audit prove", 1, "name the decision"),
    ("fresh", "audit prove d-1", 1, "no service has run here yet"),
    ("fresh", "audit prove d-1 --against missing", 1, "missing cannot be read"),
    ("fresh", "audit prove --verifier -o missing/x", 1, "missing/x cannot be written"),
    ("fresh", "export add ecs https://a.example/ --header missing", 1, "missing cannot be read"),
    ("fresh", "serve --anchor roots", 1, "no service has run here yet"),
    ("fresh", "serve --verify --against missing", 1, "missing cannot be read"),
    ("fresh", "fleet show", 1, "no service has run here yet"),
    ("fresh", "fleet", 2, "the following arguments are required: WHAT"),
    ("fresh", "fleet publish", 1, "name the policy's file"),
    ("fresh", "fleet begin", 1, "name a new folder for people's keys"),
    ("fresh", "fleet begin --keys k --roots 3/2", 1, "--roots is '3/2'; expected M/N"),
    ("fresh", "fleet sign", 1, "name the key of an owner of the policy"),
    ("fresh", "fleet rekey", 1, "name the keys of root"),
    ("fresh", "fleet back x --key k", 1, "name the number of a bundle"),
    ("fresh", "ui now", 2, "unknown word 'now'"),
    ("fresh", "enrol", 2, "that is no token: expected one word that begins with il1_"),
    ("fresh", "enrol il1_nonsense", 2, "that is no token"),
    ("fresh", "enrol --leave", 1, "this machine is not enrolled"),
    ("fresh", "sidecar", 2, "this machine is not enrolled: interlock enrol TOKEN"),
    ("fresh", "sidecar --drain", 2, "this machine is not enrolled"),
    ("fresh", "audit anchor", 1, "name a place outside: --file PATH"),
    ("fresh", "audit prune --older-than x", 1, "expected days, such as 90d"),
    ("fresh", "mcp", 2, "name the server's command behind --"),
    ("fresh", "tools --only x", 2, "known: bash"),
    ("fresh", "completion tcsh", 2, "invalid choice"),
    ("fresh", "resident stop", 0, "no resident guard runs"),
    ("fresh", "resident begin", 2, "invalid choice"),
    ("fresh", "install", 2, "client"),
    ("fresh", "check --tool Write --input [", 2, "--input is no JSON"),
    ("fresh", "agent --turns x", 2, "--turns"),
    ("a model", "agent", 2, "a conversation needs a terminal"),
    ("a model", "agent -p hello --resume zzz", 2, "'zzz' names no conversation"),
    ("a model", "agent -p hello --continue", 2, "there is no conversation of"),
    *[("fresh", f"{command} now", 2, "unknown word 'now'") for command in ("demo", "tour", "version")],
    *[("fresh", f"{command} nonsense", 2, "invalid choice: 'nonsense'") for command in ("doctor", "hook", "servers", "servers wrap", "test-guard",
      "uninstall")],
    ("fresh", "explain fs.delete-systm", 2, "did you mean fs.delete-system?"),
    ("fresh", "explain --tool Write --input [", 2, "--input is no JSON"),
    *[("fresh", command, 2, "expected a command, and there is none on standard input") for command in ("check", "explain")],
    ("fresh", "hook", 2, "the following arguments are required: client"),
    ("fresh", "judge", 2, "the following arguments are required: --jsonl"),
    ("fresh", "pause", 0, "questions are asked as ever"),
    ("fresh", "pause x", 1, "expected a time such as 10m"),
    ("fresh", "pause 2h", 1, "expected at most 1h"),
    ("fresh", "pause 0m", 1, "expected a time such as 10m"),
    ("fresh", "pause --end", 0, "nothing was paused"),
    ("fresh", "suggest", 0, "nothing to suggest yet"),
    ("fresh", "suggest --write 1", 2, "there is no suggestion 1"),
    ("fresh", "suggest --days x", 2, "--days"),
    ("fresh", "statusline --setup", 0, "statusLine"),
    ("fresh", "import", 2, "the following arguments are required: TOOL"),
    ("fresh", "import emacs", 2, "invalid choice: 'emacs'"),
    ("fresh", "import codex", 1, "no file of codex is here (looked for ~/.codex/rules/*.rules"),
    ("fresh", "import codex missing.rules", 1, "missing.rules:1:1: there is no such file"),
    ("fresh", "stats", 0, "No calls in the last 7 days"),
    *[("fresh", f"stats --days {days}", 2, "--days") for days in ("x", "0", "367")],
    ("fresh", "stats --svg --json", 2, "not allowed with argument --svg"),
    ("fresh", "statusline now", 2, "unknown word 'now'"),
    ("fresh", "replay-sessions nowhere.jsonl", 2, "nowhere.jsonl cannot be read: No such file or directory. Name a file with an event a line"),
    ("fresh", "deny", 2, "the following arguments are required: ID"),
    ("fresh", "notify --text", 2, "--text: expected one argument"),
    ("fresh", "servers wrap", 2, "name the client"),
    ("fresh", "test-guard --intent x", 2, "--intent"),
    # missing files
    *[("fresh", f"{command} missing", 2, "there is no folder 'missing'") for command in ("doctor --project", "install claude-code --project",
      "uninstall --project", "servers --project", "test-guard --project", "mcp --folder", "run --root", "code --root", "tools --root")],
    ("fresh", "servers wrap claude-code zzz", 1, "claude-code starts no server 'zzz' here"),
    ("fresh", "explain nosuch.rule", 2, "no rule, decision or program here is called 'nosuch.rule'"),
    ("fresh", "policy show --session nosuch", 0, "no call of a session 'nosuch' is recorded here"),
    ("fresh", "stop --call d-nosuch", 1, "no decision 'd-nosuch' is recorded"),
    ("fresh", "audit verify --file missing", 1, "missing cannot be read"),
    ("fresh", "completion", 2, "name your shell: bash, fish or zsh"),
    ("fresh", "explain d-abcd", 2, "no decision of this store begins so"),
    # nothing there that could be done
    ("fresh", "agent -p hello", 2, "no model is named and no key is there"),
    ("fresh", "notify", 2, "the policy names nobody to tell"),
    ("fresh", "test-guard", 1, "no client's settings name a guard hook"),
    ("fresh", "uninstall cursor", 1, "interlock writes nothing for Cursor"),
    ("fresh", "doctor claude-code", 1, "claude-code does not ask interlock"),
    ("fresh", "policy check missing.yaml", 1, "there is no such file"),
    ("fresh", "policy test missing.yaml", 2, "there is no such file"),
    ("fresh", "trust missing", 1, "there is no such file"),
    ("fresh", "audit export -o missing/x", 1, "missing/x: No such file or directory"),
    ("fresh", "audit verify --export missing", 1, "missing cannot be read"),
    ("fresh", "code missing.py", 2, "missing.py"),
    ("fresh", "run --config missing -- ls", 2, "missing"),
    ("fresh", "undo zzz", 1, "there is no checkpoint zzz"),
    # nobody to ask
    ("fresh", "init --agent claude-code", 1, "Run it again with --yes, or look first with --dry-run"),
    ("fresh", "approvals watch", 1, "interlock cannot tell you from an agent here|an agent may not"),
    *[("fresh", command, 1, "interlock cannot tell you from an agent here|an agent may not") for command in ("deny zzz", "deny --reason no zzz")],
    ("fresh", "approve zzz", 1, "interlock cannot tell you from an agent here|an agent may not"),
    ("fresh", "resume --all", 1, "interlock cannot tell you from an agent here|an agent may not"),
    # a policy that is wrong
    ("broken policy", "policy show", 1, "policy.yaml:3:1"),
    ("broken policy", "policy check", 1, "this file cannot be used"),
    ("broken policy", "status", 1, "policy.yaml:3:1"),
    ("broken policy", "policy test", 2, "policy.yaml:3:1"),
    ("broken policy", "init --yes --agent claude-code --profile strict", 1, "policy.yaml:"),
    # settings of a client that are wrong
    ("broken settings", "doctor claude-code --json", 1, "settings.json:1:2: expected strict JSON"),
    ("broken settings", "init --yes --agent claude-code", 1, "settings.json:1:2: expected strict JSON"),
    ("broken settings", "servers", 1, ".claude.json:1:2: expected strict JSON"),
    ("broken settings", "servers wrap claude-code", 1, ".claude.json:1:2: expected strict JSON"),
    ("broken settings", "uninstall claude-code", 1, "Nothing was changed. Mend the file"),
    ("broken settings", "uninstall", 1, "Nothing was changed. Mend the file"),
    # no home, or one that cannot be used
    *[("no home", command, 1, "HOME is not set") for command in ("log", "status", "limits", "undo", "checkpoints", "approvals list", "grants list",
      "audit verify", "stop", "resume", "pins", "deny zzz")],
    ("no home", "explain d-abcd", 2, "HOME is not set"),
    ("no home", "agent --sessions", 2, "HOME is not set"),
    ("no home", "policy init", 1, "there is no home"),
    ("no home", "init --yes --agent claude-code", 1, "HOME is not set"),
    *[("home is a file", command, 1, "Not a directory|cannot be made|cannot be used") for command in ("log", "status", "undo", "checkpoints",
      "policy init", "install claude-code", "init --yes --agent claude-code", "stop --all --reason x", "deny zzz")],
    ("home is a file", "explain d-abcd", 2, "Not a directory|cannot be made|cannot be used"),
    ("home cannot be written", "install claude-code", 1, "cannot be written"),
    ("home cannot be written", "policy init", 1, "cannot be written"),
    # a store that is damaged is moved aside, and that is said
    ("damaged store", "log", 0, "was damaged and was moved to"),
    ("damaged store", "explain d-abcd", 2, "was damaged and was moved to"),
]  # fmt: skip


@pytest.fixture
def typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> object:
    """Return what runs a command in its surroundings: exit code, and all that was printed."""
    home, work = tmp_path / "home", tmp_path / "home/work"
    work.mkdir(parents=True)
    monkeypatch.chdir(work)
    monkeypatch.setattr("interlock.cli.install.compile_package", lambda: None)

    def go(surroundings: str, words: str) -> tuple[int, str]:
        monkeypatch.setenv("HOME", str(home))
        monkeypatch.setenv("PATH", "/usr/bin:/bin")
        for name in [
            name
            for name in os.environ
            if name.startswith(("INTERLOCK_", "CLAUDE")) or name.endswith(("_API_KEY", "_BASE_URL"))
        ]:
            monkeypatch.delenv(name)
        if surroundings == "broken policy":
            (home / ".config/interlock").mkdir(parents=True)
            (home / ".config/interlock/policy.yaml").write_text(BROKEN_POLICY)
        elif surroundings == "damaged store":
            (home / ".local/state/interlock").mkdir(parents=True, mode=0o700)
            (home / ".local/state/interlock/interlock.db").write_text("nonsense" * 1000)
        elif surroundings == "broken settings":
            (home / ".claude").mkdir()
            (home / ".claude/settings.json").write_text('{nonsense "interlock"')
            (home / ".claude.json").write_text("{nonsense")
        elif surroundings == "a model":
            monkeypatch.setenv("INTERLOCK_BASE_URL", "http://127.0.0.1:9/v1")
            monkeypatch.setenv("INTERLOCK_MODEL", "made-up")
        elif surroundings == "no home":
            monkeypatch.delenv("HOME")
            # never the home of who runs tests
            monkeypatch.setattr(
                "os.path.expanduser", lambda path: str(path).replace("~", str(home), 1)
            )
        elif surroundings == "home is a file":
            (tmp_path / "file").write_text("")
            monkeypatch.setenv("HOME", str(tmp_path / "file"))
        elif surroundings == "home cannot be written":
            monkeypatch.setenv("HOME", "/proc/self")  # for root too
        with open(os.devnull, encoding="utf-8") as nothing:
            monkeypatch.setattr(sys, "stdin", nothing)
            try:
                code = main(words.split())
            except SystemExit as ended:
                code = int(ended.code or 0)
        said = capsys.readouterr()
        return code, said.out + said.err

    return go


@pytest.mark.parametrize(
    ("surroundings", "words", "code", "sentence"),
    ROWS,
    ids=[f"{where}: {words}" for where, words, _, _ in ROWS],
)
def test_what_went_wrong_is_one_sentence(
    typed: object, surroundings: str, words: str, code: int, sentence: str
) -> None:
    """It says what, where and what to do; the exit code is no verdict and no defect of ours."""
    assert callable(typed)
    found, said = typed(surroundings, words)
    assert found == code, said
    assert any(part in said for part in sentence.split("|")), said
    assert "Traceback" not in said
    assert "defect of ours" not in said
    assert "[Errno" not in said


# -- as processes ----------------------------------------------------------------------------------


def process(tmp_path: Path, *words: str, **how: int) -> subprocess.Popen[str]:
    """Start a command in a home of its own."""
    environment = {
        "HOME": str(tmp_path),
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": str(SOURCE),
        "LANG": "C.UTF-8",
    }
    ends = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, **how}
    return subprocess.Popen(  # type: ignore[call-overload, no-any-return]
        [sys.executable, "-m", "interlock", *words],
        env=environment,
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        **ends,
    )


@pytest.mark.parametrize(
    "words", ["--help", "rules", "tour", "policy schema", "completion bash", "log --help", "status"]
)
def test_a_reader_that_has_gone_is_no_error(tmp_path: Path, words: str) -> None:
    """``interlock COMMAND | head``: nothing is complained about."""
    reading, writing = os.pipe()
    os.close(reading)
    with process(tmp_path, *words.split(), stdout=writing, stdin=subprocess.DEVNULL) as found:
        os.close(writing)
        _, error = found.communicate(timeout=120)
    assert (found.returncode, error) == (0, "")


def test_ctrl_c_ends_quietly(tmp_path: Path) -> None:
    """130, and no traceback, while standard input is waited for."""
    with process(tmp_path, "judge", "--jsonl") as found:
        assert found.stdin is not None
        assert found.stdout is not None
        found.stdin.write('{"tool": "Bash", "input": {"command": "ls"}}\n')
        found.stdin.flush()
        found.stdout.readline()  # it is at work
        found.send_signal(signal.SIGINT)
        found.wait(120)
        assert found.stderr is not None
        assert (found.returncode, found.stderr.read()) == (130, "")


def test_a_full_disk_is_said(tmp_path: Path) -> None:
    """What cannot be printed is an error with a name, and not a success."""
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        found = process(tmp_path, "rules", stdout=full.fileno(), stdin=subprocess.DEVNULL)
        _, error = found.communicate(timeout=120)
    assert (found.returncode, error) == (1, "interlock rules: No space left on device\n")


def test_every_command_has_its_rows() -> None:
    """A new command is thought about here: it has a row."""
    assert set(COMMANDS) <= {words.split()[0] for _, words, _, _ in ROWS if words}
