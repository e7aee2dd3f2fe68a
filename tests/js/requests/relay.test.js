import assert from "node:assert/strict";
import { test } from "node:test";

import { hostOf } from "../../../static/js/base/host.js";
import { createRelay } from "../../../static/js/requests/relay.js";

/** A page in a frame, and the notebook around it: both ends of the messages. */
function framed() {
  /** @type {any[]} */
  const told = [];
  const parent = { postMessage: (/** @type {any} */ message) => void told.push(message) };
  /** @type {(event: any) => void} */
  let hear = () => {};
  const own = {
    parent,
    addEventListener: (/** @type {string} */ _, /** @type {any} */ listener) => void (hear = listener),
  };
  const root = { documentElement: { dataset: { host: "notebook" } } };
  const host = hostOf(/** @type {any} */ (root), /** @type {any} */ (own));
  if (!host) throw new Error("no host");
  return { host, told, hear: (/** @type {any} */ data, source = parent) => hear({ source, data }) };
}

const bytes = (/** @type {string} */ text) => new TextEncoder().encode(text).buffer;

test("only a page that a notebook has marked has one", () => {
  assert.equal(hostOf(/** @type {any} */ ({ documentElement: { dataset: {} } }), /** @type {any} */ ({})), null);
});

test("each request gets the answer that carries its number, whatever its status", async () => {
  const { host, told, hear } = framed();
  const send = createRelay(host);
  const headers = { "Accept-Language": "ja" };
  const first = send("/api/a?x=1", { headers });
  const second = send("/api/b", { method: "POST", body: '{"y":2}', headers });
  const [one, two] = told;
  assert.deepEqual(
    { ...one, id: 0 },
    { type: "observatory:request", id: 0, method: "GET", path: "/api/a?x=1", body: null, language: "ja" },
  );
  assert.deepEqual([two.method, two.path, two.body], ["POST", "/api/b", '{"y":2}']);
  assert.notEqual(one.id, two.id);
  hear({ type: "observatory:response", id: two.id, status: 503, retryAfter: "7", body: bytes('{"error":{}}') });
  hear({ type: "observatory:response", id: one.id, status: 200, retryAfter: null, body: bytes("[6]") });
  assert.deepEqual(await (await first).json(), [6]);
  const refused = await second;
  assert.deepEqual([refused.status, refused.ok, refused.headers.get("Retry-After")], [503, false, "7"]);
});

test("what nobody answers, or was given up, is rejected as by fetch; strangers are not heard", async () => {
  const { host, told, hear } = framed();
  const send = createRelay(host);
  const giving = new AbortController();
  const [lost, left, kept] = [send("/api/a", {}), send("/api/b", { signal: giving.signal }), send("/api/c", {})];
  hear({ type: "observatory:response", id: told[0].id, status: 0, retryAfter: null, body: bytes("") });
  giving.abort();
  hear({ type: "observatory:response", id: told[1].id, status: 200, retryAfter: null, body: bytes("1") });
  hear({ type: "observatory:response", id: told[2].id, status: 200, body: bytes('"forged"') }, /** @type {any} */ ({}));
  hear({ type: "observatory:response", id: told[2].id, status: 204, body: bytes("") });
  hear("other words");
  await assert.rejects(lost, TypeError);
  await assert.rejects(left, { name: "AbortError" });
  assert.equal((await kept).status, 204);
  await assert.rejects(send("/api/d", { signal: giving.signal }), { name: "AbortError" });
  assert.equal(told.length, 3, "what is given up before is never asked");
});
