/** The course: its lessons in order, what to look at on which page, and the exercises that go with it. */

import { exercises as alibi } from "../concepts/alibi/exercises.js";
import { exercises as embedding } from "../concepts/embedding/exercises.js";
import { exercises as block } from "../concepts/block/exercises.js";
import { exercises as circle } from "../concepts/circle/exercises.js";
import { exercises as context } from "../concepts/context/exercises.js";
import { exercises as decoder } from "../concepts/decoder/exercises.js";
import { exercises as kernel } from "../concepts/kernel/exercises.js";
import { exercises as kvCache } from "../concepts/kv_cache/exercises.js";
import { exercises as linear } from "../concepts/linear/exercises.js";
import { exercises as masks } from "../concepts/masks/exercises.js";
import { exercises as multiHead } from "../concepts/multi_head/exercises.js";
import { exercises as order } from "../concepts/order/exercises.js";
import { exercises as parity } from "../concepts/parity/exercises.js";
import { exercises as projections } from "../concepts/projections/exercises.js";
import { exercises as qkNorm } from "../concepts/qk_norm/exercises.js";
import { exercises as rope } from "../concepts/rope/exercises.js";
import { exercises as scaling } from "../concepts/scaling/exercises.js";
import { exercises as scoring } from "../concepts/scoring/exercises.js";
import { exercises as sinusoidal } from "../concepts/sinusoidal/exercises.js";
import { exercises as softmax } from "../concepts/softmax/exercises.js";
import { t } from "../base/i18n.js";

/**
 * @typedef {object} Lesson
 * @property {string} id
 * @property {string} title
 * @property {string} says  what it is about
 * @property {{path: string, says: string}[]} looks  pages, with what to try there
 * @property {import("../concepts/frame/exercises.js").Exercise[]} exercises
 */

