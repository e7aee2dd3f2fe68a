"""Refusals carry a template and its values, and are translated where they are shown."""

import pickle

import pytest

from attention_core.pretrained.errors import AnalysisError, EmptyTextError, ModelUnavailableError, as_unavailable
from attention_core.refusal import InvalidValueError, Refusal, Sentence

GERMAN = {
    "{name} must be > {least}, not {given}": "{name} muss > {least} sein, nicht {given}",
    "{model} cannot be used. {error}": "{model} geht nicht. {error}",
    "It has no weights.": "Es hat keine Gewichte.",
}


def german(template: str) -> str:
    return GERMAN.get(template, template)


def test_a_refusal_is_a_value_error_and_an_english_sentence() -> None:
    with pytest.raises(ValueError, match=r"^temperature must be > 0, not -1\.5$") as caught:
        raise InvalidValueError("{name} must be > {least}, not {given}", "temperature", 0, -1.5)
    assert isinstance(caught.value, Refusal)
    assert caught.value.sentence.translated(german) == "temperature muss > 0 sein, nicht -1.5"


def test_sentences_and_refusals_inside_a_sentence_are_translated_with_it() -> None:
    reason = Sentence("It has no weights.")
    for error in (reason, ModelUnavailableError(reason)):
        refusal = ModelUnavailableError("{model} cannot be used. {error}", "tiny", error)
        assert str(refusal) == "tiny cannot be used. It has no weights."
        assert refusal.sentence.translated(german) == "tiny geht nicht. Es hat keine Gewichte."


def test_every_sentence_is_looked_up_once_however_long_its_values_are() -> None:
    looked_up = []

    def look_up(template: str) -> str:
        looked_up.append(template)
        return template

    hostile = "{name} must be > {least}, not " * 100_000
    inner = Sentence("{name} must be > {least}, not {given}", hostile, hostile, hostile)
    assert len(Sentence("{field}: {problem}.", "x", inner).translated(look_up)) > 3 * len(hostile)
    assert looked_up == ["{field}: {problem}.", "{name} must be > {least}, not {given}"]


def test_what_stands_in_a_value_is_no_template() -> None:
    assert str(Sentence("{a} and {b}", "{b}", r"\1 {a} %s")) == r"{b} and \1 {a} %s"


def test_values_fill_places_in_their_order_or_by_name() -> None:
    assert str(Sentence("{a}{b}{a}{c}", 1, 2, 3)) == "1213"
    assert str(Sentence("{a}{b}{c}", 1, 3, b=2)) == "123"


def test_values_without_a_place_are_ignored_and_places_without_a_value_stay() -> None:
    assert Sentence("{a} {b}", a=1, c=2) == Sentence("{a} {b}", "1")
    assert str(Sentence("{a} {b}", a=1, c=2)) == "1 {b}"


def test_sentences_are_compared_by_their_parts() -> None:
    assert Sentence("{a} items", 1) != Sentence("{a} items", 2)
    assert len({Sentence("{a} items", 1), Sentence("{a} items", 1), Sentence("1 items")}) == 2


def test_field_and_limit_may_stand_in_the_sentence() -> None:
    error = AnalysisError("{field} has {count} items; {limit} are taken.", 4, field="words", limit=3)
    assert (str(error), error.field, error.limit) == ("words has 4 items; 3 are taken.", "words", 3)
    assert str(EmptyTextError("The {field} is empty.")) == "The text is empty."


@pytest.mark.parametrize(
    "error",
    [
        InvalidValueError("{name} must be > {least}, not {given}", "scale", 0, Sentence("less")),
        EmptyTextError("The {field} is empty.", field="text_pair", limit=1),
    ],
)
def test_refusals_pickle(error: Refusal) -> None:
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - ours
    assert type(again) is type(error)
    assert (again.sentence, again.field, again.limit) == (error.sentence, error.field, error.limit)
    assert str(again) == str(error)


def test_a_failure_of_foreign_code_becomes_its_reason() -> None:
    with (
        pytest.raises(ModelUnavailableError, match=r"^layer 3 fails$") as caught,
        as_unavailable("layer {n} fails", 3),
    ):
        raise KeyError("whatever")
    assert caught.value.sentence == Sentence("layer {n} fails", 3)


def test_what_a_library_says_is_given_without_folders() -> None:
    with pytest.raises(ModelUnavailableError) as caught, as_unavailable("It fails: {cause}."):
        raise OSError("Can't read\n'/srv/models/own/vocab.txt' of a/b, see https://host.org/docs/x.")
    assert str(caught.value) == "It fails: OSError: 'vocab.txt' of a/b, see https://host.org/docs/x."
