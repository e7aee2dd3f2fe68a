"""Any upload either becomes an analysis or is refused by name, whatever is in it: hypothesis writes the files."""

import contextlib
import io
import json
import struct
import warnings
import zipfile
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
import safetensors.torch
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from attention_core.pretrained.errors import TensorsError, TensorsTooLargeError
from attention_core.pretrained.inputs.tensor_files import read_tensor_file
from attention_core.pretrained.running.tensor_analysis import analyse_tensors

SIZE = st.one_of(
    st.integers(0, 4),
    st.sampled_from([-1, 2**15, 2**31, 2**32, 2**62, 2**63 - 1, 2**63, 2**64, 10**19, 10**30, True, 1.0, None]),
)
SHAPE = st.lists(SIZE, max_size=7)
FORMATS = [
    *("<f4", ">f4", "<f2", "<f8", "<f16", "<i1", "|b1", "<i8", "<u8", "<u2", "<c8", "|O", "<U4", "<U0"),
    *("|S3", "|S0", "|V4", "|V0", "<M8[s]", "<m8[ns]", "<f3", "f4,f4", "(2,)f4"),
]
FORMAT = st.sampled_from([*FORMATS, "T", "float32", "<f4[3]"])
NAMES = ["weights", "queries", "keys", "values", "mask", "cross.weights", "decoder_keys", "encoder.mask"]
LABELS = ["tokens", "key_tokens", "title", "scale"]
NAME = st.sampled_from([*NAMES, *LABELS, "metadata", "weight", "../x", "\0", "猫"])
LITERAL = st.text(alphabet="{}[]()'\",:-~+*.\\ \t\n\0Lfinort0123456789éTrueFalsNedcpahw<>|=U", max_size=40)
CONTENT = st.one_of(st.binary(max_size=64), st.sampled_from([4, 16, 64, 100]).map(bytes), st.just(b"\xff" * 64))
FLOAT = st.one_of(st.floats(width=32), st.sampled_from([0.0, 0.5, 1.0, 1e308, 5e-324]))
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.just(10**400), FLOAT, st.text(max_size=5), st.just("causal")),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=3), inner, max_size=2)),
    max_leaves=12,
)
MATRIX = st.integers(1, 4).flatmap(
    lambda n: st.lists(
        st.lists(st.sampled_from([0, 0.25, 0.5, 1, True]), min_size=n, max_size=n), min_size=1, max_size=4
    )
)
ENCODED = st.fixed_dictionaries(
    {
        "dtype": st.sampled_from(["f2", "bf16", "f4", "f8", "u1", "i4", None, "f" * 99]),
        "shape": st.one_of(SHAPE, SHAPE.map(lambda sizes: ",".join(map(str, sizes))), JSON),
        "bdata": st.one_of(st.sampled_from(["", "AAAA", "AAAAAA==", "?", "=", "AAAAAAAAAAA="]), JSON),
    }
)


def outcome(data: bytes) -> str:
    """How an upload ends: its analysis, or the refusal's code. Anything else that is raised fails the test."""
    try:
        analyse_tensors(read_tensor_file(data, max_bytes=4_096, max_json_bytes=4_096), max_tokens=64)
    except TensorsError as error:
        refusal = error
    else:
        return "analysed"
    assert refusal.field
    assert 0 < len(str(refusal)) < 1_000
    return refusal.code


def archive(entries: list[tuple[str, bytes]], method: int) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as opened, warnings.catch_warnings(action="ignore"):  # of a name twice
        for name, content in entries:
            with contextlib.suppress(ValueError, IndexError):  # names that no archive has
                opened.writestr(f"{name}.npy", content)
    return file.getvalue()


@st.composite
def npy_files(draw: st.DrawFn) -> bytes:
    """One array: numpy's header with strange values, or something else in its place."""
    shape = "(" + "".join(f"{size}," for size in draw(SHAPE)) + ")"
    entries = [f"'descr': '{draw(FORMAT)}'", f"'fortran_order': {draw(st.booleans())}", f"'shape': {shape}"]
    text = draw(st.one_of(st.permutations(entries).map(lambda each: "{" + ", ".join(each) + ", }"), LITERAL))
    header = text.encode("utf-8", "replace")
    version = draw(st.sampled_from([1, 2, 3, 0, 9]))
    length = draw(st.one_of(st.just(len(header)), st.integers(0, 2**16 - 1)))
    said = struct.pack("<H" if version == 1 else "<I", length)
    return b"\x93NUMPY" + bytes([version, 0]) + said + header + draw(CONTENT)


@pytest.mark.full
@settings(max_examples=400, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(NAME, npy_files()), max_size=3), st.sampled_from([0, 8, 12, 14]))
def test_npz(entries: list[tuple[str, bytes]], method: int) -> None:
    outcome(archive(entries, method))


