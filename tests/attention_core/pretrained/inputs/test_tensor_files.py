"""Untrusted tensor files: the three formats agree, and their contents are validated."""

import base64
import io
import json
import re
import struct
import zipfile
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
import safetensors.torch
import torch

from attention_core.pretrained.errors import TensorsError, TensorsTooLargeError
from attention_core.pretrained.inputs.tensor_files import TensorFile, read_tensor_file

MEGABYTE = 2**20
WEIGHTS = np.random.default_rng(0).random((2, 3, 5, 7), dtype=np.float32)
TOKENS = ["the", " cat", "猫", "", "x"]
KEY_TOKENS = list("abcdefg")


def read(data: bytes, max_bytes: int = MEGABYTE, max_json_bytes: int = MEGABYTE) -> TensorFile:
    return read_tensor_file(data, max_bytes=max_bytes, max_json_bytes=max_json_bytes)


def npz(*, compressed: bool = False, **arrays: Any) -> bytes:
    file = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(file, **arrays)
    return file.getvalue()


def as_npz() -> bytes:
    return npz(weights=WEIGHTS, tokens=np.array(TOKENS), key_tokens=np.array(KEY_TOKENS), title="T", scale=0.5)


def as_safetensors() -> bytes:
    metadata = {"tokens": json.dumps(TOKENS), "key_tokens": json.dumps(KEY_TOKENS), "title": "T", "scale": "0.5"}
    return safetensors.numpy.save({"weights": WEIGHTS}, metadata=metadata)


def as_json() -> bytes:
    encoded = {"dtype": "f4", "shape": "2,3,5,7", "bdata": base64.b64encode(WEIGHTS.tobytes()).decode()}
    fields = {"weights": encoded, "tokens": TOKENS, "key_tokens": KEY_TOKENS, "title": "T", "scale": 0.5, "mask": None}
    return json.dumps(fields).encode()


@pytest.mark.parametrize("make", [as_npz, as_safetensors, as_json], ids=["npz", "safetensors", "json"])
def test_each_kind_holds_the_same(make: Any) -> None:
    file = read(make())
    assert list(file.tensors) == ["weights"]
    assert torch.equal(file.tensors["weights"], torch.from_numpy(WEIGHTS))
    assert (file.tokens, file.key_tokens) == (TOKENS, KEY_TOKENS)
    assert (file.title, file.scale, file.masks) == ("T", 0.5, {})


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_number_formats_survive(dtype: torch.dtype) -> None:
    tensor = torch.from_numpy(WEIGHTS).to(dtype)
    assert torch.equal(read(safetensors.torch.save({"weights": tensor})).tensors["weights"], tensor)
    name = {"bfloat16": "bf16"}.get(str(dtype).removeprefix("torch."), f"f{dtype.itemsize}")
    bdata = base64.b64encode(bytes(tensor.flatten().view(torch.uint8).tolist())).decode()
    body = json.dumps({"weights": {"dtype": name, "shape": [2, 3, 5, 7], "bdata": bdata}}).encode()
    got = read(body).tensors["weights"]
    assert got.dtype == dtype
    assert torch.equal(got, tensor)


def test_npz_in_any_layout() -> None:
    for array in (np.asfortranarray(WEIGHTS), WEIGHTS.astype(">f4"), WEIGHTS[:, ::-1].copy()[:, ::-1]):
        for compressed in (False, True):
            assert torch.equal(
                read(npz(weights=array, compressed=compressed)).tensors["weights"], torch.tensor(WEIGHTS)
            )


def test_lists_parts_and_masks_by_name() -> None:
    body = {"cross_queries": [[1, 2]], "cross.keys": [[0.5, 1e3]], "decoder.mask": "causal", "cross.mask": [[True]]}
    file = read(json.dumps(body).encode())
    assert set(file.tensors) == {"cross.queries", "cross.keys", "cross.mask"}
    assert file.tensors["cross.keys"].tolist() == [[0.5, 1e3]]
    assert file.tensors["cross.mask"].dtype == torch.bool
    assert file.masks == {"decoder.mask": "causal"}


