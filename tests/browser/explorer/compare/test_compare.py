"""Comparing two runs: maps match the API, their difference is correct, and the address keeps it."""

import base64
from typing import Any

import numpy as np
import pytest
from driving import MAPS, MODEL, SENTENCE, answers, expect_address, head
from playwright.sync_api import Page, Route, expect
from settling import until_resolved

OTHER = "The dog sat on the mat because it was happy."


@pytest.fixture(scope="module")
def server_url(models_server_url: str) -> str:
    return models_server_url


def compare(page: Page, maps: int, **query: str) -> list[np.ndarray[Any, Any]]:
    """Open the view that compares; what its maps show, −∞ where they are masked."""
    written = "&".join(f"{name}={value}" for name, value in query.items())
    page.goto(f"/?view=compare&{written}")
    return drawn(page, maps)


def drawn(page: Page, maps: int) -> list[np.ndarray[Any, Any]]:
    until_resolved(page, f"async (count) => (await ({MAPS})('#panel-compare')).length === count", maps)
    return [
        np.array([[-np.inf if value is None else value for value in row] for row in each["cells"]])
        for each in page.evaluate(MAPS, "#panel-compare")
    ]


def window(page: Page, layer: int, number: int, **request: Any) -> np.ndarray[Any, Any]:
    """The API's own weights."""
    posted = page.request.post("/api/analyses", data=request)
    assert posted.ok, posted.text()
    found = page.request.get(f"/api/analyses/{posted.json()['id']}/weights?layer={layer}&head={number}").json()
    rows, cols = found["shape"]
    return np.frombuffer(base64.b64decode(found["matrix"]["bdata"]), dtype="<f4").reshape(rows, cols)


@pytest.mark.gate
def test_two_texts_and_what_is_between_them(page: Page) -> None:
    first, second, difference = compare(page, 3, model=MODEL, other_text=OTHER)
    one = window(page, 5, 11, model=MODEL, text=SENTENCE)
    other = window(page, 5, 11, model=MODEL, text=OTHER)
    np.testing.assert_allclose(first, one, atol=1e-6)
    np.testing.assert_allclose(second, other, atol=1e-6)
    np.testing.assert_allclose(difference, other - one, atol=1e-6)
    scale = page.evaluate(MAPS, "#panel-compare")[2]["limits"]
    assert scale[0] == -scale[1] == pytest.approx(-np.abs(other - one).max())
    readouts = page.locator("#panel-compare .readout")
    expect(readouts.nth(1)).to_contain_text("it → dog")
    expect(readouts.nth(2)).to_contain_text("it → cat | dog")
    expect(readouts.nth(2)).to_contain_text(f"−{abs((other - one)[8, 2]):.4f}")


def joined(page: Page, text: str, *models: str) -> list[list[list[int]]]:
    """Tokens of each model for each stretch of characters that no token of either goes beyond."""
    both = [page.request.post("/api/analyses", data={"model": one, "text": text}).json()["tokens"] for one in models]
    stretch = list(range(len(text)))
    for token in (one for tokens in both for one in tokens if not one["special"]):
        inside = [place for place in range(token["start"], token["end"]) if not text[place].isspace()]
        for place in inside[1:]:
            old, new = stretch[place], stretch[inside[0]]
            stretch = [new if one == old else one for one in stretch]
    order = dict.fromkeys(stretch[place] for place, sign in enumerate(text) if not sign.isspace())

    def name_of(token: dict[str, Any]) -> int:
        """A token of blanks alone goes with what follows it."""
        return stretch[next(place for place in range(token["start"], len(text)) if not text[place].isspace())]

    return [
        [[one["index"] for one in tokens if not one["special"] and name_of(one) == name] for tokens in both]
        for name in order
    ]


