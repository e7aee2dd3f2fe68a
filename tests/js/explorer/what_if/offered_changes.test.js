import assert from "node:assert/strict";
import { test } from "node:test";

import {
  cellChanges,
  headChanges,
  placeOf,
  temperatureOf,
  withTemperature,
} from "../../../../static/js/explorer/what_if/offered_changes.js";

const chosen = { part: "", layer: 3, head: 1 };
const place = placeOf("head", chosen);

test("a head, its layer, or all of them", () => {
  assert.deepEqual(place, { part: "", layer: 3, head: 1 });
  assert.deepEqual(placeOf("layer", chosen), { part: "", layer: 3, head: null });
  assert.deepEqual(placeOf("all", chosen), { part: "", layer: null, head: null });
  assert.ok(headChanges(place).every((one) => one.layer === 3 && one.head === 1));
});

test("without a chosen query nothing can be changed in a row, without a key only the whole row", () => {
  const kinds = (/** @type {number | null} */ query, /** @type {number | null} */ key) =>
    cellChanges(place, { query, key }).map(({ kind }) => kind);
  assert.deepEqual(kinds(null, 2), []);
  assert.deepEqual(kinds(5, null), ["row"]);
  assert.deepEqual(kinds(5, 2), ["cut", "cut", "row", "row"]);
});

test("temperature 1 is no change, and the same temperature twice is none either", () => {
  assert.equal(withTemperature([], place, 1), null);
  const hot = withTemperature([], place, 4);
  assert.deepEqual(hot, [{ kind: "temperature", ...place, temperature: 4 }]);
  assert.equal(withTemperature(hot ?? [], place, 4), null);
  assert.deepEqual(withTemperature(hot ?? [], place, 1), []);
  assert.deepEqual(
    withTemperature(hot ?? [], place, 2)?.map((one) => one.kind === "temperature" && one.temperature),
    [2],
  );
});

test("the temperature of a layer is not that of its head", () => {
  const changes = withTemperature([], placeOf("layer", chosen), 4) ?? [];
  assert.equal(temperatureOf(changes, place), null);
  assert.equal(temperatureOf(changes, placeOf("layer", chosen))?.temperature, 4);
});
