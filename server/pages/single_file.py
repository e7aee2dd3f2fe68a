"""Bundle a page into a single offline file: inlined styles and scripts, nothing loaded.

A rendered template refers to our files by their addresses (``asset(path)``). Here each is inlined; the modules that a
script imports become one script. The file has its own content security policy, which allows exactly these scripts and
styles (by their hashes) and no fetching.

Our modules stand in it compressed, a third of their size; three lines unpack them. A page with charts carries Plotly in
the same way, which the page unpacks when a chart comes into view.
"""

import base64
import gzip
import re
from collections.abc import Iterable

from ..web.assets import Assets
from ..web.security import source_hash
from .bundling import bundle, compact_sheet, inside_element

SHEET = re.compile(r'<link rel="stylesheet" href="[./]*/static/([^"]+)"[^>]*>\n?')
SCRIPT = re.compile(r'<script type="module" src="[./]*/static/([^"]+)"></script>')
OTHER_LINK = re.compile(r"[ \t]*<link\b[^>]*>\n?")
"""Icons, alternate forms of the page, module preloads: links that are useless in a file on disk."""
ADDRESS = re.compile(r'url\("?/static/([^")]+)"?\)')
CHARSET = re.compile(r'<meta charset="utf-8" ?/?>')
CHARTING = '<script type="text/plain" data-charting></script>'
"""Where a page with charts has Plotly."""
UNPACK = """
const packed = document.querySelector("script[data-packed-module]").textContent;
const bytes = Uint8Array.from(atob(packed), (sign) => sign.charCodeAt(0));
const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
const script = Object.assign(document.createElement("script"), { type: "module" });
script.textContent = await new Response(stream).text();
document.head.append(script);
"""
"""Runs the module that stands before it, compressed."""
INLINE = re.compile(r'<(script|style)((?: type="module")?)>(.*?)</\1>', re.DOTALL)


def single_file(page: str, assets: Assets) -> str:
    """The page with everything it references inlined, and a policy that allows exactly this.

    ``page`` is a rendered template. Its style sheets are ``<link rel="stylesheet" href="…">``, its modules
    ``<script type="module" src="…"></script>``; any other ``<link>`` is left out. What stands in ``<script>``
    stays, JSON in ``<script type="application/json">`` too. Raises KeyError for a file that is not ours, ValueError
    for what cannot be inlined.
    """
    page = SHEET.sub(lambda found: f"<style>\n{_style(assets, found[1])}</style>\n", page)
    page = OTHER_LINK.sub("", page)
    scripts: list[str] = []
    page = SCRIPT.sub(lambda found: _packed_module(_script(assets, found[1]), scripts), page)
    if "</head>" not in page or not CHARSET.search(page):
        raise ValueError("page: needs a head that says its character set")
    has_charts = CHARTING in page
    if has_charts:
        scripts.append(assets.plotly.content.decode())
    policy = f'<meta http-equiv="Content-Security-Policy" content="{_policy(page, scripts, has_charts=has_charts)}" />'
    page = page.replace(CHARTING, CHARTING.replace("></", f">{base64.b64encode(assets.plotly.compressed).decode()}</"))
    return CHARSET.sub(lambda found: f"{found[0]}\n    {policy}", page, count=1)


def _data_address(assets: Assets, address: str) -> str:
    asset = assets.get(address)
    if asset is None:
        raise KeyError(f"no static file {address!r}")
    return f"data:{asset.media_type};base64,{base64.b64encode(asset.content).decode()}"


def _style(assets: Assets, path: str) -> str:
    """A sheet with the files it refers to as ``data:`` addresses."""
    sheet = assets.text(path)
    if assets.is_own(path):
        sheet = compact_sheet(path, sheet, lambda file: f"/static/{file}")
    return ADDRESS.sub(lambda found: f"url({_data_address(assets, found[1])})", sheet)


def _script(assets: Assets, path: str) -> str:
    script = bundle(assets, path.partition("/")[2]) if assets.is_own(path) else assets.text(path)
    return inside_element(path, script)


def _packed_module(script: str, scripts: list[str]) -> str:
    """The module in as little room as it takes, and what runs it; it is added to the scripts that may run."""
    if scripts:
        raise ValueError("page: has more than one module")
    scripts.append(script)
    packed = base64.b64encode(gzip.compress(script.encode(), mtime=0)).decode()
    return f'<script type="text/plain" data-packed-module>{packed}</script>\n<script type="module">{UNPACK}</script>'


def _policy(page: str, scripts: list[str], *, has_charts: bool) -> str:
    """``scripts``: what is packed in the page."""
    inline: dict[str, list[str]] = {"script": [], "style": []}
    for tag, _, content in INLINE.findall(page):
        inline[tag].append(source_hash(content))
    inline["script"] += map(source_hash, scripts)
    if has_charts:
        inline["style"].append(source_hash(""))  # Plotly fills an empty style sheet rule by rule
    rules = {
        "default-src": ["'none'"],
        "script-src": inline["script"] or ["'none'"],
        "style-src": inline["style"] or ["'none'"],
        "img-src": ["data:", "blob:"],
        "font-src": ["data:"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
    }
    if has_charts:
        rules["style-src-attr"] = ["'unsafe-inline'"]  # bold and italic in Plotly's texts, as on the server's pages
    return "; ".join(f"{name} {' '.join(_once(values))}" for name, values in rules.items())


def _once(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))
