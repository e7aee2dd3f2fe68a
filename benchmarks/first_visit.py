"""Cost of a first visit to the Explorer: requests, bytes over the network, and main-thread blocking time.

Run: ``python -m benchmarks.first_visit``. A real server, and Chromium with nothing in its cache; each round is a
separate visit, watched until several seconds after the first thumbnails, so that idle work counts too. ``blocked`` is
the time of tasks beyond their first 50 ms (Lighthouse's total blocking time).
"""

import statistics
from dataclasses import dataclass

from playwright.sync_api import Browser, Page

from tools.browsing import browsing, serving

ROUNDS = 5
WATCHED_MS = 5000
LARGEST = 6
WATCH = """
performance.setResourceTimingBufferSize(2000);
window.longTasks = [];
new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map((entry) => entry.duration)))
  .observe({ type: "longtask", buffered: true });
"""
READY = """() => document.querySelector("#bench")?.getAttribute("aria-busy") === "false" && performance.now()"""
SENT = """() => performance.getEntriesByType("navigation").concat(performance.getEntriesByType("resource"))
  .map(({ name, transferSize }) => [new URL(name).pathname, transferSize])"""


@dataclass
class Visit:
    """One visit, seen from the page."""

    picture_ms: float
    long_tasks: list[float]
    script_ms: float
    sent: list[tuple[str, int]]
    """Path and bytes of every response, headers included."""

    @property
    def blocked_ms(self) -> float:
        """Total blocking time: the page would not respond to input."""
        return sum(duration - 50 for duration in self.long_tasks)


def watch(page: Page, address: str) -> Visit:
    """Open the page, wait for its first picture and then for whatever follows."""
    client = page.context.new_cdp_session(page)
    client.send("Performance.enable")
    page.add_init_script(WATCH)
    page.goto(address)
    picture = page.wait_for_function(READY).json_value()
    page.wait_for_timeout(WATCHED_MS)
    metrics = {one["name"]: one["value"] for one in client.send("Performance.getMetrics")["metrics"]}
    return Visit(picture, page.evaluate("window.longTasks"), 1e3 * metrics["ScriptDuration"], page.evaluate(SENT))


def first_visit(browser: Browser, address: str) -> Visit:
    """A visit with nothing in the browser's cache."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    visit = watch(context.new_page(), address)
    context.close()
    return visit


def report(visits: list[Visit]) -> None:
    """Medians over the visits, and the largest answers of one."""
    middle = statistics.median
    sent = visits[0].sent
    for name, value in (
        ("requests", f"{middle(len(visit.sent) for visit in visits):.0f}"),
        ("KiB over the network", f"{middle(sum(size for _, size in visit.sent) for visit in visits) / 1024:.0f}"),
        ("first picture, ms", f"{middle(visit.picture_ms for visit in visits):.0f}"),
        ("script, ms", f"{middle(visit.script_ms for visit in visits):.0f}"),
        ("tasks over 50 ms", f"{middle(len(visit.long_tasks) for visit in visits):.0f}"),
        ("longest task, ms", f"{middle(max(visit.long_tasks, default=0) for visit in visits):.0f}"),
        ("blocked, ms", f"{middle(visit.blocked_ms for visit in visits):.0f}"),
    ):
        print(f"{name:<24}{value:>8}")
    for path, size in sorted(sent, key=lambda one: -one[1])[:LARGEST]:
        print(f"{size / 1024:10.0f} KiB  {path}")


def main() -> None:
    with serving() as server, browsing() as browser:
        first_visit(browser, server.address)  # loads the model
        report([first_visit(browser, server.address) for _ in range(ROUNDS)])


if __name__ == "__main__":
    main()
