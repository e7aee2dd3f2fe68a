"""Sets of prompts over HTTP: averages of the answers that single analyses give, computed here."""

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient
from tiny_models import write_model_folder

from server.app import create_app
from server.settings import Settings

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
DECODER = "observatory-gpt2-mini"
TEXTS = ["The cat sat.", "A dog ran away.", "The cat sat."]
TEMPLATE, FILLINGS = "{A} saw {B}.", [{"A": "Mary", "B": "a cat"}, {"A": "Jonathanwick", "B": "Tom"}]
FIGURE = {"as": "figure"}


@pytest.fixture(scope="module")
def settings() -> Settings:
    return Settings(
        device="cpu", hub_models=(), preload=False, max_prompts=3, max_set_tokens=60, max_window_cells=20 * 20
    )


@pytest.fixture(scope="module")
def plain(client: TestClient) -> dict[str, Any]:
    return post(client, prompts=TEXTS).json()


@pytest.fixture(scope="module")
def filled(client: TestClient) -> dict[str, Any]:
    return post(client, template=TEMPLATE, fillings=FILLINGS).json()


def post(client: TestClient, **asked: Any) -> Any:
    return client.post("/api/prompts", json={"model": MINILM, **asked})


def read(client: TestClient, kept: dict[str, Any], what: str, **query: Any) -> Any:
    return client.get(f"/api/prompts/{kept['id']}/{what}", params=query)


def decode(matrix: dict[str, str]) -> np.ndarray:
    shape = tuple(int(size) for size in matrix["shape"].split(","))
    return np.frombuffer(base64.b64decode(matrix["bdata"]), "<" + matrix["dtype"]).reshape(shape)


def weights_alone(client: TestClient, analysis: str, layer: int, head: int) -> np.ndarray:
    query = {"layer": layer, "head": head}
    return decode(client.get(f"/api/analyses/{analysis}/weights", params=query).json()["matrix"])


def test_a_set_names_its_tokens_and_the_analyses_that_single_texts_have(client: TestClient, plain: Any) -> None:
    assert [each["text"] for each in plain["prompts"]] == TEXTS
    assert plain["prompts"][0]["tokens"] == ["[CLS]", "the", "cat", "sat", ".", "[SEP]"]
    assert (plain["longest"], plain["shortest"], plain["aligns"]) == (7, 6, ["start", "end"])
    assert (plain["id"], plain["model"]) == (post(client, prompts=TEXTS).json()["id"], MINILM)
    for each in plain["prompts"]:
        alone = client.post("/api/analyses", json={"model": MINILM, "text": each["text"]}).json()
        assert (alone["id"], len(alone["tokens"])) == (each["analysis"], len(each["tokens"]))


def test_measures_are_averages_of_those_of_single_analyses(client: TestClient, plain: Any) -> None:
    found = read(client, plain, "measures").json()
    assert (found["id"], found["part"]) == (plain["id"], "encoder")
    alone = [client.get(f"/api/analyses/{each['analysis']}").json()["metrics"] for each in plain["prompts"]]
    of_text = ["strongest_weight", "norm_weighted"]
    assert list(found["measures"]) == [*alone[0], *of_text]
    assert found["undefined"] == {
        "induction": "no prompt repeats a token with two others or more in between",
        "duplicate_token": "no prompt repeats a token",
    }
    assert found["metric_info"].keys() > found["measures"].keys() | found["undefined"].keys()
    values = read(client, plain, "values", layer=5, head=11).json()["values"]
    for name in alone[0]:
        summary = found["measures"][name]
        each = np.array([metrics[name] for metrics in alone])
        np.testing.assert_allclose(summary["mean"], each.mean(axis=0), atol=1e-6)
        np.testing.assert_allclose(summary["deviation"], each.std(axis=0), atol=1e-6)
        assert (summary["least"], summary["most"]) == (each.min(axis=0).tolist(), each.max(axis=0).tolist())
        assert summary["count"] == 3
        assert values[name] == each[:, 5, 11].tolist()
    assert read(client, plain, "progress").json() == {"done": 3, "total": 3}


