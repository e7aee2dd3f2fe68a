"""The shape of the project, as far as a machine can hold it. What ruff already holds is not repeated here."""

import ast
import importlib
import re
import subprocess
from collections.abc import Iterator
from graphlib import TopologicalSorter
from html.parser import HTMLParser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CORE, SERVER, JS, CSS = ROOT / "attention_core", ROOT / "server", ROOT / "static" / "js", ROOT / "static" / "css"

WEB = {"fastapi", "httpx", "jinja2", "pydantic", "pydantic_settings", "server", "starlette", "uvicorn"}
MODELS = {"safetensors", "tokenizers", "torch", "transformers"}
OURS = {"attention_core", "server"}

# Routes whose name is not that of a module in attention_core, and the one that serves them (None: nothing to compute).
CLOSER_LOOKS = ("attribution", "difference", "export", "image", "logits", "output", "plane", "rollout", "tokens")
ROUTES_SERVED_BY = {
    **{f"analysis_{look}": "pretrained" for look in CLOSER_LOOKS},
    "analyses": "pretrained",
    "truncation": "pretrained",
    "claims": "pretrained",
    "context": "pretrained",
    "embedding": "pretrained",
    "head_scores": "pretrained",
    "health": None,
    "models": "pretrained",
    "parity": "pretrained",
    "oembed": None,
    "tensors": "pretrained",
}

# Routes below another's prefix: closer looks at an analysis, which together would not fit into one file.
BELOW = {f"analysis_{look}": "analyses" for look in CLOSER_LOOKS}

# Modules that are part of another's work and are tested through it: module → the test's stem.
TESTED_THROUGH = {
    "pretrained.devices": "catalog",
    "pretrained.distribution": "analysis",
    "pretrained.errors": "catalog",
    "pretrained.folder": "catalog",
    "pretrained.metrics": "survey",
    "pretrained.overview": "survey",
    "pretrained.parts": "survey",
    "pretrained.predictions": "analysis",
    "pretrained.sources": "catalog",
    "pretrained.tensor_json": "tensor_files",
    "pretrained.uploaded_layers": "uploaded",
}

LONGEST_SOURCE, LONGEST_TEST = 300, 400
LONGER: dict[str, str] = {}  # path → why it may be

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
            assert node.level == 0, f"{relative(path)}: imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def forbidden_imports(folder: str, packages: set[str]) -> list[str]:
    return [
        f"{relative(path)} imports {name}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for name in imported(path)
        if name.split(".")[0] in packages
    ]


# Imports point one way.


@pytest.mark.parametrize(
    ("folder", "packages"),
    [
        ("attention_core", WEB | {"recipes"}),
        ("server", MODELS | {"recipes"}),
        ("recipes", WEB),
        ("tools", {"server"}),
        ("benchmarks", {"server"}),
        ("client", OURS | WEB | MODELS),
    ],
)
def test_imports_point_one_way(folder: str, packages: set[str]) -> None:
    assert forbidden_imports(folder, packages) == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    files = {relative(path)[:-3].replace("/", ".").removesuffix(".__init__"): path for path in python_modules()}
    graph = {
        name: {known for wanted in imported(path) for known in (wanted, wanted.rpartition(".")[0]) if known in files}
        - {name}
        for name, path in files.items()
    }
    assert set(TopologicalSorter(graph).static_order()) == set(files)


def python_modules() -> list[Path]:
    return sorted([*CORE.rglob("*.py"), *SERVER.rglob("*.py")])


# One stem per concept, in every layer.


def stems(folder: Path, pattern: str) -> set[str]:
    """Names of the modules and packages in a folder, as `pattern` (one `*`) spells them."""
    before, after = pattern.split("*")
    return {
        path.name.removeprefix(before).removesuffix(after) for path in folder.glob(pattern) if path.name[:2] != "__"
    }


def core_stems() -> set[str]:
    return stems(CORE, "*.py") | {path.parent.name for path in CORE.glob("*/__init__.py")}


def route_stems() -> set[str]:
    return stems(SERVER / "routes", "*.py")


def test_every_route_has_a_test_of_its_name() -> None:
    assert route_stems() - stems(ROOT / "tests" / "server", "test_*.py") == set()


def test_every_route_is_served_by_a_core_module() -> None:
    assert set(ROUTES_SERVED_BY) & core_stems() == set(), "these need no exception"
    served_by = {ROUTES_SERVED_BY.get(stem, stem) for stem in route_stems()} - {None}
    assert served_by - core_stems() == set()


def test_every_route_is_in_the_registry() -> None:
    registry = importlib.import_module("server.routes").ROUTERS
    routers = {stem: importlib.import_module(f"server.routes.{stem}").router for stem in route_stems()}
    assert {stem for stem, router in routers.items() if router not in registry} == set()
    wrong = {
        stem: router.prefix
        for stem, router in routers.items()
        if router.prefix not in {"", f"/api/{BELOW.get(stem, stem)}"}
    }
    assert wrong == {}


def untested(package: str, modules: set[str], tests: set[str]) -> set[str]:
    """The modules of a package without a test of their name, or of the name they are tested through."""
    return {module for module in modules if TESTED_THROUGH.get(package + module, module) not in tests}


def test_every_core_module_has_a_test_of_its_name() -> None:
    tests = ROOT / "tests" / "attention_core"
    folders = {path.name for path in tests.iterdir() if path.is_dir()}
    assert untested("", core_stems(), stems(tests, "test_*.py") | folders) == set()


@pytest.mark.parametrize("package", [path.parent.name for path in sorted(CORE.glob("*/__init__.py"))])
def test_every_module_of_a_core_package_has_a_test_of_its_name(package: str) -> None:
    tests = stems(ROOT / "tests" / "attention_core" / package, "test_*.py")
    assert untested(f"{package}.", stems(CORE / package, "*.py"), tests) == set()


def test_every_exception_is_needed() -> None:
    tests = ROOT / "tests" / "attention_core"
    names = [module.replace(".", "/").rpartition("/") for module in TESTED_THROUGH]
    assert [name for folder, _, name in names if (tests / folder / f"test_{name}.py").exists()] == []
    assert [module for module in TESTED_THROUGH if not (CORE / f"{module.replace('.', '/')}.py").exists()] == []


def rooms(folder: Path) -> set[str]:
    """Its folders, without what belongs to all concepts."""
    return {path.name for path in folder.iterdir() if path.is_dir()} - {"frame"}


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


def test_softmax_is_computed_in_one_place() -> None:
    calls = [
        call for path in sorted(CORE.rglob("*.py")) if path.name != SOFTMAX_BELONGS_TO for call in softmax_calls(path)
    ]
    assert calls == []


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
        (r"\bPlotly\b", {"plot.js", "plot.d.ts"}),
        (
            r"\bfetch\(|\bXMLHttpRequest\b|\bEventSource\b|\bWebSocket\b|\bsendBeacon\b",
            {"api_request.js", "server_events.js"},
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