/** @returns {Lesson[]} */
export function lessons() {
  return [
    {
      id: "vectors",
      title: t("Words as vectors"),
      says: t(
        "A model computes with numbers. A text is split into tokens, each token has an id, and each id selects a row of a learned table: one number becomes hundreds. Everything that follows works on these rows.",
      ),
      looks: [
        { path: "/embedding", says: t("Choose a token, and see its row and the rows nearest to it.") },
        { path: "/context", says: t("Then see what context does to one and the same row.") },
      ],
      exercises: embedding(),
    },
    {
      id: "linear",
      title: t("From a vector to a projection"),
      says: t(
        "A linear layer multiplies a vector by a matrix and adds a bias. Queries, keys and values are three such products of the same vector, so it is worth knowing first what a layer does to shapes and how many parameters it has.",
      ),
      looks: [{ path: "/linear", says: t("Compute one output by hand, then see which models omit the bias.") }],
      exercises: linear(),
    },
    {
      id: "roles",
      title: t("Queries, keys, values"),
      says: t(
        "Every token asks a question (its query), offers a label (its key) and holds some content (its value). All three are made from the same vector by three matrices; which is which depends only on how they are used.",
      ),
      looks: [
        { path: "/projections", says: t("Change W_q, W_k or W_v, and see what each token finds.") },
        {
          path: "/scoring",
          says: t("Swap keys and values in the scoring lab: the weights change, though no number did."),
        },
        { path: "/circle", says: t("Rotate the query on the circle and see which keys it attends to.") },
      ],
      exercises: [...projections(), ...scoring(), ...circle()],
    },
    {
      id: "softmax",
      title: t("From scores to weights"),
      says: t(
        "Softmax turns scores into weights: positive numbers that add up to 1. Only differences matter, which is why the largest score may be subtracted first, and why temperature sharpens or flattens.",
      ),
      looks: [
        {
          path: "/softmax",
          says: t("Make scores so large that e^x overflows, then subtract the maximum."),
        },
        { path: "/circle?t=0.2", says: t("Lower the temperature on the circle until one key takes all.") },
      ],
      exercises: softmax(),
    },
    {
      id: "scaling",
      title: t("Why √d_k"),
      says: t(
        "A dot product is a sum of d_k random products and has variance d_k. Without dividing, large heads would attend to a single key and pass no gradient back.",
      ),
      looks: [{ path: "/scaling", says: t("Compare the histograms before and after dividing, at 8, 64 and 512.") }],
      exercises: scaling(),
    },
    {
      id: "norms",
      title: t("Lengths taken out"),
      says: t(
        "A dot product grows with the lengths of its vectors. Norms remove the lengths before scores are computed: an L2 norm leaves the cosine, RMS norm and LayerNorm leave vectors of length √d.",
      ),
      looks: [
        { path: "/qk_norm?stage=weights", says: t("Make one key ten times longer, and see which weights move.") },
        { path: "/qk_norm?view=lengths", says: t("See lengths and angles concentrate as dimensions are added.") },
      ],
      exercises: qkNorm(),
    },
    {
      id: "scores",
      title: t("Fixed kernels and learned scores"),
      says: t(
        "Attention is a weighted mean. A kernel takes its weights from distances only; attention learns, through W, what counts as near.",
      ),
      looks: [{ path: "/kernel", says: t("Move a point, then change W: only attention follows the second.") }],
      exercises: kernel(),
    },
    {
      id: "masks",
      title: t("What may attend to what"),
      says: t(
        "A mask adds minus infinity where attention is forbidden. Causal masks hide the future, padding masks hide what is not text.",
      ),
      looks: [{ path: "/masks?kind=custom", says: t("Build a mask of your own, cell by cell.") }],
      exercises: masks(),
    },
    {
      id: "heads",
      title: t("Many heads"),
      says: t(
        "One softmax has one ranking. Heads split the width into parts that attend independently, at the same cost; together they can attend to several things for several reasons.",
      ),
      looks: [
        { path: "/multi_head?view=counts", says: t("See one wide head blur what two heads keep apart.") },
        { path: "/training", says: t("Watch heads that start alike diverge as they learn.") },
      ],
      exercises: multiHead(),
    },
    {
      id: "cache",
      title: t("Memory of earlier tokens"),
      says: t(
        "A decoder keeps the keys and values of all earlier tokens. Sharing them between heads makes this memory smaller: one set per head (MHA), per group (GQA), or for all (MQA).",
      ),
      looks: [{ path: "/kv_cache", says: t("Find out how much a published model caches per token.") }],
      exercises: kvCache(),
    },
    {
      id: "order",
      title: t("Attention does not know order"),
      says: t(
        "Attention sees a set, not a sequence: reorder the words, and the outputs are merely reordered with them. A mask or positions must say where a word is.",
      ),
      looks: [
        { path: "/order", says: t("Swap dog and cat, and see that nothing else changes.") },
        { path: "/order?way=sinusoidal", says: t("Add positions: the same words in another order now differ.") },
      ],
      exercises: order(),
    },
    {
      id: "sinusoidal",
      title: t("Positions as vectors"),
      says: t(
        "The first remedy: each position has its own vector, added to the word's. Sines and cosines of many frequencies give one for any position; a model may also learn them.",
      ),
      looks: [
        { path: "/sinusoidal", says: t("Explore the map of sines and cosines, from fast to slow.") },
        { path: "/sinusoidal?view=learned&other=21", says: t("Look at the positions that a model has learned.") },
      ],
      exercises: sinusoidal(),
    },
    {
      id: "positions",
      title: t("Relative positions"),
      says: t(
        "Attention by itself does not know order. RoPE rotates queries and keys by their position, so that a score depends on the distance between them.",
      ),
      looks: [{ path: "/rope?view=sky&theta=0.15&slide=8", says: t("Rotate the whole sky, then move a single star.") }],
      exercises: rope(),
    },
    {
      id: "alibi",
      title: t("A penalty on distance"),
      says: t(
        "A position need not be a vector at all: ALiBi subtracts a penalty from each score in proportion to the distance, steep in some heads and gentle in others.",
      ),
      looks: [
        { path: "/alibi?heads=12&head=8", says: t("Find the slopes for 12 heads, which is not a power of two.") },
        { path: "/alibi?view=compare", says: t("Compare ALiBi with RoPE on the same queries and keys.") },
      ],
      exercises: alibi(),
    },
    {
      id: "decoder",
      title: t("A modern block"),
      says: t(
        "The parts of the previous lessons work together in one block: no biases, few KV heads, RoPE, QK-norm and a cache, in this order.",
      ),
      looks: [
        { path: "/decoder", says: t("Walk through the stations of a block, with the shape at each.") },
        { path: "/decoder?form=gpt2", says: t("See which stations a GPT-2 does not have.") },
      ],
      exercises: decoder(),
    },
    {
      id: "models",
      title: t("In real models"),
      says: t(
        "The same attention runs inside pretrained models here, and matches the library's own number for number. Look at a whole block, at one word in two contexts, and at what has been published about heads.",
      ),
      looks: [
        { path: "/block", says: t("Follow one token through a block.") },
        { path: "/context", says: t("See how context changes the vector of one word.") },
        { path: "/parity", says: t("Compare our attention with the library's, head by head.") },
        { path: "/", says: t("Explore every head on a sentence of your own.") },
      ],
      exercises: [...block(), ...context(), ...parity()],
    },
  ];
}
