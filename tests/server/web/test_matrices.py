"""Serialisation of matrices."""

import base64
import json

import numpy as np
import pytest

from server.web.errors import ApiError
from server.web.matrices import encode_base64, to_json_numbers

INFINITY = float("inf")


def test_minus_infinity_is_a_string_and_everything_else_a_number():
    scores = np.array([[0.5, -INFINITY, -1e4], [1.0, 2.0, 3.0]], dtype=np.float32)
    numbers = to_json_numbers(scores)
    assert numbers == [[0.5, "-Infinity", -1e4], [1.0, 2.0, 3.0]]
    assert json.loads(json.dumps(numbers, allow_nan=False)) == numbers
    assert type(numbers[0][1]) is str


def test_shape_is_kept_for_any_number_of_axes():
    cube = np.arange(30.0).reshape(2, 3, 5)
    assert to_json_numbers(cube) == cube.tolist()
    assert to_json_numbers(np.array(-INFINITY)) == "-Infinity"
    assert to_json_numbers(np.zeros((0, 3))) == []
    assert to_json_numbers(np.array([[1, 2]], dtype=np.uint8)) == [[1, 2]]


def test_bytes_are_little_endian_row_by_row():
    scores = np.array([[1.0, -INFINITY, 3.0], [4.0, 5.0, 6.0]])
    encoded = encode_base64(scores.T, "f4")  # a transposed view is not contiguous
    assert (encoded.dtype, encoded.shape) == ("f4", "3,2")
    decoded = np.frombuffer(base64.b64decode(encoded.bdata), "<f4").reshape(3, 2)
    np.testing.assert_array_equal(decoded, scores.T.astype(np.float32))


def test_u1_is_linear_from_0_to_1():
    encoded = encode_base64(np.array([[0.0, 1.0, 0.5, 1 / 255, 1.0000001]]), "u1")
    assert list(base64.b64decode(encoded.bdata)) == [0, 255, 128, 1, 255]
    already = encode_base64(np.array([[7, 255]], dtype=np.uint8), "u1")
    assert list(base64.b64decode(already.bdata)) == [7, 255]


def test_f2():
    encoded = encode_base64(np.array([[0.1, -2.0]]), "f2")
    np.testing.assert_array_equal(
        np.frombuffer(base64.b64decode(encoded.bdata), "<f2"), np.array([0.1, -2.0], np.float16)
    )


@pytest.mark.parametrize("send", [to_json_numbers, lambda array: encode_base64(array, "f4")])
def test_nan_is_never_sent(send):
    with pytest.raises(ApiError, match="not a number") as failure:
        send(np.array([[0.0, float("nan")]]))
    assert (failure.value.status, failure.value.code) == (422, "not_a_number")
