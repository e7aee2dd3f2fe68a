"""Five widgets in a cross-origin reveal.js deck, then the same deck from disk, offline."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from driving import MODEL, PLOTTED, SENTENCE, unfold
from framing import site, visiting
from playwright.sync_api import Browser, BrowserContext, Frame, Page, expect
from serving import serving
from settling import until

DRAWN = """() => document.querySelector("#concept")?.getAttribute("aria-busy") === "false" """
STATES = ("q=45&n=10", "q=45,0,90&n=7&t=0.4", "q=20&n=6&mechanism=cosine", "q=30&n=6&mechanism=additive&seed=3")
DECK = """<!doctype html>
<html lang="en"><head><meta charset="utf-8" /><title>Attention, in ten minutes</title>
<link rel="icon" href="data:," /><link rel="stylesheet" href="reveal/reveal.css" />
<link rel="stylesheet" href="reveal/theme/white.css" /><script src="reveal/reveal.js"></script></head>
<body><div class="reveal"><div class="slides"><section><h2>Attention</h2></section>SLIDES</div></div>
<script>Reveal.initialize({ hash: false, history: false, transition: "none" });</script></body></html>"""


@pytest.fixture(scope="module")
def deck(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds reveal.js as its package brings it."""
    folder = tmp_path_factory.mktemp("deck")
    shutil.copytree(root / "node_modules" / "reveal.js" / "dist", folder / "reveal")
    return folder


@pytest.fixture(scope="module")
def lecture(deck: Path) -> Iterator[str]:
    """The origin of the lecturer's own site."""
    with site(deck) as origin:
        yield origin


@pytest.fixture(scope="module")
def open_server(root: Path, tmp_path_factory: pytest.TempPathFactory, lecture: str) -> Iterator[str]:
    """A server whose operator lets that site frame it."""
    allowed = {"OBSERVATORY_FRAME_ANCESTORS": lecture}
    with serving(root, tmp_path_factory.mktemp("open") / "log", **allowed) as address:
        yield address


def snippet(page: Page, kind: str, address: str) -> str:
    """What the page at this address gives to paste."""
    page.goto(address)
    until(page, DRAWN if "/circle" in address else PLOTTED)
    page.locator("#lecture summary, .fold:has(#lecture) > summary").click()
    page.locator(".snippet-kinds label", has_text=kind).click()
    return page.locator("#snippets textarea:not([hidden])").input_value()


def embedded(slide: str) -> str:
    """How the address of a slide's frame begins."""
    found = re.search(r"/embed/circle\?[^\"&]+", slide)
    assert found, slide
    return found[0]


def write_deck(folder: Path, name: str, slides: list[str]) -> None:
    (folder / name).write_text(DECK.replace("SLIDES", "\n".join(slides)), encoding="utf-8")


def next_slide(page: Page, number: int, ready: str, address: str, *, move: bool = True) -> Frame:
    """Go on by one slide; the frame on it, once it has drawn."""
    if move:
        page.evaluate("() => Reveal.next()")
    assert page.evaluate("() => Reveal.getIndices().h") == number
    handle = page.locator(f'.present iframe[src*="{address}"]').element_handle()
    frame = handle.content_frame()
    assert frame
    until(frame, ready)
    return frame


def drag_a_query(page: Page, frame: Frame) -> None:
    """Drag the first query's arrow to the left; its angle must follow."""
    assert float(frame.locator("#query-angle").input_value()) < 90
    tip = frame.get_by_role("slider", name=re.compile("^(Query|クエリ) 0$")).locator(".arrow-tip")
    tip.scroll_into_view_if_needed()
    box, circle = tip.bounding_box(), frame.locator(".circle-picture").bounding_box()
    assert box
    assert circle
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(circle["x"] + circle["width"] * 0.2, circle["y"] + circle["height"] * 0.5, steps=5)
    page.mouse.up()
    until(frame, "() => Math.abs(Number(document.querySelector('#query-angle').value) - 180) <= 15")


