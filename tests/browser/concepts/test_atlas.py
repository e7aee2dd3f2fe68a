"""The head atlas: map and grid of one atlas, the chosen head's portrait, and ways in and out."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from atlas_folders import FakeAtlas, write_atlas
from driving import DRAWN, expect_address, expect_fits, visit_concept
from playwright.sync_api import Browser, Page, expect
from profiles import Problems
from serving import serving
from settling import until
from wilson import wilson

ATLAS, OTHER, DAMAGED = "00000000000000a1", "00000000000000a2", "00000000000000a3"
MINILM = "sentence-transformers/all-MiniLM-L6-v2"
FIRST_SCREENS = ({"width": 1440, "height": 900}, {"width": 1366, "height": 768})
BELOW = """() => [".atlas-map", "#legend", "#pointed", ".atlas-axes", "#head-title", "#head-values", "#tabs"]
  .filter((name) => document.querySelector(name).getBoundingClientRect().bottom > innerHeight)"""
"""What of the map, its legend and controls, and of the chosen head's name and values the first screen does not show."""
SPOTS = """() => [...document.querySelectorAll(".atlas-dot")].map((dot) => {
  const { x, y, width, height } = dot.getBoundingClientRect();
  return [x + width / 2, y + height / 2]; })"""


@pytest.fixture(scope="module")
def server_url(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with two atlases of MiniLM and a damaged one."""
    atlases = tmp_path_factory.mktemp("atlases")
    write_atlas(atlases, FakeAtlas(id=ATLAS))
    write_atlas(atlases, FakeAtlas(id=OTHER, seed=1, corpus="other"))
    (atlases / DAMAGED).mkdir()
    (atlases / DAMAGED / "atlas.json").write_text("{")
    log = tmp_path_factory.mktemp("atlas-server") / "log"
    environment = {"OBSERVATORY_ATLASES_DIR": str(atlases), "OBSERVATORY_PREPARE_ATLASES": "false"}
    with serving(root, log, **environment) as address:
        yield address


def heads_of(page: Page, atlas: str = ATLAS) -> dict[str, Any]:
    heads: dict[str, Any] = page.request.get(f"/api/atlases/{atlas}/heads").json()
    return heads


def state_of(page: Page) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


@pytest.mark.gate
def test_map_and_grid_show_every_head_and_the_first_screen_holds_them(page: Page) -> None:
    visit_concept(page, "/atlas")
    heads = heads_of(page)
    expect(page.locator(".atlas-dot")).to_have_count(72)
    expect(page.locator(".atlas-cell")).to_have_count(72)
    most = max(range(72), key=lambda index: heads["values"]["previous_token"][index])
    name = f"Layer {heads['layer'][most]}, head {heads['head'][most]}"
    expect(page.locator("#head-title")).to_have_text(name)
    expect(page.locator("#facts-line")).to_have_text("12 documents, 120 tokens")
    for size in FIRST_SCREENS:
        page.set_viewport_size(size)
        assert page.evaluate(BELOW) == [], size


def test_pointing_marks_a_head_in_map_and_grid_and_reads_its_values(page: Page) -> None:
    visit_concept(page, "/atlas?y=entropy&colour=induction")
    heads = heads_of(page)
    cell = page.locator(".atlas-cell").nth(17)
    cell.hover()
    at = [f"{heads['values'][name][17]:.3f}" for name in ("entropy", "induction")]
    expect(page.locator("#pointed")).to_have_text(f"Layer 1, head 5 · Layer 1 · Entropy {at[0]} · Induction {at[1]}")
    expect(page.locator(".atlas-ring:not(.is-chosen)")).to_have_count(1)
    page.locator("h1").hover()
    expect(page.locator(".atlas-ring:not(.is-chosen)")).to_have_count(0)
    x, y = page.evaluate(SPOTS)[0]
    page.mouse.move(x, y)
    expect(page.locator(".atlas-cell.is-pointed")).to_have_count(1)


def test_a_head_is_chosen_on_map_and_grid_and_by_keys_and_stands_in_the_address(page: Page) -> None:
    visit_concept(page, "/atlas")
    page.locator(".atlas-cell").nth(40).click()
    expect(page.locator("#head-title")).to_have_text("Layer 3, head 4")
    assert {name: state_of(page).get(name) for name in ("part", "layer", "head")} == {
        "part": "encoder",
        "layer": "3",
        "head": "4",
    }
    page.get_by_role("button", name="Next head").click()
    expect(page.locator("#head-title")).to_have_text("Layer 3, head 5")
    x, y = page.evaluate(SPOTS)[0]
    page.mouse.click(x, y)
    expect(page.locator("#head-title")).not_to_have_text("Layer 3, head 5")
    chosen = page.locator("#head-title").text_content()
    page.locator("#map .plot-frame").focus()
    for key in ("ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    expect(page.locator("#head-title")).not_to_have_text(chosen or "")
    page.go_back()
    expect(page.locator("#head-title")).to_have_text(chosen or "")


def test_axes_colour_and_size_follow_their_selects_and_presets_keep_the_head(page: Page) -> None:
    visit_concept(page, "/atlas?layer=2&head=3&view=examples")
    page.get_by_role("combobox", name="Upward").select_option("induction")
    expect(page.locator(".atlas-map .mark-name.is-y")).to_have_text("Induction (share)")
    page.get_by_role("combobox", name="Size").select_option("entropy")
    until(
        page,
        "() => new Set([...document.querySelectorAll('.atlas-dot')].map((dot) => dot.getAttribute('r'))).size > 10",
    )
    page.get_by_role("link", name="Behaviour").click()
    expect(page.locator("#head-title")).to_have_text("Layer 2, head 3")
    assert state_of(page)["view"] == "examples"
    expect(page.get_by_role("link", name="Behaviour")).to_have_attribute("aria-current", "true")
    expect(page.locator("#legend")).to_contain_text("Colour: Cluster")


def test_a_box_a_lasso_and_shift_select_heads_that_stay_in_the_address(page: Page) -> None:
    visit_concept(page, "/atlas")
    box = page.locator(".atlas-map").bounding_box()
    assert box
    page.locator("#map .plot-tool[data-way=select]").click()
    page.mouse.move(box["x"] + 50, box["y"] + 32)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] - 45, steps=4)
    page.mouse.up()
    expect(page.locator("#selection h3")).to_have_text(re.compile(r"^\d+ heads selected$"))
    count = page.locator("#selection tbody tr").count()
    assert 0 < count < 72
    expect(page.locator(".atlas-dot.is-faint")).to_have_count(72 - len({*state_of(page)["heads"].split("_"), ""}) + 1)
    page.get_by_role("button", name="Clear the selection").click()
    expect(page.locator("#selection")).to_be_hidden()
    page.get_by_role("button", name="Add to the selection").click()
    expect(page.locator("#selection h3")).to_have_text("1 heads selected")


def test_a_lasso_selects_what_it_goes_around_and_shift_adds_to_it(page: Page) -> None:
    visit_concept(page, "/atlas?x=entropy&y=induction")
    spots = sorted(page.evaluate(SPOTS))
    (left, _), (right, _) = spots[0], spots[-1]
    box = page.locator(".atlas-map").bounding_box()
    assert box
    middle, third = (left + right) / 2, left + (right - left) / 3
    page.locator("#map .plot-tool[data-way=lasso]").click()

    def go_around(low: float, high: float) -> None:
        corners = [(low, box["y"] + 31), (high, box["y"] + 31), (high, box["y"] + box["height"] - 38)]
        page.mouse.move(low, box["y"] + box["height"] - 38)
        page.mouse.down()
        for corner in corners:
            page.mouse.move(*corner, steps=3)
        page.mouse.up()

    def count(low: float, high: float) -> int:
        return sum(low < x < high for x, _ in spots)

    go_around(box["x"] + 47, third)
    expect(page.locator("#selection h3")).to_have_text(f"{count(0, third)} heads selected")
    page.keyboard.down("Shift")
    go_around(middle, box["x"] + box["width"] - 17)
    page.keyboard.up("Shift")
    expect(page.locator("#selection h3")).to_have_text(f"{count(0, third) + count(middle, 1e9)} heads selected")
    assert 0 < count(third, middle) < 72


def test_zooming_moves_the_ticks_and_show_all_brings_them_back(page: Page) -> None:
    visit_concept(page, "/atlas?x=entropy")
    ticks = page.locator(".atlas-map .mark-tick")
    before = ticks.all_text_contents()
    page.get_by_role("button", name=re.compile("^Zoom in")).click()
    expect(ticks.first).not_to_have_text(before[0])
    page.get_by_role("button", name=re.compile("^Show all")).click()
    expect(ticks.first).to_have_text(before[0])
    assert ticks.all_text_contents() == before


def test_examples_show_their_cell_and_lead_to_the_explorer_and_to_similar_cells(page: Page) -> None:
    visit_concept(page, "/atlas?layer=2&head=0&view=examples")
    portrait = page.request.get(f"/api/atlases/{ATLAS}/heads/2/0?part=encoder").json()
    examples = page.locator("#examples .atlas-example")
    strongest = [one for one in portrait["examples"] if one["kind"] == "strongest"]
    aside = page.locator("#panel-examples").get_by_role("checkbox", name="Set sinks aside")
    expect(aside).to_be_checked()
    weights = [f"{one['weight']:.3f}" for one in strongest if one["without_sinks"]]
    expect(examples.locator(".atlas-weight")).to_have_text(weights)
    aside.uncheck()
    expect_address(page, aside="0")
    first = next(one for one in strongest if not one["without_sinks"])
    window = portrait["windows"][str(first["window"])]
    example = examples.first
    expect(example.locator(".atlas-weight")).to_have_text(f"{first['weight']:.3f}")
    expect(example.locator(".is-query")).to_have_text(window["tokens"][first["query"]]["text"])
    expect(example.locator(".is-key")).to_have_text(window["tokens"][first["key"]]["text"])
    address = urlsplit(example.get_by_role("link").get_attribute("href") or "")
    assert {name: values[0] for name, values in parse_qs(address.query).items()} == {
        "model": MINILM,
        "part": "encoder",
        "layer": "2",
        "head": "0",
        "text": window["text"],
        "query": str(first["query"]),
        "key": str(first["key"]),
    }
    page.get_by_role("button", name=re.compile("^Tenth 1 of 10")).click()
    lowest = [one for one in portrait["examples"] if one["decile"] == 0 and not one["without_sinks"]]
    expect(examples).to_have_count(len(lowest))
    page.locator("#examples").get_by_role("button").first.click()
    expect(page.locator("#tab-search")).to_have_attribute("aria-selected", "true")
    expect(page.locator("#found .atlas-example")).not_to_have_count(0)


def test_relations_stand_beside_the_best_offset_and_colour_the_map(page: Page) -> None:
    visit_concept(page, "/atlas?view=relations")
    heads = heads_of(page)
    gains = {
        f"{one['relation']}.{one['direction']}": wilson(max(one["accuracy"]), one["count"])[0]
        - one["baseline_accuracy"]
        for one in heads["relations"]
    }
    ordered = sorted(gains, key=lambda name: -gains[name])
    rows = page.locator(".atlas-relations tbody tr")
    expect(rows).to_have_count(len(ordered))
    shown = rows.locator("th button").evaluate_all("(all) => all.map((one) => one.dataset.key)")
    assert shown == ordered
    best = {f"{one['relation']}.{one['direction']}": (max(one["accuracy"]), one["count"]) for one in heads["relations"]}
    ranges = [wilson(*best[name]) for name in ordered]
    expect(rows.locator(".atlas-range")).to_have_text([f"{low:.2f}–{high:.2f}" for low, high in ranges])
    rows.nth(1).locator("th button").click()
    assert state_of(page)["colour"] == ordered[1]
    expect(rows.nth(1)).to_have_class("is-shown")


def test_two_atlases_are_compared_with_lines_on_the_map(page: Page) -> None:
    visit_concept(page, "/atlas?view=compare")
    page.get_by_role("combobox", name="Compare with").select_option(OTHER)
    until(page, DRAWN)
    expect(page.locator(".atlas-link")).to_have_count(72)
    answer = page.request.get(f"/api/atlases/{ATLAS}/comparison?other={OTHER}").json()
    most = max(answer["heads"], key=lambda head: head["moved"])
    first = page.locator("#comparison tbody tr").first
    expect(first).to_contain_text(f"Layer {most['layer']}, head {most['head']}")
    expect(first).to_contain_text(f"{most['moved']:.3f}")


def test_without_an_atlas_of_a_model_the_page_offers_a_scan(page: Page) -> None:
    visit_concept(page, "/atlas?model=observatory-gpt2-mini&layer=1&head=1")
    expect(page.locator("#standing")).to_contain_text("There is no atlas of Observatory mini")
    expect(page.locator("#of-map")).to_be_hidden()
    page.get_by_role("button", name="Scan a corpus …").click()
    expect(page.locator("#scan-model")).to_have_value("observatory-gpt2-mini")


def test_the_explorer_leads_to_the_head_and_its_cell(page: Page) -> None:
    page.goto("/")
    link = page.get_by_role("link", name="What does this head do elsewhere? The head atlas")
    expect(link).to_have_attribute("href", re.compile("layer=5&head=11"))
    link.click()
    until(page, DRAWN)
    expect(page.locator("#head-title")).to_have_text("Layer 5, head 11")
    page.get_by_role("tab", name="Similar").click()
    expect(page.locator(".atlas-sought .is-query")).to_have_text("it")
    expect(page.locator(".atlas-sought .is-key")).to_have_text("cat")
    expect(page.locator("#found .atlas-example")).not_to_have_count(0)


@pytest.mark.parametrize("view", ["portrait", "examples", "relations", "search", "weights", "compare", "corpus"])
def test_every_view_is_accessible_and_fits(each_look: Page, axe: Callable[[Page], None], view: str) -> None:
    visit_concept(each_look, f"/atlas?view={view}&layer=1&head=2&heads=encoder.1.2_encoder.3.4")
    expect_fits(each_look, axe)


def test_a_saved_page_holds_what_was_looked_at(page: Page, browser: Browser, tmp_path: Path) -> None:
    visit_concept(page, "/atlas?layer=2&head=3")
    page.locator(".atlas-cell").nth(1).click()
    until(page, DRAWN)
    page.locator("summary", has_text="For a lecture").click()
    with page.expect_download() as saving:
        page.get_by_role("button", name="HTML", exact=True).click()
    file = tmp_path / "atlas.html"
    saving.value.save_as(file)
    context = browser.new_context(offline=True)
    saved = context.new_page()
    saved.goto(file.as_uri())
    until(saved, DRAWN)
    expect(saved.locator("#head-title")).to_have_text("Layer 0, head 1")
    expect(saved.locator(".atlas-dot")).to_have_count(72)
    saved.locator(".atlas-cell").nth(27).click()
    expect(saved.locator("#head-title")).to_have_text("Layer 2, head 3")
    expect(saved.locator("#distributions figure")).not_to_have_count(0)
    expect(saved.locator("#scan-form")).to_be_hidden()
    expect(saved.get_by_role("button", name="Scan another …")).to_be_hidden()
    saved.get_by_role("tab", name="Examples").click()
    expect(saved.locator("#examples .atlas-example")).not_to_have_count(0)
    expect(saved.locator("#examples").get_by_role("button", name=re.compile("^Similar"))).to_have_count(0)
    saved.get_by_role("tab", name="Similar").click()
    expect(saved.locator("#found")).to_contain_text("A saved page cannot search the corpus.")
    context.close()


def test_a_damaged_atlas_is_told_and_deleted(page: Page) -> None:
    visit_concept(page, f"/atlas?atlas={DAMAGED}")
    expect(page.locator("#standing")).to_contain_text("This atlas is damaged.")
    visit_concept(page, "/atlas?view=corpus")
    damaged = page.locator("#damaged")
    expect(damaged).to_contain_text(DAMAGED)
    expect(damaged.locator("li")).to_have_count(1)
    damaged.get_by_role("button", name="Delete").click()
    expect(damaged).to_be_hidden()
    expect(page.locator(".atlas-dot")).to_have_count(72)
    assert page.request.get("/api/atlases").json()["damaged"] == []


def test_a_busy_server_is_told_and_asked_again(page: Page, problems: Problems) -> None:
    problems.expect("503")
    busy = {"error": {"code": "busy", "message": "Many are asking at once.", "field": None, "limit": None}}
    page.route("**/api/atlases", lambda route: route.fulfill(status=503, json=busy))
    page.goto("/atlas")
    expect(page.locator("#problem")).to_contain_text("Many are asking at once.")
    page.unroute("**/api/atlases")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".atlas-dot")).to_have_count(72)
    expect(page.locator("#problem")).to_be_empty()


def test_a_scan_is_begun_watched_and_shown_and_its_address_survives_a_reload(page: Page) -> None:
    visit_concept(page, "/atlas?view=corpus&model=observatory-gpt2-mini")
    expect(page.locator("#scan-model")).to_have_value("observatory-gpt2-mini")
    expect(page.locator("#scan-form")).to_contain_text("dependency relations", timeout=60_000)
    page.get_by_role("spinbutton", name="Tokens at most").fill("600")
    page.get_by_role("button", name="Start the scan").click()
    expect(page).to_have_url(re.compile(r"atlas=[0-9a-f]{16}"))
    address = page.url
    page.reload()
    expect(page.locator(".atlas-dot")).to_have_count(36, timeout=180_000)
    assert page.url == address
    expect(page.locator("#facts")).to_contain_text("6 layers × 6 heads")
    page.get_by_role("tab", name="Weights").click()
    expect(page.locator("#circuits")).to_contain_text("Copying score")
    expect(page.locator(".atlas-eigenvalue")).not_to_have_count(0)
