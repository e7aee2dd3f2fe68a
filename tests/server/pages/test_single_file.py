"""Pages as one file: scripts, content security policy, and unsupported cases."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from jinja2.utils import htmlsafe_json_dumps
from packed_text import read_packed

from server.pages.bundling import bundle, inline_script
from server.pages.single_file import single_file
from server.pages.site import PAGES
from server.web.assets import Assets

PAGE = """<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>x</title>
    <link rel="icon" href="{mark}" />
    <link rel="stylesheet" href="{style}" />
    <link rel="alternate" href="https://example.org/" title="x" />
    <script>{first}</script>
    <script type="module" src="{main}"></script>
  </head>
  <body><script type="application/json" id="data">{{"a": "\\u003c/script>"}}</script></body>
</html>
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "js" / "views").mkdir(parents=True)
    (tmp_path / "js" / "main.js").write_text(
        '/** Begins. */\n\nimport { draw as paint } from "./views/draw.js";\n'
        'import {\n  one,\n  Two,\n} from "./sums.js";\nimport "./types.js";\n\npaint(one(), new Two(), "</script>");\n'
    )
    (tmp_path / "js" / "views" / "draw.js").write_text(
        'import { one } from "../sums.js";\n\n/**\n * @param {number} x\n */\n'
        "export async function draw(x) {\n  return one(x);\n}\n"
    )
    (tmp_path / "js" / "sums.js").write_text(
        "export const one = () => 1;\nexport class Two {}\nexport const { three, four } = { three: 3, four: 4 };\n"
    )
    (tmp_path / "js" / "types.js").write_text("export {};\n")
    (tmp_path / "js" / "first.js").write_text("/** Soon. */\n  document.title = 'y';\n")
    (tmp_path / "page.css").write_text("p { color: red; }\n")
    (tmp_path / "mark.svg").write_text("<svg/>")
    return tmp_path


def filled(assets: Assets) -> str:
    names = {"mark": "mark.svg", "style": "page.css", "main": "js/main.js"}
    urls = {name: assets.url(path) for name, path in names.items()}
    return PAGE.format(first=inline_script(assets, "js/first.js"), **urls)


