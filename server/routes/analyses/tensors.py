"""Somebody's own weights, or queries, keys and values, looked at like those of a model that ran here."""

import hashlib
import math
from typing import Any

from fastapi import APIRouter, Request

from attention_core.pretrained.inputs.tensor_files import MAX_ENTRIES, read_tensor_file
from attention_core.pretrained.inputs.tensor_json import DTYPES
from attention_core.pretrained.running.analysis import Analysis
from attention_core.pretrained.running.tensor_analysis import analyse_tensors
from ...answers.analyses import AnalysisAnswer, analysis_answer
from ...requests.bodies import BodyRoute
from ...requests.body_room import Room
from ...requests.turns import in_turn
from ...settings import Settings
from ...stores.computation_store import Cancelled
from ...stores.kept_requests import KeptRequest
from ...web.disconnects import unless_disconnected
from ...web.errors import ApiError
from ..dependencies import UPLOADED, Observatory, ObservatoryDep, Recipe, SettingsDep, UploadsDep

router = APIRouter(prefix="/api/tensors", tags=["tensors"], route_class=BodyRoute)

ANSWER_VERSION = 1
"""Part of every id; raised when the same file gets a different answer."""
JSON_ROOM = Room(math.inf, texts=math.inf, names=math.inf, objects=2 * MAX_ENTRIES, arrays=math.inf, values=math.inf)
MOST_NUMBERS = 2**20
"""As JSON; npz and safetensors hold as many as ``max_upload_bytes`` has room for."""
BINARY = {"schema": {"type": "string", "format": "binary"}}
NUMBERS = {"anyOf": [{"type": "number"}, {"type": "boolean"}]}


def _nested(ranks: range) -> list[dict[str, Any]]:
    schemas: list[dict[str, Any]] = [NUMBERS]
    for _ in range(ranks.stop - 1):
        schemas.append({"type": "array", "minItems": 1, "items": schemas[-1]})
    return [schemas[rank] for rank in ranks]


ENCODED = {
    "type": "object",
    "required": ["dtype", "shape", "bdata"],
    "additionalProperties": False,
    "properties": {
        "dtype": {"enum": list(DTYPES)},
        "shape": {
            "anyOf": [
                {"type": "string", "pattern": "^[0-9]{1,9}(,[0-9]{1,9}){0,4}$"},
                {"type": "array", "minItems": 1, "maxItems": 5, "items": {"type": "integer", "minimum": 0}},
            ]
        },
        "bdata": {"type": "string", "contentEncoding": "base64"},
    },
}
NAMES = {"anyOf": [{"type": "null"}, {"type": "array", "minItems": 1, "items": {"type": "string", "maxLength": 1_000}}]}
TENSORS = {
    "type": "object",
    "minProperties": 1,
    "properties": {
        "tokens": NAMES,
        "key_tokens": NAMES,
        "title": {"type": ["string", "null"]},
        "scale": {"type": ["number", "null"]},
    },
    "patternProperties": {
        r"^((encoder|decoder|cross)[._])?(weights|queries|keys|values)$": {
            "anyOf": [*_nested(range(2, 5)), ENCODED, {"type": "null"}]
        },
        r"^((encoder|decoder|cross)[._])?mask$": {
            "anyOf": [*_nested(range(2, 4)), {"enum": ["causal", "none"]}, ENCODED, {"type": "null"}]
        },
    },
    "additionalProperties": False,
}
"""A JSON upload; that sizes agree and that rows are weights no schema can say (``tensors_invalid``)."""
BODY: dict[str, Any] = {
    # Beside two kinds of bodies openapi-python-client forgets an import unless something else can be left out.
    "parameters": [
        {
            "name": "Accept-Language",
            "in": "header",
            "description": "The language of messages.",
            "schema": {"type": "string"},
        }
    ],
    "requestBody": {
        "required": True,
        "description": "An npz file, a safetensors file or a JSON object, whatever the content type says.",
        "content": {
            "application/json": {"schema": TENSORS},
            "application/octet-stream": BINARY,
        },
    },
}


@router.post("", openapi_extra=BODY)
async def post_tensors(
    request: Request, settings: SettingsDep, observatory: ObservatoryDep, uploads: UploadsDep
) -> AnalysisAnswer:
    """Upload tensors; the answer is an analysis, by whose id all further views are requested.

    **Arrays**: `weights` (layers, heads, queries, keys), or `queries` (layers, heads, queries, head size) and `keys`
    (layers, key heads, keys, head size); with either, `values` (layers, key heads, keys, value size). Layers, or layers
    and heads, may be left out. Formats are f2, f4 and f8, in safetensors and JSON also bf16. In JSON an array is nested
    lists or `{"dtype", "shape", "bdata"}`.

    **Beside them**: `tokens`, one for each query; `key_tokens` where another text is read (cross-attention); `scale`
    (1/√head size if not given); `mask`: `causal`, `none` or booleans (queries, keys) or (layers, queries, keys), true
    where reading is allowed; `title`. In npz these are arrays of text or numbers, in safetensors metadata (lists as
    JSON).

    **Encoder–decoder**: put `encoder.`, `decoder.` or `cross.` before the arrays' names. `tokens` are then the
    decoder's, `key_tokens` the encoder's.
    """
    async with uploads.body(request) as data:
        analysis_id = await in_turn(_identify, data)
        analysis = await unless_disconnected(request, _compute(analysis_id, data, settings, observatory))
        await observatory.requests.keep(analysis_id, KeptRequest("tensors", data=data))
    if not observatory.analyses.holds(analysis_id):
        limit = settings.cache_bytes
        raise ApiError(
            413,
            "too_large",
            "These tensors take {nbytes} bytes; this server keeps {limit} (OBSERVATORY_CACHE_BYTES).",
            analysis.nbytes,
            field="body",
            limit=limit,
        )
    return await in_turn(analysis_answer, analysis_id, analysis)


def recipe(settings: Settings) -> Recipe:
    """Reads the tensors of a kept request."""

    async def again(analysis_id: str, kept: KeptRequest, observatory: Observatory) -> Analysis | None:
        if await in_turn(_identify, kept.data) != analysis_id:
            return None
        return await _compute(analysis_id, kept.data, settings, observatory)

    return again


async def _compute(analysis_id: str, data: bytes, settings: Settings, observatory: Observatory) -> Analysis:
    def compute(cancelled: Cancelled) -> Analysis:
        if data.lstrip()[:1] == b"{" and len(data) <= settings.max_body_bytes:
            JSON_ROOM.check(data, most_values=MOST_NUMBERS)
        file = read_tensor_file(data, max_bytes=settings.max_upload_bytes, max_json_bytes=settings.max_body_bytes)
        return analyse_tensors(file, max_tokens=settings.max_tokens, cancelled=cancelled)

    return await observatory.analyses.get_or_compute(analysis_id, compute)


def _identify(data: bytes) -> str:
    """From the content: the same file has the same id, on any server."""
    total = hashlib.sha256(b"%d " % ANSWER_VERSION)
    total.update(data)
    return f"{UPLOADED}{total.hexdigest()[:32]}"
