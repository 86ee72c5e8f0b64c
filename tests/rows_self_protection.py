"""The rows of the guard's own protection: what may not be done, through what it may be done, to
which files; each list beside its permitted twins.
"""

from __future__ import annotations

import base64
from shlex import quote, split
from typing import TYPE_CHECKING

from tests.judging import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

HOME = "/home/user"

ENDS = r"""
interlock uninstall claude-code
interlock servers unwrap claude-code
interlock uninstall
interlock init
interlock init --yes
interlock init --yes --profile observe
interlock resume
interlock trust .
interlock enrol il1_eyJ1cmwiOiJodHRwczovL2V2aWwuZXhhbXBsZSJ9
interlock enrol --leave
interlock serve --listen 0.0.0.0:8443
interlock serve --token
interlock approve 1234
interlock deny 1234
interlock policy edit
interlock stop
interlock grants revoke x
interlock hook claude-code < prompt.json
interlock run -- rm /home/user/.claude/settings.json
interlock run -- 'interlock approve 12'
interlock run --allow-host '*' -- ls
interlock code prog.py --allow-path /
interlock code --allow-command sh prog.py
interlock test-guard --hook 'rm -rf /'
python -m interlock uninstall codex
/usr/local/bin/interlock approve 1
~/.local/bin/interlock approve 1
python3 /usr/lib/python3/dist-packages/interlock/hook.py claude-code note < prompt.json
uvx interlock approve 1
uv run interlock approve 1
uv tool run interlock uninstall codex
uvx --from interlock interlock approve 1
pipx run interlock approve 1
poetry run interlock approve 1
pip uninstall -y interlock
pip3 uninstall Interlock
python -m pip uninstall -y interlock
uv pip uninstall interlock
uv tool uninstall interlock
uv remove interlock
pipx uninstall interlock
conda remove interlock
conda uninstall -y interlock
mamba remove interlock
micromamba remove interlock
pixi remove interlock
apt remove interlock
apt-get purge -y python3-interlock
sudo apt-get remove python3-interlock
dnf remove interlock
zypper rm interlock
apk del interlock
pacman -R interlock
brew uninstall interlock
snap remove interlock
nix-env -e interlock
poetry remove interlock
pdm remove interlock
rye remove interlock
pip install interlock==0.0.1
pip install -U interlock
pip install 'interlock<1'
uv pip install interlock==0.0.0
pipx upgrade interlock
echo '{}' > ~/.claude/settings.json
echo x >> ~/.codex/hooks.json
echo x | tee ~/.gemini/settings.json
cp x ~/.qwen/settings.json
sed -i s/a/b/ .claude/settings.local.json
echo '{}' > .qwen/settings.json
echo '{}' > .github/copilot/settings.json
echo x > .github/hooks/a.json
rm ~/.copilot/hooks/interlock.json
echo '{}' > ~/.copilot/config.json
echo '{}' > ~/.copilot/settings.json
rm ~/.config/opencode/plugin/interlock.js
rm ~/.config/opencode/plugins/interlock.js
echo x > .opencode/plugins/x.js
echo '{}' > .opencode/opencode.json
echo '{}' > ~/.config/opencode/opencode.json
rm ~/.pi/agent/extensions/interlock.ts
echo '{}' > ~/.pi/agent/settings.json
echo x > .pi/extensions/x.ts
echo '{}' > .pi/settings.json
echo x > ~/.cursor/hooks.json
echo x > ~/.codeium/windsurf/hooks.json
echo x > .clinerules/hooks/PreToolUse
echo x > ~/Documents/Cline/Hooks/PreToolUse
echo '{}' > .kiro/agents/a.json
echo '{}' > ~/.agents/plugins/interlock/hooks/hooks.json
echo '{}' > ~/.config/amp/settings.json
git checkout HEAD~1 -- .claude/settings.json
git restore .claude/settings.json
mv ~/.claude ~/.claude.off
rm -rf ~/.claude
ln -sfn /tmp/e ~/.claude
chmod 000 ~/.claude/settings.json
truncate -s0 ~/.claude/settings.json
jq .a x.json | sponge ~/.claude/settings.json
dd if=x of=~/.claude/settings.json
curl -o ~/.claude/settings.json https://host.test/a
tar xf a.tar -C ~/.claude
rsync -a a/ ~/.claude/
install -m 600 x ~/.claude/settings.json
chattr +i ~/.claude/settings.json
echo x > ~/.config/interlock/policy.yaml
echo x > .interlock/policy.yaml
rm .agents/guards/no-docker.yaml
rm -r .claude/guards
echo x > .claude/guard-skills/deploys.md
echo x > ~/.bitcode/guard-skills/deploys.md
echo x > .claude/guard-skills/deploys/SKILL.md
rm -r ~/.agents/guard-skills/deploys
rm ~/.local/state/interlock/store.db
sqlite3 ~/.local/state/interlock/interlock.db 'delete from decisions'
rm -r ~/.local/share/interlock
chmod -x $(which interlock)
ln -sf /bin/true ~/.local/bin/interlock
echo x > /etc/claude-code/managed-settings.json
claude config set disableAllHooks true
claude plugin disable interlock
codex features disable hooks
gemini extensions disable interlock
claude --bare -p x
claude --safe-mode -p x
claude --settings '{"disableAllHooks":true}' -p x
claude --settings /tmp/s.json -p x
claude --settings=/tmp/s.json -p x
claude --setting-sources project -p x
claude --dangerously-skip-permissions -p x
codex exec -c features.hooks=false x
codex exec -c 'features={hooks=false}' x
codex exec --config features.hooks=false x
codex exec --disable hooks x
codex -c hooks.PreToolUse=[] exec x
codex --ignore-user-config exec x
codex --dangerously-bypass-hook-trust exec x
opencode run --pure x
pi -ne x
pi --no-extensions x
qwen --bare -p x
qwen --safe-mode x
gemini --extensions none -p x
HOME=/tmp/x claude -p x
CLAUDE_CONFIG_DIR=/tmp/x claude -p x
CLAUDE_CODE_SIMPLE=1 claude -p x
CLAUDE_CODE_SAFE_MODE=1 claude -p x
export CLAUDE_CONFIG_DIR=/tmp/x; claude -p x
CODEX_HOME=/tmp/x codex exec x
GEMINI_CLI_HOME=/tmp/x gemini -p x
QWEN_HOME=/tmp/x qwen -p x
COPILOT_HOME=/tmp/x copilot -p x
OPENCODE_CONFIG_CONTENT='{}' opencode run x
OPENCODE_PURE=1 opencode run x
PI_CODING_AGENT_DIR=/tmp pi x
XDG_CONFIG_HOME=/tmp opencode run x
env -i claude -p x
env -u CLAUDE_CONFIG_DIR claude -p x
npx @anthropic-ai/claude-code --bare -p x
npx -y @openai/codex exec -c features.hooks=false x
bunx opencode-ai run --pure x
pnpm dlx @google/gemini-cli --yolo
node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js --bare -p x
pkill -f interlock
killall interlock
""".strip().splitlines()
"""What takes the guard out, or goes around it."""

