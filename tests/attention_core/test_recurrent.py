"""The recurrent network against torch's own cell and autograd."""

import torch

from attention_core.recurrent import input_jacobians, recurrent_states


def random(*shape: int, seed: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def cell(hidden_weight: torch.Tensor, input_weight: torch.Tensor) -> torch.nn.RNNCell:
    own = torch.nn.RNNCell(input_weight.shape[1], len(hidden_weight), bias=False, dtype=torch.float64)
    own.weight_hh.data, own.weight_ih.data = hidden_weight, input_weight
    return own


def test_states_are_those_of_torch_s_cell() -> None:
    inputs, hidden_weight, input_weight = random(7, 3, seed=1), random(5, 5, seed=2), random(5, 3, seed=3)
    own, state, expected = cell(hidden_weight, input_weight), torch.zeros(5, dtype=torch.float64), []
    for one in inputs:
        state = own(one, state)
        expected.append(state)
    torch.testing.assert_close(
        recurrent_states(inputs, hidden_weight, input_weight), torch.stack(expected).detach(), rtol=0, atol=1e-14
    )


def test_jacobians_are_those_of_autograd_and_within_the_bound() -> None:
    inputs, input_weight = random(7, 3, seed=1), random(5, 3, seed=3)
    orthogonal, _ = torch.linalg.qr(random(5, 5, seed=2))
    for gain in (0.5, 1.0, 1.7):
        own = cell(gain * orthogonal, input_weight)

        def last_state(read: torch.Tensor, own: torch.nn.RNNCell = own) -> torch.Tensor:
            state = torch.zeros(5, dtype=torch.float64)
            for one in read:
                state = own(one, state)
            return state

        expected = torch.autograd.functional.jacobian(last_state, inputs).transpose(0, 1)
        states = recurrent_states(inputs, gain * orthogonal, input_weight)
        jacobians = input_jacobians(states, gain * orthogonal, input_weight)
        torch.testing.assert_close(jacobians, expected, rtol=0, atol=1e-13)
        bounds = gain ** torch.arange(6, -1, -1, dtype=torch.float64) * torch.linalg.matrix_norm(input_weight, 2)
        assert (torch.linalg.matrix_norm(jacobians, 2) <= bounds).all()


def test_one_input_has_passed_only_its_own_step() -> None:
    inputs, hidden_weight, input_weight = random(1, 3, seed=1), random(5, 5, seed=2), random(5, 3, seed=3)
    states = recurrent_states(inputs, hidden_weight, input_weight)
    torch.testing.assert_close(states[0], torch.tanh(input_weight @ inputs[0]))
    expected = torch.diag(1 - states[0] ** 2) @ input_weight
    torch.testing.assert_close(input_jacobians(states, hidden_weight, input_weight)[0], expected)
