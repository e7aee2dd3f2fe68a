"""The word with which the course begins: every number that is said of “bank”, by transformers alone."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from attention_core.pretrained.models.sources import package_folders
from server.pages.lessons import TEXTS
from server.pages.pages import TEMPLATES
from server.pages.running_example import MINILM

RIVER, LOAN = "She sat on the bank of the river and fished.", "He asked at the bank for a loan."
BANK, LAST = 5, 6
pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def runs() -> dict[str, Any]:
    folder = next(place.folder for place in package_folders() if place.id == MINILM)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    with torch.no_grad():
        return {
            text: (
                tokenizer.tokenize(text),
                model(**tokenizer(text, return_tensors="pt"), output_attentions=True, output_hidden_states=True),
            )
            for text in (RIVER, LOAN)
        }


def most(run: Any, head: int) -> tuple[str, float]:
    """The token to which “bank” attends most in a head of the first layer, and how much."""
    tokens, found = run
    row = found.attentions[0][0, head, BANK]
    return ["[CLS]", *tokens, "[SEP]"][int(row.argmax())], float(row.max())


def test_one_vector_is_asked_different_things(runs) -> None:
    said = (TEMPLATES / "concepts" / "multi_head.html").read_text()
    for head, key, weight in ((4, "river", 0.69), (2, "the", 1), (5, "on", 0.46)):
        assert most(runs[RIVER], head) == (key, pytest.approx(weight, abs=0.005))
        if weight < 1:
            assert f"{weight:.2f}" in said
    assert most(runs[LOAN], 0)[0] == "loan"
    assert most(runs[LOAN], 2) == ("the", pytest.approx(1, abs=0.005))


def test_the_first_lesson_tells_what_becomes_of_bank(runs) -> None:
    says = TEXTS["why"].says
    assert f"{most(runs[RIVER], 4)[1]:.2f} of the attention" in says
    assert f"{most(runs[LOAN], 0)[1]:.2f} of another's" in says
    by_river, with_loan = (runs[text][1].hidden_states for text in (RIVER, LOAN))
    assert torch.equal(by_river[0][0, BANK], with_loan[0][0, BANK]), "number for number"
    for layers in (1, LAST):
        cosine = torch.cosine_similarity(by_river[layers][0, BANK], with_loan[layers][0, BANK], dim=0)
        assert f"{cosine:.2f}" in says


def test_its_links_open_the_heads_that_are_spoken_of(runs) -> None:
    for (address, _), text, key in zip(TEXTS["why"].looks[:2], (RIVER, LOAN), ("river", "loan"), strict=True):
        asked = parse_qs(urlsplit(address).query)
        assert asked["text"] == [text]
        assert (asked["layer"], asked["query"]) == (["0"], [str(BANK)])
        assert most(runs[text], int(asked["head"][0]))[0] == key
        assert ["[CLS]", *runs[text][0]][int(asked["key"][0])] == key