def test_weights_are_averaged_over_aligned_positions(client: TestClient, plain: Any, filled: Any) -> None:
    alone = [weights_alone(client, each["analysis"], 5, 11) for each in plain["prompts"]]
    start = read(client, plain, "weights", layer=5, head=11).json()
    padded = np.stack([np.pad(each, (0, 7 - len(each)), constant_values=np.nan) for each in alone])
    np.testing.assert_allclose(decode(start["mean"]), np.nanmean(padded, axis=0), atol=1e-6)
    np.testing.assert_allclose(decode(start["deviation"]), np.nanstd(padded, axis=0), atol=1e-6)
    assert (decode(start["counts"]) == (~np.isnan(padded)).sum(axis=0)).all()
    assert (start["prompts"], start["shape"], start["align"]) == (3, [7, 7], "start")
    end = read(client, plain, "weights", layer=5, head=11, align="end", encoding="json").json()
    padded = np.stack([np.pad(each, (7 - len(each), 0), constant_values=np.nan) for each in alone])
    np.testing.assert_allclose(end["mean"], np.nanmean(padded, axis=0), atol=1e-6)
    assert [each["count"] for each in end["positions"]] == [1, 3, 3, 3, 3, 3, 3]

    slots = read(client, filled, "weights", layer=5, head=11, align="slots").json()
    one, two = (weights_alone(client, each["analysis"], 5, 11) for each in filled["prompts"])
    assert filled["prompts"][0]["tokens"] == ["[CLS]", "mary", "saw", "a", "cat", ".", "[SEP]"]
    assert filled["prompts"][1]["tokens"] == ["[CLS]", "jonathan", "wick", "saw", "tom", ".", "[SEP]"]
    assert [each["slot"] for each in slots["positions"]] == [None, "A", None, "B", None, None]
    from_b_to_a = [one[3:5, 1:2].sum(axis=1).mean(), two[4:5, 1:3].sum(axis=1).mean()]
    assert decode(slots["mean"])[3, 1] == pytest.approx(np.mean(from_b_to_a), abs=1e-6)
    assert decode(slots["deviation"])[3, 1] == pytest.approx(np.std(from_b_to_a), abs=1e-6)
    cell = read(client, filled, "cell", align="slots", query=3, key=1).json()
    assert cell["mean"][5][11] == pytest.approx(np.mean(from_b_to_a), abs=1e-6)
    others = [one[[0, 2, 5, 6], 1].mean(), two[[0, 3, 5, 6], 1:3].sum(axis=1).mean()]
    assert cell["above"]["mean"][5][11] == pytest.approx(np.mean(from_b_to_a) - np.mean(others), abs=1e-6)
    assert cell["values"] is None
    one_head = read(client, filled, "cell", align="slots", query=3, key=1, layer=5, head=11).json()
    assert one_head["values"] == pytest.approx(from_b_to_a, abs=1e-6)
    assert (cell["count"], cell["align"], np.shape(cell["mean"])) == (2, "slots", (6, 12))


@pytest.mark.full
def test_expected_answers_are_rated_as_single_analyses_do(client: TestClient, assert_error: Any) -> None:
    """By the candidates that an analysis lists; the core's test has the library's own softmax."""
    asked = {"model": DECODER, "template": "The {A} sat on the", "fillings": [{"A": "cat"}, {"A": "dog"}]}
    alone = [client.post("/api/analyses", json={"model": DECODER, "text": f"The {each} sat on the"}).json()
             for each in ("cat", "dog")]  # fmt: skip
    candidates = [each["predictions"][0]["candidates"] for each in alone]
    wanted = candidates[0][2]
    kept = post(client, **asked, answers=[wanted["id"]]).json()
    assert [each["answer"] for each in kept["prompts"]] == [{"id": wanted["id"], "text": wanted["text"]}] * 2
    assert (kept["parts"], kept["prompts"][0]["target_text"]) == (["decoder"], None)
    found = read(client, kept, "answers").json()
    assert found["answers"][0]["rank"] == 3
    assert found["answers"][0]["probability"] == pytest.approx(wanted["probability"], rel=1e-5)
    both = [each["probability"] for each in found["answers"]]
    assert found["probability"] == pytest.approx(
        {"mean": np.mean(both), "deviation": np.std(both), "least": min(both), "most": max(both)}
    )
    assert found["best"] == sum(each["rank"] == 1 for each in found["answers"])
    assert_error(post(client, prompts=["a"], answers=["b"]), 409, "model_unavailable", "answers")
    plain = post(client, **asked).json()
    assert plain["id"] != kept["id"]
    assert_error(read(client, plain, "answers"), 422, "out_of_range", "answers")


