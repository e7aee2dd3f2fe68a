"""Waiting: every action in a page ends when the page has done what follows from it, and `until` waits for more.

What follows from a click comes in frames, calls, modules that are fetched late and short timers. `quiet.js` counts them
in each page; after an action, nothing must be left of them twice in a row. A plain read is then a true one. A page that
moves by itself holds nothing up for long, and if its test fails, the report says what was still pending.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Error,
    Frame,
    Keyboard,
    Locator,
    Mouse,
    Page,
    Request,
    Touchscreen,
)
from profiles import PATIENCE

BOUND = 1.5
"""Seconds after which an action ends in any case."""
POLLING = 50
"""Milliseconds between two looks. In every frame would be too seldom: on a busy machine none comes for seconds."""
HERE = Path(__file__).parent
UNTIL_QUIET = "(limit) => window.untilQuiet?.(limit) ?? []"
LOADED = frozenset({"document", "font", "image", "script", "stylesheet"})
"""What a page loads without `fetch`."""
ACTIONS: dict[type, tuple[str, ...]] = {
    Locator: (
        *("blur", "check", "clear", "click", "dblclick", "dispatch_event", "drag_to", "fill", "focus", "hover"),
        *("press", "press_sequentially", "scroll_into_view_if_needed", "select_option", "set_checked"),
        *("set_input_files", "tap", "uncheck"),
    ),
    Page: ("emulate_media", "go_back", "go_forward", "goto", "reload", "set_content", "set_viewport_size"),
    Keyboard: ("down", "insert_text", "press", "type", "up"),
    Mouse: ("click", "dblclick", "down", "move", "up", "wheel"),
    Touchscreen: ("tap",),
}

P = ParamSpec("P")
R = TypeVar("R")


@dataclass
class Tally:
    """The actions of one test, and what was pending after the last that ended at the bound."""

    actions: int = 0
    bounded: int = 0
    last: str = ""

    def __str__(self) -> str:
        return f"{self.bounded} of {self.actions} actions ended after {BOUND} s, the last was\n{self.last}"


@dataclass
class _Watched:
    """What is known of the pages of all watched contexts."""

    under_way: dict[Page, set[Request]] = field(default_factory=dict)
    devices: dict[Keyboard | Mouse | Touchscreen, Page] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)


_watched = _Watched()


def until(place: Page | Frame, expression: str, arg: Any = None, timeout: float = PATIENCE) -> None:
    """Wait until this JavaScript, or the function that it is, is true; a promise is true at once."""
    try:
        place.wait_for_function(expression, arg=arg, timeout=timeout, polling=POLLING)
    except Error as late:
        late.add_note(f"waited for {expression}")
        raise


def until_resolved(place: Page | Frame, expression: str, arg: Any = None, timeout: float = PATIENCE) -> None:
    """Wait until a function of the page's resolves to what is true."""
    deadline = time.monotonic() + timeout / 1000
    while not place.evaluate(expression, arg):
        if time.monotonic() > deadline:
            raise TimeoutError(f"never true: {expression}")
        place.wait_for_timeout(POLLING)


def settle(page: Page, after: str = "settle") -> bool:
    """Wait until nothing is left that the page will do by itself; whether that was so within the bound."""
    if page not in _watched.under_way or page.is_closed():
        return True
    _watched.tally.actions += 1
    deadline = time.monotonic() + BOUND
    left: list[str] = []
    while (rest := deadline - time.monotonic()) > 0:
        try:
            left = _left(page, rest)
        except Error:  # closed, or about to show another document
            if page.is_closed():
                return True
            left = ["another document"]
        if not left:
            return True
    _watched.tally.bounded += 1
    _watched.tally.last = f"{after} at {page.url}\npending: " + "\n         ".join(left)
    return False


def _left(page: Page, seconds: float) -> list[str]:
    inside = [words for frame in page.frames for words in frame.evaluate(UNTIL_QUIET, seconds * 1000)]
    return inside + [
        f"{request.resource_type} {urlsplit(request.url).path}" for request in _watched.under_way.get(page, ())
    ]


def tally() -> Tally:
    """The actions since the last time that somebody asked."""
    found, _watched.tally = _watched.tally, Tally()
    return found


@contextmanager
def every_action_settles(seed: int | None = None) -> Iterator[None]:
    """Let every action in every page wait until the page is quiet. A seed makes the pages slow, each time alike."""
    script = (HERE / "quiet.js").read_text(encoding="utf-8")
    if seed is not None:
        script = (HERE / "chaos.js").read_text(encoding="utf-8").replace("SEED", str(seed)) + script
    with pytest.MonkeyPatch.context() as patch:
        for kind, names in ACTIONS.items():
            for name in names:
                patch.setattr(kind, name, _settling(getattr(kind, name), f"{kind.__name__}.{name}"))
        patch.setattr(Browser, "new_context", _watching(Browser.new_context, script))
        patch.setattr(Browser, "new_page", _watching(Browser.new_page, script))
        yield


def _settling(action: Callable[P, R], name: str) -> Callable[P, R]:
    """An action that ends when its page is quiet, unless it is asked to end before there is anything on the page."""

    @wraps(action)
    def settling(*given: P.args, **named: P.kwargs) -> R:
        result = action(*given, **named)
        page = _page_of(given[0])
        if page and named.get("wait_until") != "commit":
            shown = ", ".join(repr(one) for one in given[1:])
            settle(page, f"{name}({shown[:80]})" + (f" of {given[0]}" if isinstance(given[0], Locator) else ""))
        return result

    return settling


def _page_of(actor: object) -> Page | None:
    if isinstance(actor, Locator):
        return actor.page
    return actor if isinstance(actor, Page) else _watched.devices.get(actor)  # type: ignore[call-overload]


def _watching(opened: Callable[P, BrowserContext | Page], script: str) -> Callable[P, BrowserContext | Page]:
    """A way to open a context, alone or with its page, that has all its pages watched, unless no script runs there."""

    @wraps(opened)
    def watching(*given: P.args, **named: P.kwargs) -> BrowserContext | Page:
        result = opened(*given, **named)
        if named.get("java_script_enabled") is False:
            return result
        context = result.context if isinstance(result, Page) else result
        context.add_init_script(script)
        for page in context.pages:
            _watch(page)
        context.on("page", _watch)
        return result

    return watching


def _watch(page: Page) -> None:
    under_way = _watched.under_way[page] = set()
    devices = (page.keyboard, page.mouse, page.touchscreen)
    _watched.devices |= dict.fromkeys(devices, page)

    def forget(_: Page) -> None:
        _watched.under_way.pop(page, None)
        for device in devices:
            _watched.devices.pop(device, None)

    def begin(request: Request) -> None:
        if request.resource_type in LOADED:
            under_way.add(request)

    def end(request: Request) -> None:
        under_way.discard(request)

    page.on("request", begin)
    page.on("requestfinished", end)
    page.on("requestfailed", end)
    page.on("close", forget)
