"""Field types of requests: finite numbers, bounded sizes, valid text.

Types bound single values; the work of a request is bounded by the operator's settings and checked where the sizes are
known (``check_tokens``, ``check_cells``).
"""

from math import prod
from typing import Annotated, Any, ClassVar, Literal, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from attention_core.refusal import InvalidValueError
from ..settings import Settings
from ..web.errors import ApiError
from ..web.openapi.schema_rules import UpTo

MAX_MAGNITUDE = 1e9
"""Largest absolute value in a request: products and sums of such numbers stay finite in float32."""
MAX_ROWS = 16_384
"""Rows of a matrix; the settings bound it further."""
MAX_WIDTH = 4_096
"""Numbers in a vector or in a matrix's row."""
MAX_NAME = 200
"""Characters of an id."""
MAX_TEMPERATURE = 1e6
MIN_TEMPERATURE = 1e-6
MAX_SEED = 2**32 - 1
FAILING_FAST = frozenset({"list", "tuple", "set", "frozenset"})


def whole(value: object) -> object:
    """Convert a whole float to an int."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _read_carefully(schema: Any) -> Any:
    """The core schema with fail-fast lists and ``int`` fields that accept whole floats."""
    if isinstance(schema, list | tuple):
        return type(schema)(map(_read_carefully, schema))
    if not isinstance(schema, dict):
        return schema
    if schema.get("type") == "int":
        return core_schema.no_info_before_validator_function(whole, cast(CoreSchema, schema))
    if schema.get("type") == "function-before" and schema["function"]["function"] is whole:
        return schema
    read = {name: part if name == "metadata" else _read_carefully(part) for name, part in schema.items()}
    return read | {"fail_fast": True} if schema.get("type") in FAILING_FAST else read


class RequestModel(BaseModel):
    """Base of request models: no unknown fields, no infinities, no coercion (``"3"`` and ``true`` are not numbers).

    Validation of a list stops at the first error.
    """

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, frozen=True)
    body_limit: ClassVar[str] = "max_concept_bytes"
    """The setting that bounds a body of this type, if its own bounds are larger."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Pydantic's schema, but lists fail fast, and ``2.0`` is an integer, as in JSON schema."""
        return _read_carefully(handler(source))


def real_text(text: str) -> str:
    r"""Refuse an unpaired surrogate (``"\ud800"``): valid JSON, but not encodable as text."""
    if not text.isprintable():  # the common case is decided without a copy
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise PydanticCustomError("text_invalid", "the text holds half a surrogate pair") from None
    return text


def _rectangular(rows: list[list[float]]) -> list[list[float]]:
    width = len(rows[0])
    for index, row in enumerate(rows):
        if len(row) != width:
            raise InvalidValueError(
                "every row must have the same length; row {index} has {given} numbers and row 0 has {width}",
                index,
                len(row),
                width,
            )
    return rows


Text = Annotated[str, AfterValidator(real_text)]
"""Any text."""
LongText = Annotated[Text, UpTo("max_characters"), Field(json_schema_extra={"minLength": 1, "pattern": r"\S"})]
"""A text for a model (``check_characters``); the core refuses a blank one."""
Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME), AfterValidator(real_text)]
"""An id."""
Number = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=-MAX_MAGNITUDE, le=MAX_MAGNITUDE)]
"""A finite number."""
Vector = Annotated[list[Number], Field(min_length=1, max_length=MAX_WIDTH, fail_fast=True)]
"""At least one finite number."""
MatrixIn = Annotated[
    list[Vector], Field(min_length=1, max_length=MAX_ROWS, fail_fast=True), AfterValidator(_rectangular)
]
"""Rows of finite numbers, all of one length."""
UpToTokens = UpTo("max_concept_tokens")
"""A number of tokens, queries or keys, or a list with one entry for each (``check_tokens``)."""
UpToSquare = UpTo("max_concept_cells", power=2)
"""A number of tokens of which a matrix has as many rows as columns (``check_cells``)."""
Rows = Annotated[MatrixIn, UpToTokens]
"""One vector for each token, query or key."""
PartName = Literal["encoder", "decoder", "cross"]
"""A part of a model with attention of its own; cross: the decoder's attention to the encoder."""
Index = Annotated[int, Field(json_schema_extra={"minimum": 0})]
"""An index into something that the schema does not know; the core says how far it goes, also of numbers below 0."""
AnswerToken = Index | Name
"""A token that a model may answer with: its id, or a text of exactly one token."""
Temperature = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=MIN_TEMPERATURE, le=MAX_TEMPERATURE)]
"""Divisor of the scores: above 0 and within the range of float32."""
Seed = Annotated[int, Field(strict=True, ge=0, le=MAX_SEED)]
"""Seed of all random values, so that equal requests have equal answers."""


def base64_field(description: str) -> Any:
    """A file in base64, as a required field of a body."""
    pattern = "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"
    return Field(
        min_length=1,
        description=description,
        json_schema_extra={"contentEncoding": "base64", "pattern": pattern},
    )


def check_characters(settings: Settings, field: str, text: str | None) -> None:
    """Refuse more characters than ``max_characters``."""
    limit = settings.max_characters
    if text is not None and len(text) > limit:
        raise ApiError(
            422,
            "text_too_long",
            "{field} has {count} characters; this server accepts at most {limit} (OBSERVATORY_MAX_CHARACTERS).",
            len(text),
            field=field,
            limit=limit,
        )


def check_tokens(settings: Settings, field: str, count: int) -> None:
    """Refuse more tokens, queries or keys than ``max_concept_tokens``."""
    if count > settings.max_concept_tokens:
        limit = settings.max_concept_tokens
        raise ApiError(
            422,
            "too_large",
            "{field} has {count} tokens; this server accepts at most {limit} (OBSERVATORY_MAX_CONCEPT_TOKENS).",
            count,
            field=field,
            limit=limit,
        )


def check_cells(settings: Settings, field: str, *shape: int) -> None:
    """Refuse an answer with a matrix of more cells than ``max_concept_cells``; ``shape`` is the largest one's."""
    cells = prod(shape)
    if cells > settings.max_concept_cells:
        limit = settings.max_concept_cells
        size = " × ".join(map(str, shape))
        raise ApiError(
            422,
            "too_large",
            "{field} asks for {size} = {cells} cells; this server allows {limit} (OBSERVATORY_MAX_CONCEPT_CELLS).",
            size,
            cells,
            field=field,
            limit=limit,
        )
