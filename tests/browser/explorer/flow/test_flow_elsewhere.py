"""Where there is no graph of information flow, the view says why, and sends nothing that is refused."""

import pytest
from playwright.sync_api import Page, expect


@pytest.fixture(scope="module")
def server_url(models_server_url: str) -> str:
    return models_server_url


def test_models_whose_blocks_cannot_be_taken_apart(page: Page) -> None:
    refused: list[str] = []
    page.on("response", lambda response: refused.append(response.url) if response.status >= 400 else None)
    page.goto("/?model=tiny-t5&text=The cat sat.&part=cross&query=2&view=flow")
    expect(page.locator(".flow-note")).to_contain_text("tiny-t5 has two residual streams")
    expect(page.locator(".flow-stage")).to_be_hidden()
    page.goto("/?model=tiny-gpt2&text=The cat sat on the mat.&view=flow&output=3")
    expect(page.locator(".flow-list li").first).to_be_visible()
    expect(page.locator(".flow-candidates bdi")).to_have_count(3)
    assert refused == []
