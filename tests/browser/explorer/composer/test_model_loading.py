"""Loading a model from a slow local hub: progress on the page, and cancelling."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from driving import MODEL, PLOTTED, expect_address, expect_fits, open_more
from loopback_hub import LoopbackHub
from playwright.sync_api import Page, expect
from serving import serving
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
    page.wait_for_function(PLOTTED)
    hub.hold("model.safetensors")
    page.locator(f"option[value='{LISTED}']:enabled").wait_for(state="attached")
    page.locator("#model").select_option(LISTED)
    progress = page.locator("#progress")
    expect(progress).to_contain_text("Fetching the model")
    assert hub.waits.wait(60)
    expect(progress.locator(".progress-clock")).to_contain_text("iB")
    open_more(page, "models")
    expect(page.locator("#models .reasons div").filter(has_text=LISTED)).to_contain_text("loading")
    with page.expect_request(lambda request: request.method == "DELETE") as taken_back:
        page.get_by_role("button", name="Stop loading").click()
    assert taken_back.value.url.endswith("loading?model=some%2Ftiny")
    expect(progress.get_by_role("button", name="Stop loading")).to_be_hidden()
    expect(page.locator(".token")).to_have_count(13)
    hub.release()
    page.locator("#run").click()
    expect(page.locator("#grid-size")).to_have_text("2 layers × 4 heads")
    open_more(page, "models")
    page.locator("#models summary").click()
    expect(page.locator("#models .reasons div").filter(has_text=LISTED)).to_contain_text("in memory")


def test_a_model_is_asked_for_by_its_id_and_a_wrong_one_is_refused(page: Page, problems: Any) -> None:
    problems.expect("console: .*(404|409|503)")
    page.goto("/")
    page.wait_for_function(PLOTTED)
    open_more(page, "models")
    page.locator("#hub-id").fill("nobody/nothing")
    page.keyboard.press("Enter")
    expect(page.locator("#model-error")).to_contain_text("nobody/nothing cannot be used")
    page.locator("#hub-id").fill(UNLISTED)
    page.keyboard.press("Enter")
    expect(page.locator("#grid-size")).to_have_text("2 layers × 4 heads")
    expect(page.locator("#model-error")).to_be_hidden()
    expect_address(page, model=UNLISTED)
    page.locator("#model").select_option(MODEL)
    expect(page.locator("#grid-size")).to_have_text("6 layers × 12 heads")


def test_the_list_of_models_fits_everyone(each_look: Page, axe: Any) -> None:
    each_look.goto("/")
    each_look.wait_for_function(PLOTTED)
    open_more(each_look, "models")
    expect(each_look.locator("#hub-id")).to_be_visible()
    expect_fits(each_look, axe)
