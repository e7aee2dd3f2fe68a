"""Helpers that drive the Explorer and the concept pages and read from them."""

import base64
import json
import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
from playwright.sync_api import Browser, Error, Locator, Page, Request, Route, expect
from raw_maths import READ, raw_maths
from settling import settle, until, until_resolved

from math_font import CHARACTERS
from server.web.assets import Assets

SENTENCE = "The cat sat on the mat because it was tired."
MODEL = "sentence-transformers/all-MiniLM-L6-v2"
ASSETS = Assets()


def source_url(path: str) -> str:
    """Where the server has one of our own files as it is written."""
    return ASSETS.url(path)


PLOTTED = """() => document.querySelector(".matrix-frame")?.getAttribute("aria-busy") === "false" &&
  document.querySelector("#bench")?.getAttribute("aria-busy") === "false" """
MAPS = """async (place) => {
  const { assemble } = await import("SOURCE");
  return [...document.querySelectorAll(`${place ?? ""} .matrix-cells`)].flatMap((canvas) => {
    const { tiles, limits, rows, cols } = canvas.drawn ?? { tiles: [] };
    if (tiles.length === 0) return [];
    const { values, width, height, cellRows } = assemble(rows, cols, tiles);
    const cells = Array.from({ length: height }, (_, row) =>
      Array.from(values.subarray(row * width, (row + 1) * width), (value) => value === -Infinity ? null : value));
    return [{ cells, limits, rows, cols, tokens: cellRows }];
  }); }""".replace("SOURCE", source_url("js/charts/heat_map/tiles.js"))
"""Every heat map that stands in a place: the numbers drawn, null for −∞, and the window they are of."""
SETTLED = """() => document.querySelector("#bench")?.getAttribute("aria-busy") === "false" &&
  !document.querySelector("[aria-busy=true]")"""
DRAWN = """() => document.querySelector("#concept").getAttribute("aria-busy") === "false" """
MATCHES = """(cells, wanted, tolerance) => {
  const isNear = (value, other) => value === null ? other === null : Math.abs(other - value) <= tolerance;
  return cells.length === wanted.length && wanted.every((row, at) => cells[at].length === row.length &&
    row.every((value, key) => isNear(value, cells[at][key]))); }"""
OWN_SIGNS = frozenset(map(chr, CHARACTERS))
"""What the font of mathematics has."""
LETTERS = re.compile(r"[\w\s]")
"""Words inside formulas, such as tokens, may be of any script."""
RUN_TOGETHER = r"""() => [...document.querySelectorAll("button, a, label, summary, th, [role]")].flatMap((control) => {
  if (!control.checkVisibility() || control.hasAttribute("aria-label") || control.closest("pre, math, svg")) return [];
  if (!control.matches("button, a, label, summary, th, [role=gridcell], [role=option], [role=tab]")) return [];
  const walker = document.createTreeWalker(control, NodeFilter.SHOW_TEXT);
  const texts = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (!node.parentElement.closest("math, svg, select, [aria-hidden=true]")) texts.push(node);
  return texts.slice(1).flatMap((text, at) => {
    const before = texts[at];
    if (!/[\p{L}\p{N}]$/u.test(before.data) || !/^[\p{L}\p{Nd}]/u.test(text.data)) return [];
    const inside = [before, text].flatMap((node) => {
      const found = [];
      for (let one = node.parentElement; one !== control && !(one.contains(before) && one.contains(text));
        one = one.parentElement) found.push(one);
      return found;
    });
    const isApart = inside.some((one) => getComputedStyle(one).display !== "inline");
    return isApart || before.parentElement === text.parentElement ? [] : [`${before.data}|${text.data}`];
  });
})"""
"""Names of controls in which two words stand side by side without a space, which screen readers read as one. A lowered
number ("the₅") is a sign of its own to them."""
SMALL_TYPE = """() => [...document.querySelectorAll("svg text")].flatMap((text) => {
  const matrix = text.getScreenCTM();
  if (!matrix || !text.textContent.trim() || !text.checkVisibility({ visibilityProperty: true })) return [];
  const size = parseFloat(getComputedStyle(text).fontSize) * Math.hypot(matrix.b, matrix.d);
  return size < 10.95 ? [`${text.textContent}: ${size.toFixed(1)} px`] : []; })"""
