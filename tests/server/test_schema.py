"""The API conforms to its OpenAPI document (schemathesis).

Seeded and small here; `SCHEMA_SEED=7 SCHEMA_EXAMPLES=100` choose another seed and a long run (see CONTRIBUTING.md).
"""

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import schemathesis
from atlas_folders import FakeAtlas, write_atlas
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import events, from_schema
from schemathesis.python import asgi
from starlette.testclient import TestClient
from tiny_models import write_model_folder

from server.app import create_app
from server.settings import Settings

SEED = int(os.environ.get("SCHEMA_SEED", "1"))
EXAMPLES = int(os.environ.get("SCHEMA_EXAMPLES", "4"))
IS_LONG = "SCHEMA_EXAMPLES" in os.environ

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
MODELS = [MINILM, "tiny-gpt2", "tiny-t5"]
"""An encoder, a decoder, and both."""
ATLASES = ["00000000000000a1", "00000000000000a2"]
TEXT = "The cat sat on the mat because it was tired."
METHODS = ["get", "put", "post", "delete", "options", "patch", "trace"]
CHEAP = r"^/(healthz|readyz|api/(oembed|models|training|softmax|claims|analyses/\{analysis_id\}/tokens))"
"""Operations small enough for schemathesis's systematic phase in the short run: every bound of every field."""

PARTS_DISAGREE = {
    "invalid_value",
    "out_of_range",
    "too_large",
    "text_too_long",
    "text_empty",
    "chat_invalid",
    "needs_text",
    "not_a_number",
    "image_invalid",
    "tensors_invalid",
    "intervention_invalid",
    "no_circuits",
    "corpus_invalid",
    "corpus_too_large",
}
"""Refusals of what JSON schema cannot say: sizes that must agree, an index beyond this text, work in all, content of
files. Everything else is said by the schema, and a refusal with any other code is a fault of one or the other."""


@dataclass
class Outcome:
    """What came of many requests."""

    requests: Counter[str] = field(default_factory=Counter)
    """By mode and hundred of the status, as ``positive 200``."""
    faults: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Any:
    models = tmp_path_factory.mktemp("models")
    for name in ("tiny-gpt2", "tiny-t5"):
        write_model_folder(models, name)
    atlases = tmp_path_factory.mktemp("atlases")
    for atlas_id, seed in zip(ATLASES, (0, 1), strict=True):
        write_atlas(atlases, FakeAtlas(id=atlas_id, layers=2, heads=4, windows=2, sampled=20, seed=seed))
    return create_app(
        Settings(
            device="cpu", hub_models=(), preload=False, models_dir=models, atlases_dir=atlases,
            training_runs=2 if IS_LONG else 0, scans=1 if IS_LONG else 0,
        )
    )  # fmt: skip


@pytest.fixture(scope="module")
def document(app: Any) -> dict[str, Any]:
    """The OpenAPI document, but ids are those of analyses and models that there are."""
    document = json.loads(json.dumps(app.openapi()))
    _separate_figures(document)
    analyses, prompts = _analyse(app), _post_prompts(app)
    for path, parameter in _parameters(document):
        if parameter["name"] == "analysis_id":
            parameter["schema"] |= {"enum": analyses}
        if parameter["name"] == "prompts_id":
            parameter["schema"] |= {"enum": prompts}
        if parameter["name"] in {"atlas_id", "other"} and "/atlases/" in path:
            parameter["schema"] |= {"enum": ATLASES}
    for name in (
        "PostAnalysis",
        "ContextRequest",
        "EmbeddingRequest",
        "ParityRequest",
        "LoadRequest",
        "PostPrompts",
        "PatchingRequest",
        "PathPatchingRequest",
    ):
        document["components"]["schemas"][name]["properties"]["model"] |= {"enum": MODELS}
    for name in ("ModelLayer", "ModelHead"):  # of encoders alone
        document["components"]["schemas"][name]["properties"]["model"] |= {"enum": [MINILM]}
    return document


@pytest.mark.full
def test_requests_made_from_the_schema_are_answered_as_it_says(app: Any, document: dict[str, Any]) -> None:
    outcome = _run(app, document, modes="all", examples=EXAMPLES)
    assert not outcome.faults, "\n\n".join(outcome.faults)
    assert outcome.requests["positive 200"] > len(document["paths"])
    assert outcome.requests["negative 400"] > len(document["paths"])


@pytest.mark.full
def test_every_bound_is_where_the_schema_says(app: Any, document: dict[str, Any]) -> None:
    outcome = _run(app, document, modes="all", phase="coverage", paths="." if IS_LONG else CHEAP)
    assert not outcome.faults, "\n\n".join(outcome.faults)
    assert outcome.requests["negative 400"] > len(document["paths"])


