"""Vision models in the Explorer: image input, patches as tokens, weight overlays."""

import base64
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from driving import MODEL, choose_model, expect_address, parameters
from PIL import Image
from playwright.sync_api import Browser, Page, expect
from settling import until

READY = """() => document.querySelector("#bench").getAttribute("aria-busy") === "false" &&
  document.querySelector(".picture-board")?.getAttribute("aria-busy") === "false" """
COVER = """() => { const cover = document.querySelector(".picture-cover");
  return Array.from(cover.getContext("2d").getImageData(0, 0, cover.width, cover.height).data); }"""
DROP = """([selector, name, type, data, kind]) => { const transfer = new DataTransfer();
  transfer.items.add(new File([Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0))], name, { type }));
  const init = { bubbles: true, cancelable: true };
  const event = kind === "paste" ? new ClipboardEvent(kind, { ...init, clipboardData: transfer })
    : new DragEvent(kind, { ...init, dataTransfer: transfer });
  document.querySelector(selector).dispatchEvent(event); }"""


@pytest.fixture(scope="module")
def server_url(models_server_url: str) -> str:
    return models_server_url


def png(seed: int = 1, side: int = 16) -> bytes:
    pixels = np.random.default_rng(seed).integers(0, 256, (side, side, 3), dtype=np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, format="PNG")
    return buffer.getvalue()


def visit(page: Page, address: str = "/?model=tiny-vit&picture=shapes&layer=1&head=2") -> None:
    page.goto(address)
    until(page, READY)


def give(page: Page, data: bytes, name: str = "mine.png", kind: str = "image/png") -> None:
    page.locator("#image-file").set_input_files({"name": name, "mimeType": kind, "buffer": data})


def true_weights(page: Page, data: bytes, layer: int, head: int, **further: Any) -> np.ndarray[Any, Any]:
    """The API's own numbers for a file, asked for beside the page."""
    body = {"model": "tiny-vit", "image": base64.b64encode(data).decode(), **further}
    analysis = page.request.post("/api/analyses/image", data=body).json()
    query = f"layer={layer}&head={head}&encoding=json"
    return np.array(page.request.get(f"/api/analyses/{analysis['id']}/weights?{query}").json()["matrix"])


def cells(page: Page) -> Any:
    return page.get_by_role("grid", name="Query patch").get_by_role("gridcell")


def told(page: Page, query: str, key: str, weight: float) -> None:
    expect(page.locator(".picture-readout")).to_have_text(f"{query} attends to {key}: {weight:.4f}")


