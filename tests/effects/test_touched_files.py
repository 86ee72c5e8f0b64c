"""A file that a call touched before it runs it is judged at least as one that it did not touch:
what is forgotten is never silent.
"""

from __future__ import annotations

import pytest

from interlock.facts import Recorded
from interlock.model.action import VERDICT_ALLOW, VERDICT_ASK
from tests.judging import ROOT, decided, shell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.model.decision import Decision

LOSS = "rm -rf ~/Documents"
TEXTS = {
    "s.sh": f"#!/bin/bash\n{LOSS}\n",
    "ok.sh": "#!/bin/bash\necho hi\n",
    "s.py": "#!/usr/bin/env python3\nimport os, shutil\nshutil.rmtree(os.path.expanduser('~/Documents'))\n",
    "ok.py": "#!/usr/bin/env python3\nprint('hi')\n",
    "Makefile": "all:\n\techo hi\n",
    "package.json": '{"name": "shop", "scripts": {"test": "jest"}}',
}


def judged(command: str) -> Decision:
    """Return the decision on a command where those files lie in the workspace."""
    return decided(
        shell(command),
        facts=Recorded(
            "/home/user", texts={f"{ROOT}/{name}": text for name, text in TEXTS.items()}
        ),
    )


RUNS = {
    "sh": ("bash {}", "./{}", ". ./{}", "bash < {}", "cat {} | bash", "source {}"),
    "py": ("python3 {}", "./{}"),
}
LEFT = [
    "chmod +x {}", "chmod 755 {}", "touch {}", "chown me {}", "setfacl -m u:me:x {}", "python3 -c \"import os; os.chmod('{}', 0o755)\"",
    "chmod +x {}; touch {}", "git add {}", "ls -l {}",
]  # fmt: skip
"""What leaves a file's text as it is."""
MOVED = [
    "mv {} new.{ext}",
    "cp {} new.{ext}",
    "install -m 755 {} new.{ext}",
    "cat {} > new.{ext}",
    "cp {} a; mv a new.{ext}",
    "dd if={} of=new.{ext}",
    "git mv {} new.{ext}",
    "ln {} new.{ext}",
]
"""What puts the text into another file; the first one may be gone then."""
EDITED = [
    "sed -i s/a/b/ {}",
    "dos2unix {}",
    "black {}",
    "shfmt -w {}",
    "ruff check --fix {}",
    "perl -pi -e s/a/b/ {}",
    "echo '# end' >> {}",
]
"""What changes a text in a way that may leave what it does."""


@pytest.mark.parametrize(
    "runs",
    [(language, run) for language, forms in RUNS.items() for run in forms],
    ids=lambda one: one[1],
)
@pytest.mark.parametrize("touch", [*LEFT, *MOVED, *EDITED])
def test_touching_a_file_hides_nothing(runs: tuple[str, str], touch: str) -> None:
    """Asked about, however it was touched and is started; the same with a harmless file is not."""
    language, run = runs
    for name, least in ((f"s.{language}", True), (f"ok.{language}", False)):
        started = f"new.{language}" if touch in MOVED else name
        decision = judged(
            f"{touch.replace('{ext}', language).replace('{}', name)} && {run.format(started)}"
        )
        assert (decision.verdict >= VERDICT_ASK) is least, (
            f"{touch} && {run}: {[finding.rule for finding in decision.findings]}"
        )


@pytest.mark.parametrize(
    ("change", "run"),
    [
        (f"echo '{LOSS}' >> ok.sh", "./ok.sh"),
        (f"echo '{LOSS}' >> ok.sh", "bash ok.sh"),
        (f"echo '{LOSS}' | tee -a ok.sh", "bash ok.sh"),
        (f"cat >> ok.sh <<X\n{LOSS}\nX\n", "chmod +x ok.sh && ./ok.sh"),
        (f"printf 'x:\\n\\t{LOSS}\\n' >> Makefile", "make x"),
        (f"cp ok.sh a.sh; echo '{LOSS}' >> a.sh", "bash a.sh"),
    ],
)
def test_what_is_appended_is_read_behind_what_was_there(change: str, run: str) -> None:
    """Both count; with a harmless line it is no question."""
    assert judged(f"{change}\n{run}").verdict >= VERDICT_ASK
    assert judged(f"{change.replace(LOSS, 'echo more')}\n{run}").verdict == VERDICT_ALLOW


def test_a_text_that_nobody_knows_any_more_is_said() -> None:
    """A file that an editor changed is one whose text is not known; a file that only got another
    mode is not.
    """
    assert "exec.unread-file" in {
        finding.rule for finding in judged("perl -pi -e s/a/b/ ok.sh; bash ok.sh").findings
    }
    assert not judged("chmod +x ok.sh; ./ok.sh").findings


