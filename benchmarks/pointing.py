"""Latency from a pointer move to the next frame, at 512 tokens × 144 heads in Chromium.

Run: ``python -m benchmarks.pointing``. A real server serves a BERT folder made here (random weights, 12 layers of 12
heads); the browser itself moves the pointer, one move at a time. ``frame`` is the time from the browser's time stamp of
the move until the frame is submitted for drawing; ``script`` and ``all`` (script, style, layout, painting) are the main
thread's work per move. An empty page is measured in turn with each view, so that other load on the machine affects
both: a frame takes a 60th of a second, 16.7 ms, on the empty page too.
"""

import statistics
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import cos, pi, sin
from pathlib import Path

import torch
import transformers
from playwright.sync_api import FloatRect, Page
from tokenizers import Tokenizer, models, pre_tokenizers

from tools.browsing import browsing, serving

TOKENS, LAYERS, HEADS = 512, 12, 12
WORDS = [f"w{number}" for number in range(200)]
ROUNDS, MOVES = 4, 40
WATCH = """() => {
  window.answered = [];
  const channel = new MessageChannel();
  let moves = [];
  channel.port1.onmessage = () => {
    const now = performance.now();
    window.answered.push(...moves.map((moved) => now - moved));
    moves = [];
  };
  addEventListener("pointermove", (event) => {
    moves.push(event.timeStamp);
    requestAnimationFrame(() => channel.port2.postMessage(null));
  }, { capture: true });
}"""
READY = """() => document.querySelector("#bench")?.getAttribute("aria-busy") === "false" &&
  document.querySelectorAll(".token").length > 0"""

Place = tuple[float, float]


@dataclass
class Measured:
    """Milliseconds for each move."""

    frame: list[float] = field(default_factory=list)
    script: list[float] = field(default_factory=list)
    work: list[float] = field(default_factory=list)


def write_model(folder: Path) -> None:
    """A BERT with every word of ``WORDS`` as a token."""
    torch.manual_seed(0)
    names = ["[PAD]", "[CLS]", "[SEP]", "[MASK]", "[UNK]", *WORDS]
    tokenizer = Tokenizer(models.WordLevel({word: index for index, word in enumerate(names)}, unk_token="[UNK]"))  # noqa: S106 - a token of text
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    special = {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "cls", "sep", "mask", "unk")}
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special).save_pretrained(folder)
    config = transformers.BertConfig(
        vocab_size=len(names),
        hidden_size=32 * HEADS,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        intermediate_size=64 * HEADS,
        max_position_embeddings=TOKENS,
        initializer_range=0.2,  # larger weights, so that heads differ
    )
    transformers.BertForMaskedLM(config).save_pretrained(folder)


def box_of(page: Page, selector: str) -> FloatRect:
    page.locator(selector).first.scroll_into_view_if_needed()
    box = page.locator(selector).first.bounding_box()
    assert box is not None, selector
    return box


def across(box: FloatRect) -> Iterator[Place]:
    """An endless path inside a box that never repeats a point."""
    turn = 0
    while True:
        radius = 0.3 + 0.15 * sin(turn / 7)
        x, y = 0.5 + radius * cos(turn * pi / 20), 0.5 + radius * sin(turn * pi / 20)
        yield box["x"] + x * box["width"], box["y"] + y * box["height"]
        turn += 1


def metrics(page: Page) -> Callable[[], tuple[float, float]]:
    """Milliseconds of script, and of all main-thread work, so far."""
    client = page.context.new_cdp_session(page)
    client.send("Performance.enable")

    def read() -> tuple[float, float]:
        metrics = {metric["name"]: metric["value"] for metric in client.send("Performance.getMetrics")["metrics"]}
        return 1e3 * metrics["ScriptDuration"], 1e3 * metrics["TaskDuration"]

    return read


def move(page: Page, places: Iterator[Place], read: Callable[[], tuple[float, float]], into: Measured) -> None:
    page.bring_to_front()
    page.mouse.move(*next(places))
    page.evaluate("() => new Promise((done) => setTimeout(done, 300))")  # triggered by entering the view
    page.evaluate("() => void window.answered.splice(0)")
    for _ in range(MOVES):
        before = read()
        page.mouse.move(*next(places))
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        script, work = (now - then for now, then in zip(read(), before, strict=True))
        into.script.append(script)
        into.work.append(work)
    into.frame += page.evaluate("() => window.answered.splice(0)")


def percentile(numbers: list[float], percent: int) -> float:
    return statistics.quantiles(numbers, n=100)[percent - 1]


def measure(page: Page, empty: Page, name: str, selector: str, *, held: bool = False) -> None:
    """Alternate between one view and the empty page; ``held`` drags with the button down."""
    view, nothing = Measured(), Measured()
    read, read_nothing = metrics(page), metrics(empty)
    places = across(box_of(page, selector))
    beside = across({"x": 100, "y": 100, "width": 600, "height": 600})
    for _ in range(ROUNDS):
        move(empty, beside, read_nothing, nothing)
        page.mouse.move(*next(places))
        if held:
            page.mouse.down()
        move(page, places, read, view)
        if held:
            page.mouse.up()
            page.wait_for_load_state("networkidle")
    base = statistics.median(nothing.frame)
    print(
        f"{name:<34}{statistics.median(view.frame):9.1f}{percentile(view.frame, 95):8.1f}"
        f"{statistics.median(view.frame) / base:9.2f}{percentile(view.frame, 95) / percentile(nothing.frame, 95):8.2f}"
        f"{statistics.median(view.script):9.2f}{percentile(view.script, 95):8.2f}"
        f"{statistics.median(view.work) - statistics.median(nothing.work):8.2f}{base:9.1f}"
    )


def main() -> None:
    text = "+".join(WORDS[(index * 7 + index // 13) % len(WORDS)] for index in range(TOKENS - 2))
    with tempfile.TemporaryDirectory() as folder:
        write_model(Path(folder) / "large-bert")
        with serving(OBSERVATORY_MODELS_DIR=folder, OBSERVATORY_PRELOAD="false") as server, browsing() as browser:
            page, empty = (browser.new_page(viewport={"width": 1440, "height": 1200}) for _ in range(2))
            empty.set_content("<!doctype html><p>nothing")
            empty.evaluate(WATCH)
            columns = f"{'frame':>9}{'95 %':>8}{'× empty':>9}{'95 %':>8}{'script':>9}{'95 %':>8}{'all':>8}{'empty':>9}"
            print(f"{'ms':<34}{columns}")
            link = f"{server.address}/?model=large-bert&layer=5&head=7&query=20&key=10"
            for name, state, selector, held in (
                ("pointing in the matrix", "", ".matrix-hatch", False),
                ("pointing in the grid", "", ".grid", False),
                ("pointing in the text", "", ".tokens", False),
                ("panning the matrix", "&rows=100:300&cols=100:300", ".matrix-hatch", True),
                ("pointing along lines, 1 head", "&view=lines", ".lines-column.is-query", False),
                ("pointing along lines, 4 heads", "&view=lines&heads=1.1_2.2_3.3", ".lines-column.is-query", False),
                ("pointing at one token's heads", "&view=token", ".token-grid", False),
                (
                    "pointing in three compared maps",
                    "&view=compare&other_text=" + text[3:],
                    "#panel-compare .matrix-hatch",
                    False,
                ),
            ):
                page.goto(f"{link}{state}#text={text}")
                page.wait_for_function(READY, timeout=120_000)
                page.wait_for_load_state("networkidle")
                page.evaluate(WATCH)
                measure(page, empty, name, selector, held=held)


if __name__ == "__main__":
    main()
