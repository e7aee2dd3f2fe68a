"""Training page: charts match the server's record; mouse and keyboard control; reconnecting."""

import base64
import contextlib
import json
import re
import socket
import threading
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from driving import expect_fits, solve
from playwright.sync_api import Browser, Page, expect
from plotting import plot_in, series_in
from settling import until
from training_page import LONG_ENOUGH, TINY, begin, ended, number, visit

LONG = "?width=16&heads=2&steps=2000"
SLOW = "?steps=2000"
HEAR_STANDING = """() => { window.said = [];
  const place = document.querySelector("#standing");
  new MutationObserver(() => window.said.push(place.textContent)).observe(place, { childList: true }); }"""
LOST_AND_BACK = """() => { const lost = window.said.findIndex((words) => words.startsWith("Connection lost"));
  return lost >= 0 && window.said.slice(lost).some((words) => words.startsWith("Learning")); }"""


def recorded(page: Page, run_id: str) -> list[dict[str, Any]]:
    """Every update of a run that is over, from the API."""
    text = page.request.get(f"/api/training/{run_id}/events").text()
    blocks = [block.split("\n") for block in text.split("\n\n") if block.startswith("event: update")]
    return [json.loads(block[1].removeprefix("data: ")) for block in blocks]


def charted(page: Page, count: int) -> None:
    """Until the charts hold so many updates: they are drawn less often than numbers are written."""
    page.locator("[data-chart=loss]").scroll_into_view_if_needed()
    drawn = "document.querySelector('[data-chart=loss] .plot-drawing').data?.[0].x.length"
    until(page, f"(count) => {drawn} === count", arg=count)


def tile(page: Page, layer: int, head: int) -> Any:
    return page.get_by_role("button", name=re.compile(f"^Layer {layer}, head {head}:"))


@pytest.mark.full
def test_an_induction_head_forms_before_ones_eyes(page: Page) -> None:
    visit(page, "?steps=150")
    expect(page.locator("#begin")).to_be_disabled()  # predict first
    run_id = begin(page, guess=1)
    ended(page)
    verdict = page.locator("#verdict")
    expect(verdict).to_contain_text("As predicted. L1 H")
    expect(verdict).to_contain_text("attends to the previous token")
    induction = max(max(row) for row in recorded(page, run_id)[-1]["scores"]["induction"])
    assert induction > 0.7
    page.get_by_role("button", name="Open in the Explorer").click()
    page.wait_for_url(re.compile(rf"/\?model=training-{run_id}-150&text=12\+27"))
    expect(page.get_by_role("gridcell", name=re.compile("^Layer 1, head 3"))).to_be_visible(timeout=LONG_ENOUGH)


def test_what_is_drawn_is_what_was_recorded(page: Page) -> None:
    visit(page, TINY)
    run_id = begin(page)
    ended(page)
    updates = recorded(page, run_id)
    assert [update["step"] for update in updates] == list(range(0, 41, 2))
    last = updates[-1]
    assert number(page, "#shown-step") == 40
    assert number(page, "#shown-loss") == pytest.approx(last["loss"], abs=6e-4)
    for layer in range(2):
        for head in range(2):
            scores = [last["scores"][role][layer][head] for role in ("previous_token", "induction")]
            said = tile(page, layer, head).locator(".visually-hidden").text_content() or ""
            assert [float(one) for one in re.findall(r"\d\.\d\d", said)] == [round(one, 2) for one in scores]
    charted(page, len(updates))
    steps = [update["step"] for update in updates]
    loss = series_in(plot_in(page, "[data-chart=loss]"))["this run"]
    assert (loss["x"], loss["y"]) == (steps, [update["loss"] for update in updates])
    for role in ("previous_token", "induction", "answer"):
        drawn = series_in(plot_in(page, f"[data-chart={role}]"))
        for layer, head in np.ndindex(2, 2):
            assert drawn[f"L{layer} H{head}"]["y"] == [update["scores"][role][layer][head] for update in updates]


def test_its_numbers_can_be_had_in_pytorch(page: Page) -> None:
    visit(page, TINY)
    expect(page.locator("#pytorch-code")).to_contain_text("at step 300")  # of the recorded run
    run_id = begin(page)
    ended(page)
    last, run = recorded(page, run_id)[-1], page.request.get(f"/api/training/{run_id}").json()
    expect(page.locator("#pytorch-code")).to_contain_text("at step 40")
    printed: list[Any] = []
    code = page.locator("#pytorch-code").text_content() or ""
    assert len(code.splitlines()) <= 15
    exec(code, {"print": lambda *values: printed.extend(values)})  # noqa: S102 - our own code
    expected, key, weight, previous, chance, right = map(float, printed)

    query = max(index for index, is_scored in enumerate(run["scored"]) if is_scored)
    words = run["example"]
    assert expected == max(index for index in range(query) if words[index] == words[query]) + 1
    layer, head = np.unravel_index(np.argmax(last["scores"]["induction"]), (2, 2))
    packed = np.frombuffer(base64.b64decode(last["maps"]["bdata"]), dtype=np.uint8)
    row = packed.reshape(2, 2, len(words), len(words))[layer, head, query] / 255
    assert weight == pytest.approx(row.max(), abs=6e-4)
    assert row[int(key)] == row.max()
    assert previous == pytest.approx(run["chance_scores"]["previous_token"], abs=1e-5)
    assert chance == pytest.approx(run["chance_loss"])
    assert right == pytest.approx(np.exp(-last["loss"]))


