"""Lessons: links work, answers are checked, progress stays in this browser."""

import re

from playwright.sync_api import Page, expect


def visit(page: Page, address: str = "/lessons") -> None:
    page.goto(address)
    expect(page.locator("#progress")).to_have_text(re.compile(r"\d"))


def test_every_lesson_leads_to_pages_that_are_there(page: Page) -> None:
    visit(page)
    links = page.locator(".lesson .points a")
    addresses = {link.get_attribute("href") or "" for link in links.all()}
    assert len(addresses) > 10
    for address in sorted(addresses):
        assert page.request.get(address).status == 200, address
        assert "lang=en" in address


def test_an_answer_counts_here_and_on_its_own_page(page: Page) -> None:
    visit(page)
    before = page.locator("#progress").inner_text()
    assert before.startswith("0 of ")
    lesson = page.locator("#masks")
    lesson.locator("summary").first.click()
    exercise = lesson.locator("[data-exercise=masks-window]")
    exercise.get_by_role("textbox").nth(0).fill("2")
    exercise.get_by_role("textbox").nth(1).fill("3")
    exercise.get_by_role("button", name="Check").click()
    expect(exercise.locator(".exercise-verdict")).to_have_text("1 of 2 are right.")
    expect(page.locator("#progress")).to_have_text(before)
    exercise.get_by_role("textbox").nth(0).fill("1")
    page.keyboard.press("Enter")
    expect(page.locator("#progress")).to_contain_text("1 of ")
    expect(lesson.locator(".lesson-done")).to_have_text("1 / 5")

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
    page.evaluate("() => document.querySelectorAll('details').forEach((one) => (one.open = true))")
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
