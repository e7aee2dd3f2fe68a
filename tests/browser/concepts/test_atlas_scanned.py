"""/atlas on atlases that were really scanned: what comes first, weights, a head's relations, presenting, embedding."""

import re
from typing import Any

import pytest
from driving import DRAWN, expect_address, visit_concept
from playwright.sync_api import Browser, Page, expect
from profiles import Problems
from settling import until
from wilson import wilson

MINI, MINILM = "observatory-gpt2-mini", "sentence-transformers/all-MiniLM-L6-v2"


def facts_of(page: Page, model: str) -> dict[str, Any]:
    atlases: list[dict[str, Any]] = page.request.get("/api/atlases").json()["atlases"]
    return next(one for one in atlases if one["model"] == model)


def test_without_an_address_the_page_opens_an_encoder_and_says_which(page: Page) -> None:
    visit_concept(page, "/atlas")
    facts = facts_of(page, MINILM)
    chosen = page.get_by_role("combobox", name="Atlas")
    expect(chosen).to_have_value(facts["id"])
    assert chosen.evaluate("(one) => one.selectedOptions[0].text") == "MiniLM L6 · probe"
    expect(page.locator("#facts-line")).to_have_text(f"{facts['documents']} documents, {facts['tokens']} tokens")
    chosen.select_option(facts_of(page, MINI)["id"])
    expect(page.locator(".atlas-dot")).to_have_count(36)
    page.get_by_role("button", name="Scan another …").click()
    expect(page.locator("#scan-model")).to_be_focused()
    expect(page.locator("#scan-model")).to_be_in_viewport()


def test_the_copying_score_is_a_quantity_of_a_decoders_map(page: Page) -> None:
    visit_concept(page, "/atlas")
    upward = page.get_by_role("combobox", name="Upward")
    expect(upward.locator("option[value=copying]")).to_have_count(0)
    visit_concept(page, f"/atlas?model={MINI}&x=previous_token")
    upward.select_option("copying")
    expect(page.locator(".atlas-dot")).to_have_count(36)
    expect_address(page, y="copying")
    scores = page.request.get(f"/api/circuits/composition?model={MINI}").json()["copying"]
    page.locator(".atlas-cell").nth(7).hover()
    expect(page.locator("#pointed")).to_contain_text("Layer 1, head 1 · Previous token")
    expect(page.locator("#pointed")).to_contain_text(f"Copying score {scores[1][1]:.3f}")


def test_composition_scores_are_a_matrix_by_what_is_written_into(page: Page) -> None:
    visit_concept(page, f"/atlas?model={MINI}&view=weights&layer=1&head=0")
    answer = page.request.get(f"/api/circuits/composition?model={MINI}").json()
    matrix = page.get_by_role("slider", name="Composition of all heads: queries")
    expect(matrix).to_be_visible()
    strongest = max(range(36), key=lambda writer: answer["query"][writer][6])
    best_reader = max(range(36), key=lambda reader: answer["query"][6][reader])
    if answer["query"][6][best_reader] < answer["query"][strongest][6]:
        said = f"L1 H0 reads what L{strongest // 6} H{strongest % 6} writes: {answer['query'][strongest][6]:.3f}"
    else:
        said = f"L{best_reader // 6} H{best_reader % 6} reads what L1 H0 writes: {answer['query'][6][best_reader]:.3f}"
    expect(page.locator(".atlas-composition-says")).to_have_text(said)

    page.get_by_role("radio", name="keys").check()
    matrix = page.get_by_role("slider", name="Composition of all heads: keys")
    matrix.scroll_into_view_if_needed()
    box = matrix.bounding_box()
    assert box
    reader, writer = 6 * 3 + 2, 6 * 1 + 1
    page.mouse.move(box["x"] + (writer + 0.5) * box["width"] / 36, box["y"] + (reader + 0.5) * box["height"] / 36)
    says = page.locator(".atlas-composition-says")
    expect(says).to_have_text(f"L3 H2 reads what L1 H1 writes: {answer['key'][writer][reader]:.3f}")
    matrix.focus()
    page.keyboard.press("ArrowLeft")
    expect(says).to_have_text(f"L3 H2 reads what L1 H0 writes: {answer['key'][writer - 1][reader]:.3f}")
    assert matrix.get_attribute("aria-valuetext") == says.text_content()
    page.keyboard.press("Enter")
    expect(page.locator("#head-title")).to_have_text("Layer 3, head 2")
    expect_address(page, composed="key", layer="3", head="2")
    visit_concept(page, "/atlas?view=weights")
    expect(page.locator("#of-composition")).to_be_hidden()


