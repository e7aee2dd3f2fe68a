import assert from "node:assert/strict";
import { test } from "node:test";

import { createRecording, recordWithin, startingQuery } from "../../../../static/js/concepts/frame/save_page.js";
import { recordsSize } from "../../../../static/js/requests/packed_records.js";
import { torchGenerator } from "../../../../static/js/concepts/frame/core/torch_random.js";

test("a file begins with its own state, and over it what the address says", () => {
  const before = globalThis.location;
  globalThis.location = /** @type {any} */ ({ search: "?present=1&n=4" });
  assert.equal(startingQuery({ search: "q=45&n=6" }), "?q=45&n=4&present=1");
  assert.equal(startingQuery(null), "?present=1&n=4");
  globalThis.location = before;
});

/** Answers of 200 numbers that cannot be compressed much. @param {import("../../../../static/js/api/types.js").Call} call */
const answer = async ({ body }) => {
  const { seed } = /** @type {{seed: number}} */ (body);
  return { left: seed, numbers: torchGenerator(seed).normals(200) };
};
/** @param {number} count @returns {any[]} */
const callsOf = (count) => Array.from({ length: count }, (_, seed) => ({ stem: "order", body: { seed } }));

test("further answers are recorded in their order while they fit", async () => {
  const room = 40_000;
  const order = (/** @type {{numbers: number[]}} */ { numbers }) => ({ numbers });
  const answers = createRecording({ order }, () => undefined, answer);
  await recordWithin(room, callsOf(60), answers, []);
  const records = answers.records();
  assert.deepEqual(
    records.map(({ request }) => request),
    callsOf(records.length).map(({ body }) => `/api/order ${JSON.stringify(body)}`),
  );
  assert.deepEqual(Object.keys(/** @type {object} */ (records[0].answer)), ["numbers"]);
  assert.ok((await recordsSize(records)) <= room);
  const more = createRecording({}, () => undefined, answer);
  for (const call of callsOf(records.length + 6)) await more.keepCall(call);
  assert.ok((await recordsSize(more.records())) > room);
});

test("a call that fails is left out, and one made twice is sent once", async () => {
  let sent = 0;
  /** @type {number[]} */
  const done = [];
  const answers = createRecording(
    {},
    (count) => done.push(count),
    async ({ body }) => {
      sent++;
      if (/** @type {{seed: number}} */ (body).seed === 1) throw new Error("refused");
      return { is: "there" };
    },
  );
  for (const call of [...callsOf(2), ...callsOf(1)]) await answers.keepCall(call);
  assert.deepEqual(answers.records(), [{ request: '/api/order {"seed":0}', answer: { is: "there" } }]);
  assert.equal(sent, 2);
  assert.deepEqual(done, [1, 2, 3]);
});
