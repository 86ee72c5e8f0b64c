"""Files that a tool runs because of their names (tests, specifications, builds, compositions) are
read where this call wrote them, and a variable before a command is a word of it.
"""

from __future__ import annotations

import pytest

from interlock.model.action import ASK
from tests.judging import decided, judged, shell

LOST = "/home/user/work"
WRITTEN = (
    # the file, its text with what goes, what runs it
    ("x.test.js", "test('x', () => require('fs').rmSync('{}', {{recursive:true}}))", "npx jest"),
    ("src/a.spec.ts", "it('x', () => require('fs').rmSync('{}', {{recursive:true}}))", "npx vitest run"),
    ("test/a.spec.js", "it('x', () => require('child_process').execSync('rm -rf {}'))", "npx mocha"),
    ("e2e/a.cy.js", "require('fs').rmSync('{}', {{recursive:true}})", "npx cypress run"),
    ("spec/x_spec.rb", "describe('x') {{ it('y') {{ FileUtils.rm_rf('{}') }} }}", "bundle exec rspec"),
    ("XTest.php", "<?php function testX() {{ exec('rm -rf {}'); }}", "vendor/bin/phpunit XTest.php"),
    ("tests/test_x.py", "import shutil\nshutil.rmtree('{}')", "pytest -q"),
    ("test_x.py", "import shutil\nshutil.rmtree('{}')", "python -m pytest"),
    ("locustfile.py", "import shutil\nshutil.rmtree('{}')", "locust --headless -u 1"),
    ("Vagrantfile", "system('rm -rf {}')", "vagrant status"),
    ("x.kts", 'java.io.File("{}").deleteRecursively()', "kotlinc -script x.kts"),
    ("features/steps/x.py", "import shutil\nshutil.rmtree('{}')", "behave"),
    ("dags/x.py", "import shutil\nshutil.rmtree('{}')", "airflow dags test x"),
    ("spec/x_spec.lua", "os.execute('rm -rf {}')", "busted"),
    ("deno.json", '{{"tasks": {{"x": "rm -rf {}"}}}}', "deno task x"),
    ("deno.jsonc", '{{"tasks": {{"x": {{"command": "rm -rf {}"}}}}}}', "deno task x"),
    ("x.robot", "*** Test Cases ***\nX\n    Remove Directory    {}    recursive=True", "robot x.robot"),
    ("x.robot", "*** Test Cases ***\nX\n    ${{r}}=    Run    rm -rf {}", "robot -d build x.robot"),
    ("x.robot", "*** Test Cases ***\nX\n    Run Process    rm    -rf    {}", "python -m robot x.robot"),
    ("x.mjs", "await $`rm -rf {}`", "npx zx x.mjs"),
    ("x.mjs", "import {{$}} from 'execa'; await $`rm -rf {}`", "node x.mjs"),
    ("x.ts", "import {{$}} from 'bun'; await $`rm -rf {}`", "bun x.ts"),
    ("x.vim", "call delete('{}', 'rf')", "vim -es -S x.vim -c q"),
)  # fmt: skip


@pytest.mark.parametrize(("name", "text", "runs"), WRITTEN)
def test_what_a_tool_finds_by_its_name_is_read(name: str, text: str, runs: str) -> None:
    """Of the person's own folders it is asked about; what is built again may go."""
    written = f"cat > {name} <<'END'\n{text}\nEND\n{runs}"
    assert judged(written.format(LOST)).action >= ASK
    assert judged(written.format("build")).action < ASK


def test_a_script_of_a_language_that_is_only_searched_is_run_too() -> None:
    """D's, by its own runner."""
    written = "cat > x.d <<'END'\nimport std; void main() {{ {}; }}\nEND\nrdmd x.d"
    assert judged(written.format(f'rmdirRecurse("{LOST}")')).action >= ASK
    assert judged(written.format("writeln(1)")).action < ASK


COMPOSED = (
    ("    privileged: true", "    privileged: false"),
    ('    volumes: ["/:/host"]', '    volumes: ["./data:/data"]'),
    (
        "    volumes:\n      - /var/run/docker.sock:/var/run/docker.sock",
        "    volumes:\n      - db:/var/lib",
    ),
    ("    volumes:\n      - ~/.ssh:/root/.ssh:ro", "    volumes:\n      - ./src:/src:ro"),
    ("    pid: host", "    restart: always"),
)


@pytest.mark.parametrize(("lends", "does_not"), COMPOSED)
@pytest.mark.parametrize("up", ["docker compose up", "docker-compose -f c.yml up -d"])
def test_what_a_composition_lends_is_read(lends: str, does_not: str, up: str) -> None:
    """As the options of ``docker run`` are; one that was there before is the person's."""
    name = "c.yml" if "-f" in up else "compose.yaml"
    text = f"cat > {name} <<'END'\nservices:\n  x:\n    image: alpine\n{{}}\nEND\n{up}"
    assert judged(text.format(lends)).action >= ASK
    assert judged(text.format(does_not)).action < ASK
    assert judged(up).action < ASK


def test_a_variable_that_says_what_is_done_is_a_word_of_the_command() -> None:
    """Into production it is asked about; else it is the project's to know, and not proven."""
    assert judged("OP=delete TARGET=prod make run").action >= ASK
    assert judged("ACTION=destroy ENV=prod ./infra.sh").action >= ASK
    for text in ("ACTION=destroy make run", "DRY_RUN=0 ./scripts/x.sh", "MODE=purge node x.js"):
        assert judged(text).action < ASK
        assert not decided(shell(text)).proof
    assert judged("DEBUG=1 make run").action < ASK


VERBS = ("discard", "dismantle", "scrap", "evacuate", "retire", "dispose", "unprovision")


@pytest.mark.parametrize("verb", VERBS)
def test_what_is_given_up_without_a_question_is_asked_about(verb: str) -> None:
    """``--yes``; looking at it is not."""
    assert judged(f"acmectl pool7 {verb} --yes").action >= ASK
    assert judged(f"acmectl pool7 list {verb}").action < ASK


ASKED = (
    "acmectl view users drop", "acmectl rules drop-all", "acmectl mfa disable alice",
    "acmectl trail stop", "acmectl jobs kill --user all", "acmectl allow 0.0.0.0/0",
    "acmectl reindex --drop-existing", "acmectl refunds issue --all --yes", "acmectl order buy BTC 10",
)  # fmt: skip
PERMITTED = (
    "acmectl view users", "acmectl rules list", "acmectl mfa status alice", "acmectl trail show",
    "acmectl jobs list --user all", "acmecalc 0.0.0.0/0", "acmectl reindex --keep-existing",
    "acmectl clean all", "acmectl order list",
)  # fmt: skip


@pytest.mark.parametrize("command", ASKED)
def test_what_guards_and_what_is_paid_is_not_changed_on_the_side(command: str) -> None:
    """By a program that nobody described."""
    assert judged(command).action >= ASK


@pytest.mark.parametrize("command", PERMITTED)
def test_looking_at_it_is_permitted(command: str) -> None:
    """The same groups, and words that look."""
    assert judged(command).action < ASK
