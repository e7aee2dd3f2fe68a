"""What a page's address says of its state: values, conditions, the preset it asks for."""

import pytest

from server.pages.address_state import AddressState


def asked(**query: str) -> AddressState:
    return AddressState(query)


@pytest.mark.parametrize(
    ("text", "value"),
    [("3", 3), ("3.0", 3), (" 4 ", 4), ("−2", -2), ("1e0", 1)]
    + [(text, 5) for text in ("", "x", "2.5", "9", "-3", "nan", "0x2", "1_0", "Infinity")],
)
def test_a_whole_number_within_its_bounds_or_the_default(text: str, value: float) -> None:
    assert asked(n=text).number("n", 5, -2, 8, whole=True) == value


def test_a_number_may_be_named_otherwise_in_the_address() -> None:
    address = asked(t="0.5")
    assert address.number("t", 1, 0.01, 100, field="temperature") == 0.5
    assert address.holds("temperature=0.5")
    assert address.value_of("temperature") == 0.5


def test_a_choice_is_one_of_those_allowed() -> None:
    assert asked(view="sky").choice("view", ["pair", "sky"]) == "sky"
    assert asked(view="moon").choice("view", ["pair", "sky"]) == "pair"
    assert asked(dim="16").choice("dim", [8, 16], "8") == "16"
    assert asked(query="x").choice("query", [], 5) == "5"
    assert asked(query="7").choice("query", [], 5) == "7"
    assert asked(model="m" * 201).choice("model", [], "own") == "own"


def test_flags_texts_and_lists() -> None:
    assert [asked(on=text).flag("on", start=True) for text in ("1", "0", "yes")] == [True, False, True]
    assert asked(words="a b").text("words", "cat", 3) == "a b"
    assert asked(words="a b c").text("words", "cat", 3) == "cat"
    assert asked(sizes="8_64;0.5").numbers("sizes", [1]) == "8, 64, 0.5"
    assert asked(sizes="8_x").numbers("sizes", [1, 2.5]) == "1, 2.5"
    assert asked(q="45_0_90").count("q", 1) == 3
    assert [asked(q="45_0").item("q", index, 7) for index in (0, 1, 2)] == ["45", "0", "7"]


def test_numbers_are_written_as_scripts_write_them() -> None:
    assert [AddressState.plain(one) for one in (2.0, 0.353553, -3, 1e6)] == ["2", "0.353553", "-3", "1000000"]
    assert [AddressState.shown(-2.5, digits) for digits in (None, 0, 2)] == ["−2.5", "−3", "−2.50"]


def test_conditions_follow_the_controls_above() -> None:
    address = asked(view="sky", rope="1")
    address.choice("view", ["pair", "sky"])
    address.choice("kind", ["", "l2"])
    address.flag("rope")
    held = ("rope", "view=sky", "view=pair,sky", "view!=pair", "kind=", "kind!=l2")
    assert [address.holds(one) for one in held] == [True] * len(held)
    assert not any(address.holds(one) for one in ("view=pair", "view!=pair,sky", "kind=l2"))
    with pytest.raises(ValueError, match="no control above it is bound to 'mask'"):
        address.holds("mask=causal")


def test_the_preset_is_the_one_whose_values_the_address_has() -> None:
    address = asked(heads="16", head="1", lang="ja", theme="night", step="2", present="1")
    assert not address.is_preset({}, "the first")
    assert address.notice is None
    assert address.is_preset({"heads": 16, "head": 1}, "twice as many")
    assert address.notice == "twice as many"
    assert not asked(heads="16").is_preset({"heads": 16, "head": 1}, "")
    assert asked(lang="ja").is_preset({}, "the first")
