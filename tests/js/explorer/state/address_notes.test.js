import assert from "node:assert/strict";
import { test } from "node:test";

import { addressNotes } from "../../../../static/js/explorer/state/address_notes.js";

/** @typedef {import("../../../../static/js/explorer/state/view_state.js").ViewState} ViewState */

const analysis = /** @type {any} */ ({ parts: [{ name: "encoder", query_tokens: 13, key_tokens: 13 }] });
const plain = { model: "m", text: "a b", part: "", view: "matrix", layer: 5, head: 11, query: 8, key: 2 };
const shown = /** @type {ViewState} */ (/** @type {unknown} */ ({ ...plain, stage: "weights", rows: "", cols: "2:8" }));

test("an address that says what is shown is not remarked on", () => {
  const whole =
    "?model=m&text=a+b&layer=5&head=11&query=8&key=2&stage=weights&rows=0:13&cols=2:8&part=encoder&view=matrix";
  for (const search of ["", "?layer=5", "?layer=05", whole, "?changes=off-5.11_cut-all.all-all.3"]) {
    assert.deepEqual(addressNotes(search, shown, analysis), [], search);
  }
});

test("whatever else an address says is told, with what is shown instead", () => {
  const wrong = {
    layer: "40",
    head: "-1",
    query: "99",
    key: "x",
    stage: "raw",
    view: "matrx",
    part: "decoder",
    rows: "9:99",
    cols: "8:2",
  };
  for (const [name, value] of Object.entries(wrong)) {
    const notes = addressNotes(`?${name}=${value}`, shown, analysis);
    assert.equal(notes.length, 1, name);
    assert.match(notes[0], new RegExp(`“${value}”`));
  }
  assert.equal(
    addressNotes("?layer=40", shown, analysis)[0],
    "layer: “40” in the address does not exist here; showing 5.",
  );
  const changes = addressNotes("?changes=off-5.11_bogus_off-x.y", shown, analysis);
  assert.deepEqual(changes, ["Unreadable changes in the address were left out: bogus, off-x.y"]);
  const own = { ...shown, model: "tensors-1" };
  assert.match(addressNotes("?text=other", own, analysis)[0], /own tokens/);
});
