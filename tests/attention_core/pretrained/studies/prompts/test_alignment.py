"""Aligned positions, worked out by hand for a handful of prompts and two tokenizers."""

import pytest
from tiny_models import write_model_folder

from attention_core.pretrained.errors import AnalysisError, SelectionError
from attention_core.pretrained.inputs.chat import Chat
from attention_core.pretrained.inputs.tokens import tokenise
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.studies.prompts.alignment import align, rules_of
from attention_core.pretrained.studies.prompts.answers import expected_tokens
from attention_core.pretrained.studies.prompts.prompt_set import prompt_set

TEMPLATE = "{A} saw {B}."
FILLINGS = [{"A": "John", "B": "Mary"}, {"A": "Mary", "B": "John"}, {"A": "Jonathanwick", "B": "a cat"}]


def places(alignment):
    return [[None if at is None else (at.start, at.stop) for at in each] for each in alignment.places]


def test_positions_from_the_start_and_from_the_end(minilm):
    prompts = prompt_set(minilm, ["a cat", "the old cat", "a cat"])  # 4, 5 and 4 tokens
    start = align(prompts, "start")
    assert places(start) == [[(0, 1), (1, 2), (2, 3), (3, 4), None], [(i, i + 1) for i in range(5)], places(start)[0]]
    assert [(each.offset, each.texts, each.count, each.special) for each in start.positions] == [
        (0, ["[CLS]"], 3, True), (1, ["a", "the"], 3, False), (2, ["cat", "old"], 3, False),
        (3, ["[SEP]", "cat"], 3, False), (4, ["[SEP]"], 1, True),
    ]  # fmt: skip
    end = align(prompts, "end")
    assert places(end)[0] == [None, (0, 1), (1, 2), (2, 3), (3, 4)]
    assert [(each.offset, each.texts, each.variants, each.count) for each in end.positions] == [
        (-5, ["[CLS]"], 1, 1), (-4, ["[CLS]", "the"], 2, 3), (-3, ["a", "old"], 2, 3), (-2, ["cat"], 1, 3),
        (-1, ["[SEP]"], 1, 3),
    ]  # fmt: skip
    assert all(each.slot is None for each in end.positions)


def test_slots_are_one_position_each(minilm):
    prompts = prompt_set(minilm, template=TEMPLATE, fillings=FILLINGS)
    found = align(prompts, "slots")
    assert [(each.slot, each.texts, each.variants) for each in found.positions] == [
        (None, ["[CLS]"], 1), ("A", ["john", "mary", "jonathanwick"], 3), (None, ["saw"], 1),
        ("B", ["mary", "john", "acat"], 3), (None, ["."], 1), (None, ["[SEP]"], 1),
    ]  # fmt: skip
    assert [each.special for each in found.positions] == [True, False, False, False, False, True]
    assert places(found)[0] == [(i, i + 1) for i in range(6)]
    assert places(found)[2] == [(0, 1), (1, 3), (3, 4), (4, 6), (6, 7), (7, 8)]


def test_a_token_that_begins_with_the_space_before_a_slot_belongs_to_the_slot(decoder):
    found = align(prompt_set(decoder, template="So {A}'s met {B}", fillings=FILLINGS[:2]), "slots")
    # " John" is one token, " Mary" two (" M", "ary"); "'s" follows the slot.
    assert places(found) == [
        [(0, 1), (1, 2), (2, 3), (3, 4), (4, 6)],
        [(0, 1), (1, 3), (3, 4), (4, 5), (5, 6)],
    ]
    assert [(each.slot, each.texts) for each in found.positions] == [
        (None, ["So"]), ("A", [" John", " Mary"]), (None, ["'s"]), (None, [" met"]), ("B", [" Mary", " John"]),
    ]  # fmt: skip


def test_what_some_prompts_lack_is_counted(minilm):
    prompts = prompt_set(minilm, template="{A} sat", fillings=[{"A": "cats"}, {"A": ""}])
    found = align(prompts, "slots")
    assert places(found)[1] == [(0, 1), None, (1, 2), (2, 3)]
    assert [each.count for each in found.positions] == [2, 1, 2, 2]


def test_which_rules_apply(minilm):
    plain = prompt_set(minilm, ["a cat"])
    assert rules_of(plain) == ["start", "end"]
    assert rules_of(prompt_set(minilm, template=TEMPLATE, fillings=FILLINGS[:1])) == ["slots", "start", "end"]
    with pytest.raises(SelectionError, match="have no template"):
        align(plain, "slots")


def test_chat_messages_align_their_slots_and_the_template_s_own_tokens(tmp_path):
    folder = write_model_folder(tmp_path, "tiny-llama")
    template = "{% for each in messages %}<s>{{ each.role }}: {{ each.content }}</s>{% endfor %}<s>a"
    (folder / "chat_template.jinja").write_text(template)
    loaded = Catalog(models_dir=tmp_path, hub_models=(), device="cpu").load("tiny-llama")
    fillings = [{"A": "cat"}, {"A": "sentence twice"}]
    prompts = prompt_set(loaded, template="The {A} sat.", fillings=fillings, chat=Chat("A mat."))
    assert all(each.is_chat for each in prompts.prompts)
    for each in prompts.prompts:
        assert each.tokens == tokenise(loaded, each.text, chat=Chat("A mat."))[1]
    found = align(prompts, "slots")
    assert [each.count for each in found.positions] == [2] * len(found.positions)  # of the frame, too
    (slot,) = [index for index, each in enumerate(found.positions) if each.slot == "A"]
    for each, words, row in zip(prompts.prompts, fillings, found.places, strict=True):
        covered = [each.tokens[index] for index in row[slot]]
        assert each.text[covered[0].start : covered[-1].end].strip() == words["A"]
        assert [place.start for place in row] == [0, *(place.stop for place in row[:-1])]  # every token has a place
    (token,) = {each.id for each in expected_tokens(loaded, prompts, ["A"])}  # the answer begins there, without a space
    assert [token] == loaded.tokenizer("A", add_special_tokens=False)["input_ids"]
    with pytest.raises(AnalysisError) as refused:
        prompt_set(loaded, ["a"], chat=Chat(" "))
    assert refused.value.field == "system_text"