def test_what_an_export_adds_is_passed_over() -> None:
    assert set(read(npz(weights=WEIGHTS, metadata="{}", overview=WEIGHTS, layers=[0])).tensors) == {"weights"}


def bomb(says: int, content: bytes = b"") -> bytes:
    """An npz whose one array says it has so many float32 numbers."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f4", "fortran_order": False, "shape": (says,)})
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("weights.npy", header.getvalue() + content)
    return file.getvalue()


@pytest.mark.full
def test_what_unpacks_to_too_much_is_refused_before_it_does() -> None:
    data = bomb(2**26, bytes(2**28))
    assert len(data) < MEGABYTE
    with pytest.raises(
        TensorsTooLargeError, match="more than 1048576 bytes when unpacked; weights alone declares 268435456"
    ):
        read(data)
    with pytest.raises(TensorsTooLargeError, match="weights alone declares 4611686018427387904"):
        read(bomb(2**60))
    half = np.zeros(MEGABYTE // 8 + 1, np.float32)
    with pytest.raises(TensorsTooLargeError, match="more than 1048576 bytes when unpacked; keys alone declares 524292"):
        read(npz(queries=half, keys=half))


@pytest.mark.parametrize(("says", "holds"), [(100, 99), (99, 100), (100, 0)])
def test_an_array_is_as_long_as_it_says(says: int, holds: int) -> None:
    with pytest.raises(TensorsError, match=rf"does not have the {4 * says} bytes"):
        read(bomb(says, bytes(4 * holds)))


class Trap:
    """Unpickling this would be noticed."""

    def __reduce__(self) -> Any:
        return (pytest.fail, ("a pickle was loaded",))


def test_pickles_are_never_loaded() -> None:
    with pytest.raises(TensorsError, match="weights holds Python objects, which are never loaded"):
        read(npz(weights=np.array([Trap()], dtype=object)))
    with pytest.raises(TensorsError, match="neither npz nor safetensors nor a JSON object"):
        read(torch.tensor(1).numpy().dumps())


def corrupted(data: bytes, place: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :]


def encrypted() -> bytes:
    data = bytearray(as_npz())
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.find(signature) + offset] |= 1
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "neither npz nor safetensors nor a JSON object"),
        (b"[1, 2]", "neither npz"),
        (as_npz()[:-30], "damaged or encrypted"),
        (corrupted(as_npz(), 300), "damaged or encrypted"),
        (encrypted(), "damaged or encrypted"),
        (as_safetensors()[:-30], "safetensors file is damaged"),
        (struct.pack("<Q", 2) + b"{]", "safetensors file is damaged"),
        (b'{"weights": [1, 2', "not valid JSON"),
        (b'{"weights": ' + b"[" * 100_000, "not valid JSON"),
        (b"{\xff}", "not valid JSON"),
        (b'{"weights": [[1, 2], [3]]}', "all of the same length"),
        (b'{"weights": [["1"]]}', "not a number"),
        (b'{"weights": [[null]]}', "not a number"),
        (b'{"weights": 3}', "weights is not an array"),
        (b'{"weights": "causal"}', "weights is not an array"),
        (b'{"mask": "sliding"}', "mask must be causal, none or an array"),
        (b'{"weights": []}', "weights is empty"),
        (b'{"weight": [[1]]}', "'weight' is not a name known here"),
        (b'{"<script>": [[1]]}', r"'\?script\?' is not a name known here"),
        (b'{"tokens": "abc"}', "tokens must be a list of strings"),
        (b'{"tokens": ["a", 3]}', r"tokens\.1 must be a string"),
        (
            b'{"tokens": ["\\ud800"]}',
            r"tokens\.0 holds something that is not a character, such as half of a surrogate pair",
        ),
        (b'{"scale": true}', "scale must be a finite number"),
        (b'{"scale": Infinity}', "scale must be a finite number"),
        (b'{"title": 3}', "title must be a string"),
        (b'{"weights": {"dtype": "f4", "shape": "2"}}', "an object of dtype, shape and bdata"),
        (b'{"weights": {"dtype": "i4", "shape": "2", "bdata": ""}}', r"weights\.dtype must be one of f2, bf16, f4, f8"),
        (b'{"weights": {"dtype": "f4", "shape": "x", "bdata": ""}}', r"weights\.shape must be"),
        (b'{"weights": {"dtype": "f4", "shape": [-1, -1], "bdata": ""}}', r"weights\.shape must be"),
        (b'{"weights": {"dtype": "f4", "shape": "2", "bdata": "AAAA"}}', "has 3 bytes; its shape .* needs 8"),
        (b'{"weights": {"dtype": "f4", "shape": "2", "bdata": "?"}}', "is not valid base64"),
        (npz(weights=np.zeros((1, 1), complex)), "number format c16"),
        (npz(weights=np.zeros((1, 1), "M8[s]")), "number format M8"),
        (npz(weights=np.zeros((2, 0))), r"weights is empty: its shape is \(2, 0\)"),
        (npz(tokens=np.array([["a"]])), "tokens must be a list of strings"),
        (npz(tokens=np.array(["\ud800"])), "such as half of a surrogate pair"),
        (npz(**{"../../etc/passwd": np.zeros(1)}), "is not a name known here"),
        (safetensors.torch.save({"weights": torch.zeros(1, 1).to(torch.float8_e4m3fn)}), "number format float8_e4m3fn"),
        (safetensors.torch.save({"w": torch.zeros(1, 1)}), "'w' is not a name known here"),
        (safetensors.numpy.save({"weights": WEIGHTS}, {"tokens": "a b"}), "tokens in the metadata is not JSON"),
    ],
)
def test_what_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(TensorsError, match=message):
        read(data)


def test_limits_are_named() -> None:
    with pytest.raises(TensorsTooLargeError, match="A JSON file may have up to 10 bytes") as caught:
        read(as_json(), max_json_bytes=10)
    assert (caught.value.field, caught.value.limit) == ("body", 10)
    with pytest.raises(TensorsTooLargeError, match="more than 839 bytes when unpacked; weights alone declares 840"):
        read(as_json(), max_bytes=839)
    with pytest.raises(TensorsTooLargeError, match="holds 65 arrays; at most 64 are accepted"):
        read(npz(**{f"a{index}": np.zeros(1) for index in range(65)}))
    with pytest.raises(TensorsTooLargeError, match=r"tokens\.0 has 1001 characters; at most 1000 are accepted"):
        read(json.dumps({"tokens": ["a" * 1001]}).encode())


# --- hostile headers ----------------------------------------------------------------------------------------------


def npy(header: str | bytes, content: bytes = b"", version: int = 1) -> bytes:
    """An npz of one array, ``weights``, with this header as it is."""
    text = header.encode("latin-1") if isinstance(header, str) else header
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("weights.npy", b"\x93NUMPY" + bytes([version, 0]) + length + text + content)
    return file.getvalue()


def header(descr: str = "'<f4'", order: str = "False", shape: str = "(1, 1), ") -> str:
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}}}"


@pytest.mark.parametrize(
    "text",
    [
        *("-" * 9_000, "[" * 9_000, "(" * 9_000, "{" * 9_000, "~" * 9_000, "not " * 2_000, "1+" * 4_000 + "1"),
        *("{}", "{{}:1}", "{[]:1}", "{1:[]}", "{'descr'}", "", "\0", "\\N{BULLET}", "'" * 3, "f'{1}'", "{**{}}"),
        *(header(order="0"), header(order="None"), header(shape="2"), header(shape="[1, 1]"), header(shape="(1, -1)")),
        *(header(shape="(True, 1)"), header(shape="(1.0, 1)"), header(shape="(,)"), header(shape="(1,,1)")),
        *(
            header(shape="(" + "1," * 33 + ")"),
            header(shape=f"({'9' * 5_000},)"),
            header(descr="1"),
            header(descr="None"),
        ),
        *(header() + header(), header().replace("descr", "shape"), header().replace("shape", "size"), header()[:-1]),
        header().replace("{", "{'descr': '<f4', "),
    ],
)
def test_a_header_that_is_none_is_refused(text: str) -> None:
    for version in (1, 2, 3):
        with pytest.raises(TensorsError, match="weights is not an npy array"):
            read(npy(text, bytes(4), version))


@pytest.mark.parametrize(
    "descr",
    ["'<f99'", "'<z4'", "'f4,f4'", "'<f4,'", "[('a', '<f4')]", "'(2,)f4'", "'<f4' ", "'M8[parsec]'", "'<U4294967296'"],
)
def test_number_formats_that_are_none_are_refused(descr: str) -> None:
    if descr == "'<f4' ":
        assert read(npy(header(descr), bytes(4))).tensors["weights"].shape == (1, 1)
        return
    with pytest.raises(TensorsError):
        read(npy(header(descr), bytes(4)))


@pytest.mark.parametrize("shape", ["(0, 4611686018427387904, 4611686018427387904)", "(9223372036854775808, 0)", "(0,)"])
def test_an_array_without_elements_is_empty_however_long_its_other_axes(shape: str) -> None:
    with pytest.raises(TensorsError, match="weights is empty"):
        read(npy(header(shape=shape)))
    body = {"weights": {"dtype": "f4", "shape": [int(each) for each in re.findall(r"\d+", shape)], "bdata": ""}}
    with pytest.raises(TensorsError, match="weights is empty"):
        read(json.dumps(body).encode())


@pytest.mark.parametrize(
    "shape", ["(4611686018427387904, 4)", "(9999999999999999999,)", "(2147483648, 2147483648, 2, 2)"]
)
def test_shapes_whose_product_overflows_are_too_large(shape: str) -> None:
    with pytest.raises(TensorsTooLargeError, match="weights alone declares"):
        read(npy(header(shape=shape)))


def test_headers_of_other_writers_are_read() -> None:
    """Other blanks, quotes and orders than numpy's own."""
    texts = [
        "{'descr':'<f4','fortran_order':False,'shape':(1,1)}",
        '{"shape": (1, 1), "fortran_order": True, "descr": "<f4"}',
        "{'fortran_order': False, 'descr': '<f4', 'shape': (1L, 1L), }       \n",
    ]
    for text in texts:
        assert read(npy(text, struct.pack("<f", 0.5))).tensors["weights"].tolist() == [[0.5]]


