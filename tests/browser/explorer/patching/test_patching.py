"""The induction study from the page alone: which heads, through what, along which path; and a refusal."""

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from driving import expect_address, expect_fits
from playwright.sync_api import Page, expect
from settling import until

READY = """() => document.querySelector(".patching-results:not([hidden])")?.getAttribute("aria-busy") === "false" """

STUDY = {
    "model": "observatory-gpt2-mini",
    "text": "Pacific Duke Sonic Norfolk Juliet Burma Madonna . Pacific Duke Sonic",
    "corrupt": "Pacific Duke Burma Norfolk Juliet Sonic Madonna . Pacific Duke Sonic",
    "view": "patching",
}


def strongest(page: Page, count: int) -> set[str]:
    return {text.split("+")[0].strip(" ,") for text in page.locator(".shares-list li").all_text_contents()[:count]}


def test_the_induction_study_from_the_page_alone(page: Page, problems: Any) -> None:
    page.goto("/?view=patching")
    panel = page.locator("#panel-patching")
    expect(panel).to_contain_text("Two prompts of equally many tokens")
    # Before a study: the clean prompt's tokens, and what will be computed.
    expect(panel.locator(".patching-verdict")).to_contain_text(
        re.compile(r"\d+ tokens in the clean prompt; .* \d+ patched runs: \d+ layers × \d+ heads")
    )
    expect(panel.locator(".patching-tokens :is(.is-extra, .is-other)")).to_have_count(0)
    panel.get_by_role("link", name="Induction: the word before").click()
    until(page, READY)
    expect(panel.locator(".patching-runs")).to_contain_text("“·Norfolk” − “·Madonna” at “·Sonic₁₂”: clean 11.12")
    expect(panel.locator(".patching-title")).to_have_text("Effect of patching each head: pattern (weights)")
    assert strongest(page, 2) == {"Layer 1, head 0", "Layer 1, head 1"}
    expect(panel.locator(".patching-meaning li").first).to_contain_text("Denoising:")
    # The list by keys: arrows go from row to row, Enter opens the head of a row, each one another.
    rows = panel.locator(".shares-list button")
    rows.first.focus()
    for index in range(min(3, rows.count())):
        layer, head = re.findall(r"\d+", rows.nth(index).locator(".reads-name").text_content() or "")
        expect(rows.nth(index)).to_be_focused()
        page.keyboard.press("Enter")
        expect_address(page, layer=layer, head=head)
        expect(rows.nth(index)).to_be_focused()
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Home")
    expect(rows.first).to_be_focused()
    # Its grid as a table and as JSON: the numbers of the API.
    page.locator("#export > summary").click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="JSON: Effects of this study").click()
    study = json.loads(Path(saved.value.path()).read_text())
    assert study["request"]["what"] == "pattern"
    assert study["answer"]["answer"]["text"] == " Norfolk"
    with page.expect_download() as saved:
        page.get_by_role("button", name="CSV: Effects of this study").click()
    assert saved.value.suggested_filename == "observatory-gpt2-mini-patching-effects.csv"
    heading, *lines = csv.reader(Path(saved.value.path()).read_text("utf-8-sig").splitlines())
    assert heading == ["layer \\ head", *map(str, range(6))]
    assert [[float(each) for each in line[1:]] for line in lines] == study["answer"]["effects"]
    expect(page.locator(".export-groups")).to_contain_text("It holds the patching study that is shown.")
    page.keyboard.press("Escape")
    # A head of the list is chosen everywhere; the study goes on from it.
    panel.locator(".shares-list").get_by_role("button", name=re.compile("Layer 1, head 0")).click()
    expect_address(page, layer="1", head="0")
    panel.get_by_label("Study").select_option("receiver")
    panel.get_by_label("Through its", exact=True).select_option("keys")
    expect(panel.locator(".patching-title")).to_contain_text("other heads to L1 H0, through its keys")
    until(page, READY)
    assert strongest(page, 2) == {"Layer 0, head 0", "Layer 0, head 1"}
    expect_address(page, paths="receiver", via="keys")
    # By position, where the words differ.
    panel.get_by_label("Study").select_option("")
    panel.get_by_label("Patched").select_option("residual")
    expect(panel.locator(".patching-title")).to_have_text("Effect of patching each position: residual stream")
    expect(panel.locator(".shares-list li").first).to_contain_text("Sonic₁₂")
    panel.get_by_text("Show as a table").click()
    expect(panel.locator("table.numbers tbody tr")).to_have_count(6)
    problems.expect("console: .*409")
    # Another number of tokens is seen while typing, and refused; the next prompt is taken.
    field = panel.get_by_label("Corrupt prompt")
    expect(panel.locator(".patching-verdict")).to_have_text("13 tokens in each prompt; the underlined ones differ.")
    expect(panel.locator(".patching-tokens .is-other")).to_have_count(4)
    field.fill("Pacific Duke Burma")
    expect(panel.locator(".patching-verdict")).to_contain_text("The clean prompt has 13 tokens, the corrupt one 5")
    expect(panel.locator(".patching-tokens .is-extra")).to_have_count(8)
    expect(panel.locator(".patching-tokens .is-missing")).to_have_count(8)
    field.press("Enter")
    expect(panel.get_by_role("alert")).to_contain_text("clean has 13, corrupt 5")
    expect(panel.locator(".patching-results")).to_be_hidden()
    field.fill("Pacific Duke Sonic Wales Juliet Burma Madonna . Pacific Duke Sonic")
    panel.get_by_role("button", name="Patch", exact=True).click()
    expect(panel.locator(".patching-runs")).to_contain_text("“·Norfolk” − “·Wales”")
    expect(panel.get_by_role("alert")).to_have_count(0)
    panel.get_by_text("Examples, and both prompts token by token").click()