@pytest.mark.full
def test_looks_at_an_analysis_within_its_sizes_are_all_given(app: Any, document: dict[str, Any]) -> None:
    """Of an encoder and a decoder of at least 2 layers, 4 heads and 8 tokens."""
    narrow = json.loads(json.dumps(document))
    most = {"layer": 1, "head": 3} | dict.fromkeys(("query", "key", "index", "position", "token", "against"), 7)
    for path, parameter in _parameters(narrow):
        name, schema = parameter["name"], parameter["schema"]
        for kind in (schema, *schema.get("anyOf", ())):
            if kind.get("type") == "integer" and name in most:
                kind["maximum"] = most[name]
        if name == "analysis_id":
            schema["enum"] = schema["enum"][:2] if "logit" not in path and "direct" not in path else schema["enum"][1:2]
    outcome = _run(app, narrow, modes="positive", examples=3 * EXAMPLES, paths=r"^/api/analyses/\{analysis_id\}")
    assert not outcome.faults, "\n\n".join(outcome.faults)
    assert outcome.requests["positive 200"] > outcome.requests["positive 400"] / 2


def _separate_figures(document: dict[str, Any]) -> None:
    """Figures as operations of their own, at the addresses that they once had; those still answer.

    OpenAPI cannot say that a parameter counts with another one alone, and what is drawn is looked at in figures only.
    """
    shared = document["components"].pop("parameters")
    for path, operations in list(document["paths"].items()):
        for method, operation in operations.items():
            given = [
                shared[each["$ref"].rpartition("/")[2]] if "$ref" in each else each
                for each in operation.get("parameters", ())
            ]
            numbers = [each for each in given if each["name"] != "draw" and each not in shared.values()]
            if len(numbers) < len(given):
                drawn = {"application/json": {"schema": {"$ref": "#/components/schemas/Figure"}}}
                said = operation["responses"] | {"200": operation["responses"]["200"] | {"content": drawn}}
                figure = [each for each in given if each["name"] not in {"as", "encoding"}]
                twin = {**operation, "operationId": f"{operation['operationId']}_figure", "responses": said}
                twins = document["paths"].setdefault(f"{path}/figure", {})
                twins[method] = json.loads(json.dumps(twin | {"parameters": figure}))
            operation["parameters"] = numbers


def _analyse(app: Any) -> list[str]:
    """Ids of one analysis by each model, always the same; each run of schemathesis starts the application anew."""
    with asgi.get_client(app) as client:
        return [client.post("/api/analyses", json={"model": each, "text": TEXT}).json()["id"] for each in MODELS]


def _post_prompts(app: Any) -> list[str]:
    """Ids of a set of texts and of one from a template, always the same."""
    asked = (
        {"prompts": [TEXT, "A cat."]},
        {"template": "{A} sat.", "fillings": [{"A": "Cats"}, {"A": "Jonathanwick"}]},
    )
    with asgi.get_client(app) as client:
        return [client.post("/api/prompts", json={"model": MINILM, **each}).json()["id"] for each in asked]


