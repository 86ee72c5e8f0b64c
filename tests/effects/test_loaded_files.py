"""A file of code that a program loads by its path is judged by where it lies, in every language;
and what a search in a program finds is a word of the commands that it starts.
"""

from __future__ import annotations

import pytest

from interlock.model.action import ASK
from tests.judging import judged

LOADS = {
    "python run_path": "python3 -c \"import runpy; runpy.run_path('{0}.py')\"",
    "python spec": (
        "python3 -c \"import importlib.util as u; s=u.spec_from_file_location('m','{0}.py');"
        ' m=u.module_from_spec(s); s.loader.exec_module(m)"'
    ),
    "python loader": (
        "python3 -c \"from importlib.machinery import SourceFileLoader as S; S('m','{0}.py').load_module()\""
    ),
    "python exec": "python3 -c \"exec(open('{0}.py').read())\"",
    "node require": "node -e \"require('{0}.js')\"",
    "node import": "node -e \"import('{0}.mjs')\"",
    "deno import": "deno eval 'import(\"{0}.ts\")'",
    "ruby load": "ruby -e 'load \"{0}.rb\"'",
    "ruby require": "ruby -e 'require \"{0}\"'",
    "perl do": "perl -e 'do \"{0}.pl\"'",
    "perl do value": "perl -e 'my $x = do \"{0}.pl\";'",
    "perl require": "perl -e 'require \"{0}.pl\"'",
    "php include": "php -r 'include \"{0}.php\";'",
    "php require_once": "php -r 'require_once \"{0}.php\";'",
    "lua": "lua -e 'dofile(\"{0}.lua\")'",
    "R": "Rscript -e 'source(\"{0}.R\")'",
    "vim": "vim -c 'source {0}.vim' -c q",
    "gdb": "gdb -batch -ex 'source {0}'",
}


@pytest.mark.parametrize("form", LOADS)
def test_a_file_that_is_loaded_is_judged_by_where_it_lies(form: str) -> None:
    """Nobody has seen one of a folder for temporary files; the project's own runs."""
    assert judged(LOADS[form].format("/tmp/x")).action >= ASK
    assert judged(LOADS[form].format("./src/x")).action < ASK


DATA = ("node -e \"console.log(require('/tmp/x.json'))\"", "ruby -e 'require \"json\"; puts 1'")


@pytest.mark.parametrize("command", DATA)
def test_what_is_no_code_or_is_installed_is_not_asked_about(command: str) -> None:
    """Data that is parsed, a package by its name."""
    assert judged(command).action < ASK


FOUND = {
    "ruby each": 'ruby -e \'Dir["{0}/*"].each {{ |d| system("rm","-rf",d) }}\'',
    "ruby block": 'ruby -e \'Dir.glob("{0}/*") {{ |d| system("rm","-rf",d) }}\'',
    "perl": 'perl -e \'for (glob("{0}/*")) {{ system("rm","-rf",$_) }}\'',
    "php": 'php -r \'foreach (glob("{0}/*") as $f) system("rm -rf $f");\'',
    "python": "python3 -c \"import glob,subprocess; [subprocess.run(['rm','-rf',d]) for d in glob.glob('{0}/*')]\"",
}


@pytest.mark.parametrize("form", FOUND)
def test_what_a_search_finds_is_a_word_of_the_command(form: str) -> None:
    """Of the person's own folders it is asked about; what is built again may go."""
    assert judged(FOUND[form].format("/home/user/work")).action >= ASK
    assert judged(FOUND[form].format("build")).action < ASK


