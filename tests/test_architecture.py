"""Architecture rules that ruff and import-linter cannot express."""

import ast
import importlib
import re
import subprocess
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CORE, SERVER, JS, CSS = ROOT / "attention_core", ROOT / "server", ROOT / "static" / "js", ROOT / "static" / "css"

LONGEST_SOURCE, LONGEST_TEST = 300, 400
LONGER: dict[str, str] = {  # path → why it may be
    "attention_core/pretrained/models/catalog.py": "one class: which models there are, and which are in memory",
    "client/attention_observatory/api/answers.py": "made from the OpenAPI document",
    "client/attention_observatory/api/operations.py": "made from the OpenAPI document",
    "server/pages/glossary.py": "one list of definitions",
    "server/routes/concepts/training.py": "a concept's routes, with their figures beside them",
    "server/routes/concepts/scaling.py": "a concept's routes, with their figures beside them",
    "static/js/concepts/rope/steps.js": "one calculation for each of eight views",
}

SOFTMAX_BELONGS_TO = "attend.py"


def tracked() -> list[Path]:
    """Every file of the project, new ones included, ignored ones not."""
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    ).stdout.decode()
    return sorted({path for name in names.split("\0") if name and (path := ROOT / name).is_file()})


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imported(path: Path) -> Iterator[str]:
    """The full name of every module, or name within one, that a file imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = relative(path).split("/")[: -node.level] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{module}.{alias.name}" for alias in node.names)


def test_only_the_server_imports_relatively_and_never_by_its_name() -> None:
    """In the wheel it has another name, that everybody's site-packages may hold."""
    named = re.compile(r"^\s*(?:from|import) server\b", re.MULTILINE)
    assert [relative(path) for path in SERVER.rglob("*.py") if named.search(path.read_text(encoding="utf-8"))] == []
    above = re.compile(r"^\s*from \.", re.MULTILINE)
    core = [path for path in CORE.rglob("*.py") if path.parent.name != "reach"]  # the client's wheel carries this room
    assert [relative(path) for path in core if above.search(path.read_text(encoding="utf-8"))] == []


# One stem per concept, in every layer.


def stems(folder: Path, pattern: str) -> set[str]:
    """Names of the modules and packages in a folder, as `pattern` (one `*`) spells them."""
    before, after = pattern.split("*")
    return {
        path.name.removeprefix(before).removesuffix(after) for path in folder.glob(pattern) if path.name[:2] != "__"
    }


def route_stems() -> set[str]:
    return {path.stem for path in route_modules()}


def route_modules() -> list[Path]:
    """The modules that define a router, each in its room of server/routes."""
    return [path for path in sorted((SERVER / "routes").glob("*/*.py")) if "\nrouter = " in path.read_text("utf-8")]


def core_stems() -> set[str]:
    """Names of the modules and rooms in attention_core, wherever they are."""
    return {path.parent.name if path.name == "__init__.py" else path.stem for path in CORE.rglob("*.py")}


def test_every_concept_has_its_name_in_the_core() -> None:
    assert stems(SERVER / "routes" / "concepts", "*.py") - core_stems() == set()


def test_every_route_has_a_test_of_its_name() -> None:
    assert {relative(path) for path in route_modules() if not mirrored_test(path).is_file()} == set()


def test_every_route_is_in_the_registry_under_its_own_name() -> None:
    registry = importlib.import_module("server.routes").ROUTERS
    routers = {path: importlib.import_module(dotted(path)).router for path in route_modules()}
    assert {relative(path) for path, router in routers.items() if router not in registry} == set()
    wrong = {
        relative(path): router.prefix
        for path, router in routers.items()
        if router.prefix not in {"", f"/api/{path.stem}", f"/api/{path.parent.name}"}
    }
    assert wrong == {}


# Tests stand in the rooms of what they test.


def dotted(path: Path) -> str:
    """A module's full name."""
    return relative(path)[:-3].replace("/", ".").removesuffix(".__init__")


def mirrored_test(path: Path) -> Path:
    """Where the test of a module stands."""
    folder, _, name = relative(path).rpartition("/")
    return ROOT / "tests" / folder / f"test_{name}"


@pytest.mark.full
def test_every_core_module_is_tested_under_its_name_or_that_of_a_module_that_uses_it() -> None:
    files = [path for path in sorted(CORE.rglob("*.py")) if path.name != "__init__.py"]
    named = [path for path in files if mirrored_test(path).is_file()]
    used = {name.rpartition(".")[0] for path in named for name in imported(path)}
    assert [relative(path) for path in files if path not in named and dotted(path) not in used] == []


@pytest.mark.parametrize("package", [CORE, SERVER], ids=lambda package: package.name)
def test_tests_stand_in_the_same_rooms(package: Path) -> None:
    tests = ROOT / "tests" / package.name
    rooms = {path.parent.relative_to(tests) for path in tests.rglob("test_*.py")}
    assert {relative(tests / room) for room in rooms if not (package / room / "__init__.py").is_file()} == set()


