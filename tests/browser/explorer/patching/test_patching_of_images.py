"""Patching between two images of a classifier: samples, an own file, links, files, phone, themes and languages."""

import csv
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from driving import expect_address
from image_classifiers import noise_image, png_of, write_image_classifier
from playwright.sync_api import Browser, Page, expect
from serving import serving
from settling import until
from tiny_models import write_model_folder

READY = """() => document.querySelector(".patching-results:not([hidden])")?.getAttribute("aria-busy") === "false" """
IMAGES = "/?model=vit&picture=shapes&view=patching"


@pytest.fixture(scope="module")
def server_url(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    directory = tmp_path_factory.mktemp("models")
    write_image_classifier(directory, "vit")
    write_model_folder(directory, "tiny-vit")
    log = tmp_path_factory.mktemp("server") / "log"
    with serving(root, log, OBSERVATORY_MODELS_DIR=str(directory)) as address:
        yield address


def asked_of(page: Page, act: Callable[[], Any], path: str = "/api/patching") -> tuple[dict[str, Any], dict[str, Any]]:
    """What the page asks of the server when something is done, and the answer, which it then shows."""
    with page.expect_response(lambda response: response.url.endswith(path) and response.status == 200) as response:
        act()
    until(page, READY)
    return response.value.request.post_data_json, response.value.json()


def test_the_study_from_the_page_alone(page: Page, problems: Any) -> None:
    page.goto(IMAGES)
    panel = page.locator("#panel-patching")
    expect(panel).to_contain_text("Two images: the one above is the clean one.")
    expect(panel.locator(".patching-verdict")).to_have_text(
        "16 patches in the clean image; choose the corrupt one. The study will take 8 patched runs: 2 layers × 4 heads."
    )
    expect(panel.get_by_label("Corrupt prompt")).to_be_hidden()
    expect(panel.get_by_label("Predicted at")).to_have_count(0)
    expect(panel.get_by_role("button", name="Plain shapes")).to_be_disabled()
    asked, found = asked_of(page, panel.get_by_role("button", name="A face").click)
    expect_address(page, corrupt_picture="face")
    assert asked["clean_analysis"] != asked["corrupt_analysis"]
    assert "clean" not in asked
    assert np.array(found["effects"]).shape == (2, 4)
    texts = [found[name]["text"] for name in ("answer", "against")]
    difference = f"{found['clean']['difference']:.2f}".replace("-", "−")
    expect(panel.locator(".patching-runs")).to_contain_text(f"“{texts[0]}” − “{texts[1]}”: clean {difference}")
    expect(panel.locator(".patching-runs")).not_to_contain_text(" at ")
    # A class by its name; one that there is not is refused beside the field.
    problems.expect("console: .*422")
    panel.get_by_label("Answer", exact=True).select_option("typed")
    name = panel.get_by_label("Answer: the name of a class")
    name.fill("cat")
    name.press("Enter")
    expect(panel.locator("#patching-answer-error")).to_have_text("'cat' is not the name of a class of this model.")
    expect(panel.locator(".failure")).to_be_hidden()
    name.fill("star")
    asked, found = asked_of(page, lambda: name.press("Enter"))
    assert (asked["answer"], found["answer"]["text"]) == ("star", "Star")
    # By patch: the chart, and the patches of the chosen layer in their places.
    asked, found = asked_of(page, lambda: panel.get_by_label("Patched", exact=True).select_option("residual"))
    assert (asked["what"], asked["by"]) == ("residual", "position")
    layer = int(re.findall(r"layer=(\d+)", page.url)[0])
    board = panel.locator(".patching-board")
    expect(board).to_have_attribute("aria-label", f"Effect of each patch in layer {layer}")
    titles = board.locator("path title")
    expect(titles).to_have_count(16)
    signed = [f"{each:+.3f}".replace("-", "−") for each in found["effects"][layer][1:]]
    assert [text.split(": ")[1] for text in titles.all_text_contents()] == signed
    board.locator("[data-index='6']").click()
    expect_address(page, query="6")
    expect(board.locator(".is-chosen")).to_have_attribute("data-index", "6")
    # As files.
    page.locator("#export > summary").click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="JSON: Effects of this study").click()
    study = json.loads(Path(saved.value.path()).read_text())
    assert (study["request"], study["answer"]) == (asked, found)
    with page.expect_download() as saved:
        page.get_by_role("button", name="CSV: Effects of this study").click()
    heading, *lines = csv.reader(Path(saved.value.path()).read_text("utf-8-sig").splitlines())
    assert heading[:3] == ["layer \\ position", "0 [CLS]", "1 0,0"]
    assert [[float(each) for each in line[1:]] for line in lines] == found["effects"]
    page.keyboard.press("Escape")
    # Paths between heads.
    asked, found = asked_of(page, lambda: panel.get_by_label("Study").select_option("logits"), "/api/patching/paths")
    assert (asked["fixed"], asked["answer"]) == ("logits", "star")
    expect(panel.locator(".patching-title")).to_have_text("Effect of the paths from each head to the logits")