def test_models_of_other_vocabularies_are_joined_by_characters(page: Page) -> None:
    """The cells are subtracted here; the server, which compares heads one by one, is not asked at all."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    text, decoder = "Xylophones and zithers", "observatory-gpt2-mini"
    query = {"model": MODEL, "text": text, "other_model": decoder, "layer": "3", "head": "2", "query": "6", "key": "1"}
    first, second, difference = compare(page, 3, **query)
    one, other = (window(page, 3, 2, model=model, text=text) for model in (MODEL, decoder))
    assert one.shape == other.shape == (10, 10)  # as many tokens, but not the same
    np.testing.assert_allclose(first, one, atol=1e-6)
    np.testing.assert_allclose(second, other, atol=1e-6)
    units = joined(page, text, MODEL, decoder)
    assert any(len(of) > 1 for unit in units for of in unit)
    pooled = [
        np.array([[matrix[np.ix_(row[side], col[side])].sum(1).mean() for col in units] for row in units])
        for side, matrix in enumerate((one, other))
    ]
    np.testing.assert_allclose(difference, pooled[1] - pooled[0], atol=1e-6)
    np.testing.assert_allclose(pooled[1].sum(1), 1, atol=1e-5)
    note = page.locator(".compare-note:visible")
    expect(note).to_contain_text("cover the same characters are merged")
    expect(note).to_contain_text("Only on the left, so left out: “[CLS]₀”, “[SEP]₉”.")
    assert not [url for url in asked if "/difference?" in url]


def test_a_token_chosen_in_one_map_is_its_counterpart_in_the_others(page: Page) -> None:
    """The same index would be another word."""
    text, decoder = "The weather is fine", "observatory-gpt2-mini"
    tokens = page.request.post("/api/analyses", data={"model": MODEL, "text": text}).json()["tokens"]
    place = next(one["index"] for one in tokens if one["text"] == "is")
    compare(page, 3, model=MODEL, text=text, other_model=decoder, layer="0", head="0", query=str(place), key="1")
    readouts = page.locator("#panel-compare .readout")
    expect(readouts.nth(0)).to_contain_text("is → the")
    expect(readouts.nth(1)).to_contain_text("·is → The")
    expect(readouts.nth(2)).to_contain_text("is → the")


def test_texts_of_other_lengths_are_paired_by_what_both_have(page: Page) -> None:
    first, second, difference = compare(page, 3, model=MODEL, other_text="The dog slept.")
    assert (first.shape, second.shape) == ((13, 13), (6, 6))
    expected = second[np.ix_([0, 1, 4, 5], [0, 1, 4, 5])] - first[np.ix_([0, 1, 11, 12], [0, 1, 11, 12])]
    np.testing.assert_allclose(difference, expected, atol=1e-6)
    note = page.locator(".compare-note:visible")
    expect(note).to_contain_text("Tokens that both texts share are paired")
    expect(note).to_contain_text("Only on the right, so left out: “dog₂”, “slept₃”.")


def test_two_models_with_two_texts_are_paired_word_by_word(page: Page) -> None:
    text, other_text, decoder = "A zither plays", "A big zither sings", "observatory-gpt2-mini"
    query = {"other_text": other_text, "other_model": decoder, "layer": "0", "head": "0", "query": "1", "key": "1"}
    *_, difference = compare(page, 3, model=MODEL, text=text, **query)
    one, other = window(page, 0, 0, model=MODEL, text=text), window(page, 0, 0, model=decoder, text=other_text)
    sides = []
    for model, given, words in ((MODEL, text, (0, 1, 2)), (decoder, other_text, (0, 2, 3))):
        tokens = page.request.post("/api/analyses", data={"model": model, "text": given}).json()["tokens"]
        starts = [given.index(word) for word in given.split()]
        ends = [*starts[1:], len(given) + 1]
        at = [[t["index"] for t in tokens if not t["special"] and starts[w] < t["end"] < ends[w]] for w in words]
        sides.append(at)
    assert sides[0][1] != sides[1][1]
    assert all(map(all, sides))
    pooled = [
        np.array([[matrix[np.ix_(row, col)].sum(1).mean() for col in units] for row in units])
        for matrix, units in zip((one, other), sides, strict=True)
    ]
    # Inside “zither”, which both texts have, tokens are paired more finely: of each word, the first unit is compared.
    rows = [0, 1, len(difference) - 1] if len(difference) > 3 else [0, 1, 2]
    np.testing.assert_allclose(difference[np.ix_(rows, rows)][::2, ::2], (pooled[1] - pooled[0])[::2, ::2], atol=1e-6)
    note = page.locator(".compare-note:visible")
    expect(note).to_contain_text("Words that both texts share are paired")
    expect(note).to_contain_text("Only on the right, so left out: “·big₁”.")


def test_another_text_is_typed_and_another_head_picked(page: Page) -> None:
    page.goto(f"/?view=compare&model={MODEL}")
    expect(page.locator(".comparison-box [role=status]")).to_contain_text("Type another text")
    page.get_by_label("Another text", exact=True).fill(OTHER)
    page.keyboard.press("Enter")
    before = drawn(page, 3)
    expect_address(page, other_text=OTHER)
    head(page, 0, 2).click()
    until_resolved(
        page,
        f"async (was) => Math.abs((await ({MAPS})('#panel-compare'))[2]?.cells[8][2] - was) > 1e-4",
        float(before[2][8, 2]),
    )
    expected = window(page, 0, 2, model=MODEL, text=OTHER) - window(page, 0, 2, model=MODEL, text=SENTENCE)
    np.testing.assert_allclose(drawn(page, 3)[2], expected, atol=1e-6)
    page.get_by_role("button", name="Clear").click()
    expect(page.locator(".compare-results")).to_be_hidden()
    expect(page.locator("#panel-compare [aria-busy=true]")).to_have_count(0)
    page.go_back()
    expect(page.locator(".compare-results")).to_be_visible()
    expect(page.locator("#panel-compare .readout")).to_have_count(3)


def test_the_layers_offered_are_those_of_the_model_compared_with(page: Page) -> None:
    layers = page.locator("#comparison-layer option")
    compare(page, 2, model=MODEL, text="One two.", other_model="tiny-gpt2")
    expect(layers).to_have_text(["the same head", "Layer 0", "Layer 1"])
    page.get_by_role("button", name="Clear").click()
    expect(layers).to_have_text(["the same head", *(f"Layer {layer}" for layer in range(6))])


def test_another_model_and_its_predictions(page: Page) -> None:
    page.goto("/?view=compare&model=tiny-gpt2&layer=1&head=3")
    page.locator("#comparison-model").click()
    dialog = page.get_by_role("dialog", name="Choose a model to compare with")
    expect(dialog.locator("[data-key='tiny-gpt2']")).to_have_count(0)  # which is shown
    dialog.get_by_label("Name, architecture or licence").fill("tiny-bert")
    dialog.locator("[data-key='tiny-bert']").click()
    expect(dialog).to_be_hidden()  # when its run is there
    expect(page.locator("#comparison-model")).to_have_accessible_name("Another model tiny-bert")
    expect(page.locator("#comparison-model")).to_be_focused()
    expect(page.locator("#model-name")).to_have_text("tiny-gpt2")
    first, second, _ = drawn(page, 3)
    np.testing.assert_allclose(first, window(page, 1, 3, model="tiny-gpt2", text=SENTENCE), atol=1e-6)
    np.testing.assert_allclose(second, window(page, 1, 3, model="tiny-bert", text=SENTENCE), atol=1e-6)
    expect(page.locator(".compare-pairs")).to_contain_text("no predictions to compare")
    expect_address(page, other_model="tiny-bert")
    page.get_by_role("button", name="Use the same model").click()
    expect_address(page, other_model=None)


def test_predictions_stand_side_by_side_over_whole_distributions(page: Page) -> None:
    compare(page, 2, model="tiny-gpt2", other_text="A small model")
    texts = [SENTENCE, "A small model"]
    posted = [page.request.post("/api/analyses", data={"model": "tiny-gpt2", "text": text}).json() for text in texts]
    found = page.request.get(f"/api/analyses/{posted[0]['id']}/prediction_difference?other={posted[1]['id']}").json()
    (change,) = found["predictions"]
    expect(page.locator(".pairs caption")).to_contain_text(f"total variation {change['total_variation']:.3f}")
    known = {one["id"]: one for one in change["candidates"]}
    names = {one["text"].replace(" ", "·"): id_ for id_, one in known.items()}
    rows = page.locator(".pairs tbody tr")
    expect(rows).to_have_count(10)
    for row in rows.all():
        name, _, alike = (row.locator("th").text_content() or "").partition(" #")
        one = known[int(alike) if alike else names[name]]  # those that read alike are told apart by their numbers
        for index, side in enumerate(("before", "after")):
            assert row.locator("td").nth(index).text_content() == f"{one[side]:.3f}"


def test_two_heads_of_one_run(page: Page) -> None:
    page.goto(f"/?view=compare&model={MODEL}")
    page.get_by_label("Another head: layer").select_option("2")
    page.get_by_label("Another head: head").select_option("7")
    expect_address(page, other_head="2.7")
    until_resolved(page, f"async () => (await ({MAPS})('#panel-compare')).length === 3")
    expect(page.locator(".compare-title").nth(0)).to_have_text("This head Layer 5, head 11")
    expect(page.locator(".compare-title").nth(1)).to_have_text("The other head Layer 2, head 7")
    one, other = (window(page, *at, model=MODEL, text=SENTENCE) for at in ((5, 11), (2, 7)))
    first, second, difference = drawn(page, 3)
    np.testing.assert_allclose(first, one, atol=1e-6)
    np.testing.assert_allclose(second, other, atol=1e-6)
    np.testing.assert_allclose(difference, other - one, atol=1e-6)
    expect(page.locator(".compare-pairs")).to_be_hidden()  # there is one prediction
    page.locator("#comparison-model").click()
    page.locator("#model-picker [data-key='tiny-bert']").click()
    expect(page.locator(".compare-title").nth(1)).to_have_text("The other model Layer 1, head 3")
    expect(page.locator(".compare-note:visible")).to_contain_text("no such head")


def test_what_cannot_be_compared_says_so_in_place(page: Page, problems: Any) -> None:
    problems.expect("console: .*404")
    page.goto(f"/?view=compare&model={MODEL}&other_model=nobody/nothing")
    expect(page.locator(".comparison-box .field-error")).to_contain_text("no model of this name")
    expect(page.locator(".compare-results")).to_be_hidden()


def test_a_long_text_is_compared_pooled_and_exactly_where_it_is_zoomed(page: Page) -> None:
    long, longer = "the cat sat " * 100, "the dog sat " * 100
    *_, pooled = compare(page, 3, model=MODEL, text=long, other_text=longer)
    one, other = (window(page, 5, 11, model=MODEL, text=text) for text in (long, longer))
    expected = np.zeros_like(pooled)
    for (row, col), _ in np.ndenumerate(expected):  # the largest of any sign in each cell of 2 × 2 tokens
        cells = (other - one)[2 * row : 2 * row + 2, 2 * col : 2 * col + 2].ravel()
        expected[row, col] = cells[np.abs(cells).argmax()]
    np.testing.assert_allclose(np.abs(pooled), np.abs(expected), atol=1e-6)
    assert (np.sign(pooled) == np.sign(expected)).mean() > 0.999  # where both signs are as large, either is right
    *_, difference = compare(page, 3, model=MODEL, text=long, other_text=longer, rows="100:120", cols="10:30")
    np.testing.assert_allclose(difference, (other - one)[100:120, 10:30], atol=1e-6)


def test_the_heads_that_changed_most_are_listed_and_picked(page: Page) -> None:
    compare(page, 3, model="tiny-gpt2", layer="0", head="1", changes="previous-0.2")
    listed = page.locator(".compare-changed .reads-item")
    expect(listed.first).to_contain_text("Layer 0, head 2")
    text = {"model": "tiny-gpt2", "text": SENTENCE}
    change = {"kind": "pattern", "layer": 0, "heads": [2], "pattern": "previous_token"}
    largest = {}
    for layer in range(2):
        for number in range(4):
            before = window(page, layer, number, **text)
            after = window(page, layer, number, **text, interventions=[change])
            largest[f"Layer {layer}, head {number}"] = np.abs(after - before).max()
    names = sorted((name for name in largest if largest[name] > 0), key=lambda name: -largest[name])
    expect(listed.first.locator(".reads-value")).to_have_text(f"{largest[names[0]]:.4f}")
    assert [name.text_content() for name in listed.locator(".reads-name").all()] == names
    listed.first.click()
    expect(page.locator("#heads-name")).to_have_text("Layer 0, head 2")
    expect(listed.first).to_have_attribute("aria-pressed", "true")


def test_a_slow_second_run_does_not_hide_what_is_there(page: Page) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    compare(page, 3, model=MODEL, other_text=OTHER)
    with answers(page, "**/api/analyses", hold):
        page.get_by_label("Another text", exact=True).fill("Something slow.")
        page.keyboard.press("Enter")
        expect(page.locator(".compare-results")).to_have_attribute("aria-busy", "true")
        expect(page.locator(".comparison-box [role=status]")).to_have_text("Computing …")
        page.get_by_role("button", name="Clear").click()
