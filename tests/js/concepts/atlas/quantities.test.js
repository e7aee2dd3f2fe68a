import assert from "node:assert/strict";
import test from "node:test";
import { csvOf } from "../../../../static/js/concepts/atlas/about.js";
import { named } from "../../../../static/js/concepts/atlas/choices.js";
import { strongestOf } from "../../../../static/js/concepts/atlas/weights/composition_matrix.js";
import { intervalOf } from "../../../../static/js/concepts/atlas/interval.js";
import { byOwnGain } from "../../../../static/js/concepts/atlas/head/own_relations.js";
import { firstHead, rankOf, said, signed, tableOf } from "../../../../static/js/concepts/atlas/quantities.js";
import { bestOf, byGain } from "../../../../static/js/concepts/atlas/relations.js";
import { readHeads, writeHeads } from "../../../../static/js/concepts/atlas/state.js";
import { HEADS } from "./simulated/heads.js";

test("quantities are place, measures, behaviour and relations, found by their ids", () => {
  const table = tableOf(HEADS);
  assert.deepEqual(
    table.quantities.map(({ id }) => id),
    [
      ...["layer", "head", "entropy", "previous_token", "map_x", "map_y", "cluster"],
      ...["obj.dependent_to_head", "det.head_to_dependent"],
    ],
  );
  assert.equal(table.quantity("nothing"), null);
  assert.equal(table.index({ part: "encoder", layer: 1, head: 1 }), 3);
  assert.equal(table.index({ part: "decoder", layer: 1, head: 1 }), -1);
});

test("a decoder's heads have a copying score, without values until its weights have been looked at", () => {
  const decoder = /** @type {typeof HEADS} */ (/** @type {unknown} */ ({ ...HEADS, facts: { kind: "decoder" } }));
  assert.deepEqual(tableOf(decoder).quantity("copying")?.values, [null, null, null, null]);
  const scores = [
    [0.1, 0.2],
    [0.3, -0.4],
  ];
  assert.deepEqual(tableOf(decoder, scores).quantity("copying")?.values, [0.1, 0.2, 0.3, -0.4]);
  assert.equal(tableOf(HEADS, scores).quantity("copying"), null);
});

test("a share of few cases has a wide interval: Wilson's, worked out by hand", () => {
  const near = (/** @type {[number, number]} */ [share, count], /** @type {[number, number]} */ [low, high]) => {
    const found = intervalOf(share, count);
    assert.ok(Math.abs(found.low - low) < 5e-5 && Math.abs(found.high - high) < 5e-5, JSON.stringify(found));
  };
  near([0.8, 10], [0.4902, 0.9433]);
  near([1, 4], [0.5101, 1]);
  near([0, 10], [0, 0.2775]);
  near([0.5, 10000], [0.4902, 0.5098]);
  assert.deepEqual(intervalOf(0, 0), { low: 0, high: 1 });
});

test("a head's own relations are in the order of what it surely gains, those of few words last", () => {
  const own = /** @type {Parameters<typeof byOwnGain>[0]} */ (
    /** @type {unknown} */ ([
      { relation: "few", count: 11, accuracy: 1, baseline_accuracy: 0.1 },
      { relation: "det", count: 400, accuracy: 0.9, baseline_accuracy: 0.8 },
      { relation: "some", count: 14, accuracy: 0.6, baseline_accuracy: 0.3 },
      { relation: "obj", count: 400, accuracy: 0.5, baseline_accuracy: 0.1 },
      { relation: "case", count: 400, accuracy: null, baseline_accuracy: 0.2 },
    ])
  );
  assert.deepEqual(
    byOwnGain(own).map(({ relation }) => relation),
    ["obj", "det", "some", "case", "few"],
  );
});

test("the strongest pair of a head is where it writes or reads most", () => {
  const scores = [
    [0, 0, 0.3, 0.1],
    [0, 0, 0.2, 0.7],
    [0, 0, 0, 0],
    [0, 0, 0, 0],
  ];
  assert.deepEqual(strongestOf(scores, 0), { row: 2, column: 0 });
  assert.deepEqual(strongestOf(scores, 2), { row: 2, column: 0 });
  assert.deepEqual(strongestOf(scores, 3), { row: 3, column: 1 });
});

test("atlases are told apart by short names of models, else by long ones", () => {
  const facts = (/** @type {string} */ id, /** @type {string} */ title) =>
    /** @type {Parameters<typeof named>[0][number]} */ (
      /** @type {unknown} */ ({ id, model: title, model_title: title, corpus: "probe" })
    );
  const [one, other] = [facts("1", "Mini (GPT-2, 6 layers)"), facts("2", "Base (BERT)")];
  assert.deepEqual(named([one, other]), [
    ["1", "Mini · probe"],
    ["2", "Base · probe"],
  ]);
  assert.deepEqual(named([one, facts("3", "Mini (BERT)")])[0], ["1", "Mini (GPT-2, 6 layers) · probe"]);
});

test("ranks count larger values and leave out heads without one", () => {
  const entropy = tableOf(HEADS).quantity("entropy");
  assert.ok(entropy);
  assert.deepEqual(rankOf(entropy, 3), { rank: 2, of: 3 });
  assert.equal(rankOf(entropy, 2), null);
  assert.equal(said(entropy, null), "–");
});

test("the page opens with the head that attends most to the previous token", () => {
  assert.equal(firstHead(tableOf(HEADS)), 2);
});

test("relations are in the order of what the best head gains over the best offset", () => {
  assert.deepEqual(bestOf(HEADS.relations[0]), { index: 1, accuracy: 0.8 });
  assert.deepEqual(
    byGain([...HEADS.relations].reverse()).map(({ relation }) => relation),
    ["obj", "det"],
  );
});

test("the table of heads as CSV has a line for each and nothing where a value is missing", () => {
  const [header, ...lines] = csvOf(tableOf(HEADS)).trim().split("\n");
  assert.equal(
    header,
    "part,layer,head,entropy,previous_token,map_x,map_y,cluster,obj.dependent_to_head,det.head_to_dependent",
  );
  assert.equal(lines.length, 4);
  assert.equal(lines[2], "encoder,1,0,,0.9,2,1,1,0.5,0.95");
});

test("selected heads are written into the address and read back; what is none is left out", () => {
  const heads = [
    { part: "encoder", layer: 0, head: 11 },
    { part: "decoder", layer: 3, head: 2 },
  ];
  assert.deepEqual(readHeads(writeHeads(heads)), heads);
  assert.deepEqual(readHeads("encoder.x.1_nonsense_"), []);
});

test("offsets have their sign", () => {
  assert.deepEqual([-2, 0, 3].map(signed), ["−2", "0", "+3"]);
});
