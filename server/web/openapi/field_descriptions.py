"""Describe every field and parameter of the OpenAPI document that its declaration leaves undescribed.

Most mean the same wherever they occur (``server/web/openapi/field_names.py``). What differs in one schema is here. A
test checks that nothing is left undescribed, and that each of these texts is still used.
"""

from collections.abc import Iterator

from .field_names import NAMES
from .schema_rules import Schema

FIELDS = {
    "AnalysisAnswer.model": "The model that was run.",
    "AtlasFactsAnswer.tokens": "Number of tokens scanned.",
    "AtlasList.models": "Those that can scan.",
    "AtlasPart.name": "Which attention of the model: `encoder` or `decoder`.",
    "AttentionAnswer.values": "[point][value] The same values.",
    "BiasAnswer.with_bias_summary": "The scores with biases.",
    "BiasAnswer.without_bias_summary": "The scores without.",
    "BiasParameters.with_bias": "With biases.",
    "BiasParameters.without_bias": "Without.",
    "BiasRequest.seq_len": "Number of vectors in the input.",
    "BlockAnswer.layers": "Number of blocks.",
    "BlockNormAnswer.kind": "LayerNorm, RMS norm, or none.",
    "CandidateChange.after": "Its probability in the other analysis.",
    "CandidateChange.before": "Its probability in this analysis.",
    "CircuitPairAnswer.text": "Text of the first token.",
    "ClaimAnswer.kind": "What the claim is about.",
    "ClaimAnswer.text": "The text it was measured on; null where it is measured on none.",
    "ComparisonAnswer.heads": "Each head with its numbers in both atlases.",
    "ConfigAnswer.bias": "Whether projections have biases.",
    "CutEdges.edges": "Pairs of a query and a key; null for all.",
    "DecoderAnswer.final_normed": "[token][d_model] After the last norm, before the output projection.",
    "DecoderAnswer.kv_cache_bytes_per_token": "Bytes that a generated token adds to the cache of keys and values.",
    "DecoderBlockAnswer.attention_normed": "[token][d_model] The block's input after its first norm.",
    "DecoderBlockAnswer.attention_output": "[token][d_model] What attention adds to the residual stream.",
    "DecoderBlockAnswer.feed_forward_hidden": "[token][hidden_dim] After the activation.",
    "DecoderBlockAnswer.feed_forward_normed": "[token][d_model] What the feed-forward layer gets.",
    "DecoderBlockAnswer.feed_forward_output": "[token][d_model] What the feed-forward layer adds to the stream.",
    "FlowEdge.kind": "The stream itself, an attention head, or the feed-forward layer.",
    "FoundModel.parameters": "Number of its parameters; null if the hub does not say.",
    "GrowthPoint.largest_weight": "Mean of the largest weight of a row.",
    "GrowthPoint.scaled_entropy": "Mean entropy with ÷√d_k, in nats.",
    "GrowthPoint.scaled_gradient_norm": "Mean norm of softmax's Jacobian with ÷√d_k.",
    "GrowthPoint.scaled_largest_weight": "Mean of the largest weight with ÷√d_k.",
    "GrowthRequest.d_k": "Sizes of queries and keys.",
    "GrowthRequest.trials": "How many random rows are averaged.",
    "HeadMap.x": "The horizontal place of each head; null where there is too little of it.",
    "HeadMap.y": "The vertical place of each head; null where there is too little of it.",
    "HeadsAnswer.head": "By head, its index in its layer.",
    "HeadsAnswer.layer": "By head, the index of its layer.",
    "HeadsAnswer.part": "By head, which attention of the model it is in.",
    "KernelAnswer.keys": "[key][2] Where the keys are.",
    "KernelAnswer.points": "[point][2] Where the kernels are asked.",
    "KnownModel.key": "Whether the keys' projection has a bias.",
    "KnownModel.library_class": "The class in the library transformers that was looked at.",
    "KnownModel.output": "Whether the output projection has a bias.",
    "KnownModel.query": "Whether the queries' projection has a bias.",
    "KnownModel.value": "Whether the values' projection has a bias.",
    "MaskOptions.kind": "Which mask.",
    "MasksAnswer.kind": "Which mask.",
    "MasksRequest.kind": "Which mask.",
    "MultiHeadAnswer.kv_head_of_query_head": "By query head, the head of keys and values that it shares.",
    "MultiHeadAnswer.x": "[token][d_model] The input.",
    "MultiHeadRequest.bias": "Whether the projections have biases.",
    "MultiHeadRequest.weights": "Weights in place of random ones.",
    "OEmbed.provider_name": "Name of this application.",
    "OEmbed.provider_url": "Address of this application.",
    "Parameters.bias": "Of the bias.",
    "Parameters.weight": "Of the matrix.",
    "ParametersAnswer.keys": "Of the keys' projection.",
    "ParametersAnswer.output": "Of the output projection.",
    "ParametersAnswer.queries": "Of the queries' projection.",
    "ParametersAnswer.values": "Of the values' projection.",
    "Parity.weights": "Largest absolute difference of a weight.",
    "PatchedCellAnswer.difference": "Logit of the answer minus that of the token it is compared with, after the patch.",
    "ProjectionStepAnswer.row_sums": "What each row of the result adds up to.",
    "ProjectionStepAnswer.swapped_result": "What it gives with the two matrices swapped.",
    "ProjectionsAnswer.key": "The keys' projection.",
    "ProjectionsAnswer.query": "The queries' projection.",
    "ProjectionsAnswer.value": "The values' projection.",
    "PromptCellAnswer.key": "The aligned position of the key.",
    "PromptCellAnswer.query": "The aligned position of the query.",
    "QueryKeyPlaneAnswer.keys": "The keys as points.",
    "QueryKeyPlaneAnswer.queries": "The queries as points.",
    "ReplaceRow.weights": "One weight for each key.",
    "SaturationAnswer.scaled": "The row divided by the divisor.",
    "ScalingIn.beta_fast": "YaRN: pairs that turn more often than this within the trained length are kept.",
    "ScalingIn.beta_slow": "YaRN: pairs that turn less often than this are stretched in full.",
    "ScalingIn.high_freq_factor": "Llama 3: wavelengths shorter than the trained length divided by this are kept.",
    "ScalingIn.low_freq_factor": "Llama 3: longer wavelengths than trained length / this are stretched in full.",
    "ScalingIn.mscale": "YaRN: strength of the attention factor.",
    "ScalingIn.mscale_all_dim": "YaRN: strength of the attention factor that it is divided by.",
    "ScalingIn.truncate": "YaRN: whether the borders of its ramp are rounded to whole pairs.",
    "ScalingRequest.d_k": "Sizes of queries and keys.",
    "ScalingRequest.source": "What queries and keys are: random numbers, or outputs of fresh linear layers.",
    "ScoreDistributionAnswer.scaled": "Scores with ÷√d_k.",
    "ScoringRequest.position": "How positions are told, RoPE or ALiBi; null for not at all.",
    "SetPattern.pattern": "Equally everywhere, at the position before alone, or nowhere after the query.",
    "SinusoidalResponse.positions": "The positions of the vectors.",
    "SinusoidalResponse.step": "The shift by one position; null unless asked for.",
    "SkippedLinesAnswer.first": "The first of them.",
    "SlideOut.largest_change_both": "Largest change of a score when both positions are shifted: 0 up to rounding.",
    "SlideOut.largest_change_query_only": "Largest change of a score when only the queries' positions are shifted.",
    "Stable.maximum": "The largest score, which is subtracted.",
    "Stable.total": "What the exponentials add up to.",
    "TokenPair.query": "Text of the token that attends.",
    "TrainingOptions.positions": "Ways to tell positions that can be trained.",
    "TrainingRequest.steps": "How many batches the network learns from.",
    "TranslationAnswer.source": "Words that are read.",
    "TranslationAnswer.target": "Words that are written.",
    "Unstable.total": "What the exponentials add up to.",
    "VectorsAnswer.bias": "What is added to the scaled score.",
    "WeightsIn.keys": "Of the keys' projection; null for random ones.",
    "WeightsIn.output": "Of the output projection; null for random ones.",
    "WeightsIn.queries": "Of the queries' projection; null for random ones.",
    "WeightsIn.values": "Of the values' projection; null for random ones.",
    "WordIn.text": "The text.",
}
"""By schema and field: what it is there, where that differs."""


def describe(document: Schema) -> None:
    """Write what is missing into a document."""
    for schema, name, field in undescribed(document):
        text = FIELDS.get(f"{schema}.{name}", NAMES.get(name))
        if text is not None:
            field["description"] = text


def undescribed(document: Schema) -> Iterator[tuple[str, str, Schema]]:
    """Every field and parameter without a description: its schema (or path), its name, its declaration."""
    shared = document["components"].get("parameters", {})
    yield from (("", name, parameter) for name, parameter in shared.items() if "description" not in parameter)
    for title, schema in document["components"]["schemas"].items():
        for name, field in schema.get("properties", {}).items():
            if "description" not in field:
                yield title, name, field
    for path, operations in document["paths"].items():
        for operation in operations.values():
            for parameter in operation.get("parameters", ()):
                if not {"$ref", "description"} & parameter.keys():
                    yield path, parameter["name"], parameter