BUILDS = (
    # a file of Gradle's, what it does, with what it harms, and with what it does not
    ("build.gradle", "task x {{ doLast {{ delete {} }} }}", '"/home/user/work"', "rootProject.buildDir"),
    ("build.gradle", "task x(type: Delete) {{ delete {} }}", "'/home/user/work'", "layout.buildDirectory"),
    ("build.gradle", "clean.doFirst {{ delete {} }}", 'file("/home/user/work")', 'fileTree("build")'),
    ("build.gradle", "task x(type: Exec) {{ commandLine 'rm', '-rf', {} }}", "'/home/user/work'", "'build'"),
    ("build.gradle", "{}.execute()", "'rm -rf /home/user/work'", "'ls src'"),
    ("build.gradle.kts", "tasks.clean {{ delete({}) }}", 'file("/home/user/work")', "rootProject.buildDir"),
    (
        "build.gradle.kts", 'tasks.register<Exec>("x") {{ commandLine("rm", "-rf", {}) }}',
        '"/home/user/work"', '"build"',
    ),
)  # fmt: skip


@pytest.mark.parametrize(("name", "build", "bad", "good"), BUILDS)
def test_a_build_that_the_call_writes_is_read_as_code(
    name: str, build: str, bad: str, good: str
) -> None:
    """As a Makefile is."""
    text = f"cat > {name} <<'END'\n{build}\nEND\n./gradlew x"
    assert judged(text.format(bad)).action >= ASK
    assert judged(text.format(good)).action < ASK


def test_delete_of_another_language_is_no_function() -> None:
    """JavaScript's ``delete`` takes a member away."""
    assert judged("node -e 'const a={b:1}; delete a.b; console.log(a)'").action < ASK


RIGHTS = 'python3 -c "from app.models import User; User.objects.filter(id=1).update({}=True)"'


@pytest.mark.parametrize(
    ("column", "asked"), [("is_superuser", True), ("is_staff", True), ("is_read", False)]
)
def test_who_may_do_everything_is_asked_about(column: str, *, asked: bool) -> None:
    """A column of rights that is set."""
    assert (judged(RIGHTS.format(column)).action >= ASK) is asked


APPLICATIONS = (
    ('Application("System Events").shutDown()', True),
    ('Application("Terminal").doScript("rm -rf ~/work")', True),
    ('Application("Terminal").doScript("ls")', False),
    ('Application("Finder").name()', False),
)


@pytest.mark.parametrize(("code", "asked"), APPLICATIONS)
def test_applications_are_driven_from_javascript_too(code: str, *, asked: bool) -> None:
    """As from AppleScript."""
    assert (judged(f"osascript -l JavaScript -e '{code}'").action >= ASK) is asked


STARTED = {
    # code that a runner is given in another way: what harms, and its twin
    "clojure -M -e '(clojure.java.shell/sh \"rm\" \"-rf\" \"{}\")'": ("/home/user/work", "build"),
    "clojure -M -e '(require (quote [clojure.java.shell :as s])) (s/sh \"rm\" \"-rf\" \"{}\")'": (
        "/home/user/work", "build",
    ),
    "guile -c '(system* \"rm\" \"-rf\" \"{}\")'": ("/home/user/work", "build"),
    "maxima --batch-string='system(\"rm -rf {}\");'": ("/home/user/work", "build"),
    "bun run - <<'B'\nrequire('fs').rmSync('{}', {{recursive:true}})\nB": ("/home/user/work", "build"),
    "pwsh -c 'gc hosts.txt | % {{ Invoke-Command $_ {{ {} }} }}'": ("Restart-Computer -Force", "Get-Date"),
    "pwsh -c 'Invoke-Command {{ {} }}'": ("Restart-Computer -Force", "Get-Date"),
    "Rscript -e \"cat('x', file='{}')\"": ("/home/user/.bashrc", "out.txt"),
}  # fmt: skip


@pytest.mark.parametrize("form", STARTED)
def test_code_is_read_however_a_runner_is_given_it(form: str) -> None:
    """By an option behind another, by a name of its library, on standard input, in its place."""
    bad, good = STARTED[form]
    assert judged(form.format(bad)).action >= ASK
    assert judged(form.format(good)).action < ASK
