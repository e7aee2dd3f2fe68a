"""Fold the attention weights of a model's forward passes into a summary.

A ``Fold`` receives the attention calls of a model in place of the recorder: scores, softmax and output in float32, and
what the summary needs of the weights while they are in the processor's cache. What does not fit the scan's speed (sums,
histograms, pairs) is counted for some thousand queries at once, in ``QueryBuffer``.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from attention_core.atlas.folding.batch_facts import additive_mask, batch_facts, without_choice
from attention_core.atlas.folding.query_buffer import QueryBuffer
from attention_core.atlas.folding.query_values import StrongestKeys, offset_sums, query_values
from attention_core.atlas.folding.scanned_model import ScannedModel
from attention_core.atlas.summaries.divergences import divergence_sums
from attention_core.atlas.summaries.exact_sums import fixed
from attention_core.atlas.summaries.relation_counts import RelationCounts
from attention_core.atlas.summaries.sampled import SampledHeads
from attention_core.atlas.summaries.summary import Summary
from attention_core.atlas.texts.batches import Batch
from attention_core.atlas.texts.plan import Plan, PlannedShard
from attention_core.attend import MASKED, softmax_with_exponents
from attention_core.masks import MaskRule
from attention_core.pretrained.recording.recorder import AttentionCall, receive

DIVERGENCE_QUERIES = 32
"""Sampled queries whose divergences are computed at once."""


@dataclass(eq=False)
class _Sampled:
    """What one layer has at the sampled queries of a batch, (sampled, H, …)."""

    keys: list[Tensor]
    weights: list[Tensor]
    q: list[Tensor]
    k: list[Tensor]
    output: list[Tensor]
    rows: list[Tensor]

    @classmethod
    def empty(cls) -> "_Sampled":
        return cls([], [], [], [], [], [])


class Fold:
    """The summary of one shard in the making."""

    def __init__(self, model: ScannedModel, plan: Plan, shard: PlannedShard) -> None:
        self.model = model
        self.plan = plan
        self.shard = shard
        heads = model.layers * model.heads
        self.summary = Summary.empty(heads, plan.window_tokens)
        self._buffer = QueryBuffer(model, plan)
        self._offset_weights = np.zeros((model.layers, model.heads, 2 * plan.window_tokens - 1), dtype=np.int64)
        self._sampled_by_window: dict[int, list[tuple[int, int]]] = {}
        for window, query, hash_ in zip(plan.sample.windows, plan.sample.queries, plan.sample.hashes, strict=True):
            self._sampled_by_window.setdefault(int(window), []).append((int(query), int(hash_)))
        self._relations: list[RelationCounts] = []
        self._sampled: list[SampledHeads] = []
        self._rows: list[Float[Tensor, "S G N"]] = []
        self._divergences = np.zeros(heads * (heads - 1) // 2, dtype=np.int64)
        self._rooms: dict[int, Tensor] = {}

    # --- one batch ----------------------------------------------------------------------------------------------------

    def add(self, batch: Batch) -> None:
        """Run the model's body on a batch, and fold the weights of all its layers."""
        self._facts = batch_facts(
            batch,
            self.model.separators,
            self._sampled_by_window,
            has_norms=self.model.norms is not None,
            device=self.model.device,
        )
        self._layer = 0
        self._masks: dict[int, tuple[MaskRule, Tensor]] = {}
        self._last_forced: tuple[Tensor | None, Tensor | None, Tensor] | None = None
        self._at_sampled = _Sampled.empty()
        self._found: list[Bool[np.ndarray, "arcs 2 H"]] = []
        self._offset_sums: list[Float[Tensor, "H offsets"]] = []
        self._buffer.begin(self._facts)
        with receive(self):
            self.model.run(batch)
        if self._layer != self.model.layers:
            raise RuntimeError(f"{self._layer} attention calls in {self.model.layers} layers")
        self._buffer.end()
        size = batch.real.shape[1]
        first = self.plan.window_tokens - size
        sums = fixed(torch.stack(self._offset_sums)).cpu().numpy()
        self._offset_weights[:, :, first : first + 2 * size - 1] += sums
        self._finish_sampled()
        if self._facts.words is not None:
            scores = np.concatenate(self._found, axis=-1)
            self._relations.append(
                RelationCounts.counted(self._facts.words.relations, scores, self._facts.words.offsets)
            )

    def attend(self, call: AttentionCall) -> Float[Tensor, "B H N V"]:
        """Attention in float32 as transformers' eager attention computes it; see Receiver."""
        facts, layer = self._facts, self._layer
        self._layer += 1
        groups = call.queries.shape[1] // call.keys.shape[1]
        q, k, v = call.queries.float(), _repeated(call.keys.float(), groups), _repeated(call.values.float(), groups)
        q, k = q.contiguous(), k.contiguous()  # or the products copy them, in a slower way
        scores = (q * call.scale) @ k.transpose(-1, -2)
        if call.cap is not None:
            scores.div_(call.cap).tanh_().mul_(call.cap)
        if call.bias is not None:
            scores.add_(call.bias).clamp_(min=MASKED)
        mask = None if call.mask is None else self._mask(call.mask, scores.shape[-1])
        if mask is not None:
            scores.add_(mask)
        forced = self._forced(mask, call.bias, scores)
        weights, mean_exponent = softmax_with_exponents(scores, _sink_scores(call, scores))
        output, norm_weighted = self._output(call, weights, v)
        if facts.batch.is_padded:
            ended = torch.from_numpy(~facts.batch.real).to(weights.device)
            weights.masked_fill_(ended[:, None, :, None], 0.0)
        self._add_offsets(weights)
        windows, queries = facts.sampled
        rows = weights[windows, :, queries] if len(windows) else None
        if rows is not None and call.sinks is not None:  # one more outcome, in front of the keys
            rows = torch.cat([(1.0 - rows.sum(dim=-1, keepdim=True)).clamp_(min=0.0), rows], dim=-1)
        if facts.words is not None:
            self._found.append(facts.words.found(weights))
        values, strongest = query_values(facts, weights, mean_exponent, norm_weighted, scratch=scores)
        self._buffer.add(layer, values, strongest, forced)
        if rows is not None:
            self._add_sampled(q, k, output, rows, strongest, forced)
        return output.to(call.values.dtype)

    def _output(
        self, call: AttentionCall, weights: Float[Tensor, "B H N N"], values: Float[Tensor, "B H N V"]
    ) -> tuple[Float[Tensor, "B H N V"], Float[Tensor, "B H N"] | None]:
        """``weights @ values``, and the weighted sum of the values' norms as one more column of the same product."""
        if self.model.norms is None:
            return weights @ values, None
        size = values.shape[-1]
        columns = values.new_empty(*values.shape[:-1], size + 1)
        columns[..., :size] = values
        columns[..., size] = self.model.norms(call.module, values)
        product = weights @ columns
        return product[..., :size], product[..., size]

    def _mask(self, rule: MaskRule, size: int) -> Float[Tensor, "B 1 N N"]:
        """A mask written out, once per batch."""
        if id(rule) not in self._masks:
            self._masks[id(rule)] = (rule, additive_mask(rule, size))
        return self._masks[id(rule)][1]

    def _forced(
        self,
        mask: Float[Tensor, "#B 1 N N"] | None,
        bias: Float[Tensor, "..."] | None,
        scores: Float[Tensor, "B H N N"],
    ) -> Bool[Tensor, "2 B H N"]:
        """Queries without a choice, found once for layers that share mask and bias."""
        last = self._last_forced
        if last is None or last[0] is not mask or last[1] is not bias:
            last = self._last_forced = (mask, bias, without_choice(mask, bias, scores, self._facts.sinks))
        return last[2]

    def _add_offsets(self, weights: Float[Tensor, "B H N N"]) -> None:
        heads, size = weights.shape[1], weights.shape[-1]
        if size not in self._rooms:
            self._rooms = {size: weights.new_zeros(heads, size * (2 * size + 1))}
        self._offset_sums.append(offset_sums(weights, self._rooms[size]))

    def _add_sampled(
        self,
        q: Float[Tensor, "B H N D"],
        k: Float[Tensor, "B H N D"],
        output: Float[Tensor, "B H N V"],
        rows: Float[Tensor, "S H outcomes"],
        strongest: StrongestKeys,
        forced: Bool[Tensor, "2 B H N"],
    ) -> None:
        windows, queries = self._facts.sampled
        keys = strongest.keys[:, windows, :, queries]  # (S, 2, H): indexed axes come first
        keys = keys.masked_fill(forced[:, windows, :, queries], -1)
        head = torch.arange(k.shape[1], device=k.device)
        sampled = self._at_sampled
        sampled.keys.append(keys)
        sampled.weights.append(strongest.weights[:, windows, :, queries])
        sampled.q.append(q[windows, :, queries])
        sampled.k.append(k[windows[:, None], head, keys[:, 0]])
        sampled.output.append(output[windows, :, queries])
        sampled.rows.append(rows)

    def _finish_sampled(self) -> None:
        windows, queries = self._facts.sampled
        if not len(windows):
            return
        sampled = self._at_sampled

        def joined(layers: Sequence[Tensor], axis: int) -> np.ndarray:
            return torch.cat(list(layers), dim=axis).cpu().numpy()

        sizes = [[each.shape[2] for each in layers] for layers in (sampled.q, sampled.k, sampled.output)]

        ids = np.array([self._facts.batch.windows[row].id for row in windows.tolist()], dtype=np.int64)
        self._sampled.append(
            SampledHeads(
                windows=ids,
                queries=queries.cpu().numpy(),
                hashes=self._facts.sampled_hashes,
                keys=joined(sampled.keys, 2),
                weights=joined(sampled.weights, 2),
                q=joined([each.flatten(1) for each in sampled.q], 1),
                k=joined([each.flatten(1) for each in sampled.k], 1),
                output=joined([each.flatten(1) for each in sampled.output], 1),
                sizes=np.repeat(np.array(sizes, dtype=np.int64), self.model.heads, axis=1),
            )
        )
        longest = max(each.shape[-1] for each in sampled.rows)
        self._rows += list(
            torch.cat([nn.functional.pad(each, (longest - each.shape[-1], 0)) for each in sampled.rows], dim=1)
        )
        while len(self._rows) >= DIVERGENCE_QUERIES:
            self._add_divergences(DIVERGENCE_QUERIES)

    def _add_divergences(self, count: int) -> None:
        rows, self._rows = self._rows[:count], self._rows[count:]
        longest = max(row.shape[-1] for row in rows)
        padded = [nn.functional.pad(row, (0, longest - row.shape[-1])) for row in rows]
        self._divergences += divergence_sums(torch.stack(padded))

    # --- all batches --------------------------------------------------------------------------------------------------

    def result(self) -> Summary:
        """The summary of all batches added."""
        if self._rows:
            self._add_divergences(len(self._rows))
        counted = self._buffer.result()
        relations = RelationCounts.empty(self.model.layers * self.model.heads)
        for each in self._relations:
            relations = relations.merged(each)
        return Summary(
            totals=np.array([self.shard.documents, self.shard.windows, self.shard.tokens], dtype=np.int64),
            queries=counted.queries,
            sums=counted.sums,
            histograms=counted.histograms,
            offset_weights=self._offset_weights.reshape(-1, self._offset_weights.shape[-1]),
            offset_strongest=counted.offset_strongest,
            token_pairs=counted.token_pairs,
            upos_pairs=counted.upos_pairs,
            relations=relations,
            strongest=counted.strongest,
            sampled=SampledHeads.empty().merged(*self._sampled),
            divergences=self._divergences,
        )


def _sink_scores(call: AttentionCall, scores: Float[Tensor, "B H N N"]) -> Float[Tensor, "B H N 1"] | None:
    """The score of each row's learned sink, if the model has any."""
    if call.sinks is None:
        return None
    return call.sinks.float()[None, :, None, None].expand(*scores.shape[:-1], 1)


def _repeated(heads: Float[Tensor, "B Hkv N D"], groups: int) -> Float[Tensor, "B H N D"]:
    return heads if groups == 1 else heads.repeat_interleave(groups, dim=1)


@contextmanager
def folding(model: ScannedModel, plan: Plan, shard: PlannedShard) -> Iterator[Fold]:
    """A fold for one shard, without gradients."""
    with torch.inference_mode():
        yield Fold(model, plan, shard)
