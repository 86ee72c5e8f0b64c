"""Operating a service: does it live, is it ready, what it counts, what it says, how it is started."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from interlock.cli.main import parser
from interlock.service.people.signin import link
from interlock.service.roles import READER
from interlock.service.store.protocol import ServiceStoreError
from tests.calling import Calling, bash
from tests.certificates import certificate
from tests.serving import Served, filled, served, shipped_all

TOP = Path(__file__).resolve().parents[2]
CONTAINER, UNIT = (
    TOP / "packaging/container/Containerfile",
    TOP / "packaging/systemd/interlock-serve.service",
)


def counts(service: Served, headers: dict[str, str]) -> dict[str, float]:
    """Return what is counted, by names with their labels."""
    answer = service.ask("GET", "/metrics", headers)
    assert answer.status == 200, answer.text
    assert answer.headers["content-type"].startswith("text/plain")
    found: dict[str, float] = {}
    for family in text_string_to_metric_families(answer.text):
        for one in family.samples:
            labels = ",".join(f"{name}={value}" for name, value in sorted(one.labels.items()))
            found[f"{one.name}{{{labels}}}"] = one.value
    return found


def test_it_counts_what_it_does(tmp_path: Path) -> None:
    """Answers by route and status, decisions by verdict, events, and how things stand; for a
    reader's token and a person, and for nobody else.
    """
    from interlock.sidecar.ship import Shipper

    with served(tmp_path / "service") as service:
        reader, caller = Calling(service, "prometheus", READER), Calling(service)
        before = counts(service, reader.headers)
        for command in ("ls", "ls", "rm -rf /", "git push --force origin main"):
            caller.decide(command)
        caller.post("/v1/decide", "nonsense")
        store = filled(tmp_path / "home", 3)
        with_machine = service.enrolled(store)
        shipper = Shipper(store, with_machine)
        shipped_all(shipper)
        shipper.close()
        found = counts(service, reader.headers)
        assert found["interlock_requests_total{method=POST,route=/v1/decide,status=200}"] == 4
        assert found["interlock_requests_total{method=POST,route=/v1/decide,status=400}"] == 1
        assert found["interlock_request_seconds_count{route=/v1/decide}"] == 5
        assert [
            found[f"interlock_decisions_total{{verdict={one}}}"] for one in ("allow", "ask", "deny")
        ] == [2, 1, 1]
        assert found["interlock_events_total{}"] > before["interlock_events_total{}"]
        assert found["interlock_group_size_sum{}"] == 4
        states = ("machines", "callers", "requests_waiting", "stops_standing", "streams")
        assert [found[f"interlock_{one}{{}}"] for one in states] == [1, 1, 1, 0, 0]
        assert counts(service, service.person("eva", READER))
        for headers, status in (({}, 401), (caller.headers, 403)):
            assert service.ask("GET", "/metrics", headers).status == status


def test_it_lives_without_its_database_and_is_not_ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever watches it need not restart it for what a restart does not mend."""
    with served(tmp_path / "service") as service:
        assert service.ask("GET", "/readyz").json == {"status": "ready"}
        keeping = service.scene.keeping
        for how in ("read", "write"):
            plainly = getattr(keeping, how)

            def held(work: object) -> None:
                del work
                raise ServiceStoreError("held by somebody")

            monkeypatch.setattr(keeping, how, held)
            assert service.ask("GET", "/healthz").json == {"status": "alive"}
            assert service.ask("GET", "/readyz").status == 503
            monkeypatch.setattr(keeping, how, plainly)
        reader = Calling(service, "prometheus", READER)
        assert counts(service, reader.headers)["interlock_failures_total{}"] >= 2


def test_lines_of_json_say_what_was_answered_and_no_secrets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By route, status, time and who: no token, no link that signs in, no call, no query."""
    with served(tmp_path / "service", log="json") as service:
        caller = Calling(service)
        caller.decide("echo my-private-words")
        secret = service.scene.keeping.write(link)
        service.ask("GET", f"/signin/{secret}")
        service.ask("GET", "/search?q=looked-for", service.person("eva", READER))
        service.ask("GET", "/v1/inbox", {"Authorization": "Bearer wrong-token"})
        plainly = service.scene.keeping.read

        def held(work: object) -> None:
            del work
            raise ServiceStoreError("held by somebody")

        monkeypatch.setattr(service.scene.keeping, "read", held)
        service.ask("GET", "/readyz")
        monkeypatch.setattr(service.scene.keeping, "read", plainly)
    said = capsys.readouterr().err
    lines = [json.loads(line) for line in said.splitlines()]
    answers = {one["route"]: one for one in lines if one["event"] == "answer"}
    assert answers["/v1/decide"]["who"] == caller.id
    assert answers["/search"]["who"] == "eva"
    assert answers["/v1/inbox"]["status"] == 401
    assert answers["/signin/{link}"]["status"] == 303
    assert answers["/readyz"]["level"] == "error"
    assert "held by somebody" in next(one["said"] for one in lines if one["event"] == "failure")
    for word in (caller.token, secret, "my-private-words", "looked-for", "wrong-token"):
        assert word not in said


def test_it_says_nothing_of_answers_as_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As it always was."""
    with served(tmp_path / "service") as service:
        Calling(service).decide("ls")
    assert capsys.readouterr().err == ""


