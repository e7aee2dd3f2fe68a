"""Join a page's style sheets into one and its modules into one script, without Node.

Comments and indentation are left out, of sheets blanks beside signs too, and nothing else: minifiers that run without
Node were tried, and each changed what some module does (rjsmin inside nested template literals, tdewolff's by
reordering declarations).
"""

import posixpath
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter

from ..web.assets import DEFERRED, Assets, beside

IMPORTED = re.compile(r'^import (?:\{([^}]*)\} from )?"(\.[^"]+)";[ \t]*$', re.MULTILINE)
EXPORTED = re.compile(r"^export ((?:async )?function\*?|class|const) (?:(\w+)|\{([^}]*)\})", re.MULTILINE)
NOTHING_EXPORTED = re.compile(r"^export \{\};[ \t]*$", re.MULTILINE)
COMMENT = re.compile(r"^[ \t]*/\*\*(?:(?!\*/).)*\*/[ \t]*\n", re.MULTILINE | re.DOTALL)
"""JSDoc comments: two fifths of our modules."""
INLINE_COMMENT = re.compile(r"/\*\*(?:(?!\*/).)*\*/ ?|^[ \t]*//.*\n|(?<=[;,{]) // .*$", re.MULTILINE)
"""Types within a line, and remarks. In a string of our modules they would be gone, too: a test parses them all."""
INDENT = re.compile(r"^[ \t]+", re.MULTILINE)
SHEET_COMMENT = re.compile(r"/\*.*?\*/\s*", re.DOTALL)
SHEET_BLANKS = re.compile(r"(?<=[{};,])\n+| (?=\{$)|(?<=^[a-z])(?P<name>[a-z-]*): ", re.MULTILINE)
"""After the end of a line's rule, before its brace, after a property's name: in no string of several lines."""
ADDRESS = re.compile(r'url\("([^":]+)"\)')
"""A file of ours that a sheet refers to, relative to itself."""
SHEET_LOADER = """let module_styled = null;
const module_sheet = (address) => module_styled ??= new Promise((resolve, reject) => {
const href = new URL(address, import.meta.url).href;
const link = document.createElement("link");
const failed = () => { module_styled = null; link.remove(); reject(new Error(href)); };
document.head.append(Object.assign(link, { rel: "stylesheet", href, onload: resolve, onerror: failed }));
});
"""
"""Loads the second sheet once; after a failure the next call tries again."""
LEFT = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)


def join_sheets(assets: Assets, paths: list[str]) -> str:
    """Style sheets as one, in order; other files of ours are named relative to it. Raises as `compact_sheet`."""
    return "".join(compact_sheet(path, assets.own(path), lambda file: beside(assets.url(file))) for path in paths)


def compact_sheet(path: str, source: str, address: Callable[[str], str]) -> str:
    """A style sheet without comments, indentation and blanks that mean nothing, fit to stand elsewhere.

    ``url("../fonts/x.woff2")`` becomes ``address("fonts/x.woff2")``. Raises ValueError for a sheet that imports others,
    refers to other hosts or ends its element, KeyError for an unknown file.
    """
    if "@import" in source or "</" in source or "url(" in ADDRESS.sub("", source):
        raise ValueError(f"{path}: refers to other sheets or hosts, or ends its element")
    source = ADDRESS.sub(lambda match: f'url("{address(_resolved(path, match[1]))}")', source)
    source = INDENT.sub("", SHEET_COMMENT.sub("", source))
    return SHEET_BLANKS.sub(lambda match: f"{match['name']}:" if match["name"] is not None else "", source)


def compact_script(source: str) -> str:
    """A script without comments and, unless it has strings of several lines, without indentation."""
    source = INLINE_COMMENT.sub("", COMMENT.sub("", source))
    has_long_text = any(line.count("`") % 2 for line in source.splitlines())
    return source if has_long_text else INDENT.sub("", source)


def inside_element(path: str, script: str) -> str:
    """The same program, fit to stand between ``<script>`` and ``</script>``. Raises ValueError if it cannot be."""
    if "<!--" in script:
        raise ValueError(f"{path}: '<!--' means something else inside an element")
    return re.sub("</(?=script)", r"<\\/", script, flags=re.IGNORECASE)  # the same sign in any string of JavaScript


def inline_script(assets: Assets, path: str) -> str:
    """A script of ours that is no module, to stand in a page. Raises KeyError for an unknown file."""
    return inside_element(path, compact_script(assets.own(path)))


