"""Insert predictions into the text: append, fill a mask; and mask a token.

Oracle: what the API says of the rewritten text, asked for beside the page.
"""

import re
from pathlib import Path
from typing import Any

import pytest
from driving import MODEL, SENTENCE, answers, expect_drawn, true_weights, visit
from playwright.sync_api import Browser, Locator, Page, Route, expect

TEXT = "The cat sat on the mat because"
DECODER = "observatory-gpt2-mini"


@pytest.fixture(scope="module")
def server_url(models_server_url: str) -> str:
    return models_server_url


def candidates(page: Page, **asked: str) -> list[dict[str, Any]]:
    """Of the first prediction for what is asked."""
    return page.request.post("/api/analyses", data=asked).json()["predictions"][0]["candidates"]


def choices(page: Page) -> Locator:
    return page.locator("#predictions .reads button")


def shares(page: Page) -> list[str]:
    return page.locator("#predictions .reads-value").all_text_contents()


def expect_shares(page: Page, **asked: str) -> None:
    """The probabilities on the page are those of what is asked."""
    expected = [f"{each['probability']:.3f}" for each in candidates(page, **asked)]
    expect(page.locator("#predictions .reads-value")).to_have_text(expected)


@pytest.mark.gate
def test_a_decoder_writes_on_what_is_pressed(page: Page) -> None:
    visit(page, f"/?model={DECODER}&text={TEXT}&layer=1&head=0&query=2")
    before = page.locator(".token").count()
    offered = candidates(page, model=DECODER, text=TEXT)
    second = [each for each in offered if each["written"]][1]["written"]
    choices(page).nth(1).click()
    expect(page.locator("#text")).to_have_value(TEXT + second)
    expect(page.locator(".token")).to_have_count(before + 1)
    expect_shares(page, model=DECODER, text=TEXT + second)
    expect(page.locator('.token[aria-selected="true"]')).to_contain_text("sat")
    page.go_back()
    expect(page.locator("#text")).to_have_value(TEXT)
    expect(page.locator(".token")).to_have_count(before)
    expect_shares(page, model=DECODER, text=TEXT)


def test_the_keyboard_writes_one_token_after_another(page: Page) -> None:
    visit(page, f"/?model={DECODER}&text={TEXT}")
    text = TEXT
    choices(page).first.focus()
    for _ in range(3):
        text += next(each["written"] for each in candidates(page, model=DECODER, text=text) if each["written"])
        page.keyboard.press("Enter")
        expect(page.locator("#text")).to_have_value(text)
        expect_shares(page, model=DECODER, text=text)
        expect(choices(page).first).to_be_focused()


def test_only_what_text_can_say_can_be_pressed(page: Page) -> None:
    visit(page, f"/?model=tiny-gpt2&text={TEXT}")
    offered = candidates(page, model="tiny-gpt2", text=TEXT)
    written = [each for each in offered if each["written"]]
    assert 0 < len(written) < len(offered)
    expect(page.locator("#predictions li")).to_have_count(len(offered))
    expect(choices(page)).to_have_count(len(written))


def test_an_encoder_decoder_writes_its_target(page: Page) -> None:
    visit(page, f"/?model=tiny-t5&text={TEXT}")
    expect(page.locator("#predictions .reads-title")).to_have_text("After “<pad>”")
    for _ in range(2):
        target = page.locator("#target_text").input_value()
        asked = {"model": "tiny-t5", "text": TEXT} | ({"target_text": target} if target else {})
        written = next(each["written"] for each in candidates(page, **asked) if each["written"])
        choices(page).first.click()
        target = target + written if target else written.lstrip()
        expect(page.locator("#target_text")).to_have_value(target)
        expect_shares(page, model="tiny-t5", text=TEXT, target_text=target)
    expect(page.locator("#text")).to_have_value(TEXT)


def test_a_mask_is_filled_with_what_is_pressed(page: Page) -> None:
    text = "The [MASK] sat on the [MASK]."
    visit(page, f"/?model=tiny-bert&text={text}")
    expect(page.locator("#predictions .reads")).to_have_count(2)
    offered = candidates(page, model="tiny-bert", text=text)
    written = next(each["written"] for each in offered if each["written"] and not each["written"].startswith("##"))
    choices(page).filter(has_text=re.compile(rf"^{re.escape(written)}, \d")).first.click()
    expect(page.locator("#text")).to_have_value(f"The {written} sat on the [MASK].")
    expect(page.locator("#predictions .reads")).to_have_count(1)
    page.go_back()
    expect(page.locator("#predictions .reads")).to_have_count(2)