@pytest.mark.gate
def test_how_many_heads_is_predicted_before_it_is_told(page: Page) -> None:
    visit(page, TINY)
    expect(page.locator(".predict-because")).to_be_hidden()
    page.locator(".predict-option").first.click()
    expect(page.locator(".predict-verdict")).to_have_text("No: all four")
    expect(page.locator(".predict-because")).to_be_visible()


def test_one_looks_back_and_returns(page: Page) -> None:
    visit(page, TINY)
    run_id = begin(page)
    ended(page)
    updates = recorded(page, run_id)
    slider = page.get_by_label("Scrub")
    slider.focus()
    page.keyboard.press("Home")
    expect(page.locator("#shown-step")).to_have_text("0")
    assert number(page, "#shown-loss") == pytest.approx(updates[0]["loss"], abs=6e-4)
    expect(slider).to_have_attribute("aria-valuetext", "step 0")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#shown-step")).to_have_text("4")
    expect(page.locator(".train-title")).to_have_text("L1 H0 at step 4")
    page.keyboard.press("End")
    expect(page.locator("#shown-step")).to_have_text("40")


def test_maps_are_read_by_pointer_and_keys(page: Page) -> None:
    visit(page, TINY + "&layer=0&head=1")
    run_id = begin(page)
    ended(page)
    charted(page, len(recorded(page, run_id)))
    answer = page.request.get(f"/api/training/{run_id}").json()["example"]
    frame = page.locator(".train-frame")
    frame.scroll_into_view_if_needed()
    box = frame.bounding_box()
    assert box
    page.mouse.move(box["x"] + 5.5 / 48 * box["width"], box["y"] + 20.5 / 48 * box["height"])
    readout = page.locator(".train-readout")
    expect(readout).to_contain_text(f"Query 20 (“{answer[20]}”) attends to")
    expect(readout).to_contain_text(f"to key 5 (“{answer[5]}”)")
    frame.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowLeft")
    expect(readout).to_contain_text(f"Query 21 (“{answer[21]}”) attends to")
    expect(readout).to_contain_text(f"to key 4 (“{answer[4]}”)")
    tile(page, 1, 0).click()
    expect(page.locator(".train-title")).to_have_text("L1 H0 at step 40")
    expect(page).not_to_have_url(re.compile("layer=0"))
    expect(tile(page, 1, 0)).to_have_attribute("aria-pressed", "true")


def test_its_exercises_need_no_run(page: Page) -> None:
    visit(page, "")
    expect(page.locator("#exercises .exercise")).to_have_count(2)
    heads = page.locator("[data-exercise=training-induction]")
    heads.get_by_label("previous-token head").fill("5")
    heads.get_by_label("induction head", exact=True).fill("2")
    heads.get_by_role("button", name="Check").click()
    expect(heads.locator(".exercise-verdict")).to_have_text(
        "1 of 2 are right. That is the earlier c itself: an induction head attends to what came after it."
    )
    solve(page, "training-induction", "5", "3")


def test_a_run_is_paused_stepped_and_stopped(page: Page) -> None:
    visit(page, LONG)
    begin(page)
    page.get_by_role("button", name="Pause").click()
    expect(page.locator("#standing")).to_have_text(re.compile(r"^Paused at step \d+ of 2000$"))
    before = int(re.findall(r"\d+", page.locator("#standing").text_content() or "")[0])
    page.get_by_role("button", name="One step").click()
    expect(page.locator("#standing")).to_have_text(f"Paused at step {before + 1} of 2000")
    expect(page.get_by_role("button", name="Open in the Explorer")).to_be_enabled()
    expect(page.get_by_role("link", name="Download the network")).to_have_attribute("href", re.compile("/model$"))
    page.get_by_role("button", name="Resume").click()
    expect(page.locator("#standing")).to_have_text(re.compile("^Learning"))
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#standing")).to_have_text(re.compile("^Stopped at step"))
    expect(page.locator("#verdict")).to_contain_text("You stopped the run at step")
    expect(page.get_by_role("button", name="Pause")).to_be_disabled()


def test_two_runs_are_compared(page: Page) -> None:
    visit(page, TINY)
    begin(page)
    ended(page)
    page.get_by_role("button", name="Save this run to compare").click()
    page.get_by_label("Seed").fill("1")
    second = begin(page)
    ended(page)
    table = page.locator("#comparison")
    expect(table).to_contain_text("Seed01")
    loss = recorded(page, second)[-1]["loss"]
    expect(table.locator("tr", has_text="Loss").locator("td").nth(1)).to_have_text(f"{loss:.3f}")
    expect(page.locator(".train-tile canvas.is-ghost:not([hidden])")).to_have_count(4)
    plot = plot_in(page, "[data-chart=induction]")
    expect(plot.locator(".plot-entry .is-dashed")).to_have_count(1)
    assert "saved run, best head" in series_in(plot)
    page.get_by_role("button", name="Discard the saved run").click()
    expect(table).to_be_hidden()


