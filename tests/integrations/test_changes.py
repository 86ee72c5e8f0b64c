"""Clients that load a plugin: exactly our file and our line come and go, and nothing else
changes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.doctor.plugin_check import plugins
from interlock.integrations import changes
from interlock.integrations.clients import adapter_of
from interlock.integrations.hook_switches import excludes
from interlock.integrations.install import HookCommand, SettingsError, line_for
from interlock.integrations.plugin import holds, line_of, text_of, with_line, without_line
from interlock.integrations.protocol import Plugin, Settings

LINE = HookCommand("/opt/it's/python3", "/opt/lib/interlock/hook.py", "opencode")
OPENCODE: Settings = adapter_of("opencode").SETTINGS
PI: Settings = adapter_of("pi").SETTINGS
SECOND = Plugin("plugin/interlock.js", "opencode.js", line=("permission", "**", "deny"))
RULES = st.sampled_from(["allow", "ask", "deny"]) | st.dictionaries(
    st.sampled_from(["git *", "*"]), st.sampled_from(["allow", "deny"]), max_size=2
)
TABLES = st.dictionaries(
    st.sampled_from(["bash", "edit", "*", "demo_*"]), RULES, min_size=1, max_size=3
)
DOCUMENTS = st.fixed_dictionaries(
    {}, optional={"model": st.text(max_size=4), "permission": TABLES, "mcp": st.just({})}
)


@given(DOCUMENTS, st.sampled_from([2, 4, "\t"]), st.sampled_from(["", "\n"]))
def test_the_line_comes_and_goes(document: Any, indent: Any, end: str) -> None:
    """The line is the last of its table, so that it goes before all others; without it the text is
    what it was.
    """
    text = json.dumps(document, indent=indent, ensure_ascii=False) + end
    there = with_line(text, SECOND)
    assert list(json.loads(there)["permission"].items())[-1] == ("**", "deny")
    assert json.loads(there) == {
        **document,
        "permission": {**document.get("permission", {}), "**": "deny"},
    }
    assert with_line(there, SECOND) == there
    assert holds(there, SECOND)
    assert not holds(text, SECOND)
    assert json.loads(without_line(there, SECOND)) == document
    assert document == {} or without_line(there, SECOND) == text


def test_a_line_above_another_rule_is_moved_down() -> None:
    """A rule below the line would go before it."""
    text = '{"permission": {"**": "deny", "bash": "allow"}}'
    assert not holds(text, SECOND)
    assert list(json.loads(with_line(text, SECOND))["permission"]) == ["bash", "**"]


def test_one_word_for_every_tool_is_kept() -> None:
    """``"permission": "ask"`` means the same as a rule for every tool, and is written as that."""
    assert json.loads(with_line('{"permission": "ask"}', SECOND)) == {
        "permission": {"*": "ask", "**": "deny"}
    }
    assert json.loads(without_line('{"permission": {"*": "ask", "**": "deny"}}', SECOND)) == {
        "permission": {"*": "ask"}
    }


def test_a_rule_of_the_users_own_is_not_taken_out() -> None:
    """What denies nothing is not our line."""
    text = '{"permission": {"**": "ask"}}'
    assert without_line(text, SECOND) == text


@pytest.mark.parametrize("text", ["{ // mine\n}", '{"permission": 7}', "[]"])
def test_settings_that_are_not_rewritten(text: str) -> None:
    """Comments, and what is no table of rules, are left alone with one sentence."""
    with pytest.raises(SettingsError, match="expected"):
        with_line(text, SECOND, "opencode.json")


@pytest.mark.parametrize("client", ["opencode", "pi"])
def test_a_plugin_names_what_starts_interlock(client: str) -> None:
    """The line that starts interlock is read back out of the plugin as it was written, whatever
    stands in its paths.
    """
    plugin = adapter_of(client).SETTINGS.plugin
    assert plugin is not None
    line = LINE.replace(client=client, python='/opt/a "b"\\ü\u2028/python3')
    text = text_of(plugin, line)
    assert line_of(text, client) == line
    assert line_of(text, "codex") is None
    assert text.isascii()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "export default 1\n",
        'const GUARD = ["x"]\n',
        "const GUARD = [{]\n",
        "const GUARD = [1, 2, 3, 4, 5]\n",
    ],
)
def test_what_is_no_plugin_of_ours(text: str) -> None:
    """A file without our line is another's."""
    assert line_of(text, "opencode") is None


