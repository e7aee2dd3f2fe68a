import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";

import { createLeading } from "../../../../static/js/concepts/training/run_control.js";
import { requestsOf } from "../../../../static/js/requests/sent_requests.js";
import { drawnAnswers, runSource } from "../../../../static/js/concepts/training/run_source.js";
import { verdict } from "../../../../static/js/concepts/training/verdict.js";
import { codec } from "../../../../static/js/base/fields.js";
import { fields } from "../../../../static/js/concepts/training/state.js";
import { FetchedEvents } from "../../requests/simulated/event_source.js";

const LIVE = { state: "running", reason: null, message: null, step: 0 };
const BODY = {
  task: "repeat",
  num_layers: 1,
  num_heads: 1,
  d_model: 16,
  positions: "rope",
  mechanism: "scaled",
  learning_rate: 0.01,
  steps: 300,
  seed: 0,
};
const CONFIG = { ...BODY, num_kv_heads: null, feed_forward: false };
const ANSWER = {
  ...LIVE,
  id: "home-0123456789ab",
  config: CONFIG,
  formed: 0.5,
  chance_loss: 3.5,
  not_exportable: null,
  yours: true,
};
const ADDRESS = `/api/training/${ANSWER.id}`;

const FINISHED = { event: "state", data: { ...LIVE, state: "finished", step: 2 } };
const WITHIN = { timeout: 60_000 };

/** @param {number} step */
const update = (step) => ({
  event: "update",
  id: step,
  data: {
    step,
    loss: 3 - step / 100,
    accuracy: 0.5,
    seconds: step / 10,
    scores: { previous_token: [[0.1]], induction: [[0.1]], answer: [[0.1]] },
    maps: { dtype: "u1", shape: "1,1,1,1", bdata: Buffer.from([step]).toString("base64") },
  },
});

/** @param {string} code @param {number} status */
const refusal = (code, status) => ({ status, body: { error: { code, message: `${code}.`, field: "run_id" } } });

/**
 * A page that controls the one run of a server. What the server says is given for each connection to the events, and for
 * each question about the run; the last is repeated.
 * @param {{after: (task: () => void) => void}} context  of the test
 * @param {(ReturnType<typeof refusal> | {event: string, id?: number, data: object}[])[]} connections
 * @param {({status: number, body: object})[]} [answers]
 * @param {(leading: ReturnType<typeof createLeading>) => unknown} [start]  what the page does first
 */
