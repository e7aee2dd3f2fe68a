"""What each page loads, bundled and as sources."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from server.app import create_app
from server.pages.bundling import bundle, compact_script
from server.pages.page_files import Files, scripts_of, sheets_of
from server.pages.site import FURTHER, PAGES
from server.settings import Settings
from server.web.assets import STATIC, Assets

STEMS = [page.stem for page in (*PAGES, *FURTHER)]
SAME_PROGRAM = Path(__file__).with_name("same_program.js")


@pytest.fixture(scope="module")
def assets() -> Assets:
    return Assets()


def test_every_sheet_belongs_to_a_page():
    named = {sheet for stem in STEMS for offline in (False, True) for sheet in sheets_of(stem, offline=offline)}
    assert named == {path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*.css")}


def modules_in_order(script: str) -> list[str]:
    return re.findall(r"^const module_(\w+) = \(\(\) => \{$", script, re.MULTILINE)


def modules_in(script: str) -> list[str]:
    return sorted(modules_in_order(script))


def named(modules: set[str]) -> list[str]:
    return sorted(re.sub(r"\W", "_", module.removesuffix(".js")) for module in modules)


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
    addresses = re.findall(rf"/static/(\w+/{stem}_later\.js)", script)
    assert [assets.text(address) for address in addresses] == later
    assert modules_in_order(script) == modules_in_order(joined)
    rules = [assets.own(path).count("{") for path in sheets_of(stem)]
    assert sheet.count("{") == sum(rules)


def test_the_explorer_loads_views_that_are_not_on_the_first_screen_later(assets):
    first = assets.modules_of("js/explorer/index.js")
    later = set(assets.modules_of("js/explorer/index.js", deferred=True)) - set(first)
    rooms = ("compare", "lines", "output", "patching", "prompts", "rollout", "saving", "vectors")
    assert {f"js/explorer/{room}/panel.js" for room in rooms if room != "saving"} < later
    assert not [module for module in first if module.split("/")[2] in rooms]


def test_an_address_changes_with_its_content_alone(assets):
    first, again = (Files(assets, ["rope", "circle"], bundled=True) for _ in range(2))
    assert first.of("rope") == again.of("rope")
    assert first.of("rope").scripts != first.of("circle").scripts


def test_bundles_are_served_for_ever_and_sources_only_in_development():
    for bundled, count in ((True, 1), (False, 2)):
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
        assert address in assets.text(sheet.removeprefix("/static/"))


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
    assert "css/explorer/compare.css" not in sheets
    assert sheets[-1] == "css/explorer/saved_page.css"
    assert scripts_of("explorer", offline=True) == ["js/explorer/saved.js"]
    assert scripts_of("rope", offline=True) == ["js/concepts/rope/index.js"]


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
