"""Groups of files that people name by a word: ``the tests``, ``the lock files``."""

from __future__ import annotations

GROUPS: dict[str, tuple[str, str]] = {
    "tests": (
        "test tests spec specs testsuite unittests pruebas 测",
        (
            "test tests __tests__ spec specs e2e test_* *_test.* *.test.* *.spec.* *_spec.*"
            " *test.java *tests.cs conftest.py"
        ),
    ),
    "docs": (
        "docs documentation doku dokumentation documentacion 档",
        "doc docs *.md *.rst *.adoc",
    ),
    "migrations": ("migration migrations migrationen migraciones", "migration migrations alembic"),
    "lockfiles": (
        "lockfile lockfiles lock-file",
        "package-lock.json pnpm-lock.yaml bun.lockb go.sum *.lock",
    ),
    "readme": ("readme", "readme readme.*"),
    "dockerfile": ("dockerfile dockerfiles", "dockerfile dockerfile.* *.dockerfile"),
    "makefile": ("makefile", "makefile"),
    "changelog": ("changelog", "changelog changelog.*"),
    "ci": (
        "ci workflows",
        ".github .gitlab-ci.yml .circleci jenkinsfile azure-pipelines.yml .travis.yml",
    ),
}
"""Names of groups of files: the words for each, and names of its folders and files."""
