"""Which tokens one prompt has too many, against trying every way to leave some out."""

from itertools import combinations, product

import pytest

from attention_core.pretrained.errors import EmptyTextError
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.studies.patching import prompts
from attention_core.pretrained.studies.patching.prompts import prompt_pair, surplus

MINI = "observatory-gpt2-mini"


def matches(longer: tuple[int, ...], shorter: tuple[int, ...], left_out: tuple[int, ...]) -> int:
    rest = [item for index, item in enumerate(longer) if index not in left_out]
    return sum(one == other for one, other in zip(rest, shorter, strict=True))


def test_the_surplus_is_the_best_of_all_ways_to_leave_some_out() -> None:
    for shorter in product(range(2), repeat=3):
        for longer in product(range(3), repeat=5):
            every = list(combinations(range(5), 2))
            most = max(matches(longer, shorter, each) for each in every)
            found = tuple(surplus(longer, shorter))
            assert matches(longer, shorter, found) == most
            assert len(found) == 2
            assert surplus(shorter, longer) == []


def test_a_long_surplus_begins_where_the_prompts_go_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompts, "MAX_WEIGHED", 3)
    assert surplus([1, 2, 9, 3, 4], [1, 2, 3]) == [2, 4]
    assert surplus([1, 2, 9, 8, 7, 3, 4], [1, 2, 3, 4]) == [2, 3, 4]


def test_a_pair_is_compared_before_it_runs(catalog: Catalog) -> None:
    mini = catalog.load(MINI)
    same = prompt_pair(mini, "Pacific Duke Sonic .", "Pacific Burma Sonic .")
    assert [same.clean[index].text for index in same.differing] == [" Duke"]
    assert same.extra_clean == same.extra_corrupt == []
    long = prompt_pair(mini, "Pacific Duke Sonic .", "Pacific Duke Burma Burma Sonic ,")
    assert [long.corrupt[index].text for index in long.extra_corrupt] == [" Burma", " Burma"]
    assert [long.clean[index].text for index in long.differing] == [" ."]
    back = prompt_pair(mini, "Pacific Duke Burma Burma Sonic ,", "Pacific Duke Sonic .")
    assert (back.extra_clean, back.extra_corrupt) == (long.extra_corrupt, [])
    assert [back.clean[index].text for index in back.differing] == [" ,"]
    with pytest.raises(EmptyTextError) as error:
        prompt_pair(mini, "Pacific", "")
    assert error.value.field == "corrupt"