@pytest.mark.parametrize("name", ["tokens", "key_tokens", "title", "mask"])
def test_text_of_numbers_that_are_no_characters_is_refused(name: str) -> None:
    text = np.frombuffer(b"\xff" * 16, "<U4")
    array = text if name.endswith("tokens") else text.reshape(())
    with pytest.raises(TensorsError, match=f"{name}.*(is not a character|must be causal)"):
        read(npz(**{name: array}))


@pytest.mark.parametrize("scale", [10**400, -(10**400), float("nan")])
def test_a_scale_beyond_every_float_is_no_number(scale: float) -> None:
    files = [json.dumps({"scale": scale}).encode(), safetensors.numpy.save({}, {"scale": json.dumps(scale)})]
    for file in files:
        with pytest.raises(TensorsError, match="scale must be a finite number"):
            read(file)


def test_metadata_of_nothing_is_none() -> None:
    text = b'{"__metadata__": null, "weights": {"dtype": "F32", "shape": [1, 1], "data_offsets": [0, 4]}}'
    assert read(struct.pack("<Q", len(text)) + text + bytes(4)).tensors["weights"].tolist() == [[0.0]]


def test_whole_numbers_beyond_the_signed_ones_keep_their_sign() -> None:
    assert float(read(npz(weights=np.array([[2**64 - 1]], np.uint64))).tensors["weights"]) == 2.0**64


def test_only_what_numpy_writes_is_unpacked() -> None:
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", method) as archive:
            archive.writestr("weights.npy", b"")
        with pytest.raises(TensorsError, match="compressed in an unusual way"):
            read(file.getvalue())
