"""Loading a model from a slow local hub: progress on the page, and cancelling."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from driving import MODEL, PLOTTED, choose_model, expect_address, expect_fits, unfold_input
from loopback_hub import LoopbackHub
from playwright.sync_api import Page, expect
from serving import serving
from settling import until
from tiny_models import write_model_folder

LISTED = "some/tiny"
UNLISTED = "another/tiny"


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LoopbackHub]:
    directory = tmp_path_factory.mktemp("hub")
    folder = write_model_folder(directory, "tiny-gpt2")
    hub = LoopbackHub({LISTED: folder, UNLISTED: folder})
    yield hub
    hub.close()


@pytest.fixture(scope="module")
def server_url(root: Path, hub: LoopbackHub, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server whose hub is ours, and that may fetch any model from it."""
    cache = tmp_path_factory.mktemp("cache")
    proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"), "")
    hosts = {"HF_ENDPOINT": hub.address, "HF_HUB_OFFLINE": "0", "HF_HUB_CACHE": str(cache), **proxies}
    allowed = {"OBSERVATORY_HUB_MODELS": LISTED, "OBSERVATORY_ALLOW_ANY_HUB_MODEL": "true"}
    with serving(root, tmp_path_factory.mktemp("hub-server") / "log", **hosts, **allowed) as address:
        yield address


def test_progress_is_shown_loading_is_stopped_and_taken_up_again(page: Page, hub: LoopbackHub) -> None:
    page.goto("/")
    until(page, PLOTTED)
    hub.hold("model.safetensors")
    page.locator("#choose-model").click()
    row = page.locator(f"[data-key='{LISTED}']:not([aria-disabled])")
    row.wait_for()
    page.locator("#model-query").fill(LISTED)
    page.keyboard.press("ArrowDown")
    expect(row).to_be_focused()
    dialog, progress = page.locator("#model-picker"), page.locator("#progress")
    expect(row).not_to_contain_text("layers ×")
    page.keyboard.press("Enter")  # asks what it is
    expect(row).to_contain_text("2 layers × 4 heads")
    expect(dialog.get_by_role("button", name="Load it: 159 KiB to fetch")).to_be_visible()
    expect(row).to_be_focused()
    page.keyboard.press("Enter")
    expect(dialog.locator(".progress")).to_contain_text("Fetching the model")
    assert hub.waits.wait(60)
    expect(dialog.locator(".progress-clock")).to_contain_text("iB")
    with page.expect_request(lambda request: request.method == "DELETE") as taken_back:
        dialog.get_by_role("button", name="Stop loading").click()
    assert taken_back.value.url.endswith("loading?model=some%2Ftiny")
    expect(progress.get_by_role("button", name="Stop loading")).to_be_hidden()
    hub.release()
    row.click()
    expect(dialog).to_be_hidden()  # when its analysis is there
    expect(page.locator("#grid-size")).to_have_text("2 layers × 4 heads")
    expect(page.locator("#model-name")).to_have_text(LISTED)
    page.locator("#choose-model").click()
    expect(row).to_contain_text("in memory")
    expect(dialog.locator("section").filter(has=row).get_by_role("heading")).to_have_text(
        "In this server's Hugging Face cache"
    )


def test_a_model_is_found_on_the_hub_and_a_wrong_one_is_refused(page: Page, problems: Any) -> None:
    problems.expect("console: .*(404|409|503)")
    page.goto("/")
    until(page, PLOTTED)
    page.locator("#choose-model").click()
    dialog, field = page.locator("#model-picker"), page.locator("#model-query")
    expect(field).to_be_focused()
    field.fill("nobody/nothing")
    page.keyboard.press("Enter")
    expect(dialog).to_contain_text(
        "nobody/nothing cannot be used. The Hugging Face Hub has no public model of this name."
    )
    field.fill("another")
    dialog.get_by_role("button", name="Search the Hugging Face Hub for “another”").click()
    row = dialog.locator(f"[data-key='{UNLISTED}']")
    expect(row).to_contain_text("GPT2LMHeadModel · 1.23K parameters · mit")
    expect(row).not_to_contain_text("layers ×")
    row.click()
    expect(row).to_contain_text("2 layers × 4 heads · 1.23K parameters · 159 KiB")
    expect(dialog).to_contain_text("Load it: 159 KiB to fetch")
    field.fill(UNLISTED)
    page.keyboard.press("Enter")
    expect(row).to_contain_text("2 layers × 4 heads")
    row.click()
    expect(page.locator("#grid-size")).to_have_text("2 layers × 4 heads")
    expect(dialog).to_be_hidden()
    expect_address(page, model=UNLISTED)
    choose_model(page, MODEL)
    expect(page.locator("#grid-size")).to_have_text("6 layers × 12 heads")


def test_the_picker_fits_everyone(each_look: Page, axe: Any) -> None:
    each_look.goto("/")
    until(each_look, PLOTTED)
    unfold_input(each_look)
    each_look.locator("#choose-model").click()
    expect(each_look.locator(".model-row").first).to_be_visible()
    expect_fits(each_look, axe)
