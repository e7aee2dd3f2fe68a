"""Latency from a pointer move to the next frame on the head atlas, with 144 heads on map and grid, in Chromium.

Run: ``python -m benchmarks.atlas_pointing``. A BERT of 12 layers of 12 heads (random weights) scans 40 probe sentences;
columns are those of ``benchmarks.pointing``, measured in turn with an empty page.
"""

import tempfile
from pathlib import Path

from attention_core.atlas.corpus.probe import prepare_probe
from attention_core.atlas.model_source import ModelSource
from attention_core.atlas.scan import scan
from attention_core.atlas.settings import ScanSettings, atlas_id
from benchmarks.pointing import HEADS, LAYERS, WATCH, measure, write_model
from tools.browsing import browsing, serving

SENTENCES = 40
READY = f"""() => document.querySelector("#concept")?.getAttribute("aria-busy") === "false" &&
  document.querySelectorAll(".atlas-dot").length === {LAYERS * HEADS}"""


def scan_large(folder: Path) -> Path:
    """An atlas of the large model. Returns the folder of atlases."""
    write_model(folder / "large-bert")
    loaded = ModelSource.named(str(folder / "large-bert"), device="cpu").load()
    facts = prepare_probe(folder / "probe", SENTENCES)
    settings = ScanSettings()
    scan(loaded, folder / "probe", folder / "atlases" / atlas_id(loaded.fingerprint, facts.hash, settings), settings)
    return folder / "atlases"


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        atlases = str(scan_large(Path(name)))
        settings = {"OBSERVATORY_ATLASES_DIR": atlases, "OBSERVATORY_PRELOAD": "false"}
        with serving(**settings) as server, browsing() as browser:
            page, empty = (browser.new_page(viewport={"width": 1440, "height": 1200}) for _ in range(2))
            empty.set_content("<!doctype html><p>nothing")
            empty.evaluate(WATCH)
            columns = f"{'frame':>9}{'95 %':>8}{'× empty':>9}{'95 %':>8}{'script':>9}{'95 %':>8}{'all':>8}{'empty':>9}"
            print(f"{'ms':<34}{columns}")
            for title, state, selector in (
                ("pointing on the map", "x=entropy", ".atlas-map"),
                ("pointing on the map, sizes", "x=entropy&size=norm_weighted", ".atlas-map"),
                ("pointing in the grid", "x=entropy", ".atlas-grid"),
            ):
                page.goto(f"{server.address}/atlas?{state}")
                page.wait_for_function(READY, timeout=120_000)
                page.wait_for_load_state("networkidle")
                page.evaluate(WATCH)
                measure(page, empty, title, selector)


if __name__ == "__main__":
    main()