def test_a_portrait_lists_the_heads_own_relations_by_their_gain(page: Page) -> None:
    visit_concept(page, "/atlas?layer=3&head=1")
    atlas = facts_of(page, MINILM)["id"]
    relations = page.request.get(f"/api/atlases/{atlas}/heads/3/1?part=encoder").json()["relations"]
    gains = {f"{one['relation']}.{one['direction']}": one["accuracy"] - one["baseline_accuracy"] for one in relations}
    rows = page.locator("#own-relations tbody tr")
    expect(rows).to_have_count(len(gains))
    shown = rows.locator("th button").evaluate_all("(all) => all.map((one) => one.dataset.relation)")
    sure = {
        f"{one['relation']}.{one['direction']}": (
            one["count"] >= 12,
            round(wilson(one["accuracy"], one["count"])[0] - one["baseline_accuracy"], 5),
        )
        for one in relations
    }
    assert [sure[name] for name in shown] == sorted(sure.values(), reverse=True)
    expect(rows.first.locator("td").last).to_have_text(f"+{gains[shown[0]]:.2f}")
    rows.first.locator("th button").click()
    expect_address(page, colour=shown[0])


def test_presenting_walks_through_the_presets_and_leaves_the_map_usable(page: Page) -> None:
    visit_concept(page, f"/atlas?model={MINI}")
    page.get_by_role("button", name="Present").click()
    bar = page.locator(".present-bar")
    expect(bar).to_contain_text("Layer × mean distance")
    expect(page.locator("header")).to_be_hidden()
    expect(page.locator("#head-title")).to_be_hidden()
    page.keyboard.press("Shift+ArrowRight")
    expect(bar).to_contain_text("Previous token × induction")
    expect(page.locator(".atlas-map .mark-name.is-y")).to_have_text("Induction (share)")
    expect(page.locator(".atlas-map .mark-name.is-y")).to_be_visible()
    for size in ({"width": 1366, "height": 768}, {"width": 1920, "height": 1080}):
        page.set_viewport_size(size)
        until(
            page,
            """() => { const bar = document.querySelector(".present-bar").getBoundingClientRect();
              return [".atlas-map", "#legend", "#pointed"].every((name) =>
                document.querySelector(name).getBoundingClientRect().bottom <= bar.top); }""",
        )
    page.locator(".atlas-cell").nth(8).click()
    expect_address(page, layer="1", head="2", present="1")
    page.keyboard.press("Escape")
    expect(page.locator("#head-title")).to_have_text("Layer 1, head 2")


@pytest.mark.parametrize("width", [900, 390])
def test_an_embedded_atlas_has_map_and_portrait_and_no_frame(browser: Browser, server_url: str, width: int) -> None:
    context = browser.new_context(base_url=server_url, viewport={"width": width, "height": 700})
    page = context.new_page()
    page.goto(f"/embed/atlas?model={MINI}&layer=1&head=1&view=examples&lang=en")
    until(page, DRAWN)
    expect(page.locator("header, footer")).to_have_count(0)
    expect(page.locator(".atlas-dot")).to_have_count(36)
    expect(page.locator("#head-title")).to_have_text("Layer 1, head 1")
    expect(page.locator("#examples .atlas-example")).not_to_have_count(0)
    page.locator(".atlas-cell").nth(0).click()
    expect(page.locator("#head-title")).to_have_text("Layer 0, head 0")
    expect(page.locator("#examples")).to_contain_text(re.compile(r"\d"))
    assert page.evaluate("() => document.documentElement.scrollWidth - innerWidth") <= 0
    context.close()


def test_while_the_server_is_busy_no_choice_changes(page: Page, problems: Problems) -> None:
    problems.expect("503")
    page.route("**/api/atlases*", lambda route: route.fulfill(status=503, headers={"Retry-After": "60"}))
    page.goto("/atlas?lang=en")
    expect(page.get_by_role("alert").first).to_be_visible()
    assert [page.locator(f"[data-bind={name}] option:checked").inner_text() for name in ("atlas", "x", "y")] == [
        "…",
        "Layer",
        "Mean distance",
    ]
    page.unroute_all()
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("[data-bind=atlas] option:checked")).to_contain_text("probe")