async function trained(
  context,
  connections,
  answers = [{ status: 200, body: ANSWER }],
  start = (leading) => leading.begin(CONFIG, ""),
) {
  /** @type {string[]} */
  const asked = [];
  /** @type {import("node:http").ServerResponse[]} */
  const open = [];
  /** @type {(() => void)[]} */
  let waiting = [];
  const tell = () => {
    const told = waiting;
    waiting = [];
    for (const look of told) look();
  };
  const next = (/** @type {any[]} */ list) => (list.length > 1 ? list.shift() : list[0]);
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    tell();
    const isOfEvents = request.url?.includes("/events");
    const said = isOfEvents
      ? next(connections)
      : request.method === "GET"
        ? next(answers)
        : { status: 201, body: ANSWER };
    if (!Array.isArray(said)) {
      response.writeHead(said.status, { "Content-Type": "application/json" }).end(JSON.stringify(said.body));
      return;
    }
    open.push(response.writeHead(200, { "Content-Type": "text/event-stream" }));
    for (const { event, id, data } of said) {
      response.write(`event: ${event}\n${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`);
    }
  });
  await new Promise((resolve) => void server.listen(0, "127.0.0.1", () => resolve(null)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const page = new EventTarget();
  const globals = {
    document: {
      documentElement: { lang: "en" },
      body: { dataset: { root: `http://127.0.0.1:${port}` } },
      querySelector: () => null,
    },
    EventSource: FetchedEvents,
    addEventListener: page.addEventListener.bind(page),
    removeEventListener: page.removeEventListener.bind(page),
  };
  Object.assign(globalThis, globals);
  context.after(() => {
    server.closeAllConnections();
    server.close();
    for (const name of Object.keys(globals)) delete (/** @type {any} */ (globalThis)[name]);
  });
  const leading = createLeading(tell);
  await start(leading);
  return {
    leading,
    asked,
    tell,
    /** Resolves once it is so. @param {(run: import("../../../../static/js/concepts/training/run_control.js").Run) => boolean} isSo */
    async until(isSo) {
      for (;;) {
        const run = leading.run();
        if (run && isSo(run)) return run;
        await new Promise((resolve) => void waiting.push(() => resolve(null)));
      }
    },
    /** The process that sends the events dies. */
    cut: () => open.pop()?.destroy(),
    isOnline: () => page.dispatchEvent(new Event("online")),
  };
}

test(
  "a run whose actor is gone has failed; what it had shown stays, and nobody asks for it again",
  WITHIN,
  async (context) => {
    const page = await trained(context, [[update(0), update(2)], refusal("run_lost", 404)], [refusal("run_lost", 404)]);
    await page.until(({ record }) => record.newest()?.step === 2);
    page.cut();
    const run = await page.until(({ standing }) => standing.state === "failed");
    assert.equal(run.standing.reason, "crashed");
    assert.deepEqual(
      run.record.all().map(({ step, loss }) => [step, loss]),
      [
        [0, 3],
        [2, 2.98],
      ],
    );
    const judged = { ...run, updates: [...run.record.all()] };
    const { says } = verdict(/** @type {any} */ (judged), "");
    assert.equal(says[0], "The training process ended unexpectedly. Run it again.");
    assert.equal(page.leading.hasWeights(), false);
    const before = page.asked.length;
    page.isOnline();
    await page.leading.begin(CONFIG, ""); // which need not stop it first
    await page.until(({ standing }) => standing.state === "failed");
    const address = `/api/training/${ANSWER.id}`;
    assert.deepEqual(page.asked.slice(before), ["POST /api/training", `GET ${address}/events`, `GET ${address}`]);
  },
);

test("a run that is no longer kept was watched by nobody", WITHIN, async (context) => {
  const page = await trained(context, [[update(0)], refusal("run_expired", 404)], [refusal("run_expired", 404)]);
  await page.until(({ record }) => record.newest()?.step === 0);
  page.cut();
  const { standing } = await page.until(({ standing }) => standing.state === "failed");
  assert.equal(standing.reason, "unwatched");
});

test(
  "a run of a server that is away is still learning, and goes on where the connection broke off",
  WITHIN,
  async (context) => {
    const finished = { event: "state", data: { ...LIVE, state: "finished", step: 4 } };
    const page = await trained(
      context,
      [[update(0), update(2)], refusal("server_busy", 503), [update(4), finished]],
      [refusal("server_busy", 503)],
    );
    await page.until(({ record }) => record.newest()?.step === 2);
    page.cut();
    await page.until(
      ({ isLost }) => isLost && page.asked.some((request) => request === `GET /api/training/${ANSWER.id}`),
    );
    assert.equal(page.leading.run()?.standing.state, "running");
    page.isOnline();
    const run = await page.until(({ standing }) => standing.state === "finished");
    assert.deepEqual(
      run.record.all().map(({ step }) => step),
      [0, 2, 4],
    );
    assert.equal(
      page.asked.filter((request) => request.includes("/events")).pop(),
      `GET /api/training/${ANSWER.id}/events?after=2`,
    );
  },
);

test(
  "a run of the address is shown from its first update on, and nothing is begun or stopped",
  WITHIN,
  async (context) => {
    const finished = { event: "state", data: { ...LIVE, state: "finished", step: 2 } };
    const page = await trained(context, [[update(0), update(2), finished]], undefined, (leading) => {
      const opened = leading.open(ANSWER.id, "0");
      assert.deepEqual([leading.id(), leading.isOpening(), leading.run()], [ANSWER.id, true, null]);
      return opened;
    });
    const run = await page.until(({ standing }) => standing.state === "finished");
    assert.equal(page.leading.isOpening(), false);
    assert.equal(run.guess, "0");
    assert.deepEqual(
      run.record.all().map(({ step }) => step),
      [0, 2],
    );
    assert.equal(page.leading.hasWeights(), true);
    assert.deepEqual(page.asked, [`GET ${ADDRESS}`, `GET ${ADDRESS}/events`]);
    const [call] = requestsOf([run.answer]);
    assert.deepEqual([call.method, call.path, JSON.parse(call.body ?? "")], ["POST", "/api/training", BODY]);
  },
);

test("before a run the call is that which would begin it", () => {
  const state = codec(fields).read("?width=16&heads=1&layers=1&seed=7");
  const answer = /** @type {any} */ ({ run: null, update: null, kept: null });
  const [call, ...others] = requestsOf(drawnAnswers({ state, answer }));
  assert.deepEqual([call.path, JSON.parse(call.body ?? ""), others], ["/api/training", { ...BODY, seed: 7 }, []]);
});

test("a run that the server no longer has is said so once, and leaves room for another", WITHIN, async (context) => {
  const page = await trained(context, [[update(0), FINISHED]], [refusal("run_expired", 404)], (leading) =>
    leading.open(ANSWER.id, ""),
  );
  const { leading } = page;
  assert.equal(leading.problem(), "The server no longer has this run. Run trains a network with the settings above.");
  assert.deepEqual([leading.id(), leading.isOpening(), leading.run()], ["", false, null]);
  await leading.begin(CONFIG, "");
  assert.equal(leading.problem(), "");
  await page.until(({ standing }) => standing.state === "finished");
});

test("somebody else's run is not stopped where one of one's own begins", WITHIN, async (context) => {
  const theirs = { status: 200, body: { ...ANSWER, yours: false } };
  const page = await trained(context, [[update(0)], [update(0), FINISHED]], [theirs], (leading) =>
    leading.open(ANSWER.id, ""),
  );
  await page.until(({ record }) => record.newest() !== null);
  await page.leading.begin(CONFIG, "");
  await page.until(({ standing }) => standing.state === "finished");
  assert.deepEqual(
    page.asked.filter((request) => request.startsWith("POST")),
    ["POST /api/training"],
  );
});

test("the run that the address names is fetched where it is another one, and only then", WITHIN, async (context) => {
  const answers = [{ status: 200, body: ANSWER }, refusal("run_expired", 404)];
  const page = await trained(context, [[update(0), update(2), FINISHED]], answers, () => undefined);
  let look = () => undefined;
  const runs = runSource(() => look());
  let state = { run: "", guess: "" };
  /** @param {(found: ReturnType<typeof runs>) => boolean} isSo @returns {Promise<void>} */
  const until = (isSo) =>
    new Promise((resolve) => {
      look = () => void (isSo(runs(state)) && resolve());
      look();
    });
  assert.deepEqual([runs(state).run, runs(state).isPending], [null, false]);
  state = { run: ANSWER.id, guess: "1" };
  assert.equal(runs(state).isPending, true);
  await until(({ run, isPending }) => run?.standing.state === "finished" && !isPending);
  state = { run: "", guess: "" }; // as after a preset
  assert.equal(runs(state).leading.id(), ANSWER.id);
  state = { run: ANSWER.id, guess: "" };
  assert.deepEqual([runs(state).isPending, runs(state).drawn?.guess], [false, "1"]);
  assert.equal(page.asked.length, 2);
  state = { run: "gone", guess: "" };
  assert.deepEqual([runs(state).isPending, runs(state).drawn?.guess], [true, "1"]); // until the other has come
  await until(({ isPending }) => !isPending);
  assert.deepEqual([runs(state).drawn, runs(state).problem.slice(0, 28)], [null, "The server no longer has thi"]);
  assert.deepEqual(page.asked, [`GET ${ADDRESS}`, `GET ${ADDRESS}/events`, "GET /api/training/gone"]);
});
