"""Every page's PyTorch code, run in every preset and every precision: it prints the numbers that the API answers."""

import html
import itertools
import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

import numpy as np
import pytest
import torch
from httpx import Response
from printed_numbers import EXPECTED, Answer, numbers
from starlette.testclient import TestClient

from attention_core.precision import DTYPES
from attention_core.pretrained.models.sources import package_folders

SCRIPT = Path(__file__).with_name("pytorch_snippets.js")
PRESETS = re.compile(r'id="presets".*?<p id="notice"', re.DOTALL)
HREF = re.compile(r'href="[^"?]*\?([^"]*)"')
COARSE = ("float16", "bfloat16")


@dataclass
class Case:
    """A page in one state."""

    stem: str
    answer: Answer
    """To the page's own call; `others`: those to further calls, by path; `address`: the state's parameters."""
    code: str


def in_node(file: Path, asked: list[dict[str, Any]]) -> list[dict[str, Any]]:
    file.write_text(json.dumps(asked))
    found = subprocess.run(["node", SCRIPT, file], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    told: list[dict[str, Any]] = json.loads(found.stdout)
    return told


def cases(client: TestClient, file: Path, stem: str, states: list[dict[str, str]]) -> Iterator[Case]:
    """The page in each of these states that the API does not refuse."""

    def ask(call: dict[str, Any]) -> Response:
        path, body = f"/api/{call['stem']}", call.get("body")
        return client.get(path) if body is None else client.post(path, json=body)

    asked = [{"stem": stem, "search": f"?{urlencode(state)}"} for state in states]
    allowed = []
    for state, one, told in zip(states, asked, in_node(file, asked), strict=True):
        own, *answers = [ask(call) for call in [told["own"], *told["calls"]]]
        if all(answer.status_code == HTTPStatus.OK for answer in (own, *answers)):
            pairs = list(zip(told["calls"], answers, strict=True))
            others = {f"/api/{call['stem']}": answer.json() for call, answer in pairs[1:]}
            answer = {**own.json(), "address": state, "others": others}
            allowed.append((answer, {**one, "answers": [answer.json() for answer in answers]}))
    for (answer, one), told in zip(allowed, in_node(file, [one for _, one in allowed]), strict=True):
        yield Case(one["stem"], answer, told["code"])


def presets(client: TestClient, stem: str) -> list[dict[str, str]]:
    links = PRESETS.search(client.get(f"/{stem}").text)
    assert links
    return [dict(parse_qsl(html.unescape(query))) for query in HREF.findall(links[0])]


def run(code: str) -> list[Any]:
    """What the code prints."""
    for model in package_folders():  # as from the hub, without a network
        code = code.replace(json.dumps(model.id), json.dumps(str(model.folder)))
    printed: list[Any] = []
    exec(code, {"print": lambda *values: printed.extend(values)})  # noqa: S102 - our own code
    return [value for value in printed if not isinstance(value, str)]


def check(case: Case) -> None:
    """The code of a state prints the API's numbers, in the state's precision and within its rounding."""
    torch.manual_seed(0)
    with torch.enable_grad():  # which the code may switch off
        printed = run(case.code)
    wanted = EXPECTED[case.stem](case.answer)
    told = f"{case.stem} {case.answer['address']}\n{case.code}"
    assert len(printed) == len(wanted), told
    tolerance = {"rtol": 1e-4, "atol": 2e-6}
    if case.stem == "scoring":
        dtype = DTYPES[case.answer["address"].get("precision", "float64")]
        assert {one.dtype for one in printed} == {dtype}, told
        tolerance = rounding(case.answer, dtype)
    elif case.answer["address"].get("precision") in COARSE:
        tolerance = {"rtol": 2e-2, "atol": 1e-2}
    for got, want in zip(printed, wanted, strict=True):
        both = (np.asarray(one, dtype=np.float64) for one in (plain(got), plain(want)))
        np.testing.assert_allclose(*both, **tolerance, err_msg=told)


def plain(value: Any) -> Any:
    """bfloat16 is none of numpy's formats."""
    return value.detach().double() if isinstance(value, torch.Tensor) else value


def rounding(answer: Answer, dtype: torch.dtype) -> dict[str, float]:
    """Of a weight: a step of its format, as often as scores are rounded, and as much more as they are large."""
    epsilon, finite = torch.finfo(dtype).eps, numbers(answer["scaled_scores"])
    largest = float(np.abs(answer["values"]).max())
    return {"rtol": 4 * epsilon * (1 + float(np.abs(finite).max())), "atol": 2 * epsilon * max(1, largest)}


def choices(tmp_path: Path, stem: str, field: str) -> list[str]:
    [told] = in_node(tmp_path / "asked.json", [{"stem": stem, "search": "?"}])
    found: list[str] = told["choices"].get(field, [])
    return found


@pytest.mark.full
@pytest.mark.parametrize("stem", EXPECTED)
def test_the_code_of_every_preset_and_view_prints_the_page_s_numbers_in_every_precision(
    client: TestClient, tmp_path: Path, stem: str
) -> None:
    precisions = choices(tmp_path, stem, "precision") or [None]
    views = [{"view": view} for view in choices(tmp_path, stem, "view")]
    found = presets(client, stem)
    states = [
        {**state, "precision": precision} if precision else state
        for state, precision in itertools.product([*found, *views], precisions)
    ]
    seen = list(cases(client, tmp_path / "asked.json", stem, states))
    assert len(seen) == len(states) > 0
    for case in seen:
        check(case)


SIX = {
    "queries": "0.5_-1.2__1.4_0.3__-0.9_0.7",
    "keys": "1.1_-0.4__-0.7_1.3__0.3_0.9__0.2_-0.8",
    "values": "0.2_1_-0.8__1.6_-0.5_0.4__-1.1_0.6_1.2__0.1_0.2_0.3",
    "bias": "1_0_0.5_0__0_0_0_-1__0.3_0_0_0",
    "allowed": "0_0_0_0__1_1_0_0__1_0_1_1",
    "temperature": "0.7",
}
"""Three queries, four keys: numbers that round differently in every format."""


@pytest.mark.full
def test_the_lab_s_code_prints_the_api_s_numbers_with_every_combination_of_its_controls(
    client: TestClient, tmp_path: Path
) -> None:
    names = ("precision", "mask", "beside", "mechanism", "position")
    precisions, masks, besides, mechanisms, positions = (choices(tmp_path, "scoring", name) for name in names)
    combined = [
        *itertools.product(precisions, masks, besides, ["scaled_dot"], ["none"]),
        *itertools.product(precisions, masks, ["unscaled", "soft_mask"], mechanisms, positions),
    ]
    states = [{**SIX, **dict(zip(names, one, strict=True)), "biased": str(at % 2)} for at, one in enumerate(combined)]
    seen = list(cases(client, tmp_path / "asked.json", "scoring", states))
    assert len(seen) > 0.9 * len(states)
    for case in seen:
        check(case)
