"""Expected next tokens: the softmax of the logits that transformers itself gives; refusals say which answer."""

from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoTokenizer, GPT2LMHeadModel

from attention_core.pretrained.errors import AnalysisError
from attention_core.pretrained.models import sources
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.running.analysis import AnalysisRequest, analyse
from attention_core.pretrained.studies.prompts.answers import AnswerRating, expected_tokens
from attention_core.pretrained.studies.prompts.prompt_set import prompt_set

FOLDER = Path(sources.__file__).parent / "shipped" / "observatory-gpt2-mini"
TEXTS = ["The cat sat on the", "Tom met the", "The dog sat on the bank of the"]


@pytest.fixture(scope="module")
def decoder():
    return Catalog(device="cpu").load("observatory-gpt2-mini")


def softmax_of(text: str) -> np.ndarray:
    """After the last token, by the library alone."""
    model = GPT2LMHeadModel.from_pretrained(FOLDER, dtype=torch.float32).eval()
    with torch.inference_mode():
        logits = model(**AutoTokenizer.from_pretrained(FOLDER)(text, return_tensors="pt")).logits[0, -1]
    return torch.softmax(logits.double(), dim=-1).numpy()


@pytest.mark.full
def test_probabilities_and_ranks_are_those_of_the_library(decoder):
    prompts = prompt_set(decoder, TEXTS)
    tokenizer = AutoTokenizer.from_pretrained(FOLDER)
    (road,), (comma,) = tokenizer(" road")["input_ids"], tokenizer(",")["input_ids"]
    expected = expected_tokens(decoder, prompts, ["road", ",", 7])
    assert [each.id for each in expected] == [
        road,
        comma,
        7,
    ]  # a word with its space, a sign without one, an id as it is
    assert (expected[0].text, expected[1].text) == (" road", ",")
    rating = AnswerRating(expected)
    for index, text in enumerate(TEXTS):
        rating.add(index, analyse(decoder, AnalysisRequest(text), max_tokens=64))
    found = rating.result()
    softmax = [softmax_of(text) for text in TEXTS]
    probabilities = [each[id_] for each, id_ in zip(softmax, (road, comma, 7), strict=True)]
    ranks = [sorted(each, reverse=True).index(p) + 1 for each, p in zip(softmax, probabilities, strict=True)]
    np.testing.assert_allclose([each.probability for each in found.answers], probabilities, rtol=1e-4)
    assert [each.rank for each in found.answers] == ranks
    for spread, values in ((found.probability, probabilities), (found.rank, ranks)):
        np.testing.assert_allclose(
            [spread.mean, spread.deviation, spread.least, spread.most],
            [np.mean(values), np.std(values), min(values), max(values)],
            rtol=1e-4,
        )
    assert found.best == sum(rank == 1 for rank in ranks)


def test_slots_are_filled_in_answers_and_one_stands_for_all(decoder):
    fillings = [{"A": "Tom", "B": "road"}, {"A": "Anna", "B": "house"}]
    prompts = prompt_set(decoder, template="{A} met the {B}, and the", fillings=fillings)
    expected = expected_tokens(decoder, prompts, ["{B}"], fillings)
    assert [each.text for each in expected] == [" road", " house"]
    assert [each.text for each in expected_tokens(decoder, prompts, ["road"], fillings)] == [" road", " road"]


@pytest.mark.parametrize(
    ("answers", "code", "message", "field", "limit"),
    [
        (["road", "Constantinople's", "road"], "out_of_range", "Prompt 2: 'Constantinople's' is", "answers.1", 1),
        (["road", "road", 10**6], "out_of_range", "Prompt 3: ", "answers.2", None),
        (["road", "road"], "out_of_range", "2 answers for 3 prompts", "answers", 3),
    ],
)
def test_what_is_refused_names_the_answer(decoder, answers, code, message, field, limit):
    with pytest.raises(AnalysisError) as refused:
        expected_tokens(decoder, prompt_set(decoder, TEXTS), answers)
    error = refused.value
    assert (error.code, error.field) == (code, field)
    assert limit is None or error.limit == limit
    assert message.replace("'", "") in str(error).replace("'", "").replace('"', "")


def test_a_model_without_next_tokens_is_refused(minilm):
    with pytest.raises(AnalysisError, match="predicts no next token") as refused:
        expected_tokens(minilm, prompt_set(minilm, TEXTS), ["road"])
    assert (refused.value.code, refused.value.field) == ("model_unavailable", "answers")
