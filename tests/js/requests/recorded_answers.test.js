import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

import { decodeFloats, encodeSigns } from "../../../static/js/base/decode.js";
import {
  answerFromPackedRecords,
  recordsIn,
  rounded,
  withRecords,
} from "../../../static/js/requests/packed_records.js";
import {
  answerFirst,
  answerFromRecords,
  answerHeld,
  canAnswer,
  isRecorded,
  recordedAnswer,
  requestName,
  takeSent,
  unpacked,
} from "../../../static/js/requests/recorded_answers.js";

/** A page's document, as far as records are read from it. @param {string} page */
function documentOf(page) {
  const found = [...page.matchAll(/<script type="text\/plain" data-packed-records>([^<]*)<\/script>/g)];
  const scripts = found.map(([, textContent]) => ({ textContent }));
  return /** @type {Document} */ (/** @type {unknown} */ ({ querySelectorAll: () => scripts }));
}

test("records are written before the end of the page, and further ones beside them", async () => {
  const records = [{ request: "/api/x {}", answer: { text: "</script><script>alert(1)</script> $& $1" } }];
  const more = [{ request: "/api/y", answer: [1, "é"] }];
  const first = await withRecords("<html><script>'</body>'</script><body>x</body></html>", records);
  assert.match(first, /^<html><script>'<\/body>'<\/script><body>x<script [^<]*<\/script>\n {2}<\/body><\/html>$/);
  assert.deepEqual(await recordsIn(documentOf(await withRecords(first, more))), [...records, ...more]);
});

test("a request is answered by what was recorded for it or follows from that, and by nothing else", () => {
  assert.equal(isRecorded(), false);
  assert.equal(canAnswer("/api/anything"), true, "there is a server");
  const body = JSON.stringify({ n: 3 });
  const records = [
    { request: requestName("/api/circle", body), answer: { weights: [[1]] } },
    { request: requestName("/api/models", null), answer: [] },
  ];
  answerFromRecords(records, (request) => {
    if (request === "/api/sum") return { answer: 6 };
    return request === "/api/flow" ? { missing: "No flow here." } : null;
  });
  assert.equal(isRecorded(), true);
  const answer = recordedAnswer("/api/circle", body, Error);
  answer.weights[0][0] = 2; // a copy: the next one is as recorded
  assert.deepEqual(recordedAnswer("/api/circle", body, Error), { weights: [[1]] });
  assert.deepEqual(recordedAnswer("/api/models", undefined, Error), []);
  assert.equal(recordedAnswer("/api/sum", undefined, Error), 6);
  assert.throws(() => recordedAnswer("/api/flow", undefined, Error), { message: "No flow here." });
  assert.throws(() => recordedAnswer("/api/circle", JSON.stringify({ n: 4 }), TypeError), {
    name: "TypeError",
    message: /^This file works without a server/,
  });
  assert.equal(canAnswer("/api/models"), true);
  assert.equal(canAnswer("/api/flow"), false);
});

test("an answer that came with the page stands for one request", () => {
  answerFirst([{ request: requestName("/api/a", '{"x":1}'), answer: { y: 2 } }]);
  assert.equal(takeSent("/api/a", undefined), undefined);
  assert.deepEqual(takeSent("/api/a", '{"x":1}'), { y: 2 });
  assert.equal(takeSent("/api/a", '{"x":1}'), undefined);
});

test("answers that are held stand for any number of requests; others are sent", () => {
  const derive = (/** @type {string} */ request) => (request === "/api/sum" ? { answer: 6 } : { missing: "no" });
  answerHeld([{ request: "/api/held", answer: { y: [2] } }], derive);
  const answer = takeSent("/api/held", undefined);
  assert.deepEqual(answer, { y: [2] });
  /** @type {any} */ (answer).y.push(3);
  assert.deepEqual(takeSent("/api/held", undefined), { y: [2] });
  assert.equal(takeSent("/api/sum", undefined), 6);
  assert.equal(takeSent("/api/other", undefined), undefined);
});

test("packed records come back, numbers to eight digits, once they are unpacked", async () => {
  const records = [
    { request: requestName("/api/packed", "{}"), answer: { x: 1 / 3, n: 123456789, note: "é </script>" } },
  ];
  const root = documentOf(await withRecords("<body>x</body>", records));
  answerFromPackedRecords(root, () => null);
  await unpacked();
  assert.deepEqual(recordedAnswer("/api/packed", "{}", Error), { x: 0.33333333, n: 123456789, note: "é </script>" });
});

test("a number is recorded as the page writes it with any fewer digits", () => {
  const half = Math.fround(10.8285); // 10.8284998…, which eight digits would round up, and three decimals up again
  assert.equal(rounded(half).toFixed(3), half.toFixed(3));
  assert.equal(rounded(-half).toFixed(3), (-half).toFixed(3));
  assert.equal(rounded(1 / 3), 0.33333333);
  assert.equal(rounded(2e-9 / 3), 6.6666667e-10);
  for (let seed = 1; seed < 20_000; seed++) {
    const value = Math.fround(seed * 0.00005 * (seed % 7 ? 1 : -1));
    for (const places of [1, 2, 3, 4]) assert.equal(rounded(value).toFixed(places), value.toFixed(places), `${value}`);
  }
});

test("arrays that the server packed behind the answers are read as floats", async () => {
  const numbers = Float32Array.of(1, -2, Infinity, 0.1, 3e-20);
  const view = new DataView(new ArrayBuffer(20));
  numbers.forEach((value, index) => view.setFloat32(4 * index, value)); // the highest byte first
  const bytes = [...new Uint8Array(view.buffer)];
  const planes = [0, 1, 2, 3].flatMap((plane) => bytes.filter((_, index) => index % 4 === plane));
  const array = (/** @type {string} */ shape, /** @type {number} */ bdata) => ({ dtype: "f4-planes", shape, bdata });
  const json = JSON.stringify([
    { request: "/api/a", answer: { matrix: array("1,3", 0), text: "é" } },
    { request: "/api/b", answer: { matrix: array("2", 3) } },
  ]);
  const packed = encodeSigns(gzipSync(Buffer.concat([Buffer.from(json), Buffer.from([0, ...planes])])));
  const page = `<script type="text/plain" data-packed-records>${packed}</script>`;
  const [first, second] = /** @type {{answer: any}[]} */ (await recordsIn(documentOf(page)));
  assert.deepEqual(first.answer.matrix.shape, "1,3");
  assert.deepEqual(decodeFloats(first.answer.matrix), numbers.subarray(0, 3).slice());
  assert.equal(first.answer.text, "é");
  assert.deepEqual(decodeFloats(second.answer.matrix), numbers.subarray(3).slice());
});