@pytest.mark.gate
def test_the_study_of_indirect_objects_from_the_page_alone(page: Page) -> None:
    page.goto("/?view=patching")
    panel = page.locator("#panel-patching")
    panel.get_by_role("link", name="Indirect object").click()
    expect(panel.locator(".patching-runs")).to_contain_text("“·Mary” − “·John” at “·to₁₃”: clean 11.43")
    until(page, READY)
    expect_address(page, model="observatory-gpt2-names")
    expect(panel.locator(".patching-notice:not(:empty)")).to_contain_text("L0 H5 attends from the second “John”")
    expect(panel.locator(".patching-title")).to_have_text("Effect of patching each head: head output")
    expect(panel.locator(".patching-results .mark-cell:visible")).to_have_count(24)
    expect(panel.locator(".patching-meaning")).not_to_contain_text("0.5 logits")
    assert strongest(page, 1) == {"Layer 0, head 5"}
    panel.get_by_label("Patched").select_option("values")
    expect(panel.locator(".patching-title")).to_have_text("Effect of patching each head: values")
    until(page, READY)
    assert strongest(page, 3) == {"Layer 0, head 0", "Layer 1, head 3", "Layer 2, head 2"}


def test_any_token_can_be_typed_before_the_first_run(page: Page, problems: Any) -> None:
    problems.expect("console: .*422")
    page.goto(f"/?{urlencode(STUDY | {'corrupt': '', 'changes': 'off-5.3'})}")
    panel = page.locator("#panel-patching")
    expect(panel).to_contain_text("Both prompts run through the unchanged model, without the changes made above.")
    panel.get_by_label("Answer", exact=True).select_option("another token …")
    typed = panel.get_by_label("Answer: exactly one token")
    expect(typed).to_be_focused()
    typed.fill(" Wales")
    typed.press("Enter")
    expect_address(page, answer_text=" Wales")
    panel.get_by_label("Corrupt prompt").fill(STUDY["corrupt"])
    panel.get_by_role("button", name="Patch", exact=True).click()
    expect(panel.locator(".patching-runs")).to_contain_text("“·Wales” − “·Madonna”")
    # What is not one token is refused beside its field, and nowhere else; the other field is not blamed.
    panel.get_by_label("Against", exact=True).select_option("another token …")
    against = panel.get_by_label("Against: exactly one token")
    against.fill("no such token")
    against.press("Enter")
    refusal = re.compile(r"'no such token' is not one token of this vocabulary")
    expect(panel.get_by_role("alert").filter(has_text=refusal)).to_have_count(1)
    expect(against).to_have_accessible_description(refusal)
    expect(against).to_have_attribute("aria-invalid", "true")
    expect(typed).not_to_have_attribute("aria-invalid", "true")
    expect(panel.locator(".patching-results")).to_be_hidden()
    against.fill(" Burma")
    against.press("Enter")
    expect(panel.locator(".patching-runs")).to_contain_text("“·Wales” − “·Burma”")
    expect(against).not_to_have_attribute("aria-invalid", "true")
    page.reload()
    expect(typed).to_have_value(" Wales")
    expect(panel.locator(".patching-runs")).to_contain_text("“·Wales” − “·Burma”")
    panel.get_by_label("Answer", exact=True).select_option("best of clean")
    expect(panel.locator(".patching-runs")).to_contain_text("“·Norfolk” − “·Burma”")
    expect(typed).to_be_hidden()


