"""Hidden special tokens and merged words in the token view, checked against the API."""

import numpy as np
from driving import SENTENCE, parameters, true_weights
from playwright.sync_api import Page, expect

SPLIT = "Unbelievably, the cartographer was right."
LOOKED_UP = ".token-scroller[aria-busy=false]"


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
    for line, name in ((row, "what it reads"), (column, "who reads it")):
        page.get_by_label(name).check(force=True)
        best = [shown[place][0] for place in np.argsort(-line)[:2]]
        for rank, first in enumerate(best):
            expect(chosen.nth(rank)).to_have_attribute("data-other", str(first))
        expect(page.locator(".token-readout")).to_contain_text(f" {line.max():.2f}")
        assert page.locator("[data-other='0']").count() == 0
    expect(page.locator(".token-title")).to_contain_text("unbelievably")
    expect(page.locator(".token-readout")).to_contain_text(f"({column.sum():.2f} from all queries)")
    assert (parameters(page)["hide"], parameters(page)["words"]) == ("1", "1")


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
