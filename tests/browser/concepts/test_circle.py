"""Circle page: the drawing matches the API, by mouse, touch and keyboard; embedded; saved as a file."""

import math
import re
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
from driving import expect_address, parameters, shown_body, unfold
from playwright.sync_api import Browser, Page, expect
from serving import serving
from settling import settle, until

DRAWN = """() => document.querySelector("#concept").getAttribute("aria-busy") === "false" """
# The picture's own numbers: heights of bars against their row's, and where arrows end.
NUMBERS = """() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const unit = Number(document.querySelector(".circle-ground .is-unit").getAttribute("r"));
  const end = (line) => [line.getAttribute("x2") / unit, -line.getAttribute("y2") / unit];
  return {
    heights: all(".bar").map((bar) => Number(bar.getAttribute("height"))),
    keys: all(".is-key-arrow .arrow-shaft").map(end),
    queries: all(".is-query-arrow .arrow-shaft").map(end),
    outputs: all(".output-shaft").map(end),
  }; }"""


def visit(page: Page, address: str = "/circle") -> None:
    page.goto(address)
    until(page, DRAWN)


def arrow(page: Page, name: str) -> Any:
    return page.get_by_role("slider", name=re.compile(f"^{name}$"))


def tip(page: Page, name: str) -> tuple[float, float]:
    box = arrow(page, name).locator(".arrow-tip").bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Page, name: str, angle: float, stretch: float = 1.0) -> None:
    """Take an arrow's tip to another angle, `stretch` times as far from the origin."""
    until(page, DRAWN)
    origin = page.locator(".circle-picture").bounding_box()
    assert origin
    middle = (origin["x"] + origin["width"] / 2, origin["y"] + origin["height"] / 2)
    start = tip(page, name)
    far = math.dist(middle, start) * stretch
    page.mouse.move(*start)
    page.mouse.down()
    radians = math.radians(angle)
    page.mouse.move(middle[0] + far * math.cos(radians), middle[1] - far * math.sin(radians), steps=6)
    page.mouse.up()
    until(page, DRAWN)


def asked(page: Page) -> dict[str, Any]:
    """The request that the page shows."""
    return shown_body(page)


STATES = [
    "?q=45&n=10",
    "?q=45,0,90&n=10&lengths=1,1,1,5,1,1,1,1,1,1&q_lengths=1,2,0.5&t=0.7",
    "?q=12.5,200&n=3&k=10,330,200&lengths=2,0,1.25&mechanism=scaled_dot&t=0.2",
    "?q=45&n=24&lengths=" + ",".join(["1"] * 23 + ["10"]) + "&mechanism=cosine&t=3",
    "?q=45,260,3,4&n=7&mechanism=additive&t=0.5&seed=3",
    "?q=45,10&n=2&theta=0.5&position=4&shift=2.5",
]


@pytest.mark.gate("?q=45&n=10")
@pytest.mark.parametrize("state", STATES)
def test_the_picture_is_what_the_api_says(page: Page, state: str) -> None:
    visit(page, f"/circle{state}")
    answer = page.request.post("/api/circle", data=asked(page)).json()
    drawn = page.evaluate(NUMBERS)
    for name in ("keys", "queries", "outputs"):
        np.testing.assert_allclose(drawn[name], answer[name], rtol=0, atol=1e-6)
    heights = np.array(drawn["heights"]).reshape(np.shape(answer["weights"]))
    np.testing.assert_allclose(heights / heights.sum(-1, keepdims=True), answer["weights"], rtol=0, atol=1e-6)
    unfold(page, "api-call")
    page.get_by_role("button", name="Ask the server and compare").click()
    expect(page.locator("#call-verdict")).to_have_text(re.compile(r"this page's: (0|[\d.]+\s×\s10⁻¹\S)$"))


def test_the_numbers_of_the_course_are_on_the_page(page: Page) -> None:
    visit(page)
    page.locator(".step").last.click()
    table = page.locator(".step-table")
    expect(table.locator("tfoot")).to_contain_text("0.316, 0.316")
    expect(table.locator("tbody tr").nth(1)).to_contain_text("0.2121")
    page.get_by_role("link", name="A longer key gains").click()
    expect(table.locator("tbody tr").nth(3)).to_contain_text("0.466")
    expect(table.locator("tfoot")).to_contain_text("−0.504, 2.337")
    expect(page.locator("#notice")).to_contain_text("from 0.124 to 0.466")
    page.get_by_role("link", name="A longer key loses").click()
    expect(table.locator("tbody tr").nth(4)).to_contain_text("0.0373")
    page.go_back()
    expect(table.locator("tfoot")).to_contain_text("−0.504, 2.337")


def test_the_formula_subtracts_the_maximum_as_its_numbers_do(page: Page) -> None:
    visit(page)
    text = page.locator("#formula").inner_text().replace("\n", "").replace("−", "-")
    assert "-𝑚" in text
    score, most, total, weight = map(float, re.findall(r"𝑒(-?[\d.]+)-([\d.]+)(\d\.\d{4})=([\d.]+)", text)[0])
    assert math.exp(score - most) / total == pytest.approx(weight, abs=1e-4)


