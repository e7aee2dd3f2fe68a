"""Frame times while a query of the circle is dragged in Chromium, with one pointer move per frame.

Run: ``python -m benchmarks.circle``. A 60th of a second is 16.7 ms. Chromium renders without a GPU here, on the same
cores as everything else on the machine.
"""

import statistics

from playwright.sync_api import Page

from tools.browsing import browsing, serving

MOVES = 240
STATES = {
    "10 keys, 1 query": "?q=45&n=10",
    "24 keys, 4 queries, trail": "?q=45,0,90,200&n=24&trail=1",
    "the same, additive": "?q=45,0,90,200&n=24&trail=1&mechanism=additive",
}
DRAG = """(moves) => new Promise((resolve) => {
  const picture = document.querySelector(".circle-picture");
  const tip = document.querySelector(".is-query-arrow .arrow-tip");
  const box = picture.getBoundingClientRect();
  const [x, y, far] = [box.x + box.width / 2, box.y + box.height / 2, box.width / 3];
  const send = (type, target, angle) => target.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerId: 1,
    clientX: x + far * Math.cos(angle), clientY: y - far * Math.sin(angle) }));
  picture.setPointerCapture = () => undefined;
  send("pointerdown", tip, Math.PI / 4);
  const frames = [];
  let before = performance.now();
  const next = (now) => {
    frames.push(now - before);
    before = now;
    if (frames.length > moves) return send("pointerup", picture, 0), resolve(frames.slice(1));
    send("pointermove", picture, Math.PI / 4 + frames.length / 20);
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
})"""


def percentile(numbers: list[float], percent: int) -> float:
    return statistics.quantiles(numbers, n=100)[percent - 1]


def measure(page: Page, address: str) -> None:
    print(f"{'state':<28}{'frame ms, median':>18}{'95 %':>8}")
    for name, state in STATES.items():
        page.goto(f"{address}/circle{state}")
        page.wait_for_function("() => document.querySelector('#concept')?.getAttribute('aria-busy') === 'false'")
        frames = page.evaluate(DRAG, MOVES)
        print(f"{name:<28}{statistics.median(frames):18.1f}{percentile(frames, 95):8.1f}")


def main() -> None:
    with serving(OBSERVATORY_PRELOAD="false") as server, browsing() as browser:
        measure(browser.new_page(viewport={"width": 1440, "height": 900}), server.address)


if __name__ == "__main__":
    main()
