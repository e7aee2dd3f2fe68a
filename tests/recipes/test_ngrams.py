"""N-gram baselines against hand-computed values and dictionaries; probabilities sum to one."""

import math
from collections import Counter
from collections.abc import Callable, Sequence

import pytest
import torch
from torch import Tensor

from recipes.decoder.ngrams import bigram_nll, unigram_nll
from recipes.decoder.recipe import Recipe
from recipes.decoder.texts import Corpus

TEXTS = (torch.tensor([1, 2, 1, 2, 1, 3]), torch.tensor([2]))


def ids(*values: int) -> Tensor:
    return torch.tensor(values)


def test_unigram_by_hand() -> None:
    """Counts of 0…4: 0 3 3 1 0; with one added, of 12: 1 4 4 2 1."""
    expected = -math.log(4 / 12) - math.log(2 / 12) - math.log(1 / 12)
    assert unigram_nll(TEXTS, ids(1, 3, 4), 5) == pytest.approx(expected)


def test_bigram_by_hand() -> None:
    """Pairs: 01 once, 12 twice, 21 twice, 13 once, 02 once; so D = 3 / (3 + 2·2) and 5 different pairs.

    q(1) = (2 + 1) / (5 + 5), as 0 and 2 stand before it; q(2) = 3/10; q(3) = 2/10; q(4) = 1/10.
    """
    discount = 3 / 7
    start = math.log((1 - discount) / 2 + discount * 2 / 2 * 0.3)  # 1 at the start; 0 came twice, before 1 and before 2
    after_one = math.log((1 - discount) / 3 + discount * 2 / 3 * 0.2)  # 3 after 1
    unseen_pair = math.log(discount * 2 / 3 * 0.1)  # 4 after 1
    unseen_token = math.log(0.3)  # 2 after 4
    for text, parts in [
        ((1,), start),
        ((1, 3), start + after_one),
        ((1, 4), start + unseen_pair),
        ((1, 4, 2), start + unseen_pair + unseen_token),
    ]:
        assert bigram_nll(TEXTS, ids(*text), 5) == pytest.approx(-parts)


@pytest.mark.parametrize("model", [unigram_nll, bigram_nll])
@pytest.mark.parametrize("before", [0, 1, 2, 3, 4])
def test_probabilities_sum_to_one(model: Callable[..., float], before: int) -> None:
    alone = model(TEXTS, ids(before), 5)
    total = sum(math.exp(alone - model(TEXTS, ids(before, token), 5)) for token in range(5))
    assert total == pytest.approx(1)


def naive_bigram(texts: Sequence[Tensor], asked: Tensor, vocabulary: int) -> float:
    pairs: Counter[tuple[int, int]] = Counter()
    for text in texts:
        before = 0
        for token in text.tolist():
            pairs[before, token] += 1
            before = token
    frequencies = Counter(pairs.values())
    discount = frequencies[1] / (frequencies[1] + 2 * frequencies[2])
    total, before = 0.0, 0
    for token in asked.tolist():
        spread = (sum(after == token for _, after in pairs) + 1) / (len(pairs) + vocabulary)
        context = sum(count for (first, _), count in pairs.items() if first == before)
        if context:
            kinds = sum(first == before for first, _ in pairs)
            direct = max(pairs[before, token] - discount, 0) / context
            total -= math.log(direct + discount * kinds / context * spread)
        else:
            total -= math.log(spread)
        before = token
    return total


def test_bigram_with_dictionaries(corpus: Corpus, tiny: Recipe) -> None:
    asked = corpus.held_out[1][:200]
    found = bigram_nll(corpus.training, asked, tiny.vocabulary)
    assert found == pytest.approx(naive_bigram(corpus.training, asked, tiny.vocabulary))
    assert found < unigram_nll(corpus.training, asked, tiny.vocabulary)
