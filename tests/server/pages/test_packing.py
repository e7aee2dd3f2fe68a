"""What a saved file packs: the same numbers as a page writes them, in less room."""

import base64
import gzip
import json
from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pytest
from packed_text import read_packed

from server.pages.packing import BITS, fewer_bits, in_signs, matrix_of, pack, pack_records, shades

WEIGHTS = np.random.default_rng(7).dirichlet(np.full(40, 0.2), 500).astype(np.float32)


def written(weight: float, places: int) -> str:
    """As JavaScript's `toFixed`, halves upward; in exact decimals."""
    return str(Decimal(weight).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP))


def first_digits(weight: float) -> str:
    return f"{weight:.1e}"


def test_text_comes_back():
    assert read_packed(pack("é </script>")).decode() == "é </script>"


def test_records_have_eight_digits_and_whole_numbers_all():
    records = [{"request": "/api/x", "answer": {"x": [1 / 3, 123456789, "-Infinity"], "none": None, "yes": True}}]
    packed = json.loads(read_packed(pack_records(records)))
    assert packed == [
        {"request": "/api/x", "answer": {"x": [0.33333333, 123456789, "-Infinity"], "none": None, "yes": True}}
    ]


@pytest.mark.parametrize("value", [10.828499794006348, -10.828499794006348, 0.12345, 2.5, 1234.4999999])
def test_no_number_is_rounded_twice(value):
    [packed] = json.loads(read_packed(pack_records([{"x": value}])))
    for places in (1, 2, 3, 4):
        assert written(packed["x"], places) == written(value, places)


def test_arrays_stand_behind_the_answers_as_the_bytes_of_all_floats_highest_first():
    first, second = np.array([[1.0, -2.0]], dtype=np.float32), np.array([np.inf], dtype=np.float32)
    records = [{"request": "/api/x", "answer": {"matrix": matrix_of(first)}}, {"second": matrix_of(second)}]
    text, _, planes = read_packed(pack_records(records)).partition(b"\0")
    assert json.loads(text) == [
        {"request": "/api/x", "answer": {"matrix": {"dtype": "f4-planes", "shape": "1,2", "bdata": 0}}},
        {"second": {"dtype": "f4-planes", "shape": "1", "bdata": 2}},
    ]
    # 3f800000, c0000000, 7f800000
    assert planes.hex() == "3fc07f" + "800080" + "000000" + "000000"


def test_fewer_bits_are_written_alike():
    fewer = fewer_bits(WEIGHTS)
    assert (WEIGHTS < 1e-4).sum() > 1_000
    for weight, other in zip(WEIGHTS.ravel().tolist(), fewer.ravel().tolist(), strict=True):
        for places in (1, 2, 3, 4):
            assert written(other, places) == written(weight, places)
        if 0 < weight < 1e-4:
            assert first_digits(other) == first_digits(weight)
    np.testing.assert_allclose(fewer, WEIGHTS, rtol=2.0**-BITS)
    np.testing.assert_array_equal(shades(fewer), shades(WEIGHTS))
    kept = (fewer.view(np.uint32) & (2 ** (24 - BITS) - 1)) != 0
    assert 0 < kept.mean() < 0.02, "hardly any keeps all its bits"


@pytest.mark.parametrize("weight", [0.0, 1.0, 1e-45, 1e-38, 0.5, 0.03125, 0.00004999, 0.00005, np.nextafter(1, 0)])
def test_extreme_weights(weight):
    [fewer] = fewer_bits(np.array([weight], dtype=np.float32)).tolist()
    assert (fewer == 0) == (weight == 0)
    assert written(fewer, 4) == written(float(np.float32(weight)), 4)
    assert fewer == 0 or first_digits(fewer) == first_digits(float(np.float32(weight))) or weight >= 1e-4


def test_weights_take_less_room():
    plain = len(base64.b64encode(gzip.compress(base64.b64encode(WEIGHTS.tobytes()))))
    assert len(pack_records([matrix_of(fewer_bits(WEIGHTS))])) < 0.8 * plain


def test_shades_are_those_of_the_thumbnails():
    weights = np.array([0.0, 1 / 510 - 1e-6, 1 / 510 + 1e-6, 0.5, 1.0])
    assert shades(weights).tolist() == [0, 0, 1, 128, 255]


@pytest.mark.parametrize("length", [*range(30), 1000])
def test_bytes_take_two_signs_for_thirteen_bits(length):
    content = np.random.default_rng(length).bytes(length)
    signs = in_signs(content)
    assert not set(signs) & set("'<\\ \n")
    assert len(signs) == 1 + 2 * -(-8 * length // 13)
    bits = "".join(f"{ORDER.index(high) * 91 + ORDER.index(low):013b}" for high, low in batched(signs[1:], 2))
    assert bits.startswith("".join(f"{byte:08b}" for byte in content))
    assert ORDER.index(signs[0]) == len(bits) // 8 - length


def batched(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


ORDER = '!"#$%&()*+,-./0123456789:;=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~'
