"""Programs such as agents write run unchanged under a fitting policy: nothing is refused, and they
find out what they are to find out.
"""

from __future__ import annotations

import json
import os

import pytest

from interlock.codemode.golang import run as go
from interlock.codemode.golang.toolchain import NoGoError, find
from interlock.codemode.permissions import RunPermissions
from interlock.sandbox.bounds import BUBBLEWRAP
from interlock.sandbox.probe import Kernel, kernel
from tests.e2e.go_scenes import place
from tests.e2e.go_tasks import Program, everyday, tasks
from tests.lasting import lasting

pytestmark = [pytest.mark.e2e, pytest.mark.long]


@pytest.mark.parametrize("program", [*everyday(), *tasks()], ids=lambda program: program.name)
def test_programs(program: Program) -> None:
    """A program runs to its end, prints or returns what it is to, and is refused nothing."""
    home = str(lasting("go"))
    try:
        find(os.environ.get("PATH", ""), os.path.join(home, "state"))
    except NoGoError as missing:
        pytest.skip(str(missing))
    result = go.run(
        program.text, place(home).scene(RunPermissions(allow_commands=program.commands))
    )
    assert (result.status, result.refused) == ("ran", ()), result
    said = json.loads(result.content)[0]["text"] if result.content else result.stdout
    assert said.strip() == program.prints if program.prints else said.strip(), result


def test_how_many() -> None:
    """There are enough of them, and over enough tasks."""
    assert (len(everyday()) + len(tasks()), len(everyday()) + len(tasks()) // 3) == (160, 80)


SERVER = """package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
)

func main() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "served ", r.URL.Path) }))
	defer server.Close()
	answer, err := http.Get(server.URL + "/x")
	if err != nil {
		panic(err)
	}
	text, _ := io.ReadAll(answer.Body)
	fmt.Println(string(text))
	_, err = net.Dial("tcp", "127.0.0.1:1")
	fmt.Println(err)
	_, err = net.Listen("tcp", "0.0.0.0:0")
	fmt.Println(err)
}
"""


def test_a_program_that_imports_nothing() -> None:
    """The program by which the library is made beforehand reaches nothing, and shows all the same
    that its guard works.
    """
    ran = go.run(
        "package main; func main() {}\n", place(str(lasting("go"))).scene(RunPermissions())
    )
    assert (ran.status, ran.refused) == ("ran", ())


@pytest.mark.parametrize("hosts", [(), ("example.com",)])
@pytest.mark.parametrize("walls", ["guard only", "walled"])
def test_a_server_of_its_own(
    hosts: tuple[str, ...], walls: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that may wait on this machine serves itself there; another port of the machine, and
    waiting for others, stay refused.
    """
    home = str(lasting("go"))
    if walls == "guard only":
        monkeypatch.setattr("interlock.codemode.running.kernel", lambda _: Kernel())
    elif kernel(os.path.join(home, "state")).best != BUBBLEWRAP:
        pytest.skip("bubblewrap does not work here")
    here = place(home)
    served = go.run(SERVER, here.scene(RunPermissions(loopback=True, allow_hosts=hosts)))
    first, second, third = served.stdout.splitlines()
    assert first == "served /x"
    assert "is refused" in second
    assert "(rule code.reach-" in second
    assert "(rule code.listen, layer guard)" in third
    denied = go.run(SERVER, here.scene(RunPermissions(allow_hosts=hosts)))
    assert (denied.status, {one.rule for one in denied.refused}) == ("failed", {"code.listen"})