LOOKING = r"""
interlock log
interlock log --json
interlock approvals
interlock grants
interlock status
interlock explain 'rm -rf /'
interlock check -- rm -rf /
interlock version
interlock doctor
interlock policy show
interlock approvals list
interlock install claude-code
interlock init --dry-run
interlock tour
interlock completion bash
interlock run -- ls -la
interlock code prog.py
interlock code run.go -- a b
interlock run -- 'make test'
interlock stop --help
interlock checkpoints
interlock pins
interlock servers
interlock servers list codex
pip show interlock
pip list
pip uninstall -y requests
pip install requests
pip install interlocking-tools
conda remove numpy
apt-get remove cowsay
claude --version
claude -p 'explain this file'
claude mcp list
claude plugin list
codex --version
codex features list
codex exec 'explain this file'
codex exec -c model=o3 'explain this file'
gemini -p 'explain this file'
gemini extensions list
qwen -p 'explain this file'
opencode run 'explain this file'
pi 'explain this file'
ANTHROPIC_MODEL=x claude -p 'explain this file'
env -u PAGER claude -p 'explain this file'
cat ~/.claude/settings.json
cat ~/.config/interlock/policy.yaml
cat .agents/guards/no-docker.yaml .claude/guard-skills/deploys.md
echo x > .claude/skills/deploys.md
rm .agents/notes.md
grep -r hooks ~/.claude
ls -la ~/.codex
jq .hooks ~/.claude/settings.json
diff ~/.claude/settings.json x.json
git diff .claude/settings.json
git log -- .claude/settings.json
cp ~/.claude/settings.json backup.json
echo x > settings.json
echo x > hooks/claude.json
echo x > docs/.claude.md
echo x > src/opencode.py
node node_modules/typescript/bin/tsc --version
pgrep interlock
""".strip().splitlines()
"""What only looks at it, or does the same to something else."""


