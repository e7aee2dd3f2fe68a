"""Fast random clicking: no errors, no leaks, and a final view that matches the address.

The fixture ``page`` fails a test on any console error, uncaught error or unhandled rejection.
"""

import base64
import itertools
import os
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from driving import Traffic, address, expect_drawn, visit
from playwright.sync_api import CDPSession, Page, Response

CLICKS = 300
"""In a round, at whose end the page is compared with its address opened afresh."""
MANY_ROUNDS = int(os.environ.get("FAST_CLICKS", "3000")) // CLICKS
"""Five minutes; FAST_CLICKS=20100 takes half an hour."""
SWITCHES = 200
NO_CELL = "Choose a cell of the matrix first: a query and a key."
"""What a measure at the chosen cell says to a click that leaves no cell chosen."""

# What may be clicked, the likelier the more often it is named; `state` is a generator of random numbers of its own.
CLICK = """async ([seed, clicks]) => {
  let state = seed;
  const random = (count) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
  const targets = [".tab", "#tab-matrix", ".grid-cell", ".grid-cell", ".token", ".token", "input[name=stage]",
    "#matrix-options input", ".options input", "#zoom-in, #zoom-out, #zoom-all", ".reads-item, .reads button",
    "#metric, #numbering, #theme", "#sorted, #faint", ".preset", "#quick-off", "#changed button",
    ".lines-token", ".series-close:not(#lead *)", "#vectors-order", ".token-cell", ".rollout-token",
    "#panel-heads button, #panel-heads input",
    "#panel-output button, #panel-output input, #panel-output select",
    "#panel-compare button, #panel-compare select", "#measures button, .segments button", "#predictions button",
    "#panel-flow button, #panel-flow input, #panel-flow select", ".flow-node, .flow-edge",
    "#panel-patching button, #panel-patching select, #panel-patching .mark-cell",
    "#panel-prompts .preset, #panel-prompts button:not([id]), #panel-prompts select, #panel-prompts input[type=radio]",
    ".start-head, #pin, .pin button", "#choose-model, #model-picker [data-key]",
    "details:not(#upload, header details) > summary", ".matrix-frame", ".plane .plot-frame", "history"];
  const pauses = [0, 0, 0, 1, 1, 40];
  for (let click = 0; click < clicks; click++) {
    const target = targets[random(targets.length)];
    const found = [...document.querySelectorAll(target)].filter((one) => one.checkVisibility() && !one.disabled);
    const element = found[random(found.length)];
    const pick = random(2 ** 16);
    if (target === "history") {
      if (pick % 2 && navigation.canGoBack) history.back();
      else if (navigation.canGoForward) history.forward();
    } else if (element instanceof HTMLSelectElement) {
      element.selectedIndex = pick % element.length;
      element.dispatchEvent(new Event("change", { bubbles: true }));
    } else if (element?.matches(".matrix-frame")) {
      const { left, top, width, height } = element.getBoundingClientRect();
      const [across, down] = [0.2 + (pick % 251) / 320, 0.2 + (pick % 241) / 310];
      const place = { clientX: left + width * across, clientY: top + height * down };
      for (const kind of ["pointermove", "pointerdown", "pointerup"])
        element.dispatchEvent(new PointerEvent(kind, { ...place, bubbles: true, button: 0, pointerId: 1 }));
    } else if (element?.matches(".plane .plot-frame")) {
      for (const key of ["ArrowRight", pick % 2 ? "ArrowDown" : "ArrowRight", "Enter"])
        element.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
      element.dispatchEvent(new FocusEvent("blur"));
    } else if (element?.matches("input[type=number], input[type=search], input[type=text], input[type=range]")) {
      element.value = element.type === "range" ? element.min + (pick % 100) : pick % 3 ? "" : String(pick % 10);
      for (const kind of ["input", "change"]) element.dispatchEvent(new Event(kind, { bubbles: true }));
    } else {
      element?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, shiftKey: pick % 5 === 0 }));
    }
    const pause = pauses[random(pauses.length)];
    if (pause === 1) await new Promise(requestAnimationFrame);
    else if (pause > 1) await new Promise((done) => setTimeout(done, pause));
  }
  for (const frame of document.querySelectorAll(".matrix-frame")) frame.dispatchEvent(new PointerEvent("pointerleave"));
}"""
# What stands on the page, but for what is no part of the address: what is opened, dismissed, scrolled, timed, can be
# undone.
SHOWN = """async () => {
  for (const list of document.querySelectorAll(".lines-list")) list.scrollTop = 0;
  for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
  const text = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility())
    .map((one) => one.innerText.replace(/\\s+/g, " ").trim());
  const checked = [...document.querySelectorAll("#bench input:checked")].filter((one) =>
    one.checkVisibility() && !one.closest("details"));
  return {
    texts: text("#tokens, #head-title, #grid-readout, .axes, #heads dl, #predictions, .chip, .readout"),
    tab: text(".tab[aria-selected=true]"),
    output: text("#panel-output table, .signed-list, .output-candidates"),
    panel: text("#panel-token .token-grid, #panel-heads table, #panel-vectors .vectors-steps, .lines-token, .series"),
    rollout: text(".rollout-title, .rollout-tokens"),
    studies: text("#panel-flow, #panel-patching, #panel-prompts .prompts-results, #panel-compare"),
    checked: checked.map((one) => one.id || `${one.name} ${one.value}`),
    chosen: [...document.querySelectorAll("[aria-selected=true]")].map((one) => one.textContent),
    grid: [document.querySelector(".grid-canvas").toDataURL()],
  };
}"""


