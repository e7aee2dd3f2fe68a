"""What a page's address says of its state: values, conditions, the preset it asks for."""

from dataclasses import replace

import pytest

from server.pages.address_state import AddressState
from server.pages.fields import choice, example, flag, numbers, text, whole

FIELDS = {
    "tokens": whole(5, -2, 8),
    "view": choice(["pair", "sky"]),
    "rope": flag(),
    "word": text("cat", 3),
    "words": example("The cat", 20),
    "angles": numbers([45], {"least": 0, "most": 360, "count": 4}),
}


def asked(**query: str) -> AddressState:
    return AddressState(query, FIELDS, {"The cat": "猫"}.__getitem__)


def test_a_value_is_what_the_address_gives_if_that_is_valid() -> None:
    given = {"tokens": "3", "view": "sky", "rope": "1", "word": "", "words": "a b", "angles": "0,90"}
    assert {name: asked(**given).value(name) for name in given} == {
        **given,
        "tokens": 3,
        "rope": True,
        "angles": [0, 90],
    }
    starts = {"tokens": 5, "view": "pair", "rope": False, "word": "cat", "words": "猫", "angles": [45]}
    wrong = {"tokens": "9", "view": "moon", "rope": "x", "word": "cats", "words": "a" * 21, "angles": "400"}
    for query in ({}, wrong):
        assert {name: asked(**query).value(name) for name in starts} == starts
    with pytest.raises(ValueError, match="the page has no field 'mask'"):
        asked().value("mask")


def test_a_field_may_be_named_otherwise_in_the_address() -> None:
    fields = {"keys": replace(whole(1, 0, 9), name="n")}
    assert AddressState({"n": "4"}, fields).value("keys") == 4
    assert AddressState({"keys": "4"}, fields).value("keys") == 1


def test_a_value_may_follow_from_others() -> None:
    address = asked(angles="0,90")
    assert address.derive("tokens", len(address.value("angles"))) == 2
    assert address.value("tokens") == 2
    assert address.holds("tokens=2")


def test_one_number_of_a_list_that_the_address_gives() -> None:
    assert [asked(angles="30_0").item("angles", index, 7) for index in (0, 1, 2)] == ["30", "0", "7"]
    assert asked().item("angles", 0, 7) == "7"


def test_a_template_has_texts_for_all_choices_of_a_field() -> None:
    texts = {"sky": "Sky", "pair": "A pair"}
    assert asked().choices("view", texts) == texts
    assert list(asked().choices("view", [])) == ["pair", "sky"]
    assert list(asked().choices("tokens", [])) == []
    assert asked().choices("tokens", [1]) == [1]
    with pytest.raises(ValueError, match=r"view: the template has \['pair'\], the field \['pair', 'sky'\]"):
        asked().choices("view", {"pair": "A pair"})


def test_numbers_are_written_as_scripts_write_them() -> None:
    written = [AddressState.plain(one) for one in (2.0, 0.353553, -3, 1e6, [1.0, 2.5], "2.0", True)]
    assert written == ["2", "0.353553", "-3", "1000000", "1, 2.5", "2.0", "true"]
    assert [AddressState.shown(-2.5, digits) for digits in (None, 0, 2)] == ["−2.5", "−3", "−2.50"]
    assert [AddressState.place(0.01, is_log) for is_log in (False, True)] == ["0.01", "-2"]


def test_conditions_ask_for_fields_of_the_page() -> None:
    assert asked(view="sky", rope="1").holds("view=sky")
    assert not asked(view="sky").holds("rope")
    with pytest.raises(ValueError, match="the page has no field 'mask'"):
        asked().holds("mask=causal")


def test_the_preset_is_the_one_whose_values_the_address_has() -> None:
    address = asked(heads="16", head="1", lang="ja", theme="night", step="2", present="1")
    assert not address.is_preset({}, "the first")
    assert address.notice is None
    assert address.is_preset({"heads": 16, "head": 1}, "twice as many")
    assert address.notice == "twice as many"
    assert not asked(heads="16").is_preset({"heads": 16, "head": 1}, "")
    assert asked(lang="ja").is_preset({}, "the first")
