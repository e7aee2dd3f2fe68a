import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import {
  LAST_STEP,
  LONGEST_IN_QUERY,
  choice,
  codec,
  count,
  flag,
  matrix,
  number,
  numbers,
  readFields,
  startsOf,
  text,
  whole,
  writeFields,
} from "../../../static/js/base/fields.js";
import { holds } from "../../../static/js/concepts/frame/field_controls.js";

const bounds = { least: -10, most: 10 };
const fields = {
  queries: matrix([[1, 0]], { ...bounds, rows: 3, columns: 2 }),
  lengths: numbers([1, 2], { ...bounds, count: 3 }),
  mechanism: choice(["dot", "cosine"], "cosine"),
  rope: flag(true),
  temperature: number(1, 0.01, 100),
  seed: whole(0, 0, 9),
  name: text("", 5),
};
const { read, write } = codec(fields);

test("a state goes through the URL and comes back whole", () => {
  const state = read("?lang=ja&theme=night&step=2");
  const changed = {
    ...state,
    queries: [
      [-1.5, 0],
      [1e-7, 3],
    ],
    lengths: [0.25],
    mechanism: /** @type {const} */ ("dot"),
    rope: false,
    temperature: 0.02,
    seed: 3,
    name: "猫 &",
  };
  assert.deepEqual(read(`?${write(changed)}`), changed);
  assert.equal(new URLSearchParams(write(changed)).get("queries"), "-1.5_0__1e-7_3");
});

test("what is as it began is not written", () => {
  assert.equal(String(write(read(""))), "");
  assert.equal(read("").step, LAST_STEP);
});

test("what may not be is as it began", () => {
  const wrong =
    "?queries=1_2__3&lengths=1_2_3_4&mechanism=x&rope=yes&temperature=0&seed=1.5&name=longer+than+it&step=100&theme=x";
  assert.deepEqual(read(wrong), read(""));
  for (const queries of ["", "1", "1_2_3", "11_0", "1_2__3_4__5_6__7_8", "NaN_1", "1__"]) {
    const found = read(`?queries=${queries}`).queries;
    assert.deepEqual(found, queries === "1" ? [[1]] : [[1, 0]], queries);
  }
});

test("matrices are read as people write them, too", () => {
  assert.deepEqual(read("?queries=1,2;3,−4").queries, [
    [1, 2],
    [3, -4],
  ]);
});

test("a figure to begin with is the whole state", () => {
  assert.deepEqual(startsOf(fields, { seed: 4 }), {
    queries: [[1, 0]],
    lengths: [1, 2],
    mechanism: "cosine",
    rope: true,
    temperature: 1,
    seed: 4,
    name: "",
  });
});

test("a field is written by a rule of its own, and agrees with the others", () => {
  const { read, write } = codec(
    {
      angles: { ...numbers([45], { ...bounds, least: 0, most: 360, count: 4 }), name: "q" },
      turn: { ...number(0.5, 0, 3), isWritten: (/** @type {{isTurned: boolean}} */ state) => state.isTurned },
      isTurned: flag(),
      chosen: whole(0, 0, 3),
    },
    (state, query) => ({
      ...state,
      isTurned: state.isTurned || query.has("turn"),
      chosen: Math.min(state.chosen, state.angles.length - 1),
    }),
  );
  assert.deepEqual(read("?q=10,20&chosen=3&turn=0.5"), { ...read(""), angles: [10, 20], chosen: 1, isTurned: true });
  assert.equal(String(write({ ...read(""), turn: 2 })), "");
  assert.equal(String(write({ ...read("?q=1"), isTurned: true })), "q=1&turn=0.5&isTurned=1");
});

/** Read by `tests/server/pages/test_fields.py` too: the server reads addresses by the same rules. */
const CASES = JSON.parse(readFileSync(new URL("../../field_cases.json", import.meta.url), "utf8"));
/** @type {Record<string, (...given: any[]) => import("../../../static/js/base/fields.js").Field<any>>} */
const KINDS = { number, whole, count, choice, flag, text, numbers };

test("each kind of field reads its values and refuses all others", () => {
  for (const { kind, given, read, refused } of CASES.fields) {
    const field = KINDS[kind](...given);
    for (const [written, value] of Object.entries(read))
      assert.deepEqual(field.parse(written), value, `${kind} ${written}`);
    for (const written of refused) assert.equal(field.parse(written), null, `${kind} ${written}`);
  }
});

test("conditions of what is shown", () => {
  const { values, conditions } = CASES;
  for (const [condition, isMet] of Object.entries(conditions)) assert.equal(holds(condition, values), isMet, condition);
  assert.throws(() => holds("nothing", values), /no field nothing in nothing/);
});

test("a count is plain digits within its bounds, and nothing is not written", () => {
  const fields = { share: count(70, 1, 100), token: count(null), size: choice([0, 1]) };
  const read = (/** @type {string} */ search) => readFields(fields, { search });
  assert.deepEqual(read(""), { share: 70, token: null, size: 0 });
  assert.deepEqual(read("?share=1&token=0&size=1"), { share: 1, token: 0, size: 1 });
  assert.equal(read("?share=0").share, 70);
  assert.equal(String(writeFields(fields, { share: 70, token: null, size: 0 }).query), "");
  assert.equal(String(writeFields(fields, { share: 7, token: 0, size: 1 }).query), "share=7&token=0&size=1");
});

test("a field may have a name of its own, be always written, or go behind the hash where it is long", () => {
  const fields = {
    otherText: { ...text(), name: "other_text", mayBeLong: true },
    layer: { ...count(5), isAlwaysWritten: true },
    name: text(),
  };
  const long = "x".repeat(LONGEST_IN_QUERY);
  const state = { otherText: long, layer: 5, name: "a" };
  const { query, fragment } = writeFields(fields, state);
  assert.equal(String(query), "layer=5&name=a");
  assert.equal(String(fragment), `other_text=${long}`);
  assert.deepEqual(readFields(fields, { search: `?${query}`, hash: `#${fragment}` }), state);
  assert.equal(readFields(fields, { search: "?other_text=short", hash: "#name=b" }).name, "");
});