def _parameters(document: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, operations in document["paths"].items():
        for operation in operations.values():
            for parameter in operation.get("parameters", ()):
                yield path, parameter


def _run(
    app: Any, document: Mapping[str, Any], *, modes: str, phase: str = "fuzzing", examples: int = 1, paths: str = "."
) -> Outcome:
    names = ("examples", "coverage", "fuzzing", "stateful")
    phases: dict[str, dict[str, Any]] = {name: {"enabled": name == phase} for name in names}
    phases["coverage"]["unexpected-methods"] = METHODS
    generation = {"max-examples": examples, "no-shrink": True, "mode": modes, "database": "none"}
    config = SchemathesisConfig.from_dict(
        {"seed": SEED, "continue-on-failure": True, "generation": generation, "phases": phases, "request-timeout": 120}
    )
    schema = schemathesis.openapi.from_dict(dict(document), config=config)
    schema.app = app
    _analyse(app)
    _post_prompts(app)
    outcome = Outcome()
    for event in from_schema(schema.include(path_regex=paths)).execute():
        if isinstance(event, events.NonFatalError | events.FatalError):
            outcome.faults.append(str(event))
        if isinstance(event, events.ScenarioFinished):
            for case_id, interaction in event.recorder.interactions.items():
                _judge(outcome, event.recorder, case_id, interaction)
    return outcome


def _judge(outcome: Outcome, recorder: Any, case_id: str, interaction: Any) -> None:
    case, response = recorder.cases[case_id].value, interaction.response
    mode = case.meta.generation.mode.value
    outcome.requests[f"{mode} {response.status_code // 100 * 100}"] += 1
    for check in recorder.checks.get(case_id, ()):
        if check.status.name == "FAILURE" and not _is_excused(check.name, interaction):
            body = (interaction.request.body or b"")[:2_000]
            outcome.faults.append(
                f"{check.name}: {interaction.request.method} {interaction.request.uri}\n{body!r}\n"
                f"{response.status_code} {response.content[:500]!r}\n{check.failure_info.failure.message[:1_000]}"
            )


def _is_excused(check: str, interaction: Any) -> bool:
    """What schemathesis counts as a fault and is none."""
    response = interaction.response
    if check == "not_a_server_error":
        return response.status_code == 503 and "retry-after" in response.headers
    if check == "negative_data_rejection":
        # Refused before it was read; or asked how far it has come, where nothing is computed and no index looked at.
        return response.status_code == 413 or _is_not_begun(interaction)
    return check == "positive_data_acceptance" and response.status_code == 422 and _no_schema_says_it(interaction)


def _is_not_begun(interaction: Any) -> bool:
    path = urlsplit(interaction.request.uri).path
    return path.endswith("/progress") and json.loads(interaction.response.content) == {"done": 0, "total": None}


def _no_schema_says_it(interaction: Any) -> bool:
    """Whether a refusal is about parts that do not fit each other, as far as the request itself shows it."""
    error = json.loads(interaction.response.content)["error"]
    query = {name: values[-1] for name, values in parse_qs(urlsplit(interaction.request.uri).query).items()}
    if error["code"] == "invalid_request":
        if interaction.request.body:
            return _is_ragged(_at(json.loads(interaction.request.body), error["field"]))
        return error["field"] not in query  # a parameter that another one needs
    if error["code"] == "too_large" and interaction.request.body:
        asked = _at(json.loads(interaction.request.body), error["field"])
        size = len(asked) if isinstance(asked, list | str) else asked
        return not isinstance(size, int | float) or size <= error["limit"]  # else it is one number's own bound
    return error["code"] in PARTS_DISAGREE


def _at(body: Any, path: str | None) -> Any:
    for step in (path or "").split("."):
        if isinstance(body, list) and step.isdecimal():
            body = body[int(step)]
        else:
            body = body.get(step) if isinstance(body, dict) else None
    return body


def _is_ragged(rows: Any) -> bool:
    """Nested lists that are not as long everywhere on each level."""
    if not isinstance(rows, list) or not any(isinstance(row, list) for row in rows):
        return False
    lengths = {len(row) if isinstance(row, list) else None for row in rows}
    return len(lengths) > 1 or any(map(_is_ragged, rows)) or _is_ragged([cell for row in rows for cell in row])


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/api/models/loading", "DELETE, GET, HEAD, OPTIONS"),
        ("GET", "/api/analyses", "OPTIONS, POST"),
        ("GET", "/api/analyses/image", "OPTIONS, POST"),
        ("POST", "/api/training/0123456789ab/events", "GET, HEAD, OPTIONS"),
        ("PATCH", "/rope", "GET, HEAD, OPTIONS"),
    ],
)
def test_a_method_that_is_not_there_is_told_which_are(
    client: TestClient, assert_error: Callable[..., str], method: str, path: str, allowed: str
) -> None:
    answer = client.request(method, path)
    assert_error(answer, 405, "method_not_allowed")
    assert answer.headers["allow"] == allowed
    options = client.options(path)
    assert (options.status_code, options.headers["allow"], options.content) == (204, allowed, b"")


def test_head_is_get_without_its_body(client: TestClient) -> None:
    for path in ("/healthz", "/api/kv_cache/presets", "/rope"):
        head, get = client.head(path), client.get(path)
        assert (head.status_code, head.content) == (200, b"")
        assert head.headers["content-type"] == get.headers["content-type"]


@pytest.mark.full
def test_limits_that_are_settings_stand_in_the_schema() -> None:
    settings = Settings(
        device="cpu", hub_models=(), preload=False, max_characters=70, max_concept_tokens=50, max_concept_cells=90
    )
    schemas = create_app(settings).openapi()["components"]["schemas"]
    assert schemas["PostAnalysis"]["properties"]["text"]["maxLength"] == 70
    assert schemas["ScoringRequest"]["properties"]["queries"]["maxItems"] == 50
    assert schemas["AlibiRequest"]["properties"]["seq_len"]["maximum"] == 50
    assert schemas["OrderRequest"]["properties"]["words"]["anyOf"][0]["maxItems"] == 9  # 9² ≤ 90 < 10²
    assert schemas["KernelRequest"]["properties"]["num_points"]["maximum"] == 3  # 9 · 3² ≤ 90 < 9 · 4²
    assert "x-limit" not in json.dumps(schemas)