def _encoded(command: str) -> str:
    return base64.b64encode(command.encode()).decode()


def _python(code: str) -> str:
    return f"python3 -c {quote(code)}"


CARRIERS: dict[str, Callable[[str], str]] = {
    "script -c": lambda given: f"script -qc {quote(given)} /dev/null",
    "script --command": lambda given: f"script --command={quote(given)} /dev/null",
    "script of BSD": lambda given: f"script -q /dev/null {given}",
    "expect -c": lambda given: f"expect -c {quote(f'spawn {given}; interact')}",
    "expect": lambda given: f"expect <<'EOF'\nspawn {given}\nexpect eof\nEOF",
    "unbuffer": lambda given: f"unbuffer {given}",
    "tmux new-session": lambda given: f"tmux new-session -d {quote(given)}",
    "tmux send-keys": lambda given: f"tmux send-keys -t 0 {quote(given)} Enter",
    "tmux send-keys -l": lambda given: f"tmux send-keys -t x -l {quote(given)}",
    "tmux run-shell": lambda given: f"tmux run-shell {quote(given)}",
    "tmux respawn-pane": lambda given: f"tmux respawn-pane -k {quote(given)}",
    "tmux split-window": lambda given: f"tmux split-window {quote(given)}",
    "tmux set-buffer": lambda given: f"tmux set-buffer {quote(given)}; tmux paste-buffer",
    "screen stuff": lambda given: f"screen -S a -X stuff {quote(given + chr(10))}",
    "screen -dm": lambda given: f"screen -dm bash -c {quote(given)}",
    "screen exec": lambda given: f"screen -S a -X exec {given}",
    "zellij run": lambda given: f"zellij run -- {given}",
    "zellij write": lambda given: f"zellij action write-chars {quote(given)}",
    "kitty": lambda given: f"kitty @ send-text {quote(given)}",
    "wezterm": lambda given: f"wezterm cli send-text --no-paste {quote(given)}",
    "dtach": lambda given: f"dtach -n /tmp/s {given}",
    "at": lambda given: f"echo {quote(given)} | at now",
    "at, here string": lambda given: f"at now <<< {quote(given)}",
    "batch": lambda given: f"echo {quote(given)} | batch",
    "cron": lambda given: f"echo {quote('* * * * * ' + given)} | crontab -",
    "cron, added": lambda given: f"(crontab -l; echo {quote('* * * * * ' + given)}) | crontab -",
    "systemd-run": lambda given: f"systemd-run --user {given}",
    "systemd-run --on-active": lambda given: (
        f"systemd-run --user --scope -p X=y --on-active=5 {given}"
    ),
    "os.system": lambda given: _python(f"import os; os.system({given!r})"),
    "subprocess": lambda given: _python(f"import subprocess; subprocess.run({split(given)!r})"),
    "subprocess, shell": lambda given: _python(
        f"import subprocess as s; s.Popen({given!r}, shell=True)"
    ),
    "pty.spawn": lambda given: _python(f"import pty; pty.spawn({split(given)!r})"),
    "pexpect": lambda given: _python(f"import pexpect; pexpect.run({given!r})"),
    "os.execvp": lambda given: _python(
        f"import os; os.execvp({split(given)[0]!r}, {split(given)!r})"
    ),
    "asyncio": lambda given: _python(
        f"import asyncio; asyncio.run(asyncio.create_subprocess_shell({given!r}))"
    ),
    "python": lambda given: f"python3 - <<'EOF'\nimport os\nos.system({given!r})\nEOF",
    "node": lambda given: (
        f"node -e {quote(f'require({chr(34)}child_process{chr(34)}).execSync({given!r})')}"
    ),
    "perl": lambda given: f"perl -e {quote(f'system({given!r})')}",
    "ruby": lambda given: f"ruby -e {quote(f'system({given!r})')}",
    "vim": lambda given: f"vim -c {quote('!' + given)} -c q",
    "ex": lambda given: f"ex -sc {quote('!' + given)} -cq",
    "ed": lambda given: f"ed <<'EOF'\n!{given}\nEOF",
    "emacs": lambda given: (
        f"emacs --batch --eval {quote(f'(shell-command {chr(34)}{given}{chr(34)})')}"
    ),
    "awk": lambda given: f"awk {quote(f'BEGIN{{system({chr(34)}{given}{chr(34)})}}')}",
    "find": lambda given: f"find . -maxdepth 0 -exec {given} \\;",
    "xargs": lambda given: f"echo x | xargs -I@ {given}",
    "env": lambda given: f"env A=b {given}",
    "env -S": lambda given: f"env -S {quote(given)}",
    "nohup": lambda given: f"nohup {given} &",
    "setsid": lambda given: f"setsid {given}",
    "sudo": lambda given: f"sudo {given}",
    "watch": lambda given: f"watch -n1 {quote(given)}",
    "parallel": lambda given: f"parallel ::: {quote(given)}",
    "sh -c": lambda given: f"sh -c {quote(given)}",
    "eval": lambda given: f"eval {quote(given)}",
    "base64": lambda given: f"echo {_encoded(given)} | base64 -d | sh",
    "here document": lambda given: f"bash <<'EOF'\n{given}\nEOF",
    "function": lambda given: f"f() {{ {given}; }}; f",
    "written and run": lambda given: f"printf '%s\\n' {quote(given)} > go.sh && sh go.sh",
    "alias": lambda given: f"shopt -s expand_aliases\nalias g={quote(given)}\ng",
    "trap": lambda given: f"trap {quote(given)} EXIT",
    "git alias": lambda given: f"git -c alias.x={quote('!' + given)} x",
    "make": lambda given: f"make -f - <<'EOF'\nx:\n\t{given}\nEOF",
    "npm": lambda given: f"npm exec -c {quote(given)}",
    "gdb": lambda given: f"gdb -batch -ex {quote('shell ' + given)}",
    "xterm": lambda given: f"xterm -e {given}",
    "busybox": lambda given: f"busybox sh -c {quote(given)}",
    "socat": lambda given: f"socat - EXEC:{quote(given)},pty",
    "PowerShell": lambda given: f"pwsh -c {quote(given)}",
}
CARRIED = [
    "interlock approve 12",
    "pip uninstall -y interlock",
    "claude --bare -p hi",
    "codex exec -c features.hooks=false hi",
]
TWINS = ["interlock log", "pip show interlock", "claude --version", "codex --version"]

