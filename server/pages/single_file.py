"""Bundle a page into a single offline file: inlined styles and scripts, nothing loaded.

A rendered template refers to our files by their addresses (``asset(path)``). Here each is inlined; the modules that a
script imports become one script. The file has its own content security policy, which allows exactly these scripts and
styles (by their hashes) and no fetching.

Our modules, styles and translations stand in it compressed, a third of their size; a few lines unpack them. No file
carries Plotly: its charts are plain SVG (``static/js/charts/plain/plots.js``).
"""

import base64
import json
import re
from collections.abc import Iterable

from ..web.assets import Assets
from ..web.security import source_hash
from .bundling import bundle, compact_sheet, inside_element
from .packing import pack

SHEET = re.compile(r'<link rel="stylesheet" href="[./]*/static/([^"]+)"[^>]*>\n?')
SCRIPT = re.compile(r'<script type="module" src="[./]*/static/([^"]+)"></script>')
OTHER_LINK = re.compile(r"[ \t]*<link\b[^>]*>\n?")
"""Icons, alternate forms of the page, module preloads: links that are useless in a file on disk."""
ADDRESS = re.compile(r'url\("?/static/([^")]+)"?\)')
CHARSET = re.compile(r'<meta charset="utf-8" ?/?>')
MESSAGES = re.compile(r'<script type="application/json" id="messages">(.*?)</script>', re.DOTALL)
VEIL = "<style data-veil>body { visibility: hidden; }</style>"
"""Hides the page until its styles are unpacked."""
UNPACK = """
const numbers = new Uint8Array(127);
const isSign = (sign) => !"'<\\\\".includes(String.fromCharCode(sign));
Array.from({ length: 94 }, (_, at) => at + 33).filter(isSign).forEach((sign, at) => (numbers[sign] = at));
const bytesOf = (text) => {
  const number = (at) => numbers[text.charCodeAt(at)];
  const bytes = new Uint8Array(((text.length - 1) / 2) * 13 / 8);
  let [held, bits, end] = [0, 0, 0];
  for (let at = 1; at < text.length; at += 2) {
    held = (held << 13) | (number(at) * 91 + number(at + 1));
    for (bits += 13; bits >= 8; ) bytes[end++] = held >> (bits -= 8);
    held &= (1 << bits) - 1;
  }
  return bytes.subarray(0, end - number(0));
};
const unpacked = (script) => new Response(
  new Blob([bytesOf(script.textContent)]).stream().pipeThrough(new DecompressionStream("gzip")),
).text();
const [veil, sheet, messages, module] = ["style[data-veil]", ...["sheet", "messages", "module"]
  .map((what) => `script[data-packed-${what}]`)].map((what) => document.querySelector(what));
if (sheet) document.head.append(Object.assign(document.createElement("style"), { textContent: await unpacked(sheet) }));
veil?.remove();
if (messages) messages.textContent = await unpacked(messages);
const script = Object.assign(document.createElement("script"), { type: "module", textContent: await unpacked(module) });
document.head.append(script);
"""
"""Unpacks the styles and the translations, and runs the module that stands before it."""
INLINE = re.compile(r'<(script|style)(?: type="module"| data-veil)?>(.*?)</\1>', re.DOTALL)


def single_file(page: str, assets: Assets) -> str:
    """The page with everything it references inlined, and a policy that allows exactly this.

    ``page`` is a rendered template. Its style sheets are ``<link rel="stylesheet" href="…">``, its modules
    ``<script type="module" src="…"></script>``; any other ``<link>`` is left out. What stands in ``<script>``
    stays, JSON in ``<script type="application/json">`` too. Raises KeyError for a file that is not ours, ValueError
    for what cannot be inlined.
    """
    sheet = "".join(_style(assets, path) for path in SHEET.findall(page))
    packed_sheet = f'{VEIL}\n<script type="text/plain" data-packed-sheet>{pack(sheet)}</script>\n'
    page = SHEET.sub("", SHEET.sub(lambda _: packed_sheet, page, count=1))
    page = OTHER_LINK.sub("", page)
    scripts: list[str] = []
    page = SCRIPT.sub(lambda match: _packed_module(_script(assets, match[1]), scripts), page)
    page = MESSAGES.sub(lambda match: _packed_messages(match, "".join(scripts)), page)
    if sheet and not scripts:
        raise ValueError("page: has styles, but no module that unpacks them")
    if "</head>" not in page or not CHARSET.search(page):
        raise ValueError("page: needs a head that says its character set")
    policy = f'<meta http-equiv="Content-Security-Policy" content="{_policy(page, scripts, sheet)}" />'
    return CHARSET.sub(lambda match: f"{match[0]}\n    {policy}", page, count=1)


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
    return ADDRESS.sub(lambda match: f"url({_data_address(assets, match[1])})", sheet)


def _script(assets: Assets, path: str) -> str:
    script = bundle(assets, path.partition("/")[2]) if assets.is_own(path) else assets.text(path)
    return inside_element(path, script)


def _packed_messages(found: re.Match[str], script: str) -> str:
    """The translations of texts in the script; where there are none, the element as it is."""
    messages = {text: said for text, said in json.loads(found[1]).items() if _is_in(text, script)}
    if not messages:
        return found[0]
    return f'<script type="text/plain" id="messages" data-packed-messages>{pack(_json(messages))}</script>'


def _is_in(text: str, script: str) -> bool:
    return text in script or _json(text)[1:-1] in script


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _packed_module(script: str, scripts: list[str]) -> str:
    """The module in as little room as it takes, and what runs it; it is added to the scripts that may run."""
    if scripts:
        raise ValueError("page: has more than one module")
    scripts.append(script)
    return (
        f'<script type="text/plain" data-packed-module>{pack(script)}</script>\n<script type="module">{UNPACK}</script>'
    )


def _policy(page: str, scripts: list[str], sheet: str) -> str:
    """``scripts`` and ``sheet``: what is packed in the page."""
    inline: dict[str, list[str]] = {"script": [], "style": []}
    for tag, content in INLINE.findall(page):
        inline[tag].append(source_hash(content))
    inline["script"] += map(source_hash, scripts)
    if sheet:
        inline["style"].append(source_hash(sheet))
    rules = {
        "default-src": ["'none'"],
        "script-src": inline["script"] or ["'none'"],
        "style-src": inline["style"] or ["'none'"],
        "img-src": ["data:", "blob:"],
        "font-src": ["data:"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
    }
    return "; ".join(f"{name} {' '.join(_once(values))}" for name, values in rules.items())


def _once(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))
