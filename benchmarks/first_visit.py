"""First visits to the Explorer on slow networks: requests, bytes, layout shift, and the time until it is drawn.

    python -m benchmarks.first_visit
    python -m benchmarks.first_visit --against 78ee18a --libraries FOLDER

A real server behind a proxy that slows the network down (tools/slow_network.py), and Chromium with nothing in its
cache. ``--against`` also serves that commit of ours; the peers' pages (benchmarks/peer_pages.py) show the same
attention. The visits of all take turns within one run, so ratios hold on a busy machine. "Drawn" is, for us, the frame
in which the default sentence's heads are drawn; for a peer, the last change of its page. ``blocked`` is the time of
tasks beyond their first 50 ms (Lighthouse's total blocking time).
"""

import argparse
import statistics
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page

from benchmarks.peer_pages import serving_folder, write_pages
from tools.browsing import ROOT, browsing, serving
from tools.slow_network import GOOD, POOR, Network, slowed

TEXT = "The cat sat on the mat because it was tired."
LOOPBACK = Network(0, 10_000)
ROUNDS = 5
QUIET_MS = 2000
LARGEST = 6
WATCH = """
performance.setResourceTimingBufferSize(2000);
window.longTasks = [];
window.shift = 0;
window.drawnAt = 0;
window.changedAt = 0;
const watch = (type, note) =>
  new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
watch("longtask", ({ duration }) => window.longTasks.push(duration));
watch("layout-shift", ({ value, hadRecentInput }) => (window.shift += hadRecentInput ? 0 : value));
new MutationObserver(() => {
  window.changedAt = performance.now();
  const bench = document.querySelector("#bench");
  if (!window.drawnAt && bench?.getAttribute("aria-busy") === "false") {
    window.drawnAt = -1;
    requestAnimationFrame(() => setTimeout(() => (window.drawnAt = performance.now())));
  }
}).observe(document, { subtree: true, childList: true, attributes: true });
"""
STILL = "(quiet) => document.readyState === 'complete' && performance.now() - window.changedAt > quiet"
SENT = """() => performance.getEntriesByType("navigation").concat(performance.getEntriesByType("resource"))
  .map(({ name, transferSize, startTime }) => [new URL(name).pathname, transferSize, startTime])"""


@dataclass(frozen=True)
class Target:
    """A page to visit."""

    name: str
    address: str
    path: str
    is_ours: bool


@dataclass(frozen=True)
class Visit:
    """One visit, seen from the page."""

    drawn_ms: float
    shift: float
    blocked_ms: float
    sent: list[tuple[str, int]]
    """Path and bytes of every response until it was drawn, headers included."""


def first_visit(browser: Browser, address: str, *, is_ours: bool) -> Visit:
    """A visit with nothing in the browser's cache, until nothing changes any more."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page: Page = context.new_page()
    page.add_init_script(WATCH)
    page.goto(address, wait_until="commit")
    page.wait_for_function("() => window.drawnAt > 0" if is_ours else STILL, arg=QUIET_MS, timeout=120_000)
    drawn = page.evaluate("window.drawnAt" if is_ours else "window.changedAt")
    page.wait_for_function(STILL, arg=QUIET_MS / 2)
    blocked = sum(max(0, duration - 50) for duration in page.evaluate("window.longTasks"))
    sent = [(path, size) for path, size, start in page.evaluate(SENT) if start <= drawn]
    visit = Visit(drawn, page.evaluate("window.shift"), blocked, sent)
    context.close()
    return visit


@contextmanager
def checkout(revision: str) -> Iterator[Path]:
    """A folder with that commit of ours, until the block ends."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", folder, revision], cwd=ROOT, check=True)
        try:
            yield Path(folder)
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", folder], cwd=ROOT, check=True)


def report(network: Network, visits: dict[Target, list[Visit]]) -> None:
    """Medians, and each time relative to the first target's."""
    middle = statistics.median
    own = middle(visit.drawn_ms for visit in next(iter(visits.values())))
    print(f"\n{'loopback' if network is LOOPBACK else network}")
    print(f"{'':<28}{'requests':>9}{'kB':>8}{'drawn, ms':>11}{'of its time':>13}{'shift':>8}{'blocked, ms':>13}")
    for target, measured in visits.items():
        drawn = middle(visit.drawn_ms for visit in measured)
        print(
            f"{target.name:<28}{middle(len(visit.sent) for visit in measured):>9.0f}"
            f"{middle(sum(size for _, size in visit.sent) for visit in measured) / 1000:>8.0f}"
            f"{drawn:>11.0f}{own / drawn:>13.2f}"
            f"{middle(visit.shift for visit in measured):>8.3f}{middle(visit.blocked_ms for visit in measured):>13.0f}"
        )


def main() -> None:
    """Visit all in turn, on each network."""
    parser = argparse.ArgumentParser(description="Measure first visits to the Explorer.")
    parser.add_argument("--against", metavar="REVISION", help="a commit of ours to compare with")
    parser.add_argument("--libraries", type=Path, metavar="FOLDER", help="where BertViz's scripts are installed")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    with ExitStack() as stack:
        server = stack.enter_context(serving())
        targets = [Target("ours", server.address, "/", is_ours=True)]
        if options.against:
            earlier = stack.enter_context(serving(stack.enter_context(checkout(options.against))))
            targets.append(Target(f"ours at {options.against}", earlier.address, "/", is_ours=True))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        peers = write_pages(server.address, TEXT, folder, options.libraries)
        files = stack.enter_context(serving_folder(folder))
        targets += [Target(name, files, path, is_ours=False) for name, path in peers.items()]
        browser = stack.enter_context(browsing())
        for target in targets:
            first_visit(browser, target.address + target.path, is_ours=target.is_ours)  # loads the model
        for network in (LOOPBACK, GOOD, POOR):
            visits: dict[Target, list[Visit]] = {target: [] for target in targets}
            for _ in range(options.rounds):
                for target, found in visits.items():
                    with slowed(target.address, network) as address:
                        found.append(first_visit(browser, address + target.path, is_ours=target.is_ours))
            report(network, visits)
        print()
        for path, size in sorted(visits[targets[0]][0].sent, key=lambda file: -file[1])[:LARGEST]:
            print(f"{size / 1000:10.0f} kB  {path}")


if __name__ == "__main__":
    main()
