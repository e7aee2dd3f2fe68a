"""Bundle a page into a single offline file: inlined styles and scripts, nothing loaded.

A rendered template refers to our files by their addresses (``asset(path)``). Here each is inlined; the modules that a
script imports become one script. The file has its own content security policy, which allows exactly these scripts and
styles (by their hashes) and no fetching.

A page with charts carries Plotly compressed, which the page unpacks when a chart comes into view: a third of the size,
and nothing to parse before.
"""

import base64
import hashlib
import re
from collections.abc import Iterable

from server.pages.bundling import bundle, compact_script, compact_sheet
from server.web.assets import Asset, Assets

SHEET = re.compile(r'<link rel="stylesheet" href="/static/([^"]+)"[^>]*>\n?')
SCRIPT = re.compile(r'<script(?: type="(module)")? src="/static/([^"]+)"></script>')
OTHER_LINK = re.compile(r"[ \t]*<link\b[^>]*>\n?")
"""Icons, alternate forms of the page, module preloads: links that are useless in a file on disk."""
ADDRESS = re.compile(r'url\("?/static/([^")]+)"?\)')
CHARSET = re.compile(r'<meta charset="utf-8" ?/?>')
CHARTING = '<script type="text/plain" data-charting></script>'
"""Where a page with charts has Plotly."""
INLINE = re.compile(r'<(script|style)((?: type="module")?)>(.*?)</\1>', re.DOTALL)


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
    policy = f'<meta http-equiv="Content-Security-Policy" content="{_policy(page, assets.plotly)}" />'
    page = page.replace(CHARTING, CHARTING.replace("></", f">{_packed(assets.plotly)}</"))
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


def _script(assets: Assets, path: str, is_module: bool) -> str:
    script = assets.text(path)
    if assets.is_own(path):
        script = bundle(assets, path.partition("/")[2]) if is_module else compact_script(script)
    if "<!--" in script:
        raise ValueError(f"{path}: '<!--' means something else inside an element")
    script = re.sub("</(?=script)", r"<\\/", script, flags=re.IGNORECASE)  # the same sign in any string of JavaScript
    kind = ' type="module"' if is_module else ""
    return f"<script{kind}>\n{script}</script>"


def _packed(script: Asset) -> str:
    return base64.b64encode(script.compressed).decode()


def _policy(page: str, plotly: Asset) -> str:
    inline: dict[str, list[str]] = {"script": [], "style": []}
    for tag, _, content in INLINE.findall(page):
        inline[tag].append(_hash(content))
    has_charts = CHARTING in page
    if has_charts:
        inline["script"].append(_hash(plotly.content.decode()))
        inline["style"].append(_hash(""))  # Plotly fills an empty style sheet rule by rule
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


def _hash(content: str) -> str:
    """The CSP hash of an inline script (CSP 3, §6.7.3.3); line ends as the HTML parser normalises them."""
    digest = hashlib.sha256(content.replace("\r\n", "\n").encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