def test_arrows_are_dragged_round_and_out(page: Page) -> None:
    visit(page)
    drag(page, "Query 0", 200)
    assert float(parameters(page)["q"]) == pytest.approx(200, abs=0.5)
    expect_address(page, q_lengths=None)  # a hand that turns keeps the length
    drag(page, "Key 3", 108, stretch=2.5)
    lengths = [float(length) for length in parameters(page)["lengths"].split("_")]
    assert lengths[3] == pytest.approx(2.5, abs=0.03)
    assert lengths[:3] + lengths[4:] == [1] * 9
    expect_address(page, k=None)  # and one that pulls keeps the angle
    expect_address(page, key="3")
    page.go_back()
    expect_address(page, lengths=None)


def test_a_turned_arrow_is_dragged_where_it_is_seen(page: Page) -> None:
    visit(page, "/circle?q=45&n=4&theta=0.5&position=2&shift=1")
    drag(page, "Query 0", 100)
    drawn = page.evaluate(NUMBERS)["queries"][0]
    assert math.degrees(math.atan2(drawn[1], drawn[0])) == pytest.approx(100, abs=0.5)
    turned = math.degrees(0.5 * 3)
    assert float(parameters(page)["q"]) == pytest.approx(100 - turned, abs=0.5)


def test_a_finger_turns_an_arrow(browser: Browser, server_url: str) -> None:
    context = browser.new_context(base_url=server_url, viewport={"width": 390, "height": 844}, has_touch=True)
    page = context.new_page()
    visit(page)
    page.locator(".circle-picture").scroll_into_view_if_needed()
    start = tip(page, "Query 0")
    session = context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})

    touch("touchStart", start)
    for step in range(1, 6):
        touch("touchMove", (start[0] - 10 * step, start[1] - 4 * step))
    touch("touchEnd")
    until(page, "() => Number(document.querySelector('#query-angle').value) > 60")
    context.close()


