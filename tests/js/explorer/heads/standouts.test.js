import assert from "node:assert/strict";
import { test } from "node:test";
import { mostExtreme, standouts, tellingCell } from "../../../../static/js/explorer/heads/standouts.js";
import { reasonOf, whyShown } from "../../../../static/js/explorer/heads/start_here.js";

const WORDS = ["[CLS]", "cats", "eat", "fish", "cats", "eat"];
/** @type {any[]} */
const TOKENS = WORDS.map((text, index) => ({ index, id: WORDS.indexOf(text), text, special: index === 0 }));

/**
 * One layer of heads, each as its large weights "row,col: weight"; the others are 0.
 * @param {Record<string, number>[]} heads
 */
function thumbnails(heads) {
  const bytes = new Uint8Array(heads.length * 36);
  heads.forEach((cells, head) =>
    Object.entries(cells).forEach(([place, weight]) => {
      const [row, col] = place.split(",").map(Number);
      bytes[head * 36 + row * 6 + col] = Math.round(255 * weight);
    }),
  );
  return { bytes, layers: 1, heads: heads.length, height: 6, width: 6 };
}

/**
 * @param {Record<string, number>[]} heads
 * @param {Record<string, number[][]>} [metrics]
 * @param {object} [specific]  what the core says of a short text
 */
const found = (heads, metrics = {}, specific = {}) =>
  standouts({
    part: { metrics, causal: false, key_tokens: 6, ...specific },
    thumbnails: thumbnails(heads),
    queries: TOKENS,
    keys: TOKENS,
  });

test("the strongest link is between words that are not special, not neighbours and not alike", () => {
  const weights = { "3,0": 1, "2,1": 0.9, "1,4": 0.8, "3,5": 0.6, "5,3": 0.5 };
  assert.deepEqual(
    found([{}, weights]).map((one) => ({ ...one, value: one.value.toFixed(2) })),
    [{ layer: 0, head: 1, reason: "link", value: "0.60", query: 3, key: 5, others: null }],
  );
  assert.deepEqual(found([{ "3,5": 0.2 }]), []);
});

test("pieces of one word, and of words beside each other, are no link of words apart", () => {
  // [CLS] so|f|t re|ading b: in words, 0 1 1 2 2 and 3
  const tokens = ["[CLS]", "so", "f", "t", "re", "ading"].map((text, index) => ({
    index,
    id: index,
    text,
    special: index === 0,
    start: null,
    end: null,
    segment: 0,
    word: [null, 0, 0, 0, 1, 3][index],
  }));
  const link = (/** @type {Record<string, number>} */ weights) =>
    standouts({
      part: { metrics: {}, causal: false, key_tokens: 6 },
      thumbnails: thumbnails([weights]),
      queries: tokens,
      keys: tokens,
    }).map(({ query, key }) => [query, key]);
  assert.deepEqual(link({ "3,1": 0.9, "1,3": 0.8 }), [], "of one word");
  assert.deepEqual(link({ "4,1": 0.9, "4,2": 0.8 }), [], "of the word before");
  assert.deepEqual(
    link({ "3,1": 0.9, "4,1": 0.8, "5,4": 0.6, "5,1": 0.4 }),
    [[5, 4]],
    "next in tokens, apart in words",
  );
});

test("an induction head attends to the cells that the core says show it", () => {
  const induction = { "4,2": 0.8, "5,3": 0.6 }; // cats → eat, eat → fish
  const specific = { induction_cells: [[4, 2], [5, 3]] }; // prettier-ignore
  const [one, link] = found([{ "3,1": 0.95 }, induction], {}, specific);
  assert.equal(link.reason, "link");
  assert.deepEqual({ ...one, value: one.value.toFixed(2) }, { layer: 0, head: 1, reason: "induction", value: "0.70" });
  const [only, ...others] = found([{ ...induction, "5,1": 0.95 }], {}, specific);
  assert.deepEqual([only.reason, others], ["induction", []], "a head that has the strongest link, too");
  const nothing = found([induction], {}, { induction_cells: [] }); // as in “very, very, very”
  assert.ok(nothing.every(({ reason }) => reason !== "induction"));
});