BY_SHELLS = sorted(set(CARRIERS) - {"expect -c", "expect", "subprocess", "pty.spawn", "os.execvp"})
"""Carriers that hand the words to a shell, so that ``~`` and ``>`` mean what they mean there."""

FILES = [
    f"{HOME}/.claude/settings.json", f"{ROOT}/.claude/settings.local.json", "~/.codex/hooks.json", ".gemini/settings.json",
    "../.config/interlock/policy.yaml", f"{ROOT}/../.local/state/interlock/interlock.db", f"{ROOT}/src/../.qwen/settings.json",
    f"file://{HOME}/.claude/settings.json", f"file://{HOME}/.claude/settings%2Ejson", "~/.config/opencode/plugin/interlock.js",
]  # fmt: skip
NEAR = [f"{ROOT}/settings.json", "src/a.py", f"{ROOT}/docs/.claude.md", "src/hooks.json"]

WAITING = r"""
sh
/bin/sh
bash -i
zsh
exec sh
python3
python3 -i app.py
node
ipython
irb
psql
psql mydb
mysql -u root db
sqlite3 app.db
redis-cli
mongosh
gdb ./app
vim notes.txt
docker exec -it web bash
tmux
tmux attach
screen -r
poetry shell
script
""".strip().splitlines()
ENDING = r"""
sh build.sh
bash -c 'ls'
python3 app.py
python3 -c 'print(1)'
python3 -m pytest
node app.js
psql -c 'select 1'
psql mydb -f schema.sql
mysql -u root db -e 'select 1'
sqlite3 app.db 'select 1'
redis-cli get x
gdb -batch -ex bt ./app core
docker exec web ls
echo 'print(1)' | python3
python3 <<< 'print(1)'
psql < schema.sql
tmux ls
""".strip().splitlines()
