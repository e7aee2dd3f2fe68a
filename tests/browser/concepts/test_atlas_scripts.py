"""/atlas on texts of several scripts: its lines of tokens are those of the Explorer's strip."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from driving import visit, visit_concept
from playwright.sync_api import Page, expect
from serving import serving
from small_corpora import write_corpus

from attention_core.atlas.corpus.document import Document
from attention_core.atlas.scan import scan
from attention_core.atlas.settings import ScanSettings
from attention_core.pretrained.models.catalog import Catalog

MINI = "observatory-gpt2-mini"
TEXTS = {
    "ar": "مرحبا بالعالم كله",
    "he": "שלום עולם וברכה",
    "emoji": "🙂 so it is 🙂🙂 here",
    "zh": "当然而不然",
    "vowels": "naïve cafés, rôles",
}
LINE = """(line) => ({ dir: line.dir, tokens: [...line.querySelectorAll(".atlas-token")].map(
  (one) => [one.querySelector("bdi").textContent, one.classList.contains("is-joined")]) })"""
STRIP = """(strip) => ({ dir: strip.dir, tokens: [...strip.querySelectorAll(".token")].map(
  (one) => [one.querySelector("bdi").textContent, one.classList.contains("is-joined")]) })"""


@pytest.fixture(scope="module")
def server_url(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with one atlas, of a document in each script."""
    folder = tmp_path_factory.mktemp("scripts")
    corpus = write_corpus(folder / "corpus", [Document(name, text) for name, text in TEXTS.items()], shards=1)
    settings = ScanSettings(window_tokens=64, sampled_queries=20)
    made = scan(Catalog(device="cpu").load(MINI), corpus, folder / "made", settings)
    (folder / "atlases").mkdir()
    (folder / "made").rename(folder / "atlases" / made.id)
    environment = {"OBSERVATORY_ATLASES_DIR": str(folder / "atlases"), "OBSERVATORY_PREPARE_ATLASES": "false"}
    with serving(root, folder / "log", **environment) as address:
        yield address


@pytest.mark.full
def test_lines_of_examples_are_written_as_the_explorer_writes_them(page: Page) -> None:
    visit_concept(page, "/atlas?layer=0&head=0&view=examples")
    lines = page.locator("#examples .atlas-line")
    expect(lines).to_have_count(len(TEXTS))
    written = lines.evaluate_all(f"(lines) => lines.map({LINE})")
    links = page.locator("#examples .atlas-example a").evaluate_all("(all) => all.map((one) => one.href)")
    directions = set()
    for line, link in zip(written, links, strict=True):
        visit(page, link)
        shown = page.locator("#tokens .tokens").evaluate(STRIP)
        directions.add(shown["dir"])
        assert line["dir"] == shown["dir"]
        count = len(line["tokens"])  # of those around its query and key
        assert line["tokens"] in [shown["tokens"][at : at + count] for at in range(len(shown["tokens"]))]
    assert directions == {"ltr", "rtl"}
