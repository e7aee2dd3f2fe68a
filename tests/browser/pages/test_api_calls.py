"""The API calls that a concept's page shows are those that it has sent, in every preset and every view."""

import json
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from driving import DRAWN, ShownCall, shown_calls, visit_concept
from playwright.sync_api import Page, Request, expect
from settling import until

from server.pages.site import PAGES

STEMS = [page.stem for page in PAGES if page.group] + ["atlas"]
SWITCHES = ("view", "beside")
"""Fields on which it depends what a page asks."""
BY_ITSELF = {"circle": "/api/circle", "training": "/api/training"}
"""Pages whose first call is sent by a button alone: one compares with the server, one starts a run."""
OF_MODELS = ("/api/models", "/api/models/loading")
"""What fills the choice of models and says how far one is loaded: no number that is drawn."""


class Sent:
    """What a page has sent to the API."""

    def __init__(self, page: Page) -> None:
        self.ever: list[ShownCall] = []
        self.fresh: list[ShownCall] = []
        page.on("request", self._note)

    def _note(self, request: Request) -> None:
        url = urlsplit(request.url)
        if not url.path.startswith("/api/") or url.path in OF_MODELS:
            return
        path = url.path + (f"?{url.query}" if url.query else "")
        body = json.loads(request.post_data) if request.post_data else None
        self.fresh.append(ShownCall(path, body, request.headers.get("accept-language", "en")))
        self.ever.append(self.fresh[-1])


def states(page: Page) -> Iterator[str]:
    """Bring a page into each of its presets and views, one after the other."""
    yield "as it opens"
    for preset in page.locator("#presets a").all():
        preset.click()
        yield preset.inner_text()
    for name in SWITCHES:
        control = page.locator(f"[data-bind={name}]")
        if control.count() == 0:
            continue
        if control.first.evaluate("(one) => one.localName") == "select":
            for value in control.evaluate("(one) => [...one.options].map(({ value }) => value)"):
                control.select_option(value)
                yield f"{name} {value}"
        else:
            for one in control.all():
                one.check(force=True)
                yield f"{name} {one.get_attribute('value')}"
    for tab in page.locator("#tabs [role=tab]").all():
        tab.click()
        yield tab.inner_text()


@pytest.mark.parametrize("stem", STEMS)
def test_every_call_shown_was_sent_and_every_call_sent_is_shown(page: Page, stem: str) -> None:
    sent = Sent(page)
    visit_concept(page, f"/{stem}")
    all_shown: list[ShownCall] = []
    for name in states(page):
        until(page, DRAWN)
        shown = shown_calls(page)
        assert shown, name
        all_shown += shown
        if BY_ITSELF.get(stem) == shown[0].path:
            shown = shown[1:]
        # A state that was shown before is answered from memory.
        assert [one for one in shown if one not in sent.ever] == [], name
        assert [one for one in sent.fresh if one not in shown] == [], name
        sent.fresh.clear()
    if stem == "training":
        return  # it would start a run
    for one in {json.dumps([call.path, call.body]): call for call in all_shown}.values():
        answer = page.request.get(one.path) if one.body is None else page.request.post(one.path, data=one.body)
        assert answer.ok, (one, answer.text())


def test_a_run_is_shown_with_its_start_and_its_events(page: Page) -> None:
    sent = Sent(page)
    page.goto("/training?width=16&heads=2&steps=10")
    page.wait_for_selector("#guesses input")
    [offered] = shown_calls(page)
    page.locator("#guesses input").first.check()
    page.locator("#begin").click()
    expect(page.locator("#call")).to_contain_text("/events")
    started, events = shown_calls(page)
    assert started == offered == sent.ever[0]
    assert (events.path, events.body) == (sent.ever[1].path, None)


def test_what_the_comparison_sends_is_the_call_shown(page: Page) -> None:
    visit_concept(page, "/circle?n=7&mechanism=additive")
    shown, hidden_layer = shown_calls(page)
    assert (shown.body["n"], hidden_layer.body["n"]) == (7, 1)
    sent = Sent(page)
    page.locator("#compare").evaluate("(button) => button.click()")
    expect(page.locator("#call-verdict")).to_contain_text("Largest difference")
    assert sent.fresh == [shown]


def test_a_japanese_page_asks_for_japanese_texts_and_says_so(page: Page) -> None:
    sent = Sent(page)
    visit_concept(page, "/kv_cache?lang=ja")
    assert shown_calls(page) == sent.ever
    assert {one.language for one in sent.ever} == {"ja"}
