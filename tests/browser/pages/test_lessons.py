"""Lessons: links work, answers are checked, progress stays in this browser."""

import re
from collections.abc import Callable

import pytest
from driving import visit_concept
from playwright.sync_api import Page, expect
from settling import settle, until

from server.pages import course

TYPE = """() => Number.parseFloat(getComputedStyle(document.querySelector(".is-on-stage .lesson-says")).fontSize)"""
"""Of a presented lesson's text, in pixels."""


def visit(page: Page, address: str = "/lessons") -> None:
    page.goto(address)
    expect(page.locator("#progress")).to_have_text(re.compile(r"\d"))


@pytest.mark.gate
def test_every_lesson_leads_to_pages_that_are_there(page: Page) -> None:
    visit(page)
    links = page.locator(".lesson .points a")
    addresses = {link.get_attribute("href") or "" for link in links.all()}
    assert len(addresses) > 10
    for address in sorted(addresses):
        assert page.request.get(address).status == 200, address
        assert "lang=en" in address


def test_the_lessons_stand_in_the_order_of_the_course(page: Page) -> None:
    visit(page)
    assert [lesson.get_attribute("id") for lesson in page.locator(".lesson").all()] == list(course.LESSONS)
    marks = [entry.get_attribute("href") for entry in page.locator(".lesson-map a").all()]
    assert marks == [f"#{lesson}" for lesson in course.LESSONS]
    drawn = "(all) => all.map((one) => one.querySelectorAll('rect, circle, path').length)"
    pictures = page.locator(".lesson > .lesson-picture").evaluate_all(drawn)
    assert len(pictures) == len(course.LESSONS)
    assert min(pictures) > 1
    for lesson in course.OPTIONAL:
        expect(page.locator(f"#{lesson} h2")).to_contain_text("optional")


@pytest.mark.parametrize(
    ("lesson", "words"),
    [
        ("roles", r"quer|W_q"),
        ("dot_product", r"dot product|cosine"),
        ("softmax", r"weight|softmax"),
        ("scaling", "scaled"),
    ],
)
def test_no_exercise_needs_the_idea_of_a_later_lesson(page: Page, lesson: str, words: str) -> None:
    visit(page)
    earlier = list(course.LESSONS)[: list(course.LESSONS).index(lesson)]
    asked = [text for id in earlier for text in page.locator(f"#{id} .exercise-question").all_text_contents()]  # noqa: A001
    weights_of_a_layer = re.compile("bound ± of its weights")
    assert len(asked) > 3
    assert not [text for text in asked if re.search(words, text) and not weights_of_a_layer.search(text)]


def test_the_course_goes_on_where_one_was(page: Page) -> None:
    visit(page)
    link = page.locator("#continue")
    expect(link).to_have_text("Begin with lesson 1")
    page.goto("/softmax")
    expect(page.locator("#concept")).to_have_attribute("aria-busy", "false")
    visit(page)
    expect(link).to_have_text("Continue: 6. From scores to weights")
    link.click()
    expect(page).to_have_url(re.compile(r"/softmax\?"))
    visit(page)
    page.locator("#heads .lesson-exercises summary").first.click()
    visit(page)
    expect(link).to_have_attribute("href", "#heads")


def test_a_lesson_shows_its_concept_once_one_is_near(page: Page) -> None:
    visit(page)
    expect(page.locator("#masks .lesson-look")).to_have_attribute("open", "")
    expect(page.locator("#masks iframe")).to_have_count(0)
    page.locator("#masks").scroll_into_view_if_needed()
    frame = page.frame_locator("#masks iframe")
    expect(frame.locator("#concept")).to_have_attribute("aria-busy", "false")
    until(
        page,
        """() => { const frame = document.querySelector("#masks iframe");
        return Math.abs(frame.clientHeight - frame.contentDocument.body.getBoundingClientRect().height) < 3; }""",
    )