def test_a_link_that_names_only_such_a_model_opens_it_with_a_picture(page: Page) -> None:
    """Nothing is asked with a text, which the server would refuse."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if request.method == "POST" else None)
    visit(page, "/?model=tiny-vit")
    expect_address(page, picture="shapes")
    assert [url.rsplit("/", 1)[1] for url in asked if "/api/analyses" in url] == ["image"]


def test_choosing_such_a_model_turns_the_text_into_a_picture_and_back(page: Page) -> None:
    page.goto(f"/?model={MODEL}&text=A+sentence+of+mine.")
    expect(page.locator(".token")).to_have_count(7)
    expect(page.locator("#picture")).to_be_empty()
    expect(page.locator("#image")).to_be_empty()
    choose_model(page, "tiny-vit")
    until(page, READY)
    expect(page.locator("#text")).to_be_hidden()
    expect(page.locator("#tokens")).to_be_empty()
    expect(page.get_by_role("button", name="Plain shapes")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#image-hint")).to_contain_text("up to 6.3 MB and 16.8 million pixels")
    expect(cells(page)).to_have_count(5)
    expect_address(page, picture="shapes")
    page.get_by_role("button", name="A face").click()
    page.wait_for_url("**picture=face**")
    page.go_back()
    expect(page.get_by_role("button", name="Plain shapes")).to_have_attribute("aria-pressed", "true")
    choose_model(page, MODEL)
    expect(page.locator("#text")).to_have_value("A sentence of mine.")
    expect(page.locator(".token")).to_have_count(7)
    expect(page.locator("#picture")).to_be_empty()
    expect_address(page, picture=None)


@pytest.mark.gate
def test_every_weight_is_that_of_the_api_by_number_and_by_colour(page: Page) -> None:
    # A low temperature, so that weights of a random model differ enough to be told apart by colour.
    visit(page, "/?model=tiny-vit&picture=shapes&layer=1&head=2&changes=temperature-all.all-0.002")
    sharp = [{"kind": "temperature", "layer": "all", "heads": "all", "temperature": 0.002}]
    give(page, png())
    until(page, "() => new URLSearchParams(location.search).get('picture')?.length === 32")
    names = ["[CLS]", "row 0, column 0", "row 0, column 1", "row 1, column 0", "row 1, column 1"]
    weights = true_weights(page, png(), 1, 2, interventions=sharp)
    for query in (0, 3):
        cells(page).nth(query).click()
        for key in (1, 4, 0):
            cells(page).nth(key).hover()
            told(page, names[query], names[key], weights[query, key])
        page.mouse.move(0, 0)
        colours = np.array(page.evaluate(COVER)).reshape(4, 4)[:, :3].sum(axis=1)
        shares = weights[query, 1:] / weights[query, 1:].max()
        apart = [(a, b) for a in range(4) for b in range(4) if shares[a] > shares[b] + 0.1]
        assert apart
        assert all(colours[a] < colours[b] for a, b in apart), "the larger, the darker"
    other = true_weights(page, png(), 0, 1, interventions=sharp)
    page.get_by_role("gridcell", name="Layer 0, head 1").click()
    cells(page).nth(2).hover()
    told(page, names[3], names[2], other[3, 2])


def test_the_keyboard_moves_the_query_looks_around_and_picks_the_key(page: Page) -> None:
    visit(page)
    expect(cells(page).nth(0)).to_have_attribute("aria-selected", "true")
    cells(page).nth(0).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    expect(cells(page).nth(4)).to_be_focused()
    expect(cells(page).nth(4)).to_have_attribute("aria-selected", "true")
    page.wait_for_url("**query=4**")
    expect(page.locator("#reads")).to_contain_text("row 1, column 1")
    page.keyboard.press("Shift+ArrowLeft")
    expect(cells(page).nth(3)).to_be_focused()
    expect(cells(page).nth(4)).to_have_attribute("aria-selected", "true")
    expect(page.locator(".picture-readout")).to_contain_text("row 1, column 1 attends to row 1, column 0: 0.")
    page.keyboard.press("Shift+Enter")
    page.wait_for_url("**key=3**")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(cells(page).nth(0)).to_be_focused()
    page.wait_for_url("**query=0&**")


def test_pointing_is_shared_and_labels_count_as_chosen(page: Page) -> None:
    visit(page, "/?model=tiny-vit&picture=shapes&view=lines&query=2")
    cells(page).nth(3).hover()
    expect(page.locator(".lines-label").first).to_have_text("[CLS]")
    page.get_by_role("tab", name="Token").click()
    expect(page.locator(".token-title")).to_contain_text("row 0, column 1")
    page.locator("#grid-menu > summary").click()
    page.locator("#numbering").select_option("1")
    expect(page.locator(".token-title")).to_contain_text("row 1, column 2")
    expect(cells(page).nth(2)).to_have_attribute("aria-label", "row 1, column 2")
    for view in ("Vectors", "Heads", "Compare", "Matrix"):
        page.get_by_role("tab", name=view).click()
        expect(page.locator(f"#panel-{view.lower()}")).to_be_visible()
    page.locator("#matrix").get_by_role("application").or_(page.locator(".matrix-frame")).first.hover()
    expect(page.locator(".patch.is-pointed-key, .token.is-pointed-key")).to_have_count(1)


def test_a_link_holds_while_the_server_keeps_the_analysis_and_then_says_so(page: Page, problems: Any) -> None:
    problems.expect("console: .*404")
    visit(page)
    give(page, png(2))
    expect(page.locator("#image")).to_contain_text("A link to this page cannot hold your image")
    until(page, "() => new URLSearchParams(location.search).get('picture')?.length === 32")
    page.reload()
    until(page, READY)
    cells(page).nth(1).click()
    cells(page).nth(4).hover()
    told(page, "row 0, column 0", "row 1, column 1", true_weights(page, png(2), 1, 2)[1, 4])
    page.locator("#quick-off").click()
    expect(page.locator("#changed")).to_contain_text("off")
    until(page, READY)
    page.reload()
    until(page, READY)
    expect(page.locator("#changed")).to_contain_text("off")
    expect(page.locator("#image-error")).to_be_hidden()
    page.goto(f"/?model=tiny-vit&picture={'0' * 32}")
    expect(page.locator("#image-error")).to_contain_text("upload it again")
    give(page, png(2))
    until(page, READY)
    expect(page.locator("#image-error")).to_be_hidden()


def test_a_picture_is_dropped_or_pasted_wherever_one_is(page: Page) -> None:
    page.goto("/")
    expect(page.locator(".token")).to_have_count(13)
    image = base64.b64encode(png(3)).decode()
    page.evaluate(DROP, ["main", "a.png", "image/png", image, "drop"])
    until(page, READY)
    expect_address(page, model="tiny-vit")
    first = parameters(page)["picture"]
    page.evaluate(DROP, ["#choose-model", "b.png", "image/png", base64.b64encode(png(4)).decode(), "paste"])
    until(page, "(first) => !location.search.includes(first)", arg=first)
    until(page, READY)
    weights = json.dumps({"weights": [[1.0, 0.0], [0.5, 0.5]], "tokens": ["x", "y"]})
    tensors = base64.b64encode(weights.encode()).decode()
    page.evaluate(DROP, ["main", "mine.json", "application/json", tensors, "drop"])
    expect(page.locator(".token")).to_have_count(2)
    expect(page.locator("#picture")).to_be_empty()


def test_what_cannot_be_read_is_said_before_or_after_it_is_sent(page: Page, problems: Any) -> None:
    problems.expect("console: .*422")
    visit(page)
    error = page.locator("#image-error")
    give(page, b"GIF89a", "a.gif", "image/gif")
    expect(error).to_have_text("This is not a PNG, JPEG or WebP file.")
    give(page, bytes(7_000_000))
    expect(error).to_contain_text("The file has 7.0 MB; this server accepts up to 6.3.")
    give(page, png()[:100])
    expect(error).to_contain_text("damaged or truncated")
    expect(cells(page)).to_have_count(5)
    give(page, png(5))
    until(page, READY)
    expect(error).to_be_hidden()


def test_heads_are_changed_for_a_picture_too(page: Page) -> None:
    visit(page, "/?model=tiny-vit&picture=shapes&layer=0&head=1&query=1&key=2")
    with page.expect_response("**/api/analyses/image") as answer:
        page.locator("#quick-cut").click()
    assert answer.value.status == 200
    kinds = [each["kind"] for each in answer.value.request.post_data_json["interventions"]]
    assert kinds == ["cut_edges"]
    until(page, READY)
    told(page, "row 0, column 0", "row 0, column 1", 0.0)
    with page.expect_response("**/api/analyses/image") as answer:
        page.locator("#computation").get_by_role("button").first.click()
    assert answer.value.json()["parity"]["weights"] < answer.value.json()["parity"]["bound"]


def test_a_saved_image_needs_no_server(page: Page, browser: Browser, tmp_path: Path) -> None:
    data = png(6)
    body = {"model": "tiny-vit", "image": base64.b64encode(data).decode()}
    analysis = page.request.post("/api/analyses/image", data=body).json()
    query = {"format": "html", "layer": 1, "head": 3, "query": 3, "key": 2}
    exported = page.request.get(f"/api/analyses/{analysis['id']}/export", params=query)
    path = tmp_path / "image.html"
    path.write_bytes(exported.body())
    with browser.new_context(offline=True) as context:
        saved = context.new_page()
        complaints: list[str] = []
        context.on("console", lambda message: complaints.append(message.text))
        context.on("weberror", lambda error: complaints.append(str(error.error)))
        saved.goto(path.as_uri())
        until(saved, READY)
        weights = true_weights(page, data, 1, 3)
        told(saved, "row 1, column 0", "row 0, column 1", weights[3, 2])
        cells(saved).nth(1).click()
        cells(saved).nth(4).hover()
        told(saved, "row 0, column 0", "row 1, column 1", weights[1, 4])
        assert any(saved.evaluate(COVER))
        assert complaints == []


def test_the_first_screen_has_the_map_and_the_image(page: Page) -> None:
    page.set_viewport_size({"width": 1366, "height": 768})
    visit(page)
    expect(page.locator("#tokens")).to_be_hidden()  # its patches are the tokens
    for one in ("#matrix .matrix-frame", "#matrix .readout", "#legend", "#zoom-all", ".picture-board"):
        box = page.locator(one).bounding_box()
        assert box
        assert box["y"] + box["height"] <= 768, one