@pytest.mark.full
def test_effects_are_averages_of_those_of_single_analyses(client: TestClient, plain: Any, assert_error: Any) -> None:
    texts = ["The cat sat on the", "Tom met the"]
    kept = post(client, model=DECODER, prompts=texts, answers=["road"]).json()
    token = kept["prompts"][0]["answer"]["id"]
    for effect in ("direct_effect", "attribution"):
        found = read(client, kept, "measures", effect=effect).json()
        each = [
            client.get(
                f"/api/analyses/{one['analysis']}/{effect}",
                params={"position": len(one["tokens"]) - 1, "token": token},
            ).json()
            for one in kept["prompts"]
        ]
        heads = np.array([one["heads"] if effect == "direct_effect" else one["parts"][0]["heads"] for one in each])
        np.testing.assert_allclose(found["measures"][effect]["mean"], heads.mean(axis=0), atol=1e-6)
        np.testing.assert_allclose(found["measures"][effect]["deviation"], heads.std(axis=0), atol=1e-6)
        values = read(client, kept, "values", effect=effect, layer=2, head=3).json()["values"]
        assert values[effect] == pytest.approx(heads[:, 2, 3].tolist())
        assert values["entropy"]
        assert found["metric_info"][effect]["unit"]
    assert_error(read(client, plain, "measures", effect="direct_effect"), 409, "model_unavailable", "model")


@pytest.mark.full
def test_chat_messages_and_the_decoder_s_texts_make_other_analyses(tmp_path: Path, assert_error: Any) -> None:
    folder = write_model_folder(tmp_path, "tiny-llama")
    write_model_folder(tmp_path, "tiny-bart")
    template = "{% for each in messages %}<s>{{ each.role }}: {{ each.content }}</s>{% endfor %}"
    (folder / "chat_template.jinja").write_text(template)
    own = Settings(models_dir=tmp_path, device="cpu", hub_models=(), preload=False)
    with TestClient(create_app(own)) as client:
        asked = {"model": "tiny-llama", "prompts": ["The cat sat.", "A dog"]}
        kept = [
            client.post("/api/prompts", json=asked | more).json()
            for more in ({}, {"chat": True}, {"chat": True, "system_text": "A mat."})
        ]
        assert len({each["id"] for each in kept}) == 3
        lengths = [[len(one["tokens"]) for one in each["prompts"]] for each in kept]
        assert all(one < two < three for one, two, three in zip(*lengths, strict=True))
        asked = {"model": "tiny-llama", "text": "A dog", "chat": True, "system_text": "A mat."}
        assert client.post("/api/analyses", json=asked).json()["id"] == kept[2]["prompts"][1]["analysis"]
        assert list(read(client, kept[2], "measures").json()["measures"])
        assert_error(post(client, prompts=["a"], chat=True), 422, "chat_invalid", "chat")
        asked = {"model": "tiny-bart", "prompts": ["The cat sat.", "A dog"], "target_texts": ["a cat sat. a cat sat."]}
        kept_both = client.post("/api/prompts", json=asked).json()
        assert kept_both["parts"] == ["encoder", "decoder", "cross"]
        found = {part: read(client, kept_both, "measures", part=part).json() for part in kept_both["parts"]}
        assert "induction" in found["decoder"]["measures"]
        assert "cross-attention" in found["cross"]["undefined"]["induction"]
        assert [each["count"] for each in found["encoder"]["measures"].values()][:2] == [2, 2]


def test_its_figures(client: TestClient, filled: Any) -> None:
    figure = read(client, filled, "measures", **FIGURE, draw="entropy_deviation").json()
    deviation = read(client, filled, "measures").json()["measures"]["entropy"]["deviation"]
    np.testing.assert_allclose(decode(figure["data"][0]["z"]) if isinstance(figure["data"][0]["z"], dict) else
                               figure["data"][0]["z"], deviation, atol=1e-6)  # fmt: skip
    figure = read(client, filled, "weights", **FIGURE, layer=5, head=11, align="slots").json()
    assert figure["layout"]["xaxis"]["ticktext"][1:4] == ["1 {A}", "2 saw", "3 {B}"]
    figure = read(client, filled, "cell", **FIGURE, query=3, key=1, align="slots").json()
    assert figure["layout"]["title"]["text"].startswith("Mean over the prompts")