def numbers_of_the_api(page: Page) -> np.ndarray[Any, Any]:
    """The matrix that the address names, asked for beside the page."""
    parts = urlsplit(address(page))
    state = {name: values[0] for name, values in parse_qs(f"{parts.query}&{parts.fragment}").items()}
    body: dict[str, Any] = {"model": state["model"], "text": state["text"]}
    if "pair" in state:
        body["text_pair"] = state["pair"]
    if "changes" in state and "baseline" not in state:
        places = [change.removeprefix("off-").split(".") for change in state["changes"].split("_")]
        body["interventions"] = [
            {"kind": "head_off", "layer": int(layer), "heads": [int(number)], "mode": "zero"}
            for layer, number in places
        ]
    analysis = page.request.post("/api/analyses", data=body).json()
    query = "&".join(f"{name}={state[name]}" for name in ("layer", "head", "stage"))
    answer = page.request.get(f"/api/analyses/{analysis['id']}/weights?{query}&max_size=256").json()["matrix"]
    shape = [int(size) for size in answer["shape"].split(",")]
    return np.frombuffer(base64.b64decode(answer["bdata"]), dtype="<f4").reshape(shape)


def differences(shown: dict[str, list[str]], afresh: dict[str, list[str]]) -> list[str]:
    """What a page shows unlike its address opened afresh, each with the words around where they part."""
    found = []
    for part, texts in shown.items():
        for text, other in itertools.zip_longest(texts, afresh[part], fillvalue=""):
            if text != other:
                pairs = enumerate(zip(text, other, strict=False))
                same = next((at for at, (one, two) in pairs if one != two), min(len(text), len(other)))
                around = slice(max(0, same - 80), same + 160)
                found.append(f"{part}: …{text[around]!r} afresh …{other[around]!r}")
    return found


@pytest.mark.parametrize(("seed", "rounds"), [(1, 1), (2, 1), (3, MANY_ROUNDS)])
def test_clicking_about_ends_with_the_picture_of_the_address(
    page: Page, open_page: Any, seed: int, rounds: int
) -> None:
    refused: list[Response] = []
    page.on("response", lambda response: refused.append(response) if response.status >= 400 else None)
    traffic = Traffic(page)
    visit(page)
    afresh = open_page()
    traffic_afresh = Traffic(afresh)
    for number in range(rounds):
        page.evaluate(CLICK, [seed + number, CLICKS])
        traffic.settle()
        said = page.locator(".field-error:visible").all_text_contents()
        assert [one for one in said if one != NO_CELL] == []
        afresh.goto("about:blank")
        afresh.goto(address(page))
        traffic_afresh.settle()
        differing = differences(page.evaluate(SHOWN), afresh.evaluate(SHOWN))
        assert not differing, f"after round {number} of {rounds}: {address(page)}\n" + "\n".join(differing)
        assert [f"{one.url} {one.request.post_data}: {one.text()}" for one in refused] == []
        afresh.evaluate("() => localStorage.clear()")
    page.evaluate("() => document.querySelectorAll('dialog[open]').forEach((one) => one.close())")
    page.get_by_role("tab", name="Matrix").click()
    page.locator("#zoom-all").click()
    page.evaluate("() => document.querySelectorAll('#matrix-options input:checked').forEach((one) => one.click())")
    traffic.settle()
    expect_drawn(page, numbers_of_the_api(page), atol=1e-5)


def memory(client: CDPSession) -> dict[str, float]:
    """Bytes of objects, elements and listeners that are left when all that can go is gone."""
    for _ in range(3):
        client.send("HeapProfiler.collectGarbage")
    counts = client.send("Memory.getDOMCounters")
    return {"heap": client.send("Runtime.getHeapUsage")["usedSize"], **counts}


@pytest.mark.full
def test_two_hundred_switches_of_view_leave_nothing_behind(page: Page) -> None:
    traffic = Traffic(page)
    visit(page)
    client = page.context.new_cdp_session(page)
    names = page.evaluate("() => [...document.querySelectorAll('.tab')].map((tab) => tab.id)")

    def switch(times: int) -> None:
        for name in (names * times)[:times]:
            page.evaluate(
                """(id) => new Promise((done) => { document.getElementById(id).click();
                  requestAnimationFrame(() => requestAnimationFrame(done)); })""",
                name,
            )
        traffic.settle()

    # What is made once, what is kept of what was fetched, and what the browser compiles: a fifth of so small a heap.
    switch(SWITCHES // len(names) * len(names))
    before = memory(client)
    switch(SWITCHES // len(names) * len(names))
    after = memory(client)
    grown = {name: after[name] / before[name] for name in before}
    assert max(grown.values()) < 1.1, f"{before} → {after}"
