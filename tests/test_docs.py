"""The documents name existing paths, functions, Japanese terms and links."""

import re
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "client/README.md")),
    *sorted((ROOT / "docs").glob("*.md")),
]
WITH_LINKS = [*DOCUMENTS, *sorted((ROOT / "deploy").glob("*/README.md"))]
ROOMS = ("attention_core", "server", "static", "templates", "tests", "client", "recipes")
TOP = {path.name for path in ROOT.iterdir()}
FILES = re.compile(r"\.(css|html|js|md|po|py|toml|json)$")
CODE = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"[\w.<>*-]+(/[\w.<>*-]+)*/?")
FUNCTION = re.compile(r"`([\w./]+\.(?:js|py))` ·\s+`(\w+)`")
TERM = re.compile(r"^- \*\*[^*]+\*\* · ([^—]+) —", re.MULTILINE)
IN_BRACKETS = re.compile(r"\(([^()]*[぀-ヿ一-鿿][^()]*)\)")


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def paths_in(text: str) -> list[str]:
    """What stands in backticks and looks like a path of this repository; `<stem>` stands for any."""
    return [
        name
        for name in CODE.findall(re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))
        if PATH.fullmatch(name)
        and ("/" in name or FILES.search(name))
        and (name.split("/")[0] in TOP or FILES.search(name))
    ]


def exists(name: str) -> bool:
    """A path from the top, or the name of a file in any room."""
    pattern = re.sub(r"<\w+>", "*", name).rstrip("/")
    return any(ROOT.glob(pattern)) or ("/" not in name and any(any((ROOT / room).rglob(name)) for room in ROOMS))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_path_named_exists(document: Path) -> None:
    assert [name for name in paths_in(read(document)) if not exists(name)] == []


def test_the_search_for_paths_finds_them() -> None:
    text = "`README.md` and `server/<stem>.py`, `gone/away.py`, but not `POST /api/rope`, `/rope`, `np.load`, `1/√d`"
    found = paths_in(text)
    assert found == ["README.md", "server/<stem>.py", "gone/away.py"]
    assert [exists(name) for name in found] == [True, True, False]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_function_named_is_defined_in_its_file(document: Path) -> None:
    definition = r"\b(?:def|class|function|const) {}\b"
    named = [(ROOT / path, name) for path, name in FUNCTION.findall(read(document)) if (ROOT / path).exists()]
    assert [pair for pair in named if not re.search(definition.format(pair[1]), read(pair[0]))] == []


def headings(text: str) -> set[str]:
    """What a link can name behind #, made from each heading as GitHub makes it."""
    titles = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def dead_links(document: Path, text: str) -> list[str]:
    """Links within the repository, of this text in this document's place, whose file or heading does not exist."""
    dead = []
    for link in re.findall(r"\]\(([^):\s]+)\)", text):
        name, _, heading = link.partition("#")
        target = document.parent / name if name else document
        if not target.exists() or (heading and heading not in headings(read(target) if name else text)):
            dead.append(link)
    return dead


@pytest.mark.parametrize("document", WITH_LINKS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(document: Path) -> None:
    assert dead_links(document, read(document)) == []


def test_the_search_for_dead_links_finds_files_and_headings() -> None:
    text = (
        "# A `title`, here\n```\n# no heading\n```\n[1](docs/api.md#the-api) [2](#a-title-here) [3](docs/gone.md)\n"
        "[4](docs/api.md#gone) [5](#no-heading) [6](https://example.org/#any) ![7](docs/gone.png)\n"
    )
    assert dead_links(ROOT / "README.md", text) == ["docs/gone.md", "docs/api.md#gone", "#no-heading", "docs/gone.png"]


def test_the_glossary_has_the_japanese_of_the_pages() -> None:
    with (ROOT / "locales/ja/LC_MESSAGES/messages.po").open("rb") as file:
        pages = "\n".join(str(message.string) for message in read_po(file) if message.id)
    glossary = read(ROOT / "docs" / "glossary.md")
    terms = [term.strip() for found in TERM.findall(glossary) for term in found.split(",")]
    terms += IN_BRACKETS.findall(glossary)
    assert len(terms) > 30
    assert [term for term in terms if term not in pages] == []