@pytest.mark.full("asked14-out_of_range-answers.1-1")
@pytest.mark.parametrize(
    ("asked", "code", "field", "limit"),
    [
        ({"prompts": ["a"] * 4}, "too_large", "prompts", 3),
        ({"template": "{A}", "fillings": [{"A": "a"}] * 4}, "too_large", "fillings", 3),
        ({"prompts": ["a", " "]}, "text_empty", "prompts.1", None),
        ({"prompts": ["a", "b " * 600]}, "text_too_long", "prompts.1", 512),
        ({"prompts": ["b " * 40] * 2}, "too_large", "prompts.1", 60),
        ({"template": "{A} {B}", "fillings": [{"A": "a"}]}, "out_of_range", "fillings.0", None),
        ({"template": "{A}", "fillings": [{"A": "a" * 201}]}, "invalid_request", "fillings.0.A", 200),
        ({"template": "{A}"}, "invalid_request", "prompts", None),
        ({"prompts": ["a"], "template": "{A}", "fillings": [{"A": "a"}]}, "invalid_request", "prompts", None),
        ({"prompts": []}, "invalid_request", "prompts", 1),
        ({}, "invalid_request", "prompts", None),
        ({"prompts": ["a"], "answers": []}, "invalid_request", "answers", 1),
        ({"prompts": ["a"], "answers": ["b"] * 4}, "too_large", "answers", 3),
        ({"prompts": ["a"], "target_texts": ["b"]}, "out_of_range", "target_texts", None),
        ({"model": DECODER, "prompts": ["a", "b"], "answers": ["the", "the cat"]}, "out_of_range", "answers.1", 1),
    ],
)  # fmt: skip
def test_what_is_refused(client: TestClient, assert_error: Callable[..., str], asked, code, field, limit) -> None:
    message = assert_error(post(client, **asked), 422, code, field, limit)
    if field == "prompts.1":
        assert "2" in message  # the number of the prompt


@pytest.mark.parametrize(
    ("what", "query", "code", "field", "limit"),
    [
        ("weights", {"layer": 6, "head": 0}, "out_of_range", "layer", 5),
        ("weights", {"layer": 0, "head": 12}, "out_of_range", "head", 11),
        ("weights", {"layer": 0, "head": 0, "align": "slots"}, "out_of_range", "align", None),
        ("values", {"layer": 0, "head": 12}, "out_of_range", "head", 11),
        ("weights", {"layer": 0, "head": 0, "part": "cross"}, "out_of_range", "part", None),
        ("measures", {"part": "decoder"}, "out_of_range", "part", None),
        ("cell", {"query": 7, "key": 0}, "out_of_range", "query", 6),
        ("cell", {"query": 0, "key": 7}, "out_of_range", "key", 6),
        ("cell", {"query": 0}, "invalid_request", "key", None),
        ("cell", {"query": 0, "key": 0, "layer": 0}, "invalid_request", "head", None),
        ("cell", {"query": 0, "key": 0, "layer": 0, "head": 12}, "out_of_range", "head", 11),
    ],
)
def test_what_a_set_does_not_have(client: TestClient, plain: Any, assert_error: Any, what, query, code, field, limit):
    assert_error(read(client, plain, what, **query), 422, code, field, limit)


def test_a_set_that_is_not_kept_and_one_with_long_prompts(client: TestClient, assert_error: Any) -> None:
    for what in ("progress", "measures", "values?layer=0&head=0", "weights?layer=0&head=0", "cell?query=0&key=0"):
        assert_error(client.get(f"/api/prompts/{'0' * 32}/{what}"), 404, "prompts_expired", "prompts_id")
    long = post(client, prompts=["a " * 30]).json()
    assert read(client, long, "progress").json() == {"done": 0, "total": 1}
    assert_error(read(client, long, "weights", layer=0, head=0), 422, "window_too_large", "prompts", 400)
