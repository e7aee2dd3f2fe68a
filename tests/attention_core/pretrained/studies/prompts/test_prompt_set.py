"""Prompts from texts and templates: each as `tokenise` has it alone; refusals name the prompt."""

import pytest

from attention_core.pretrained.errors import AnalysisError
from attention_core.pretrained.inputs.tokens import tokenise
from attention_core.pretrained.studies.prompts.prompt_set import fill, prompt_set

TEMPLATE = "When {A} met {B}, {A}'s dog ran. {not a slot}"


def test_a_template_is_filled_and_its_segments_are_where_its_words_are():
    text, segments = fill(TEMPLATE, {"A": "Mary", "B": "日本"})
    assert text == "When Mary met 日本, Mary's dog ran. {not a slot}"
    assert [(each.slot, text[each.start : each.end]) for each in segments] == [
        (None, "When "), ("A", "Mary"), (None, " met "), ("B", "日本"), (None, ", "), ("A", "Mary"),
        (None, "'s dog ran. {not a slot}"),
    ]  # fmt: skip
    text, segments = fill("{A}{B}", {"A": "x", "B": ""})
    assert [(each.slot, each.start, each.end) for each in segments] == [
        (None, 0, 0), ("A", 0, 1), (None, 1, 1), ("B", 1, 1), (None, 1, 1),
    ]  # fmt: skip


def test_each_prompt_has_the_tokens_that_it_has_alone(minilm):
    fillings = [{"A": "Mary", "B": "John"}, {"A": "Anne", "B": "Jonathan"}]
    found = prompt_set(minilm, template=TEMPLATE, fillings=fillings)
    assert [each.text for each in found.prompts] == [fill(TEMPLATE, words)[0] for words in fillings]
    assert [each.tokens for each in found.prompts] == [tokenise(minilm, each.text)[1] for each in found.prompts]
    assert found.tokens == sum(len(each.tokens) for each in found.prompts)
    assert prompt_set(minilm, [each.text for each in found.prompts]).prompts[1].tokens == found.prompts[1].tokens


@pytest.mark.parametrize(
    ("given", "code", "message", "field", "limit"),
    [
        ({"texts": ["a", "b c d"], "max_tokens": 4}, "text_too_long", "Prompt 2: The text has 5", "prompts.1", 4),
        ({"texts": ["a", "b", " "]}, "text_empty", "Prompt 3: The text is empty", "prompts.2", None),
        ({"texts": ["a", "\ud800"]}, "text_invalid", "Prompt 2: ", "prompts.1", None),
        (
            {"template": "{A} {B}", "fillings": [{"A": "a", "B": "b"}, {"A": "a"}]},
            "out_of_range", "Prompt 2: The slot {B} has no word", "fillings.1", None,
        ),
        ({"texts": ["a", "a", "a"], "max_set_tokens": 8}, "too_large", "up to number 3 have 9 tokens", "prompts.2", 8),
    ],
)  # fmt: skip
def test_what_is_refused_names_the_prompt(minilm, given, code, message, field, limit):
    with pytest.raises(AnalysisError) as refused:
        prompt_set(minilm, **given)
    error = refused.value
    assert (error.code, error.field, error.limit) == (code, field, limit)
    assert message in str(error)
