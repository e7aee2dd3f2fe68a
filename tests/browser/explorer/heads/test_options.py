"""Display options for tokens and aggregated heads, checked against their definitions."""

import numpy as np
import pytest
from driving import SENTENCE, expect_address, expect_drawn, head, true_weights, visit, wait_for_map
from playwright.sync_api import Page, expect

SPLIT = "Unbelievably, the cartographer was right."
LOOKED_UP = ".token-scroller[aria-busy=false]"


def wait_for(page: Page, shape: tuple[int, int]) -> None:
    wait_for_map(page, "cells.length === arg[0] && cells[0].length === arg[1]", list(shape))


def words_of(page: Page) -> list[list[int]]:
    """Tokens of each word, by the strip of tokens: joined chips belong together."""
    joined = page.locator(".token").evaluate_all("(chips) => chips.map((chip) => chip.classList.contains('is-joined'))")
    words: list[list[int]] = []
    for index, is_joined in enumerate(joined):
        if is_joined:
            words[-1].append(index)
        else:
            words.append([index])
    return words


@pytest.mark.gate("share kept")
@pytest.mark.parametrize("renormalise", [False, True], ids=["share kept", "adds up to 1"])
def test_special_tokens_are_hidden(page: Page, renormalise: bool) -> None:
    visit(page)
    options = page.locator("#matrix-options")
    options.get_by_label("Hide special tokens").check()
    if renormalise:
        options.get_by_label("rows add up to 1 again").check()
    expected = true_weights(page, SENTENCE, 5, 11)[1:12, 1:12]
    if renormalise:
        expected = expected / expected.sum(axis=1, keepdims=True)
    expect_drawn(page, expected)
    expect(page.locator("#matrix .readout")).to_contain_text("it → cat")
    expect(page.locator(".reads-item").first).to_contain_text("cat")


def test_sub_words_are_merged(page: Page) -> None:
    visit(page, f"/?text={SPLIT}&layer=2&head=3")
    words = words_of(page)
    assert max(map(len, words)) > 1
    weights = true_weights(page, SPLIT, 2, 3)
    page.locator("#matrix-options").get_by_label("Whole words").check()
    expected = np.array([[weights[query][:, key].sum(axis=1).mean() for key in words] for query in words])
    expect_drawn(page, expected)
    assert expected.sum(axis=1) == pytest.approx(1, abs=1e-5)
    expect(page.locator("#matrix-options .note")).to_contain_text("summed")
    page.locator("input[name=stage][value=raw_scores]").check()
    wait_for(page, weights.shape)  # scores are not summed


def test_the_mean_of_heads_chosen_in_the_grid(page: Page) -> None:
    visit(page)
    head(page, 3, 1).click(modifiers=["Shift"])
    head(page, 0, 2).click(modifiers=["Shift"])
    expect_address(page, heads="3.1_0.2")
    expect(page.locator("#head-title")).to_have_text("Layer 5, head 11")
    page.locator("#matrix-options").get_by_label("Mean of 3 heads").check()
    expected = np.mean([true_weights(page, SENTENCE, *at) for at in ((5, 11), (3, 1), (0, 2))], axis=0)
    expect_drawn(page, expected)
    expect(page.locator("#head-title")).to_have_text("Mean of 3 heads")
    expect(page.locator(".matrix-frame")).to_have_attribute("aria-label", "Mean of 3 heads: weights as a matrix")
    head(page, 0, 2).click(modifiers=["Shift"])
    expect_address(page, heads="3.1")


def test_hidden_and_merged_come_with_the_address(page: Page) -> None:
    visit(page, f"/?text={SPLIT}&layer=2&head=3&hide=1&words=1&query=1&key=1&rows=1:5")
    words = [word for word in words_of(page) if word not in ([0], words_of(page)[-1])]
    expect(page.locator("#matrix .readout")).to_contain_text("Unbelievably → Unbelievably")
    wait_for(page, (1, len(words)))  # rows 1 to 4 are pieces of the first word


def test_a_token_reads_whole_words_and_no_special_tokens(page: Page) -> None:
    page.goto(f"/?text={SPLIT}&layer=2&head=3&view=token&query=1")
    page.wait_for_selector(LOOKED_UP)
    words = words_of(page)
    assert len(words[1]) > 1, "the first word is split"
    options = page.get_by_role("group", name="Options")
    expect(options.get_by_role("checkbox")).to_have_count(2)
    options.get_by_label("Hide special tokens").check()
    options.get_by_label("Whole words").check()
    shown = [word for word in words if word not in (words[0], words[-1])]
    weights = true_weights(page, SPLIT, 2, 3)
    row = np.array([weights[words[1]][:, word].sum(axis=1).mean() for word in shown])
    column = np.array([weights[word][:, words[1]].sum(axis=1).mean() for word in shown])
    chosen = page.locator(".token-cell[aria-selected=true] [data-other]")
    for line, name in ((row, "what it attends to"), (column, "what attends to it")):
        page.get_by_label(name).check(force=True)
        best = [shown[place][0] for place in np.argsort(-line)[:2]]
        for rank, first in enumerate(best):
            expect(chosen.nth(rank)).to_have_attribute("data-other", str(first))
        expect(page.locator(".token-readout")).to_contain_text(f" {line.max():.2f}")
        assert page.locator("[data-other='0']").count() == 0
    expect(page.locator(".token-title")).to_contain_text("Unbelievably")
    expect(page.locator(".token-readout")).to_contain_text(f"({column.sum():.2f} from all queries)")
    expect_address(page, hide="1", words="1")


def test_the_strongest_key_is_no_special_token_where_these_are_hidden(page: Page) -> None:
    weights = true_weights(page, SENTENCE, 3, 1)
    query = int(weights[:, [0, 12]].max(axis=1).argmax())
    strongest = int(weights[query].argmax())
    assert strongest in (0, 12)
    page.goto(f"/?view=vectors&layer=3&head=1&query={query}")
    title = page.locator(".vectors-title")
    expect(title).to_contain_text(f"positions {query} and {strongest},")
    page.get_by_label("Hide special tokens").check()
    visible = 1 + int(weights[query, 1:12].argmax())
    expect(title).to_contain_text(f"positions {query} and {visible},")
    expect(page.get_by_label("Whole words")).to_be_hidden()
