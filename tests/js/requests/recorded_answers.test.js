import assert from "node:assert/strict";
import { test } from "node:test";

import {
  answerFirst,
  answerFromPackedRecords,
  answerFromRecords,
  answerHeld,
  canAnswer,
  isRecorded,
  recordedAnswer,
  requestName,
  takeSent,
  unpacked,
  withPackedRecords,
  withRecords,
} from "../../../static/js/requests/recorded_answers.js";

test("records are written where no text of theirs can end the element", () => {
  const records = [{ request: "/api/x {}", answer: { text: "</script><script>alert(1)</script> $& $1" } }];
  const page = withRecords("<html><script>'</body>'</script><body>x</body></html>", records);
  const json = page.match(/data-records>(.*)<\/script>\n {2}<\/body>/)?.[1] ?? "";
  assert.ok(!json.includes("<"));
  assert.deepEqual(JSON.parse(json), records);
});

test("a request is answered by what was recorded for it or follows from that, and by nothing else", () => {
  assert.equal(isRecorded(), false);
  assert.equal(canAnswer("/api/anything"), true, "there is a server");
  const body = JSON.stringify({ n: 3 });
  const records = [
    { request: requestName("/api/circle", body), answer: { weights: [[1]] } },
    { request: requestName("/api/models", undefined), answer: [] },
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
  const page = await withPackedRecords("<body>x</body>", records);
  const packed = page.match(/data-packed-records>([^<]*)<\/script>\n {2}<\/body>/)?.[1];
  const root = /** @type {Document} */ (/** @type {unknown} */ ({ querySelector: () => ({ textContent: packed }) }));
  answerFromPackedRecords(root, () => null);
  await unpacked();
  assert.deepEqual(recordedAnswer("/api/packed", "{}", Error), { x: 0.33333333, n: 123456789, note: "é </script>" });
});
