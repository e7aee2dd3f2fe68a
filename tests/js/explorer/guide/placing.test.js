import assert from "node:assert/strict";
import { test } from "node:test";
import { placeBeside } from "../../../../static/js/explorer/guide/placing.js";

const CARD = { width: 350, height: 180 };
const ROOM = { width: 1440, height: 900 };

/** @param {import("../../../../static/js/explorer/guide/placing.js").Box} target @param {{left: number, top: number}} place */
function covers(target, place, card = CARD) {
  return (
    place.left < target.left + target.width &&
    place.left + card.width > target.left &&
    place.top < target.top + target.height &&
    place.top + card.height > target.top
  );
}

test("the card stands beside what it speaks of, within the window, and never on it", () => {
  const targets = [
    { left: 40, top: 200, width: 450, height: 450 }, // room on its right
    { left: 900, top: 260, width: 500, height: 300 }, // on its left
    { left: 30, top: 100, width: 1380, height: 60 }, // below
    { left: 30, top: 820, width: 1380, height: 60 }, // above
  ];
  for (const target of targets) {
    const place = placeBeside(target, CARD, ROOM);
    assert.ok(!covers(target, place), JSON.stringify({ target, place }));
    assert.ok(place.left >= 0 && place.left + CARD.width <= ROOM.width);
    assert.ok(place.top >= 0 && place.top + CARD.height <= ROOM.height);
  }
  assert.equal(placeBeside(targets[0], CARD, ROOM).left, 40 + 450 + 12);
});

test("it follows a target at the edge of the window, and keeps its corner where nothing is free", () => {
  assert.deepEqual(placeBeside({ left: 40, top: 860, width: 300, height: 30 }, CARD, ROOM), { left: 352, top: 708 });
  const whole = { left: 0, top: 0, width: 1440, height: 900 };
  assert.deepEqual(placeBeside(whole, CARD, ROOM), { left: 1078, top: 708 });
});
