import assert from "node:assert/strict";
import { test } from "node:test";

import {
  answerFirst,
  answerFromRecords,
  canAnswer,
  isRecorded,
  recordedAnswer,
  requestName,
  takeSent,
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