def test_five_widgets_in_a_deck(browser: Browser, open_server: str, lecture: str, deck: Path) -> None:
    circles = [f"{open_server}/circle?{state}&lang=en" for state in STATES]
    explorer = f"{open_server}/?layer=2&head=7&lang=en"
    with visiting(browser, open_server, width=1440) as page:
        slides = [snippet(page, "reveal.js", address) for address in [*circles[:3], explorer]]
        slides.append(f"<section><h2>Additive</h2>{snippet(page, 'HTML', circles[3])}</section>")
    write_deck(deck, "live.html", slides)
    with visiting(browser, lecture, open_server, width=1280, height=800) as page:
        page.goto(f"{lecture}/live.html")
        until(page, "() => Reveal.isReady()")
        for number, slide in enumerate(slides[:3], start=1):
            frame = next_slide(page, number, DRAWN, embedded(slide))
            drag_a_query(page, frame)
        frame = next_slide(page, 4, PLOTTED, "/embed/explorer")
        expect(frame.locator("#head-title")).to_have_text("Layer 2, head 7")
        frame = next_slide(page, 5, DRAWN, "mechanism=additive")
        expect(frame.get_by_role("radio", name="additive")).to_be_checked()
        until(
            page, "() => parseFloat(document.querySelector('.slides iframe[width]').style.height) > 300"
        )  # the snippet's own script has set what the page told, as far as there is room
        bottom, room = page.evaluate(
            "() => { const at = document.querySelector('.slides iframe[width]').getBoundingClientRect();"
            " const all = document.querySelector('.slides').getBoundingClientRect(); return [at.bottom, all.bottom]; }"
        )
        assert bottom <= room + 1
        keys_lead_out_of_the_frames(page, embedded(slides[0]))


def keys_lead_out_of_the_frames(page: Page, address: str) -> None:
    """Keys that a widget does not use move the deck; far slides are unloaded, and yet go on where they were."""
    page.evaluate("() => Reveal.slide(1)")
    frame = next_slide(page, 1, DRAWN, address, move=False)
    angle = frame.locator("#query-angle").input_value()
    until(frame, "() => window.name.startsWith('observatory ')")
    frame.locator("#query-angle").focus()
    page.keyboard.press("ArrowRight")  # the slider's own
    assert page.evaluate("() => Reveal.getIndices().h") == 1
    page.keyboard.press("PageDown")  # of a presenter's remote control
    until(page, "() => Reveal.getIndices().h === 2")
    page.evaluate("() => Reveal.slide(5)")
    until(page, "() => !document.querySelector('.backgrounds iframe').getAttribute('src')")
    page.evaluate("() => Reveal.slide(1)")
    frame = next_slide(page, 1, DRAWN, address, move=False)
    until(frame, "(was) => Math.abs(document.querySelector('#query-angle').value - was) <= 6", arg=float(angle))
    frame.locator("#query-angle").focus()
    page.keyboard.press("Escape")
    until(page, "() => Reveal.isOverview()")
    page.keyboard.press("Escape")
    until(page, "() => !Reveal.isOverview()")
    frame = next_slide(page, 1, DRAWN, address, move=False)  # the overview moves its frames, which begins them again
    frame.locator(".concept-head h1").click()
    page.keyboard.press("ArrowLeft")  # before the first step lies the slide before
    until(page, "() => Reveal.getIndices().h === 0")


@pytest.fixture(scope="module")
def files(browser: Browser, open_server: str, deck: Path) -> list[str]:
    """Five pages saved as a lecturer saves them: the names of the files in the deck's folder."""
    context = browser.new_context(base_url=open_server, accept_downloads=True, locale="en")
    page = context.new_page()
    names = []
    for number, query in enumerate([*STATES, "q=45&n=10&lang=ja&theme=night"]):
        page.goto(f"/circle?{query}")
        until(page, DRAWN)
        unfold(page)
        with page.expect_download() as saved:
            page.locator("#save-html").click()
        assert saved.value.suggested_filename == "circle.html"
        names.append(f"circle-{number}.html")
        saved.value.save_as(deck / names[-1])
    context.close()
    return names


