import assert from "node:assert/strict";
import { test } from "node:test";

import { carried, carryAnswers, isCarrying, nameOf } from "../../../../static/js/requests/recorded_answers.js";
import { startingQuery, withAnswers } from "../../../../static/js/concepts/frame/save_page.js";

test("answers are written where no text of theirs can end the element", () => {
  const answers = { "/api/x {}": { text: "</script><script>alert(1)</script> $& $1" } };
  const page = withAnswers("<html><script>'</body>'</script><body>x</body></html>", answers);
  const json = page.match(/id="recorded">(.*)<\/script>\n {2}<\/body>/)?.[1] ?? "";
  assert.ok(!json.includes("<"));
  assert.deepEqual(JSON.parse(json), answers);
});

test("a file begins with its own state, and over it what the address says", () => {
  const before = globalThis.location;
  globalThis.location = /** @type {any} */ ({ search: "?present=1&n=4" });
  assert.equal(startingQuery({ search: "q=45&n=6" }), "?q=45&n=4&present=1");
  assert.equal(startingQuery(null), "?present=1&n=4");
  globalThis.location = before;
});

test("a request is answered by what was recorded for it, and by nothing else", () => {
  assert.equal(isCarrying(), false);
  const body = JSON.stringify({ n: 3 });
  carryAnswers({ [nameOf("/api/circle", body)]: { weights: [[1]] }, [nameOf("/api/models", undefined)]: [] });
  assert.equal(isCarrying(), true);
  const answer = carried("/api/circle", body, Error);
  answer.weights[0][0] = 2; // a copy: the next one is as recorded
  assert.deepEqual(carried("/api/circle", body, Error), { weights: [[1]] });
  assert.deepEqual(carried("/api/models", undefined, Error), []);
  assert.throws(() => carried("/api/circle", JSON.stringify({ n: 4 }), TypeError), {
    name: "TypeError",
    message: /^This file works without a server/,
  });
});
