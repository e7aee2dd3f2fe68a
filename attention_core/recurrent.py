"""Elman network (1990): ``h_t = tanh(W h_{t−1} + U x_t)``, from a state of zeros, and its Jacobians."""

import torch
from jaxtyping import Float
from torch import Tensor


def recurrent_states(
    inputs: Float[Tensor, "N I"], hidden_weight: Float[Tensor, "D D"], input_weight: Float[Tensor, "D I"]
) -> Float[Tensor, "N D"]:
    """The state after each input. Each needs the one before it, so the N steps cannot run side by side."""
    state = inputs.new_zeros(hidden_weight.shape[0])
    states = []
    for vector in inputs:
        state = torch.tanh(hidden_weight @ state + input_weight @ vector)
        states.append(state)
    return torch.stack(states)


def input_jacobians(
    states: Float[Tensor, "N D"], hidden_weight: Float[Tensor, "D D"], input_weight: Float[Tensor, "D I"]
) -> Float[Tensor, "N D I"]:
    """``∂h_T/∂x_t`` of the last state T = N − 1 with respect to each input t.

    ``D_T W D_{T−1} W … D_t U`` with ``D_t = diag(1 − h_t²)``, the derivative of tanh: one factor W for each step
    between the two. No number on the diagonals is above 1, so the spectral norm is at most ``‖W‖^(T − t) ‖U‖``
    (Pascanu et al. 2013, section 2.1).
    """
    behind = torch.eye(states.shape[1], dtype=states.dtype, device=states.device)
    jacobians = []
    for state in states.flip(0):
        through_tanh = behind * (1 - state**2)
        jacobians.append(through_tanh @ input_weight)
        behind = through_tanh @ hidden_weight
    return torch.stack(jacobians[::-1])