def test_the_grid_of_a_study_is_whole_on_the_first_screen(page: Page) -> None:
    page.goto(f"/?{urlencode(STUDY | {'patched': 'pattern'})}")
    until(page, READY)
    panel = page.locator("#panel-patching")
    more = panel.get_by_text("Examples, and both prompts token by token")
    for width, height in ((1366, 768), (1440, 900), (1920, 1080)):
        page.set_viewport_size({"width": width, "height": height})
        for part in (".shares-map", ".patching-legend", ".patching-runs", ".patching-controls", ".patching-prompt"):
            expect(panel.locator(part)).to_be_in_viewport(ratio=1)
        expect(more).to_be_in_viewport(ratio=1)
    page.set_viewport_size({"width": 390, "height": 844})
    for part in (".shares-map", ".patching-legend", ".patching-runs"):
        expect(panel.locator(part)).to_be_in_viewport(ratio=0.9)
    # What is folded away opens, comes back while another prompt is typed, and stays as it is while a study runs.
    expect(panel.locator(".patching-tokens")).to_be_hidden()
    more.click()
    expect(panel.locator(".patching-tokens")).to_be_visible()
    panel.get_by_label("Patched").select_option("values")
    expect(panel.locator(".patching-title")).to_have_text("Effect of patching each head: values")
    until(page, READY)
    expect(panel.locator(".patching-tokens")).to_be_visible()
    more.click()
    panel.get_by_label("Corrupt prompt").fill("Pacific Duke")
    expect(panel.locator(".patching-tokens")).to_be_visible()


def test_on_a_phone_the_choices_are_a_form_that_ends_with_its_button(phone: Page) -> None:
    phone.goto(f"/?{urlencode(STUDY | {'patched': 'pattern'})}")
    until(phone, READY)
    panel = phone.locator("#panel-patching")
    run = panel.get_by_role("button", name="Patch", exact=True)
    more = panel.get_by_role("button", name="More choices")
    expect(panel.get_by_label("Direction")).to_be_hidden()
    more.click()
    expect(more).to_have_attribute("aria-expanded", "true")
    for name in ("Study", "Patched", "By", "At", "Direction", "Answer", "Against", "Predicted at"):
        control = panel.get_by_label(name, exact=True)
        box, label, last = (
            one.bounding_box() for one in (control, panel.locator("label", has_text=re.compile(f"^{name}$")), run)
        )
        assert box
        assert label
        assert last
        assert label["y"] + label["height"] <= box["y"] + 1
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        assert box["y"] < last["y"]
    assert panel.evaluate("(one) => one.scrollWidth <= one.clientWidth")
    panel.get_by_label("Direction").select_option("noising")
    expect_address(phone, noising="1")
    more.click()
    expect(panel.get_by_label("Direction")).to_be_hidden()


def test_a_long_study_says_how_far_it_is_and_can_be_cancelled(page: Page) -> None:
    words = "Pacific Duke Sonic Norfolk Juliet Burma Madonna . " * 24
    page.goto(
        f"/?{urlencode(STUDY | {'text': words, 'corrupt': words.replace('Sonic', 'Wales'), 'places': 'position'})}"
    )
    panel = page.locator("#panel-patching")
    expect(panel.locator(".patching-waiting [role=status]")).to_have_text(
        re.compile(r"^[1-9]\d* of \d{4} patched runs$")
    )
    with page.expect_request_finished(lambda request: request.url.endswith("/progress")) as looked:
        pass
    body = looked.value.post_data_json
    panel.get_by_role("button", name="Cancel").click()
    expect(panel.locator(".patching-waiting [role=status]")).to_have_text("Cancelled.")
    until(
        page,  # the server has stopped, too
        """async (body) => {
            const headers = { "Content-Type": "application/json" };
            const asked = { method: "POST", body: JSON.stringify(body), headers };
            return (await (await fetch("/api/patching/progress", asked)).json()).total === null;
        }""",
        arg=body,
    )
    panel.get_by_role("button", name="Patch again").click()
    expect(panel.locator(".patching-waiting [role=status]")).to_have_text(re.compile(r"^\d+ of \d{4} patched runs$"))


def test_the_study_by_position_fits_everyone(each_look: Page, axe: Callable[[Page], None]) -> None:
    each_look.goto(f"/?{urlencode(STUDY | {'patched': 'residual'})}")
    until(each_look, READY)
    each_look.locator("#panel-patching details.disclosure:not(.patching-more) summary").click()
    expect_fits(each_look, axe)
