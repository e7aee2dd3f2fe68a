"""A film under a picture becomes a GIF: every shot is a frame, and the page is as it was."""

import io
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
from PIL import Image, ImageChops
from playwright.sync_api import Page, expect
from settling import until

READY = "() => document.querySelector('#concept').getAttribute('aria-busy') === 'false'"
STATUS = "#save-status"


def visit(page: Page, address: str) -> None:
    page.goto(address)
    until(page, READY)
    page.locator("#lecture").evaluate("(lecture) => (lecture.closest('details').open = true)")


def saved(page: Page, name: str) -> Image.Image:
    with page.expect_download(timeout=60_000) as download:
        page.get_by_role("button", name="GIF").click()
    assert download.value.suggested_filename == name
    return Image.open(io.BytesIO(Path(download.value.path()).read_bytes()))


def frames(gif: Image.Image) -> list[Image.Image]:
    found = []
    for at in range(gif.n_frames):
        gif.seek(at)
        found.append(gif.convert("RGB"))
    return found


def test_every_shot_is_a_frame_and_the_page_is_as_it_was(page: Page) -> None:
    visit(page, "/scaling?view=size&d=64&step=99")
    address, says = page.url, page.locator(".film-says").text_content()
    assert says
    count = int(page.locator(".film-at").inner_text().split("/")[1])
    gif = saved(page, "scaling.gif")
    assert gif.n_frames == count >= 5
    assert gif.width == 1200
    expect(page.locator(STATUS)).to_have_text(re.compile(r"Saved: \d+ kB\."))
    assert page.url == address
    expect(page.locator(".film-says")).to_have_text(says)
    assert page.evaluate("() => history.length") <= 2
    pictures = frames(gif)
    for one, next_ in pairwise(pictures):
        assert ImageChops.difference(one, next_).getbbox() is not None
    # The caption is written under the picture: the ground there is not empty.
    foot = np.asarray(pictures[0])[-60:]
    assert len({tuple(colour) for colour in foot.reshape(-1, 3)[::3]}) > 2


def test_the_steps_are_a_film_where_a_page_has_no_other(page: Page) -> None:
    visit(page, "/softmax?lang=ja")
    count = int(page.locator(".film-at").inner_text().split("/")[1])
    assert saved(page, "softmax.gif").n_frames == count
    page.goto("/training")
    expect(page.locator("#save-gif")).to_have_attribute("hidden", "")


def test_it_can_be_cancelled_and_says_what_is_refused(page: Page, problems) -> None:
    visit(page, "/scaling?view=size")
    page.get_by_role("button", name="GIF").click()
    lecture = page.locator("#lecture")
    until(page, "() => /Drawing picture [2-9]/.test(document.querySelector('#save-status').textContent)")
    lecture.get_by_role("button", name="Cancel").click()
    expect(page.locator(STATUS)).to_have_text("Cancelled.")
    expect(lecture.get_by_role("button", name="GIF")).to_be_visible()
    problems.expect("console: .*422")
    page.route("**/api/film", lambda route: route.continue_(post_data='{"shots": []}'))
    page.get_by_role("button", name="GIF").click()
    expect(page.locator(STATUS)).to_contain_text("shots", timeout=60_000)