def test_a_folded_lesson_loads_nothing(page: Page) -> None:
    visit(page)
    look = page.locator("#kernels .lesson-look")
    look.evaluate("(one) => (one.open = false)")
    look.scroll_into_view_if_needed()
    expect(look.locator("iframe")).to_have_count(0)
    look.locator("summary").click()
    expect(look.locator("iframe")).to_have_count(1)


def test_a_link_leads_to_its_lesson(page: Page) -> None:
    visit(page, "/lessons#masks")
    until(page, "() => Math.abs(document.querySelector('#masks').getBoundingClientRect().top) < 60")


def test_a_lesson_is_presented_part_by_part(page: Page) -> None:
    visit(page)
    lesson = page.locator("#masks")
    lesson.get_by_role("button", name="Present this lesson").click()
    shown = page.locator(".lesson:visible")
    expect(shown).to_have_count(1)
    expect(lesson.locator(".lesson-says")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(lesson.locator(".lesson-says")).to_be_hidden()
    expect(lesson.locator(".lesson-task")).to_have_text(re.compile("Press Play"))
    frame = lesson.locator("iframe")
    concept = frame.content_frame
    expect(concept.locator("#picture svg").first).to_be_visible()
    box = frame.bounding_box()
    size = page.viewport_size
    assert box is not None
    assert size is not None
    assert box["height"] > 0.7 * size["height"]
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    concept.locator(".step").first.focus()  # keys that the page in the frame does not need are the slides'
    page.keyboard.press("PageDown")
    visible = lesson.locator(".exercise:visible")
    expect(visible).to_have_attribute("data-exercise", "masks-x2")
    page.keyboard.press("ArrowRight")
    expect(visible).to_have_count(2)
    expect(visible.first.locator("form")).to_be_hidden()  # the one it goes on from: its question alone
    expect(visible.first).to_contain_text("Scores 1 2 3")
    expect(visible.last).to_have_attribute("data-exercise", "masks-x2-last")
    for _ in range(4):
        page.keyboard.press("ArrowLeft")
    expect(page.locator("#scaling")).to_be_visible()
    expect(page).to_have_url(re.compile("present=1"))
    page.keyboard.press("Escape")
    expect(shown).to_have_count(len(course.LESSONS))
    expect(page).not_to_have_url(re.compile("present"))


def test_every_presented_lesson_fits_the_screen(open_page: Callable[..., Page]) -> None:
    """Its text whole, in type that is read from the last row."""
    for locale in ("en-US", "ja"):
        page = open_page(locale=locale)
        page.set_viewport_size({"width": 1280, "height": 720})
        visit(page)
        for lesson in course.LESSONS:
            page.evaluate("(id) => document.querySelector(`[data-present=${id}]`).click()", lesson)
            settle(page)
            least = page.evaluate(TYPE)
            assert page.evaluate("document.documentElement.scrollHeight <= innerHeight + 1"), (locale, lesson)
            assert least >= 22, (locale, lesson, least)


@pytest.mark.parametrize(
    ("locale", "name"), [("en-US", "Keys and values differ"), ("ja", "キーとバリューが異なる場合")]
)
def test_the_lesson_on_roles_opens_where_three_vectors_are_needed(
    open_page: Callable[..., Page], locale: str, name: str
) -> None:
    page = open_page(locale=locale)
    visit(page)
    visit_concept(page, page.locator("#roles .points a").first.get_attribute("href") or "")
    expect(page.locator(".preset[aria-current=true]")).to_have_text(name)


def test_one_lesson_is_printed_with_its_questions_alone(page: Page) -> None:
    page.add_init_script("window.print = () => dispatchEvent(new Event('beforeprint'))")  # a dialogue would wait
    visit(page)
    page.locator("#masks .lesson-exercises > summary").click()
    expect(page.locator("#masks .exercise-question").first).to_be_hidden()
    page.locator("#masks").get_by_role("button", name="Print this lesson").click()
    page.emulate_media(media="print")
    expect(page.locator(".lesson:visible")).to_have_count(1)
    expect(page.locator("#masks .exercise-question").first).to_be_visible()
    for hidden in ("header", ".lesson-tools", ".exercise button", ".exercise-way", "footer"):
        expect(page.locator(f"{hidden}:visible")).to_have_count(0)
    page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    expect(page.locator(".lesson:visible")).to_have_count(len(course.LESSONS))
    expect(page.locator("#masks .exercise-question").first).to_be_hidden()


def test_an_answer_counts_here_and_on_its_own_page(page: Page) -> None:
    visit(page)
    before = page.locator("#progress").inner_text()
    assert before.startswith("0 of ")
    lesson = page.locator("#masks")
    exercise = lesson.locator("[data-exercise=masks-window]")
    exercise.get_by_role("textbox").nth(0).fill("2")
    exercise.get_by_role("textbox").nth(1).fill("3")
    exercise.get_by_role("button", name="Check").click()
    expect(exercise.locator(".exercise-verdict")).to_have_text("1 of 2 are right.")
    expect(page.locator("#progress")).to_have_text(before)
    exercise.get_by_role("textbox").nth(0).fill("1")
    page.keyboard.press("Enter")
    expect(page.locator("#progress")).to_contain_text("1 of ")
    expect(lesson.locator(".lesson-done")).to_have_text("1 / 11")

    page.goto("/masks")
    expect(page.locator("[data-exercise=masks-window] .exercise-mark")).to_have_text("solved")
    visit(page)
    expect(page.locator("#progress")).to_contain_text("1 of ")


def test_every_exercise_has_its_own_name(page: Page) -> None:
    visit(page)
    names = [one.get_attribute("data-exercise") for one in page.locator("[data-exercise]").all()]
    assert len(names) == len(set(names)) > 20
    assert {"masks-x2", "multi-head-x3", "scaling-x4"} <= set(names)


def test_the_server_agrees_with_every_answer(page: Page) -> None:
    """Whatever it was asked: each exercise that names a call shows what the server makes of it."""
    visit(page)
    page.evaluate("() => document.querySelectorAll('details:not(.lesson-look)').forEach((one) => (one.open = true))")
    asked = 0
    for exercise in page.locator("[data-exercise]").all():
        answer = exercise.get_by_text(re.compile("^Answer: "))
        expect(answer).to_be_visible()
        served = exercise.locator(".exercise-served")
        if served.count():
            expect(served).to_have_text(
                f"The server computes: {(answer.text_content() or '').removeprefix('Answer: ')}"
            )
            asked += 1
    assert asked > 45


def test_an_answer_is_told_what_it_lacks(page: Page) -> None:
    """Nothing, no number, a rounded and a right answer; the rounded one counts."""
    page.goto("/masks")
    exercise = page.locator("[data-exercise=masks-x2]")
    numbers, verdict = exercise.get_by_role("textbox"), exercise.locator(".exercise-verdict")
    for typed, told in (
        (("", "", ""), "Nothing is entered yet."),
        (("0.27", "", "none"), "1 of 3 are right. Still empty: α11. Not a number: α12. Write 0.25, 1/4 or −3."),
        (("0.28", "0.7", "0"), "1 of 3 are right. Too few digits: α11."),
        (
            ("0.09", "0.2447", "0"),
            "1 of 3 are right. That masks after softmax: mask the scores first, so that the weights left add up to 1.",
        ),
        (("0.27", "0.73", "0"), "Right, rounded: 0.2689, 0.7311."),
    ):
        for number, value in zip(numbers.all(), typed, strict=True):
            number.fill(value)
        exercise.get_by_role("button", name="Check").click()
        expect(verdict).to_have_text(told)
    expect(exercise.locator(".exercise-mark")).to_have_text("solved")