test("a weight stands beside what the other queries give the same key", () => {
  const totals = new Float32Array(2 * 6).fill(5, 6); // the five other tokens may attend to each key
  totals[5] = 0.6 + 4 * 0.3;
  const key_totals = { dtype: "f4", shape: "1,1,2,6", bdata: Buffer.from(totals.buffer).toString("base64") };
  const [link] = found([{ "3,5": 0.6 }], {}, { key_totals });
  assert.equal(link.others?.toFixed(2), "0.30");
  /** @type {any} */
  const data = { queries: TOKENS, keys: TOKENS, numbering: 1 };
  assert.equal(
    reasonOf(link, data),
    "the strongest link between words apart: “fish₄” attends to “eat₆” with 0.60, the other tokens with 0.30 on average",
  );
});

test("the largest of each metric stands out if it is large, and each head once", () => {
  const metrics = {
    previous_token: [[0.3, 0.9, 0.5]],
    first_token: [[0.5, 0.1, 0.59]],
    separator: [[0.1, 0.95, 0.2]],
    entropy: [[0.1, 1, 0.99 * Math.log(6)]],
  };
  assert.deepEqual(
    found([{}, {}, {}], metrics).map(({ head, reason }) => [head, reason]),
    [
      [1, "previous_token"],
      [0, "focused"],
      [2, "even"],
    ],
  );
});

test("thumbnails of a long text are pooled: nothing is said of single tokens", () => {
  const pooled = { ...thumbnails([{ "3,5": 0.9 }]), height: 3, width: 3 };
  const part = { metrics: {}, causal: false, key_tokens: 6 };
  assert.deepEqual(standouts({ part, thumbnails: pooled, queries: TOKENS, keys: TOKENS }), []);
});

test("the head that is open says why: as it stands out, else by its most extreme metric", () => {
  const metrics = { entropy: [[3, 1, 2]], first_token: [[0.2, 0.3, 0.1]] };
  assert.deepEqual(mostExtreme(metrics, { layer: 0, head: 1 }), {
    metric: "entropy",
    rank: 1,
    isLargest: false,
    value: 1,
    count: 3,
  });
  assert.equal(mostExtreme({ entropy: [[1, 1]] }, { layer: 0, head: 0 }), null);
  /** @type {any} */
  const data = { metrics, info: {}, queries: TOKENS, keys: TOKENS, layer: 0, numbering: 1, found: [], cell: null };
  assert.equal(whyShown({ ...data, head: 1 }), "Open now, L1 H2: of all 3 heads it has the lowest “entropy”, 1.00.");
  assert.equal(
    whyShown({ ...data, head: 2 }),
    "Open now, L1 H3: of all 3 heads it has the lowest “first_token”, 0.10.",
  );
  const ranked = { metrics: { entropy: [[3, 1, 2, 4, 0]] }, info: {} };
  assert.equal(
    whyShown({ ...data, ...ranked, head: 1 }),
    "Open now, L1 H2: its “entropy” of 1.00 ranks 2 of 5, counted from the lowest.",
  );
  const searched = {
    part: {},
    thumbnails: thumbnails([{}, { "3,1": 0.8, "3,0": 0.9 }]),
    queries: TOKENS,
    keys: TOKENS,
  };
  const cell = tellingCell(searched, { layer: 0, head: 1, query: 3, key: 1 });
  assert.equal(whyShown({ ...data, head: 1, cell }), "Open now, L1 H2: here “fish₄” attends to “cats₂” with 0.80.");
  assert.equal(tellingCell(searched, { layer: 0, head: 0, query: 3, key: 1 }), null);
  assert.equal(tellingCell(searched, { layer: 0, head: 1, query: 3, key: 0 }), null); // special
  /** @type {any} */
  const link = { layer: 0, head: 1, reason: "link", value: 0.6, query: 3, key: 5 };
  assert.equal(reasonOf(link, data), "the strongest link between words apart: “fish₄” attends to “eat₆” with 0.60");
  assert.equal(whyShown({ ...data, head: 1, found: [link] }), `Open now, L1 H2: ${reasonOf(link, data)}.`);
});
