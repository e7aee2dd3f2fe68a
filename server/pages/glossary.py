"""The terms that pages explain: a card at each use, and one page of all.

In a text that goes through the filter ``terms``, ``[[id]]`` and ``[[id|as written]]`` are a use.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b

from markupsafe import Markup, escape

from .maths_text import maths

USE = re.compile(r"\[\[([a-z0-9-]+)(?:\|(.*?))?\]\]", re.DOTALL)


def N_(text: str) -> str:  # noqa: N802
    """Mark a text for translation where it is shown."""
    return text


@dataclass(frozen=True)
class Term:
    """A term of the field, with a definition that uses only what a beginner knows or finds in this list."""

    id: str
    """As in addresses: ``/glossary#head``."""
    name: str
    definition: str
    page: str = ""
    """Stem of the page that shows it; "" for none."""


TERMS = (
    Term(
        "attends",
        N_("attends to, reads"),
        N_(
            "A token attends to another, or reads it, when it gives it a weight: that share of the other token's value goes into its own result."
        ),
        "circle",
    ),
    Term(
        "attention",
        N_("attention"),
        N_(
            "A weighted mean whose weights are computed from the inputs: each token's result is a mixture of all tokens' values, in proportions that depend on how well its query matches their keys."
        ),
        "projections",
    ),
    Term(
        "argmax",
        N_("argmax"),
        N_("The position of the largest number in a list."),
        "softmax",
    ),
    Term(
        "baseline",
        N_("baseline"),
        N_(
            "What a simple rule achieves without looking, such as always guessing the word two places before. Only what is above it is a finding."
        ),
        "head_roles",
    ),
    Term(
        "bias",
        N_("bias"),
        N_(
            "In a linear layer, numbers added to the result, whatever the input. In a score, a number added because of the positions alone."
        ),
        "linear",
    ),
    Term(
        "block",
        N_("block"),
        N_(
            "The unit that a transformer repeats: attention, then a feed-forward layer, each added to its input, each with a norm."
        ),
        "block",
    ),
    Term(
        "causal-mask",
        N_("causal mask"),
        N_("The mask of models that predict the next token: no token may attend to later ones."),
        "masks",
    ),
    Term(
        "cosine",
        N_("cosine"),
        N_(
            "Of two vectors: their dot product divided by both lengths. 1 if they point the same way, 0 at a right angle, −1 if they are opposite."
        ),
        "context",
    ),
    Term(
        "cross-attention",
        N_("cross-attention"),
        N_(
            "Attention whose queries come from one text and whose keys and values come from another, as in translation."
        ),
        "why",
    ),
    Term(
        "decoder",
        N_("decoder"),
        N_(
            "A model, or the part of one, that writes a text token by token and therefore uses a causal mask. GPT-2 is a decoder."
        ),
        "decoder",
    ),
    Term(
        "d-k",
        "d_k",
        N_("The number of components of a query or a key in one head."),
        "scaling",
    ),
    Term(
        "d-model",
        "d_model",
        N_("The number of components of a token's vector between the layers of a model: 768 in GPT-2 and BERT base."),
        "multi_head",
    ),
    Term(
        "dependency-relation",
        N_("dependency relation"),
        N_(
            "A link of grammar between two words of a sentence: the dependent, such as an object, and its head, such as the verb."
        ),
        "head_roles",
    ),
    Term(
        "dot-product",
        N_("dot product"),
        N_(
            "Multiply two vectors component by component and add up. Large when both are long and point the same way, 0 at a right angle."
        ),
        "circle",
    ),
    Term(
        "embedding",
        N_("embedding"),
        N_(
            "A learned vector for each token id. Looking it up turns a name into numbers that a model can compute with."
        ),
        "embedding",
    ),
    Term(
        "encoder",
        N_("encoder"),
        N_("A model, or the part of one, that reads a whole text at once, in both directions. BERT is an encoder."),
        "projections",
    ),
    Term(
        "encoder-decoder",
        N_("encoder–decoder"),
        N_(
            "A model of two parts, as for translation: an encoder reads the source text, a decoder writes the target text from what the encoder has made of it."
        ),
        "why",
    ),
    Term(
        "entropy",
        N_("entropy"),
        N_(
            "How spread out a row of weights is: 0 if one key takes everything, log n if n keys share equally. Measured in nats."
        ),
        "softmax",
    ),
    Term(
        "feed-forward",
        N_("feed-forward layer"),
        N_(
            "Two linear layers with a non-linear function between them, applied to each token by itself, after attention."
        ),
        "block",
    ),
    Term(
        "float32",
        N_("float32"),
        N_(
            "How computers usually store a number in a model: 32 bits, about 7 decimal digits. Results are rounded to the nearest number that can be stored."
        ),
        "parity",
    ),
    Term(
        "gradient",
        N_("gradient"),
        N_(
            "How much the loss changes when a number changes a little. Training moves each parameter against its gradient; where it is 0, nothing is learned."
        ),
        "scaling",
    ),
    Term(
        "gqa",
        N_("grouped-query attention (GQA)"),
        N_(
            "Several query heads share one head of keys and values, which makes the KV cache smaller. If all share one it is multi-query attention (MQA)."
        ),
        "kv_cache",
    ),
    Term(
        "head",
        N_("head"),
        N_(
            "One attention computation with its own queries, keys and values. A layer has several side by side, so that a token can attend to different things for different reasons."
        ),
        "multi_head",
    ),
    Term(
        "hidden-state",
        N_("hidden state"),
        N_("A token's vector inside a model, after some of its layers."),
        "context",
    ),
    Term(
        "induction-head",
        N_("induction head"),
        N_(
            "A head that looks for an earlier occurrence of the current token and attends to what came after it, so that the model can repeat a pattern."
        ),
        "training",
    ),
    Term(
        "information-flow",
        N_("information flow"),
        N_(
            "A graph of what made one output: after every layer a token's vector is a sum, and each part of it (a head that reads one token, the feed-forward layer, the vector before) whose share reaches a threshold is an edge. It says what a vector is made of, not what would happen without a part."
        ),
    ),
    Term(
        "kernel",
        N_("kernel"),
        N_(
            "A formula that says how similar two points are, such as a bell curve of their distance. It is chosen in advance and learns nothing."
        ),
        "kernel",
    ),
    Term(
        "key",
        N_("key"),
        N_("The vector by which a token is found: queries are compared with it."),
        "projections",
    ),
    Term(
        "kv-cache",
        N_("KV cache"),
        N_(
            "The keys and values of all earlier tokens, kept while a decoder writes, so that they need not be computed again for every new token."
        ),
        "kv_cache",
    ),
    Term(
        "layer",
        N_("layer"),
        N_(
            "One stage of a model. A transformer repeats the same kind of layer, attention and then feed-forward, many times."
        ),
        "block",
    ),
    Term(
        "layer-norm",
        N_("LayerNorm"),
        N_(
            "Shifts and scales the components of a vector to mean 0 and variance 1, then applies a learned scale and shift."
        ),
        "block",
    ),
    Term(
        "linear-layer",
        N_("linear layer"),
        N_("Multiplies a vector by a matrix of learned numbers and may add a bias."),
        "linear",
    ),
    Term(
        "logit",
        N_("logit"),
        N_(
            "A score before softmax. The logits of a language model's output become the probabilities of the next token."
        ),
        "softmax",
    ),
    Term(
        "loss",
        N_("loss"),
        N_("How wrong a model's predictions are, as one number. Training makes it smaller."),
        "training",
    ),
    Term(
        "mask",
        N_("mask"),
        N_("Says which keys a query may attend to. Forbidden scores become −∞, and their weights exactly 0."),
        "masks",
    ),
    Term(
        "nats",
        N_("nats"),
        N_("The unit of entropy with the natural logarithm. A fair coin has log 2 = 0.69 nats, which is one bit."),
        "softmax",
    ),
    Term(
        "norm",
        N_("norm (of a vector)"),
        N_("Its length: the square root of the sum of the squared components."),
        "qk_norm",
    ),
    Term(
        "padding",
        N_("padding"),
        N_(
            "Tokens without meaning, appended so that all sentences of a batch have the same length. A mask hides them."
        ),
        "masks",
    ),
    Term(
        "parameter",
        N_("parameter"),
        N_("A number that training adjusts, such as an element of a weight matrix."),
        "linear",
    ),
    Term(
        "patch",
        N_("patch (of an image)"),
        N_(
            "A square of an image, the token of a vision transformer (ViT): 224 × 224 pixels in squares of 16 × 16 are 196 patches. A linear layer makes a vector of each. Its key is what others find it by, an edge or a colour, say; its value is what it passes on to them. Each of the two has a matrix of its own, and other values leave every weight of that layer as it is."
        ),
        "projections",
    ),
    Term(
        "position",
        N_("positional encoding"),
        N_(
            "Anything that tells attention where a token is: a vector added to it, a rotation of queries and keys, or a bias on the scores."
        ),
        "order",
    ),
    Term(
        "positional-head",
        N_("positional head"),
        N_("A head that attends to a fixed place, such as the previous token, whatever stands there."),
        "head_roles",
    ),
    Term(
        "projection",
        N_("projection"),
        N_(
            "A linear layer that turns a token's vector into its query, its key or its value; W_q, W_k and W_v are its matrices."
        ),
        "projections",
    ),
    Term(
        "query",
        N_("query"),
        N_("The vector with which a token asks: it is compared with every key."),
        "projections",
    ),
    Term(
        "rope",
        N_("RoPE"),
        N_("Rotary position embedding: queries and keys are rotated by angles that grow with their position."),
        "rope",
    ),
    Term(
        "alibi",
        N_("ALiBi"),
        N_("Attention with linear biases: a penalty that grows with the distance is subtracted from each score."),
        "alibi",
    ),
    Term(
        "residual",
        N_("residual connection"),
        N_("A layer's result is added to its input instead of replacing it, so information and gradients can pass by."),
        "block",
    ),
    Term(
        "residual-stream",
        N_("residual stream"),
        N_("A token's vector on its way through all blocks. Each block reads it and adds to it."),
        "block",
    ),
    Term(
        "rms-norm",
        N_("RMS norm"),
        N_("Divides a vector by the root mean square of its components, so that its length becomes √d."),
        "qk_norm",
    ),
    Term(
        "rnn",
        N_("recurrent network (RNN)"),
        N_("A network that reads a text word by word and carries everything read so far in one vector of fixed size."),
        "why",
    ),
    Term(
        "score",
        N_("score"),
        N_("A number that says how well a query matches a key, before softmax."),
        "scoring",
    ),
    Term(
        "self-attention",
        N_("self-attention"),
        N_("Attention whose queries, keys and values all come from the same text."),
        "projections",
    ),
    Term(
        "sink",
        N_("attention sink"),
        N_("A token, often the first, that heads attend to when nothing else matches."),
        "claims",
    ),
    Term(
        "so-2",
        N_("SO(2), the rotations of a plane"),
        N_(
            "All rotations of a plane around one point. They form a group: two in a row are again a rotation, by the sum of the angles, and each can be undone."
        ),
        "rope",
    ),
    Term(
        "softmax",
        N_("softmax"),
        N_(
            "Turns scores into weights: e to the power of each, divided by the sum of all. The weights are positive and add up to 1."
        ),
        "softmax",
    ),
    Term(
        "syntactic-head",
        N_("syntactic head"),
        N_(
            "A head that attends to a grammatical partner, such as from an object to its verb, more often than any fixed distance would."
        ),
        "head_roles",
    ),
    Term(
        "temperature",
        N_("temperature"),
        N_("A number that divides the scores before softmax: high spreads the weights, low sharpens them."),
        "softmax",
    ),
    Term(
        "token",
        N_("token"),
        N_("A piece of text, a word or a part of one, that a model treats as a unit."),
        "embedding",
    ),
    Term(
        "special-token",
        N_("special token"),
        N_(
            "A token that stands for no piece of the text: BERT's tokenizer puts [CLS] before a text and [SEP] after it. A piece that continues a word is written with ##."
        ),
        "embedding",
    ),
    Term(
        "token-id",
        N_("id (of a token)"),
        N_("The token's number in the model's vocabulary. It is a name, not a quantity: id 5 is not more than id 4."),
        "embedding",
    ),
    Term(
        "value",
        N_("value"),
        N_("The vector that a token hands over to those that attend to it."),
        "projections",
    ),
    Term(
        "vanishing-gradient",
        N_("vanishing gradient"),
        N_(
            "The gradient of a late result with respect to an early input is a product with one factor for each step between them. If the factors are below 1, it shrinks towards 0 and the early input can hardly be learned from."
        ),
        "why",
    ),
    Term(
        "variance",
        N_("variance"),
        N_(
            "The mean squared distance from the mean: how far numbers are spread out. Its root is the standard deviation."
        ),
        "scaling",
    ),
    Term(
        "vector",
        N_("vector"),
        N_("A list of numbers, such as those that stand for a word. Its size is how many there are."),
        "embedding",
    ),
    Term(
        "weight",
        N_("attention weight"),
        N_(
            "The share of one token in another's result. The weights of a query add up to 1. (The numbers in a layer's matrix are called weights as well.)"
        ),
        "softmax",
    ),
)
"""Sorted by name where they are shown."""
BY_ID = {term.id: term for term in TERMS}


def term_cards(translate: Callable[[str], str]) -> Callable[[str], Markup]:
    """The filter that gives each term in a text a card; it fails on a term that does not exist."""

    def terms(text: str) -> Markup:
        html = str(text if isinstance(text, Markup) else escape(text))
        place = blake2b(html.encode(), digest_size=3).hexdigest()
        count = 0

        def card(use: re.Match[str]) -> str:
            nonlocal count
            count += 1
            term = BY_ID[use[1]]
            word = use[2] or str(maths(translate(term.name)))
            label = f"term-{place}-{count}"
            return (
                f'<span class="term"><span class="term-word" tabindex="0" aria-describedby="{label}">{word}</span>'
                f'<span class="term-card" role="tooltip" id="{label}">{maths(translate(term.definition))}</span></span>'
            )

        return Markup(USE.sub(card, html))  # noqa: S704 - `text` was escaped or markup, and the rest is ours

    return terms
