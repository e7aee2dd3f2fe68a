import assert from "node:assert/strict";
import { test } from "node:test";
import { sentSlide } from "../../../../static/js/explorer/saving/talk_file.js";

const SLIDE = {
  title: "Layer 5, head 11",
  described: "Layer 5, head 11 · weights",
  notes: "Ask who “it” is.",
  address: "https://observatory.example/?layer=5&head=11",
};

test("a slide is sent with its title, words, notes and link", () => {
  const sent = sentSlide(SLIDE, "AAAA");
  assert.deepEqual([sent.title, sent.described, sent.notes], [SLIDE.title, SLIDE.described, SLIDE.notes]);
  assert.deepEqual([sent.picture, sent.link], ["AAAA", SLIDE.address]);
});

test("what the server or PowerPoint would refuse is cut, and a link that is too long is left out", () => {
  const long = "x".repeat(10_000);
  const sent = sentSlide({ title: long, described: long, notes: long, address: `https://a.example/?text=${long}` }, "");
  assert.deepEqual([sent.title.length, sent.described.length, sent.notes.length], [400, 4000, 4000]);
  assert.equal(sent.link, "");
});
