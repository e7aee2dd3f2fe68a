import assert from "node:assert/strict";
import { test } from "node:test";
import { answersFor, chosenAtlas } from "../../../../static/js/concepts/atlas/questions.js";
import { createShown } from "../../../../static/js/concepts/atlas/redrawing.js";

/** @typedef {Parameters<typeof answersFor>} Given */

const LIST = {
  atlases: [
    { id: "a", model: "bert", kind: "encoder" },
    { id: "b", model: "mini", kind: "decoder" },
  ],
};
const TABLE = {
  parts: ["decoder"],
  index: (/** @type {{layer: number}} */ { layer }) => layer,
  at: (/** @type {number} */ layer) => ({ part: "decoder", layer, head: 0 }),
};
const STATE = {
  atlas: "b",
  model: "",
  part: "",
  layer: 2,
  head: 0,
  view: "portrait",
  x: "layer",
  y: "entropy",
  colour: "entropy",
  size: "",
  other: "",
  token: null,
  text: "",
  query: null,
  key: null,
  by: "all",
};

/**
 * What is asked for while some answers are there.
 * @param {object} state
 * @param {Record<string, unknown>} there
 * @param {boolean} [isLive]
 */
function askedFor(state, there = {}, isLive = true) {
  /** @type {Record<string, string>} */
  const asked = {};
  const source = {
    want(/** @type {string} */ name, /** @type {{path: string} | null} */ question) {
      if (question) asked[name] = question.path;
      return question ? (there[name] ?? null) : null;
    },
    tableOf: () => TABLE,
    isLive,
  };
  const [given, list, from] = /** @type {Given} */ (/** @type {unknown} */ ([{ ...STATE, ...state }, LIST, source]));
  return { asked, found: answersFor(given, list, from) };
}

test("the atlas of the address is shown, else the first of the model in it", () => {
  const chosen = (/** @type {object} */ state) => {
    const [list, given] = /** @type {Parameters<typeof chosenAtlas>} */ (
      /** @type {unknown} */ ([LIST, { atlas: "", model: "", ...state }])
    );
    return chosenAtlas(list, given)?.id;
  };
  assert.deepEqual([chosen({}), chosen({ model: "mini" }), chosen({ atlas: "b" })], ["a", "b", "b"]);
  assert.equal(chosen({ atlas: "gone", model: "mini" }), undefined);
});

test("a head's portrait is asked for once its atlas has heads", () => {
  assert.deepEqual(Object.keys(askedFor({}).asked), ["heads"]);
  const { asked, found } = askedFor({}, { heads: {} });
  assert.deepEqual(Object.keys(asked), ["heads", "portrait"]);
  assert.deepEqual([found.index, found.at?.layer], [2, 2]);
});

test("weights are read of decoders alone, in their view or where the map shows them", () => {
  const there = { heads: {}, composition: {} };
  assert.ok("composition" in askedFor({ size: "copying" }, there).asked);
  assert.ok("circuits" in askedFor({ view: "weights" }, there).asked);
  assert.equal("circuits" in askedFor({ size: "copying" }, there).asked, false);
  assert.deepEqual(Object.keys(askedFor({ atlas: "a", view: "weights" }, there).asked), ["heads", "portrait"]);
});

test("a cell is searched for once its text is analysed, where there is a server", () => {
  const searched = { view: "search", text: "a b", query: 1, key: 0 };
  const asked = (/** @type {object} */ there, isLive = true) =>
    Object.keys(askedFor(searched, { heads: {}, ...there }, isLive).asked);
  assert.deepEqual(asked({}), ["heads", "portrait", "analysis"]);
  assert.deepEqual(asked({ analysis: { id: "x" } }), ["heads", "portrait", "analysis", "found"]);
  assert.deepEqual(asked({}, false), ["heads", "portrait"]);
});

test("an atlas is compared with another one only", () => {
  const asked = (/** @type {string} */ other) => Object.keys(askedFor({ view: "compare", other }, { heads: {} }).asked);
  assert.deepEqual(asked("a"), ["heads", "portrait", "other", "comparison"]);
  assert.deepEqual(asked("b"), ["heads", "portrait"]);
});

test("a view is drawn for the first time and for anything new", () => {
  const isShown = createShown();
  const table = {};
  assert.deepEqual([isShown(table, 1), isShown(table, 1), isShown({}, 1), isShown({}, 1)], [false, true, false, false]);
  assert.equal(createShown()(undefined), false, "nothing is something new at first");
});
