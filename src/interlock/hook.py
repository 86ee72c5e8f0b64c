"""The file that an agent client starts for every tool call: ``python -I -S .../interlock/hook.py
CLIENT [check|note]``.

It is compiled anew every time, so it is small: it finds the package beside itself and hands over.
Whatever goes wrong, an import included, the call is refused, in the words of every measured client
at once: a JSON denial, the reason on stderr and exit 2. With ``note`` (events that ask nothing) a
failure is said, and stands in nobody's way.
"""

import gc
import sys

gc.disable()  # the process is gone before there is anything to collect


def _report_failure(error: BaseException) -> int:
    """Say that the guard failed; little is imported here, for anything may be what is broken."""
    note = "note" in sys.argv[2:]
    why = f"interlock failed ({type(error).__name__}: {str(error)[:200]})"
    why = "".join(
        [
            char if char.isascii() and char.isprintable() and char not in '"\\' else " "
            for char in why
        ]
    )
    if note:
        line = f'{{"systemMessage":"{why}; this event was not recorded"}}\n'
    else:
        why += ", so this call did not run. Tell the user; `interlock doctor` may say more."
        line = f'{{"decision":"block","reason":"{why}","permissionDecision":"deny","permissionDecisionReason":"{why}"}}\n'
        sys.stderr.write(why + "\n")
        sys.stderr.flush()
    sys.stdout.write(line)
    sys.stdout.flush()
    return 0 if note else 2


if __name__ == "__main__":
    code = 0 if "note" in sys.argv[2:] else 2
    try:
        package = __file__.rpartition("\\" if sys.platform == "win32" else "/")[0]
        sys.path.append(package.rpartition("\\" if sys.platform == "win32" else "/")[0])
        from interlock.resident.relay import ask_guard

        answered = ask_guard(package, sys.argv[1:])
        if answered is not None:
            code = answered
        else:
            from interlock.cli.bundle import use

            use(package)
            from interlock.cli.hook import main

            code = main(sys.argv[1:])
    except BaseException as error:  # noqa: BLE001 - nothing may leave this file but an answer
        code = _report_failure(error)
    finally:
        # not of `os`, which takes a tenth of a bare interpreter's start
        if sys.platform == "win32":
            from nt import _exit as leave
        else:
            from posix import _exit as leave

        leave(code)
