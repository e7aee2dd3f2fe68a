"""Shape and dtype annotations are enforced while tests run."""

import jaxtyping
import pytest
import torch

from attention_core.attend import mask_scores, softmax


def test_a_wrong_shape_fails_at_the_call() -> None:
    with pytest.raises(jaxtyping.TypeCheckError, match="scores"):
        softmax(torch.zeros(()))


def test_a_wrong_dtype_fails_at_the_call() -> None:
    with pytest.raises(jaxtyping.TypeCheckError, match="mask"):
        mask_scores(torch.zeros(2, 3), torch.zeros(2, 3, dtype=torch.int64))
