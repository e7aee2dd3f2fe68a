"""Translate pydantic's validation errors, identified by their type and not their text."""

from collections.abc import Callable, Mapping
from typing import Any

from attention_core.refusal import Sentence

OURS = {
    "union_tag_invalid": Sentence("must be one of {expected_tags}"),  # pydantic's own message repeats the input
    "extra_forbidden": Sentence("is not a field of this request"),
    "too_short": Sentence("must have at least {bound} items, not {actual_length}"),
}
"""Messages that replace pydantic's, also in English."""
EMPTY = Sentence("must not be empty")
OBJECT = Sentence("Input should be a valid dictionary")
INTEGER = Sentence("Input should be a valid integer")
THEIRS = {
    "missing": Sentence("Field required"),
    "repeated": Sentence("must be given once"),
    "float_type": Sentence("Input should be a valid number"),
    "float_parsing": Sentence("Input should be a valid number, unable to parse string as a number"),
    "finite_number": Sentence("Input should be a finite number"),
    "int_type": INTEGER,
    "int_from_float": INTEGER,
    "int_parsing": Sentence("Input should be a valid integer, unable to parse string as an integer"),
    "int_parsing_size": INTEGER,
    "string_type": Sentence("Input should be a valid string"),
    "string_unicode": Sentence("Input should be a valid string, unable to parse raw data as a unicode string"),
    "bool_type": Sentence("Input should be a valid boolean"),
    "bool_parsing": Sentence("Input should be a valid boolean, unable to interpret input"),
    "list_type": Sentence("Input should be a valid list"),
    "dict_type": OBJECT,
    "model_type": OBJECT,
    "model_attributes_type": OBJECT,
    "greater_than": Sentence("Input should be greater than {bound}"),
    "greater_than_equal": Sentence("Input should be greater than or equal to {bound}"),
    "less_than": Sentence("Input should be less than {bound}"),
    "less_than_equal": Sentence("Input should be less than or equal to {bound}"),
    "multiple_of": Sentence("Input should be a multiple of {bound}"),
    "literal_error": Sentence("Input should be {expected}"),
    "none_required": Sentence("Input should be None"),
    "too_long": Sentence("Input should have at most {bound} items, not {actual_length}"),
    "string_too_short": Sentence("String should have at least {bound} characters"),
    "string_too_long": Sentence("String should have at most {bound} characters"),
    "string_pattern_mismatch": Sentence("String should match pattern '{pattern}'"),
    "union_tag_not_found": Sentence("Unable to extract tag using discriminator {discriminator}"),
    "text_invalid": Sentence("the text holds half a surrogate pair"),
}
"""Templates to translate in place of pydantic's messages, which are used in English and for other types."""


class _Theirs(Sentence):
    __slots__ = ("words",)

    def __init__(self, words: str, template: str, /, **named: object) -> None:
        super().__init__(template, **named)
        self.words = words

    def translated(self, translate: Callable[[str], str]) -> str:
        return self.words if translate(self.template) == self.template else super().translated(translate)


def what_is_wrong(kind: str, words: str, context: Mapping[str, Any], bound: int | float | None) -> Sentence:
    """The type of an error, its message, what it names, and the exceeded limit."""
    if kind in ("too_short", "string_too_short") and bound == 1:
        return EMPTY
    if kind in OURS:
        return Sentence(OURS[kind].template, **{**context, "bound": bound})
    words = words.removeprefix("Value error, ").rstrip(".")
    if kind not in THEIRS:
        return Sentence("{words}", words)
    plain = f"{bound:f}".rstrip("0").rstrip(".") if isinstance(bound, float) else bound
    return _Theirs(words, THEIRS[kind].template, **{**context, "bound": plain})
