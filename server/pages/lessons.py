"""The texts of the course's lessons; their order and their concepts are in ``course.py``."""

from dataclasses import dataclass


def N_(text: str) -> str:  # noqa: N802
    """Mark a text for translation where it is shown."""
    return text


@dataclass(frozen=True)
class Lesson:
    """A lesson's texts, in English. Terms of the glossary are marked as in ``glossary.py``."""

    title: str
    says: str
    looks: tuple[tuple[str, str], ...]
    """Addresses on this site, each with what to do there; the first can be opened inside the lesson."""
    written: tuple[tuple[str, str], ...] = ()
    """Fields of the first address whose texts are in the reader's language."""


TEXTS = {
    "why": Lesson(
        N_("Why attention"),
        N_(
            "“bank” is one word and two things, a shore or a house for money, and the words around it decide which. In “She sat on the bank of the river and fished.” and in “He asked at the bank for a loan.” it enters a model as the same vector, number for number. In the first layer it gives 0.69 of the attention of one [[head]] to “river”, in the other sentence 0.53 of another's to “loan”, and what leaves the layer is no longer the same: the cosine of the two vectors is 0.90, and 0.78 after six layers. Reading one another so is all that [[self-attention]] is."
        ),
        (
            (
                "/?text=She+sat+on+the+bank+of+the+river+and+fished.&layer=0&head=4&query=5&key=8",
                N_("See “bank” attend to “river”, and what the other heads look for."),
            ),
            (
                "/?text=He+asked+at+the+bank+for+a+loan.&layer=0&head=0&query=5&key=8",
                N_("See the same “bank” attend to “loan”; then write a sentence of your own."),
            ),
            (
                "/why",
                N_(
                    "Let “it” take in a sentence in three ways: an average, which weighs every word alike; a recurrent network (RNN), which must carry everything through every step; attention."
                ),
            ),
            ("/why?view=distance&inserted=40", N_("See how fast a recurrent network forgets, and turn up its gain.")),
            ("/why?view=translation", N_("Translate through one vector, then by looking back at every word.")),
            (
                "/why?view=asymmetry",
                N_(
                    "Who reads whom is not symmetric: in 吾輩は猫である (“I am a cat”), 猫 tells what 吾輩 is, more than the other way round. Make W_q and W_k equal, and both directions get the same score."
                ),
            ),
        ),
    ),
    "vectors": Lesson(
        N_("Words as vectors"),
        N_(
            "A model computes with numbers. A text is split into tokens, each token has an id, and each id selects a row of a learned table: one number becomes hundreds. Everything that follows works on these rows."
        ),
        (("/embedding", N_("Choose a token, and see its row and the rows nearest to it.")),),
    ),
    "linear": Lesson(
        N_("From a vector to a projection"),
        N_(
            "A linear layer multiplies a vector by a matrix and adds a bias. Queries, keys and values are three such products of the same vector, so it is worth knowing first what a layer does to shapes and how many parameters it has."
        ),
        (("/linear", N_("Compute one output by hand, then see which models omit the bias.")),),
    ),
    "roles": Lesson(
        N_("Queries, keys, values"),
        N_(
            "Every token asks a question (its query), offers a label (its key) and holds some content (its value). All three are made from the same vector by three matrices; which is which depends only on how they are used. So it is in a model of images: an edge or a colour may be what a [[patch]] is found by, and what it passes on may be something else."
        ),
        (
            (
                "/projections?inputs=1_0_0_1_1_0__0_1_0_0_0_0__1_0_0_0_0_1__0_0_1_0_0_0&wq=0_1_1_0_0_0__1_0_0_0_0_0__0_1_1_0_0_0"
                "&wk=4_0_0_0_0_0__0_4_0_0_0_0__0_0_0_4_0_0&wv=0_0_0_0_1_0__0_0_0_0_0_1&query=3",
                N_("See by what “it” finds “cat”, and what it takes home; then choose “Values equal to keys”."),
            ),
            ("/projections", N_("Change W_q, W_k or W_v, and see what each token finds.")),
        ),
        (("words", N_("cat sat mat it")), ("features", N_("noun verb pronoun living cat mat"))),
    ),
    "dot_product": Lesson(
        N_("A score for two vectors"),
        N_(
            "The [[dot-product]] of a query and a key says how well they match: large where they point the same way, 0 at a right angle, negative where they are opposed. Length counts as well as direction. Other functions can score a pair too, even a small network, but none is as cheap."
        ),
        (
            ("/circle", N_("Rotate the query on the circle and see which keys it attends to.")),
            ("/scoring", N_("Swap keys and values in the scoring lab: the weights change, though no number did.")),
        ),
    ),
    "softmax": Lesson(
        N_("From scores to weights"),
        N_(
            "Softmax turns scores into weights: positive numbers that add up to 1. Only differences matter, which is why the largest score may be subtracted first, and why temperature sharpens or flattens."
        ),
        (
            (
                "/softmax",
                N_(
                    "Make scores so large that e^x overflows, and compare the two tables: with the maximum subtracted, and without."
                ),
            ),
            ("/circle?t=0.2", N_("Lower the temperature on the circle until one key takes all.")),
        ),
    ),
    "scaling": Lesson(
        N_("Why √d_k"),
        N_(
            "A dot product is a sum of d_k random products and has variance d_k. Without dividing, large heads would attend to a single key and pass no gradient back."
        ),
        (("/scaling", N_("Compare the histograms before and after dividing, at 8, 64 and 512.")),),
    ),
    "masks": Lesson(
        N_("What may attend to what"),
        N_(
            "A mask adds minus infinity where attention is forbidden. Causal masks hide the future, padding masks hide what is not text."
        ),
        (
            ("/masks", N_("Press Play: the queries appear one by one, each with the keys it may attend to.")),
            ("/masks?kind=custom", N_("Build a mask of your own, cell by cell.")),
            (
                "/reach?kind=causal&tokens=6&layers=3&drawn=1_4&layer=0&query=2&key=4",
                N_("Go through the layers, and see how far one open cell lets the future in."),
            ),
        ),
    ),
    "heads": Lesson(
        N_("Many heads"),
        N_(
            "One softmax has one ranking. Heads split the width into parts that attend independently, at the same cost; together they can attend to several things for several reasons."
        ),
        (
            (
                "/multi_head",
                N_("Ask which heads of a trained layer look for what “bank” means, and which for its place."),
            ),
            (
                "/multi_head?view=heads&query=1&head=0",
                N_("Follow the vectors through split, attention, concatenation and W_O."),
            ),
            ("/multi_head?view=counts", N_("See one wide head blur what two heads keep apart.")),
        ),
    ),
    "training": Lesson(
        N_("Heads that learn"),
        N_(
            "Nobody tells a head what to look for. All of them begin with random weights, and the loss alone decides what each becomes: here you can watch a small model find out that copying from an earlier occurrence predicts the next token."
        ),
        (("/training", N_("Start a training run; below the curves, watch the heads' maps change.")),),
    ),
    "order": Lesson(
        N_("Attention does not know order"),
        N_(
            "Attention sees a set, not a sequence: reorder the words, and the outputs are merely reordered with them. A mask or positions must say where a word is."
        ),
        (
            ("/order", N_("See dog and cat swapped: each output moves with its word, and nothing else changes.")),
            ("/order?way=sinusoidal", N_("Add positions: the same words in another order now differ.")),
        ),
    ),
    "positions": Lesson(
        N_("Positions"),
        N_(
            "Three remedies. A vector for each position is added to the word's: sines and cosines of many frequencies, or learned ones. RoPE rotates queries and keys by their position, so that a score depends on the distance between them. ALiBi needs no vector at all: it subtracts a penalty from each score in proportion to the distance."
        ),
        (
            ("/sinusoidal", N_("Explore the map of sines and cosines, from fast to slow.")),
            (
                "/rope?view=sky&theta=0.15&slide=8",
                N_("Move “Shift all positions by” and watch the whole sky rotate; then choose “A single star”."),
            ),
            ("/alibi?heads=12&head=8", N_("Find the slopes for 12 heads, which is not a power of two.")),
            ("/alibi?view=compare", N_("Compare ALiBi with RoPE on the same queries and keys.")),
        ),
    ),
    "norms": Lesson(
        N_("Removing lengths"),
        N_(
            "A dot product grows with the lengths of its vectors. Norms remove the lengths before scores are computed: an L2 norm leaves the cosine, RMS norm and LayerNorm leave vectors of length √d."
        ),
        (
            ("/qk_norm?stage=weights", N_("Make one key ten times longer, and see which weights move.")),
            ("/qk_norm?view=lengths", N_("See lengths and angles concentrate as dimensions are added.")),
        ),
    ),
    "block": Lesson(
        N_("The whole block"),
        N_(
            "Attention is one half of a block; a feed-forward layer is the other. Each adds its result to a stream of vectors that runs through the model, and a norm keeps their lengths in check."
        ),
        (("/block", N_("Follow one token through a block.")),),
    ),
    "decoder": Lesson(
        N_("Decoder and cache"),
        N_(
            "Today's decoders put the parts of the previous lessons together: no biases, few KV heads, RoPE, QK-norm. They write one token at a time and keep the keys and values of all earlier ones. Sharing these between heads makes the cache smaller: one set per head (MHA), per group (GQA), or for all (MQA)."
        ),
        (
            ("/decoder", N_("Walk through the stations of a block, with the shape at each.")),
            ("/decoder?form=gpt2", N_("See which stations GPT-2 does not have.")),
            ("/kv_cache", N_("Find out how much a published model caches per token.")),
        ),
    ),
    "models": Lesson(
        N_("In real models"),
        N_(
            "The same attention runs inside pretrained models here, and matches the library's own number for number. Look at one word in two contexts, and at what has been published about heads."
        ),
        (
            ("/context", N_("See how context changes the vector of one word.")),
            ("/parity", N_("Compare our attention with the library's, head by head.")),
            ("/claims", N_("Read what has been published about heads, and what can be measured here.")),
            ("/head_roles", N_("See what each head does over hundreds of sentences, beside the best fixed offset.")),
            ("/", N_("Explore every head on a sentence of your own.")),
        ),
    ),
    "kernels": Lesson(
        N_("Fixed kernels and learned scores"),
        N_(
            "Attention is a weighted mean. A kernel takes its weights from distances only; attention learns, through W, what counts as near."
        ),
        (("/kernel", N_("Move a point, then change W: only attention follows the second.")),),
    ),
}
"""By the lesson's id."""