@pytest.mark.parametrize("settings", [OPENCODE, PI], ids=["opencode", "pi"])
@pytest.mark.parametrize("project", [True, False])
def test_there_and_back(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, project: bool
) -> None:
    """Installing writes the plugin and the line, a second time nothing; uninstalling leaves no file
    of ours.
    """
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("XDG_CONFIG_HOME", "PI_CODING_AGENT_DIR"):
        monkeypatch.delenv(name, raising=False)
    client = settings.program
    where = str(tmp_path / "project") if project else None
    line = LINE.replace(client=client)
    for _ in range(2):
        for change in [
            *changes.installing(settings, line, where),
            *changes.second(settings, where),
        ]:
            assert change.make() == ""
    assert changes.plugin_path(settings, where).startswith(
        str(tmp_path / ("project/." if project else "home/."))
    )
    again = [*changes.installing(settings, line, where), *changes.second(settings, where)]
    assert [change.diff() for change in again] == [""] * len(again)
    assert len(again) == (2 if settings is OPENCODE else 1)
    for change in changes.removing(settings, client, where):
        change.make()
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_what_guards_comes_first_and_what_denies_goes_first(tmp_path: Path) -> None:
    """At no time is everything denied without the plugin that lifts it."""
    there = [
        *changes.installing(OPENCODE, LINE, str(tmp_path)),
        *changes.second(OPENCODE, str(tmp_path)),
    ]
    assert [Path(change.path).name for change in there] == ["interlock.js", "opencode.json"]
    assert [
        Path(change.path).name for change in changes.removing(OPENCODE, "opencode", str(tmp_path))
    ] == ["opencode.json", "interlock.js"]


def test_another_file_of_the_same_name_is_left_alone(tmp_path: Path) -> None:
    """A file that interlock did not write is neither overwritten nor removed; its own of another
    version is.
    """
    path = Path(changes.plugin_path(OPENCODE, str(tmp_path)))
    path.parent.mkdir(parents=True)
    path.write_text("export const Mine = async () => ({})\n")
    for change in (
        changes.installing,
        lambda settings, line, project: changes.removing(settings, line.client, project),
    ):
        with pytest.raises(SettingsError, match="another file"):
            change(OPENCODE, LINE, str(tmp_path))
    path.write_text('const GUARD = ["/old/python", "-I", "-S", "/old/hook.py", "opencode"]\n')
    for found in changes.installing(OPENCODE, LINE, str(tmp_path)):
        found.make()
    assert line_of(path.read_text(), "opencode") == LINE


@pytest.mark.parametrize(
    ("client", "variable", "expected"),
    [
        ("opencode", "XDG_CONFIG_HOME", "moved/opencode/plugin/interlock.js"),
        ("pi", "PI_CODING_AGENT_DIR", "moved/extensions/interlock.js"),
    ],
)
def test_a_folder_that_was_moved(
    client: str, variable: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client's own variable says where its settings are."""
    monkeypatch.setenv(variable, str(tmp_path / "moved"))
    assert changes.plugin_path(adapter_of(client).SETTINGS, None) == str(tmp_path / expected)


def _seen(folder: Path) -> dict[str, str]:
    """Return the doctor's rows for OpenCode in a folder: what was looked at, and its colour. What
    starts interlock is run only where it is ours.
    """
    assert OPENCODE.plugin is not None
    entries, rows = plugins(OPENCODE, OPENCODE.plugin, "opencode", [str(folder / ".opencode")])
    colours = {row.what: row.colour for row in rows}
    assert len(entries) == ("without plugin" in colours)
    return colours


def test_the_doctor_looks_at_a_plugin(tmp_path: Path) -> None:
    """A plugin that is missing, another's or edited is red, one of another installation amber; so
    is what lets everything run without it.
    """
    assert _seen(tmp_path) == {"plugin": "red"}
    for change in [
        *changes.installing(OPENCODE, line_for("opencode"), str(tmp_path)),
        *changes.second(OPENCODE, str(tmp_path)),
    ]:
        change.make()
    own, settings = (
        Path(changes.plugin_path(OPENCODE, str(tmp_path))),
        Path(changes.settings_path(OPENCODE, str(tmp_path))),
    )
    assert _seen(tmp_path) == {"plugin": "green", "without plugin": "green"}
    settings.write_text('{"permission": {"**": "deny", "bash": "allow"}}')
    assert _seen(tmp_path) == {"plugin": "green", "without plugin": "amber"}
    settings.write_text("{ // mine\n}")
    assert _seen(tmp_path) == {"plugin": "green", "without plugin": "amber"}
    own.write_text(own.read_text() + "// mine\n")
    assert _seen(tmp_path)["plugin"] == "red"
    changes.installing(OPENCODE, LINE, str(tmp_path))[0].make()
    assert _seen(tmp_path)["plugin"] == "amber"
    own.write_text("export default 1\n")
    assert _seen(tmp_path) == {"plugin": "red"}


@pytest.mark.parametrize(
    ("entries", "out"),
    [
        (["-extensions/interlock.js"], True), (["!*lock*"], True), (["!**/interlock.js"], True), (["-/x/extensions/interlock.js"], True),
        (["+extensions/interlock.js"], False), (["extensions/interlock.js"], False), (["-extensions/other.js"], False), (["-"], False), (7, False),
    ],
)  # fmt: skip
def test_what_excludes_a_plugin(entries: object, out: bool) -> None:
    """An entry that takes our file out is seen, by name, by path and by pattern; others are not."""
    assert PI.plugin is not None
    assert excludes(entries, PI.plugin) is out