def rooms(folder: Path) -> set[str]:
    """Its folders, without what belongs to all concepts."""
    return {path.name for path in folder.iterdir() if path.is_dir()} - {"frame"}


def test_every_concept_is_one_literal_with_its_parts_in_the_order_of_the_contract() -> None:
    contract = (JS / "concepts" / "frame" / "concept.js").read_text(encoding="utf-8")
    parts = contract.partition("@typedef {object} Parts")[2].partition("*/")[0]
    order = re.findall(r"@property \{.*?\} \[?(\w+)\]?(?:  |$)", parts, re.MULTILINE)
    assert order[:2] + order[-3:] == ["stem", "fields", "steps", "pytorch", "difference"]
    for index in sorted((JS / "concepts").glob("*/index.js")):
        page = index.read_text(encoding="utf-8")
        literal = re.search(r"^concept\(\{\n(.*?)^\}\);\n\Z", page, re.DOTALL | re.MULTILINE)
        assert literal, index
        assert not re.search(r"^(?!import |/\*\*|concept\(|\}\);| )\S", page, re.MULTILINE), index
        keys = re.findall(r"^  (\w+)[:,]", literal[1], re.MULTILINE)
        assert keys == [part for part in order if part in keys], index


def test_every_concept_with_a_page_has_a_room_of_its_name_in_every_layer() -> None:
    pages = stems(ROOT / "templates" / "concepts", "*.html") - {"frame"}
    assert rooms(JS / "concepts") == pages
    assert pages - stems(CSS / "concepts", "*.css") == set()
    assert pages - stems(ROOT / "tests" / "browser" / "concepts", "test_*.py") == set()
    assert {stem for stem in pages if not (JS / "concepts" / stem / "index.js").is_file()} == set()
    assert pages - route_stems() == set()


# One softmax.


def softmax_calls(path: Path) -> list[str]:
    """Where torch's softmax is used rather than ours: `torch.softmax`, `F.softmax`, `x.softmax`, `nn.Softmax`."""
    return [
        f"{relative(path)}:{node.lineno} {ast.unparse(node)}"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and node.attr.lower() in {"softmax", "log_softmax", "logsoftmax"}
        and ast.unparse(node.value) != "attend"
    ]


@pytest.mark.full
def test_softmax_is_computed_in_one_place() -> None:
    calls = [
        call for path in sorted(CORE.rglob("*.py")) if path.name != SOFTMAX_BELONGS_TO for call in softmax_calls(path)
    ]
    assert calls == []


@pytest.mark.full
def test_docstrings_can_be_encoded() -> None:
    """Python 3.13 encodes them when it compiles a module, and cannot import one that names half a surrogate pair."""
    bad = []
    for path in tracked():
        if path.suffix == ".py":
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                    text = ast.get_docstring(node, clean=False) or ""
                    bad += [f"{relative(path)}: {text!r}"] if re.search("[\ud800-\udfff]", text) else []
    assert bad == []


# What the page is made of.