PUT_IN = [
    (f"sed -i 's|echo hi|{LOSS}|' ok.sh", "./ok.sh"),
    (f"sed -i 's/echo [a-z]*/{LOSS.replace('/', chr(92) + '/')}/' ok.sh", "bash ok.sh"),
    (f"sed -i '$a {LOSS}' ok.sh", "bash ok.sh"),
    (f"sed -i '2i {LOSS}' ok.sh", ". ./ok.sh"),
    (f"sed -i -e 's/a/b/' -e '/hi/c\\{LOSS}' ok.sh", "bash ok.sh"),
    (f"sed -i 's|echo hi|{LOSS}|' Makefile", "make"),
    (f"sed -i '/hi/a\\\t{LOSS}' Makefile", "make"),
    (f"ed -s ok.sh <<X\na\n{LOSS}\n.\nw\nX", "bash ok.sh"),
    (f"printf '{LOSS}' > part; cat ok.sh part > both.sh", "bash both.sh"),
    ("cat ok.sh s.sh > both.sh", "bash both.sh"),
    *[
        (f"npm pkg set scripts.go='{LOSS}'", run)
        for run in ("npm run go", "yarn go", "pnpm run go", "bun run go")
    ],
    (f"pnpm pkg set 'scripts.pretest={LOSS}'", "pnpm test"),
    (f"bun pm pkg set 'scripts[go]={LOSS}'", "bun run go"),
    (f"npm pkg set 'scripts.go=\"{LOSS}\"' --json", "npm run go"),
    (f"npm pkg set scripts.prepare='{LOSS}'", "npm install"),
    (f"jq '.scripts.go = \"{LOSS}\"' package.json > t; mv t package.json", "npm run go"),
    (
        f"jq --arg c '{LOSS}' '.version = \"1.2\" | .scripts[\"go\"] = $c' package.json > t; mv t package.json",
        "npm run go",
    ),
    (f"cat package.json | jq '.scripts.test = \"{LOSS}\"' | sponge package.json", "npm test"),
    ("mv s.py conftest.py", "pytest -q"),
    ("cp s.py setup.py", "pip install -e ."),
]


@pytest.mark.parametrize(("change", "run"), PUT_IN)
def test_what_an_edit_puts_in_is_read(change: str, run: str) -> None:
    """By a script of an editor, by other files behind it, by its name; harmless text is none."""
    assert judged(f"{change}\n{run}").verdict >= VERDICT_ASK
    twin = change.replace(LOSS, "echo more").replace(LOSS.replace("/", "\\/"), "echo more")
    twin = twin.replace("s.sh", "ok.sh").replace(" s.py", " ok.py")
    assert judged(f"{twin}\n{run}").verdict == VERDICT_ALLOW


def test_sed_works_line_by_line() -> None:
    """The first match of each line is replaced, and where it has no such line nothing is."""
    assert (
        judged("printf 'echo x\\nrm -rf x\\n' | sed 's/x/~\\/Documents/' | sh").verdict
        >= VERDICT_ASK
    )
    assert judged("printf 'echo x\\necho x\\n' | sed 's/x/y/' | sh").verdict == VERDICT_ALLOW


@pytest.mark.parametrize(
    "change",
    [
        f"npm pkg set scripts.go='{LOSS}' && npm pkg delete scripts.go",
        f"npm pkg set scripts.go='{LOSS}' scripts.go=jest",
        f"jq '.scripts.other = \"{LOSS}\"' package.json > t; mv t package.json",
        "jq '.scripts | keys' package.json > t",
        "jq '.scripts.go == 1' package.json > t; jq '.a[0] = \"\\(.b)\"' package.json > u",
    ],
)
def test_a_field_is_read_only_where_it_is_run(change: str) -> None:
    """Another script, one that is gone again, a filter that sets nothing."""
    assert judged(f"{change}; npm run go").verdict == VERDICT_ALLOW


FILTERED = [
    "head -n 9 {}", "tail -n +1 {}", "tac {} | tac", "cat {} | tac", "cut -c1- {}", "tr Q Z < {}", "tr -d '\\r' < {}",
    "cat {} | tr a-z a-z", "head -n 9 {} | tail -n 9", "rev {} | rev", "fold -w 200 {}", "uniq {}", "sort -r {}",
    "sed -n '1,9p' {}", "sed -n '1,$p' {}", "sed 's/Q/Z/g' {}", "sed 99d {}", "awk '{{print}}' {}", "awk '{{print $0}}' {}", "grep -v QQQ {}",
    "grep -hv -e QQQ {}", "cat {} | sed s/Q/Z/", "cat {} | grep -v QQQ",
]  # fmt: skip


MAKING = (
    "jq -r .x", "yq -r .x", "column -t", "nl", "fmt", "sed 's/a.*/b/'", "awk '/x/{print $2}'", "grep -o 'x.*'",
    "xmllint --xpath //x", "csvcut -c 1", "pandoc -t plain", "expand", "strings", "iconv -t utf-8",
)  # fmt: skip
"""What makes something of a file that nobody works out here."""


@pytest.mark.parametrize("program", MAKING)
def test_what_is_made_of_a_file_is_not_that_file(program: str) -> None:
    """Run as code it is asked about, straight or by a file of it; looked at or kept it is not."""
    for run in ("| sh", "> new.sh; sh new.sh", "| cat | bash", "> a; cp a b; . ./b"):
        assert judged(f"{program} ok.sh {run}").verdict >= VERDICT_ASK, run
    for kept in ("", "> new.sh; cat new.sh", "| sort | head"):
        assert judged(f"{program} ok.sh {kept}").verdict == VERDICT_ALLOW, kept
    assert judged(f'eval "$({program} ok.sh)"').verdict >= VERDICT_ASK


@pytest.mark.parametrize(
    "started", ["| sh", "> new.sh; sh new.sh", "> new.sh; ./new.sh", "> a; mv a b; . ./b"]
)
@pytest.mark.parametrize("change", FILTERED)
def test_what_a_filter_makes_of_a_file_is_read_where_it_runs(change: str, started: str) -> None:
    """As the file itself is; of a file that nobody can read it is asked about."""
    for name, asked in (("s.sh", True), ("ok.sh", False), ("missing.sh", True)):
        decision = judged(f"{change.format(name)} {started}")
        assert (decision.verdict >= VERDICT_ASK) is asked, (name, decision.findings)
    assert not judged(f"{change.format('missing.sh')} > new.sh; cat new.sh").findings
    assert not judged(f"{change.format('missing.sh')} | grep x").findings
