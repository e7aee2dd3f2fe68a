import assert from "node:assert/strict";
import { afterEach, test } from "node:test";

import { completeParts } from "../../../static/js/api/analyses.js";
import { setMessages, t } from "../../../static/js/base/i18n.js";
import {
  continuesWord,
  direction,
  headName,
  piecesApart,
  piecesById,
  positionsName,
  tokenLabel,
} from "../../../static/js/wording/labels.js";
import { duration, exact, fixed, small } from "../../../static/js/base/numbers.js";
import { fit } from "../../../static/js/explorer/state/selection.js";
import { isolated, stretches, visible } from "../../../static/js/wording/token_text.js";
import { DEFAULTS, STAGES } from "../../../static/js/explorer/state/view_state.js";
import { headOrder, shortValue } from "../../../static/js/explorer/heads/grid.js";
import { differs } from "../../../static/js/base/mount.js";
import { rank } from "../../../static/js/explorer/widgets/reads.js";

/** @typedef {import("../../../static/js/api/types.js").Token} Token */

/** @param {Partial<Token>} [given] @returns {Token} */
const token = (given) => ({ index: 0, id: 0, text: "", start: null, end: null, special: false, segment: 0, ...given });

afterEach(() => setMessages({}));

test("a sentence is translated, its values put in; an unknown one stays English", () => {
  setMessages({ "{count} tokens": "{count} トークン" });
  assert.equal(t("{count} tokens", { count: 13 }), "13 トークン");
  assert.equal(t("Not in {place}", { place: "it" }), "Not in it");
  assert.equal(t("{missing} stays"), "{missing} stays");
});

test("an empty translation counts as none", () => {
  setMessages({ Theme: "" });
  assert.equal(t("Theme"), "Theme");
});

test("heads are counted from 0 or from 1", () => {
  assert.equal(headName(5, 11, 0), "Layer 5, head 11");
  assert.equal(headName(5, 11, 1), "Layer 6, head 12");
});

test("a token's label is never empty, and shows blanks", () => {
  assert.equal(tokenLabel(token({ text: " cat", token: "Ġcat" })), "·cat");
  assert.equal(tokenLabel(token({ text: "##ing", token: "##ing" })), "ing");
  assert.equal(tokenLabel(token({ text: "##", token: "##" })), "##");
  assert.equal(tokenLabel(token({ text: "cat", token: "▁cat" })), "·cat");
  assert.equal(tokenLabel(token({ text: "Ġcat", token: "Ġcat" })), "·cat", "uploaded as the vocabulary spells it");
  assert.equal(tokenLabel(token({ text: "", token: "▁" })), "·");
  const placed = { start: 0, end: 3 };
  assert.equal(tokenLabel(token({ text: "The", token: "▁The", ...placed })), "The", "no blank in front of the text");
  assert.equal(tokenLabel(token({ text: " cat", token: "▁cat", ...placed })), "·cat");
  assert.equal(tokenLabel(token({ text: " ", token: "▁" })), "·", "a blank that the tokenizer added");
  assert.equal(tokenLabel(token({ text: "###", token: "###", ...placed })), "###", "Markdown, not a continued word");
  assert.equal(tokenLabel(token({ text: "猫", token: "<0xE7>" })), "猫<0xE7>");
  assert.equal(tokenLabel(token({ text: "猫", token: "çĮ" })), "猫<0xE7><0x8C>", "two of three bytes");
  assert.equal(tokenLabel(token({ text: "猫", token: "çĮ«" })), "猫", "all of them");
  assert.equal(tokenLabel(token({ text: "é", token: "é" })), "é", "a letter of a vocabulary that has letters");
  assert.equal(tokenLabel(token({ text: "naïve", token: "naïve" })), "naïve");
  assert.equal(tokenLabel(token({ text: "\n\n" })), "⏎⏎");
  assert.equal(tokenLabel(token({ text: " " })), "·");
  assert.equal(tokenLabel(token({ text: "", token: "<0xE3>" })), "<0xE3>");
  assert.equal(tokenLabel(token({ text: "" })), "∅");
});

