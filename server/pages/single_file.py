"""Bundle a page into a single offline file: inlined styles and scripts, nothing loaded.

A rendered template refers to our files by their addresses (``asset(path)``). Here each is inlined; the modules that a
script imports become one script. The file has its own content security policy, which allows exactly these scripts and
styles (by their hashes) and no fetching.
"""

import base64
import hashlib
import posixpath
import re
from collections.abc import Iterable
from graphlib import TopologicalSorter

from server.web.assets import Assets

SHEET = re.compile(r'<link rel="stylesheet" href="/static/([^"]+)"[^>]*>\n?')
SCRIPT = re.compile(r'<script(?: type="(module)")? src="/static/([^"]+)"></script>')
OTHER_LINK = re.compile(r"[ \t]*<link\b[^>]*>\n?")
"""Icons, alternate forms of the page, module preloads: links that are useless in a file on disk."""
CHARSET = re.compile(r'<meta charset="utf-8" ?/?>')
INLINE = re.compile(r'<(script|style)((?: type="module")?)>(.*?)</\1>', re.DOTALL)

IMPORTED = re.compile(r'^import (?:\{([^}]*)\} from )?"(\.[^"]+)";[ \t]*$', re.MULTILINE)
EXPORTED = re.compile(r"^export ((?:async )?function\*?|class|const) (?:(\w+)|\{([^}]*)\})", re.MULTILINE)
NOTHING_EXPORTED = re.compile(r"^export \{\};[ \t]*$", re.MULTILINE)
COMMENT = re.compile(r"^[ \t]*/\*\*(?:(?!\*/).)*\*/[ \t]*\n", re.MULTILINE | re.DOTALL)
"""JSDoc comments: two fifths of our modules."""
INDENT = re.compile(r"^[ \t]+", re.MULTILINE)
LEFT = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)


def single_file(page: str, assets: Assets) -> str:
    """The page with everything it references inlined, and a policy that allows exactly this.

    ``page`` is a rendered template. Its style sheets are ``<link rel="stylesheet" href="…">``, its scripts
    ``<script src="…"></script>`` or ``<script type="module" src="…"></script>``; any other ``<link>`` is left out. JSON
    in ``<script type="application/json">`` stays. Raises KeyError for a file that is not ours, ValueError for what
    cannot be inlined.
    """
    page = SHEET.sub(lambda found: f"<style>\n{_style(assets, found[1])}</style>\n", page)
    page = OTHER_LINK.sub("", page)
    page = SCRIPT.sub(lambda found: _script(assets, found[2], found[1] is not None), page)
    if "</head>" not in page or not CHARSET.search(page):
        raise ValueError("page: needs a head that says its character set")
    policy = f'<meta http-equiv="Content-Security-Policy" content="{_policy(page)}" />'
    return CHARSET.sub(lambda found: f"{found[0]}\n    {policy}", page, count=1)


def bundle(assets: Assets, path: str) -> str:
    """One module and everything it imports as a single script, in dependency order.

    Each becomes a function that returns the module's exports, so that names stay local. Modules must import and export
    by name and without cycles; anything else raises ValueError naming the module.
    """
    sources = {path: _module(assets, path)}
    graph: dict[str, set[str]] = {}
    waiting = [path]
    while waiting:
        name = waiting.pop()
        graph[name] = {_resolved(name, target) for _, target in IMPORTED.findall(sources[name])}
        for wanted in sorted(graph[name] - sources.keys()):
            sources[wanted] = _module(assets, wanted)
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


def _style(assets: Assets, path: str) -> str:
    style = _at(assets, path)
    if "url(" in style or "@import" in style or "</" in style:
        raise ValueError(f"{path}: refers to other files, or ends its element")
    return INDENT.sub("", style)


def _script(assets: Assets, path: str, is_module: bool) -> str:
    script = bundle(assets, path.partition("/")[2]) if is_module else _at(assets, path)
    if "<!--" in script:
        raise ValueError(f"{path}: '<!--' means something else inside an element")
    script = re.sub("</(?=script)", r"<\\/", script, flags=re.IGNORECASE)  # the same sign in any string of JavaScript
    kind = ' type="module"' if is_module else ""
    return f"<script{kind}>\n{script}</script>"


def _policy(page: str) -> str:
    inline: dict[str, list[str]] = {"script": [], "style": []}
    for tag, _, content in INLINE.findall(page):
        inline[tag].append(_hash(content))
    rules = {
        "default-src": ["'none'"],
        "script-src": inline["script"] or ["'none'"],
        "style-src": inline["style"] or ["'none'"],
        "img-src": ["data:", "blob:"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
    }
    return "; ".join(f"{name} {' '.join(_once(values))}" for name, values in rules.items())


def _once(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))


def _hash(content: str) -> str:
    """The CSP hash of an inline script (CSP 3, §6.7.3.3); line ends as the HTML parser normalises them."""
    digest = hashlib.sha256(content.replace("\r\n", "\n").encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _module(assets: Assets, path: str) -> str:
    """The module without comments and indentation; indentation stays if it has multi-line strings."""
    source = COMMENT.sub("", _at(assets, assets.url(path).removeprefix("/static/")))
    has_long_text = any(line.count("`") % 2 for line in source.splitlines())
    return source if has_long_text else INDENT.sub("", source)


def _at(assets: Assets, path: str) -> str:
    asset = assets.get(path)
    if asset is None:
        raise KeyError(f"no static file {path!r}")
    return asset.content.decode()
