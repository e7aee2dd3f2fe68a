"""What each page loads, bundled and as sources."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from server.app import create_app
from server.pages.bundling import bundle, compact_script, compact_sheet
from server.pages.page_files import Files, later_sheets_of, scripts_of, sheets_of
from server.pages.site import FURTHER, PAGES
from server.settings import Settings
from server.web.assets import STATIC, Assets, beside
from server.web.shipped import ROOT

STEMS = [page.stem for page in (*PAGES, *FURTHER)]
CLASSES = re.compile(r'\bclass(?:: |=)["`]([^"`]*)["`]')
"""Of elements that a script or a template makes."""
SAME_PROGRAM = Path(__file__).with_name("same_program.js")


@pytest.fixture(scope="module")
def assets() -> Assets:
    return Assets()


def test_every_sheet_belongs_to_a_page():
    named = {
        sheet
        for stem in STEMS
        for offline in (False, True)
        for sheet in sheets_of(stem, offline=offline) + later_sheets_of(stem, offline=offline)
    }
    assert named == {path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*.css")}


def modules_in_order(script: str) -> list[str]:
    return re.findall(r"^const module_(\w+) = \(\(\) => \{$", script, re.MULTILINE)


def modules_in(script: str) -> list[str]:
    return sorted(modules_in_order(script))


def named(modules: set[str]) -> list[str]:
    return sorted(re.sub(r"\W", "_", module.removesuffix(".js")) for module in modules)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("stem", STEMS)
def test_the_scripts_hold_every_module_once_and_the_sheet_every_rule(assets, stem):
    files = Files(assets, [stem], bundled=True).of(stem)
    assert files.preloads == ()
    script, sheet = (assets.text(url.removeprefix("/static/")) for [url] in (files.scripts, files.sheets))
    first, every = (
        {*scripts_of(stem), *(one for entry in scripts_of(stem) for one in assets.modules_of(entry, deferred=deferred))}
        for deferred in (False, True)
    )
    later: list[str] = []
    joined = bundle(assets, *scripts_of(stem), serve=lambda text: f"/static/{len(later)}{later.append(text) or ''}.js")
    assert modules_in(joined) == named(first)
    assert [name for text in later for name in modules_in(text)] == named(every - first)
    addresses = re.findall(rf"\.\./(\w+/{stem}_later\.js)", script)
    assert [assets.text(address) for address in addresses] == later
    assert modules_in_order(script) == modules_in_order(joined)
    assert sheet.count("{") == sum(assets.own(path).count("{") for path in sheets_of(stem))
    later_rules = [assets.own(path).count("{") for path in later_sheets_of(stem)]
    later_sheets = re.findall(rf"\.\./(\w+/{stem}_later\.css)", script)
    assert sum(assets.text(address).count("{") for address in later_sheets) == sum(later_rules)
    assert len(later_sheets) == (1 if later_rules else 0)


def test_the_later_sheet_styles_nothing_that_the_first_scripts_and_the_template_show(assets):
    entries = scripts_of("explorer")
    first = {*entries, *(module for entry in entries for module in assets.modules_of(entry))}
    templates = [ROOT / "templates/base.html", *(ROOT / "templates/explorer").glob("*.html")]
    sources = [*map(assets.own, sorted(first)), *(path.read_text(encoding="utf-8") for path in templates)]
    shown = {word for source in sources for words in CLASSES.findall(source) for word in words.split()}
    found = {
        selector.strip()
        for path in set(later_sheets_of("explorer")) - {"css/paper.css"}  # which is for no screen
        for rule in re.findall(r"([^{}]+)\{[^{}]*\}", re.sub(r"/\*.*?\*/", "", assets.own(path), flags=re.DOTALL))
        for selector in re.split(r",\n", rule)
        if set(re.findall(r"\.([a-z][\w-]*)", selector)) <= shown and not re.search(r"#panel-|#flow-|#lines-", selector)
    }
    assert "tabs" in shown
    assert {selector for selector in found if not selector.startswith(".model-picker")} == set()  # a closed dialog


def test_sources_and_files_have_all_sheets_the_later_ones_last(assets):
    for bundled, offline in ((False, False), (True, True)):
        sheets = Files(assets, ["explorer"], bundled=bundled).of("explorer", offline=offline).sheets
        names = [sheet.split("/", 3)[3] for sheet in sheets]
        assert names == sheets_of("explorer", offline=offline) + later_sheets_of("explorer", offline=offline)
        assert "css/explorer/late/flow.css" in names


def test_the_explorer_loads_views_that_are_not_on_the_first_screen_later(assets):
    first = assets.modules_of("js/explorer/index.js")
    later = set(assets.modules_of("js/explorer/index.js", deferred=True)) - set(first)
    rooms = ("compare", "lines", "output", "patching", "prompts", "rollout", "saving", "vectors")
    assert {f"js/explorer/{room}/panel.js" for room in rooms if room != "saving"} < later
    assert not [module for module in first if module.split("/")[2] in rooms]
    late = ("widgets/image_input", "data/sample_images", "tokens/predictions", "what_if/banner")
    assert {f"js/explorer/{name}.js" for name in late} < later


def test_an_address_changes_with_its_content_alone(assets):
    first, again = (Files(assets, ["rope", "circle"], bundled=True) for _ in range(2))
    assert first.of("rope") == again.of("rope")
    assert first.of("rope").scripts != first.of("circle").scripts


@pytest.mark.full
def test_bundles_are_served_for_ever_and_sources_only_in_development():
    for bundled, count in ((True, 1), (False, 3)):
        settings = Settings(device="cpu", hub_models=(), preload=False, bundled=bundled)
        with TestClient(create_app(settings)) as client:
            html = client.get("/rope").text
            scripts = re.findall(r'<script type="module" src="([^"]+)"', html)
            assert len(scripts) == count
            assert ("modulepreload" in html) is not bundled
            for address in scripts:
                response = client.get(address)
                assert response.headers["content-type"] == "text/javascript; charset=utf-8"
                assert response.headers["cache-control"] == "public, max-age=31536000, immutable"


def test_a_joined_sheet_names_the_font_by_its_address_and_concepts_preload_it(assets):
    address = assets.url("fonts/observatory-math.woff2")
    for bundled in (True, False):
        files = Files(assets, STEMS, bundled=bundled)
        framed = [page.stem for page in PAGES if page.has_frame]
        assert [stem for stem in STEMS if files.of(stem).font == address] == framed
        assert files.of("explorer").font is None  # asked for when something needs it
    for stem in STEMS:
        (sheet,) = Files(assets, [stem], bundled=True).of(stem).sheets
        assert f'url("{beside(address)}")' in assets.text(sheet.removeprefix("/static/"))


@pytest.mark.full
def test_what_is_left_out_of_sheets_changes_no_rule():
    sheet = """/* A remark. */
