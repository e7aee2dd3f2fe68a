import assert from "node:assert/strict";
import test from "node:test";

import { chosenOption, listedOptions } from "../../../../static/js/explorer/patching/answer_choice.js";

const answers = [
  { id: 7, name: "Mary" },
  { id: 9, name: "John" },
];

test("a typed token goes before an id, and an open field before both", () => {
  assert.equal(chosenOption({ token: null, typed: "" }, false), "");
  assert.equal(chosenOption({ token: 7, typed: "" }, false), "7");
  assert.equal(chosenOption({ token: 0, typed: "" }, false), "0");
  assert.equal(chosenOption({ token: 7, typed: " Mary" }, false), "typed");
  assert.equal(chosenOption({ token: null, typed: "" }, true), "typed");
});

test("a chosen token that is not probable is listed too, by its id", () => {
  const listed = (/** @type {number | null} */ token, isClass = false) => listedOptions({ token, answers, isClass });
  assert.deepEqual(listed(9), [
    ["7", "Mary"],
    ["9", "John"],
    ["typed", "another token …"],
  ]);
  assert.deepEqual(listed(null), listed(9));
  assert.deepEqual(listed(5), [
    ["7", "Mary"],
    ["9", "John"],
    ["5", "token 5"],
    ["typed", "another token …"],
  ]);
  assert.deepEqual(listed(5, true).slice(2), [
    ["5", "class 5"],
    ["typed", "another class …"],
  ]);
});

test("every option has a value of its own, also where a text goes before a token that is not probable", () => {
  const data = { token: 5, typed: " Mary", answers, isClass: false };
  const values = listedOptions(data).map(([value]) => value);
  assert.deepEqual(values, ["7", "9", "5", "typed"]);
  assert.equal(values.filter((value) => value === chosenOption(data, false)).length, 1);
});
