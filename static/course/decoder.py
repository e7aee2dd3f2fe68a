# --- why ---
"""A small language model, built lesson by lesson from nothing but tensors. Run it: python decoder.py"""

import torch
from torch import nn

torch.manual_seed(0)
TEXT = "the cat sat on the mat because it was tired . the dog lay on the rug because it was warm ."
words = TEXT.split()


def average(x):
    """Every word takes in all words alike: (words, width) in, the same shape out."""
    return x.mean(0, keepdim=True).expand_as(x)


# --- vectors ---
vocabulary = sorted(set(words))
ids = torch.tensor([vocabulary.index(word) for word in words])


class Embedding(nn.Module):
    """A row of a table for each id."""

    def __init__(self, count, width):
        super().__init__()
        self.table = nn.Parameter(torch.randn(count, width))

    def forward(self, ids):
        return self.table[ids]


# --- linear ---
class Linear(nn.Module):
    """y = x Wᵀ, without a bias. W begins uniform within ±1/√in."""

    def __init__(self, size_in, size_out):
        super().__init__()
        bound = size_in**-0.5
        self.W = nn.Parameter(torch.empty(size_out, size_in).uniform_(-bound, bound))

    def forward(self, x):
        return x @ self.W.T


# --- roles ---
class Projections(nn.Module):
    """Of each vector a query, a key and a value."""

    def __init__(self, width, query_size, key_size):
        super().__init__()
        self.W_q = Linear(width, query_size)
        self.W_k = Linear(width, key_size)
        self.W_v = Linear(width, key_size)

    def forward(self, x):
        return self.W_q(x), self.W_k(x), self.W_v(x)


# --- dot_product ---
def scores(q, k):
    """How well each query matches each key: (queries, keys)."""
    return q @ k.transpose(-2, -1)


# --- softmax ---
def softmax(x):
    """Positive numbers that add up to 1 in each row; the largest is subtracted first, so that nothing overflows."""
    e = (x - x.max(-1, keepdim=True).values).exp()
    return e / e.sum(-1, keepdim=True)


# --- scaling ---
def scaled(s, dim):
    """Scores of variance 1, where queries and keys have it."""
    return s / dim**0.5


# --- masks ---
def causal(s):
    """Minus infinity for every later key. The last query stands at the last key, however many came before."""
    queries, keys = s.shape[-2:]
    later = torch.ones(queries, keys, dtype=torch.bool).triu(1 + keys - queries)
    return s.masked_fill(later, -torch.inf)


# --- heads ---
def split(x, heads):
    """(words, heads · dim) becomes (heads, words, dim)."""
    return x.unflatten(-1, (heads, -1)).transpose(-3, -2)


def join(x):
    """And back."""
    return x.transpose(-3, -2).flatten(-2)


