"""What MkDocs does besides, as a hook of ``mkdocs.yml``: pages that lie outside ``docs/`` belong to
the site too.

The changelog, the decisions and the guides that a repository has at its top are written for whoever
reads the repository, with links that hold there. On the site they lie beside the other pages; a
link to what is no page (a source file, a test) becomes plain words.
"""

from __future__ import annotations

import os
import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

from interlock.model.release import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

TOP = Path(__file__).resolve().parent.parent
FETCHED = re.compile(
    r"<(?:script|img|iframe|link rel=\"stylesheet\")[^>]*(?:src|href)=\"?(?:https?:)?//[^\" >]+"
)
CELL = re.compile(r"`[^`\n]*\\\|[^`\n]*`")
LIGHT = re.compile(r"!\[([^\]]*)\]\((pictures/[\w-]+)-light\.svg\)")
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)#:\s]+)(#[^)\s]*)?\)")


SKILL = {
    "packaging/claude-code/skills/working-under-interlock/SKILL.md": "for-agents.md",
}
"""What the plugin teaches an agent, as a page."""
QUIET = "decisions/"
"""Pages that the search does not lead to: they are for who works on interlock."""


def guests() -> dict[str, str]:
    """Return the pages from outside ``docs/``: where each lies in the repository, and where on the
    site.
    """
    tops = {
        name: f"{name.partition('.')[0].lower()}.md"
        for name in ("CHANGELOG.md", "SECURITY.md", "CONTRIBUTING.md")
        if (TOP / name).exists()
    }
    return (
        tops
        | SKILL
        | {
            f"decisions/{path.name}": f"decisions/{path.name}"
            for path in sorted((TOP / "decisions").glob("*.md"))
        }
    )


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Name the pages of a folder in the navigation, where ``mkdocs.yml`` has the folder's name, and
    the release in the header and at the foot. The forge's workflow says by variables where the
    repository is; without them there is no link.
    """
    config.repo_url = os.environ.get("REPOSITORY_URL", "")
    config.edit_uri = os.environ.get("REPOSITORY_EDIT", "")
    config.repo_name = "interlock"
    config.extra["release"] = __version__
    config.copyright = f"interlock {__version__} · Apache-2.0"
    for section in config.nav or []:
        for title, pages in section.items():
            if isinstance(pages, list):
                section[title] = [
                    FOLDERS[page]() if isinstance(page, str) and page in FOLDERS else page
                    for page in pages
                ]
    return config


FOLDERS: dict[str, Callable[[], dict[str, list[str]]]] = {
    "decisions": lambda: {
        "Decisions": [place for place in guests().values() if place.startswith("decisions/")]
    },
    "clients": lambda: {
        "From their pages only": [
            f"clients/{path.name}" for path in sorted((TOP / "docs/clients").glob("[a-z]*.md"))
        ]
    },
}
"""Folders of which every page is in the navigation, whoever adds one."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages from outside."""
    for source, place in guests().items():
        files.append(
            File.generated(config, place, content=(TOP / source).read_text(encoding="utf-8"))
        )
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Write a page of the repository as the site's Markdown wants it: its own links, dark twins of
    light pictures, no escapes within code.
    """
    if page.file.src_uri.startswith(QUIET):
        page.meta["search"] = {"exclude": True}
    sources = {place: source for source, place in guests().items()}
    source = sources.get(page.file.src_uri, f"docs/{page.file.src_uri}")
    text = CELL.sub(
        lambda code: code[0].replace("\\|", "|"),
        markdown.replace("<details>", '<details markdown="1">'),
    )
    return relinked(
        LIGHT.sub(r"![\1](\2-light.svg#only-light) ![\1](\2-dark.svg#only-dark)", text),
        source,
        page.file.src_uri,
    )


def on_post_page(output: str, page: Page, **_: object) -> str:
    """Refuse a page that would have its reader's browser fetch something from elsewhere."""
    if found := FETCHED.search(output):
        raise PluginError(f"{page.file.src_uri} fetches {found[0]}")
    return output


def on_post_build(config: MkDocsConfig) -> None:
    """Write ``llms.txt`` (llmstxt.org): what a model needs to find a page, in one short text."""
    Path(config.site_dir, "llms.txt").write_text("\n".join(index()) + "\n", encoding="utf-8")


def index() -> Iterator[str]:
    """Yield the lines of ``llms.txt``: each page with its first sentence; decisions apart."""
    yield "# interlock"
    yield ""
    yield (
        "> The safety layer between what an AI agent decides and what a machine does: every tool"
        " call is judged by what it would do, and answered allow, ask or deny."
    )
    yield ""
    yield "An agent that works under it reads [for-agents](for-agents.html) first."
    yield ""
    yield "## Pages"
    yield ""
    sources = {f"docs/{path.name}": path for path in sorted((TOP / "docs").glob("*.md"))}
    sources |= {place: TOP / source for source, place in SKILL.items()}
    for path in sources.values():
        text = re.sub(r"\A---\n.*?\n---\n", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        title = re.search(r"^# (.+)$", text, re.MULTILINE)
        place = guests().get(str(path.relative_to(TOP)), path.name).replace(".md", ".html")
        if title:
            yield f"- [{title[1]}]({place}): {first_sentence(text[title.end() :])}"


def first_sentence(text: str) -> str:
    """Return the first sentence of the first paragraph that is words, without links and marks."""
    for part in text.split("\n\n"):
        words = " ".join(part.split())
        if words and words[0].isalnum() | (words[0] in "`*"):
            plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", words).replace("**", "")
            return re.split(r"(?<=[.:?])\s", plain)[0]
    return ""


def relinked(text: str, source: str, place: str) -> str:
    """Return the text of ``source`` (a path in the repository) with its links as they are at
    ``place`` (a path on the site).
    """
    moved = guests()

    def link(found: re.Match[str]) -> str:
        words, target, anchor = found[1], found[2], found[3] or ""
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        if path not in moved and not path.startswith("docs/"):
            return words
        there = moved.get(path, path.removeprefix("docs/"))
        return f"[{words}]({posixpath.relpath(there, posixpath.dirname(place) or '.')}{anchor})"

    return LINK.sub(link, text)
