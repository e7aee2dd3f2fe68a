"""View, caption, address and files belong to one analysis; stale content is marked as stale."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from driving import MODEL, SENTENCE, answers, choose_example, expect_address, parameters, visit
from playwright.sync_api import Page, Route, expect
from settling import settle

SVG = "{http://www.w3.org/2000/svg}"
BELOW_THE_TEXT = """() => document.querySelector("#bench").getBoundingClientRect().top -
  document.querySelector(".composer").getBoundingClientRect().bottom"""
NEW = "Dogs bark at night."


def ask(page: Page, text: str) -> None:
    page.locator("#text").fill(text)
    page.keyboard.press("Enter")


def open_menu(page: Page) -> None:
    page.locator("#export > summary").click()
    expect(page.locator(".export-group")).to_have_count(5)


def expect_stale(page: Page, why: str) -> None:
    """The old picture is there, says whose it is, and can neither be picked in nor taken along."""
    expect(page.locator("#freshness [role=status]")).to_contain_text(SENTENCE)
    expect(page.locator("#freshness [role=status]")).to_contain_text(why)
    expect(page.locator(".token")).to_have_count(13)
    assert page.locator("#bench").evaluate("(bench) => getComputedStyle(bench).filter") != "none"
    assert page.locator("#tokens").evaluate("(one) => one.closest('[inert]') !== null")
    assert page.locator("#matrix").evaluate("(one) => one.closest('[inert]') !== null")
    expect_address(page, text=SENTENCE)
    expect(page.locator("#share")).to_be_disabled()
    open_menu(page)
    expect(page.locator(".export-obstacle")).to_contain_text(why)
    expect(page.locator(".export-buttons button:enabled")).to_have_count(0)
    page.locator("#lecture summary").click()
    expect(page.locator("#snippet-html")).to_have_value("")
    expect(page.locator(".snippet-head button")).to_be_disabled()


def expect_fresh(page: Page) -> None:
    expect(page.locator("#freshness")).to_be_hidden()
    expect(page.locator("#share")).to_be_enabled()
    expect(page.locator(".export-buttons button:disabled")).to_have_count(0)
    assert page.locator("#bench").evaluate("(bench) => getComputedStyle(bench).filter") == "none"


@pytest.mark.parametrize(("text", "why"), [("", "The text is empty"), ("word " * 700, "702 tokens")])
def test_a_refused_text_leaves_the_picture_marked_as_the_old_one(
    page: Page, problems: Any, text: str, why: str
) -> None:
    problems.expect("console: .*422")
    visit(page)
    before = page.evaluate(BELOW_THE_TEXT)
    ask(page, text)
    expect_stale(page, why)
    assert page.evaluate(BELOW_THE_TEXT) == pytest.approx(before, abs=2), "the notice moves nothing"
    page.get_by_role("button", name="Back to what is shown").click()
    expect(page.locator("#text")).to_have_value(SENTENCE)
    expect(page.locator("#text-error")).to_be_hidden()
    expect_fresh(page)
    page.go_back()
    expect(page.locator("#text")).to_have_value(text)


def test_offline_and_back(page: Page, problems: Any) -> None:
    problems.expect("console: .*ERR_INTERNET_DISCONNECTED")
    problems.expect("request failed: ")
    visit(page)
    page.context.set_offline(True)
    ask(page, NEW)
    expect_stale(page, "The server cannot be reached")
    page.context.set_offline(False)
    page.keyboard.press("Escape")
    page.locator("#text").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".token")).to_have_count(7)
    expect_fresh(page)
    expect_address(page, text=NEW)


def test_what_is_typed_makes_the_picture_the_old_one_at_once(page: Page, axe: Any) -> None:
    visit(page)
    page.locator("#text").fill(NEW)
    expect_stale(page, "not been analysed yet")
    page.keyboard.press("Escape")
    axe(page)
    page.reload()
    expect(page.locator("#text")).to_have_value(NEW)  # what was typed stays
    expect(page.locator(".token")).to_have_count(13)
    page.locator("#run").click()
    expect(page.locator(".token")).to_have_count(7)
    page.go_back()
    expect(page.locator("#text")).to_have_value(SENTENCE)


def test_too_long_a_text_is_cut_to_its_first_tokens_and_back_brings_it_again(page: Page, problems: Any) -> None:
    problems.expect("console: .*422")
    visit(page)
    text = "吾輩は猫である。😀 " * 120
    ask(page, text)
    page.get_by_role("button", name="Use the first 512 tokens").click()
    expect(page.locator("#progress")).to_contain_text("512 tokens")
    kept = page.locator("#text").input_value()
    assert text.startswith(kept)
    assert 0 < len(kept) < len(text)
    assert parameters(page).get("text", kept) == kept
    expect_fresh(page)
    page.go_back()
    expect(page.locator("#text")).to_have_value(text)


WATCH = """() => {
  const seen = window.seen = new Set();
  const look = () => {
    const tokens = [...document.querySelectorAll(".token bdi")].map((one) => one.textContent).slice(1, 3).join(" ");
    const axes = document.querySelector(".matrix-frame")?.getAttribute("aria-label");
    const reads = document.querySelector("#reads .reads-title")?.textContent ?? "";
    seen.add(JSON.stringify([tokens, document.querySelector("#head-title").textContent, axes, reads]));
  };
  new MutationObserver(() => requestAnimationFrame(look)).observe(document.body, { subtree: true, childList: true,
    attributes: true, characterData: true });
}"""


def test_an_example_replaces_everything_in_one_step(page: Page) -> None:
    visit(page)
    page.evaluate(WATCH)
    held: list[Route] = []
    with answers(page, "**/api/analyses", lambda route: held.append(route)):  # noqa: PLW0108 - a bound method takes no mark
        choose_example(page, "One word, two senses")
        expect(page.locator("#text")).to_have_value(
            "She sat on the bank of the river and thought about the bank that held her money."
        )
        expect(page.locator("#freshness")).to_contain_text("Computing what you asked for")
        expect(page.locator("#share")).to_be_disabled()
        held[0].continue_()
        expect(page.locator("#head-title")).to_have_text("Layer 0, head 4")
    page.wait_for_selector("#reads .reads-title")
    settle(page)
    for line in page.evaluate("() => [...seen]"):
        tokens, title, axes, reads = json.loads(line)
        is_new = tokens == "she sat"
        assert is_new or tokens == "the cat", line
        name = "Layer 0, head 4" if is_new else "Layer 5, head 11"
        assert title == name, line
        assert axes.startswith(name), line
        assert reads in ({"", "bank₅ attends to"} if is_new else {"it attends to"}), line


def test_own_tensors_take_no_text_but_offer_a_model(page: Page) -> None:
    sent = page.request.post("/api/tensors", data=json.dumps({"weights": [[1, 0], [0.25, 0.75]], "tokens": ["a", "b"]}))
    page.goto(f"/?model={sent.json()['id']}&text=Something+else")
    expect(page.locator("#bench")).to_have_attribute("aria-busy", "false")
    expect(page.locator("#text")).to_have_value("a b")
    expect_address(page, text="a b")
    expect(page.locator("#text")).not_to_be_editable()
    expect(page.locator("#run")).to_be_disabled()
    page.locator("#what-if summary").click()
    expect(page.locator("#changes")).to_contain_text("No model ran here on uploaded tensors")
    for controls in ("#changes", ".quick", "#head-actions"):
        assert page.locator(f"{controls} :is(button, select, input):enabled").count() == 0
        assert page.locator(f"{controls} button").count() > 0
    page.get_by_role("button", name="Analyse this text with MiniLM").click()
    expect(page.locator(".token")).to_have_count(4)
    expect(page.locator("#text")).to_be_editable()
    expect_address(page, model=MODEL)


def test_before_and_after_are_told_apart_in_files(page: Page, tmp_path: Path) -> None:
    page.goto("/?changes=off-5.11")
    expect(page.locator("#bench")).to_have_attribute("aria-busy", "false")
    found = {}
    for side in ("After", "Before"):
        page.get_by_role("radio", name=side, exact=True).check()
        expect(page.locator("#bench")).to_have_attribute("data-freshness", "fresh")
        page.wait_for_selector("#reads .reads-title")
        page.locator("#export > summary").click()
        for group, name in (("This view", "SVG"), ("Numbers of this head", "CSV")):
            with page.expect_download() as download:
                page.get_by_role("group", name=group).get_by_role("button", name=name).click()
            path = tmp_path / download.value.suggested_filename
            download.value.save_as(path)
            found[side, name] = path
        page.keyboard.press("Escape")
    model = "all-MiniLM-L6-v2"
    assert {key: path.name for key, path in found.items()} == {
        ("After", "SVG"): f"{model}-layer5-head11-weights-after-off-5.11.svg",
        ("After", "CSV"): f"{model}-encoder-layer5-head11-weights-after-off-5.11.csv",
        ("Before", "SVG"): f"{model}-layer5-head11-weights-before.svg",
        ("Before", "CSV"): f"{model}-encoder-layer5-head11-weights-before.csv",
    }
    words = {
        side: " ".join(text.text or "" for text in ElementTree.parse(found[side, "SVG"]).getroot().iter(f"{SVG}text"))  # noqa: S314
        for side in ("After", "Before")
    }
    assert "with changes inside the model: Layer 5, head 11: off" in words["After"]
    assert "before the changes (unchanged model)" in words["Before"]
    assert "with changes" not in words["Before"]


def test_pictures_of_outputs_hold_no_controls(page: Page, tmp_path: Path) -> None:
    page.goto("/?view=output")
    page.wait_for_selector(".attribution-map .cell-value")
    expect(page.get_by_role("button", name="Draw these heads as lines")).to_be_visible()
    controls = set(page.locator("#panel-output :is(.button, select, summary):visible").all_inner_texts())
    open_menu(page)
    with page.expect_download() as download:
        page.get_by_role("group", name="This view").get_by_role("button", name="SVG").click()
    download.value.save_as(tmp_path / "output.svg")
    words = [text.text for text in ElementTree.parse(tmp_path / "output.svg").getroot().iter(f"{SVG}text")]  # noqa: S314
    assert "Strongest heads" in words
    assert controls & set(words) == set()


def test_an_address_that_asks_for_what_there_is_not(page: Page, problems: Any) -> None:
    problems.expect("console: .*404")
    problems.expect("console: .*422")
    page.goto("/?model=nobody/nothing")
    expect(page.locator("#model-error")).to_contain_text("no model called “nobody/nothing” here")
    page.get_by_role("button", name="Open with MiniLM").click()
    expect(page.locator(".token")).to_have_count(13)
    expect_address(page, model=MODEL)
    visit(page, "/?layer=40&head=3&stage=raw&changes=bogus")
    notes = page.locator("#address-notes")
    expect(notes).to_contain_text("layer: “40” in the address does not exist here; showing 5.")
    expect(notes).to_contain_text("stage: “raw” in the address does not exist here")
    expect(notes).to_contain_text("left out: bogus")
    page.locator(".token").nth(3).click()
    expect(notes).to_be_hidden()
    page.goto("/?changes=off-99.3")
    expect(page.locator("#changed")).to_contain_text("“Layer 99, head 3: off” cannot be applied")
    page.get_by_role("button", name="Back to the unchanged model").click()
    expect(page.locator(".token")).to_have_count(13)
