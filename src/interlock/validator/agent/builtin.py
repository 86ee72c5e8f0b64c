"""The skills that interlock brings: how to look at calls in a language, and how to follow code
without running it.
"""

from __future__ import annotations

from interlock.model.skill import BASH, GO, JS, POWERSHELL, PYTHON, Skill

_BASH = """\
What a shell command does hangs on what the shell makes of it before any program starts.
- Expand in your head: variables (an unset one is empty, so `rm -rf "$X/"` is `rm -rf /`), `~`, globs, braces, `$(...)` and backquotes, which run.
- `;`, `&&`, `||`, `|`, `&` and newlines begin another command; judge each one, and what stands in `$(...)`, `<(...)`, `eval`, `sh -c`, `xargs`, \
`find -exec`, `trap`, here-documents that are fed to an interpreter.
- A pipe into `sh`, `bash`, `python`, `perl` or `node` runs what comes out of it. Text from the network or out of base64, hex or gzip is code then.
- Redirections write: `>` empties a file before anything runs; `>|`, `tee`, `dd of=`, `install`, `cp`, `mv` overwrite.
- A variable before a command (`PATH=`, `LD_PRELOAD=`, `GIT_SSH_COMMAND=`, `PAGER=`) can change which program runs.
- Aliases, functions and `cd` earlier in the same call change what later words mean.
Ask with READ for the part whose meaning you doubt: the answer is what a parser of shells makes of it."""
_PYTHON = """\
Look for what happens when the module is imported, not only for what a main function would do.
- Files: `open` with w, a, x or +, `os.remove`, `unlink`, `rename`, `replace`, `shutil.rmtree`, `move`, `pathlib` methods of those names.
- Programs: `subprocess`, `os.system`, `os.popen`, `os.exec*`, `os.spawn*`, `pty`, `ctypes`.
- Code from text: `eval`, `exec`, `compile`, `__import__`, `importlib`, `pickle.load`, `marshal`, `yaml.load`, `runpy`.
- The network: `socket`, `urllib`, `http`, `requests`, `httpx`, `smtplib`, `ftplib`.
- Names put together at run time (`getattr(os, "rem" + "ove")`), encoded text that is decoded and run: suspicious for being hidden.
- What is read and then sent or printed: `os.environ`, keys below `~/.ssh`, `~/.aws`, `.env`.
`python -m NAME` runs an installed module; `pip install` runs code of the package."""
_GO = """\
`go run`, `go test`, `go generate` and `go build` with cgo or a tool directive run code; `go vet`, `go fmt` and `go list` do not.
- `init()` functions and variables of the package run before `main`; tests run `TestMain`.
- Files: `os.Remove`, `os.RemoveAll`, `os.WriteFile`, `os.Create`, `os.Rename`, `os.Truncate`, `os.Chmod`.
- Programs: `os/exec`, `syscall.Exec`, `os.StartProcess`, `plugin.Open`.
- The network: `net.Dial`, `net/http`, `net.Listen`.
- Round the type system: `unsafe`, `//go:linkname`, cgo, assembly files, `reflect` on functions.
- `//go:generate` lines are shell commands; `go install PATH@VERSION` and `GOFLAGS=-toolexec=` run code from elsewhere."""
_JS = """\
`node FILE`, `npx`, `npm run`, `npm test`, `bun`, `deno` run code; `npm install` runs the scripts of every package that it installs.
- Files: `fs.rm`, `unlink`, `writeFile`, `rename`, `truncate`, `createWriteStream`, and their Sync and promise forms.
- Programs: `child_process` (`exec` takes a shell's text, `spawn` with `shell: true` too), `worker_threads`, `process.binding`.
- Code from text: `eval`, `Function(...)`, `vm`, `require` or `import()` of a computed name.
- The network: `fetch`, `http`, `https`, `net`, `WebSocket`, `dgram`.
- `process.env` holds keys; what is read there and sent is lost.
- A script's real text stands in package.json: `npm run NAME` runs `preNAME` and `postNAME` too. Deno is bound by --allow options; -A lifts them."""
_POWERSHELL = """\
Names have many spellings: aliases (`rm`, `del`, `iwr`, `iex`, `saps`), short parameters (`-Rec`, `-Fo`, `-enc`), any case, backticks within.
- Files: `Remove-Item`, `Clear-Content`, `Set-Content`, `Out-File`, `Move-Item`, `Format-Volume`, `[IO.File]::Delete`.
- Code from text: `Invoke-Expression`, `&` with a string, `-EncodedCommand` (base64 of UTF-16), `[scriptblock]::Create`, `Add-Type`.
- Programs: `Start-Process`, `-Verb RunAs` (as administrator), `Invoke-Command` (elsewhere), WMI and COM objects.
- The network: `Invoke-WebRequest`, `Invoke-RestMethod`, `Net.WebClient`, `Start-BitsTransfer`. Downloaded and run at once is how attacks begin.
- Staying: scheduled tasks, services, `$PROFILE`, Run keys of the registry.
- The guard of the machine: `Set-MpPreference`, `Set-ExecutionPolicy`, clearing event logs."""
_SIMULATION = """\
Follow the code line by line with values, as a machine would, and write nothing down but the answer.
1. List what is known at the start: the working folder, arguments, variables, which files there are. What is not known stays unknown: try the worst \
value that it may have.
2. Take one statement after the other. After each: which variables changed, which file, process or host was touched.
3. At a branch whose condition is unknown follow both. Of a loop follow the first round, the last and none at all.
4. When text becomes code (eval, a pipe into a shell, a decoded string), decode it and go on within it; ask with READ what it does.
5. In the end compare what was touched with the borders of the working folder. Judge the worst way through, not the likeliest.
Where you cannot follow it, answer ASK and say which line."""

SKILLS: tuple[Skill, ...] = (
    Skill(
        "bash",
        "How shells read a command: expansion, nesting, pipes into interpreters.",
        _BASH,
        BASH,
        auto_invoke=True,
    ),
    Skill(
        "python",
        "What Python code can do to files, programs, the network, and how it hides it.",
        _PYTHON,
        PYTHON,
        auto_invoke=True,
    ),
    Skill(
        "go",
        "What runs when Go builds, tests or generates, and what Go code can do.",
        _GO,
        GO,
        auto_invoke=True,
    ),
    Skill(
        "js",
        "Node, npm, bun and deno: what they run and what scripts can do.",
        _JS,
        JS,
        auto_invoke=True,
    ),
    Skill(
        "powershell",
        "PowerShell's many spellings, encoded commands, and what stays on a machine.",
        _POWERSHELL,
        POWERSHELL,
        auto_invoke=True,
    ),
    Skill(
        "code-simulation",
        "Follow code step by step with values, without running it, where its effect is not plain.",
        _SIMULATION,
    ),
)