def test_the_chosen_token_is_masked_and_the_map_is_of_the_masked_text(page: Page) -> None:
    visit(page, f"/?model={MODEL}&text={SENTENCE}&layer=5&head=11&query=2")
    button = page.get_by_role("button", name="Mask “cat” and run again")
    button.press("Enter")
    masked = SENTENCE.replace("cat", "[MASK]")
    expect(page.locator("#text")).to_have_value(masked)
    expect_drawn(page, true_weights(page, masked, 5, 11))
    expect(page.locator("#predictions button")).to_have_count(0)  # the mask itself cannot be masked again
    page.locator(".token").nth(6).click()
    expect(page.get_by_role("button", name="Mask “mat” and run again")).to_be_visible()
    page.go_back()
    page.go_back()
    expect(page.locator("#text")).to_have_value(SENTENCE)
    expect_drawn(page, true_weights(page, SENTENCE, 5, 11))


def test_a_mask_shows_what_the_model_would_say(page: Page) -> None:
    visit(page, f"/?model=tiny-bert&text={SENTENCE}&query=2")
    page.get_by_role("button", name="Mask “cat” and run again").click()
    expect(page.locator("#predictions .reads-title")).to_have_text("In place of “[MASK]”")
    expect_shares(page, model="tiny-bert", text=SENTENCE.replace("cat", "[MASK]"))


def test_a_token_of_the_second_text_is_masked_there(page: Page) -> None:
    visit(page, f"/?model={MODEL}&text=😀 Where is it?&pair=In the hills.")
    page.locator(".token", has_text="hills").click()
    page.get_by_role("button", name="Mask “hills” and run again").click()
    expect(page.locator("#text_pair")).to_have_value("In the [MASK].")
    expect(page.locator("#text")).to_have_value("😀 Where is it?")
    page.locator(".token", has_text="where").click()
    page.get_by_role("button", name="Mask “where” and run again").click()
    expect(page.locator("#text")).to_have_value("😀 [MASK] is it?")


def test_there_is_no_mask_where_the_model_has_none(page: Page) -> None:
    visit(page, f"/?model={DECODER}&text={TEXT}&query=2")
    expect(page.get_by_role("button", name=re.compile("^Mask"))).to_have_count(0)
    visit(page, "/?model=tiny-vit&picture=shapes")
    expect(page.locator("#predictions button")).to_have_count(0)


def test_a_full_text_says_that_nothing_can_be_appended(page: Page) -> None:
    listed = {model["id"]: model for model in page.request.get("/api/models").json()["models"]}
    limit = listed["tiny-gpt2"]["max_tokens"]
    text = " ".join(["on"] * limit)
    visit(page, f"/?model=tiny-gpt2&text={text}")
    expect(page.locator(".token")).to_have_count(limit)
    expect(page.locator("#predictions")).to_contain_text(
        f"The text already has {limit} tokens, the maximum; nothing can be appended."
    )
    expect(choices(page)).to_have_count(0)


def test_what_is_pressed_while_a_text_is_on_its_way_changes_nothing(page: Page) -> None:
    visit(page, f"/?model={DECODER}&text={TEXT}")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    first = next(each["written"] for each in candidates(page, model=DECODER, text=TEXT) if each["written"])
    with answers(page, "**/api/analyses", hold):
        choices(page).first.click()
        expect(page.locator("#bench")).to_have_attribute("aria-busy", "true")
        choices(page).nth(2).click()
        expect(page.locator("#text")).to_have_value(TEXT + first)
        held[0].continue_()
        expect_shares(page, model=DECODER, text=TEXT + first)
    assert len(held) == 1


def test_back_is_promised_where_there_is_one(page: Page) -> None:
    visit(page, f"/?model={DECODER}&text={TEXT}")
    expect(page.locator("#predictions")).to_contain_text(
        "Click a token to append it and continue. The browser's Back button undoes this."
    )
    page.goto(f"/embed/explorer?model={DECODER}&text={TEXT}")
    expect(page.locator("#predictions")).to_contain_text("Click a token to append it and continue.")
    expect(page.locator("#predictions")).not_to_contain_text("The browser's Back button undoes this.")


def test_a_saved_page_shows_them_without_buttons(page: Page, browser: Browser, tmp_path: Path) -> None:
    analysis = page.request.post("/api/analyses", data={"model": DECODER, "text": TEXT}).json()
    path = tmp_path / "file.html"
    path.write_bytes(page.request.get(f"/api/analyses/{analysis['id']}/export?format=html").body())
    context = browser.new_context(offline=True)
    saved = context.new_page()
    saved.goto(path.as_uri())
    expect(saved.locator("#predictions li")).to_have_count(10)
    assert shares(saved) == [f"{each['probability']:.3f}" for each in analysis["predictions"][0]["candidates"]]
    expect(saved.locator("#predictions button")).to_have_count(0)
    context.close()
