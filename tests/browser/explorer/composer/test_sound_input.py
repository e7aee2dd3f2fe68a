"""Audio models in the Explorer: sound input, positions in seconds, what the model hears written down."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from driving import parameters
from playwright.sync_api import Page, expect
from profiles import Problems
from serving import serving
from settling import until
from sound_models import tones, wav, write_sound_model


@pytest.fixture(scope="module")
def server_url(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    directory = tmp_path_factory.mktemp("sound-models")
    for name in ("whisper", "wav2vec2"):
        write_sound_model(directory, name)
    with serving(root, tmp_path_factory.mktemp("sound-server") / "log", OBSERVATORY_MODELS_DIR=str(directory)) as url:
        yield url


def test_a_sound_is_heard_shown_in_seconds_and_written_down(page: Page, problems: Problems) -> None:
    problems.expect("422")  # a sound that is too long
    page.goto("/?model=whisper&layer=0&head=0")
    heard = page.locator("#sound")
    expect(heard).to_contain_text("1.80 s; the model fills it up with silence to 2.00 s. A position is 20 ms.")
    expect(page.get_by_role("button", name="Vowels")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#text")).to_be_hidden()
    expect(page.locator(".token").nth(1)).to_contain_text("0.02s")
    page.locator("#sound-file").set_input_files(
        {"name": "mine.wav", "mimeType": "audio/wav", "buffer": wav(tones(0.9, 44_100), 44_100)}
    )
    expect(heard).to_contain_text("0.90 s")
    # The window is the sound; the silence that the model adds is beyond it.
    until(page, "() => location.search.includes('rows=0%3A45')")
    picture = parameters(page)["picture"]
    player = page.get_by_label("The sound as the model hears it")
    expect(player).to_have_attribute("src", f"./api/analyses/{picture.removeprefix('sound-')}/sound")
    page.get_by_role("button", name="Have the model write what it hears").click()
    expect(page.locator("#target_text")).not_to_have_value("")
    until(page, "() => location.search.includes('target=')")
    page.get_by_role("radio", name="Cross-attention").check(force=True)
    until(page, "() => location.search.includes('part=cross')")
    # In another visit the server still has the sound.
    page.reload()
    expect(heard).to_contain_text("0.90 s")
    page.locator("#sound-file").set_input_files(
        {"name": "long.wav", "mimeType": "audio/wav", "buffer": wav(tones(2.5, 8_000), 8_000)}
    )
    expect(page.locator("#sound-error")).to_contain_text("at most 2.0 s")


def test_a_sound_is_compared_with_another_model_of_sounds_only(page: Page) -> None:
    page.goto("/?view=compare&model=whisper&picture=sound-vowels&layer=0&head=0")
    expect(page.locator(".comparison-box [role=status]")).to_contain_text("Choose another model or head")
    expect(page.get_by_label("Another text", exact=True)).to_be_hidden()
    page.locator("#comparison-model").click()
    rows = page.locator("#model-picker .model-row")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("wav2vec2")
    rows.click()
    expect(page.locator("#model-picker")).to_be_hidden()
    expect(page.locator(".compare-title").nth(1)).to_contain_text("The other model")
    expect(page.locator(".compare-note:visible")).to_contain_text("cut their input into different pieces")
