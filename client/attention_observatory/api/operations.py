"""Every operation of the API as a method, by its id.

Made by `make api-types` from the OpenAPI document; not edited by hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, cast

from attention_observatory.api import answers as shapes
from attention_observatory.connection import Connection


class Operations:
    """Every operation of the API. None is left out, what is unknown refused."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def post_alibi(
        self,
        *,
        heads: int,
        seq_len: int,
        symmetric: bool | None = None,
        rows: Any | None = None,
        cols: Any | None = None,
        queries: Any | None = None,
        keys: Any | None = None,
        values: Any | None = None,
        causal: bool | None = None,
        pairing: Literal["interleaved", "half_split"] | None = None,
        base: float | None = None,
    ) -> shapes.AlibiResponse:
        """Slopes and biases; with queries, their attention under ALiBi, under RoPE and without positions.

        - ``heads``: Number of query heads in each layer.
        - ``seq_len``: Number of tokens.
        - ``symmetric``: −slope·|query − key|, as in encoders.
        - ``rows``: First query, and one past the last: a window of the bias.
        - ``cols``: First key, and one past the last.
        - ``queries``: seq_len rows: shows their attention under each encoding.
        - ``keys``: The queries unless given.
        - ``values``: The keys unless given.
        - ``causal``: Whether the attention shown is causal; the bias itself is not masked.
        - ``pairing``: Of RoPE, for comparison.
        - ``base``: Of RoPE, for comparison.
        """
        return cast(
            "shapes.AlibiResponse",
            self.connection.json(
                "POST",
                "/api/alibi",
                {},
                {
                    "heads": heads,
                    "seq_len": seq_len,
                    "symmetric": symmetric,
                    "rows": rows,
                    "cols": cols,
                    "queries": queries,
                    "keys": keys,
                    "values": values,
                    "causal": causal,
                    "pairing": pairing,
                    "base": base,
                },
            ),
        )

    def post_analysis(
        self,
        *,
        model: str,
        text: str,
        text_pair: str | None = None,
        target_text: str | None = None,
        chat: bool | None = None,
        system_text: str | None = None,
        parity: bool | None = None,
        interventions: list[
            shapes.HeadOff
            | Mapping[str, Any]
            | shapes.CutEdges
            | Mapping[str, Any]
            | shapes.ReplaceRow
            | Mapping[str, Any]
            | shapes.Temperature
            | Mapping[str, Any]
            | shapes.SetPattern
            | Mapping[str, Any]
        ]
        | None = None,
    ) -> shapes.AnalysisAnswer:
        """Run a model on a text: tokens, a thumbnail of every head, metrics and predictions.

        - ``model``: Id of a model, as `GET /api/models` lists them.
        - ``text``: As it is written.
        - ``text_pair``: A second text, separated from the first by the model's tokenizer.
        - ``target_text``: The output of an encoder–decoder model so far.
        - ``chat``: Whether the text is a chat message, which the model's chat template puts into its
          frame.
        - ``system_text``: The system message before a chat message.
        - ``parity``: Also compare with the library's own eager attention.
        - ``interventions``: Changes to the model's attention before it runs.
        """
        return cast(
            "shapes.AnalysisAnswer",
            self.connection.json(
                "POST",
                "/api/analyses",
                {},
                {
                    "model": model,
                    "text": text,
                    "text_pair": text_pair,
                    "target_text": target_text,
                    "chat": chat,
                    "system_text": system_text,
                    "parity": parity,
                    "interventions": interventions,
                },
            ),
        )

    def post_image(
        self,
        *,
        model: str,
        image: str,
        parity: bool | None = None,
        interventions: list[
            shapes.HeadOff
            | Mapping[str, Any]
            | shapes.CutEdges
            | Mapping[str, Any]
            | shapes.ReplaceRow
            | Mapping[str, Any]
            | shapes.Temperature
            | Mapping[str, Any]
            | shapes.SetPattern
            | Mapping[str, Any]
        ]
        | None = None,
    ) -> shapes.AnalysisAnswer:
        """Run a vision transformer on an image: patches with their boxes, the image as the model saw it,
        class names.

        - ``model``: One whose `reads` is image.
        - ``image``: A PNG, JPEG or WebP file in base64.
        - ``parity``: Also compare with the library's own eager attention.
        - ``interventions``: Changes to the model's attention before it runs.
        """
        return cast(
            "shapes.AnalysisAnswer",
            self.connection.json(
                "POST",
                "/api/analyses/image",
                {},
                {"model": model, "image": image, "parity": parity, "interventions": interventions},
            ),
        )

    def post_sound(
        self,
        *,
        model: str,
        sound: str,
        parity: bool | None = None,
        interventions: list[
            shapes.HeadOff
            | Mapping[str, Any]
            | shapes.CutEdges
            | Mapping[str, Any]
            | shapes.ReplaceRow
            | Mapping[str, Any]
            | shapes.Temperature
            | Mapping[str, Any]
            | shapes.SetPattern
            | Mapping[str, Any]
        ]
        | None = None,
        target_text: str | None = None,
        transcribe: bool | None = None,
    ) -> shapes.AnalysisAnswer:
        """Run an audio model on a sound: positions with their seconds, and of a decoder what it says next.

        - ``model``: One whose `reads` is sound.
        - ``sound``: An uncompressed WAV file in base64.
        - ``parity``: Also compare with the library's own eager attention.
        - ``interventions``: Changes to the model's attention before it runs.
        - ``target_text``: The decoder's text so far, for encoder–decoder models.
        - ``transcribe``: Have the model write the target text itself; then give none.
        """
        return cast(
            "shapes.AnalysisAnswer",
            self.connection.json(
                "POST",
                "/api/analyses/sound",
                {},
                {
                    "model": model,
                    "sound": sound,
                    "parity": parity,
                    "interventions": interventions,
                    "target_text": target_text,
                    "transcribe": transcribe,
                },
            ),
        )

    def get_analysis(self, analysis_id: str | int) -> shapes.AnalysisAnswer:
        """An analysis that is still kept.

        - ``analysis_id``: Id that `POST /api/analyses` or `POST /api/tensors` answered with.
        """
        return cast(
            "shapes.AnalysisAnswer",
            self.connection.json("GET", f"/api/analyses/{self.connection.quoted(analysis_id)}", {}, None),
        )

    def get_attribution(
        self,
        analysis_id: str | int,
        *,
        target: Literal["logit", "embedding", "component"] | None = None,
        position: int | None = None,
        token: int | None = None,
        against: int | None = None,
        component: int | None = None,
        part: Literal["encoder", "decoder", "cross"] | None = None,
        layer: int | None = None,
        head: int | None = None,
        encoding: Literal["base64", "json"] | None = None,
    ) -> shapes.AttributionAnswer:
        """Gradient × attention of one output: the sum for every head, and the matrix of one head.

        - ``analysis_id``: Id that `POST /api/analyses` or `POST /api/tensors` answered with.
        - ``target``: By default the logit, or the embedding of a model that predicts no token.
        - ``position``: The last, or the first masked one, unless given.
        - ``token``: Of the logit; the model's own best unless given.
        - ``against``: A token whose logit is subtracted.
        - ``component``: Of the last hidden state.
        - ``part``: Which attention of the model: `encoder`, `decoder` or `cross`; the first if a
          request leaves it out.
        - ``layer``: Index of the layer, from 0.
        - ``head``: Index of the head, from 0.
        - ``encoding``: How the numbers are written: nested lists (`json`), or their bytes (`base64`).
        """
        return cast(
            "shapes.AttributionAnswer",
            self.connection.json(
                "GET",
                f"/api/analyses/{self.connection.quoted(analysis_id)}/attribution",
                {
                    "target": target,
                    "position": position,
                    "token": token,
                    "against": against,
                    "component": component,
                    "part": part,
                    "layer": layer,
                    "head": head,
                    "encoding": encoding,
                },
                None,
            ),
        )

    def get_difference(
        self,
        analysis_id: str | int,
        *,
        other: str,
        part: Literal["encoder", "decoder", "cross"] | None = None,
        layer: int | None = None,
        head: int | None = None,
        other_layer: int | None = None,
        other_head: int | None = None,
        stage: Literal["raw_scores", "scaled_scores", "masked_scores", "weights", "value_weighted", "norm_weighted"]
        | None = None,
        rows: str | None = None,
        cols: str | None = None,
        max_size: int | None = None,
        pooling: Literal["max", "mean"] | None = None,
        encoding: Literal["base64", "json"] | None = None,
    ) -> shapes.DifferenceAnswer:
        """The other minus this one; both must have the same number of tokens. ``max`` pools to the cell
        furthest from 0.

        - ``analysis_id``: Id that `POST /api/analyses` or `POST /api/tensors` answered with.
        - ``other``: The id of the analysis that this one is subtracted from.
        - ``part``: Which attention of the model: `encoder`, `decoder` or `cross`; the first if a
          request leaves it out.
        - ``layer``: Without layer and head: the head with the largest change.
        - ``head``: Index of the head, from 0.
        - ``other_layer``: With other_head: the other's head, where it is not the same one.
        - ``other_head``: Index of the head it is compared with.
        - ``stage``: Which stage of the computation: raw, scaled or masked scores, weights, or weights
          times values.
        - ``rows``: Queries a:b, without b.
        - ``cols``: Keys a:b, without b.
        - ``max_size``: Pool to this size a side.
        - ``pooling``: What one pixel of a reduced matrix is: the mean or the largest of its cells.
        - ``encoding``: How the numbers are written: nested lists (`json`), or their bytes (`base64`).
        """
        return cast(
            "shapes.DifferenceAnswer",
            self.connection.json(
                "GET",
                f"/api/analyses/{self.connection.quoted(analysis_id)}/difference",
                {
                    "other": other,
                    "part": part,
                    "layer": layer,
                    "head": head,
                    "other_layer": other_layer,
                    "other_head": other_head,
                    "stage": stage,
                    "rows": rows,
                    "cols": cols,
                    "max_size": max_size,
                    "pooling": pooling,
                    "encoding": encoding,
                },
                None,
            ),
        )

    def get_direct_effect(
        self, analysis_id: str | int, *, position: int, token: int | None = None, against: int | None = None
    ) -> shapes.DirectEffectAnswer:
        """The direct effect of every head on a logit (Elhage et al. 2021), with the last norm's scale
        fixed.

        - ``analysis_id``: Id that `POST /api/analyses` or `POST /api/tensors` answered with.
        - ``position``: Index of the token, from 0.
        - ``token``: An id of the vocabulary; by default the model's own best.
        - ``against``: A token whose logit is subtracted.
        """
        return cast(
            "shapes.DirectEffectAnswer",
            self.connection.json(
                "GET",
                f"/api/analyses/{self.connection.quoted(analysis_id)}/direct_effect",
                {"position": position, "token": token, "against": against},
                None,
            ),
        )

    def get_distribution(
        self,
        analysis_id: str | int,
        *,
        layer: int,
        head: int,
        part: Literal["encoder", "decoder", "cross"] | None = None,
        stage: Literal["raw_scores", "scaled_scores", "masked_scores", "weights", "value_weighted", "norm_weighted"]
        | None = None,
        bins: int | None = None,
    ) -> shapes.DistributionAnswer:
        """How the cells of one stage of one head are distributed, and the entropy of each query's weights.

        - ``analysis_id``: Id that `POST /api/analyses` or `POST /api/tensors` answered with.
        - ``layer``: Index of the layer, from 0.
        - ``head``: Index of the head, from 0.
        - ``part``: Which attention of the model: `encoder`, `decoder` or `cross`; the first if a
          request leaves it out.
        - ``stage``: Which stage of the computation: raw, scaled or masked scores, weights, or weights
          times values.
        - ``bins``: Number of bins of the histogram.
        """
        return cast(
            "shapes.DistributionAnswer",
            self.connection.json(
                "GET",
                f"/api/analyses/{self.connection.quoted(analysis_id)}/distribution",
                {"layer": layer, "head": head, "part": part, "stage": stage, "bins": bins},
                None,
            ),
        )

    def get_export(
        self,
        analysis_id: str | int,
        *,
        format: Literal["json", "csv", "npz", "html"],
        lang: str | None = None,
        part: Literal["encoder", "decoder", "cross"] | None = None,
        layer: int | None = None,
        head: int | None = None,
        stage: Literal["raw_scores", "scaled_scores", "masked_scores", "weights", "value_weighted", "norm_weighted"]
        | None = None,
        rows: str | None = None,
        cols: str | None = None,
        query: int | None = None,
        key: int | None = None,
        numbering: int | None = None,
        measures: Literal["random"] | None = None,
    ) -> bytes:
        """An analysis as a file.

        `json` holds the whole answer and, where a layer and a head are given, that head's `window`.
        `csv` holds one head
        with its tokens, in UTF-8 with a byte order mark; weights that the mask forbids are left empty.
        `npz` holds a stage
        (layers, heads, queries, keys), `tokens`, `overview`, the `mask` of each layer, if there is one,
        and everything else
        as `metadata`; with the weights it can be sent to `POST /api/tensors` again. `html` is a page
        that needs no network:
        it opens on the chosen head (the first, if none is given) and holds a thumbnail of every head,
        and its numbers where
        those of all heads together are few (`OBSERVATORY_MAX_OFFLINE_CELLS`).

        - ``analysis_id``: Id that `POST /api/analyses` or `POST /api/tensors` answered with.
        - ``format``: npz: all heads or the chosen ones; csv: one head.
        - ``lang``: Language of an HTML file; by Accept-Language unless given.
        - ``part``: Which attention of the model: `encoder`, `decoder` or `cross`; the first if a
          request leaves it out.
        - ``layer``: All unless given (npz).
        - ``head``: All unless given (npz).
        - ``stage``: Which stage of the computation: raw, scaled or masked scores, weights, or weights
          times values.
        - ``rows``: Queries a:b, without b.
        - ``cols``: Keys a:b, without b.
        - ``query``: The query that an HTML file opens on.
        - ``key``: The key that an HTML file opens on.
        - ``numbering``: The number that an HTML file counts from.
        - ``measures``: random: an HTML file also has the model's answer of /api/head_scores.
        """
        return self.connection.bytes(
            "GET",
            f"/api/analyses/{self.connection.quoted(analysis_id)}/export",
            {
                "format": format,
                "lang": lang,
                "part": part,
                "layer": layer,
                "head": head,
                "stage": stage,
                "rows": rows,
                "cols": cols,
                "query": query,
                "key": key,
                "numbering": numbering,
                "measures": measures,
            },
            None,
        )

    def get_flow(
        self,
        analysis_id: str | int,
        *,
        query: int,
        part: Literal["encoder", "decoder", "cross"] | None = None,
        layer: int | None = None,
    ) -> shapes.FlowAnswer:
        """Attention flow (Abnar & Zuidema 2020): the most that can flow from one token to each, by maximal
        flow.

        - ``analysis_id``: Id that `POST /api/analyses` or `POST /api/tensors` answered with.
        - ``query``: Index of the query, from 0.
        - ``part``: Which attention of the model: `encoder`, `decoder` or `cross`; the first if a
          request leaves it out.
        - ``layer``: Index of the layer, from 0.
        """
        return cast(
            "shapes.FlowAnswer",
            self.connection.json(
                "GET",
                f"/api/analyses/{self.connection.quoted(analysis_id)}/flow",
                {"query": query, "part": part, "layer": layer},
                None,
            ),
        )

    def get_information_flow(
        self, analysis_id: str | int, *, position: int, threshold: float | None = None
    ) -> shapes.InformationFlowAnswer:
        """Information flow routes (Ferrando & Voita 2024): each node's parts by head, source token and
        layer.

        Every threshold from ``floor`` upwards is the beginning of the same list of edges.

        - ``analysis_id``: Id that `POST /api/analyses` or `POST /api/tensors` answered with.
        - ``position``: The token whose last residual state is explained.
        - ``threshold``: The least importance of a part that is an edge of the graph.
        """
        return cast(
            "shapes.InformationFlowAnswer",
            self.connection.json(
                "GET",
                f"/api/analyses/{self.connection.quoted(analysis_id)}/information_flow",
                {"position": position, "threshold": threshold},
                None,
            ),
        )

    def get_logit_lens(
        self, analysis_id: str | int, *, position: int, k: int | None = None, token: int | None = None
    ) -> shapes.LogitLensAnswer:
        """What a decoder would predict after each layer (nostalgebraist 2020), and the rank of one token
        there.

        - ``analysis_id``: Id that `POST /api/analyses` or `POST /api/tensors` answered with.
        - ``position``: Index of the token, from 0.
        - ``k``: Candidates after each layer.
        - ``token``: An id of the vocabulary; by default the model's own best.
        """
        return cast(
            "shapes.LogitLensAnswer",
            self.connection.json(
                "GET",
                f"/api/analyses/{self.connection.quoted(analysis_id)}/logit_lens",
                {"position": position, "k": k, "token": token},
                None,
            ),
        )

    def get_output(self, analysis_id: str | int, *, position: int) -> shapes.OutputAnswer:
        """The model's output at this position (the next or the masked token), and the calls that explain
        it.

        - ``analysis_id``: Id that `POST /api/analyses` or `POST /api/tensors` answered with.
        - ``position``: Index of the token, from 0.
        """
        return cast(
            "shapes.OutputAnswer",
            self.connection.json(
                "GET", f"/api/analyses/{self.connection.quoted(analysis_id)}/output", {"position": position}, None
            ),
        )

    def get_prediction_difference(self, analysis_id: str | int, *, other: str) -> shapes.PredictionDifferenceAnswer:
        """The candidates of either with their probability in both, and the tokens whose probability
        changed most.

        The texts may have any number of tokens. Tokens of two models are the same where each has one
        token of that text.

        - ``analysis_id``: Id that `POST /api/analyses` or `POST /api/tensors` answered with.
        - ``other``: The id of the analysis that this one is subtracted from.
        """
        return cast(
            "shapes.PredictionDifferenceAnswer",
            self.connection.json(
                "GET",
                f"/api/analyses/{self.connection.quoted(analysis_id)}/prediction_difference",
                {"other": other},
                None,
            ),
        )

    def get_query_key_plane(
        self,
        analysis_id: str | int,
        *,
        layer: int,
        head: int,
        part: Literal["encoder", "decoder", "cross"] | None = None,
        hide_special: bool | None = None,
        max_tokens: int | None = None,
        query: int | None = None,
        key: int | None = None,
    ) -> shapes.QueryKeyPlaneAnswer:
        """All queries and keys of a head in their first two principal components, aligned as in
        AttentionViz.

        (Yeh et al. 2023.) The vectors are those that are scored: after rotary embedding and
        normalisation, with the scale.
        The plane is computed from all tokens, also where a sample is returned.

        - ``analysis_id``: Id that `POST /api/analyses` or `POST /api/tensors` answered with.
        - ``layer``: Index of the layer, from 0.
        - ``head``: Index of the head, from 0.
        - ``part``: Which attention of the model: `encoder`, `decoder` or `cross`; the first if a
          request leaves it out.
        - ``hide_special``: Leave special tokens out, unless all are special.
        - ``max_tokens``: Of more tokens, an even sample is returned.
        - ``query``: Always in the sample, with the keys that it attends to most.
        - ``key``: Always in the sample, with the queries that attend to it most.
        """
        return cast(
            "shapes.QueryKeyPlaneAnswer",
            self.connection.json(
                "GET",
                f"/api/analyses/{self.connection.quoted(analysis_id)}/query_key_plane",
                {
                    "layer": layer,
                    "head": head,
                    "part": part,
                    "hide_special": hide_special,
                    "max_tokens": max_tokens,
                    "query": query,
                    "key": key,
                },
                None,
            ),
        )

    def get_reach(
        self,
        analysis_id: str | int,
        *,
        part: Literal["encoder", "decoder", "cross"] | None = None,
        case: Literal["plain", "packed", "padded", "cached"] | None = None,
        start: int | None = None,
        encoding: Literal["base64", "json"] | None = None,
    ) -> shapes.ReachAnswer:
        """Which token really influences which position after each layer: each token is replaced, bit for
        bit compared.

        - ``analysis_id``: Id that `POST /api/analyses` or `POST /api/tensors` answered with.
        - ``part``: Which attention of the model: `encoder`, `decoder` or `cross`; the first if a
          request leaves it out.
        - ``case``: How the text runs: as it was analysed; as two documents in one row; with its first
          tokens as padding; token by token with a KV cache.
        - ``start``: First token of the second document (the middle, unless given), or behind the
          padding (behind four).
        - ``encoding``: How the numbers are written: nested lists (`json`), or their bytes (`base64`).
        """
        return cast(
            "shapes.ReachAnswer",
            self.connection.json(
                "GET",
                f"/api/analyses/{self.connection.quoted(analysis_id)}/reach",
                {"part": part, "case": case, "start": start, "encoding": encoding},
                None,
            ),
        )

    def get_reach_progress(
        self,
        analysis_id: str | int,
        *,
        part: Literal["encoder", "decoder", "cross"] | None = None,
        case: Literal["plain", "packed", "padded", "cached"] | None = None,
        start: int | None = None,
    ) -> shapes.ReachProgress:
        """How far `GET /api/analyses/{id}/reach` has come with the same questions; nothing is computed for
        this.

        - ``analysis_id``: Id that `POST /api/analyses` or `POST /api/tensors` answered with.
        - ``part``: Which attention of the model: `encoder`, `decoder` or `cross`; the first if a
          request leaves it out.
        - ``case``: How the text runs: as it was analysed; as two documents in one row; with its first
          tokens as padding; token by token with a KV cache.
        - ``start``: First token of the second document (the middle, unless given), or behind the
          padding (behind four).
        """
        return cast(
            "shapes.ReachProgress",
            self.connection.json(
                "GET",
                f"/api/analyses/{self.connection.quoted(analysis_id)}/reach/progress",
                {"part": part, "case": case, "start": start},
                None,
            ),
        )

    def get_rollout(
        self,
        analysis_id: str | int,
        *,
        part: Literal["encoder", "decoder", "cross"] | None = None,
        layer: int | None = None,
        query: int | None = None,
        encoding: Literal["base64", "json"] | None = None,
    ) -> shapes.RolloutAnswer:
        """Attention rollout (Abnar & Zuidema 2020): the product of ½ mean weights + ½ identity over
        layers.

        Of one query at any length, of all queries of a short text.

        - ``analysis_id``: Id that `POST /api/analyses` or `POST /api/tensors` answered with.
        - ``part``: Which attention of the model: `encoder`, `decoder` or `cross`; the first if a
          request leaves it out.
        - ``layer``: Index of the layer, from 0.
        - ``query``: Index of the query, from 0.
        - ``encoding``: How the numbers are written: nested lists (`json`), or their bytes (`base64`).
        """
        return cast(
            "shapes.RolloutAnswer",
            self.connection.json(
                "GET",
                f"/api/analyses/{self.connection.quoted(analysis_id)}/rollout",
                {"part": part, "layer": layer, "query": query, "encoding": encoding},
                None,
            ),
        )

    def get_rollout_layers(
        self,
        analysis_id: str | int,
        *,
        query: int,
        part: Literal["encoder", "decoder", "cross"] | None = None,
        encoding: Literal["base64", "json"] | None = None,
    ) -> shapes.RolloutLayersAnswer:
        """Attention rollout of one query after every layer, and the mean weights of each layer, at any
        length.

        - ``analysis_id``: Id that `POST /api/analyses` or `POST /api/tensors` answered with.
        - ``query``: Index of the query, from 0.
        - ``part``: Which attention of the model: `encoder`, `decoder` or `cross`; the first if a
          request leaves it out.
        - ``encoding``: How the numbers are written: nested lists (`json`), or their bytes (`base64`).
        """
        return cast(
            "shapes.RolloutLayersAnswer",
            self.connection.json(
                "GET",
                f"/api/analyses/{self.connection.quoted(analysis_id)}/rollout/layers",
                {"query": query, "part": part, "encoding": encoding},
                None,
            ),
        )

    def get_sound(self, analysis_id: str | int) -> None:
        """The sound as the model heard it, as a WAV file: one channel at the model's rate.

        - ``analysis_id``: Id that `POST /api/analyses` or `POST /api/tensors` answered with.
        """
        self.connection.nothing("GET", f"/api/analyses/{self.connection.quoted(analysis_id)}/sound", {}, None)

    def get_token(
        self,
        analysis_id: str | int,
        index: str | int,
        *,
        side: Literal["source", "target"] | None = None,
        count: int | None = None,
        hide_special: bool | None = None,
        words: bool | None = None,
    ) -> shapes.TokenReadsAnswer:
        """What this token attends to and what attends to it, in every layer and head.

        Weights to a word are summed over its tokens, weights from it averaged.

        - ``analysis_id``: Id that `POST /api/analyses` or `POST /api/tensors` answered with.
        - ``index``: Its position, from 0.
        - ``side``: Whether the token is of the source or of the target text; the first that has it
          unless given.
        - ``count``: Tokens listed for each head.
        - ``hide_special``: Leave special tokens out of lists and totals.
        - ``words``: Words instead of tokens, each with the index of its first token.
        """
        return cast(
            "shapes.TokenReadsAnswer",
            self.connection.json(
                "GET",
                f"/api/analyses/{self.connection.quoted(analysis_id)}/tokens/{self.connection.quoted(index)}",
                {"side": side, "count": count, "hide_special": hide_special, "words": words},
                None,
            ),
        )

    def get_vectors(
        self,
        analysis_id: str | int,
        *,
        layer: int,
        head: int,
        query: int,
        key: int,
        part: Literal["encoder", "decoder", "cross"] | None = None,
    ) -> shapes.VectorsAnswer:
        """Query, key and value of two tokens, their product element by element, and the resulting weight.

        - ``analysis_id``: Id that `POST /api/analyses` or `POST /api/tensors` answered with.
        - ``layer``: Index of the layer, from 0.
        - ``head``: Index of the head, from 0.
        - ``query``: Index of the query, from 0.
        - ``key``: Index of the key, from 0.
        - ``part``: Which attention of the model: `encoder`, `decoder` or `cross`; the first if a
          request leaves it out.
        """
        return cast(
            "shapes.VectorsAnswer",
            self.connection.json(
                "GET",
                f"/api/analyses/{self.connection.quoted(analysis_id)}/vectors",
                {"layer": layer, "head": head, "query": query, "key": key, "part": part},
                None,
            ),
        )

    def get_weights(
        self,
        analysis_id: str | int,
        *,
        layer: int,
        head: int,
        part: Literal["encoder", "decoder", "cross"] | None = None,
        stage: Literal["raw_scores", "scaled_scores", "masked_scores", "weights", "value_weighted", "norm_weighted"]
        | None = None,
        rows: str | None = None,
        cols: str | None = None,
        max_size: int | None = None,
        pooling: Literal["max", "mean"] | None = None,
        encoding: Literal["base64", "json"] | None = None,
    ) -> shapes.WindowAnswer:
        """A window of one stage of one head at full resolution, or pooled to ``max_size`` cells a side.

        - ``analysis_id``: Id that `POST /api/analyses` or `POST /api/tensors` answered with.
        - ``layer``: Index of the layer, from 0.
        - ``head``: Index of the head, from 0.
        - ``part``: Which attention of the model: `encoder`, `decoder` or `cross`; the first if a
          request leaves it out.
        - ``stage``: Which stage of the computation: raw, scaled or masked scores, weights, or weights
          times values.
        - ``rows``: Queries a:b, without b.
        - ``cols``: Keys a:b, without b.
        - ``max_size``: Pool to at most this many rows and columns.
        - ``pooling``: What one pixel of a reduced matrix is: the mean or the largest of its cells.
        - ``encoding``: How the numbers are written: nested lists (`json`), or their bytes (`base64`).
        """
        return cast(
            "shapes.WindowAnswer",
            self.connection.json(
                "GET",
                f"/api/analyses/{self.connection.quoted(analysis_id)}/weights",
                {
                    "layer": layer,
                    "head": head,
                    "part": part,
                    "stage": stage,
                    "rows": rows,
                    "cols": cols,
                    "max_size": max_size,
                    "pooling": pooling,
                    "encoding": encoding,
                },
                None,
            ),
        )

    def list_atlases(self) -> shapes.AtlasList:
        """Every atlas, those of the probe corpus first, scans under way, and what another could be made
        of.
        """
        return cast("shapes.AtlasList", self.connection.json("GET", "/api/atlases", {}, None))

    def post_atlas(
        self,
        *,
        model: str,
        corpus: str,
        max_tokens: int | None = None,
        window_tokens: int | None = None,
        seed: int | None = None,
    ) -> shapes.ScanAnswer:
        """Have an atlas computed. The same request again goes on where it was stopped, or answers with
        what is there.

        - ``model``: Id of a model, as `GET /api/models` lists them.
        - ``corpus``: The corpus' id.
        - ``max_tokens``: Of a larger corpus, a random sample of documents is scanned; as many as
          allowed unless given.
        - ``window_tokens``: Longer documents are cut into windows of so many tokens, between words.
        - ``seed``: Number that determines everything random: the same number, the same answer.
        """
        return cast(
            "shapes.ScanAnswer",
            self.connection.json(
                "POST",
                "/api/atlases",
                {},
                {
                    "model": model,
                    "corpus": corpus,
                    "max_tokens": max_tokens,
                    "window_tokens": window_tokens,
                    "seed": seed,
                },
            ),
        )

    def get_atlas(self, atlas_id: str | int) -> shapes.AtlasState:
        """What was scanned and how, or how far the scan has come.

        - ``atlas_id``: The atlas' id.
        """
        return cast(
            "shapes.AtlasState",
            self.connection.json("GET", f"/api/atlases/{self.connection.quoted(atlas_id)}", {}, None),
        )

    def delete_atlas(self, atlas_id: str | int) -> None:
        """Stop a scan, which can be resumed; or delete a finished atlas of an uploaded corpus.

        Only who has asked for it can (403 `not_yours`); where others have too, it goes on and stays
        theirs.

        - ``atlas_id``: The atlas' id.
        """
        self.connection.nothing("DELETE", f"/api/atlases/{self.connection.quoted(atlas_id)}", {}, None)

    def get_atlas_comparison(self, atlas_id: str | int, *, other: str) -> shapes.ComparisonAnswer:
        """Which heads do something else in another atlas. Refused where layers or heads do not correspond.

        - ``atlas_id``: The atlas' id.
        - ``other``: The id of another atlas.
        """
        return cast(
            "shapes.ComparisonAnswer",
            self.connection.json(
                "GET", f"/api/atlases/{self.connection.quoted(atlas_id)}/comparison", {"other": other}, None
            ),
        )

    def get_atlas_events(self, atlas_id: str | int) -> Iterator[dict[str, Any]]:
        """Every state of a scan as an event `state`; the stream ends with the state in which the scan is
        over.

        - ``atlas_id``: The atlas' id.
        """
        return self.connection.events("GET", f"/api/atlases/{self.connection.quoted(atlas_id)}/events", {}, None)

    def get_atlas_export(self, atlas_id: str | int) -> bytes:
        """The atlas' folder, zipped: JSON and Parquet, which DuckDB, pandas and Polars open.

        - ``atlas_id``: The atlas' id.
        """
        return self.connection.bytes("GET", f"/api/atlases/{self.connection.quoted(atlas_id)}/export", {}, None)

    def get_atlas_heads(self, atlas_id: str | int) -> shapes.HeadsAnswer:
        """All heads with their measures, their places on a map of similar heads, and their accuracy at
        each relation.

        - ``atlas_id``: The atlas' id.
        """
        return cast(
            "shapes.HeadsAnswer",
            self.connection.json("GET", f"/api/atlases/{self.connection.quoted(atlas_id)}/heads", {}, None),
        )

    def get_atlas_head(
        self,
        atlas_id: str | int,
        layer: str | int,
        head: str | int,
        *,
        part: Literal["encoder", "decoder"] | None = None,
    ) -> shapes.PortraitAnswer:
        """What one head does over the corpus: distributions, offsets, token pairs, examples, relations and
        neighbours.

        - ``atlas_id``: The atlas' id.
        - ``layer``: Index of the layer, from 0.
        - ``head``: Index of the head, from 0.
        - ``part``: Which attention of the model: `encoder`, `decoder` or `cross`; the first if a
          request leaves it out.
        """
        return cast(
            "shapes.PortraitAnswer",
            self.connection.json(
                "GET",
                f"/api/atlases/{self.connection.quoted(atlas_id)}/heads/{self.connection.quoted(layer)}/{self.connection.quoted(head)}",
                {"part": part},
                None,
            ),
        )

    def get_atlas_relations(self, atlas_id: str | int) -> shapes.RelationsAnswer:
        """How often each head's strongest word is the right one, by relation and direction (Clark et al.
        2019, table 1).

        Self and special tokens are left out; weights on the pieces of an attended word are summed,
        those of an attending
        word averaged. `accuracy` is in the order of the heads in `GET …/heads`.

        - ``atlas_id``: The atlas' id.
        """
        return cast(
            "shapes.RelationsAnswer",
            self.connection.json("GET", f"/api/atlases/{self.connection.quoted(atlas_id)}/relations", {}, None),
        )

    def get_atlas_search(
        self,
        atlas_id: str | int,
        *,
        layer: int,
        head: int,
        query: int,
        part: Literal["encoder", "decoder"] | None = None,
        by: Literal["query", "key", "output", "all"] | None = None,
        limit: int | None = None,
        window: int | None = None,
        analysis: str | None = None,
        key: int | None = None,
    ) -> shapes.SearchAnswer:
        """Cells of the corpus at which this head's vectors are most like those of one cell, by cosine
        similarity.

        The cell is one of the corpus (`window`, `query`) or one of an analysis (`analysis`, `query`,
        `key`).

        - ``atlas_id``: The atlas' id.
        - ``layer``: Index of the layer, from 0.
        - ``head``: Index of the head, from 0.
        - ``query``: The query of the cell.
        - ``part``: Which attention of the model: `encoder`, `decoder` or `cross`; the first if a
          request leaves it out.
        - ``by``: Whose vectors are compared; all: the mean of the three similarities.
        - ``limit``: The most that are answered.
        - ``window``: Of a cell of the corpus whose vectors are kept.
        - ``analysis``: Of a cell of an analysis: its id; then key is needed, too.
        - ``key``: The key of a cell of an analysis.
        """
        return cast(
            "shapes.SearchAnswer",
            self.connection.json(
                "GET",
                f"/api/atlases/{self.connection.quoted(atlas_id)}/search",
                {
                    "layer": layer,
                    "head": head,
                    "query": query,
                    "part": part,
                    "by": by,
                    "limit": limit,
                    "window": window,
                    "analysis": analysis,
                    "key": key,
                },
                None,
            ),
        )

    def post_block(
        self,
        *,
        text: str,
        model: str | None = None,
        layer: int | None = None,
        token: int | None = None,
        own: shapes.OwnDecoder | Mapping[str, Any] | None = None,
    ) -> shapes.BlockAnswer:
        """Follow one token through one block, with every equation checked.

        - ``text``: As it is written.
        - ``model``: An id of /api/models; our own decoder unless given.
        - ``layer``: Index of the layer, from 0.
        - ``token``: Its index, special tokens included.
        - ``own``: Where no model is given; its tokens are the words between spaces.
        """
        return cast(
            "shapes.BlockAnswer",
            self.connection.json(
                "POST", "/api/block", {}, {"text": text, "model": model, "layer": layer, "token": token, "own": own}
            ),
        )

    def post_circle(
        self,
        *,
        query_angles_deg: Any,
        n: int | None = None,
        lengths: Any | None = None,
        key_angles_deg: Any | None = None,
        query_lengths: Any | None = None,
        mechanism: Literal["dot", "scaled_dot", "cosine", "additive"] | None = None,
        temperature: float | None = None,
        additive: shapes.ArrowAdditive | Mapping[str, Any] | None = None,
        turn: shapes.TurnOptions | Mapping[str, Any] | None = None,
    ) -> shapes.CircleAnswer:
        """Attend to keys in the plane.

        - ``query_angles_deg``: Direction of each query, in degrees counter-clockwise from the x-axis.
        - ``n``: Keys.
        - ``lengths``: One for each key; 1 unless given.
        - ``key_angles_deg``: One for each key; 0, 360/n, 2·360/n, … unless given.
        - ``query_lengths``: One for each query; 1 unless given.
        - ``mechanism``: How a query and a key make a score.
        - ``temperature``: What scores are divided by before softmax; below 1 sharper, above 1 flatter.
        - ``additive``: For the additive mechanism only.
        - ``turn``: Positions of the arrows, and their rotation by RoPE.
        """
        return cast(
            "shapes.CircleAnswer",
            self.connection.json(
                "POST",
                "/api/circle",
                {},
                {
                    "query_angles_deg": query_angles_deg,
                    "n": n,
                    "lengths": lengths,
                    "key_angles_deg": key_angles_deg,
                    "query_lengths": query_lengths,
                    "mechanism": mechanism,
                    "temperature": temperature,
                    "additive": additive,
                    "turn": turn,
                },
            ),
        )

    def get_circuits(
        self, *, model: str, layer: int, head: int, token: str | None = None, limit: int | None = None
    ) -> shapes.CircuitsAnswer:
        """What a head would attend to and write, token by token (Elhage et al. 2021), with its copying
        score.

        - ``model``: An id of /api/models, of a decoder.
        - ``layer``: Index of the layer, from 0.
        - ``head``: Index of the head, from 0.
        - ``token``: A text of exactly one token, with its space: “ cat”.
        - ``limit``: Tokens and pairs in each list.
        """
        return cast(
            "shapes.CircuitsAnswer",
            self.connection.json(
                "GET",
                "/api/circuits",
                {"model": model, "layer": layer, "head": head, "token": token, "limit": limit},
                None,
            ),
        )

    def get_circuit_composition(
        self, *, model: str, limit: int | None = None, encoding: Literal["base64", "json"] | None = None
    ) -> shapes.CompositionAnswer:
        """Q-, K- and V-composition of all pairs of heads (Elhage et al. 2021), and the copying score of
        every head.

        - ``model``: An id of /api/models, of a decoder.
        - ``limit``: Pairs of each kind in `strongest`.
        - ``encoding``: Of the matrices.
        """
        return cast(
            "shapes.CompositionAnswer",
            self.connection.json(
                "GET", "/api/circuits/composition", {"model": model, "limit": limit, "encoding": encoding}, None
            ),
        )

    def post_claims(self, *, model: str) -> shapes.ClaimsAnswer:
        """Measure every claim about a model, and list the others.

        - ``model``: Id of a model, as `GET /api/models` lists them.
        """
        return cast("shapes.ClaimsAnswer", self.connection.json("POST", "/api/claims", {}, {"model": model}))

    def post_context(
        self,
        *,
        model: str,
        texts: list[shapes.WordIn | Mapping[str, Any]],
        encoding: Literal["base64", "json"] | None = None,
    ) -> shapes.ContextAnswer:
        """Compare the words after every layer.

        - ``model``: Id of a model, as `GET /api/models` lists them.
        - ``texts``: The texts, each with the word in it.
        - ``encoding``: Of `reads`.
        """
        return cast(
            "shapes.ContextAnswer",
            self.connection.json("POST", "/api/context", {}, {"model": model, "texts": texts, "encoding": encoding}),
        )

    def list_corpora(self) -> shapes.CorpusList:
        """The built-in probe corpus, the operator's files and uploads."""
        return cast("shapes.CorpusList", self.connection.json("GET", "/api/corpora", {}, None))

    def post_corpus(self, body: bytes, *, name: str, column: str | None = None) -> shapes.CorpusAnswer:
        """Upload a corpus: the body is the file. Its name's extension says what it is.

        `.txt`: a document a paragraph or line; `.jsonl`, `.csv` and `.parquet`: a document a row, with
        its text in
        `column`, else in `text`, else in the only column of texts; `.conllu`: sentences with parts of
        speech and dependency
        relations (Universal Dependencies).

        - ``body``: What is uploaded.
        - ``name``: The file's name, with its extension.
        - ``column``: Where `.jsonl`, `.csv` and `.parquet` have the texts.
        """
        return cast(
            "shapes.CorpusAnswer", self.connection.json("POST", "/api/corpora", {"name": name, "column": column}, body)
        )

    def delete_corpus(self, corpus_id: str | int) -> None:
        """Delete an uploaded corpus. Atlases of it stay, what stopped scans of it have left goes.

        Only who has uploaded it can (403 `not_yours`); where others have uploaded the same, it stays
        theirs.

        - ``corpus_id``: The corpus' id.
        """
        self.connection.nothing("DELETE", f"/api/corpora/{self.connection.quoted(corpus_id)}", {}, None)

    def post_decoder(
        self,
        *,
        form: Literal["modern", "llama", "gpt2", "nanochat_2025", "nanochat_2026"] | None = None,
        tokens: list[str] | None = None,
        ids: Any | None = None,
        vocab_size: int | None = None,
        d_model: int | None = None,
        num_layers: int | None = None,
        num_heads: int | None = None,
        num_kv_heads: int | None = None,
        hidden_dim: int | None = None,
        positions: Literal["learned", "sinusoidal", "rope", "alibi", "none"] | None = None,
        qk_norm: Literal["rms", "l2", "none"] | None = None,
        qk_norm_before_rope: bool | None = None,
        feed_forward: Literal["gelu", "swiglu", "relu_squared"] | None = None,
        init_std: float | None = None,
        generate: int | None = None,
        precision: Literal["float64", "float32", "float16", "bfloat16"] | None = None,
        seed: int | None = None,
    ) -> shapes.DecoderAnswer:
        """Embed; in each block norm, attend, add, norm, feed forward, add; then norm and logits.

        - ``form``: modern: bias-free, GQA, RoPE, QK-norm, KV cache; or llama, gpt2; nanochat_2025, and
          nanochat_2026 with value embeddings, windows and sharper scores.
        - ``tokens``: The tokens, in their order.
        - ``ids``: Numbers of tokens in the vocabulary.
        - ``vocab_size``: The number of distinct tokens unless given.
        - ``d_model``: Size of the residual stream.
        - ``num_layers``: Number of layers.
        - ``num_heads``: Number of query heads.
        - ``num_kv_heads``: Unless given, num_heads in llama and gpt2; else 2 if that divides num_heads.
        - ``hidden_dim``: 4 · d_model unless given.
        - ``positions``: The form's unless given, like the next three.
        - ``qk_norm``: Norm of queries and keys before they are multiplied; null for the form's own.
        - ``qk_norm_before_rope``: Whether that norm is applied before the rotation.
        - ``feed_forward``: Activation of the feed-forward layer.
        - ``init_std``: Of the random weights; training starts at 0.02, where attention is almost
          uniform.
        - ``generate``: Number of most probable tokens to append.
        - ``precision``: Number format of the computation.
        - ``seed``: Number that determines everything random: the same number, the same answer.
        """
        return cast(
            "shapes.DecoderAnswer",
            self.connection.json(
                "POST",
                "/api/decoder",
                {},
                {
                    "form": form,
                    "tokens": tokens,
                    "ids": ids,
                    "vocab_size": vocab_size,
                    "d_model": d_model,
                    "num_layers": num_layers,
                    "num_heads": num_heads,
                    "num_kv_heads": num_kv_heads,
                    "hidden_dim": hidden_dim,
                    "positions": positions,
                    "qk_norm": qk_norm,
                    "qk_norm_before_rope": qk_norm_before_rope,
                    "feed_forward": feed_forward,
                    "init_std": init_std,
                    "generate": generate,
                    "precision": precision,
                    "seed": seed,
                },
            ),
        )

    def post_embedding(
        self,
        *,
        model: str,
        text: str | None = None,
        ids: Any | None = None,
        neighbours: int | None = None,
        encoding: Literal["base64", "json"] | None = None,
    ) -> shapes.EmbeddingAnswer:
        """Look a text's tokens up in a model's table.

        - ``model``: Id of a model, as `GET /api/models` lists them.
        - ``text``: As it is written.
        - ``ids``: Instead of a text.
        - ``neighbours``: Number of neighbours of each token.
        - ``encoding``: Of vectors and similarity.
        """
        return cast(
            "shapes.EmbeddingAnswer",
            self.connection.json(
                "POST",
                "/api/embedding",
                {},
                {"model": model, "text": text, "ids": ids, "neighbours": neighbours, "encoding": encoding},
            ),
        )

    def post_film(
        self, *, shots: list[shapes.Shot | Mapping[str, Any]], title: str | None = None, seconds: float | None = None
    ) -> bytes:
        """The film as an animated GIF: one shot after the other, again and again.

        - ``shots``: In the order of the film.
        - ``title``: A comment in the file, which no player shows.
        - ``seconds``: How long each is shown.
        """
        return self.connection.bytes("POST", "/api/film", {}, {"shots": shots, "title": title, "seconds": seconds})

    def post_head_counts(
        self,
        *,
        head_counts: Any | None = None,
        num_questions: int | None = None,
        head_dim: int | None = None,
        sharpness: float | None = None,
        fillers: int | None = None,
        vectors: Any | None = None,
        d_model: int | None = None,
        seq_len: int | None = None,
        seed: int | None = None,
    ) -> shapes.HeadCountsAnswer:
        """Several separate peaks or one blurred ranking, from the same parameters.

        - ``head_counts``: Numbers of heads that the same projections are split into.
        - ``num_questions``: Number of questions that the heads are asked.
        - ``head_dim``: Numbers for each question.
        - ``sharpness``: Query sharpness: how far the answer scores above other keys.
        - ``fillers``: Tokens that answer no question.
        - ``vectors``: With random W_Q and W_K, instead of the example.
        - ``d_model``: With random vectors too.
        - ``seq_len``: Number of random vectors.
        - ``seed``: Number that determines everything random: the same number, the same answer.
        """
        return cast(
            "shapes.HeadCountsAnswer",
            self.connection.json(
                "POST",
                "/api/head_counts",
                {},
                {
                    "head_counts": head_counts,
                    "num_questions": num_questions,
                    "head_dim": head_dim,
                    "sharpness": sharpness,
                    "fillers": fillers,
                    "vectors": vectors,
                    "d_model": d_model,
                    "seq_len": seq_len,
                    "seed": seed,
                },
            ),
        )

    def post_head_roles(self, *, model: str, sentences: int | None = None) -> shapes.HeadRolesAnswer:
        """Measure the roles of all heads of a model, and its best head for each relation.

        - ``model``: Id of a model, as `GET /api/models` lists them.
        - ``sentences``: Of the probe corpus; one half chooses, the other measures.
        """
        return cast(
            "shapes.HeadRolesAnswer",
            self.connection.json("POST", "/api/head_roles", {}, {"model": model, "sentences": sentences}),
        )

    def post_head_role_example(
        self,
        *,
        model: str,
        role: Literal["previous_token", "next_token", "sink", "induction", "relation"],
        sentences: int | None = None,
        relation: str | None = None,
        direction: Literal["dependent_to_head", "head_to_dependent"] | None = None,
        layer: int | None = None,
        head: int | None = None,
        number: int | None = None,
    ) -> shapes.RoleExampleAnswer:
        """One sentence in which a role can be seen, with one head's weights.

        - ``model``: Id of a model, as `GET /api/models` lists them.
        - ``role``: What the head is looked at for.
        - ``sentences``: Of the probe corpus; one half chooses, the other measures.
        - ``relation``: For the role `relation`: one of the answer's.
        - ``direction``: Which way the comparison goes.
        - ``layer``: By default that of the head that stands out most.
        - ``head``: Index of the head, from 0.
        - ``number``: Which of the sentences that show this role.
        """
        return cast(
            "shapes.RoleExampleAnswer",
            self.connection.json(
                "POST",
                "/api/head_roles/example",
                {},
                {
                    "model": model,
                    "role": role,
                    "sentences": sentences,
                    "relation": relation,
                    "direction": direction,
                    "layer": layer,
                    "head": head,
                    "number": number,
                },
            ),
        )

    def get_head_scores(
        self, *, model: str, period: int | None = None, sequences: int | None = None, seed: int | None = None
    ) -> shapes.HeadScoresAnswer:
        """Scores of every head on random tokens repeated once, with their definitions and sources.

        - ``model``: An id of /api/models.
        - ``period``: 50, or as many as fit, unless given.
        - ``sequences``: The scores are averaged over them.
        - ``seed``: Number that determines everything random: the same number, the same answer.
        """
        return cast(
            "shapes.HeadScoresAnswer",
            self.connection.json(
                "GET",
                "/api/head_scores",
                {"model": model, "period": period, "sequences": sequences, "seed": seed},
                None,
            ),
        )

    def post_kernel(
        self,
        *,
        points: Any | None = None,
        keys: Any | None = None,
        values: Any | None = None,
        num_points: int | None = None,
        size: int | None = None,
        query_weight: Any | None = None,
        key_weight: Any | None = None,
        gamma: float | None = None,
        bandwidth: float | None = None,
        degree: int | None = None,
        constant: float | None = None,
        scale: float | None = None,
        seed: int | None = None,
    ) -> shapes.KernelAnswer:
        """RBF and polynomial smoothing, and attention with learned weights.

        - ``points``: Queries × size. Random, from N(0, 1), unless given.
        - ``keys``: Keys × size. The points unless given.
        - ``values``: Keys × any size. The keys unless given.
        - ``num_points``: Number of random points.
        - ``size``: Dimension of random points.
        - ``query_weight``: Any number of rows × size; the identity unless given.
        - ``key_weight``: As many rows as query_weight; the identity unless given.
        - ``gamma``: RBF: exp(−γ‖x − y‖²). 0.5 unless a bandwidth is given.
        - ``bandwidth``: RBF: γ = 1/(2h²).
        - ``degree``: Polynomial: (x·y + c)^p.
        - ``constant``: Polynomial: c.
        - ``scale``: Attention: 1/√d unless given.
        - ``seed``: Number that determines everything random: the same number, the same answer.
        """
        return cast(
            "shapes.KernelAnswer",
            self.connection.json(
                "POST",
                "/api/kernel",
                {},
                {
                    "points": points,
                    "keys": keys,
                    "values": values,
                    "num_points": num_points,
                    "size": size,
                    "query_weight": query_weight,
                    "key_weight": key_weight,
                    "gamma": gamma,
                    "bandwidth": bandwidth,
                    "degree": degree,
                    "constant": constant,
                    "scale": scale,
                    "seed": seed,
                },
            ),
        )

    def post_kv_cache(
        self,
        *,
        preset: Literal["gpt2", "llama-2-7b", "llama-2-70b", "llama-3-8b", "mistral-7b", "gemma-2b"] | None = None,
        layers: int | None = None,
        kv_heads: int | None = None,
        head_dim: int | None = None,
        heads: int | None = None,
        batch: int | None = None,
        seq_len: int | None = None,
        bytes_per_value: int | None = None,
    ) -> shapes.KVCacheAnswer:
        """`2 · layers · kv_heads · head_dim · bytes_per_value` a token, times the tokens of the batch.

        - ``preset``: One of GET /api/kv_cache/presets.
        - ``layers``: Must be left out with a preset, like the next three.
        - ``kv_heads``: Key/value heads.
        - ``head_dim``: Size of one head's queries and keys.
        - ``heads``: Query heads, for the comparison with MHA; kv_heads unless given.
        - ``batch``: Number of sequences in the batch.
        - ``seq_len``: Number of tokens.
        - ``bytes_per_value``: 4: float32; 2: float16, bfloat16; 1: 8-bit.
        """
        return cast(
            "shapes.KVCacheAnswer",
            self.connection.json(
                "POST",
                "/api/kv_cache",
                {},
                {
                    "preset": preset,
                    "layers": layers,
                    "kv_heads": kv_heads,
                    "head_dim": head_dim,
                    "heads": heads,
                    "batch": batch,
                    "seq_len": seq_len,
                    "bytes_per_value": bytes_per_value,
                },
            ),
        )

    def get_kv_cache_presets(self) -> shapes.PresetsAnswer:
        """Models whose cache size can be requested by name, with the sources of their sizes."""
        return cast("shapes.PresetsAnswer", self.connection.json("GET", "/api/kv_cache/presets", {}, None))

    def post_kv_cache_steps(
        self,
        *,
        prefill: int | None = None,
        chunks: Any | None = None,
        d_model: int | None = None,
        num_heads: int | None = None,
        num_kv_heads: int | None = None,
        rope: Literal["interleaved", "half_split"] | None = None,
        max_length: int | None = None,
        precision: Literal["float64", "float32", "float16", "bfloat16"] | None = None,
        seed: int | None = None,
    ) -> shapes.StepsAnswer:
        """Prefill, single tokens and chunks, each with the mask it needs, compared with a pass without a
        cache.

        - ``prefill``: Tokens of the first step; 0: no such step.
        - ``chunks``: Tokens of each further step.
        - ``d_model``: Size of the residual stream.
        - ``num_heads``: Number of query heads.
        - ``num_kv_heads``: num_heads unless given.
        - ``rope``: Rotate queries and keys by their positions, in this pairing.
        - ``max_length``: Tokens that the cache has room for; as many as there are unless given.
        - ``precision``: Number format of the computation.
        - ``seed``: Number that determines everything random: the same number, the same answer.
        """
        return cast(
            "shapes.StepsAnswer",
            self.connection.json(
                "POST",
                "/api/kv_cache/steps",
                {},
                {
                    "prefill": prefill,
                    "chunks": chunks,
                    "d_model": d_model,
                    "num_heads": num_heads,
                    "num_kv_heads": num_kv_heads,
                    "rope": rope,
                    "max_length": max_length,
                    "precision": precision,
                    "seed": seed,
                },
            ),
        )

    def post_linear(
        self,
        *,
        in_features: int | None = None,
        out_features: int | None = None,
        bias: bool | None = None,
        seed: int | None = None,
        inputs: Any | None = None,
        leading: Any | None = None,
        weight: Any | None = None,
        bias_values: Any | None = None,
    ) -> shapes.LinearAnswer:
        """A linear layer computed by hand and by torch's own module.

        - ``in_features``: Size of an input vector.
        - ``out_features``: Size of an output vector.
        - ``bias``: Whether a random layer has a bias.
        - ``seed``: Number that determines everything random: the same number, the same answer.
        - ``inputs``: 1 to 4 axes, the last of size in_features.
        - ``leading``: Leading axes of random inputs, from N(0, 1), such as batch, heads, tokens.
        - ``weight``: (out, in). Its sizes replace in_features and out_features.
        - ``bias_values``: The bias of a given weight.
        """
        return cast(
            "shapes.LinearAnswer",
            self.connection.json(
                "POST",
                "/api/linear",
                {},
                {
                    "in_features": in_features,
                    "out_features": out_features,
                    "bias": bias,
                    "seed": seed,
                    "inputs": inputs,
                    "leading": leading,
                    "weight": weight,
                    "bias_values": bias_values,
                },
            ),
        )

    def post_linear_bias(
        self,
        *,
        d_model: int | None = None,
        d_k: int | None = None,
        projections: int | None = None,
        batch: int | None = None,
        seq_len: int | None = None,
        seed: int | None = None,
        bins: int | None = None,
        large: shapes.LargeModel | Mapping[str, Any] | None = None,
    ) -> shapes.BiasAnswer:
        """Scores with and without bias, and what the bias costs in parameters.

        - ``d_model``: Size of the residual stream.
        - ``d_k``: Size of a query and of a key.
        - ``projections``: How many are counted.
        - ``batch``: Number of sequences in the batch.
        - ``seq_len``: Number of vectors in the input.
        - ``seed``: Number that determines everything random: the same number, the same answer.
        - ``bins``: Number of bins of the histogram.
        - ``large``: A model of usual size, for comparison.
        """
        return cast(
            "shapes.BiasAnswer",
            self.connection.json(
                "POST",
                "/api/linear/bias",
                {},
                {
                    "d_model": d_model,
                    "d_k": d_k,
                    "projections": projections,
                    "batch": batch,
                    "seq_len": seq_len,
                    "seed": seed,
                    "bins": bins,
                    "large": large,
                },
            ),
        )

    def post_linear_initialisation(
        self,
        *,
        sizes: Any | None = None,
        out_features: int | None = None,
        seed: int | None = None,
        bins: int | None = None,
    ) -> shapes.InitialisationAnswer:
        """Histograms of fresh weights, with their bound.

        - ``sizes``: in_features.
        - ``out_features``: Size of an output vector.
        - ``seed``: Number that determines everything random: the same number, the same answer.
        - ``bins``: Number of bins of the histogram.
        """
        return cast(
            "shapes.InitialisationAnswer",
            self.connection.json(
                "POST",
                "/api/linear/initialisation",
                {},
                {"sizes": sizes, "out_features": out_features, "seed": seed, "bins": bins},
            ),
        )

    def get_linear_models(self) -> shapes.KnownModels:
        """Which known models give query, key and value a bias."""
        return cast("shapes.KnownModels", self.connection.json("GET", "/api/linear/models", {}, None))

    def post_masks(
        self,
        *,
        kind: Literal["none", "causal", "padding", "sliding_window", "prefix", "custom"],
        window: int | None = None,
        causal_only: bool | None = None,
        prefix: int | None = None,
        lengths: int | Any | None = None,
        is_token: list[bool] | Any | None = None,
        allowed: Any | None = None,
        additive: Any | None = None,
        causal: bool | None = None,
        num_queries: int | None = None,
        num_keys: int | None = None,
        scores: Any | None = None,
        seed: int | None = None,
        precision: Literal["float64", "float32", "float16", "bfloat16"] | None = None,
        fills: Any | None = None,
        precisions: list[Literal["float64", "float32", "float16", "bfloat16"]] | None = None,
    ) -> shapes.MasksAnswer:
        """A mask as a boolean and as an additive matrix, and the weights of the masked scores.

        - ``kind``: Which mask.
        - ``window``: sliding_window: keys less than this far away are visible.
        - ``causal_only``: sliding_window: past keys only; true unless given.
        - ``prefix``: prefix: the number of first positions that every query may attend to.
        - ``lengths``: padding: real tokens of the sequence, or of each of a batch.
        - ``is_token``: padding: true at real tokens, for one sequence or each.
        - ``allowed``: custom: true where attending is allowed; rows are queries.
        - ``additive``: custom: added to the scores; "-Infinity" where attending is not allowed.
        - ``causal``: padding and custom: causal on top.
        - ``num_queries``: Unless given, as the scores or the mask have it, or else num_keys.
        - ``num_keys``: Unless given, as the scores or the mask have it, or else num_queries.
        - ``scores``: A matrix or one for each sequence; example scores unless given.
        - ``seed``: Of the example scores.
        - ``precision``: Number format of the computation.
        - ``fills``: Numbers added where attending is not allowed, such as -1e4, -1e9, "-Infinity": see
          `leaks`.
        - ``precisions``: Those that the fills are tried in.
        """
        return cast(
            "shapes.MasksAnswer",
            self.connection.json(
                "POST",
                "/api/masks",
                {},
                {
                    "kind": kind,
                    "window": window,
                    "causal_only": causal_only,
                    "prefix": prefix,
                    "lengths": lengths,
                    "is_token": is_token,
                    "allowed": allowed,
                    "additive": additive,
                    "causal": causal,
                    "num_queries": num_queries,
                    "num_keys": num_keys,
                    "scores": scores,
                    "seed": seed,
                    "precision": precision,
                    "fills": fills,
                    "precisions": precisions,
                },
            ),
        )

    def list_models(self) -> shapes.ModelList:
        """Every model that may be asked for, those that cannot be had right now with the reason."""
        return cast("shapes.ModelList", self.connection.json("GET", "/api/models", {}, None))

    def post_model_load(self, *, model: str) -> shapes.Loading:
        """Have a model loaded, without waiting for it; ask ``/api/models/loading`` how far it has come.

        - ``model``: Id of a model, as `GET /api/models` lists them.
        """
        return cast("shapes.Loading", self.connection.json("POST", "/api/models/load", {}, {"model": model}))

    def get_model_loading(self, *, model: str) -> shapes.Loading:
        """How far the loading of a model has come, whoever asked for it.

        - ``model``: The model's id.
        """
        return cast("shapes.Loading", self.connection.json("GET", "/api/models/loading", {"model": model}, None))

    def delete_model_loading(self, *, model: str) -> shapes.Loading:
        """Take back what ``POST /api/models/load`` asked for. Loading stops unless an analysis waits for
        the model.

        No error where nothing is loading: whoever asks cannot know whether loading has just ended.

        - ``model``: The model's id.
        """
        return cast("shapes.Loading", self.connection.json("DELETE", "/api/models/loading", {"model": model}, None))

    def delete_owner_of_models(self) -> None:
        """Have the browser delete the cookie that says which models it has asked to load."""
        self.connection.nothing("DELETE", "/api/models/owner", {}, None)

    def preview_model(self, *, model: str) -> shapes.Model:
        """What is known of a model before it is loaded: shape, size, licence, and whether its attention
        can be shown.

        Of one that is not on this server, its small files are read from the hub.

        - ``model``: The model's id.
        """
        return cast("shapes.Model", self.connection.json("GET", "/api/models/preview", {"model": model}, None))

    def search_models(self, *, query: str, limit: int | None = None) -> shapes.SearchResults:
        """Models of the Hugging Face Hub with safetensors weights, where the operator allows any of them.

        - ``query``: Part of the model's id.
        - ``limit``: The most that are answered.
        """
        return cast(
            "shapes.SearchResults",
            self.connection.json("GET", "/api/models/search", {"query": query, "limit": limit}, None),
        )

    def post_multi_head(
        self,
        *,
        layer_of: shapes.ModelLayer | Mapping[str, Any] | None = None,
        d_model: int | None = None,
        num_heads: int | None = None,
        num_kv_heads: int | None = None,
        head_dim: int | None = None,
        value_dim: int | None = None,
        bias: bool | None = None,
        rope: Literal["interleaved", "half_split"] | None = None,
        rope_base: float | None = None,
        alibi: bool | None = None,
        alibi_symmetric: bool | None = None,
        qk_norm: Literal["rms", "l2"] | None = None,
        qk_norm_before_rope: bool | None = None,
        scale: float | None = None,
        weights: shapes.WeightsIn | Mapping[str, Any] | None = None,
        vectors: Any | None = None,
        tokens: list[str] | None = None,
        batch: int | None = None,
        query_len: int | None = None,
        context_vectors: Any | None = None,
        context_tokens: list[str] | None = None,
        key_len: int | None = None,
        mask: shapes.MaskOptions | Mapping[str, Any] | None = None,
        is_causal: bool | None = None,
        item: int | None = None,
        with_projections: bool | None = None,
        precision: Literal["float64", "float32", "float16", "bfloat16"] | None = None,
        seed: int | None = None,
    ) -> shapes.MultiHeadAnswer:
        """Project, split into heads, attend, concatenate, project: every tensor's shape, every head's
        stages.

        - ``layer_of``: A layer of a loaded model, with all its numbers.
        - ``d_model``: The size of the vectors; 16 unless vectors are given.
        - ``num_heads``: Number of query heads.
        - ``num_kv_heads``: Fewer than num_heads: GQA; 1: MQA; num_heads unless given.
        - ``head_dim``: d_model / num_heads unless given.
        - ``value_dim``: head_dim unless given.
        - ``bias``: Whether the projections have biases.
        - ``rope``: Rotate queries and keys by their positions, in this pairing.
        - ``rope_base``: Base of RoPE's frequencies.
        - ``alibi``: Add −slope·(query − key), with a different slope for each head.
        - ``alibi_symmetric``: −slope·|query − key|, as in encoders.
        - ``qk_norm``: Normalise each head's queries and keys: rms or l2.
        - ``qk_norm_before_rope``: As Qwen3 does; nanochat normalises after RoPE.
        - ``scale``: 1/√head_dim, or √head_dim with l2, unless given.
        - ``weights``: Weights in place of random ones.
        - ``vectors``: One row a token.
        - ``tokens``: Equal tokens get equal random vectors.
        - ``batch``: Random sequences where neither vectors nor tokens are given.
        - ``query_len``: Tokens of each random sequence; 4 unless given.
        - ``context_vectors``: Cross-attention: keys and values are made from these.
        - ``context_tokens``: Words that keys and values are made from, in place of the input's own
          (cross-attention).
        - ``key_len``: Cross-attention with this many random vectors.
        - ``mask``: Where attending is allowed.
        - ``is_causal``: Whether a causal mask is applied, in addition to `mask`.
        - ``item``: The sequence of the batch whose stages are in the answer.
        - ``with_projections``: Whether the answer has the weights; by default if each has at most 65536
          numbers.
        - ``precision``: Number format of the computation.
        - ``seed``: Of weights and random vectors.
        """
        return cast(
            "shapes.MultiHeadAnswer",
            self.connection.json(
                "POST",
                "/api/multi_head",
                {},
                {
                    "layer_of": layer_of,
                    "d_model": d_model,
                    "num_heads": num_heads,
                    "num_kv_heads": num_kv_heads,
                    "head_dim": head_dim,
                    "value_dim": value_dim,
                    "bias": bias,
                    "rope": rope,
                    "rope_base": rope_base,
                    "alibi": alibi,
                    "alibi_symmetric": alibi_symmetric,
                    "qk_norm": qk_norm,
                    "qk_norm_before_rope": qk_norm_before_rope,
                    "scale": scale,
                    "weights": weights,
                    "vectors": vectors,
                    "tokens": tokens,
                    "batch": batch,
                    "query_len": query_len,
                    "context_vectors": context_vectors,
                    "context_tokens": context_tokens,
                    "key_len": key_len,
                    "mask": mask,
                    "is_causal": is_causal,
                    "item": item,
                    "with_projections": with_projections,
                    "precision": precision,
                    "seed": seed,
                },
            ),
        )

    def get_oembed(
        self,
        *,
        url: str,
        format: Literal["json", "xml"] | None = None,
        maxwidth: int | None = None,
        maxheight: int | None = None,
    ) -> shapes.OEmbed:
        """What a document needs to show a page of ours: 404 for an address that is not ours.

        - ``url``: A page of this server, its state included.
        - ``format``: Format of the answer.
        - ``maxwidth``: The largest width in pixels.
        - ``maxheight``: The largest height in pixels.
        """
        return cast(
            "shapes.OEmbed",
            self.connection.json(
                "GET", "/api/oembed", {"url": url, "format": format, "maxwidth": maxwidth, "maxheight": maxheight}, None
            ),
        )

    def post_order(
        self,
        *,
        words: list[str] | None = None,
        vectors: Any | None = None,
        dim: int | None = None,
        permutation: Any | None = None,
        seed: int | None = None,
        precision: Literal["float64", "float32", "float16", "bfloat16"] | None = None,
        symmetric: bool | None = None,
    ) -> shapes.OrderResponse:
        """Permute the words: without positions the outputs are permuted and nothing else changes.

        - ``words``: Equal words get equal vectors. A short sentence unless given.
        - ``vectors``: [words][dim] instead of random vectors; dim must be even.
        - ``dim``: Size of the vectors.
        - ``permutation``: New order: position i gets word permutation[i]. Random unless given.
        - ``seed``: Of vectors, projections and permutation.
        - ``precision``: Number format of the computation.
        - ``symmetric``: ALiBi's: −slope·|query − key|, as in encoders.
        """
        return cast(
            "shapes.OrderResponse",
            self.connection.json(
                "POST",
                "/api/order",
                {},
                {
                    "words": words,
                    "vectors": vectors,
                    "dim": dim,
                    "permutation": permutation,
                    "seed": seed,
                    "precision": precision,
                    "symmetric": symmetric,
                },
            ),
        )

    def delete_owner(self) -> None:
        """Have the browser delete the cookie that says which uploads, scans and runs are its own.

        They stay, and are nobody's to end. Not that of loaded models: `DELETE /api/models/owner`.
        """
        self.connection.nothing("DELETE", "/api/owner", {}, None)

    def post_parity(
        self,
        *,
        model: str,
        text: str,
        part: Literal["encoder", "decoder", "cross"] | None = None,
        layer: int | None = None,
        head: int | None = None,
    ) -> shapes.ParityAnswer:
        """Run the model with both attentions and compare weights, hidden states and logits.

        - ``model``: Id of a model, as `GET /api/models` lists them.
        - ``text``: As it is written.
        - ``part``: The first unless given.
        - ``layer``: Index of the layer, from 0.
        - ``head``: Index of the head, from 0.
        """
        return cast(
            "shapes.ParityAnswer",
            self.connection.json(
                "POST", "/api/parity", {}, {"model": model, "text": text, "part": part, "layer": layer, "head": head}
            ),
        )

    def post_patching(
        self,
        *,
        model: str,
        clean: str | None = None,
        corrupt: str | None = None,
        clean_analysis: str | None = None,
        corrupt_analysis: str | None = None,
        target_text: str | None = None,
        chat: bool | None = None,
        system_text: str | None = None,
        answer: int | str | None = None,
        against: int | str | None = None,
        position: int | None = None,
        direction: Literal["denoising", "noising"] | None = None,
        what: Literal["output", "queries", "keys", "values", "pattern", "residual"] | None = None,
        by: Literal["head", "position"] | None = None,
        patched_position: int | None = None,
        part: Literal["encoder", "decoder", "cross"] | None = None,
    ) -> shapes.PatchingAnswer:
        """Activation patching: how far one activation of the other run moves the answer's logit
        difference.

        - ``model``: An id of /api/models, of a model that predicts tokens or the class of an image.
        - ``clean``: The prompt that leads to the answer.
        - ``corrupt``: A prompt of equally many tokens that leads elsewhere.
        - ``clean_analysis``: For a model that reads images: the id of the analysis of the image that
          leads to the answer, from POST /api/analyses/image. What is changed in that analysis is not.
        - ``corrupt_analysis``: The id of the other image's analysis, by the same model.
        - ``target_text``: What the decoder of an encoder–decoder model is given, in both runs.
        - ``chat``: Whether both prompts are chat messages, which the model's chat template puts into
          its frame.
        - ``system_text``: The system message before both chat messages.
        - ``answer``: An id, or a text of exactly one token (“ cat”), or a class's name; by default the
          clean run's best.
        - ``against``: The token or class whose logit is subtracted; by default the corrupt run's best
          other one.
        - ``position``: Where the answer is predicted; by default the last token, or the first masked
          one. A class has no place.
        - ``direction``: Denoising patches clean activations into the corrupt run, noising the reverse.
        - ``what``: Output: of a head, before W_O. Queries and keys: after RoPE. Pattern: a head's
          weights, on the values of the run that is patched. Residual: the stream before a layer, by
          position only.
        - ``by``: Head: one head a run. Position: all heads of a layer at one position a run.
        - ``patched_position``: Patch heads at this position only: a key's for keys and values, else a
          query's.
        - ``part``: By default the model's first.
        """
        return cast(
            "shapes.PatchingAnswer",
            self.connection.json(
                "POST",
                "/api/patching",
                {},
                {
                    "model": model,
                    "clean": clean,
                    "corrupt": corrupt,
                    "clean_analysis": clean_analysis,
                    "corrupt_analysis": corrupt_analysis,
                    "target_text": target_text,
                    "chat": chat,
                    "system_text": system_text,
                    "answer": answer,
                    "against": against,
                    "position": position,
                    "direction": direction,
                    "what": what,
                    "by": by,
                    "patched_position": patched_position,
                    "part": part,
                },
            ),
        )

    def post_path_patching(
        self,
        *,
        model: str,
        clean: str | None = None,
        corrupt: str | None = None,
        clean_analysis: str | None = None,
        corrupt_analysis: str | None = None,
        target_text: str | None = None,
        chat: bool | None = None,
        system_text: str | None = None,
        answer: int | str | None = None,
        against: int | str | None = None,
        position: int | None = None,
        direction: Literal["denoising", "noising"] | None = None,
        fixed: Literal["sender", "receiver", "logits"] | None = None,
        layer: int | None = None,
        head: int | None = None,
        via: Literal["queries", "keys", "values"] | None = None,
        feed_forward: Literal["recomputed", "held"] | None = None,
    ) -> shapes.PathPatchingAnswer:
        """Path patching (Wang et al. 2022): how far one head acts on another, or on the logits, along
        direct paths.

        - ``model``: An id of /api/models, of a model that predicts tokens or the class of an image.
        - ``clean``: The prompt that leads to the answer.
        - ``corrupt``: A prompt of equally many tokens that leads elsewhere.
        - ``clean_analysis``: For a model that reads images: the id of the analysis of the image that
          leads to the answer, from POST /api/analyses/image. What is changed in that analysis is not.
        - ``corrupt_analysis``: The id of the other image's analysis, by the same model.
        - ``target_text``: What the decoder of an encoder–decoder model is given, in both runs.
        - ``chat``: Whether both prompts are chat messages, which the model's chat template puts into
          its frame.
        - ``system_text``: The system message before both chat messages.
        - ``answer``: An id, or a text of exactly one token (“ cat”), or a class's name; by default the
          clean run's best.
        - ``against``: The token or class whose logit is subtracted; by default the corrupt run's best
          other one.
        - ``position``: Where the answer is predicted; by default the last token, or the first masked
          one. A class has no place.
        - ``direction``: Denoising patches clean activations into the corrupt run, noising the reverse.
        - ``fixed``: The end that all paths share; the grid's heads are at the other.
        - ``layer``: Of the head at that end.
        - ``head``: A KV head if it receives keys or values.
        - ``via``: What of the receiver is patched.
        - ``feed_forward``: Recomputed: paths may lead through feed-forward layers (Wang et al. 2022).
          Held: along the residual stream alone.
        """
        return cast(
            "shapes.PathPatchingAnswer",
            self.connection.json(
                "POST",
                "/api/patching/paths",
                {},
                {
                    "model": model,
                    "clean": clean,
                    "corrupt": corrupt,
                    "clean_analysis": clean_analysis,
                    "corrupt_analysis": corrupt_analysis,
                    "target_text": target_text,
                    "chat": chat,
                    "system_text": system_text,
                    "answer": answer,
                    "against": against,
                    "position": position,
                    "direction": direction,
                    "fixed": fixed,
                    "layer": layer,
                    "head": head,
                    "via": via,
                    "feed_forward": feed_forward,
                },
            ),
        )

    def post_path_patching_progress(
        self,
        *,
        model: str,
        clean: str | None = None,
        corrupt: str | None = None,
        clean_analysis: str | None = None,
        corrupt_analysis: str | None = None,
        target_text: str | None = None,
        chat: bool | None = None,
        system_text: str | None = None,
        answer: int | str | None = None,
        against: int | str | None = None,
        position: int | None = None,
        direction: Literal["denoising", "noising"] | None = None,
        fixed: Literal["sender", "receiver", "logits"] | None = None,
        layer: int | None = None,
        head: int | None = None,
        via: Literal["queries", "keys", "values"] | None = None,
        feed_forward: Literal["recomputed", "held"] | None = None,
    ) -> shapes.PatchingProgress:
        """How far the answer to the same request of `POST /api/patching/paths` has come; nothing is
        computed for this.

        - ``model``: An id of /api/models, of a model that predicts tokens or the class of an image.
        - ``clean``: The prompt that leads to the answer.
        - ``corrupt``: A prompt of equally many tokens that leads elsewhere.
        - ``clean_analysis``: For a model that reads images: the id of the analysis of the image that
          leads to the answer, from POST /api/analyses/image. What is changed in that analysis is not.
        - ``corrupt_analysis``: The id of the other image's analysis, by the same model.
        - ``target_text``: What the decoder of an encoder–decoder model is given, in both runs.
        - ``chat``: Whether both prompts are chat messages, which the model's chat template puts into
          its frame.
        - ``system_text``: The system message before both chat messages.
        - ``answer``: An id, or a text of exactly one token (“ cat”), or a class's name; by default the
          clean run's best.
        - ``against``: The token or class whose logit is subtracted; by default the corrupt run's best
          other one.
        - ``position``: Where the answer is predicted; by default the last token, or the first masked
          one. A class has no place.
        - ``direction``: Denoising patches clean activations into the corrupt run, noising the reverse.
        - ``fixed``: The end that all paths share; the grid's heads are at the other.
        - ``layer``: Of the head at that end.
        - ``head``: A KV head if it receives keys or values.
        - ``via``: What of the receiver is patched.
        - ``feed_forward``: Recomputed: paths may lead through feed-forward layers (Wang et al. 2022).
          Held: along the residual stream alone.
        """
        return cast(
            "shapes.PatchingProgress",
            self.connection.json(
                "POST",
                "/api/patching/paths/progress",
                {},
                {
                    "model": model,
                    "clean": clean,
                    "corrupt": corrupt,
                    "clean_analysis": clean_analysis,
                    "corrupt_analysis": corrupt_analysis,
                    "target_text": target_text,
                    "chat": chat,
                    "system_text": system_text,
                    "answer": answer,
                    "against": against,
                    "position": position,
                    "direction": direction,
                    "fixed": fixed,
                    "layer": layer,
                    "head": head,
                    "via": via,
                    "feed_forward": feed_forward,
                },
            ),
        )

    def post_patching_progress(
        self,
        *,
        model: str,
        clean: str | None = None,
        corrupt: str | None = None,
        clean_analysis: str | None = None,
        corrupt_analysis: str | None = None,
        target_text: str | None = None,
        chat: bool | None = None,
        system_text: str | None = None,
        answer: int | str | None = None,
        against: int | str | None = None,
        position: int | None = None,
        direction: Literal["denoising", "noising"] | None = None,
        what: Literal["output", "queries", "keys", "values", "pattern", "residual"] | None = None,
        by: Literal["head", "position"] | None = None,
        patched_position: int | None = None,
        part: Literal["encoder", "decoder", "cross"] | None = None,
    ) -> shapes.PatchingProgress:
        """How far the answer to the same request of `POST /api/patching` has come; nothing is computed for
        this.

        - ``model``: An id of /api/models, of a model that predicts tokens or the class of an image.
        - ``clean``: The prompt that leads to the answer.
        - ``corrupt``: A prompt of equally many tokens that leads elsewhere.
        - ``clean_analysis``: For a model that reads images: the id of the analysis of the image that
          leads to the answer, from POST /api/analyses/image. What is changed in that analysis is not.
        - ``corrupt_analysis``: The id of the other image's analysis, by the same model.
        - ``target_text``: What the decoder of an encoder–decoder model is given, in both runs.
        - ``chat``: Whether both prompts are chat messages, which the model's chat template puts into
          its frame.
        - ``system_text``: The system message before both chat messages.
        - ``answer``: An id, or a text of exactly one token (“ cat”), or a class's name; by default the
          clean run's best.
        - ``against``: The token or class whose logit is subtracted; by default the corrupt run's best
          other one.
        - ``position``: Where the answer is predicted; by default the last token, or the first masked
          one. A class has no place.
        - ``direction``: Denoising patches clean activations into the corrupt run, noising the reverse.
        - ``what``: Output: of a head, before W_O. Queries and keys: after RoPE. Pattern: a head's
          weights, on the values of the run that is patched. Residual: the stream before a layer, by
          position only.
        - ``by``: Head: one head a run. Position: all heads of a layer at one position a run.
        - ``patched_position``: Patch heads at this position only: a key's for keys and values, else a
          query's.
        - ``part``: By default the model's first.
        """
        return cast(
            "shapes.PatchingProgress",
            self.connection.json(
                "POST",
                "/api/patching/progress",
                {},
                {
                    "model": model,
                    "clean": clean,
                    "corrupt": corrupt,
                    "clean_analysis": clean_analysis,
                    "corrupt_analysis": corrupt_analysis,
                    "target_text": target_text,
                    "chat": chat,
                    "system_text": system_text,
                    "answer": answer,
                    "against": against,
                    "position": position,
                    "direction": direction,
                    "what": what,
                    "by": by,
                    "patched_position": patched_position,
                    "part": part,
                },
            ),
        )

    def post_prompt_pair(
        self,
        *,
        model: str,
        clean: str | None = None,
        corrupt: str | None = None,
        clean_analysis: str | None = None,
        corrupt_analysis: str | None = None,
        target_text: str | None = None,
        chat: bool | None = None,
        system_text: str | None = None,
    ) -> shapes.PromptPairAnswer:
        """The tokens of both prompts, and those that one has too many; nothing is run.

        - ``model``: An id of /api/models, of a model that predicts tokens or the class of an image.
        - ``clean``: The prompt that leads to the answer.
        - ``corrupt``: A prompt of equally many tokens that leads elsewhere.
        - ``clean_analysis``: For a model that reads images: the id of the analysis of the image that
          leads to the answer, from POST /api/analyses/image. What is changed in that analysis is not.
        - ``corrupt_analysis``: The id of the other image's analysis, by the same model.
        - ``target_text``: What the decoder of an encoder–decoder model is given, in both runs.
        - ``chat``: Whether both prompts are chat messages, which the model's chat template puts into
          its frame.
        - ``system_text``: The system message before both chat messages.
        """
        return cast(
            "shapes.PromptPairAnswer",
            self.connection.json(
                "POST",
                "/api/patching/prompts",
                {},
                {
                    "model": model,
                    "clean": clean,
                    "corrupt": corrupt,
                    "clean_analysis": clean_analysis,
                    "corrupt_analysis": corrupt_analysis,
                    "target_text": target_text,
                    "chat": chat,
                    "system_text": system_text,
                },
            ),
        )

    def post_projections(
        self,
        *,
        head_of: shapes.ModelHead | Mapping[str, Any] | None = None,
        inputs: Any | None = None,
        num_tokens: int | None = None,
        d_model: int | None = None,
        query_weight: Any | None = None,
        key_weight: Any | None = None,
        value_weight: Any | None = None,
        query_bias: Any | None = None,
        key_bias: Any | None = None,
        value_bias: Any | None = None,
        d_k: int | None = None,
        d_v: int | None = None,
        bias: bool | None = None,
        scale: float | None = None,
        with_weights: bool | None = None,
        seed: int | None = None,
    ) -> shapes.ProjectionsAnswer:
        """Three projections of one input, and the attention between them.

        - ``head_of``: A head of a loaded model, with all its numbers.
        - ``inputs``: Tokens × d_model.
        - ``num_tokens``: Of random inputs.
        - ``d_model``: Of random inputs.
        - ``query_weight``: d_k × d_model
        - ``key_weight``: d_k × d_model
        - ``value_weight``: d_v × d_model
        - ``query_bias``: [d_k] Bias of the queries' projection; null for none.
        - ``key_bias``: [d_k] Bias of the keys' projection; null for none.
        - ``value_bias``: [d_v] Bias of the values' projection; null for none.
        - ``d_k``: Of random query and key weights; d_model unless given.
        - ``d_v``: Of a random value weight; d_model unless given.
        - ``bias``: Whether random projections have a bias.
        - ``scale``: 1/√d_k unless given.
        - ``with_weights``: Whether the answer has weights and biases of the projections.
        - ``seed``: Number that determines everything random: the same number, the same answer.
        """
        return cast(
            "shapes.ProjectionsAnswer",
            self.connection.json(
                "POST",
                "/api/projections",
                {},
                {
                    "head_of": head_of,
                    "inputs": inputs,
                    "num_tokens": num_tokens,
                    "d_model": d_model,
                    "query_weight": query_weight,
                    "key_weight": key_weight,
                    "value_weight": value_weight,
                    "query_bias": query_bias,
                    "key_bias": key_bias,
                    "value_bias": value_bias,
                    "d_k": d_k,
                    "d_v": d_v,
                    "bias": bias,
                    "scale": scale,
                    "with_weights": with_weights,
                    "seed": seed,
                },
            ),
        )

    def post_projection_roles(
        self,
        *,
        queries: Any | None = None,
        keys: Any | None = None,
        values: Any | None = None,
        num_tokens: int | None = None,
        size: int | None = None,
        swap: Literal["none", "keys_values", "queries_keys", "queries_values"] | None = None,
        seed: int | None = None,
    ) -> shapes.RolesAnswer:
        """The same three matrices through score, softmax and weighted sum, in place and with two of them
        swapped.

        - ``queries``: One vector for each query.
        - ``keys``: One vector for each key.
        - ``values``: One vector for each key, averaged with the weights.
        - ``num_tokens``: Of random matrices.
        - ``size``: Of random queries, keys and values.
        - ``swap``: Which two of the matrices change places.
        - ``seed``: Number that determines everything random: the same number, the same answer.
        """
        return cast(
            "shapes.RolesAnswer",
            self.connection.json(
                "POST",
                "/api/projections/roles",
                {},
                {
                    "queries": queries,
                    "keys": keys,
                    "values": values,
                    "num_tokens": num_tokens,
                    "size": size,
                    "swap": swap,
                    "seed": seed,
                },
            ),
        )

    def post_prompts(
        self,
        *,
        model: str,
        prompts: list[str] | None = None,
        template: str | None = None,
        fillings: list[dict[str, Any]] | None = None,
        answers: Any | None = None,
        target_texts: list[str] | None = None,
        chat: bool | None = None,
        system_text: str | None = None,
    ) -> shapes.PromptsAnswer:
        """Tokenise a set of prompts, and learn the id by which everything else about it is asked for.

        - ``model``: Id of a model, as `GET /api/models` lists them.
        - ``prompts``: The texts.
        - ``template``: A text with slots such as `{A}`.
        - ``fillings``: For each prompt a word for each slot, by its name.
        - ``answers``: The token expected after each prompt, or one for all: an id, or a text of exactly
          one token, in which the template's slots are filled. A word is taken with the space before it,
          if that is one token.
        - ``target_texts``: What the decoder of an encoder–decoder model is given with each prompt, or
          with all, so that its attention can be averaged, too; the template's slots are filled.
        - ``chat``: Whether each prompt is a chat message, which the model's chat template puts into its
          frame.
        - ``system_text``: The system message before each chat message.
        """
        return cast(
            "shapes.PromptsAnswer",
            self.connection.json(
                "POST",
                "/api/prompts",
                {},
                {
                    "model": model,
                    "prompts": prompts,
                    "template": template,
                    "fillings": fillings,
                    "answers": answers,
                    "target_texts": target_texts,
                    "chat": chat,
                    "system_text": system_text,
                },
            ),
        )

    def get_prompt_answers(self, prompts_id: str | int) -> shapes.PromptAnswersAnswer:
        """Probability and rank of the token expected after each prompt, with mean and spread.

        - ``prompts_id``: Id that `POST /api/prompts` answered with.
        """
        return cast(
            "shapes.PromptAnswersAnswer",
            self.connection.json("GET", f"/api/prompts/{self.connection.quoted(prompts_id)}/answers", {}, None),
        )

    def get_prompt_cell(
        self,
        prompts_id: str | int,
        *,
        query: int,
        key: int,
        part: Literal["encoder", "decoder", "cross"] | None = None,
        align: Literal["start", "end", "slots"] | None = None,
        layer: int | None = None,
        head: int | None = None,
    ) -> shapes.PromptCellAnswer:
        """The weight from one aligned position to another in every head: mean and spread over the prompts
        with both.

        - ``prompts_id``: Id that `POST /api/prompts` answered with.
        - ``query``: Index of the query, from 0.
        - ``key``: Index of the key, from 0.
        - ``part``: Which attention of the model: `encoder`, `decoder` or `cross`; the first if a
          request leaves it out.
        - ``align``: How positions of different prompts are matched: from the start, from the end, or by
          slots.
        - ``layer``: Also the values of this head in each prompt.
        - ``head``: Index of the head, from 0.
        """
        return cast(
            "shapes.PromptCellAnswer",
            self.connection.json(
                "GET",
                f"/api/prompts/{self.connection.quoted(prompts_id)}/cell",
                {"query": query, "key": key, "part": part, "align": align, "layer": layer, "head": head},
                None,
            ),
        )

    def get_prompt_measures(
        self,
        prompts_id: str | int,
        *,
        part: Literal["encoder", "decoder", "cross"] | None = None,
        effect: Literal["direct_effect", "attribution"] | None = None,
    ) -> shapes.PromptMeasuresAnswer:
        """The measures of every head: mean, standard deviation and extremes over the prompts.

        - ``prompts_id``: Id that `POST /api/prompts` answered with.
        - ``part``: Which attention of the model: `encoder`, `decoder` or `cross`; the first if a
          request leaves it out.
        - ``effect``: Also what the heads do for the expected token after each prompt, or for the most
          probable one: the direct effect on its logit, or gradient × attention.
        """
        return cast(
            "shapes.PromptMeasuresAnswer",
            self.connection.json(
                "GET",
                f"/api/prompts/{self.connection.quoted(prompts_id)}/measures",
                {"part": part, "effect": effect},
                None,
            ),
        )

    def get_prompts_progress(self, prompts_id: str | int) -> shapes.PromptsProgress:
        """How many of the prompts have been analysed; nothing is computed for this.

        - ``prompts_id``: Id that `POST /api/prompts` answered with.
        """
        return cast(
            "shapes.PromptsProgress",
            self.connection.json("GET", f"/api/prompts/{self.connection.quoted(prompts_id)}/progress", {}, None),
        )

    def get_prompt_values(
        self,
        prompts_id: str | int,
        *,
        layer: int,
        head: int,
        part: Literal["encoder", "decoder", "cross"] | None = None,
        effect: Literal["direct_effect", "attribution"] | None = None,
    ) -> shapes.PromptValuesAnswer:
        """The measures of one head in each prompt.

        - ``prompts_id``: Id that `POST /api/prompts` answered with.
        - ``layer``: Index of the layer, from 0.
        - ``head``: Index of the head, from 0.
        - ``part``: Which attention of the model: `encoder`, `decoder` or `cross`; the first if a
          request leaves it out.
        - ``effect``: Also what the heads do for the expected token after each prompt, or for the most
          probable one: the direct effect on its logit, or gradient × attention.
        """
        return cast(
            "shapes.PromptValuesAnswer",
            self.connection.json(
                "GET",
                f"/api/prompts/{self.connection.quoted(prompts_id)}/values",
                {"layer": layer, "head": head, "part": part, "effect": effect},
                None,
            ),
        )

    def get_prompt_weights(
        self,
        prompts_id: str | int,
        *,
        layer: int,
        head: int,
        part: Literal["encoder", "decoder", "cross"] | None = None,
        align: Literal["start", "end", "slots"] | None = None,
        encoding: Literal["base64", "json"] | None = None,
    ) -> shapes.PromptWeightsAnswer:
        """One head's weights, averaged over aligned positions, with their spread and how many prompts have
        both.

        - ``prompts_id``: Id that `POST /api/prompts` answered with.
        - ``layer``: Index of the layer, from 0.
        - ``head``: Index of the head, from 0.
        - ``part``: Which attention of the model: `encoder`, `decoder` or `cross`; the first if a
          request leaves it out.
        - ``align``: How positions of different prompts are matched: from the start, from the end, or by
          slots.
        - ``encoding``: How the numbers are written: nested lists (`json`), or their bytes (`base64`).
        """
        return cast(
            "shapes.PromptWeightsAnswer",
            self.connection.json(
                "GET",
                f"/api/prompts/{self.connection.quoted(prompts_id)}/weights",
                {"layer": layer, "head": head, "part": part, "align": align, "encoding": encoding},
                None,
            ),
        )

    def post_qk_norm(
        self,
        *,
        queries: Any | None = None,
        keys: Any | None = None,
        num_queries: int | None = None,
        num_keys: int | None = None,
        size: int | None = None,
        learned_scale: Any | None = None,
        rope: Literal["none", "interleaved", "half_split"] | None = None,
        base: float | None = None,
        order: Literal["after_rope", "before_rope"] | None = None,
        seed: int | None = None,
    ) -> shapes.QKNormAnswer:
        """Lengths, dot products and weights under each norm.

        - ``queries``: Random, from N(0, 1), unless given.
        - ``keys``: num_keys random ones unless given.
        - ``num_queries``: Number of queries.
        - ``num_keys``: Number of keys.
        - ``size``: Of random queries and keys.
        - ``learned_scale``: One number for each dimension, for rms and l2.
        - ``rope``: Whether RoPE is applied, and how its pairs are chosen.
        - ``base``: Base of RoPE's frequencies, base^(−2i/d).
        - ``order``: nanochat normalises after RoPE, Qwen3 before.
        - ``seed``: Number that determines everything random: the same number, the same answer.
        """
        return cast(
            "shapes.QKNormAnswer",
            self.connection.json(
                "POST",
                "/api/qk_norm",
                {},
                {
                    "queries": queries,
                    "keys": keys,
                    "num_queries": num_queries,
                    "num_keys": num_keys,
                    "size": size,
                    "learned_scale": learned_scale,
                    "rope": rope,
                    "base": base,
                    "order": order,
                    "seed": seed,
                },
            ),
        )

    def post_qk_norm_concentration(
        self, *, dims: Any | None = None, samples: int | None = None, gain: float | None = None, seed: int | None = None
    ) -> shapes.ConcentrationAnswer:
        """How lengths and angles of random vectors concentrate as d grows.

        - ``dims``: Sizes of the vectors, each compared with the others.
        - ``samples``: How many random vectors or pairs are drawn.
        - ``gain``: Standard deviation of a learned gain around 1.
        - ``seed``: Number that determines everything random: the same number, the same answer.
        """
        return cast(
            "shapes.ConcentrationAnswer",
            self.connection.json(
                "POST", "/api/qk_norm/concentration", {}, {"dims": dims, "samples": samples, "gain": gain, "seed": seed}
            ),
        )

    def post_reach(
        self,
        *,
        masks: Any,
        layers: int | None = None,
        intended: Any | None = None,
        mixing: Literal["none", "causal_convolution", "convolution", "norm_over_time"] | None = None,
        seed: int | None = None,
    ) -> shapes.DrawnReachAnswer:
        """Replace each token in turn and see which states change: what reaches, beside what the masks
        allow.

        - ``masks``: Square, true where attending is allowed; rows are queries. One for all layers, or
          one for each.
        - ``layers``: As many as there are masks unless given.
        - ``intended``: What one layer was meant to let through; its own mask unless given. See `leaks`.
        - ``mixing``: What passes between positions after the attention of every layer.
        - ``seed``: Of the weights and the tokens' vectors.
        """
        return cast(
            "shapes.DrawnReachAnswer",
            self.connection.json(
                "POST",
                "/api/reach",
                {},
                {"masks": masks, "layers": layers, "intended": intended, "mixing": mixing, "seed": seed},
            ),
        )

    def post_rope(
        self,
        *,
        dim: int,
        pairing: Literal["interleaved", "half_split"],
        positions: Any,
        base: float | None = None,
        frequencies: Any | None = None,
        scaling: shapes.ScalingIn | Mapping[str, Any] | None = None,
        sequence_length: float | None = None,
        rotary_dim: int | None = None,
        vector: Any | None = None,
        key: Any | None = None,
        distances: Any | None = None,
        precision: Literal["float64", "float32", "float16", "bfloat16"] | None = None,
        slide: float | None = None,
        mix_pairings: bool | None = None,
        compose: Any | None = None,
    ) -> shapes.RopeResponse:
        """Angles, rotated vectors, their scores, and the decay of scores with distance.

        - ``dim``: Numbers in a vector; even.
        - ``pairing``: interleaved: numbers 2i and 2i+1; half_split: i and i+dim/2.
        - ``positions``: Any numbers, negative and fractional too.
        - ``base``: 10000 unless given.
        - ``frequencies``: Radians per position of each pair, instead of the base's.
        - ``scaling``: How RoPE is stretched to longer texts; null for not at all.
        - ``sequence_length``: For dynamic scaling; the largest position + 1 unless given.
        - ``rotary_dim``: How many of the first numbers are rotated; all unless given.
        - ``vector``: The query; (1, 0) in every pair unless given.
        - ``key``: The key; the query unless given.
        - ``distances``: For `decay`; the positions unless given.
        - ``precision``: Of vectors and scores; angles are always float64.
        - ``slide``: Also give the scores with this added to the positions.
        - ``mix_pairings``: Also give the scores of mixed pairings, a common mistake.
        - ``compose``: m, n: also give R_mᵀR_n and R_{n−m}.
        """
        return cast(
            "shapes.RopeResponse",
            self.connection.json(
                "POST",
                "/api/rope",
                {},
                {
                    "dim": dim,
                    "pairing": pairing,
                    "positions": positions,
                    "base": base,
                    "frequencies": frequencies,
                    "scaling": scaling,
                    "sequence_length": sequence_length,
                    "rotary_dim": rotary_dim,
                    "vector": vector,
                    "key": key,
                    "distances": distances,
                    "precision": precision,
                    "slide": slide,
                    "mix_pairings": mix_pairings,
                    "compose": compose,
                },
            ),
        )

    def post_rope_scaling(
        self,
        *,
        positions: Any,
        dim: int | None = None,
        base: float | None = None,
        trained_length: float | None = None,
        factor: float | None = None,
    ) -> shapes.ScalingsResponse:
        """The same positions under plain RoPE and every scaling: angles, and scores by distance.

        - ``positions``: Also the distances of the scores.
        - ``dim``: Numbers in a vector; even.
        - ``base``: Base of RoPE's frequencies, base^(−2i/d).
        - ``trained_length``: Number of tokens of the texts that the model was trained on.
        - ``factor``: How many times longer than trained.
        """
        return cast(
            "shapes.ScalingsResponse",
            self.connection.json(
                "POST",
                "/api/rope/scaling",
                {},
                {"positions": positions, "dim": dim, "base": base, "trained_length": trained_length, "factor": factor},
            ),
        )

    def post_scaling(
        self,
        *,
        d_k: Any | None = None,
        source: Literal["normal", "linear"] | None = None,
        samples: int | None = None,
        seed: int | None = None,
        bins: int | None = None,
        bias: bool | None = None,
        d_model: int | None = None,
        seq_len: int | None = None,
        layers: int | None = None,
    ) -> shapes.ScalingAnswer:
        """The distribution of scores with and without ÷√d_k, measured and expected.

        - ``d_k``: Sizes of queries and keys.
        - ``source``: What queries and keys are: random numbers, or outputs of fresh linear layers.
        - ``samples``: How many random vectors or pairs are drawn.
        - ``seed``: Number that determines everything random: the same number, the same answer.
        - ``bins``: Number of bins of the histogram.
        - ``bias``: linear: whether the layers have a bias.
        - ``d_model``: linear: size of the inputs; d_k unless given.
        - ``seq_len``: linear: 1 scores independent pairs; more scores all pairs of a sequence, itself
          included.
        - ``layers``: linear: pairs of fresh layers among which the samples are divided; up to 64 unless
          given.
        """
        return cast(
            "shapes.ScalingAnswer",
            self.connection.json(
                "POST",
                "/api/scaling",
                {},
                {
                    "d_k": d_k,
                    "source": source,
                    "samples": samples,
                    "seed": seed,
                    "bins": bins,
                    "bias": bias,
                    "d_model": d_model,
                    "seq_len": seq_len,
                    "layers": layers,
                },
            ),
        )

    def post_scaling_growth(
        self, *, d_k: Any | None = None, num_keys: int | None = None, trials: int | None = None, seed: int | None = None
    ) -> shapes.GrowthAnswer:
        """Entropy and gradient of softmax as d_k grows.

        - ``d_k``: Sizes of queries and keys.
        - ``num_keys``: Number of keys.
        - ``trials``: How many random rows are averaged.
        - ``seed``: Number that determines everything random: the same number, the same answer.
        """
        return cast(
            "shapes.GrowthAnswer",
            self.connection.json(
                "POST", "/api/scaling/growth", {}, {"d_k": d_k, "num_keys": num_keys, "trials": trials, "seed": seed}
            ),
        )

    def post_scaling_panels(
        self, *, dims: Any | None = None, num_keys: int | None = None, seed: int | None = None
    ) -> shapes.PanelsAnswer:
        """Weights by dot product, at each size with and without ÷√d.

        - ``dims``: Sizes of the vectors, each compared with the others.
        - ``num_keys``: Number of keys.
        - ``seed``: Number that determines everything random: the same number, the same answer.
        """
        return cast(
            "shapes.PanelsAnswer",
            self.connection.json("POST", "/api/scaling/panels", {}, {"dims": dims, "num_keys": num_keys, "seed": seed}),
        )

    def post_scaling_saturation(
        self, *, scores: Any | None = None, divisor: float | None = None, d_k: int | None = None
    ) -> shapes.SaturationAnswer:
        """Softmax of one row of scores, unscaled and divided.

        - ``scores``: One score for each key.
        - ``divisor``: What scores are divided by.
        - ``d_k``: Divide by its square root; 64 unless one of the two is given.
        """
        return cast(
            "shapes.SaturationAnswer",
            self.connection.json(
                "POST", "/api/scaling/saturation", {}, {"scores": scores, "divisor": divisor, "d_k": d_k}
            ),
        )

    def post_scoring(
        self,
        *,
        queries: Any,
        keys: Any,
        values: Any,
        mechanism: Literal["dot", "scaled_dot", "cosine", "additive"] | None = None,
        scale: float | None = None,
        temperature: float | None = None,
        bias: Any | None = None,
        mask: shapes.MaskOptions | Mapping[str, Any] | None = None,
        position: shapes.PositionOptions | Mapping[str, Any] | None = None,
        additive: shapes.AdditiveOptions | Mapping[str, Any] | None = None,
        precision: Literal["float64", "float32", "float16", "bfloat16"] | None = None,
    ) -> shapes.ScoringAnswer:
        """`softmax(score(q, k) · scale / temperature + bias + mask) · values`, every stage of it.

        - ``queries``: One vector for each query.
        - ``keys``: One vector for each key.
        - ``values``: As many as keys.
        - ``mechanism``: How a query and a key make a score.
        - ``scale``: What scores are multiplied by; 1/√d for scaled_dot and 1 for others unless given.
        - ``temperature``: What scores are divided by.
        - ``bias``: (queries, keys), added to the scaled scores.
        - ``mask``: Where attending is allowed.
        - ``position``: How positions are told, RoPE or ALiBi; null for not at all.
        - ``additive``: For the additive mechanism only.
        - ``precision``: Number format of the whole computation.
        """
        return cast(
            "shapes.ScoringAnswer",
            self.connection.json(
                "POST",
                "/api/scoring",
                {},
                {
                    "queries": queries,
                    "keys": keys,
                    "values": values,
                    "mechanism": mechanism,
                    "scale": scale,
                    "temperature": temperature,
                    "bias": bias,
                    "mask": mask,
                    "position": position,
                    "additive": additive,
                    "precision": precision,
                },
            ),
        )

    def post_sinusoidal(
        self,
        *,
        dim: int | None = None,
        seq_len: int | None = None,
        positions: Any | None = None,
        base: float | None = None,
        layout: Literal["interleaved", "half_split"] | None = None,
        step: float | None = None,
        model: str | None = None,
    ) -> shapes.SinusoidalResponse:
        """The table of positions × dimensions, similarities, the shift by k, and a model's own table.

        - ``dim``: Size of the vectors.
        - ``seq_len``: Positions 0 … seq_len−1; 64 unless given.
        - ``positions``: Any numbers, instead of seq_len.
        - ``base``: ω_i = base^(−2i/dim).
        - ``layout``: sin, cos, sin, cos …; or half_split: all sines, then cosines.
        - ``step``: k: show M_k with PE(pos + k) = M_k PE(pos).
        - ``model``: A model whose position table is shown at the same positions.
        """
        return cast(
            "shapes.SinusoidalResponse",
            self.connection.json(
                "POST",
                "/api/sinusoidal",
                {},
                {
                    "dim": dim,
                    "seq_len": seq_len,
                    "positions": positions,
                    "base": base,
                    "layout": layout,
                    "step": step,
                    "model": model,
                },
            ),
        )

    def post_softmax(
        self,
        *,
        scores: Any,
        precision: Literal["float64", "float32", "float16", "bfloat16"] | None = None,
        temperature: float | None = None,
        shift: float | None = None,
    ) -> shapes.SoftmaxAnswer:
        """Every step of `softmax(scores / temperature)`, with and without subtracting the maximum.

        - ``scores``: One score for each key.
        - ``precision``: Number format of the steps.
        - ``temperature``: The scores are divided by it first.
        - ``shift``: Added to every score in `shifted_weights`: nothing changes.
        """
        return cast(
            "shapes.SoftmaxAnswer",
            self.connection.json(
                "POST",
                "/api/softmax",
                {},
                {"scores": scores, "precision": precision, "temperature": temperature, "shift": shift},
            ),
        )

    def post_talk(self, *, slides: list[shapes.Slide | Mapping[str, Any]], title: str | None = None) -> bytes:
        """The talk as a .pptx file: a slide for each picture, with title, link, alternative text and
        speaker notes.

        - ``slides``: In the order of the talk.
        - ``title``: Its name, for people.
        """
        return self.connection.bytes("POST", "/api/talk", {}, {"slides": slides, "title": title})

    def post_tensors(self, body: bytes | Mapping[str, Any]) -> shapes.AnalysisAnswer:
        """Upload tensors; the answer is an analysis, by whose id all further views are requested.

        **Arrays**: `weights` (layers, heads, queries, keys), or `queries` (layers, heads, queries, head
        size) and `keys`
        (layers, key heads, keys, head size); with either, `values` (layers, key heads, keys, value
        size). Layers, or layers
        and heads, may be left out. Formats are f2, f4 and f8, in safetensors and JSON also bf16. In
        JSON an array is nested
        lists or `{"dtype", "shape", "bdata"}`.

        **Beside them**: `tokens`, one for each query; `key_tokens` where another text is read (cross-
        attention); `scale`
        (1/√head size if not given); `mask`: `causal`, `none` or booleans (queries, keys) or (layers,
        queries, keys), true
        where reading is allowed; `title`. In npz these are arrays of text or numbers, in safetensors
        metadata (lists as
        JSON).

        **Encoder–decoder**: put `encoder.`, `decoder.` or `cross.` before the arrays' names. `tokens`
        are then the
        decoder's, `key_tokens` the encoder's.

        - ``body``: What is uploaded.
        """
        return cast("shapes.AnalysisAnswer", self.connection.json("POST", "/api/tensors", {}, body))

    def get_training_options(self) -> shapes.TrainingOptions:
        """The options of a run, and their limits. Also prepares the server, so that the first run starts
        sooner.
        """
        return cast("shapes.TrainingOptions", self.connection.json("GET", "/api/training", {}, None))

    def post_training(
        self,
        *,
        task: Literal["repeat", "copy", "reverse", "sort", "brackets"] | None = None,
        num_layers: int | None = None,
        num_heads: int | None = None,
        num_kv_heads: int | None = None,
        d_model: int | None = None,
        positions: Literal["none", "sinusoidal", "rope", "alibi"] | None = None,
        mechanism: Literal["scaled", "cosine", "qk_norm"] | None = None,
        feed_forward: bool | None = None,
        learning_rate: float | None = None,
        steps: int | None = None,
        seed: int | None = None,
    ) -> shapes.RunAnswer:
        """Start a run. It stops when nobody follows its events for a while.

        - ``task``: What the network learns.
        - ``num_layers``: Number of layers.
        - ``num_heads``: Number of query heads.
        - ``num_kv_heads``: num_heads unless given; fewer: grouped-query attention.
        - ``d_model``: Width: size of a token's vector.
        - ``positions``: How the model knows where a token is.
        - ``mechanism``: How a query and a key make a score.
        - ``feed_forward``: Without it: attention only.
        - ``learning_rate``: Of AdamW.
        - ``steps``: How many batches the network learns from.
        - ``seed``: Number that determines everything random: the same number, the same answer.
        """
        return cast(
            "shapes.RunAnswer",
            self.connection.json(
                "POST",
                "/api/training",
                {},
                {
                    "task": task,
                    "num_layers": num_layers,
                    "num_heads": num_heads,
                    "num_kv_heads": num_kv_heads,
                    "d_model": d_model,
                    "positions": positions,
                    "mechanism": mechanism,
                    "feed_forward": feed_forward,
                    "learning_rate": learning_rate,
                    "steps": steps,
                    "seed": seed,
                },
            ),
        )

    def get_training(self, run_id: str | int) -> shapes.RunAnswer:
        """The state of a run.

        - ``run_id``: Id that `POST /api/training` answered with.
        """
        return cast(
            "shapes.RunAnswer", self.connection.json("GET", f"/api/training/{self.connection.quoted(run_id)}", {}, None)
        )

    def delete_training(self, run_id: str | int) -> None:
        """Stop the run and delete it with its history and its model.

        - ``run_id``: Id that `POST /api/training` answered with.
        """
        self.connection.nothing("DELETE", f"/api/training/{self.connection.quoted(run_id)}", {}, None)

    def get_training_events(self, run_id: str | int, *, after: int | None = None) -> Iterator[dict[str, Any]]:
        """Every update since the first, or since `after` or the browser's `Last-Event-ID`, then each new
        one.

        Events are `update` (its id is its step) and `state`; the stream ends with the state in which
        the run is over.

        - ``run_id``: Id that `POST /api/training` answered with.
        - ``after``: The last step that the client has.
        """
        return self.connection.events(
            "GET", f"/api/training/{self.connection.quoted(run_id)}/events", {"after": after}, None
        )

    def post_training_model(self, run_id: str | int) -> shapes.ModelAnswer:
        """Add the network of a paused or ended run to the models, where the Explorer finds it.

        - ``run_id``: Id that `POST /api/training` answered with.
        """
        return cast(
            "shapes.ModelAnswer",
            self.connection.json("POST", f"/api/training/{self.connection.quoted(run_id)}/model", {}, None),
        )

    def get_training_model(self, run_id: str | int) -> bytes:
        """The network of a paused or ended run as a folder in transformers' format, zipped.

        - ``run_id``: Id that `POST /api/training` answered with.
        """
        return self.connection.bytes("GET", f"/api/training/{self.connection.quoted(run_id)}/model", {}, None)

    def post_training_command(self, run_id: str | int, command: str | int) -> shapes.RunState:
        """Pause, resume, take one step and wait, or stop for good. The events report the effect.

        - ``run_id``: Id that `POST /api/training` answered with.
        - ``command``: What the run is to do.
        """
        return cast(
            "shapes.RunState",
            self.connection.json(
                "POST", f"/api/training/{self.connection.quoted(run_id)}/{self.connection.quoted(command)}", {}, None
            ),
        )

    def post_truncation(
        self,
        *,
        model: str,
        text: str,
        text_pair: str | None = None,
        target_text: str | None = None,
        chat: bool | None = None,
        system_text: str | None = None,
    ) -> shapes.TruncationAnswer:
        """The longest part of a text that a model accepts, after `text_too_long`. No other call truncates.

        - ``model``: Id of a model, as `GET /api/models` lists them.
        - ``text``: As it is written.
        - ``text_pair``: A second text; the longer one is cut first.
        - ``target_text``: The output of an encoder–decoder model so far.
        - ``chat``: Whether the text is a chat message; what surrounds it is not cut.
        - ``system_text``: The system message before a chat message, which is not cut.
        """
        return cast(
            "shapes.TruncationAnswer",
            self.connection.json(
                "POST",
                "/api/truncation",
                {},
                {
                    "model": model,
                    "text": text,
                    "text_pair": text_pair,
                    "target_text": target_text,
                    "chat": chat,
                    "system_text": system_text,
                },
            ),
        )

    def post_why(
        self,
        *,
        words: list[str] | None = None,
        numbers: Any | None = None,
        reader: int | None = None,
        asks: int | None = None,
        wanted: int | None = None,
        gains: Any | None = None,
        dim: int | None = None,
        seed: int | None = None,
    ) -> shapes.WhyAnswer:
        """How much each word counts for the reader: averaged, read word by word, attended to.

        - ``words``: Equal words have equal vectors.
        - ``numbers``: Of the words' vectors: in the order of their first appearance, from 0, unless
          given.
        - ``reader``: The word that takes in the others: the last unless given.
        - ``asks``: The word whose query is set by hand: the reader unless given.
        - ``wanted``: The word that it asks for.
        - ``gains``: W of each recurrent network is a random orthogonal matrix times its gain.
        - ``dim``: Numbers of a word's vector and of the network's state.
        - ``seed``: Number that determines everything random: the same number, the same answer.
        """
        return cast(
            "shapes.WhyAnswer",
            self.connection.json(
                "POST",
                "/api/why",
                {},
                {
                    "words": words,
                    "numbers": numbers,
                    "reader": reader,
                    "asks": asks,
                    "wanted": wanted,
                    "gains": gains,
                    "dim": dim,
                    "seed": seed,
                },
            ),
        )

    def post_why_asymmetry(self, *, difference: float | None = None) -> shapes.AsymmetryAnswer:
        """Scores of the same words with W_q = W_k, which are symmetric, and with matrices that differ.

        - ``difference``: 0: both are the mean of the two; 1: each is itself.
        """
        return cast(
            "shapes.AsymmetryAnswer", self.connection.json("POST", "/api/why/asymmetry", {}, {"difference": difference})
        )

    def post_why_translation(
        self, *, gain: float | None = None, dim: int | None = None, seed: int | None = None
    ) -> shapes.TranslationAnswer:
        """A decoder reads the source through one vector, or looks back at every word by cross-attention.

        - ``gain``: Its W is a random orthogonal matrix times this number.
        - ``dim``: Size of the vectors.
        - ``seed``: Number that determines everything random: the same number, the same answer.
        """
        return cast(
            "shapes.TranslationAnswer",
            self.connection.json("POST", "/api/why/translation", {}, {"gain": gain, "dim": dim, "seed": seed}),
        )

    def healthz(self) -> shapes.Health:
        """The process answers."""
        return cast("shapes.Health", self.connection.json("GET", "/healthz", {}, None))

    def readyz(self) -> shapes.Readiness:
        """A model is loaded: the default one, or the first that can be loaded (and it is loaded now if it
        was not).
        """
        return cast("shapes.Readiness", self.connection.json("GET", "/readyz", {}, None))
