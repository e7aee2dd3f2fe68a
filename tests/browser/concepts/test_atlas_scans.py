"""A corpus of one's own on /atlas: uploaded, scanned with progress, cancelled, resumed, shown and deleted."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from driving import visit_concept
from playwright.sync_api import Browser, Page, expect
from profiles import Problems
from serving import serving

from attention_core.atlas.corpus.probe import write_probe

MINI = "observatory-gpt2-mini"
SENTENCES, MANY = 60, 2_000
SOON, LONG = 60_000, 180_000
"""Milliseconds that reading a small corpus and scanning one may take."""


@pytest.fixture(scope="module")
def server_url(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server without any atlas."""
    folder = tmp_path_factory.mktemp("scans")
    with serving(root, folder / "log", OBSERVATORY_ATLASES_DIR=str(folder / "atlases")) as address:
        yield address


def upload(page: Page, file: Path) -> None:
    with page.expect_file_chooser() as choosing:
        page.get_by_role("button", name="Upload a file …").click()
    choosing.value.set_files(file)


def chosen_corpus(page: Page) -> str:
    return page.locator("#scan-corpus").evaluate("(select) => select.selectedOptions[0].textContent")


def test_an_uploaded_treebank_is_scanned_cancelled_resumed_and_deleted(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "sentences.conllu"
    write_probe(file, SENTENCES)
    visit_concept(page, f"/atlas?view=corpus&model={MINI}")
    upload(page, file)
    form = page.locator("#scan-form")
    expect(page.locator("#scan-corpus option", has_text="sentences.conllu")).to_have_count(1)
    expect(form.get_by_role("status")).to_contain_text(f"{SENTENCES} documents", timeout=SOON)
    expect(form.get_by_role("status")).to_contain_text("with dependency relations")
    expect(form.get_by_role("status")).not_to_contain_text("malformed")
    assert chosen_corpus(page) == f"sentences.conllu ({SENTENCES} documents)"

    expect(page.locator("#scan-model")).to_have_value(MINI)
    page.get_by_role("button", name="Start the scan").click()
    scan = page.locator("#scans .atlas-scan")
    expect(scan.locator(".atlas-scan-title")).to_have_text(re.compile("^Observatory mini .* · sentences.conllu$"))
    expect(page.locator("#standing")).to_contain_text("This atlas is being made")
    expect(scan.get_by_role("button", name="Delete")).to_be_hidden()
    scan.get_by_role("button", name="Cancel").click()
    expect(scan.get_by_role("status")).to_have_text("cancelled")
    scan.get_by_role("button", name="Delete").click()
    expect(scan).to_have_count(0)
    page.reload()
    expect(page.locator("#scan-form")).to_be_visible()
    expect(scan).to_have_count(0)
    page.locator("#scan-corpus").select_option(label=f"sentences.conllu ({SENTENCES} documents)")
    page.get_by_role("button", name="Start the scan").click()
    scan.get_by_role("button", name="Cancel").click()
    expect(scan.get_by_role("status")).to_have_text("cancelled")
    address = page.url
    page.reload()
    expect(scan.get_by_role("status")).to_have_text("cancelled")
    scan.get_by_role("button", name="Resume").click()
    expect(scan.locator(".note")).to_have_text(re.compile(r"(\d of 1 parts|finished)"), timeout=LONG)
    expect(page.locator(".atlas-dot")).to_have_count(36, timeout=LONG)
    expect(scan).to_have_count(0)
    assert page.url == address
    expect(page.locator("#facts")).to_contain_text("sentences.conllu")
    expect(page.locator("#facts")).to_contain_text("dependency relations")
    page.get_by_role("tab", name="Relations").click()
    expect(page.locator(".atlas-relations tbody tr")).not_to_have_count(0)

    page.get_by_role("tab", name="Corpus").click()
    expect(page.get_by_role("button", name="Delete this corpus")).to_be_hidden()
    page.locator("#scan-corpus").select_option(label=f"sentences.conllu ({SENTENCES} documents)")
    page.get_by_role("button", name="Delete this corpus").click()
    expect(page.locator("#scan-corpus option")).to_have_count(1)
    assert parse_qs(urlsplit(page.url).query)["view"] == ["corpus"]


def test_what_somebody_else_has_started_can_be_looked_at_and_not_ended(
    page: Page, browser: Browser, server_url: str, tmp_path: Path
) -> None:
    file = tmp_path / "mine.conllu"
    write_probe(file, MANY)
    visit_concept(page, f"/atlas?view=corpus&model={MINI}")
    upload(page, file)
    label = f"mine.conllu ({MANY:,} documents)"
    expect(page.locator("#scan-corpus option", has_text=label)).to_have_count(1, timeout=SOON)
    expect(page.get_by_role("button", name="Delete this corpus")).to_be_visible()
    elsewhere = browser.new_context(base_url=server_url)
    other = elsewhere.new_page()
    visit_concept(other, f"/atlas?view=corpus&model={MINI}")
    other.locator("#scan-corpus").select_option(label=label)
    expect(other.get_by_role("button", name="Start the scan")).to_be_enabled()

    page.get_by_role("button", name="Start the scan").click()
    mine, theirs = (each.locator("#scans .atlas-scan") for each in (page, other))
    expect(mine.get_by_role("button", name="Cancel")).to_be_visible()
    other.get_by_role("button", name="Start the scan").click()
    theirs.get_by_role("button", name="Cancel").click()
    other.reload()
    expect(theirs.locator(".note")).to_contain_text("started by somebody else")
    expect(theirs.get_by_role("button")).to_have_count(0)
    other.locator("#scan-corpus").select_option(label=label)
    expect(other.get_by_role("button", name="Start the scan")).to_be_enabled()
    expect(other.get_by_role("button", name="Delete this corpus")).to_be_hidden()
    expect(mine.locator(".note")).not_to_contain_text("cancelled")
    mine.get_by_role("button", name="Cancel").click()
    expect(mine.get_by_role("status")).to_have_text("cancelled")
    elsewhere.close()


def test_malformed_lines_are_told_with_their_numbers(page: Page, tmp_path: Path) -> None:
    lines = [json.dumps({"text": "The cat sat."}), "{broken", json.dumps({"text": "A dog ran."}), '{"words": 3}']
    file = tmp_path / "lines.JSONL"
    file.write_text("\n".join(lines), encoding="utf-8")
    visit_concept(page, "/atlas?view=corpus")
    upload(page, file)
    said = page.locator("#scan-form").get_by_role("status")
    expect(said).to_contain_text("2 documents", timeout=SOON)
    expect(said).to_contain_text(re.compile(r"2 malformed lines left out: line 2: .+; line 4: .+"))
    expect(page.get_by_role("button", name="Start the scan")).to_be_enabled()


def test_the_column_of_the_texts_is_asked_for_where_there_are_several(
    page: Page, problems: Problems, tmp_path: Path
) -> None:
    problems.expect("422")
    file = tmp_path / "news.csv"
    file.write_text("title,body\nA,The cat sat.\nB,A dog ran.\n", encoding="utf-8")
    visit_concept(page, "/atlas?view=corpus")
    form, column = page.locator("#scan-form"), page.get_by_label("Column with the texts")
    expect(column).to_be_hidden()
    upload(page, file)
    expect(form.get_by_role("alert")).to_contain_text('news.csv has no column called "text", but "title", "body"')
    expect(column).to_be_focused()
    column.fill("body")
    column.press("Enter")
    expect(form.get_by_role("status")).to_contain_text("2 documents, 22 characters", timeout=SOON)
    expect(column).to_be_hidden()
    expect(form.get_by_role("alert")).to_be_hidden()


def test_a_file_that_is_no_corpus_is_refused_with_a_word(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "notes.pdf"
    file.write_bytes(b"%PDF-1.7")
    visit_concept(page, "/atlas?view=corpus")
    before = page.locator("#scan-corpus option").count()
    upload(page, file)
    expect(page.locator("#scan-form").get_by_role("alert")).to_have_text(
        "notes.pdf is in no format of a corpus: .txt, .jsonl, .csv, .parquet, .conllu."
    )
    expect(page.locator("#scan-corpus option")).to_have_count(before)