def test_a_link_and_the_other_direction(page: Page) -> None:
    asked, found = asked_of(page, lambda: page.goto(f"{IMAGES}&corrupt_picture=night"))
    _, back = asked_of(
        page, lambda: page.goto("/?model=vit&picture=night&view=patching&corrupt_picture=shapes&noising=1")
    )
    # Noising with exchanged images is denoising, but for the sign of the difference.
    assert (back["clean"]["tokens"], back["direction"]) == (found["clean"]["tokens"], "noising")
    if (back["answer"], back["against"]) == (found["against"], found["answer"]):
        np.testing.assert_allclose(back["effects"], found["effects"], atol=1e-4)
    assert asked["direction"] == "denoising"


def test_an_own_image_is_named_by_its_analysis(page: Page) -> None:
    page.goto(IMAGES)
    panel = page.locator("#panel-patching")
    image = panel.locator("#corrupt-image-file")
    image.set_input_files({"name": "notes.txt", "mimeType": "text/plain", "buffer": b"no image"})
    expect(panel.locator("#corrupt-image-error")).to_have_text("This is not a PNG, JPEG or WebP file.")
    file = {"name": "noise.png", "mimeType": "image/png", "buffer": png_of(noise_image(4))}
    asked, found = asked_of(page, lambda: image.set_input_files(file))
    expect_address(page, corrupt_picture=asked["corrupt_analysis"])
    panel.locator(".patching-more summary").click()
    expect(panel.locator(".patching-image")).to_contain_text("A link to this page cannot hold your image")
    again, same = asked_of(page, page.reload)
    assert (again, same) == (asked, found)


def test_a_saved_file_holds_the_study(page: Page, browser: Browser, tmp_path: Path) -> None:
    _, found = asked_of(
        page, lambda: page.goto(f"{IMAGES}&corrupt_picture=checks&patched=residual&layer=1&query=3&lang=en")
    )
    page.locator("#export > summary").click()
    with page.expect_download() as download:
        page.locator(".export-groups").get_by_role("button", name="HTML").click()
    path = tmp_path / "file.html"
    download.value.save_as(path)
    context = browser.new_context(offline=True)
    complaints: list[str] = []
    context.on("console", lambda message: complaints.append(message.text))
    context.on("weberror", lambda error: complaints.append(str(error.error)))
    opened = context.new_page()
    opened.goto(path.as_uri())
    until(opened, READY)
    panel = opened.locator("#panel-patching")
    expect(panel.locator(".patching-images figure")).to_have_count(2)
    titles = panel.locator(".patching-board path title")
    expect(titles).to_have_count(16)
    signed = [f"{each:+.3f}".replace("-", "−") for each in found["effects"][1][1:]]
    assert [text.split(": ")[1] for text in titles.all_text_contents()] == signed
    expect(panel.locator(".image-input")).to_have_count(0)
    expect(opened.locator("#open-page")).to_have_attribute("href", re.compile("corrupt_picture=checks"))
    context.close()
    assert complaints == []


def test_a_model_of_images_without_classes_says_so(page: Page) -> None:
    page.goto("/?model=tiny-vit&picture=shapes&view=patching")
    panel = page.locator("#panel-patching")
    expect(panel.locator(".patching-notice").first).to_have_text(
        "This model predicts no classes, so there are no logits to compare. Choose a model that classifies images."
    )
    expect(panel.locator(".patching-inputs")).to_be_hidden()
    expect(panel.locator(".failure")).to_be_hidden()


@pytest.mark.parametrize(
    ("width", "scheme", "lang"),
    [(1440, "light", "en"), (1440, "dark", "ja"), (390, "dark", "en"), (390, "light", "ja")],
)
def test_it_is_accessible_and_fits(
    browser: Browser, server_url: str, axe: Callable[[Page], None], width: int, scheme: Any, lang: str
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, base_url=server_url)
    page = context.new_page()
    page.goto(f"{IMAGES}&corrupt_picture=face&patched=residual&lang={lang}")
    until(page, READY)
    page.locator("#panel-patching .patching-more summary").click()
    expect(page.locator(".patching-images figure")).to_have_count(2)
    expect(page.locator(".patching-board path")).to_have_count(16)
    axe(page)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    context.close()