def test_curves_say_of_which_settings_they_are_and_give_them_back(page: Page) -> None:
    visit(page, TINY)
    begin(page)
    ended(page)
    note = page.locator("#run-settings")
    expect(note).to_be_hidden()
    code, call = (page.locator(at).text_content() for at in ("#pytorch-code", "#call"))
    page.get_by_label("Seed").fill("7")
    page.get_by_label("Layers", exact=True).fill("1")
    expect(note).to_contain_text("These curves are of: Layers 2 · Seed 0")
    assert [page.locator(at).text_content() for at in ("#pytorch-code", "#call")] == [code, call]
    page.get_by_role("button", name="Restore these settings").click()
    expect(note).to_be_hidden()
    expect(page.get_by_label("Seed")).to_have_value("0")


def test_a_run_that_fails_says_so(page: Page) -> None:
    visit(page, "?rate=10")
    begin(page)
    ended(page)
    expect(page.locator("#standing")).to_have_text(re.compile("^Failed at step"))
    expect(page.locator("#verdict")).to_contain_text("each step overshot. Try a learning rate below 10.")
    loss = series_in(plot_in(page, "[data-chart=loss]"))["this run"]
    assert len(loss["y"]) == 2, "what made it fail is drawn"
    assert loss["y"][1] > 20 * loss["y"][0]
    expect(page.locator("#verdict")).to_contain_text(f"the loss is {loss['y'][1]:.1f}, from {loss['y'][0]:.2f}")


def test_sizes_that_do_not_divide_are_refused_in_place(page: Page, problems: Any) -> None:
    problems.expect("422")
    visit(page, "?heads=3")
    page.locator("#guesses input").first.check()
    page.locator("#begin").click()
    expect(page.locator("#run-problem")).to_have_text(
        re.compile(r"^num_heads must divide dmodel \(64\), which 3 does not")
    )


class Wire:
    """Passes connections on to the server, until they are cut."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self.target = (parts.hostname, parts.port)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.connections: list[socket.socket] = []
        self.sent = b""
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            far = socket.create_connection(self.target)
            self.connections.extend((near, far))
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self._pass, args=(one, other), daemon=True).start()

    def _pass(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := one.recv(65_536):
                other.sendall(data)
                if data.startswith(b"GET "):
                    self.sent += data
        with contextlib.suppress(OSError):
            other.shutdown(socket.SHUT_RDWR)  # closing alone tells nobody while a thread still reads from it
        other.close()

    def cut(self) -> None:
        connections, self.connections = self.connections, []
        for connection in connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()


@pytest.fixture
def wire(server_url: str) -> Iterator[Wire]:
    made = Wire(server_url)
    yield made
    made.listener.close()
    made.cut()


def test_a_cut_connection_is_taken_up_where_it_broke(browser: Browser, wire: Wire) -> None:
    context = browser.new_context(base_url=wire.url, viewport={"width": 1440, "height": 900})
    page = context.new_page()
    visit(page, SLOW)
    run_id = begin(page)
    expect(page.locator("#standing")).to_have_text(re.compile("^Learning: step [1-9]"), timeout=LONG_ENOUGH)
    page.evaluate(HEAR_STANDING)
    wire.cut()
    until(page, LOST_AND_BACK, timeout=LONG_ENOUGH)
    asked = re.findall(rf"GET /api/training/{run_id}/events .*?\r\n\r\n", wire.sent.decode(), re.DOTALL)
    first, *again = [re.findall(r"(?i)last-event-id: (\d+)", request) for request in asked]
    assert first == []
    assert again
    assert all(int(one[0]) > 0 for one in again)
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#standing")).to_have_text(re.compile("^Stopped"))
    page.get_by_label("Scrub").focus()
    page.keyboard.press("Home")
    every = page.request.get(f"/api/training/{run_id}").json()["updates_every"]
    for index in range(min(20, int(page.get_by_label("Scrub").get_attribute("max") or 0))):
        expect(page.locator("#shown-step")).to_have_text(str(every * index))
        page.keyboard.press("ArrowRight")
    context.close()


def test_training_fits_everyone(each_look: Page, axe: Any) -> None:
    visit(each_look, TINY)
    begin(each_look)
    ended(each_look)
    each_look.locator("#keep").click()
    expect_fits(each_look, axe)


def test_training_in_a_frame_runs_without_the_rest(page: Page) -> None:
    page.goto("/embed/training" + TINY)
    page.wait_for_selector("#guesses input")
    begin(page)
    ended(page)
    assert page.locator("header").count() == 0
    assert number(page, "#shown-step") == 40