def bundle(assets: Assets, *paths: str, serve: Callable[[str], str] | None = None, sheet: str = "") -> str:
    """Modules and everything they import as a single script, in dependency order.

    Each becomes a function that returns the module's exports, so that names stay local. Modules must import and export
    by name and without cycles; anything else raises ValueError naming the module.

    What is only imported later, with ``() => import("…")``, is in the same script too, unless ``serve`` is given: that
    takes a second script, with all modules that the first does not hold, and returns its address. Its modules are
    handed out once the style sheet at the address ``sheet``, if any, is there too.
    """
    modules = _read(assets, paths)
    order = list(TopologicalSorter({name: sorted(module.imports) for name, module in modules.items()}).static_order())
    first = _closure(modules, paths) if serve else set(order)
    rest = [name for name in order if name not in first]
    begun = _as_second_script(modules, rest, serve, sheet) if serve and rest else ""
    return begun + "".join(_as_function(name, modules[name], first) for name in order if name in first)


@dataclass(frozen=True)
class _Module:
    source: str
    imports: frozenset[str]
    later: frozenset[str]
    """What it imports when it is needed."""


def _read(assets: Assets, paths: Iterable[str]) -> dict[str, _Module]:
    """The modules, and all that they lead to."""
    modules: dict[str, _Module] = {}
    waiting = list(paths)
    while waiting:
        name = waiting.pop()
        if name in modules:
            continue
        modules[name] = module = _module(name, assets.own(name))
        waiting += sorted(module.imports | module.later)
    return modules


@cache  # most modules are on most pages
def _module(name: str, source: str) -> _Module:
    source = compact_script(source)
    imports = frozenset(_resolved(name, target) for _, target in IMPORTED.findall(source))
    later = frozenset(_resolved(name, target) for target in DEFERRED.findall(source))
    return _Module(source, imports, later)


def _closure(modules: dict[str, _Module], paths: Iterable[str]) -> set[str]:
    """The modules that these need at once."""
    closure: set[str] = set()
    waiting = set(paths)
    while waiting:
        closure |= waiting
        waiting = {imported for name in waiting for imported in modules[name].imports} - closure
    return closure


def _as_second_script(modules: dict[str, _Module], rest: list[str], serve: Callable[[str], str], sheet: str) -> str:
    """Serve the rest as a function of the modules that it shares with the first script; return what loads it.

    A browser may remember for an address that it could not be loaded, so that each attempt has another.
    """
    held = set(rest)
    shared = ", ".join(
        sorted(_constant(imported) for imported in {one for name in rest for one in modules[name].imports} - held)
    )
    functions = "".join(_as_function(name, modules[name], held) for name in rest)
    handed_out = ", ".join(map(_constant, rest))
    address = serve(f"export const link = ({{ {shared} }}) => {{\n{functions}return {{ {handed_out} }};\n}};\n")
    script = f'import("{address}" + "?".repeat(module_attempts++))'
    loaded = (
        f'Promise.all([{script}, module_sheet("{sheet}")]).then(([{{ link }}]) =>'
        if sheet
        else f"{script}.then(({{ link }}) =>"
    )
    return (
        f"{SHEET_LOADER if sheet else ''}let module_attempts = 0;\nlet module_loading = null;\n"
        f"const module_rest = () => module_loading ??= {loaded} link({{ {shared} }}))"
        ".catch((error) => { module_loading = null; throw error; });\n"
    )


def _as_function(name: str, module: _Module, held: set[str]) -> str:
    return _function(name, module.source, module.later & held)


@cache
def _function(name: str, source: str, held: frozenset[str]) -> str:
    exported = [
        exported_name
        for _, single, several in EXPORTED.findall(source)
        for exported_name in (single or several).split(",")
    ]
    source = NOTHING_EXPORTED.sub("", IMPORTED.sub(lambda match: _taken(name, match[1], match[2]), source))
    source = DEFERRED.sub(lambda match: _taken_later(_resolved(name, match[1]), held), source)
    source = EXPORTED.sub(lambda match: match[0].removeprefix("export "), source)
    left = LEFT.search(source)
    if left:
        raise ValueError(f"{name}: {left[0]!r} cannot stand in one file")
    handed_out = ", ".join(filter(None, map(str.strip, exported)))
    return f"const {_constant(name)} = (() => {{\n{source}\nreturn {{ {handed_out} }};\n}})();\n"


def _taken(name: str, names: str | None, target: str) -> str:
    """The bundled replacement of an import."""
    if names is None:
        return ""
    renamed = re.sub(r"\bas\b", ":", names)
    return f"const {{{renamed}}} = {_constant(_resolved(name, target))};"


def _taken_later(name: str, held: frozenset[str]) -> str:
    """The bundled replacement of a later import: of a module in the same script, or in the second one."""
    if name in held:
        return f"=> Promise.resolve().then(() => {_constant(name)})"
    return f"=> module_rest().then(({{ {_constant(name)} }}) => {_constant(name)})"


def _constant(name: str) -> str:
    return "module_" + re.sub(r"\W", "_", name.removesuffix(".js"))


def _resolved(name: str, target: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), target))
