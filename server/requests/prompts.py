"""A set of prompts in a request: texts, or a template with what fills its slots."""

from typing import Annotated

from pydantic import AfterValidator, ConfigDict, Field

from ..settings import Settings
from ..web.errors import ApiError
from ..web.openapi.schema_rules import ABSENT, GIVEN, UpTo, either
from .bounded import AnswerToken, LongText, Name, RequestModel, check_characters, real_text

MAX_TEMPLATE = 20_000
"""Characters of a template."""
MAX_SLOTS = 64

Filling = Annotated[dict[Name, Name], Field(max_length=MAX_SLOTS)]
"""A word of at most 200 characters for each slot."""


class PostPrompts(RequestModel):
    """Texts, or a template and what fills its slots in each prompt."""

    model_config = ConfigDict(
        json_schema_extra=either(
            {"prompts": GIVEN, "template": ABSENT, "fillings": ABSENT},
            {"template": GIVEN, "fillings": GIVEN, "prompts": ABSENT},
        )
    )
    body_limit = "max_body_bytes"
    """Texts may be long."""

    model: Name = Field(examples=["observatory-gpt2-mini"])
    prompts: Annotated[list[LongText], Field(min_length=1), UpTo("max_prompts")] | None = Field(
        None, description="The texts.", examples=[["Mary gave John a book.", "Anna gave Peter a book."]]
    )
    template: Annotated[str, Field(min_length=1, max_length=MAX_TEMPLATE), AfterValidator(real_text)] | None = Field(
        None, description="A text with slots such as `{A}`.", examples=["{A} and {B} left, and {A} smiled."]
    )
    fillings: Annotated[list[Filling], Field(min_length=1), UpTo("max_prompts")] | None = Field(
        None, description="For each prompt a word for each slot, by its name.", examples=[[{"A": "Mary", "B": "John"}]]
    )
    answers: Annotated[list[AnswerToken], Field(min_length=1), UpTo("max_prompts")] | None = Field(
        None,
        description="The token expected after each prompt, or one for all: an id, or a text of exactly one token, in "
        "which the template's slots are filled. A word is taken with the space before it, if that is one token.",
        examples=[["book"]],
    )
    target_texts: Annotated[list[LongText], Field(min_length=1), UpTo("max_prompts")] | None = Field(
        None,
        description="What the decoder of an encoder–decoder model is given with each prompt, or with all, so that its "
        "attention can be averaged, too; the template's slots are filled.",
    )
    chat: bool = Field(
        False, description="Whether each prompt is a chat message, which the model's chat template puts into its frame."
    )
    system_text: LongText | None = Field(None, description="The system message before each chat message.")


def check_prompts(wanted: PostPrompts, settings: Settings) -> None:
    """Refuse more prompts or longer texts than the operator allows, and half a template."""
    for index, text in enumerate(wanted.prompts or ()):
        check_characters(settings, f"prompts.{index}", text)
    for index, text in enumerate(wanted.target_texts or ()):
        check_characters(settings, f"target_texts.{index}", text)
    check_characters(settings, "system_text", wanted.system_text)
    for field in ("prompts", "fillings", "answers", "target_texts"):
        texts = getattr(wanted, field)
        if texts is not None and len(texts) > settings.max_prompts:
            raise ApiError(
                422,
                "too_large",
                "{field}: {count} prompts; this server accepts at most {limit} (OBSERVATORY_MAX_PROMPTS).",
                len(texts),
                field=field,
                limit=settings.max_prompts,
            )
    if (wanted.prompts is None) == (wanted.template is None) or (wanted.template is None) != (wanted.fillings is None):
        raise ApiError(
            422, "invalid_request", "prompts: give either prompts, or template and fillings.", field="prompts"
        )
