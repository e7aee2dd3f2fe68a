"""An action ends when its page is quiet, whatever follows from it; a page that never is holds nothing up for long."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route
from settling import BOUND, settle, tally

HOST = "http://settling.invalid"
EVENTS = "data: begun\n\n"
FILES = {
    "/": ("text/html", "<title>Settling</title><link rel=icon href=data:,><button>Go</button><p>before</p>"),
    "/late.js": ("text/javascript", "document.querySelector('p').textContent = 'after'"),
    "/answer": ("text/plain", "after"),
    "/events": ("text/event-stream", EVENTS),
}
SAY = "document.querySelector('p').textContent = 'after'"


@pytest.fixture(scope="module")
def site(browser: Browser) -> Iterator[Page]:
    """A page of a few files, none of which is the application's."""

    def serve(route: Route) -> None:
        kind, body = FILES[route.request.url.removeprefix(HOST)]
        route.fulfill(content_type=kind, body=body)

    with browser.new_context(base_url=HOST) as context:
        context.route("**", serve)
        yield context.new_page()


def said_after(page: Page, follows: str) -> str | None:
    """What the page says right after a click from which this follows."""
    page.goto("/")
    page.evaluate(f"() => document.querySelector('button').addEventListener('click', () => {{ {follows} }})")
    tally()
    page.get_by_role("button").click()
    return page.locator("p").text_content()


@pytest.mark.parametrize(
    "follows",
    [
        f"requestAnimationFrame(() => requestAnimationFrame(() => {{ {SAY} }}))",
        f"setTimeout(() => {{ {SAY} }}, 300)",
        f"requestIdleCallback(() => {{ {SAY} }})",
        f"fetch('/answer').then((answer) => answer.text()).then(() => requestAnimationFrame(() => {{ {SAY} }}))",
        "import('/late.js')",
        f"const p = document.querySelector('p'); p.ariaBusy = 'true'; "
        f"new Worker(URL.createObjectURL(new Blob(['setTimeout(() => postMessage(0), 200)'])))"
        f".onmessage = () => {{ p.ariaBusy = 'false'; {SAY} }}",
    ],
    ids=["frames", "timer", "idle moment", "call", "module", "busy"],
)
def test_what_follows_from_a_click_is_there_after_it(site: Page, follows: str) -> None:
    assert said_after(site, follows) == "after"
    assert tally().bounded == 0


def test_events_intervals_and_long_timers_hold_nothing_up(site: Page) -> None:
    follows = "new EventSource('/events'); setInterval(() => {}, 20); setTimeout(() => {}, 5000)"
    assert said_after(site, follows) == "before"
    assert tally().bounded == 0


def test_what_was_called_off_is_not_waited_for(site: Page) -> None:
    follows = "cancelAnimationFrame(requestAnimationFrame(() => {})); clearTimeout(setTimeout(() => {}, 400));"
    assert said_after(site, follows) == "before"
    assert tally().bounded == 0


def test_a_page_that_never_rests_is_left_at_the_bound_and_says_why(site: Page) -> None:
    follows = "const turn = () => requestAnimationFrame(turn); turn(); document.body.ariaBusy = 'true'"
    assert said_after(site, follows) == "before"
    assert str(tally()).splitlines() == [
        f"1 of 1 actions ended after {BOUND} s, the last was",
        f"Locator.click() of {site.get_by_role('button')} at {HOST}/",
        "pending: a frame for turn",
        '         <body class=""> is busy',
    ]


def test_a_page_that_is_gone_is_not_waited_for(site: Page) -> None:
    other = site.context.new_page()
    other.goto("/")
    other.evaluate("() => document.querySelector('button').addEventListener('click', () => window.close())")
    other.get_by_role("button").click()
    assert settle(other)