class Attention(nn.Module):
    """Heads that attend independently; a few key/value heads serve them all."""

    def __init__(self, width, heads=4, kv_heads=2):
        super().__init__()
        self.heads, self.kv_heads = heads, kv_heads
        self.roles = Projections(width, width, width // heads * kv_heads)
        self.W_o = Linear(width, width)

    def place(self, q, k):
        return q, k  # says where words are, from the lesson on positions on

    def keep(self, k, v):
        return k, v  # keeps what was read, from the lesson on decoders on

    def forward(self, x):
        q, k, v = self.roles(x)
        q, k, v = split(q, self.heads), split(k, self.kv_heads), split(v, self.kv_heads)
        q, k = self.place(q, k)
        k, v = self.keep(k, v)
        group = self.heads // self.kv_heads
        k, v = k.repeat_interleave(group, -3), v.repeat_interleave(group, -3)
        self.weights = softmax(causal(scaled(scores(q, k), q.size(-1))))
        return self.W_o(join(self.weights @ v))


# --- training ---
def loss(logits, ids):
    """How surprised the model is by each next word, on average, in nats."""
    chances = softmax(logits[:-1]).gather(-1, ids[1:, None])
    return -chances.log().mean()


def train(model, ids, steps=40):
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(steps):
        optimiser.zero_grad()
        now = loss(model(ids), ids)
        now.backward()
        optimiser.step()
    return now.item()


reader = nn.Sequential(Embedding(len(vocabulary), 32), Attention(32), Linear(32, len(vocabulary)))
print(f"one layer, without positions: {loss(reader(ids), ids):.2f} → {train(reader, ids):.2f} nats")

# --- order ---
x = torch.randn(5, 32)
order = torch.tensor([3, 0, 4, 1, 2])
reordered = softmax(scores(x[order], x[order])) @ x[order]
assert torch.allclose(reordered, (softmax(scores(x, x)) @ x)[order], atol=1e-5)  # the same outputs, reordered


# --- positions ---
def rotate(x, start=0, base=10_000.0):
    """RoPE: each pair of numbers turns by its own angle for every position."""
    positions = torch.arange(start, start + x.size(-2))
    speeds = base ** (-torch.arange(0, x.size(-1), 2) / x.size(-1))
    angles = positions[:, None] * speeds
    even, odd = x[..., 0::2], x[..., 1::2]
    turned = even * angles.cos() - odd * angles.sin(), even * angles.sin() + odd * angles.cos()
    return torch.stack(turned, -1).flatten(-2)


class RotaryAttention(Attention):
    start = 0  # position of the first word that is read now

    def place(self, q, k):
        return rotate(q, self.start), rotate(k, self.start)


# --- norms ---
def rms_norm(x):
    """The same direction, with a root mean square of 1."""
    return x * (x.square().mean(-1, keepdim=True) + 1e-6).rsqrt()


class NormedAttention(RotaryAttention):
    def place(self, q, k):
        q, k = super().place(q, k)
        return rms_norm(q), rms_norm(k)


# --- block ---
class FeedForward(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.W_in, self.W_out = Linear(width, 4 * width), Linear(4 * width, width)

    def forward(self, x):
        return self.W_out(self.W_in(x).relu().square())


class Block(nn.Module):
    """Two halves; each adds its result to the stream of vectors."""

    def __init__(self, width, attention):
        super().__init__()
        self.attention, self.feed_forward = attention, FeedForward(width)

    def forward(self, x):
        x = x + self.attention(rms_norm(x))
        return x + self.feed_forward(rms_norm(x))


# --- decoder ---
class CachedAttention(NormedAttention):
    kept = None  # keys and values of all earlier words, while the model writes

    def keep(self, k, v):
        if self.kept is not None:
            self.kept = [torch.cat(pair, -2) for pair in zip(self.kept, (k, v), strict=True)] if self.kept else [k, v]
            k, v = self.kept
            self.start = k.size(-2)
        return k, v


class Decoder(nn.Module):
    def __init__(self, count, width=32, layers=2):
        super().__init__()
        self.embedding = Embedding(count, width)
        self.blocks = nn.Sequential(*(Block(width, CachedAttention(width)) for _ in range(layers)))
        self.output = Linear(width, count)

    def forward(self, ids):
        return self.output(rms_norm(self.blocks(rms_norm(self.embedding(ids)))))

    def remember(self, kept):
        for block in self.blocks:
            block.attention.kept, block.attention.start = kept, 0

    @torch.no_grad()
    def write(self, ids, count):
        """The likeliest words, one after the other; each step reads only what is new."""
        self.remember([])
        read = ids
        for _ in range(count):
            read = self(read)[-1:].argmax(-1)
            ids = torch.cat([ids, read])
        self.remember(None)
        return ids


decoder = Decoder(len(vocabulary))
print(f"a decoder of two blocks: {loss(decoder(ids), ids):.2f} → {train(decoder, ids):.2f} nats")
written = decoder.write(ids[:2], 9)
print(" ".join(vocabulary[id] for id in written))
assert torch.equal(written[2:], decoder(written[:-1])[1:].argmax(-1))  # with the cache as without it

# --- models ---
q, k, v = torch.randn(3, 4, 7, 8)
ours = softmax(causal(scaled(scores(q, k), 8))) @ v
assert torch.allclose(ours, nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True), atol=1e-5)
print("and PyTorch's own attention computes the same")
