"""The story beside a picture: terms, predictions, steps, films, state links, the way onward; on /masks."""

import pytest
from driving import expect_address
from playwright.sync_api import Page, expect
from settling import settle, until

READY = "() => document.querySelector('#concept').getAttribute('aria-busy') === 'false'"
LATER = """() => [...document.querySelectorAll("#picture [data-step]")].map((part) => part.matches(".is-later"))"""


@pytest.fixture
def masks(page: Page) -> Page:
    page.goto("/masks")
    until(page, READY)
    return page


@pytest.mark.gate
def test_a_term_shows_its_definition_until_escape(masks: Page) -> None:
    term = masks.locator(".why .term").first
    card = term.get_by_role("tooltip", include_hidden=True)
    expect(card).to_be_hidden()
    term.locator(".term-word").focus()
    expect(card).to_be_visible()
    box, width = card.bounding_box(), masks.viewport_size
    assert box
    assert width
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width["width"]
    masks.keyboard.press("Escape")
    expect(card).to_be_hidden()
    term.locator(".term-word").hover()
    expect(card).to_be_visible()


def test_a_term_s_card_fits_a_phone(phone: Page) -> None:
    phone.goto("/masks")
    until(phone, READY)
    for index in range(phone.locator(".term").count()):
        term = phone.locator(".term").nth(index)
        term.locator(".term-word").click()
        card = term.get_by_role("tooltip")
        expect(card).to_be_visible()
        box = card.bounding_box()
        assert box
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        phone.keyboard.press("Escape")
        expect(card).to_be_hidden()
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_prediction_is_answered_before_it_is_explained(masks: Page) -> None:
    place = masks.locator(".predict")
    expect(place.locator(".predict-because")).to_be_hidden()
    place.locator(".predict-option").nth(0).click()
    expect(place.locator(".predict-verdict")).to_have_text("No: 1 in both cases")
    expect(place.locator(".predict-option").nth(1)).to_have_class("button predict-option is-right")
    slip = place.locator(".predict-slip:visible")
    expect(slip).to_have_text("A score counts only beside other allowed keys, and here there are none.")
    place.locator(".predict-option").nth(2).click()
    expect(slip).to_have_text("A low score loses only against another allowed key, and here there is none.")
    place.locator(".predict-option").nth(1).click()
    expect(place.locator(".predict-verdict")).to_have_text("Yes.")
    expect(slip).to_have_count(0)
    place.locator(".predict-because a").click()
    expect_address(masks, scores="-50_2_3__0.5_1.5_2.5__1.2_0.8_2", query="0")


def test_the_picture_begins_whole_and_follows_the_steps(masks: Page) -> None:
    assert masks.evaluate(LATER) == [False] * 4
    masks.keyboard.press("ArrowLeft")  # there is nothing before it
    assert masks.evaluate(LATER) == [False] * 4
    masks.keyboard.press("ArrowRight")
    expect(masks.locator(".step[aria-current]")).to_have_text("1Mask")
    assert masks.evaluate(LATER) == [False, True, True, True]
    masks.keyboard.press("ArrowRight")
    expect(masks.locator(".step[aria-current]")).to_have_text("2Masked scores")
    assert masks.evaluate(LATER) == [False, False, True, True]
    # Whoever follows the steps stays there when something is changed.
    masks.locator("#scores input").first.fill("4")
    masks.locator("#scores input").first.press("Tab")
    expect(masks.locator(".step[aria-current]")).to_have_text("2Masked scores")


def test_whoever_changes_something_first_sees_everything(masks: Page) -> None:
    masks.locator("select[data-bind=kind]").select_option("prefix")
    expect(masks.locator(".step[aria-current]")).to_have_text("3Weights")
    assert masks.evaluate(LATER) == [False] * 4


def test_the_film_moves_through_its_moments_and_can_be_stopped(masks: Page) -> None:
    slider = masks.locator("#film input")
    slider.fill("2")
    expect_address(masks, query="2")
    expect(masks.locator(".film-says")).to_contain_text("“sat” may attend to 3 of 3 words, and attends most to “sat”.")
    masks.locator(".film-play").click()
    expect(masks.locator(".film-play")).to_contain_text("Pause")
    expect(slider).to_have_value("0")
    expect(slider).to_have_value("1")
    masks.locator(".film-play").click()
    expect(masks.locator(".film-play")).to_contain_text("Play")


@pytest.mark.parametrize("path", ["/scoring", "/embed/scoring"])
def test_a_page_without_states_of_its_own_walks_through_its_steps(page: Page, path: str) -> None:
    page.goto(path)
    until(page, READY)
    slider, says, later = page.locator("#film input"), page.locator(".film-says"), page.locator(".is-later")
    expect(says).to_contain_text(page.locator(".step-says").inner_text())
    expect(later).to_have_count(0)
    expect(says).to_contain_text(f"{page.locator('.step').count()} / ")
    slider.fill("1")
    assert later.count() > 0
    expect(page.locator(".step[aria-current]")).to_contain_text("2")
    expect(says).to_contain_text(page.locator(".step-says").inner_text())
    page.locator(".step").first.click()
    expect(slider).to_have_value("0")
    slider.press("End")
    expect(later).to_have_count(0)
    expect(slider).to_have_value(str(page.locator(".step").count() - 1))


def test_the_picture_stays_in_view_beside_the_story(masks: Page) -> None:
    masks.locator(".misconception").scroll_into_view_if_needed()
    expect(masks.locator("#picture")).to_be_in_viewport(ratio=0.9)


def test_a_misconception_is_shown_wrong_and_right(masks: Page) -> None:
    masks.locator(".misconception .is-wrong a").click()
    expect_address(masks, kind="none")
    masks.locator(".misconception .is-right a").click()
    expect_address(masks, kind=None)


def test_words_show_the_picture_they_speak_of_and_are_marked_while_it_is_there(phone: Page) -> None:
    phone.goto("/rope?theme=night")
    until(phone, READY)
    sky, group = phone.locator(".why .picture-link[href*=sky]"), phone.locator(".why .picture-link[href*=group]")
    expect(phone.locator("[data-state][aria-current]")).to_have_count(0)
    sky.focus()
    sky.press("Enter")
    expect_address(phone, view="sky", theta="0.15", slide="8", theme="night")
    expect(sky).to_have_attribute("aria-current", "true")
    expect(phone.locator(".bench-picture svg").first).to_be_in_viewport()
    group.click()
    expect_address(phone, view="group", theta=None, theme="night")
    expect(group).to_have_attribute("aria-current", "true")
    expect(sky).not_to_have_attribute("aria-current", "true")
    settle(phone)
    phone.locator("#film input").press("Home")
    expect(phone.locator("[data-state][aria-current]")).to_have_count(0)


def test_the_way_leads_on_and_back(masks: Page) -> None:
    masks.locator("a[rel=next]").click()
    masks.wait_for_url("**/reach?*")
    masks.locator("a[rel=prev]").click()
    masks.wait_for_url("**/masks?*")


def test_an_embedded_page_has_the_steps_and_no_story(page: Page) -> None:
    page.goto("/embed/masks")
    until(page, READY)
    settle(page)
    expect(page.locator(".stepper")).to_be_visible()
    expect(page.locator(".why, .predict, .misconception, .course-nav")).to_have_count(0)
