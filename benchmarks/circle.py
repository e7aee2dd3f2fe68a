"""Time between frames while a query of the circle is dragged in Chromium: a move of the pointer in every frame.

Run: ``python -m benchmarks.circle``. A 60th of a second is 16.7 ms. Chromium paints without a graphics card here, on
the same cores as everything else that the machine does.
"""

import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
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
    environment = os.environ | {"HOST": "127.0.0.1", "PORT": "0", "HF_HUB_OFFLINE": "1", "OBSERVATORY_PRELOAD": "false"}
    command = [sys.executable, "-m", "server"]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = server.stdout.readline().split()[-1]
        try:
            with sync_playwright() as playwright:
                flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
                browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
                measure(browser.new_page(viewport={"width": 1440, "height": 900}), address)
                browser.close()
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