@pytest.fixture
def unplugged(browser: Browser) -> Iterator[tuple[BrowserContext, list[str]]]:
    """A browser without a network, and what goes wrong in it."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    context.set_offline(True)
    wrong: list[str] = []
    context.on("console", lambda message: message.type == "error" and wrong.append(message.text))
    context.on("weberror", lambda error: wrong.append(str(error.error)))
    context.on("request", lambda request: request.url.startswith("http") and wrong.append(request.url))
    yield context, wrong
    context.close()


def test_the_deck_works_from_disk_with_the_network_gone(
    deck: Path, files: list[str], unplugged: tuple[BrowserContext, list[str]]
) -> None:
    context, wrong = unplugged
    slides = [f'<section data-background-iframe="{name}" data-background-interactive></section>' for name in files]
    write_deck(deck, "offline.html", slides)
    page = context.new_page()
    page.goto((deck / "offline.html").as_uri())
    until(page, "() => Reveal.isReady()")
    for number, name in enumerate(files, start=1):
        frame = next_slide(page, number, DRAWN, name)
        drag_a_query(page, frame)
    assert wrong == []


def test_a_saved_explorer_in_a_deck(page: Page, deck: Path, unplugged: tuple[BrowserContext, list[str]]) -> None:
    context, wrong = unplugged
    analysis = page.request.post("/api/analyses", data={"model": MODEL, "text": SENTENCE}).json()
    file = page.request.get(f"/api/analyses/{analysis['id']}/export?format=html&layer=5&head=11&lang=en").body()
    (deck / "explorer.html").write_bytes(file)
    slides = ['<section data-background-iframe="explorer.html" data-background-interactive></section>']
    write_deck(deck, "saved.html", [*slides, "<section><h2>After it</h2></section>"])
    lecture = context.new_page()
    lecture.goto((deck / "saved.html").as_uri())
    lecture.evaluate("""() => addEventListener("message", ({ data }) => {
      if (data?.type === "observatory:size") window.told = data.height; })""")
    until(lecture, "() => Reveal.isReady()")
    frame = next_slide(lecture, 1, PLOTTED, "explorer.html")
    until(lecture, "() => window.told > 300")
    frame.get_by_role("gridcell", name=re.compile("^Layer 0, head 3")).click()
    expect(frame.locator("#head-title")).to_have_text("Layer 0, head 3")
    until(frame, "() => window.name.includes('head=3')")
    lecture.keyboard.press("p")
    expect(frame.locator(".present-bar")).to_be_visible()
    lecture.keyboard.press("Escape")
    lecture.keyboard.press("PageDown")
    until(lecture, "() => Reveal.getIndices().h === 2")
    # Reveal may have unloaded it by itself.
    lecture.evaluate(
        """() => { const frame = document.querySelector("iframe[src*=explorer]"); if (frame) frame.src = frame.src; }"""
    )
    lecture.evaluate("() => Reveal.prev()")
    frame = next_slide(lecture, 1, PLOTTED, "explorer.html", move=False)
    expect(frame.locator("#head-title")).to_have_text("Layer 0, head 3")
    assert wrong == []


def test_a_file_holds_its_state_its_language_and_its_figures(
    deck: Path, files: list[str], unplugged: tuple[BrowserContext, list[str]]
) -> None:
    context, wrong = unplugged
    page = context.new_page()
    page.goto((deck / files[4]).as_uri())
    until(page, DRAWN)
    assert page.evaluate("() => [document.documentElement.lang, document.documentElement.dataset.theme]") == [
        "ja",
        "night",
    ]
    page.goto((deck / files[1]).as_uri())
    until(page, DRAWN)
    expect(page.locator(".is-query-arrow")).to_have_count(3)
    assert page.locator("[data-out=temperature]").text_content() == "0.4"
    page.get_by_role("link", name="A longer key gains").click()
    page.locator(".step").last.click()
    expect(page.locator(".step-table tbody tr").nth(3)).to_contain_text("0.466")
    expect(page.locator("#open-page")).to_have_attribute(
        "href", re.compile(r"^http://127\.0\.0\.1:\d+/circle\?lengths=1_1_1_5_")
    )
    unfold(page)
    with page.expect_download() as saved:
        page.get_by_role("button", name="SVG").click()
    assert "<svg" in Path(saved.value.path()).read_text(encoding="utf-8")
    with page.expect_download() as saved:
        page.get_by_role("button", name="PNG").click()
    assert Path(saved.value.path()).read_bytes()[:4] == b"\x89PNG"
    page.goto((deck / files[1]).as_uri() + "?present=1&step=2")
    until(page, DRAWN)
    expect(page.locator(".present-bar")).to_contain_text("step 2 of 5")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".present-bar")).to_contain_text("step 3 of 5")
    assert wrong == []


def test_what_needs_the_server_is_recorded_or_said(
    deck: Path, files: list[str], unplugged: tuple[BrowserContext, list[str]]
) -> None:
    context, wrong = unplugged
    page = context.new_page()
    page.goto((deck / files[3]).as_uri())
    until(page, DRAWN)
    expect(page.get_by_role("radio", name="additive")).to_be_checked()
    drag_a_query(page, page.main_frame)  # the hidden layer of seed 3 is in the file
    page.locator("[data-bind=seed]").fill("8")
    page.locator("[data-bind=seed]").press("Tab")
    expect(page.get_by_role("alert")).to_contain_text("This file works without a server")
    page.locator("[data-bind=seed]").fill("3")
    page.locator("[data-bind=seed]").press("Tab")
    page.get_by_role("radio", name="dot", exact=True).check(force=True)
    until(page, DRAWN)
    assert wrong == []
