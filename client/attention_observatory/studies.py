"""What can be asked about an analysis besides one head's weights. Matrices are NumPy arrays."""

from __future__ import annotations

import io
from typing import Any

from attention_observatory.api.operations import Operations
from attention_observatory.arrays import needed, np, with_arrays


class Studies:
    """The studies of an analysis, each as the API answers it. Rows are queries, columns are keys.

    A method takes what its operation takes, by keyword, and refuses anything else: ``help(analysis.api.get_rollout)``.
    """

    api: Operations
    answer: dict[str, Any]

    @property
    def id(self) -> str:
        """The id; equal for equal requests."""
        return str(self.answer["id"])

    @property
    def tokens(self) -> list[str]:
        """The texts of the tokens; those of the source if there are two texts."""
        return [token["text"] for token in self.answer["tokens"]]

    @property
    def target_tokens(self) -> list[str] | None:
        """The texts of the target's tokens; None for a single text."""
        targets = self.answer["target_tokens"]
        return None if targets is None else [token["text"] for token in targets]

    def all_weights(self, *, part: str | None = None, stage: str = "weights") -> Any:
        """A stage of all heads at once, (layers, heads, queries, keys) float32. Raises ImportError without NumPy."""
        needed("numpy", "arrays")
        file = self.api.get_export(self.id, format="npz", part=part, stage=stage)  # type: ignore[arg-type]
        with np.load(io.BytesIO(file)) as archive:
            return archive[stage]

    def attribution(self, /, **parameters: Any) -> dict[str, Any]:
        """Weight × gradient of one output, of every head or of one (``layer``, ``head``)."""
        return self._asked(self.api.get_attribution, parameters)

    def difference(self, /, other: Studies | str, **parameters: Any) -> dict[str, Any]:
        """Another analysis' weights minus these, one head's matrix and the largest change in each head."""
        return self._asked(self.api.get_difference, {"other": _id_of(other), **parameters})

    def prediction_difference(self, other: Studies | str) -> dict[str, Any]:
        """What both predict, candidate by candidate."""
        return self._asked(self.api.get_prediction_difference, {"other": _id_of(other)})

    def logit_lens(self, /, position: int, **parameters: Any) -> dict[str, Any]:
        """What would be predicted at a position after each layer."""
        return self._asked(self.api.get_logit_lens, {"position": position, **parameters})

    def direct_effect(self, /, position: int, **parameters: Any) -> dict[str, Any]:
        """What each head and feed-forward layer adds to one logit."""
        return self._asked(self.api.get_direct_effect, {"position": position, **parameters})

    def output(self, position: int) -> dict[str, Any]:
        """The output at a position, its candidates, and what can be asked about it."""
        return self._asked(self.api.get_output, {"position": position})

    def plane(self, /, layer: int, head: int, **parameters: Any) -> dict[str, Any]:
        """A head's queries and keys in the plane that shows most of their scores."""
        return self._asked(self.api.get_query_key_plane, {"layer": layer, "head": head, **parameters})

    def rollout(self, /, **parameters: Any) -> dict[str, Any]:
        """Attention multiplied over the layers: what each token could have from each input token."""
        return self._asked(self.api.get_rollout, parameters)

    def rollout_layers(self, /, query: int, **parameters: Any) -> dict[str, Any]:
        """The rollout of one token after each layer."""
        return self._asked(self.api.get_rollout_layers, {"query": query, **parameters})

    def flow(self, /, query: int, **parameters: Any) -> dict[str, Any]:
        """How much can reach one token from each input token: the largest flow through the layers' weights."""
        return self._asked(self.api.get_flow, {"query": query, **parameters})

    def information_flow(self, position: int, *, threshold: float | None = None) -> dict[str, Any]:
        """The graph of what made the output at one token (Ferrando and Voita 2024): nodes, edges, importances.

        ``threshold`` is the least importance of a part that is an edge; by default the server's smallest.
        """
        return self._asked(self.api.get_information_flow, {"position": position, "threshold": threshold})

    def vectors(self, /, layer: int, head: int, query: int, key: int, **parameters: Any) -> dict[str, Any]:
        """Queries, keys and values of two tokens, and how they make one weight."""
        return self._asked(
            self.api.get_vectors, {"layer": layer, "head": head, "query": query, "key": key, **parameters}
        )

    def token(self, /, index: int, **parameters: Any) -> dict[str, Any]:
        """What one token attends to and what attends to it, in every layer and head."""
        answer = self.api.get_token(self.id, index, **parameters)
        return dict(with_arrays(answer))

    def _asked(self, operation: Any, parameters: dict[str, Any]) -> dict[str, Any]:
        return dict(with_arrays(operation(self.id, **parameters)))


def _id_of(other: Studies | str) -> str:
    return other if isinstance(other, str) else other.id
