"""Patching of models without tokens as answers: of classes, or of nothing, which the panel says in one sentence."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from odd_models import write_odd_model
from playwright.sync_api import Page, expect
from serving import serving
from text_classifiers import write_text_classifier


@pytest.fixture(scope="module")
def server_url(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    directory = tmp_path_factory.mktemp("models")
    write_text_classifier(directory, "bert")
    write_odd_model(directory, "classifying-bart")
    log = tmp_path_factory.mktemp("server") / "log"
    with serving(root, log, OBSERVATORY_MODELS_DIR=str(directory)) as address:
        yield address


def test_a_body_has_no_logits(page: Page) -> None:
    page.goto("/?model=classifying-bart&text=A small model&view=patching")
    notice = page.locator("#panel-patching .patching-notice").first
    expect(notice).to_contain_text("(Of many text classifiers only the body is loaded.)")
    page.goto("/?model=observatory-gpt2-mini&text=A small model&view=patching")
    expect(notice).to_contain_text("Two prompts of equally many tokens")
    expect(notice).not_to_contain_text("only the body is loaded")


def test_the_answers_of_a_classifier_of_texts_are_classes(page: Page) -> None:
    page.goto("/?model=bert-classes&text=A small text&corrupt=A text small&view=patching&answer=2")
    panel = page.locator("#panel-patching")
    expect(page.locator("#predictions")).to_contain_text("Classes of the whole input")
    expect(panel).to_contain_text("Logit difference “Very positive” − “")
    expect(panel.locator("#patching-corrupt")).to_be_visible()
    expect(panel.locator("#patching-answer")).to_have_value("2")
    expect(panel.locator("#patching-answer option").last).to_have_text("another class …")
