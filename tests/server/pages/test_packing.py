"""What a saved file packs: the same numbers as a page writes them, in less room."""

import base64
import gzip
import json
from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pytest

from server.pages.packing import BITS, fewer_bits, pack, pack_records, planes

WEIGHTS = np.random.default_rng(7).dirichlet(np.full(40, 0.2), 500).astype(np.float32)


def written(weight: float, places: int) -> str:
    """As JavaScript's `toFixed`, halves upward; in exact decimals."""
    return str(Decimal(weight).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP))


def first_digits(weight: float) -> str:
    return f"{weight:.1e}"


def test_text_comes_back():
    assert gzip.decompress(base64.b64decode(pack("é </script>"))).decode() == "é </script>"


def test_records_have_eight_digits_and_whole_numbers_all():
    records = [{"request": "/api/x", "answer": {"x": [1 / 3, 123456789, "-Infinity"], "none": None, "yes": True}}]
    packed = json.loads(gzip.decompress(base64.b64decode(pack_records(records))))
    assert packed == [
        {"request": "/api/x", "answer": {"x": [0.33333333, 123456789, "-Infinity"], "none": None, "yes": True}}
    ]


def test_planes_are_the_bytes_of_floats_highest_first():
    numbers = np.array([[1.0, -2.0, np.inf]], dtype=np.float32)  # 3f800000, c0000000, 7f800000
    found = planes(numbers)
    assert (found["dtype"], found["shape"]) == ("f4-planes", "1,3")
    assert base64.b64decode(found["bdata"]).hex() == "3fc07f" + "800080" + "000000" + "000000"


def test_fewer_bits_are_written_alike():
    fewer = fewer_bits(WEIGHTS)
    assert (WEIGHTS < 1e-4).sum() > 1_000
    for weight, other in zip(WEIGHTS.ravel().tolist(), fewer.ravel().tolist(), strict=True):
        for places in (1, 2, 3, 4):
            assert written(other, places) == written(weight, places)
        if 0 < weight < 1e-4:
            assert first_digits(other) == first_digits(weight)
    np.testing.assert_allclose(fewer, WEIGHTS, rtol=2.0**-BITS)
    kept = (fewer.view(np.uint32) & (2 ** (24 - BITS) - 1)) != 0
    assert 0 < kept.mean() < 0.02, "hardly any keeps all its bits"


@pytest.mark.parametrize("weight", [0.0, 1.0, 1e-45, 1e-38, 0.5, 0.03125, 0.00004999, 0.00005, np.nextafter(1, 0)])
def test_extreme_weights(weight):
    [fewer] = fewer_bits(np.array([weight], dtype=np.float32)).tolist()
    assert (fewer == 0) == (weight == 0)
    assert written(fewer, 4) == written(float(np.float32(weight)), 4)
    assert fewer == 0 or first_digits(fewer) == first_digits(float(np.float32(weight))) or weight >= 1e-4


def test_weights_take_less_room():
    def size(packed: dict[str, str]) -> int:
        return len(gzip.compress(json.dumps(packed).encode()))

    plain = len(gzip.compress(base64.b64encode(WEIGHTS.tobytes())))
    assert size(planes(fewer_bits(WEIGHTS))) < 0.85 * plain
