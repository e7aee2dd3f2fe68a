"""The program of the course: its pieces are one file, which runs, and computes what our own modules compute."""

from typing import Any

import pytest
import torch

from server.pages import course, program
from server.web.assets import Assets

LONGEST = 60
"""Lines that one lesson adds at most: a piece is read, not scrolled through."""


@pytest.fixture(scope="module")
def pieces() -> dict[str, str]:
    return program.pieces(Assets())


@pytest.fixture(scope="module")
def names(pieces) -> dict[str, Any]:
    """What the program defines when it is run as a whole."""
    found: dict[str, Any] = {}
    exec(compile("".join(pieces.values()), program.FILE, "exec"), found)  # noqa: S102, our own file
    return found


def test_every_lesson_adds_a_piece_but_the_optional_ones(pieces) -> None:
    order = [lesson for lesson in course.LESSONS if lesson not in course.OPTIONAL]
    assert list(pieces) == order == list(program.ADDS)
    for piece in pieces.values():
        assert 0 < len(piece.strip().splitlines()) <= LONGEST


def test_the_whole_program_is_its_pieces(client, pieces) -> None:
    answer = client.get("/lessons/decoder.py")
    assert answer.text == "".join(pieces.values())
    assert answer.headers["content-disposition"] == 'attachment; filename="decoder.py"'
    assert "/lessons/decoder.py" in client.get("/lessons").text


@pytest.mark.full
def test_it_runs_after_every_lesson(pieces) -> None:
    for count in range(1, len(pieces) + 1):
        exec(compile("".join(list(pieces.values())[:count]), program.FILE, "exec"), {})  # noqa: S102, our own file


@pytest.mark.full
def test_it_learns_and_writes(names) -> None:
    written = [names["vocabulary"][word] for word in names["written"]]
    assert " ".join(written) == names["TEXT"][: len(" ".join(written))]
    assert names["loss"](names["decoder"](names["ids"]), names["ids"]).item() < 0.1


@pytest.mark.full
def test_its_parts_compute_what_pytorch_computes(names) -> None:
    x = torch.randn(3, 5, 8)
    assert torch.allclose(names["softmax"](x), x.softmax(-1), atol=1e-6)
    assert torch.equal(names["causal"](torch.zeros(4, 4)).isinf(), ~torch.ones(4, 4, dtype=torch.bool).tril())
    assert torch.equal(names["causal"](torch.zeros(2, 5))[0].isinf(), torch.tensor([0, 0, 0, 0, 1]).bool())
    assert torch.allclose(names["rms_norm"](x), torch.nn.functional.rms_norm(x, (8,), eps=1e-6), atol=1e-6)
    logits, ids = torch.randn(6, 9), torch.randint(0, 9, (6,))
    expected = torch.nn.functional.cross_entropy(logits[:-1], ids[1:])
    assert names["loss"](logits, ids).item() == pytest.approx(expected.item(), abs=1e-5)


@pytest.mark.full
def test_heads_that_share_keys_are_grouped_as_in_pytorch(names) -> None:
    attention = names["Attention"](32)
    x = torch.randn(7, 32)
    q, k, v = attention.roles(x)
    by_head = [each.unflatten(-1, (-1, 8)).transpose(0, 1)[None] for each in (q, k, v)]
    expected = torch.nn.functional.scaled_dot_product_attention(*by_head, is_causal=True, enable_gqa=True)
    assert torch.allclose(attention(x), attention.W_o(expected[0].transpose(0, 1).flatten(1)), atol=1e-5)


@pytest.mark.full
def test_scores_under_rotation_depend_on_the_distance_alone(names) -> None:
    q, k = torch.randn(2, 1, 8)
    near = names["rotate"](q, 3) @ names["rotate"](k, 1).T
    far = names["rotate"](q, 103) @ names["rotate"](k, 101).T
    assert near.item() == pytest.approx(far.item(), abs=1e-4)
    turned = names["rotate"](torch.tensor([[1.0, 0.0]]), 2)
    assert torch.allclose(
        turned,
        torch.tensor([[2.0, 2.0]]).cos() * torch.tensor([[1.0, 0.0]]) + torch.tensor([[0.0, 2.0]]).sin(),
        atol=1e-6,
    )
