"""Patching of models that it cannot compare two tokens of: the panel says so in one sentence, and asks for nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from odd_models import write_odd_model
from playwright.sync_api import Page, expect
from serving import serving


@pytest.fixture(scope="module")
def server_url(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    directory = tmp_path_factory.mktemp("models")
    write_odd_model(directory, "classifying-bert")
    log = tmp_path_factory.mktemp("server") / "log"
    with serving(root, log, OBSERVATORY_MODELS_DIR=str(directory)) as address:
        yield address


def test_a_classifier_of_texts_has_no_logits_of_tokens(page: Page) -> None:
    page.goto("/?model=classifying-bert&text=A small model&view=patching")
    notice = page.locator("#panel-patching .patching-notice").first
    expect(notice).to_contain_text("(Of a text classifier only the body is loaded.)")
    page.goto("/?model=observatory-gpt2-mini&text=A small model&view=patching")
    expect(notice).to_contain_text("Two prompts of equally many tokens")
    expect(notice).not_to_contain_text("only the body is loaded")
