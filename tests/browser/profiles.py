"""Browser profiles that record problems and are reused between tests after clearing.

What a profile has loaded and compiled once it need not load again: a page opens in a third of the time.
"""

import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page

PATIENCE = 60_000
"""Milliseconds: a machine may be ten times slower than this one, and other tests may run beside."""
HEIGHTS = {1440: 900, 390: 844}
KEPT = 6
"""So many profiles stay open; the one that was used longest ago goes first."""
EMPTY = '<link rel="icon" href="data:," />'
ON_CSP_VIOLATION = """
document.addEventListener("securitypolicyviolation", (event) =>
  console.error(`CSP violation: ${event.violatedDirective} blocked ${event.blockedURI} in ${event.sourceFile}`));
"""


@dataclass
class Problems:
    """Everything that went wrong in the browser during one test, and what of it the test meant to provoke."""

    found: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)

    def expect(self, pattern: str) -> None:
        """Allow problems matching this regular expression; at least one must occur."""
        self.expected.append(pattern)

    def verdict(self) -> list[str]:
        """Return what must not be: unexpected problems, and expected ones that stayed away."""
        unexpected = [found for found in self.found if not any(re.search(one, found) for one in self.expected)]
        absent = [one for one in self.expected if not any(re.search(one, found) for found in self.found)]
        return unexpected + [f"expected, but did not happen: {one}" for one in absent]


class Watch:
    """Notes what goes wrong in any page of a context, for whichever test uses it now."""

    def __init__(self, context: BrowserContext, host: str, problems: Problems | None = None) -> None:
        self.problems = problems
        context.add_init_script(ON_CSP_VIOLATION)
        context.on("console", lambda message: message.type == "error" and self._note("console", _said(message)))
        context.on("weberror", lambda error: self._note("uncaught", str(error.error)))
        context.on("request", lambda request: self._other_host(request.url, host))
        context.on("requestfailed", lambda request: self._failed(request.url, request.failure or "failed"))

    def _note(self, kind: str, text: str) -> None:
        if self.problems:
            self.problems.found.append(f"{kind}: {text}")

    def _other_host(self, url: str, host: str) -> None:
        address = urlsplit(url)
        if address.scheme not in {"data", "blob", "about"} and address.netloc != host:
            self._note("other host", url)

    def _failed(self, url: str, reason: str) -> None:
        if reason != "net::ERR_ABORTED":  # the page itself changed its mind
            self._note("request failed", f"{url} ({reason})")


def _said(message: ConsoleMessage) -> str:
    """A message, and what could not be loaded if it is about that."""
    about = f" {message.location['url']}" if message.text.startswith("Failed to load resource") else ""
    return f"{message.text}{about}"


class Profile:
    """A watched profile for pages of one server in one size, theme and language."""

    def __init__(self, browser: Browser, server_url: str, width: int, colour_scheme: Any, locale: str) -> None:
        self.server_url = server_url
        self.context = browser.new_context(
            base_url=server_url,
            viewport={"width": width, "height": HEIGHTS.get(width, 900)},
            color_scheme=colour_scheme,
            locale=locale,
            reduced_motion="reduce",
        )
        self.context.set_default_timeout(PATIENCE)
        # While a page of the site is open, the browser keeps what other pages of the site have compiled.
        self._open = self.context.new_page()
        self._open.route("**", lambda route: route.fulfill(content_type="text/html", body=EMPTY))
        self._open.goto("/")
        self._watch = Watch(self.context, urlsplit(server_url).netloc)

    def open(self, problems: Problems) -> Page:
        """Open a page that no earlier test has left anything in."""
        self._watch.problems = problems
        return self.context.new_page()

    def clear(self) -> None:
        """Close every page and forget what they stored, were allowed or had redirected."""
        for page in self.context.pages:
            if page is not self._open:
                page.close()
        self._watch.problems = None
        self.context.unroute_all()
        self.context.set_offline(False)
        self.context.clear_permissions()
        self.context.clear_cookies()
        session = self.context.new_cdp_session(self._open)
        session.send("Storage.clearDataForOrigin", {"origin": self.server_url, "storageTypes": "all"})
        session.detach()


class Profiles:
    """Profiles that are free, the one that was used last at the end."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._free: list[tuple[Any, Profile]] = []
        self._altered: list[BrowserContext] = []

    def take(self, *kind: Any) -> Profile:
        """Get a cleared profile for this address, width, theme and language, for oneself."""
        for at, (its_kind, profile) in enumerate(self._free):
            if its_kind == kind:
                del self._free[at]
                return profile
        return Profile(self._browser, *kind)

    def freeze_time(self, page: Page) -> None:
        """Let time pass in this page only when told; no other test gets its profile, whose clock cannot be reset."""
        page.clock.install()
        page.clock.resume()
        page.context.add_init_script("countFromHere(); window.isClockMoved = true")
        self._altered.append(page.context)

    def give_back(self, profile: Profile, *kind: Any) -> None:
        if profile.context in self._altered:
            self._altered.remove(profile.context)
            profile.context.close()
            return
        profile.clear()
        self._free.append((kind, profile))
        if len(self._free) > KEPT:
            self._free.pop(0)[1].context.close()
