"""Lecture features: code snippets, presentation mode, the embedded Explorer."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from driving import PLOTTED, expect_address, unfold, visit
from framing import HOST_PAGE, site, visiting
from playwright.sync_api import Browser, ConsoleMessage, Page, expect
from serving import serving
from settling import until

DRAWN = """() => document.querySelector("#concept")?.getAttribute("aria-busy") === "false" """
TOLD = "() => window.told?.height > 300"


@pytest.fixture(scope="module")
def lecture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Another site: its origin, and the folder that it serves."""
    folder = tmp_path_factory.mktemp("lecture")
    with site(folder) as origin:
        yield origin, folder


@pytest.fixture(scope="module")
def open_server(root: Path, tmp_path_factory: pytest.TempPathFactory, lecture: tuple[str, Path]) -> Iterator[str]:
    """A server whose operator lets that site frame it."""
    allowed = {"OBSERVATORY_FRAME_ANCESTORS": lecture[0]}
    with serving(root, tmp_path_factory.mktemp("open") / "log", **allowed) as address:
        yield address


def concept(page: Page, address: str = "/circle") -> None:
    page.goto(address)
    until(page, DRAWN)


def chosen(page: Page, kind: str) -> str:
    page.locator(".snippet-kinds label", has_text=kind).click()
    return page.locator("#snippets textarea:not([hidden])").input_value()


@pytest.mark.gate
def test_a_snippet_for_every_place(page: Page, server_url: str) -> None:
    concept(page, "/circle?q=10&n=5&lang=en")
    unfold(page)
    state = "q=10&n=5&lang=en"
    link, embed = f"{server_url}/circle?{state}", f"{server_url}/embed/circle?{state}"
    escaped = embed.replace("&", "&amp;")
    assert chosen(page, "HTML").startswith(f'<iframe src="{escaped}" title="Attention on a circle" ')
    assert chosen(page, "Markdown") == f"[Attention on a circle]({link})"
    assert chosen(page, "reveal.js") == (
        f'<section data-background-iframe="{escaped}" data-background-interactive data-preload></section>'
    )
    assert chosen(page, "Jupyter").splitlines()[1] == f'IFrame("{embed}", width="100%", height=760)'
    assert chosen(page, "Notion") == link
    chosen(page, "reveal.js")
    page.get_by_label("in large type").check()
    assert "&amp;present=1" in page.locator("#snippet-reveal").input_value()
    assert page.get_by_text("This server does not let other sites embed its pages").count() == 1


def test_copying_says_so(browser: Browser, server_url: str) -> None:
    context = browser.new_context(base_url=server_url, permissions=["clipboard-read", "clipboard-write"], locale="ja")
    page = context.new_page()
    concept(page)
    unfold(page)
    chosen(page, "Notion")
    page.get_by_role("button", name="Notion 用をコピー").click()
    expect(page.locator(".snippet-head [role=status]")).to_have_text("コピーした。")
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert copied == page.locator("#snippet-notion").input_value()
    assert urlsplit(copied).path == "/circle"
    context.close()


def test_the_html_snippet_gives_the_frame_its_height(
    browser: Browser, open_server: str, lecture: tuple[str, Path]
) -> None:
    origin, folder = lecture
    with visiting(browser, open_server) as page:
        concept(page, f"{open_server}/circle?q=45,90&n=5&lang=ja&theme=night")
        unfold(page)
        snippet = chosen(page, "HTML")
    (folder / "html.html").write_text(HOST_PAGE.replace("SNIPPET", snippet), encoding="utf-8")
    with visiting(browser, origin, open_server) as page:
        page.goto(f"{origin}/html.html")
        until(page, TOLD)
        frame = page.frames[1]
        until(frame, DRAWN)
        expect(frame.locator("html")).to_have_attribute("lang", "ja")
        expect(frame.locator("html")).to_have_attribute("data-theme", "night")
        until(page, "() => document.querySelector('iframe').style.height === `${window.told.height}px`")
        until(frame, "() => document.documentElement.scrollHeight <= innerHeight")
        assert page.evaluate("() => window.told.origin") == open_server


def test_the_explorer_in_a_frame(browser: Browser, open_server: str, lecture: tuple[str, Path]) -> None:
    origin, folder = lecture
    text = "Stars (and planets) turn & return."
    with visiting(browser, open_server, width=1440) as page:
        visit(page, f"{open_server}/?text={text.replace('&', '%26')}&layer=2&head=7&query=2&key=3&lang=en")
        page.locator("#lecture summary").click()
        snippet = chosen(page, "HTML")
    (folder / "explorer.html").write_text(HOST_PAGE.replace("SNIPPET", snippet), encoding="utf-8")
    with visiting(browser, origin, open_server) as page:
        page.goto(f"{origin}/explorer.html")
        frame = page.frames[1]
        until(frame, PLOTTED)
        expect(frame.locator("#head-title")).to_have_text("Layer 2, head 7")
        expect(frame.locator("#text")).to_have_value(text)
        assert frame.locator("header, footer, nav").count() == 0
        for part in ("#examples", "#distribution", "#computation", "#what-if", "#choose-model"):
            expect(frame.locator(part)).to_be_hidden()
        frame.get_by_role("gridcell", name=re.compile("^Layer 0, head 3")).click()
        expect(frame.locator("#head-title")).to_have_text("Layer 0, head 3")
        expect(frame.locator("#open-page")).to_have_attribute("href", re.compile(rf"^{open_server}/\?.*layer=0&head=3"))
        assert page.evaluate("() => history.length") == 2  # about:blank and this; picking a head is no page turned
        assert frame.evaluate("() => localStorage.length + sessionStorage.length + document.cookie.length") == 0
        until(page, "() => document.querySelector('iframe').style.height === `${window.told.height}px`")


