"""An exported file numbers tokens like the page it was saved from: from 0, or from 1."""

from pathlib import Path

import pytest
from driving import PLOTTED, SENTENCE
from playwright.sync_api import Browser, Page, expect
from settling import until


@pytest.mark.parametrize("first", [0, 1])
def test_a_saved_page_counts_from_where_the_page_did(
    page: Page, browser: Browser, tmp_path: Path, server_url: str, first: int
) -> None:
    page.goto(f"/?text={SENTENCE}&layer=5&head=11&query=8&key=2&numbering={first}&changes=off-0.3")
    until(page, PLOTTED)
    expect(page.locator("#head-title")).to_have_text(f"Layer {5 + first}, head {11 + first}")
    page.locator("#export > summary").click()
    group = page.get_by_role("group", name="A page that works offline")
    with page.expect_download() as download:
        group.get_by_role("button", name="HTML").click()
    path = tmp_path / "file.html"
    download.value.save_as(path)
    context = browser.new_context(offline=True)
    saved = context.new_page()
    saved.goto(path.as_uri())
    expect(saved.locator("#head-title")).to_have_text(f"Layer {5 + first}, head {11 + first}")
    expect(saved.locator("#tokens .token[aria-selected=true] .token-index")).to_have_text(str(8 + first))
    expect(saved.locator("#reads .token-index").first).to_have_text(str(2 + first))
    expect(saved.locator("#grid-readout")).to_contain_text(f"Layer {5 + first}, head {11 + first}")
    expect(saved.locator("#changed")).to_contain_text(f"Layer {first}, head {3 + first}: off")
    context.close()
