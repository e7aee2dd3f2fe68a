import assert from "node:assert/strict";
import { test } from "node:test";

import { elapsed } from "../../../../static/js/explorer/pins/notes_window.js";
import { createTalk } from "../../../../static/js/explorer/pins/talk.js";
import { neighbour } from "../../../../static/js/page/deck.js";

const PINS = ["one", "two", "three"].map((title) => ({ address: `?${title}`, title, name: "", note: "", at: "" }));
const named = [PINS[0], { ...PINS[1], name: "A pronoun", note: "Say who it is." }, PINS[2]];

/** A talk whose page shows at once what it is led to. */
function talkOf(/** @type {import("../../../../static/js/explorer/pins/pins.js").Pin[]} */ pins) {
  const page = { shown: "?other", gone: /** @type {string[]} */ ([]) };
  const talk = createTalk({
    pins: () => pins,
    isShown: (address) => address === page.shown,
    go(address) {
      page.gone.push(address);
      page.shown = address;
    },
  });
  return { page, talk };
}

test("slides follow one another in the order of the pins, from whatever is shown", () => {
  const { page, talk } = talkOf(PINS);
  assert.equal(talk.now().figure, -1);
  for (;;) {
    const next = neighbour(talk.now(), 1);
    if (!next) break;
    talk.go(next);
  }
  assert.deepEqual(page.gone, ["?one", "?two", "?three"]);
  assert.deepEqual(neighbour(talk.now(), -1), { figure: 1, step: 1 });
});

test("who shows something else meanwhile goes on from the slide that was left", () => {
  const { page, talk } = talkOf(PINS);
  talk.go({ figure: 1, step: 1 });
  page.shown = "?asked";
  assert.equal(talk.now().figure, 1);
  assert.deepEqual(neighbour(talk.now(), 1), { figure: 2, step: 1 });
});

test("the speaker reads this slide's note and the next one's title", () => {
  const { talk } = talkOf(named);
  assert.deepEqual(talk.notes(), { slide: 0, slides: 3, title: "", note: "", next: "one" });
  talk.go({ figure: 0, step: 1 });
  assert.deepEqual(talk.notes(), { slide: 1, slides: 3, title: "one", note: "", next: "A pronoun" });
  talk.go({ figure: 1, step: 1 });
  assert.deepEqual(talk.notes(), { slide: 2, slides: 3, title: "A pronoun", note: "Say who it is.", next: "three" });
  talk.go({ figure: 2, step: 1 });
  assert.equal(talk.notes().next, "");
  assert.deepEqual(
    talk.now().figures.map(({ name }) => name),
    ["one", "A pronoun", "three"],
  );
});

test("the clock counts minutes, and hours only where there are some", () => {
  assert.equal(elapsed(0), "0:00");
  assert.equal(elapsed(247_999), "4:07");
  assert.equal(elapsed(3_847_000), "1:04:07");
});