@pytest.mark.full
def test_what_may_be_left_out_says_what_it_is_then(app: Any) -> None:
    schemas = app.openapi()["components"]["schemas"]
    assert schemas["ScoringRequest"]["properties"]["bias"]["default"] is None
    assert schemas["ScoringRequest"]["properties"]["temperature"]["default"] == 1
    assert "default" not in schemas["ScoringRequest"]["properties"]["queries"]
    assert "default" not in schemas["ScoringAnswer"]["properties"]["mask"]


def test_the_schema_says_that_arrows_have_two_coordinates(client: TestClient, assert_error: Any) -> None:
    weights = {"query_weight": [[1.0, 0.0]], "key_weight": [[1.0, 0.0]], "combine": [1.0]}
    body = {"query_angles_deg": [0.0], "mechanism": "additive", "additive": {"weights": weights}}
    assert client.post("/api/circle", json=body).status_code == 200
    weights["key_weight"] = [[1.0]]
    refused = client.post("/api/circle", json=body)
    assert_error(refused, 422, "invalid_request", "additive.weights.key_weight.0", 2)


def test_a_body_that_is_not_declared_to_be_json_is_refused(client: TestClient, assert_error: Any) -> None:
    body = json.dumps({"scores": [1.0]})
    refused = client.post("/api/softmax", content=body, headers={"Content-Type": "text/plain"})
    assert_error(refused, 415, "unsupported_media_type", "body")
    assert client.post("/api/softmax", content=body, headers={"Content-Type": "application/json"}).status_code == 200


@pytest.mark.full("hide_special=yes-hide_special")
@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("hide_special=yes", "hide_special"),
        ("hide_special=1", "hide_special"),
        ("count=1_0", "count"),
        ("count=%202", "count"),
        ("count=2&count=3", "count"),
    ],
)
def test_parameters_are_spelt_as_in_json(client: TestClient, assert_error: Any, query: str, field: str) -> None:
    path = f"/api/analyses/{client.post('/api/analyses', json={'model': MINILM, 'text': TEXT}).json()['id']}/tokens"
    assert client.get(f"{path}/2?count=2.0&hide_special=true&words=false").status_code == 200
    assert client.get(f"{path}/2?hide_special=True&words=False").status_code == 200  # as Python writes them
    assert_error(client.get(f"{path}/2?{query}"), 422, "invalid_request", field)
    assert_error(client.get(f"{path}/1_0"), 422, "invalid_request", "index")


def test_caches_editors_and_monitors_may_add_parameters_of_their_own(client: TestClient) -> None:
    address = {"url": "http://testserver/rope", "maxwidth": 500, "dnt": 1}
    assert client.get("/api/oembed", params=address).status_code == 200
    assert client.get("/healthz?once=17").status_code == 200
    assert client.get("/metrics?once=17").status_code == 200
    assert client.get("/api/models?once=17").status_code == 200


def test_a_whole_number_may_be_written_with_a_point(client: TestClient, assert_error: Any) -> None:
    answer = client.post("/api/kv_cache/steps", json={"prefill": 2.0, "chunks": [1.0]})
    assert [step["new"] for step in answer.json()["steps"]] == [2, 1]
    for number in (2.5, True, "2"):
        assert_error(client.post("/api/kv_cache/steps", json={"prefill": number}), 422, "invalid_request", "prefill")


def test_weights_of_a_row_that_no_float_can_add_up_are_refused(client: TestClient, assert_error: Any) -> None:
    change = {"kind": "replace_row", "layer": 0, "heads": "all", "query": 0, "weights": [1e308, 1e308]}
    body = {"model": MINILM, "text": "cat", "interventions": [change]}
    assert_error(client.post("/api/analyses", json=body), 422, "invalid_request", "interventions.0.weights.0", 1e9)


def test_a_base_that_is_hardly_above_1_has_its_scalings(client: TestClient) -> None:
    body = {"dim": 382, "base": 1 + 2**-52, "factor": 6e5, "trained_length": 2.7e8, "positions": [20.0]}
    answer = client.post("/api/rope/scaling", json=body)
    assert answer.status_code == 200, answer.text
    assert all(len(each["frequencies"]) == 191 for each in answer.json()["scalings"])
