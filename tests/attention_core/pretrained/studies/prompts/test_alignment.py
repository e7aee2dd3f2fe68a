"""Aligned positions, worked out by hand for a handful of prompts and two tokenizers."""

import pytest

from attention_core.pretrained.errors import SelectionError
from attention_core.pretrained.studies.prompts.alignment import align, rules_of
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
        (None, ["[CLS]"], 1), ("A", ["john", "mary", "jonathan##wick"], 3), (None, ["saw"], 1),
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
