"""Measure what scripts fill on the concept pages, and reserve that much: ``python tools/reserve_places.py [rope …]``.

Writes ``static/css/concepts/reserved/<stem>.css``: sizes that places have once the page is drawn, which hold until it
is (``data-undrawn``), so that nothing moves. Run it after a change of a page's layout or drawing, and look at the
difference; ``tests/browser/pages/test_layout_shift.py`` fails where it is needed.
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import indent

from playwright.sync_api import Browser, Page

from browsing import ROOT, browsing, serving

FOLDER = ROOT / "static" / "css" / "concepts" / "reserved"
TEMPLATES = ROOT / "templates" / "concepts"
BANDS = {
    390: "(max-width: 39.99rem)",
    768: "(min-width: 40rem) and (max-width: 61.99rem)",
    1024: "(min-width: 62rem) and (max-width: 74.99rem)",
    1440: "(min-width: 75rem)",
}
"""Measured width → the widths that it stands for."""
OF_PRESETS = {390, 1440}
"""The widths at which every preset is measured; at the others it is the page alone."""
HEIGHT = 900
ROOT_FONT = 16
LEAST = 5
"""Pixels: smaller differences move nothing that anybody sees."""
DRAWN = """() => document.querySelector("#concept").getAttribute("aria-busy") === "false" &&
  !document.querySelector("[data-undrawn]")"""
STILL_MS = 300
MEASURE = """() => {
  document.querySelector("#concept").removeAttribute("data-undrawn");
  const filled = ["input", "output", "button", "a", "code"];
  const places = [...document.querySelectorAll("#concept [id]:not(#notice), #concept [data-chart]")].filter((one) =>
    (one.childElementCount === 0 || one.localName === "select") && !filled.includes(one.localName));
  return Object.fromEntries(places.map((one) => {
    const { width, height } = one.getBoundingClientRect();
    return [one.id ? "#" + one.id : `[data-chart="${one.dataset.chart}"]`, [width, height]]; })); }"""
"""What a page without its scripts has: elements with nothing inside, and how large they are."""
LOOK = """(names) => Object.fromEntries(names.map((name) => {
  const { width, height } = document.querySelector(name).getBoundingClientRect();
  return [name, [width, height]]; }))"""

Size = tuple[float, float]
Sizes = dict[str, Size]


@dataclass(frozen=True)
class Measured:
    """A page at one width: without its scripts, and with each preset."""

    served: Sizes
    presets: list[Sizes]


def measure(browser: Browser, address: str, width: int) -> Measured:
    """The sizes of all places of a page."""
    context = browser.new_context(viewport={"width": width, "height": HEIGHT}, locale="en-US")
    page = context.new_page()
    page.route("**/*.js", lambda route: route.abort())
    page.goto(address)
    served: Sizes = page.evaluate(MEASURE)
    page.unroute("**/*.js")
    page.goto(address)
    presets = [_drawn(page, list(served))]
    links = page.locator("#presets a")
    current = links.evaluate_all("(all) => all.findIndex((one) => one.ariaCurrent)")
    sizes = []
    for index in range(links.count() if width in OF_PRESETS else 0):
        if index != current:
            links.nth(index).click()
        sizes.append(presets[0] if index == current else _drawn(page, list(served)))
    context.close()
    return Measured(served, [presets[0], *sizes])


def _drawn(page: Page, names: list[str]) -> Sizes:
    page.wait_for_function(DRAWN)
    found: Sizes = {}
    while (now := page.evaluate(LOOK, names)) != found:  # charts are drawn a little later, when their library is there
        found = now
        page.wait_for_timeout(STILL_MS)
    return found


def rules(measured: Measured) -> list[str]:
    """The style rules of one page at one width: the default's, then what presets have otherwise."""
    first, *presets = measured.presets
    found = [(name, "", _grown(measured.served[name], size)) for name, size in first.items()]
    for name, (_, height) in first.items():
        others: dict[int, list[str]] = {}
        for index, sizes in enumerate(presets, start=1):
            other = round(sizes[name][1])
            if abs(other - height) >= LEAST and max(other, height) - measured.served[name][1] >= LEAST:
                others.setdefault(other, []).append(f":nth-child({index})")
        for other, children in others.items():
            one = children[0] if len(children) == 1 else f":is({', '.join(children)})"
            found.append((name, f":has(#presets a{one}[aria-current])", {"min-height": other}))
    return [_rule(name, shown, sizes) for name, shown, sizes in found if sizes]


def _grown(served: Size, drawn: Size) -> dict[str, float]:
    names = ("min-width", "min-height")
    return {name: new for name, old, new in zip(names, served, drawn, strict=True) if new - old >= LEAST}


def _rule(name: str, shown: str, sizes: dict[str, float]) -> str:
    rem = {key: f"{round(size / ROOT_FONT, 2):g}rem" if size else "0" for key, size in sizes.items()}
    body = "".join(f" {key}: {f'min(100%, {one})' if key == 'min-width' else one};" for key, one in rem.items())
    return f".concept[data-undrawn]{shown} {name} {{{body} }}\n"


def sheet(stem: str, measured: dict[str, Measured]) -> str:
    """The style sheet of a page, by the widths that were measured."""
    head = f"/* Places of /{stem} until its scripts fill them; made by tools/reserve_places.py. */\n"
    bands = {widths: indent("".join(rules(each)), "  ") for widths, each in measured.items()}
    return head + "".join(f"\n@media {widths} {{\n{inside}}}\n" for widths, inside in bands.items())


def main(stems: list[str]) -> list[Path]:
    """Measure these pages, all by default, and write their sheets."""
    FOLDER.mkdir(exist_ok=True)
    written = []
    with TemporaryDirectory() as folder, serving(ROOT, **_with_atlases(folder, stems)) as server, browsing() as browser:
        for stem in stems or sorted(path.stem for path in TEMPLATES.glob("*.html") if path.stem != "frame"):
            address = f"{server.address}/{stem}"
            measured = {widths: measure(browser, address, width) for width, widths in BANDS.items()}
            written.append(FOLDER / f"{stem}.css")
            written[-1].write_text(sheet(stem, measured), encoding="utf-8")
            sys.stdout.write(f"{written[-1].relative_to(ROOT)}\n")
    return written


def _with_atlases(folder: str, stems: list[str]) -> dict[str, str]:
    """Settings of a server that has something to show on /atlas, where that is measured."""
    if stems and "atlas" not in stems:
        return {}
    sys.path.insert(0, str(ROOT))
    from small_atlases import scan_small  # noqa: PLC0415 - which takes seconds

    return {"OBSERVATORY_ATLASES_DIR": str(scan_small(Path(folder)))}


if __name__ == "__main__":
    main(sys.argv[1:])