"""Type in pictures that is smaller on the screen than 11 px."""
COLOURS_SEEN = """(canvas) => { const { width, height } = canvas;
  const pixels = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, width, height).data.buffer);
  return new Set(pixels).size; }"""


def visit(page: Page, address: str = "/") -> None:
    """Open the Explorer and wait until the exact matrix is drawn, and what comes with it."""
    page.goto(address)
    until(page, PLOTTED)
    settle(page)


def choose_example(page: Page, name: str) -> None:
    """Open an example of the Explorer by its menu."""
    page.locator("#examples-menu > summary").click()
    page.get_by_role("button", name=name).click()


def unfold_input(page: Page) -> None:
    """On a phone, open what is folded behind the text; elsewhere nothing is."""
    fold = page.locator("#fold > summary")
    if fold.is_visible() and not page.locator("#choose-model").is_visible():
        fold.click()


def choose_model(page: Page, model: str) -> None:
    """Choose a model in the Explorer's picker."""
    unfold_input(page)
    page.locator("#choose-model").click()
    page.locator(f"#model-picker [data-key='{model}']").click()


def open_more(page: Page, part: str) -> None:
    """Open the menu of further inputs, and one of them."""
    unfold_input(page)
    page.locator("#more > summary").click()
    page.locator(f"#{part} summary").click()


def head(page: Page, layer: int, number: int) -> Locator:
    return page.get_by_role("gridcell", name=re.compile(rf"^Layer {layer}, head {number}\b(?!\d)"))


def address(page: Page) -> str:
    """What the address bar says now; Playwright's own `page.url` hears of it a little later."""
    return str(page.evaluate("() => location.href"))


def parameters(page: Page) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(address(page)).query).items()}