@pytest.mark.full
@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_a_damaged_archive(data: st.DataObject) -> None:
    """Bytes of a good one are changed, mostly in its directory, or it is cut."""
    file = io.BytesIO()
    np.savez(file, weights=np.eye(3, dtype=np.float32)[None], tokens=np.array(["a", "b", "c"]))
    damaged = bytearray(file.getvalue())
    places = st.one_of(st.integers(0, len(damaged) - 1), st.integers(1, 250).map(lambda back: len(damaged) - back))
    for place in data.draw(st.lists(places, max_size=6)):
        damaged[place] = data.draw(st.integers(0, 255))
    outcome(bytes(damaged[: data.draw(st.one_of(st.just(len(damaged)), st.integers(0, len(damaged))))]))


@pytest.mark.full
@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.dictionaries(
        st.one_of(NAME, st.just("__metadata__")),
        st.one_of(
            JSON,
            st.fixed_dictionaries(
                {
                    "dtype": st.sampled_from(["F32", "F16", "BF16", "I64", "U8", "BOOL", "F8_E4M3", "C64", "F4", "X"]),
                    "shape": SHAPE,
                    "data_offsets": st.one_of(st.tuples(SIZE, SIZE), st.sampled_from([(0, 4), (0, 16), (0, 64)])),
                }
            ),
            st.dictionaries(NAME, st.one_of(st.text(max_size=5), JSON.map(json.dumps)), max_size=3),
        ),
        max_size=3,
    ),
    CONTENT,
)
def test_safetensors(header: dict[str, Any], content: bytes) -> None:
    text = json.dumps(header).encode()
    outcome(struct.pack("<Q", len(text)) + text + content)


@pytest.mark.full
@settings(max_examples=400, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(NAME, st.one_of(MATRIX, ENCODED, JSON), max_size=4))
@example({"scale": 10**400})
@example({"weights": {"dtype": "f4", "shape": [0, 2**62, 2**62], "bdata": ""}})
def test_json(fields: dict[str, Any]) -> None:
    outcome(json.dumps(fields).encode("utf-8", "replace"))


@pytest.mark.full
@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.dictionaries(
        st.sampled_from(NAMES),
        st.tuples(st.lists(st.integers(1, 3), max_size=5), st.sampled_from(FORMATS), FLOAT),
        max_size=4,
    ),
    st.booleans(),
)
def test_arrays_that_do_not_fit_together(arrays: dict[str, tuple[list[int], str, float]], as_npz: bool) -> None:
    made = {}
    for name, (shape, form, number) in arrays.items():
        with contextlib.suppress(TypeError, ValueError, OverflowError), np.errstate(all="ignore"):
            made[name] = np.full(shape, number, np.dtype(form))
    if as_npz:
        file = io.BytesIO()
        np.savez(file, **made)
        outcome(file.getvalue())
    else:
        with contextlib.suppress(KeyError, safetensors.SafetensorError):
            outcome(safetensors.numpy.save(made))


@pytest.mark.full
@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(st.one_of(st.binary(max_size=200), st.binary(max_size=100).map(lambda rest: b"PK\x03\x04" + rest)))
def test_any_bytes(data: bytes) -> None:
    assert outcome(data) != "analysed"


def test_good_files_are_analysed() -> None:
    """Else everything above could be refused for one and the same reason."""
    weights = np.tril(np.ones((3, 3), np.float32))
    weights /= weights.sum(-1, keepdims=True)
    file = io.BytesIO()
    np.savez(file, weights=weights)
    for data in (
        file.getvalue(),
        safetensors.numpy.save({"weights": weights}),
        json.dumps({"weights": [[1, 0], [0.5, 0.5]]}).encode(),
    ):
        assert outcome(data) == "analysed"


def test_a_safetensors_header_is_bounded_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is JSON, which takes many times its bytes, whether it lists arrays or is metadata."""
    arrays = {f"a{index}": {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]} for index in range(1_000)}
    lists = {"__metadata__": {"tokens": "[" + "[]," * 20_000 + "[]]"}}
    monkeypatch.setattr(safetensors.torch, "load", None)  # it is not come to
    for header, limit, reason in (
        (arrays, 10_000, "may have up to 10000 bytes"),
        (lists, 10_000, "may have up to 10000 bytes"),
        (arrays, 10**6, "holds 1000 arrays; at most 64"),
    ):
        packed = json.dumps(header).encode()
        with pytest.raises(TensorsTooLargeError, match=reason):
            read_tensor_file(len(packed).to_bytes(8, "little") + packed, max_bytes=2**20, max_json_bytes=limit)