def test_everything_is_done_with_the_keyboard_alone(page: Page) -> None:
    visit(page)
    page.locator("#presets a").last.focus()
    page.keyboard.press("Tab")
    expect(arrow(page, "Key 0")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("+")
    expect(arrow(page, "Key 0")).to_have_attribute("aria-valuetext", re.compile(r"^6°, length 1\.25, weight 0\.\d{3}$"))
    for _ in range(10):
        page.keyboard.press("Tab")
    expect(arrow(page, "Query 0")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(arrow(page, "Query 0")).to_have_attribute("aria-valuetext", "40°, length 1.00")
    dot = page.get_by_role("radio", name="dot", exact=True)
    for _ in range(20):  # past the film and the terms of the text under the picture
        page.keyboard.press("Tab")
        if dot.evaluate("(radio) => radio === document.activeElement"):
            break
    expect(dot).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("radio", name="scaled dot")).to_be_checked()
    expect(page.locator("#call")).to_contain_text("scaled_dot")


def test_steps_are_walked_with_the_arrow_keys(page: Page) -> None:
    visit(page)
    current = page.locator(".step[aria-current=step]")
    page.locator(".step").last.click()
    expect(current).to_have_text("5Output")
    page.locator("main").focus()
    for name in ("4Weight", "3Exponential", "2Scale", "1Score", "1Score"):
        page.keyboard.press("ArrowLeft")
        expect(current).to_have_text(name)
    row = page.locator(".step-table tbody tr").nth(1)
    expect(row).to_contain_text("0.9877")
    expect(row).not_to_contain_text("0.2121")
    page.keyboard.press("ArrowRight")
    expect(current).to_have_text("2Scale")
    expect_address(page, step="2")
    page.locator(".step", has_text="Weight").click()
    expect(row).to_contain_text("0.2121")


def test_numbers_may_be_typed_and_slid(page: Page) -> None:
    visit(page)
    page.locator("#key").select_option("3")
    page.locator("#key-length").fill("5")
    expect(page.locator("#notice")).to_contain_text("from 0.124 to 0.466")
    page.locator("#queries").fill("4")
    expect(page.locator(".is-query-arrow")).to_have_count(4)
    page.locator("#keys").fill("24")
    expect(page.locator(".is-key-arrow")).to_have_count(24)
    page.locator("#temperature").fill("-2")
    expect(page.locator("[data-out=temperature]")).to_have_text("0.01")
    assert asked(page)["temperature"] == 0.01


def test_the_query_turns_a_little_where_motion_is_not_wanted(page: Page) -> None:
    visit(page)
    page.get_by_role("button", name="Rotate the query by 15°").click()
    expect_address(page, q="60")
    page.locator("[data-bind=trail]").check()
    until(page, DRAWN)
    assert len((page.locator(".circle-trail").get_attribute("d") or "").split("L")) == 120


def test_the_query_goes_round_where_motion_is_wanted(browser: Browser, server_url: str) -> None:
    context = browser.new_context(base_url=server_url, reduced_motion="no-preference")
    page = context.new_page()
    visit(page)
    page.get_by_role("button", name="Rotate the query continuously").click()
    until(page, "() => Number(document.querySelector('#query-angle').value) > 60")
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Rotate the query continuously")).to_be_visible()
    until(page, DRAWN)
    angle = page.locator("#query-angle").input_value()
    settle(page)
    assert page.locator("#query-angle").input_value() == angle
    context.close()


def test_pictures_are_saved_with_their_styles(page: Page, tmp_path: Path) -> None:
    visit(page)
    unfold(page)
    with page.expect_download() as saved:
        page.get_by_role("button", name="SVG").click()
    text = Path(saved.value.path()).read_text(encoding="utf-8")
    assert saved.value.suggested_filename == "circle.svg"
    assert 'fill="rgb(0, 95, 158)"' in text
    assert "var(" not in text
    assert "tabindex" not in text
    with page.expect_download() as saved:
        page.get_by_role("button", name="PNG").click()
    png = Path(saved.value.path()).read_bytes()
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(png[16:20], "big") > 2000
    assert len(png) > 20_000


def test_snippets_hold_the_state(page: Page, server_url: str) -> None:
    visit(page, "/circle?q=10&n=5&lang=ja")
    html = page.locator("#snippet-html").input_value()
    assert f'src="{server_url}/embed/circle?q=10&amp;n=5&amp;' in html
    assert "lang=ja" in html
    assert page.locator("#snippet-reveal").input_value().startswith("<section data-background-iframe=")
    assert "/circle?q=10&n=5" in page.locator("#snippet-markdown").input_value()


HOST_PAGE = """<!doctype html><title>A lecture</title><script>
addEventListener("message", ({ data, origin }) => { window.told = { ...data, origin }; });
</script><iframe src="ADDRESS" width="900" height="300"></iframe>"""


@pytest.fixture(scope="module")
def lecture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Another site: its origin, and the folder that it serves."""
    folder = tmp_path_factory.mktemp("lecture")

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as site:
        Thread(target=site.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{site.server_port}", folder
        site.shutdown()


def test_another_site_frames_it_and_learns_its_height(
    browser: Browser, root: Path, tmp_path: Path, lecture: tuple[str, Path]
) -> None:
    origin, folder = lecture
    allowed = {"OBSERVATORY_FRAME_ANCESTORS": origin, "OBSERVATORY_PRELOAD": "false"}
    with serving(root, tmp_path / "log", **allowed) as address:
        embed = f"{address}/embed/circle?q=90&amp;n=5&amp;lang=ja&amp;theme=night"
        (folder / "allowed.html").write_text(HOST_PAGE.replace("ADDRESS", embed), encoding="utf-8")
        watch_the_frame(browser, f"{origin}/allowed.html", address)


def watch_the_frame(browser: Browser, host_page: str, open_server: str) -> None:
    context = browser.new_context(viewport={"width": 1000, "height": 800})
    page = context.new_page()
    page.goto(host_page)
    until(page, "() => window.told?.height > 300")
    told = page.evaluate("() => window.told")
    assert (told["type"], told["origin"]) == ("observatory:size", open_server)
    frame = page.frames[1]
    expect(frame.locator("html")).to_have_attribute("lang", "ja")
    expect(frame.locator("html")).to_have_attribute("data-theme", "night")
    assert frame.locator("header, footer, nav").count() == 0
    until(frame, DRAWN)
    until(
        page,
        "(height) => Math.abs(window.told.height - height) <= 24",
        arg=frame.evaluate("() => document.documentElement.scrollHeight"),
    )
    frame.locator("#keys").fill("6")
    expect(frame.locator("#open-page")).to_have_attribute("href", re.compile("/circle\\?q=90&n=6"))
    assert frame.evaluate("() => localStorage.length + sessionStorage.length + document.cookie.length") == 0
    context.close()


def test_a_site_that_is_not_allowed_sees_nothing(browser: Browser, server_url: str, lecture: tuple[str, Path]) -> None:
    origin, folder = lecture
    context = browser.new_context()
    page = context.new_page()
    (folder / "other.html").write_text(HOST_PAGE.replace("ADDRESS", f"{server_url}/embed/circle"), encoding="utf-8")
    with page.expect_console_message(lambda message: "frame-ancestors" in message.text):
        page.goto(f"{origin}/other.html")
    assert page.frames[1].locator("#concept").count() == 0
    context.close()


def test_exercises_are_checked_by_the_server(page: Page) -> None:
    visit(page)
    for name, answer in (("ten", "0.2121"), ("longer", "0.466"), ("loses", "0.0373")):
        exercise = page.locator(f"[data-exercise=circle-{name}]")
        exercise.get_by_role("textbox").fill(answer)
        exercise.get_by_role("button", name="Check").click()
        expect(exercise.locator(".exercise-verdict")).to_have_text("Right.")
        exercise.locator("summary").click()
        expect(exercise.locator(".exercise-served")).to_have_text(f"The server computes: {answer}")
