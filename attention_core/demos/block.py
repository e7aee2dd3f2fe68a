"""Trace one token through a block of our own decoder, randomly initialised."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from attention_core.block import OF_ORDER, BlockWalk, Station, embedding_stations, equations, guesses
from attention_core.decoder import Decoder, DecoderTrace
from attention_core.demos.decoder import DecoderChoice
from attention_core.refusal import InvalidValueError
from attention_core.trace import to_array


@torch.no_grad()
def block_walk(choice: DecoderChoice, ids: Sequence[int], *, vocab_size: int, layer: int, token: int) -> BlockWalk:
    """Initialise our own decoder, run it on the ids, and follow one token through one of its blocks.

    Raises ValueError for what does not fit.
    """
    if not ids:
        raise InvalidValueError("{name} must not be empty", "ids")
    for name, value, count in (("layer", layer, choice.num_layers), ("token", token, len(ids))):
        if not 0 <= value < count:
            raise InvalidValueError("{name} must be from {least} to {most}, not {given}", name, 0, count - 1, value)
    decoder = Decoder(choice.config(vocab_size, len(ids)), generator=torch.Generator().manual_seed(choice.seed)).eval()
    trace: DecoderTrace = decoder(torch.tensor([list(ids)]), trace=True)
    here, module = trace.blocks[layer], decoder.blocks[layer]
    stations = {name: tensor[0, token] for name in OF_ORDER["pre"] if (tensor := getattr(here, name, None)) is not None}
    stations["head_outputs"] = here.attention.attention.head_outputs[0, :, token].flatten()
    norms, checks = equations(
        "pre",
        stations,
        [module.get_submodule(name) for name in ("attention_norm", "feed_forward_norm")],
        [module.get_submodule(name) for name in ("attention.output_projection", "feed_forward.down")],
    )
    position = trace.position_embeddings
    embedding, check = embedding_stations(
        {"token_embedding": trace.token_embeddings[0, token]}
        | ({} if position is None else {"position_embedding": position[token]}),
        trace.embeddings[0, token],
        decoder.embedding_norm,
    )
    return BlockWalk(
        order="pre",
        layer=layer,
        token=token,
        embedding=embedding,
        stations=[Station(name, to_array(stations[name])) for name in OF_ORDER["pre"]],
        norms=norms,
        checks=[check, *checks],
        weights=to_array(here.attention.attention.weights[0, :, token]),
        stream_norms=_lengths([trace.embeddings, *(block.outputs for block in trace.blocks)], token),
        attention_norms=_lengths([block.attention_output for block in trace.blocks], token),
        feed_forward_norms=_lengths([block.feed_forward_output for block in trace.blocks], token),
        guesses=guesses(trace.logits[0, token]),
    )


def _lengths(tensors: Sequence[Tensor | None], token: int) -> np.ndarray:
    return np.array([0.0 if tensor is None else float(tensor[0, token].norm()) for tensor in tensors])