def test_a_failure_is_seen_in_the_frame_too(browser: Browser, open_server: str) -> None:
    context = browser.new_context(base_url=open_server)
    page = context.new_page()
    page.goto("/embed/explorer?model=not-there&lang=en")
    expect(page.locator("#model-error")).to_be_visible()
    context.close()


@pytest.mark.parametrize(
    "policy", [*(pytest.param(own, marks=pytest.mark.full) for own in ("'none'", "'self'")), "https://slides.example"]
)
def test_who_is_not_allowed_sees_nothing(
    browser: Browser, root: Path, tmp_path: Path, lecture: tuple[str, Path], policy: str
) -> None:
    origin, folder = lecture
    denied = {"OBSERVATORY_FRAME_ANCESTORS": policy, "OBSERVATORY_PRELOAD": "false"}
    with serving(root, tmp_path / "log", **denied) as address:
        frames = "".join(f'<iframe src="{address}/embed/{stem}"></iframe>' for stem in ("circle", "explorer"))
        (folder / "denied.html").write_text(HOST_PAGE.replace("SNIPPET", frames), encoding="utf-8")
        context = browser.new_context()
        page = context.new_page()
        refusals: list[str] = []

        def refused_twice(message: ConsoleMessage) -> bool:
            refusals.append(message.text)
            return sum("frame-ancestors" in text for text in refusals) == 2

        with page.expect_console_message(refused_twice):
            page.goto(f"{origin}/denied.html")
        assert [frame.locator("main").count() for frame in page.frames[1:]] == [0, 0]
        assert page.evaluate("() => window.told === undefined")
        context.close()


def test_presenting_walks_through_figures_and_steps(page: Page) -> None:
    concept(page)
    page.keyboard.press("p")
    bar = page.locator(".present-bar")
    expect(bar).to_contain_text("Ten keys")
    expect(bar).to_contain_text("1 of 9, 5 steps")
    expect(page.locator("header")).to_be_hidden()
    expect_address(page, present="1")
    page.keyboard.press("PageDown")
    expect(bar).to_contain_text("1 of 9, step 1 of 5")
    for _ in range(5):
        page.keyboard.press("PageDown")
    expect(bar).to_contain_text("Three queries")
    expect(bar).to_contain_text("2 of 9, step 1 of 5")
    page.keyboard.press("ArrowRight")
    expect(bar).to_contain_text("2 of 9, step 2 of 5")
    page.keyboard.press("Shift+ArrowRight")
    expect(bar).to_contain_text("3 of 9, step 1 of 5")
    page.keyboard.press("ArrowLeft")
    expect(bar).to_contain_text("2 of 9, step 5 of 5")
    page.reload()
    until(page, DRAWN)
    expect(bar).to_contain_text("2 of 9, step 5 of 5")
    page.keyboard.press("Escape")
    expect(bar).to_be_hidden()
    expect(page.get_by_role("button", name="Present")).to_be_focused()
    expect_address(page, present=None)


def test_the_type_is_large_and_nothing_moves(page: Page) -> None:
    concept(page)
    size = "() => parseFloat(getComputedStyle(document.querySelector('.step-says')).fontSize)"
    before = page.evaluate(size)
    page.get_by_role("button", name="Present").click()
    until(page, f"(before) => ({size})() >= 2 * before", arg=before)
    running = "() => document.getAnimations().filter((one) => one.playState === 'running').length"
    assert page.evaluate(running) == 0
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    tops = [page.locator(place).bounding_box() for place in (".concept-head", ".bench-picture", ".calculation")]
    head, picture, calculation = (box["y"] for box in tops if box)
    assert head < picture <= calculation + 40, "the question stands above picture and calculation"


def test_the_key_can_be_switched_off(page: Page) -> None:
    concept(page)
    unfold(page)
    page.locator("#present-key").uncheck()
    page.reload()
    until(page, DRAWN)
    expect(page.locator("#present-key")).not_to_be_checked()
    page.locator("main").focus()
    page.keyboard.press("p")
    expect(page.locator(".present-bar")).to_be_hidden()


def test_a_letter_that_is_typed_presents_nothing(page: Page) -> None:
    visit(page)
    page.locator("#text").press("p")
    expect(page.locator(".present-bar")).to_be_hidden()


def test_the_explorer_is_presented_stage_by_stage(page: Page) -> None:
    visit(page, "/?lang=en&stage=masked_scores")
    page.get_by_role("button", name="Present").click()
    bar = page.locator(".present-bar")
    expect(bar).to_contain_text("A pronoun")
    expect(bar).to_contain_text("1 of 7, step 3 of 6")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("radio", name="weights")).to_be_checked()
    for stage in ("value_weighted", "norm_weighted"):
        page.keyboard.press("ArrowRight")
        expect(page.locator(f"input[name=stage][value={stage}]")).to_be_checked()
    page.keyboard.press("ArrowRight")
    expect(bar).to_contain_text("One word, two senses")
    expect(bar).to_contain_text("step 1 of 6")
    expect(page.locator("#tokens")).to_contain_text("bank")
    expect(page.get_by_role("radio", name="raw")).to_be_checked()
    page.keyboard.press("Escape")
    expect(page.locator("header")).to_be_visible()
