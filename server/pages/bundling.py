"""Join a page's style sheets into one and its modules into one script, and minify them, without Node.

Both are minified by tdewolff-minify. It has no build for Macs with Apple's processors; there they are joined alone.
"""

import posixpath
import re
from graphlib import TopologicalSorter

from server.web.assets import Assets

try:
    import minify
except ImportError:
    minify = None

IMPORTED = re.compile(r'^import (?:\{([^}]*)\} from )?"(\.[^"]+)";[ \t]*$', re.MULTILINE)
EXPORTED = re.compile(r"^export ((?:async )?function\*?|class|const) (?:(\w+)|\{([^}]*)\})", re.MULTILINE)
NOTHING_EXPORTED = re.compile(r"^export \{\};[ \t]*$", re.MULTILINE)
LEFT = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)


def join_sheets(assets: Assets, paths: list[str]) -> str:
    """Style sheets as one, in order. Raises ValueError for a sheet that refers to other files."""
    return "\n".join(minified_sheet(path, assets.own(path)) for path in paths)


def minified_sheet(path: str, source: str) -> str:
    """A style sheet, minified. Raises ValueError if it could not stand elsewhere."""
    if "url(" in source or "@import" in source or "</" in source:
        raise ValueError(f"{path}: refers to other files, or ends its element")
    return _minified("text/css", source)


def minified_script(source: str) -> str:
    """A script, minified: the same program with short local names."""
    return _minified("text/javascript", source)


def _minified(media_type: str, source: str) -> str:
    return minify.string(media_type, source) if minify and source else source


def bundle(assets: Assets, *paths: str) -> str:
    """Modules and everything they import as a single script, in dependency order.

    Each becomes a function that returns the module's exports, so that names stay local. Modules must import and export
    by name and without cycles; anything else raises ValueError naming the module.
    """
    sources = {path: assets.own(path) for path in paths}
    graph: dict[str, set[str]] = {}
    waiting = list(paths)
    while waiting:
        name = waiting.pop()
        graph[name] = {_resolved(name, target) for _, target in IMPORTED.findall(sources[name])}
        for wanted in sorted(graph[name] - sources.keys()):
            sources[wanted] = assets.own(wanted)
            waiting.append(wanted)
    return "".join(_as_function(name, sources[name]) for name in TopologicalSorter(graph).static_order())


def _as_function(name: str, source: str) -> str:
    exported = [one for _, single, several in EXPORTED.findall(source) for one in (single or several).split(",")]
    source = NOTHING_EXPORTED.sub("", IMPORTED.sub(lambda found: _taken(name, found[1], found[2]), source))
    source = EXPORTED.sub(lambda found: found[0].removeprefix("export "), source)
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


def _constant(name: str) -> str:
    return "module_" + re.sub(r"\W", "_", name.removesuffix(".js"))


def _resolved(name: str, target: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), target))
