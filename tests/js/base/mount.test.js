import assert from "node:assert/strict";
import { test } from "node:test";

import { mount } from "../../../static/js/base/mount.js";

/** A view that writes down what it is told. */
function watched() {
  /** @type {[string, object?][]} */
  const told = [];
  const show = mount(
    /** @type {HTMLElement} */ ({}),
    (_element, /** @type {{place: number, name: string}} */ data) => {
      told.push(["made", data]);
      return { update: (next) => void told.push(["updated", next]), destroy: () => void told.push(["destroyed"]) };
    },
    {},
  );
  return { show, told };
}

test("a view is updated only with data that differ", () => {
  const { show, told } = watched();
  show({ place: 1, name: "a" });
  show({ place: 1, name: "a" });
  show({ place: 2, name: "a" });
  assert.deepEqual(told, [
    ["made", { place: 1, name: "a" }],
    ["updated", { place: 2, name: "a" }],
  ]);
});

test("a patch changes what it names and keeps the rest, given what is shown", () => {
  const { show, told } = watched();
  show({ place: 1, name: "a" });
  show.patch(({ place }) => ({ place: place + 4 }));
  show.patch(() => ({ place: 5 }));
  assert.deepEqual(told.slice(1), [["updated", { place: 5, name: "a" }]]);
});

test("a patch of a view that is not there does nothing", () => {
  const { show, told } = watched();
  show.patch(() => ({ place: 3 }));
  show({ place: 1, name: "a" });
  show(null);
  show.patch(() => ({ place: 3 }));
  assert.deepEqual(told.slice(1), [["destroyed"]]);
});