class Inline(HTMLParser):
    """Collects script, handlers and styles that stand in the template itself."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._in_script = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        runs = attributes.get("type") not in {"application/json", "application/ld+json"}
        self._in_script = tag == "script" and runs
        self.found += [f"{tag} {name}=" for name in attributes if name.startswith("on") or name == "style"]
        self.found += [f"{tag} {value}" for value in attributes.values() if (value or "").startswith("javascript:")]
        if tag == "style":
            self.found.append("style element")

    def handle_data(self, data: str) -> None:
        if self._in_script and data.strip():
            self.found.append(f"inline script {data.strip()[:40]!r}")

    def handle_endtag(self, tag: str) -> None:
        self._in_script = False


def inline(template: str) -> list[str]:
    parser = Inline()
    parser.feed(re.sub(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", "", template, flags=re.DOTALL))
    parser.close()
    return parser.found


def test_templates_hold_no_inline_code() -> None:
    found = {relative(path): inline(path.read_text(encoding="utf-8")) for path in (ROOT / "templates").rglob("*.html")}
    assert {path: places for path, places in found.items() if places} == {}


def test_the_search_for_inline_code_finds_it() -> None:
    template = """<p onclick="x" style="color: red"><script src="a"></script><script>go()</script>
    <script type="application/json">{"a": 1}</script><a href="javascript:go()">x</a><style>p {}</style>"""
    assert inline(template) == [
        "p onclick=",
        "p style=",
        "inline script 'go()'",
        "a javascript:go()",
        "style element",
    ]


def without_comments(source: str) -> str:
    """JavaScript or CSS without its comments, lines kept. (`://` is no comment.)"""
    source = re.sub(r"/\*.*?\*/", lambda comment: "\n" * comment[0].count("\n"), source, flags=re.DOTALL)
    return re.sub(r"(?<![:\"'`/\\])//[^\n]*", "", source)


def uses(pattern: str, paths: Iterator[Path], allowed: set[str]) -> list[str]:
    """Lines outside the allowed files, comments aside, that match."""
    return [
        f"{relative(path)}:{number} {line.strip()[:80]}"
        for path in sorted(paths)
        if path.name not in allowed
        for number, line in enumerate(without_comments(path.read_text(encoding="utf-8")).splitlines(), start=1)
        if re.search(pattern, line)
    ]


@pytest.mark.parametrize(
    ("pattern", "allowed"),
    [
        (r"\b(innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|document\.write)\b", set()),
        (r"\beval\(|\bnew Function\(|\bset(Timeout|Interval)\(\s*[\"'`]", set()),
        (r"\bPlotly\b", {"plot_drawing.js"}),
        (
            r"\bfetch\(|\bXMLHttpRequest\b|\bEventSource\b|\bWebSocket\b|\bsendBeacon\b",
            {"relay.js", "server_events.js"},
        ),
        (r"[\"'`]#[0-9a-fA-F]{3,8}\b[\"'`]|\b(rgba?|hsla?|oklch|oklab)\((?!0, ?0, ?0, ?0\))\s*\d", set()),
    ],
    ids=["html", "eval", "plotly", "fetch", "colours"],
)
def test_scripts_keep_to_their_places(pattern: str, allowed: set[str]) -> None:
    assert uses(pattern, JS.rglob("*.js"), allowed) == []


def test_colours_live_in_the_tokens() -> None:
    colour = r":[^;{}]*(#[0-9a-fA-F]{3,8}\b|\b(rgba?|hsla?|oklch|oklab|lab|lch|hwb)\()"
    assert uses(colour, CSS.rglob("*.css"), {"tokens.css"}) == []


def test_every_script_test_is_run() -> None:
    """`make test-js` runs tests/js/**/*.test.js; whatever else is there is in a folder named `simulated`."""
    others = [path for path in (ROOT / "tests" / "js").rglob("*.js") if not path.name.endswith(".test.js")]
    assert [relative(path) for path in others if path.parent.name != "simulated"] == []


def test_every_script_test_stands_in_the_room_of_its_script() -> None:
    tests = ROOT / "tests" / "js"
    rooms_tested = {path.parent.relative_to(tests) for path in tests.rglob("*.test.js")}
    assert {room.as_posix() for room in rooms_tested if not (JS / room).is_dir()} == set()


TYPE = re.compile(r"@(?:type|param|returns|property|typedef|template) (\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})")


def test_no_script_types_anything_as_any() -> None:
    found = [
        f"{relative(path)}: {type_}"
        for path in sorted(JS.rglob("*.js"))
        for type_ in TYPE.findall(path.read_text(encoding="utf-8"))
        if re.search(r"\bany\b", re.sub(r'"[^"]*"', "", type_))
    ]
    assert found == [], (
        'Say what it is: AnswerTo<"rope"> for an answer, Body<"rope"> for a request (static/js/api/types.js), a type '
        "parameter (@template) for what is passed on, unknown for what nobody looks into."
    )


def test_addresses_are_relative_to_the_page() -> None:
    """A proxy may offer the application below any path: `placed` in scripts, `root` in templates."""
    fixed = re.compile(r"""(?:href|src|action|data-embed)(?:=|: | = )["'`]/(?!/)""")
    sources = [*JS.rglob("*.js"), *(ROOT / "templates").rglob("*.html")]
    assert [relative(path) for path in sources if fixed.search(path.read_text(encoding="utf-8"))] == []


# Size, and what must not be in the repository.


def test_files_are_short() -> None:
    too_long = {}
    for path in tracked():
        if path.suffix in {".css", ".html", ".js", ".py"} and relative(path) not in LONGER:
            lines = len(path.read_text(encoding="utf-8").splitlines())
            if lines > (LONGEST_TEST if relative(path).startswith("tests/") else LONGEST_SOURCE):
                too_long[relative(path)] = lines
    assert too_long == {}


def test_exceptions_for_length_are_needed() -> None:
    assert {path for path in LONGER if len((ROOT / path).read_text().splitlines()) <= LONGEST_SOURCE} == set()


FORBIDDEN = "|".join(
    re.escape(part)
    for part in (
        *("/wo" + "rk/", "/ro" + "ot/", "../sha" + "red", "/opt/" + "wheels"),
        *(host + "." + domain for host, domain in [("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org")]),
    )
)


def test_nothing_of_one_machine_is_in_the_repository() -> None:
    found = []
    for path in tracked():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # a picture or weights
        found += [f"{relative(path)}: {match[0]}" for match in re.finditer(FORBIDDEN, text)]
    assert found == []