test("what leaves no mark is written as a sign that does, and said in words", () => {
  /** @type {[string, string, string][]}  text, what is seen, what is heard */
  const known = [
    [", ", ",·", ", space"],
    [",", ",", ","],
    [" ,", "·,", "space ,"],
    ["    \n\n", "·×4⏎⏎", "4 times space 2 times line break"],
    ["\r", "␍", "carriage return"],
    ["\t", "⇥", "tab"],
    ["\0", "␀", "U+0000"],
    ["a\u200b", "a<U+200B>", "a U+200B"],
    ["\u00ad", "<U+00AD>", "U+00AD"],
    ["\u202eabc", "<U+202E>abc", "U+202E abc"],
    ["\ud83d", "<U+D83D>", "U+D83D"],
    ["\u0301", "◌\u0301", "\u0301"],
    ["e\u0301", "e\u0301", "e\u0301"],
    ["\u3164", "<U+3164>", "U+3164"],
    ["\u3000", "□", "full-width space"],
    ["👩\u200d🔬", "👩\u200d🔬", "👩\u200d🔬"],
    ["❤\ufe0f", "❤\ufe0f", "❤\ufe0f"],
    ["می\u200cخواهم", "می\u200cخواهم", "می\u200cخواهم"],
    ["\u200d", "<U+200D>", "U+200D"],
  ];
  for (const [text, seen, heard] of known)
    assert.deepEqual(
      [
        visible(text),
        stretches(text)
          .map(({ said }) => said)
          .join(" "),
      ],
      [seen, heard],
    );
});

test("no sign of a token is lost from sight", () => {
  for (let code = 0; code < 0x3100; code++) {
    const sign = String.fromCodePoint(code);
    const seen = visible(sign);
    assert.ok(seen.trim() !== "", `U+${code.toString(16)}`);
    assert.ok(!/^[\p{Z}\p{Cc}\p{Cf}\p{M}]/u.test(seen), `U+${code.toString(16)} is seen as “${seen}”`);
  }
});

test("what runs from right to left turns nothing round beside it", () => {
  assert.equal(isolated("قطة"), "\u2068قطة\u2069");
  assert.equal(isolated("cat"), "cat");
});

test("candidates that read alike are told apart by their numbers", () => {
  const labels = (/** @type {import("../../../static/js/wording/labels.js").Piece[]} */ pieces) =>
    piecesApart(pieces).map(tokenLabel);
  assert.deepEqual(
    labels([
      { id: 11, text: "," },
      { id: 837, text: " ," },
      { id: 12, text: ", " },
    ]),
    [",", "·,", ",·"],
  );
  assert.deepEqual(
    labels([
      { id: 1, text: "\ufffd" },
      { id: 2, text: "\ufffd" },
      { id: 3, text: "##s" },
      { id: 4, text: "s" },
    ]),
    ["\ufffd #1", "\ufffd #2", "##s", "s"],
  );
  assert.deepEqual(
    labels([
      { id: 5, text: "é" },
      { id: 6, text: "e\u0301" },
    ]),
    ["é #5", "e\u0301 #6"],
  );
  assert.deepEqual(
    labels([{ id: 7, text: "cat", written: " cat" }]),
    ["·cat"],
    "as it is written, where that is known",
  );
});

test("tokens of one word follow each other", () => {
  const play = token({ text: "play", word: 0, word_text: "playing" });
  assert.ok(continuesWord(token({ text: "ing", word: 0 }), play));
  assert.ok(!continuesWord(token({ text: ".", word: 1 }), play));
  assert.ok(!continuesWord(token({ text: "[SEP]" }), play));
  assert.ok(!continuesWord(token({ text: "[SEP]" }), token({ text: "[CLS]" })), "special tokens are of no word");
  assert.ok(!continuesWord(play, undefined));
});

test("tokens run in the direction of the text's first letter", () => {
  const special = token({ text: "[CLS]", special: true });
  assert.equal(direction([special, token({ text: "ج" })]), "rtl");
  assert.equal(direction([special, token({ text: "1" }), token({ text: "a" }), token({ text: "ج" })]), "ltr");
  assert.equal(direction([]), "ltr");
});

test("numbers carry true signs", () => {
  assert.equal(fixed(-0.5, 2), "−0.50");
  assert.equal(fixed(-Infinity, 2), "−∞");
  assert.equal(exact(0.71179), "0.7118");
  assert.equal(exact(0), "0.0000");
  assert.equal(exact(0.00001234), "1.2\u00a0×\u00a010⁻⁵");
  assert.equal(small(1.83e-7), "1.8\u00a0×\u00a010⁻⁷");
  assert.equal(duration(1234), "1.2 s");
  assert.equal(duration(7.04), "7.0 ms");
  assert.deepEqual([0.714, -0.3, 1.234, 12.3, 0.996].map(shortValue), [".71", "-.30", "1.2", "12", "1.0"]);
});

test("reading is ranked; what would read 0.00 counts among the others", () => {
  const ranked = rank(Float32Array.of(0.1, 0.7, 0.001, 0.15, 0.049), 3);
  assert.deepEqual(ranked.first, [1, 3, 0]);
  assert.equal(ranked.others, 2);
  assert.ok(Math.abs(ranked.rest.sum - 0.05) < 1e-6);
  assert.deepEqual(rank(Float32Array.of(0.002, 0.001), 8).first, [0]);
});

