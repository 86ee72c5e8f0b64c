"""`interlock export`, and what the console and /metrics say of exports."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from interlock.cli.main import main
from interlock.service.databases import open_store
from interlock.service.export.delivery import put_off
from tests.answering import answering
from tests.exporting import CHAIN, add_events, destined, ids_of, tools_of
from tests.serving import Served, served, until

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of the service of a user, which the command line finds."""
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path / ".local/state/interlock/service"


def test_the_record_is_sent_on_from_the_command_on(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The service that runs finds it by itself; listed, and ended as it began."""
    header = tmp_path / "header"
    header.write_text("Authorization: Bearer t\n")
    with served(home) as service, answering() as receiver:
        add_events(service.scene.keeping, 3)
        told = [
            "export",
            "add",
            "webhook",
            f"{receiver.url}/k",
            "--private",
            "--header",
            str(header),
        ]
        assert main(told) == 0
        said = capsys.readouterr().out
        assert "is sent the record from now on (webhook)" in said
        assert "whsec_" in said
        name = said.partition(":")[0]
        add_events(service.scene.keeping, 2, 4)
        until(lambda: len(ids_of([body for _, _, body in receiver.came])) == 2)
        assert ids_of([body for _, _, body in receiver.came]) == [f"{CHAIN}:4", f"{CHAIN}:5"]
        assert receiver.came[0][1]["authorization"] == "Bearer t"
        until(lambda: sent(service) == [2])
        assert main(["export"]) == 0
        assert "2 sent, 0 to go" in capsys.readouterr().out
        assert main(["export", "forget", name]) == 0
        assert sent(service) == []
    assert main(["export", "forget", name]) == 1
    assert "there is no export" in capsys.readouterr().err
    assert main(["export"]) == 0
    assert "goes nowhere else" in capsys.readouterr().out


def test_a_file_that_cannot_be_read_is_named(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whether it is not there or is no text; nothing is added. One that can be read is taken."""
    open_store(str(home)).close()
    header = tmp_path / "header"
    told = ["export", "add", "otlp", "https://a.example/", "--header", str(header)]
    for content, said in ((None, "No such file"), (b"A: \xff", "it is no text in UTF-8")):
        if content is not None:
            header.write_bytes(content)
        assert main(told) == 1
        assert f"{header} cannot be read: {said}" in capsys.readouterr().err
    header.write_text("A: b\n")
    assert main(told) == 0
    with closing(open_store(str(home))) as keeping:
        assert len(keeping.read(lambda known: known.destinations())) == 1


def sent(service: Served) -> list[int]:
    """Return how much each destination took."""
    return [one.cursor.sent for one in service.scene.keeping.read(lambda known: known.exports())]


def test_one_that_does_not_take_it_is_shown(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In the console, without what its address may hold; in /metrics; by the command, which ends
    otherwise. One that does is not.
    """
    with served(home) as service:
        keeping = service.scene.keeping
        who = service.person("ada", "reader")
        assert "It goes nowhere else" in service.ask("GET", "/exports", who).text
        add_events(keeping, 3)
        tools = tools_of(keeping, home)
        bad = destined(tools, "otlp", "http://127.0.0.1:1/v1/logs?key=k123")
        cursor = keeping.read(lambda known: known.export_cursor(bad.id))
        assert cursor is not None
        failed = put_off(cursor, "it answered 503", 3000).replace(tries=7, holder="")
        keeping.write(lambda steps: steps.hold_export(bad.id, "", "9999", ""))
        keeping.write(lambda steps: steps.save_export(failed))
        page = service.ask("GET", "/exports", who).text
        assert "it answered 503" in page
        assert "not taken since" in page
        assert "http://127.0.0.1:1<" in page
        assert "k123" not in page
        assert "1 export, 1 not taken" in service.ask("GET", "/machines", who).text
        shown = service.ask("GET", "/metrics", who).text
        labels = f'{{destination="{bad.id}",kind="otlp"}}'
        assert f"interlock_export_behind{labels} 3.0" in shown
        assert f"interlock_export_tries{labels} 7.0" in shown
        assert main(["export"]) == 1
        assert "it answered 503, since" in capsys.readouterr().out
