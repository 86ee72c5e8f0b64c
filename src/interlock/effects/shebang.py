"""What runs a file that is started by its path: the program that its first line names (execve(2),
"Interpreter scripts"), else the shell.

A shell runs a text without such a line itself (POSIX, Shell Command Language, 2.9.1.6: where
``execve`` fails with ENOEXEC).
"""

from __future__ import annotations

from interlock.effects.programs.table import language

MOST = 400

LANGUAGES = {
    "c": "c", "cc": "c", "cpp": "c", "cxx": "c", "C": "c", "m": "c", "go": "go", "rs": "rust",
    "swift": "swift", "cs": "csharp", "hs": "haskell",
    "ml": "ocaml", "java": "java", "kt": "java", "py": "python", "js": "javascript",
    "ts": "javascript", "rb": "ruby", "php": "php", "lua": "lua", "robot": "robot",
    "resource": "robot", "mjs": "javascript", "cjs": "javascript", "mts": "javascript",
    "tsx": "javascript", "jsx": "javascript", "pl": "perl", "ex": "elixir", "exs": "elixir",
    "jl": "julia", "R": "r", "groovy": "groovy", "kts": "kotlin",
}  # fmt: skip
"""The language of a source file, by the end of its name."""


def parse_first_line(text: str, path: str) -> tuple[str, list[str]]:
    """Return the language in which a started file is read, and the words that stand before its
    path; without a language the words tell all.
    """
    if not text.startswith("#!"):
        return ("cmd" if path.lower().endswith((".bat", ".cmd")) else "sh"), []
    words = text[2:MOST].partition("\n")[0].split()
    while words and (
        words[0].rpartition("/")[2] == "env"
        or words[0] in ("-S", "--split-string", "-i", "-")
        or "=" in words[0]
    ):
        words = words[1:]
    return (language(words[0].rpartition("/")[2]) if words else "sh"), words