def read_number(text: str) -> float:
    """A number as the pages write it."""
    mantissa, _, power = text.replace("−", "-").replace("\u00a0", " ").partition(" × 10")
    return float(mantissa) * 10 ** int(power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")) or 0)


def expect_address(page: Page, **wanted: str | None) -> None:
    """Wait until the address has these parameters; None for one that must not be there."""
    try:
        until(
            page,
            """(wanted) => {
              const found = new URLSearchParams(location.search);
              return Object.entries(wanted).every(([name, value]) => found.get(name) === value); }""",
            arg=wanted,
        )
    except Error as late:
        raise AssertionError(f"{wanted} expected in {address(page)}") from late


def answer_matrix(page: Page, address: str) -> np.ndarray[Any, Any]:
    """The API's numbers at an address that answers a matrix in base64."""
    answer = page.request.get(address).json()["matrix"]
    shape = [int(size) for size in answer["shape"].split(",")]
    return np.frombuffer(base64.b64decode(answer["bdata"]), dtype="<f4").reshape(shape)


def true_weights(page: Page, text: str, layer: int, number: int, stage: str = "weights") -> np.ndarray[Any, Any]:
    """The API's own numbers, asked for beside the page."""
    analysis = page.request.post("/api/analyses", data={"model": MODEL, "text": text}).json()
    query = f"layer={layer}&head={number}&stage={stage}"
    return answer_matrix(page, f"/api/analyses/{analysis['id']}/weights?{query}")


def without_answers(page: Page) -> None:
    """From now on the Explorer's page brings no answers along, so that its script asks for all of them."""

    def strip(route: Route) -> None:
        answer = route.fetch()
        body = re.sub(r'(<script type="application/json" id="answers">).*?(</script>)', r"\1[]\2", answer.text())
        route.fulfill(response=answer, body=body)

    page.route(lambda url: urlsplit(url).path == "/", strip)


@contextmanager
def before_the_script(page: Page, path: str, script: str) -> Iterator[None]:
    """The page as it is until its script arrives; then the script runs."""
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route(f"**/{script}.js", hold)
    page.goto(path, wait_until="commit")
    expect(page.locator("footer")).to_be_visible()
    yield
    for route in held:
        route.continue_()


def drawn(page: Page, place: str = "", at: int = 0) -> np.ndarray[Any, Any]:
    """The numbers that a heat map shows; −∞ is a gap."""
    cells = page.evaluate(MAPS, place)[at]["cells"]
    return np.array([[-np.inf if value is None else value for value in row] for row in cells])


def wait_for_map(page: Page, condition: str, arg: Any = None, place: str = "") -> None:
    """Wait until this is true of the first heat map of a place, of which `cells`, `rows`, `cols` … are known."""
    known = "{ cells, limits, rows, cols, tokens }"
    until_resolved(
        page,
        f"""async (arg) => {{ const [map] = await ({MAPS})("{place}");
          return Boolean(map) && ({PLOTTED})() && (({known}) => {condition})(map); }}""",
        arg,
    )


def expect_drawn(page: Page, expected: np.ndarray[Any, Any], atol: float = 1e-6, place: str = "") -> None:
    """Wait until these are the numbers that a heat map shows; say what differs if they never are."""
    wanted = [[float(value) if np.isfinite(value) else None for value in row] for row in expected]
    with suppress(Error, TimeoutError):
        wait_for_map(page, f"({MATCHES})(cells, ...arg)", [wanted, atol], place)
    np.testing.assert_allclose(drawn(page, place), expected, rtol=0, atol=atol)


def cell(page: Page, query: int, key: int, tokens: int) -> tuple[float, float]:
    """The middle of a cell on screen."""
    page.locator(".matrix-hatch").scroll_into_view_if_needed()
    box = page.locator(".matrix-hatch").bounding_box()
    assert box
    return box["x"] + (key + 0.5) * box["width"] / tokens, box["y"] + (query + 0.5) * box["height"] / tokens


@contextmanager
def answers(page: Page, pattern: str, handler: Callable[[Route], None]) -> Iterator[None]:
    page.route(pattern, handler)
    yield
    page.unroute(pattern)


class Traffic:
    """What a page asks for, from now on."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.begun = 0
        self.under_way: set[Request] = set()
        page.on("request", self._begin)
        page.on("requestfinished", self._end)
        page.on("requestfailed", self._end)

    def _begin(self, request: Request) -> None:
        self.begun += 1
        self.under_way.add(request)

    def _end(self, request: Request) -> None:
        self.under_way.discard(request)

    def settle(self) -> None:
        """Until nothing is asked for or drawn any more, and the address says what is shown."""
        before: tuple[str, int] | None = None
        while (now := (address(self.page), self.begun)) != before or self.under_way:
            before = now
            until(self.page, SETTLED)
            settle(self.page)


def visit_concept(page: Page, address: str) -> None:
    """Open a concept's page and wait until its picture is drawn, and what comes with it."""
    page.goto(address)
    until(page, DRAWN)
    settle(page)


def unfold(page: Page, part: str = "lecture") -> None:
    """Open what a concept's page has folded away at its end: the lecture tools or the `api-call`."""
    page.locator(f".fold:has(#{part}) > summary").click()


@dataclass(frozen=True)
class ShownCall:
    """A call of the API as a page shows it."""

    path: str
    body: Any = None
    """None: a GET."""
    language: str = "en"


def shown_calls(page: Page) -> list[ShownCall]:
    """The calls that a concept's page shows, as a shell would take its commands apart."""
    commands = (page.locator("#call").text_content() or "").split("\n\n")
    return [_shown_call(shlex.split(command)) for command in commands if command]


def _shown_call(words: list[str]) -> ShownCall:
    assert words[:2] == ["curl", "-s"], words
    url = urlsplit(words[2])
    options = list(zip(words[3::2], words[4::2], strict=True))
    headers = dict(value.split(": ", 1) for name, value in options if name == "-H")
    bodies = [json.loads(value) for name, value in options if name == "-d"]
    assert len(bodies) <= 1, words
    assert ("content-type" in headers) == bool(bodies), words
    path = url.path + (f"?{url.query}" if url.query else "")
    return ShownCall(path, bodies[0] if bodies else None, headers.get("accept-language", "en"))


def shown_body(page: Page) -> Any:
    """The body of the first call that a concept's page shows: the one of its own route."""
    return shown_calls(page)[0].body


def type_within_a_frame(place: Locator, *keys: str) -> None:
    """Press these keys before the page can draw anything in between."""
    place.focus()
    place.evaluate(
        """(place, keys) => keys.forEach((key) => place.dispatchEvent(
          new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true })))""",
        list(keys),
    )


def expect_fits(page: Page, axe: Callable[[Page], None]) -> None:
    """Expect that axe finds nothing, that nothing is wider than the window, and one voice for mathematics."""
    axe(page)
    wide = page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0, f"{page.url}: {wide} px stick out"
    texts = page.evaluate(READ)
    assert raw_maths(texts) == [], f"{page.url}: mathematics in a programmer's notation: {raw_maths(texts)}"
    small = page.evaluate(SMALL_TYPE)
    assert small == [], f"{page.url}: small type: {small}"
    together = page.evaluate(RUN_TOGETHER)
    assert together == [], f"{page.url}: names that run together: {together}"
    missing = {sign for sign in "".join(texts["formulas"]) if sign not in OWN_SIGNS and not LETTERS.match(sign)}
    assert missing == set(), f"{page.url}: not in the font of mathematics"


def solve(page: Page, name: str, *numbers: str) -> None:
    """Give these answers to an exercise; they are right."""
    exercise = page.locator(f"[data-exercise={name}]")
    expect(exercise.get_by_role("textbox")).to_have_count(len(numbers))
    for field, number in zip(exercise.get_by_role("textbox").all(), numbers, strict=True):
        field.fill(number)
    exercise.get_by_role("button", name="Check").click()
    expect(exercise.locator(".exercise-verdict")).to_have_text("Right.")


def expect_server_agrees(page: Page, count: int, by_hand: int = 0) -> None:
    """A page has so many exercises, and the server computes the answer of each but those for paper and pencil."""
    exercises = page.locator(".exercise")
    expect(exercises).to_have_count(count)
    expect(page.locator(".exercise-served")).to_have_count(count - by_hand)
    for exercise in exercises.filter(has=page.locator(".exercise-served")).all():
        exercise.locator("summary").click()
        answer = (exercise.get_by_text(re.compile("^Answer: ")).text_content() or "").removeprefix("Answer: ")
        expect(exercise.locator(".exercise-served")).to_have_text(f"The server computes: {answer}")


@contextmanager
def saved_concept(page: Page, browser: Browser, path: Path, timeout: float | None = None) -> Iterator[Page]:
    """The page saved as a file and opened without a network, after each of its figures; nothing in it complains."""
    unfold(page)
    with page.expect_download(timeout=timeout) as download:
        page.locator("#save-html").click()
    download.value.save_as(path)
    context = browser.new_context(offline=True)
    complaints: list[str] = []
    context.on("console", lambda message: complaints.append(message.text))
    context.on("weberror", lambda error: complaints.append(str(error.error)))
    saved = context.new_page()
    saved.goto(path.as_uri())
    figures = saved.locator("#presets a")
    expect(figures).to_have_count(page.locator("#presets a").count())
    for figure in figures.all():
        figure.click()
        until(saved, DRAWN)
        expect(saved.locator("#problem")).to_be_hidden()
    yield saved
    context.close()
    assert complaints == []