def start(home: Path, *options: str) -> subprocess.Popen[str]:
    """Start a service of a home as a process."""
    environment = {**os.environ, "HOME": str(home), "PYTHONPATH": str(TOP / "src")}
    command = [sys.executable, "-m", "interlock", "serve", *options]
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def ask_ready(home: Path) -> tuple[int, str]:
    """Return what ``--ready`` answers, and says."""
    process = start(home, "--ready")
    said, wrong = process.communicate(timeout=60)
    return process.returncode, said + wrong


def instructions() -> list[tuple[str, str]]:
    """Return the lines of the container file: a word, and what stands behind it."""
    lines = [
        line for line in CONTAINER.read_text("utf-8").splitlines() if line[:1] not in ("", "#")
    ]
    return [(line.partition(" ")[0], line.partition(" ")[2]) for line in lines]


def test_the_container_starts_what_there_is(tmp_path: Path) -> None:
    """What it runs and how it is asked for its health, run here as it stands there: it answers by
    TLS, says lines of JSON, is ready, ends when it is told to, and is not ready then.
    """
    known = dict(instructions())
    command, entry = json.loads(known["CMD"]), json.loads(known["ENTRYPOINT"])
    health = json.loads(known["HEALTHCHECK"].partition("CMD ")[2])
    assert entry == ["interlock", "serve"] == health[:2]
    home = tmp_path / "data"
    home.mkdir()
    tls = certificate(tmp_path)
    there = {
        "/tls/tls.crt": tls["certificate"],
        "/tls/tls.key": tls["key"],
        "0.0.0.0:8443": "0.0.0.0:0",
    }
    options = [there.get(one, one) for one in command]
    process = start(home, *options)
    try:
        assert process.stdout is not None
        assert "ready at https://" in process.stdout.readline()
        assert health[2:] == ["--ready"]
        status, said = ask_ready(home)
        assert (status, "ready" in said) == (0, True), said
    finally:
        process.terminate()
        _, wrong = process.communicate(timeout=60)
    assert process.returncode == 0
    assert [json.loads(line)["route"] for line in wrong.splitlines()] == ["/readyz"]
    assert ask_ready(home)[0] == 1


def test_the_container_is_nobody_in_particular() -> None:
    """It runs as a user of its own that writes to one volume, is made of the extras that there are
    and of files that there are, and its port is the one that it listens at.
    """
    import tomllib

    lines = instructions()
    words = {word for word, _ in lines}
    assert words <= set(
        "FROM COPY RUN ENV USER WORKDIR VOLUME EXPOSE HEALTHCHECK STOPSIGNAL ENTRYPOINT CMD".split()
    )
    last = [at for at, (word, _) in enumerate(lines) if word == "FROM"][-1]
    final = dict(lines[last:])
    assert final["USER"] == "10001"
    assert "--uid 10001" in final["RUN"]
    assert json.loads(final["VOLUME"]) == ["/data"]
    assert f":{final['EXPOSE']}" in json.loads(final["CMD"])[1]
    text = CONTAINER.read_text("utf-8")
    extras = re.findall(r"/src\[([\w,]+)\]", text)[0].split(",")
    project = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))["project"]
    assert set(extras) <= set(project["optional-dependencies"])
    assert not re.search(r"(?i)password|secret|token", text)


def test_the_unit_is_one() -> None:
    """Systemd itself finds nothing wrong with it, what it starts has these options, and the page
    shows this very text.
    """
    text = UNIT.read_text("utf-8")
    [line] = re.findall(r"^ExecStart=\S+ serve (.*)$", text, re.MULTILINE)
    options = parser().parse_args(["serve", *line.split()])
    assert (options.log, options.certificate) == ("json", "/etc/interlock/team.pem")
    assert text in (TOP / "docs/running-the-service.md").read_text("utf-8")


def test_a_call_that_is_not_answered_in_time_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And no decision: whoever waits is told to come again, and the next one is answered."""
    from interlock.service.decide import routes

    with served(tmp_path / "service") as service:
        caller = Calling(service)
        caller.decide("ls")
        monkeypatch.setattr(routes, "ANSWER_SECONDS", 0.05)
        judge: Any = service.scene.guard.judge

        def slowly(*given: Any) -> Any:
            time.sleep(0.5)
            return judge(*given)

        monkeypatch.setattr(service.scene.guard, "judge", slowly)
        answer = caller.post("/v1/decide", bash("ls"))
        assert (answer.status, answer.json["type"]) == (503, "slow")
        assert "verdict" not in answer.json
        monkeypatch.setattr(service.scene.guard, "judge", judge)
        monkeypatch.setattr(routes, "ANSWER_SECONDS", 10.0)
        assert caller.decide("ls")["verdict"] == "allow"


def test_a_crowd_is_told_to_come_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where too many wait: a problem with the time after which to ask again, and no decision."""
    from interlock.service.callers import group

    with served(tmp_path / "service") as service:
        caller = Calling(service)
        monkeypatch.setattr(group, "MOST_WAITING", 0)
        answer = caller.post("/v1/decide", bash("ls"))
        assert (answer.status, answer.headers["retry-after"]) == (429, "1")
        monkeypatch.setattr(group, "MOST_WAITING", 10)
        assert caller.decide("ls")["verdict"] == "allow"