class Elements(HTMLParser):
    """Scripts and styles as a browser reads them, and every address."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[tuple[str, str | None, str]] = []
        self.addresses: list[str] = []
        self.policy = ""
        self._tag: tuple[str, str | None] | None = None
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self.addresses += [value or "" for name, value in attrs if name in {"src", "href"}]
        if attributes.get("http-equiv") == "Content-Security-Policy":
            self.policy = attributes["content"] or ""
        self._tag = (tag, attributes.get("type")) if tag in {"script", "style"} else None

    def handle_data(self, data: str) -> None:
        if self._tag:
            self.texts.append((*self._tag, data))

    def handle_endtag(self, tag: str) -> None:
        self._tag = None


def test_modules_become_functions_each_after_those_it_needs(tree):
    sums = (
        "const module_js_sums = (() => {\nconst one = () => 1;\nclass Two {}\n"
        "const { three, four } = { three: 3, four: 4 };\n\nreturn { one, Two, three, four };\n})();\n"
    )
    draw = (
        "const module_js_views_draw = (() => {\nconst { one } = module_js_sums;\n\nasync function draw(x) {\n"
        "return one(x);\n}\n\nreturn { draw };\n})();\n"
    )
    script = bundle(Assets(tree), "js/main.js")
    assert script.index(sums) < script.index(draw) < script.index("const module_js_main")
    assert "const { draw : paint } = module_js_views_draw;" in script
    assert "const {\none,\nTwo,\n} = module_js_sums;" in script
    assert "const module_js_types = (() => {\n\n\nreturn {  };\n})();\n" in script
    assert not re.search(r"^(import|export)\b", script, re.MULTILINE)


LATER = (
    'import { one } from "./sums.js";\nconst load = () => import("./views/draw.js");\nexport const two = [one, load];\n'
)


def test_what_is_imported_later_is_a_second_script_that_shares_the_first(tree):
    (tree / "js" / "main.js").write_text(LATER)
    served = []
    script = bundle(Assets(tree), "js/main.js", serve=lambda text: f"/static/later{served.append(text) or ''}.js")
    [later] = served
    assert "const load = () => module_rest().then(({ module_js_views_draw }) => module_js_views_draw);" in script
    assert 'import("/static/later.js"' in script
    assert "({ link }) => link({ module_js_sums })" in script
    assert "module_js_views_draw = " not in script
    assert later.startswith("export const link = ({ module_js_sums }) => {\nconst module_js_views_draw = (() => {\n")
    assert later.endswith("return { module_js_views_draw };\n};\n")
    assert "const module_js_sums" not in later


def test_what_is_imported_later_waits_for_its_sheet(tree):
    (tree / "js" / "main.js").write_text(LATER)
    script = bundle(Assets(tree), "js/main.js", serve=lambda _: "/static/later.js", sheet="/static/later.css")
    assert 'Promise.all([import("/static/later.js"' in script
    assert 'module_sheet("/static/later.css")]).then(([{ link }]) => link({ module_js_sums }))' in script
    assert "module_sheet" not in bundle(Assets(tree), "js/main.js", serve=lambda _: "/static/later.js")


def test_a_file_holds_what_is_imported_later_too(tree):
    (tree / "js" / "main.js").write_text(LATER)
    script = bundle(Assets(tree), "js/main.js")
    assert "const load = () => Promise.resolve().then(() => module_js_views_draw);" in script
    assert "const module_js_views_draw = (() => {" in script
    assert "import(" not in script


def test_a_later_import_in_a_type_loads_nothing(tree):
    (tree / "js" / "main.js").write_text('const x = /** @type {() => import("./views/draw.js").Draw} */ (null);\n')
    served = []
    assert "module_js_views_draw" not in bundle(Assets(tree), "js/main.js", serve=served.append)
    assert served == []


def test_a_file_holds_all_that_the_page_names_and_names_nothing_else(tree):
    assets = Assets(tree)
    found = Elements(single_file(filled(assets), assets))
    assert found.addresses == []
    kinds = [(tag, kind) for tag, kind, _ in found.texts]
    assert kinds == [
        ("style", None),
        ("script", "text/plain"),
        ("script", None),
        ("script", "text/plain"),
        ("script", "module"),
        ("script", "application/json"),
    ]
    _, style, first, packed, _, data = (text for *_, text in found.texts)
    main = unpacked(packed)
    assert re.fullmatch(r"\s*p ?\{ ?color: ?red;? ?\}\s*", unpacked(style))
    assert first == "document.title = 'y';\n"
    assert r'"<\/script>"' in main
    assert data == '{"a": "\\u003c/script>"}'


def unpacked(packed: str) -> str:
    return read_packed(packed).decode()


def test_the_policy_knows_these_scripts_and_styles_alone(tree):
    assets = Assets(tree)
    found = Elements(single_file(filled(assets), assets))
    veil, style, first, packed, unpack, _ = (text for *_, text in found.texts)
    hashes = [
        f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
        for text in (veil, first, unpack, unpacked(packed), unpacked(style))
    ]
    assert found.policy == (
        f"default-src 'none'; script-src {hashes[1]} {hashes[2]} {hashes[3]}; style-src {hashes[0]} {hashes[4]}; "
        "img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'"
    )


def test_translations_of_texts_in_the_script_are_packed_too(tree):
    (tree / "js" / "main.js").write_text('t("a \'b\'"); t(\'say "so"\'); t("a \\"c\\"");')
    assets = Assets(tree)
    messages = {"a 'b'": "訳", 'say "so"': "</script>", 'a "c"': "x", "elsewhere": "y"}
    element = f'<body><script type="application/json" id="messages">{htmlsafe_json_dumps(messages)}</script>'
    page = single_file(filled(assets).replace("<body>", element), assets)
    packed = re.search(r'<script type="text/plain" id="messages" data-packed-messages>(.*?)</script>', page)
    assert packed
    del messages["elsewhere"]
    assert json.loads(unpacked(packed[1])) == messages
    none = '<script type="application/json" id="messages">{}</script>'
    assert none in single_file(filled(assets).replace("<body>", f"<body>{none}"), assets)


def test_styles_without_a_script_that_unpacks_them_are_refused(tree):
    page = filled(Assets(tree)).replace("<script", "<!-- <script").replace("</script>", "</script> -->")
    page = re.sub(r"<!--.*?-->", "", page)
    with pytest.raises(ValueError, match="no module that unpacks them"):
        single_file(page, Assets(tree))


def test_the_policy_stands_before_everything_it_is_about(tree):
    assets = Assets(tree)
    page = single_file(filled(assets), assets)
    assert page.index("Content-Security-Policy") < page.index("<style data-veil>") < page.index("<script>")


def test_without_scripts_none_may_run(tree):
    page = single_file('<head><meta charset="utf-8"><title>x</title></head>', Assets(tree))
    assert "script-src 'none'; style-src 'none';" in page


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("export default 1;\n", r"js/main\.js: 'export default 1;' cannot stand in one file"),
        ("export let count = 0;\n", r"'export let count = 0;' cannot stand"),
        ('export * from "./sums.js";\n', r"cannot stand in one file"),
        ('import sums from "./sums.js";\n', r"cannot stand in one file"),
        ('import * as sums from "./sums.js";\n', r"cannot stand in one file"),
        ('import { x } from "https://example.org/x.js";\n', r"cannot stand in one file"),
    ],
)
def test_what_cannot_be_put_into_one_file_says_so(tree, source, message):
    (tree / "js" / "main.js").write_text(source)
    with pytest.raises(ValueError, match=message):
        bundle(Assets(tree), "js/main.js")


def test_modules_in_a_circle_are_refused(tree):
    (tree / "js" / "sums.js").write_text('import { draw } from "./views/draw.js";\nexport const one = draw;\n')
    with pytest.raises(ValueError, match="cycle"):
        bundle(Assets(tree), "js/main.js")


def test_files_that_are_not_ours_are_refused(tree):
    assets = Assets(tree)
    with pytest.raises(KeyError, match=r"no static file 'js/none\.js'"):
        bundle(assets, "js/none.js")
    (tree / "js" / "main.js").write_text('import { x } from "./none.js";\n')
    with pytest.raises(KeyError, match=r"no static file 'js/none\.js'"):
        bundle(Assets(tree), "js/main.js")
    with pytest.raises(KeyError, match="no static file"):
        single_file('<script type="module" src="/static/0/js/main.js"></script>', assets)


@pytest.mark.parametrize(
    "style",
    ["p { background: url(x.png); }", 'p { background: url("https://x.org/y"); }', '@import "x.css";', "</style>"],
)
def test_styles_that_refer_to_files_are_refused(tree, style):
    (tree / "page.css").write_text(style)
    assets = Assets(tree)
    with pytest.raises(ValueError, match="refers to other sheets or hosts"):
        single_file(filled(assets), assets)


def test_a_font_is_inlined_and_a_missing_one_named(tree):
    (tree / "page.css").write_text('@font-face { src: url("fonts/x.woff2") format("woff2"); }')
    (tree / "fonts").mkdir()
    (tree / "fonts" / "x.woff2").write_bytes(b"wOF2")
    page = single_file(filled(Assets(tree)), Assets(tree))
    _, style, *_ = (text for *_, text in Elements(page).texts)
    assert "url(data:font/woff2;base64,d09GMg==)" in unpacked(style)
    (tree / "fonts" / "x.woff2").unlink()
    with pytest.raises(KeyError, match="no static file"):
        single_file(filled(Assets(tree)), Assets(tree))


def test_a_comment_of_html_in_a_script_is_refused(tree):
    (tree / "js" / "first.js").write_text("let x = '<!--';")
    assets = Assets(tree)
    with pytest.raises(ValueError, match="means something else"):
        single_file(filled(assets), assets)


def test_a_page_with_two_modules_is_refused(tree):
    assets = Assets(tree)
    page = filled(assets).replace("</head>", f'<script type="module" src="{assets.url("js/sums.js")}"></script></head>')
    with pytest.raises(ValueError, match="more than one module"):
        single_file(page, assets)


def test_a_page_without_a_head_is_refused(tree):
    with pytest.raises(ValueError, match="needs a head"):
        single_file("<p>x</p>", Assets(tree))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("path", [page.path for page in PAGES])
def test_every_page_could_be_one_file(app, client, path):
    found = Elements(single_file(client.get(path).text, app.state.assets))
    assert len([text for tag, kind, text in found.texts if tag == "script" and kind == "module"]) >= 1
    assert all("/static/" not in address for address in found.addresses)