test("heads are sorted by the metric, ties as they stand", () => {
  const thumbnails = { layers: 2, heads: 2 };
  const metricValues = [
    [0.1, 0.9],
    [0.9, 0.4],
  ];
  const names = headOrder({ thumbnails, metricValues, sorted: true }).map(({ layer, head }) => `${layer}${head}`);
  assert.deepEqual(names, ["01", "10", "11", "00"]);
  assert.equal(headOrder({ thumbnails, metricValues, sorted: false })[3].layer, 1);
});

/** @type {any} */
const ANALYSIS = {
  predictions: [],
  tokens: [token({ special: true }), token({ index: 1 }), token({ index: 2 })],
  metrics: { entropy: [[1]] },
  overview: "own",
  heads: 4,
  kv_heads: 2,
  causal: false,
  parts: [
    { name: "encoder", layers: 2, query_tokens: 3, key_tokens: 3, stages: STAGES, overview: null, metrics: null },
    {
      name: "cross",
      layers: 2,
      heads: 3,
      query_tokens: 2,
      key_tokens: 3,
      stages: ["weights"],
      overview: "other",
      metrics: {},
      query_side: "target",
    },
  ],
};

test("the first part takes what stands at the top, further ones keep their own", () => {
  const [first, cross] = completeParts(ANALYSIS).parts;
  assert.deepEqual([first.overview, first.heads, first.query_side], ["own", 4, "source"]);
  assert.deepEqual([cross.overview, cross.heads, cross.query_side, cross.key_side], ["other", 3, "target", "source"]);
});

test("a selection is brought inside the analysis", () => {
  const analysis = completeParts(ANALYSIS);
  const far = fit(analysis, { ...DEFAULTS, layer: 9, head: 9, query: 99, key: 1, rows: "1:99", metric: "gone" });
  const inside = {
    part: "",
    layer: 1,
    head: 3,
    query: 1,
    key: null,
    rows: "1:3",
    cols: "",
    metric: "",
    stage: "weights",
  };
  assert.deepEqual(far, inside);
  const near = fit(analysis, { ...DEFAULTS, part: "cross", query: 1, key: 2, metric: "" });
  assert.deepEqual([near.part, near.head, near.query, near.key], ["cross", 2, 1, 2]);
  const stageIn = (/** @type {string} */ part) => fit(analysis, { ...DEFAULTS, part, stage: "raw_scores" }).stage;
  assert.deepEqual([stageIn("encoder"), stageIn("cross")], ["raw_scores", "weights"]);
});

test("views are redrawn when a value differs, not when a range is equal", () => {
  assert.equal(differs({ rows: [0, 5] }, { rows: [0, 5] }), false);
  assert.equal(differs({ rows: [0, 5] }, { rows: [0, 6] }), true);
  assert.equal(differs({ name: "a" }, { name: "b" }), true);
});

test("how a model marks positions is said in words", () => {
  setMessages({ learned: "学習" });
  const kinds = ["learned", "sinusoidal", "rope", "alibi", "relative_bias", "none", "another"];
  assert.deepEqual(kinds.map(positionsName), [
    "学習",
    "sinusoidal",
    "RoPE",
    "ALiBi",
    "bias by distance",
    "none",
    "another",
  ]);
});

test("an output without a token is named by its id, also in what was saved without its name", () => {
  const [saved, given, cat] = piecesApart([
    { id: 50304, text: "" },
    { id: 50305, text: "∅#50305" },
    { id: 7, text: "cat" },
  ]);
  assert.deepEqual([saved, given, cat].map(tokenLabel), ["∅#50304", "∅#50305", "cat"]);
  assert.equal(tokenLabel(piecesById([])(50306)), "∅#50306");
});

test("a class keeps its name: its spaces are no token's", () => {
  const pieces = [
    { id: 3, text: "circle, ring" },
    { id: 4, text: "Egyptian cat" },
  ];
  assert.deepEqual(piecesApart(pieces, true).map(tokenLabel), ["circle, ring", "Egyptian cat"]);
  assert.deepEqual(piecesApart(pieces).map(tokenLabel), ["circle,·ring", "Egyptian·cat"], "tokens show theirs");
  const twins = [
    { id: 3, text: "crane" },
    { id: 9, text: "crane" },
  ];
  assert.deepEqual(piecesApart(twins, true).map(tokenLabel), ["crane #3", "crane #9"]);
});