a:hover, li a:not(.b) {
  --width: 2px;
  margin: 0 auto;
  grid-template-areas:
    "one two"
    "three four";

  &:is(b, i) {
    content: "x: y {";
  }
}
"""
    assert compact_sheet("a.css", sheet, str) == (
        'a:hover, li a:not(.b){--width: 2px;margin:0 auto;grid-template-areas:\n"one two"\n"three four";'
        '&:is(b, i){content:"x: y {";}}'
    )


def test_the_font_is_served_for_ever(assets):
    with TestClient(create_app(Settings(device="cpu", hub_models=(), preload=False))) as client:
        (address,) = re.findall(
            r'<link rel="preload" as="font" type="font/woff2" href="([^"]+)"', client.get("/rope").text
        )
        font = client.get(address)
        assert (font.status_code, font.headers["content-type"], font.content[:4]) == (200, "font/woff2", b"wOF2")
        assert font.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert 'as="font"' not in client.get("/").text


def test_a_saved_page_has_nothing_that_needs_a_server():
    sheets = sheets_of("explorer", offline=True)
    assert "css/header.css" not in sheets
    assert "css/explorer/first/composer.css" not in sheets
    later = later_sheets_of("explorer", offline=True)
    assert "css/explorer/late/compare.css" not in later
    assert later[-1] == "css/explorer/first/saved_page.css"
    assert scripts_of("explorer", offline=True) == ["js/explorer/saved.js"]
    assert scripts_of("rope", offline=True) == ["js/concepts/rope/index.js"]


@pytest.mark.full
def test_what_is_left_out_of_scripts_changes_no_program(assets, tmp_path):
    paths = sorted(path.relative_to(STATIC).as_posix() for path in (STATIC / "js").rglob("*.js"))
    programs = [{"path": path, "first": assets.own(path), "second": compact_script(assets.own(path))} for path in paths]
    assert sum(len(one["second"]) for one in programs) < 0.75 * sum(len(one["first"]) for one in programs)
    (tmp_path / "programs.json").write_text(json.dumps(programs))
    compared = subprocess.run(["node", SAME_PROGRAM, tmp_path / "programs.json"], check=True, capture_output=True)
    assert json.loads(compared.stdout) == {"compared": len(paths), "different": []}


def test_a_program_that_differs_in_a_blank_is_a_different_one(tmp_path):
    programs = [{"path": "x.js", "first": "f(`${`${a} `}`);", "second": "f(`${`${a}`}`);"}]
    (tmp_path / "programs.json").write_text(json.dumps(programs))
    compared = subprocess.run(["node", SAME_PROGRAM, tmp_path / "programs.json"], check=True, capture_output=True)
    assert json.loads(compared.stdout)["different"] == ["x.js"]
