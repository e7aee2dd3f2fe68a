"""Layout shift of first visits on a slow network: ``python -m benchmarks.layout_shift / /rope /embed/rope``.

Prints the layout shift of each page at each width and the elements that moved, largest shift first. Without paths:
every page that the header leads to. What should hold: each is below 0.1, which Lighthouse calls good.
"""

import argparse
import sys
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser

from benchmarks.bounds import broken
from tools.browsing import browsing, serving
from tools.slow_network import POOR, slowed

SIZES = {1440: 900, 390: 844}
GOOD = 0.1
SETTLED = "() => !document.querySelector('[aria-busy=true]')"
WATCH = """
window.shifts = [];
const named = (node) => {
  const element = node?.nodeType === 1 ? node : node?.parentElement;
  if (!element) return "?";
  const names = [element.localName, element.id && "#" + element.id, ...[...element.classList].map((one) => "." + one)];
  const place = element.parentElement?.closest("[id]");
  return (place ? "#" + place.id + " " : "") + names.join("");
};
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput, startTime, sources } of list.getEntries()) {
    if (hadRecentInput) continue;
    window.shifts.push({ value, startTime, moved: sources.map(({ node, previousRect: a, currentRect: b }) =>
      `${named(node)} ${a.x.toFixed()},${a.y.toFixed()} ${a.width.toFixed()}×${a.height.toFixed()} → ` +
      `${b.x.toFixed()},${b.y.toFixed()} ${b.width.toFixed()}×${b.height.toFixed()}`) });
  }
}).observe({ type: "layout-shift", buffered: true });
"""


@dataclass(frozen=True)
class Shift:
    """One frame in which something moved."""

    value: float
    at_ms: float
    moved: list[str]


def shifts_of(browser: Browser, address: str, width: int, settle_ms: int = 700, **context: Any) -> list[Shift]:
    """What moves during a first visit, until nothing is busy and some time after."""
    visit = browser.new_context(viewport={"width": width, "height": SIZES.get(width, 900)}, **context)
    page = visit.new_page()
    page.add_init_script(WATCH)
    page.goto(address)
    page.wait_for_function(SETTLED)
    page.wait_for_timeout(settle_ms)
    shifts = page.evaluate("window.shifts")
    visit.close()
    return [Shift(shift["value"], shift["startTime"], shift["moved"]) for shift in shifts]


def paths_of(browser: Browser, address: str) -> list[str]:
    """The pages that the header leads to."""
    page = browser.new_page()
    page.goto(address)
    links = page.locator("header a:not([data-lang])").evaluate_all("(all) => all.map((one) => one.pathname)")
    page.close()
    return sorted(set(links))


def total(shifts: list[Shift]) -> float:
    """The sum of all shifts: never less than Chromium's own measure, which takes the worst five seconds."""
    return sum(shift.value for shift in shifts)


def main() -> int:
    """Visit and print; 1 if anything moved too far."""
    parser = argparse.ArgumentParser(description="Print the layout shift of first visits on a slow network.")
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--widths", type=int, nargs="+", default=list(SIZES))
    options = parser.parse_args()
    bounds = {}
    with serving() as server, slowed(server.address, POOR) as address, browsing() as browser:
        for path in options.paths or paths_of(browser, server.address):
            for width in options.widths:
                shifts = shifts_of(browser, address + path, width)
                print(f"{total(shifts):7.3f}  {path} at {width}", flush=True)
                bounds[f"{path} at {width} shifts by less than {GOOD}"] = total(shifts) < GOOD
                for shift in sorted(shifts, key=lambda one: -one.value)[:3]:
                    for moved in shift.moved if shift.value > GOOD / 4 else ():
                        print(f"           {shift.value:.3f} at {shift.at_ms:5.0f} ms  {moved}")
    return broken(bounds)


if __name__ == "__main__":
    sys.exit(main())
