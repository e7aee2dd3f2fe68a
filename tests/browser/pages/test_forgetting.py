"""Forget what this browser keeps: on every page, asked once, and then nothing is left of who sat here."""

from typing import Any

import pytest
from conftest import OpenPage
from driving import SENTENCE, visit
from playwright.sync_api import Page, expect

KEPT = "() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)].sort()"
TEXTS = {
    "en": (
        "Forget what this browser keeps",
        "Forget",
        "Keep everything",
        "This browser keeps nothing of yours here any more.",
    ),
    "ja": (
        "このブラウザーに残るものを消す",
        "消す",
        "残しておく",
        "このブラウザーには、ここで残したものがもう何もない。",
    ),
}


def secrets_of(page: Page) -> list[str]:
    """The paths of the cookies that say who somebody is."""
    return sorted(each["path"] for each in page.context.cookies() if each["name"] == "observatory_owner")  # type: ignore[typeddict-item]


def test_pins_texts_and_the_right_to_uploads_are_forgotten_by_keyboard(page: Page) -> None:
    visit(page, "/?text=A+secret+that+nobody+else+should+read.")
    page.locator("#pin").click()
    page.locator("#theme").select_option("night")
    loading = (
        "() => fetch('api/models/load', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: BODY})"
    )
    model = '\'{"model": "sentence-transformers/all-MiniLM-L6-v2"}\''
    page.evaluate(loading.replace("BODY", model))
    started = page.evaluate(
        "() => fetch('api/training', {method: 'POST', headers: {'Content-Type': 'application/json'},"
        ' body: \'{"task": "repeat", "steps": 50, "seed": 0}\'}).then((answer) => answer.status)'
    )
    assert started == 201
    assert secrets_of(page) == ["/api", "/api/models"]
    assert {"observatory-pins", "observatory-theme"} <= set(page.evaluate(KEPT))
    name, _, kept, done = TEXTS["en"]
    page.get_by_role("button", name=name).focus()
    page.keyboard.press("Enter")
    asked = page.get_by_role("dialog", name="Forget what this browser keeps?")
    expect(asked).to_contain_text("pins and prepared talks")
    expect(asked.get_by_role("button", name=kept)).to_be_focused()
    page.keyboard.press("Escape")
    expect(asked).to_have_count(0)
    assert secrets_of(page) == ["/api", "/api/models"], "nothing goes unless it is said"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    told = page.get_by_role("dialog", name=done)
    expect(told).to_be_visible()
    assert "secret" not in page.url
    assert secrets_of(page) == []
    expect(page.locator("html")).not_to_have_attribute("data-theme", "night")
    page.keyboard.press("Enter")
    expect(told).to_have_count(0)
    expect(page.locator("#text")).to_have_value(SENTENCE)
    expect(page.locator("#pin-count")).to_have_text("")
    assert "observatory-pins" not in page.evaluate(KEPT)


@pytest.mark.parametrize("path", ["/softmax?scores=9,8,7", "/lessons", "/glossary", "/api/docs", "/no-such-page"])
def test_every_page_has_it_on_a_phone_in_japanese(
    path: str, open_page: OpenPage, server_url: str, axe: Any, problems: Any
) -> None:
    if path == "/no-such-page":
        problems.expect("404")
    page = open_page(width=390, locale="ja-JP")
    page.goto(f"{server_url}{path}")
    page.evaluate("() => localStorage.setItem('observatory-exercises', '[\"softmax-x1\"]')")
    page.evaluate("() => localStorage.setItem('theirs', '1')")
    name, yes, _, done = TEXTS["ja"]
    button = page.get_by_role("button", name=name)
    button.scroll_into_view_if_needed()
    button.click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    box = dialog.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    axe(page)
    dialog.get_by_role("button", name=yes, exact=True).click()
    expect(page.get_by_role("dialog", name=done)).to_be_visible()
    assert page.url == f"{server_url}{path.partition('?')[0]}"
    assert set(page.evaluate(KEPT)) <= {"theirs", "observatory-course-place"}, "the place is the one it is at now"


def test_a_server_that_does_not_answer_is_said_and_the_storage_is_empty_all_the_same(page: Page, problems: Any) -> None:
    problems.expect("ERR_FAILED")
    visit(page)
    page.locator("#pin").click()
    page.route("**/api/owner", lambda route: route.abort())
    page.get_by_role("button", name=TEXTS["en"][0]).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Forget", exact=True).click()
    expect(dialog.get_by_role("alert")).to_contain_text("is still there: The server cannot be reached.")
    assert "observatory-pins" not in page.evaluate(KEPT)
    page.unroute("**/api/owner")
    dialog.get_by_role("button", name="Forget", exact=True).click()
    expect(page.get_by_role("dialog", name=TEXTS["en"][3])).to_be_visible()
