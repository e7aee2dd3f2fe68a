/** The KV cache: which head keeps for which, how much it takes, and decoding with it step by step. */

import { legibleType } from "../../charts/legible_type.js";
import { el, fill, svg } from "../../base/dom.js";
import { queriesByKeys, switchedView } from "../frame/views.js";
import { t } from "../../base/i18n.js";
import { matrixMark } from "../../charts/matrix.js";
import { bytes } from "../../base/numbers.js";
import { mount } from "../../base/mount.js";

/** @typedef {import("./state.js").KVCacheData} KVCacheData */
/** @typedef {import("../frame/concept.js").ConceptView<KVCacheData>} View */

const WIDTH = 560;
const BAR = 26;
const MOST_NAMES = 20;

/** @type {View} */
export const kvCacheView = switchedView({
  memory:
    (element) =>
    ({ answer }) =>
      fill(element, part(1, sharing(answer)), part(2, sizes(answer)), part(2, tradeOff(answer))),
  steps: (element, { set }) => steps(element, (part) => set({ part }, "switch")),
});

/** @param {number} step @param {Element} inside */
const part = (step, inside) => el("div", { "data-step": step }, inside);

/**
 * What sharing keys and values saves, and what it costs.
 * @param {import("./state.js").KVCacheAnswer} answer
 */
function tradeOff(answer) {
  const { heads, kv_heads: kept } = answer;
  const isGrouped = kept > 1 && kept < heads;
  const rows = [
    ["MHA", answer.mha, t("a ranking and a content per head"), "GPT-2, Llama 2 7B"],
    ["GQA", isGrouped ? answer : null, t("close to MHA in quality"), "Llama 2 70B, Llama 3 8B, Mistral 7B"],
    ["MQA", answer.mqa, t("smallest, loses some quality"), "Gemma 2B"],
  ];
  const cells = /** @type {[string, import("./state.js").KVCacheAnswer["mha"] | null, string, string][]} */ (rows).map(
    ([name, size, quality, used]) =>
      el(
        "tr",
        {},
        el("th", { scope: "row", translate: "no" }, name),
        el("td", {}, size ? String(size.kv_heads) : t("between")),
        el("td", {}, size ? bytes(size.bytes_per_token) : t("between")),
        el("td", {}, quality),
        el("td", { translate: "no" }, used),
      ),
  );
  const names = [t("variant"), t("KV heads"), t("a token"), t("what it can do"), t("used by")];
  const head = el("tr", {}, ...names.map((name) => el("th", { scope: "col" }, name)));
  const caption = t("What sharing saves, and what it costs");
  const table = el(
    "table",
    { class: "kv-trade" },
    el("caption", {}, caption),
    el("thead", {}, head),
    el("tbody", {}, ...cells),
  );
  return el("div", { class: "kv-box", tabindex: 0, role: "region", "aria-label": caption }, table);
}

/**
 * Query heads above, KV heads below, a line from each query head to the one it uses.
 * @param {import("./state.js").KVCacheAnswer} answer
 */
function sharing({ heads, kv_heads: kept, kv_head_of_query_head: owner }) {
  const x = (/** @type {number} */ index, /** @type {number} */ count) => ((index + 0.5) * WIDTH) / count;
  const side = Math.min(20, (WIDTH / heads) * 0.8);
  const box = (/** @type {string} */ kind, /** @type {number} */ count, /** @type {number} */ y) =>
    Array.from({ length: count }, (_, index) => [
      svg("rect", { class: kind, x: x(index, count) - side / 2, y, width: side, height: side }),
      heads <= MOST_NAMES ? svg("text", { class: "kv-name", x: x(index, count), y: y + side / 2 }, index) : null,
    ]).flat();
  const label = t("Query heads: {heads}; KV heads they share: {kept}", { heads, kept });
  const picture = svg(
    "svg",
    { class: "mark kv-sharing", role: "img", "aria-label": label, viewBox: `0 0 ${WIDTH} 116` },
    svg("text", { class: "is-query", x: 0, y: 12 }, t("query heads")),
    svg("text", { class: "is-key", x: 0, y: 113 }, t("KV heads")),
    ...owner.map((to, head) =>
      svg("line", { class: "kv-line", x1: x(head, heads), y1: 18 + side, x2: x(to, kept), y2: 76 }),
    ),
    ...box("kv-query", heads, 18),
    ...box("kv-kept", kept, 76),
  );
  return legibleType(picture);
}

/** The configuration as MHA, as it is, and as MQA. @param {import("./state.js").KVCacheAnswer} answer */
function sizes(answer) {
  const rows = [
    { name: t("one per query head (MHA)"), size: answer.mha },
    ...(answer.kv_heads === answer.heads || answer.kv_heads === 1
      ? []
      : [{ name: t("{kept} KV heads (GQA)", { kept: answer.kv_heads }), size: answer }]),
    ...(answer.heads === 1 ? [] : [{ name: t("one KV head (MQA)"), size: answer.mqa }]),
  ];
  const most = answer.mha.bytes_total;
  const height = rows.length * (BAR + 20) + 6;
  const label = rows.map(({ name, size }) => `${name}: ${bytes(size.bytes_total)}`).join("; ");
  const picture = svg(
    "svg",
    { class: "mark kv-sizes", role: "img", "aria-label": label, viewBox: `0 0 ${WIDTH} ${height}` },
    ...rows.flatMap(({ name, size }, index) => {
      const y = index * (BAR + 20);
      const isNow = size.kv_heads === answer.kv_heads;
      const width = Math.max(1, (size.bytes_total / most) * (WIDTH - 100));
      return [
        svg("text", { class: isNow ? "kv-now" : "", x: 0, y: y + 12 }, name),
        svg("rect", { class: `kv-bar${isNow ? " is-now" : ""}`, x: 0, y: y + 18, width, height: BAR - 6 }),
        svg("text", { class: "kv-size", x: width + 8, y: y + 18 + (BAR - 6) / 2 }, bytes(size.bytes_total)),
      ];
    }),
  );
  return legibleType(picture);
}

/** @param {HTMLElement} element @param {(part: number) => void} onPart @returns {(data: KVCacheData) => void} */
function steps(element, onPart) {
  const names = el("div", { class: "stepper", role: "group", "aria-label": t("Steps of decoding") });
  const [mask, weights] = [el("div", { class: "kv-box" }), el("div", { class: "kv-box" })];
  const says = el("p", { class: "note" });
  const tokens = el("p", { class: "kv-tokens" });
  fill(
    element,
    el("div", { "data-step": 1 }, names, tokens, says),
    el("div", { "data-step": 1 }, mask),
    el("div", { "data-step": 3 }, weights),
  );
  const marks = [mask, weights].map((box) => mount(box, matrixMark, {}));
  return ({ state, others: [decoded] }) => {
    if (!decoded) return;
    const part = Math.min(state.part, decoded.steps.length - 1);
    const step = decoded.steps[part];
    fill(names, ...decoded.steps.map((step, index) => partButton(step, index, part, onPart)));
    says.textContent = step.needs_mask
      ? t("Within the chunk attention is causal; the whole cache may be attended to.")
      : t("A single token may attend to everything before it, so it needs no mask.");
    fill(tokens, ...tokenBoxes(decoded.steps, part));
    const columns = Array.from({ length: step.stored + step.new }, (_, token) => String(token));
    const shared = {
      rows: columns.slice(step.stored),
      columns,
      ...queriesByKeys(),
      axes: t("new token ↓ attends to cached and new →"),
    };
    const asNumbers = step.mask.map((row) => row.map((isSeen) => (isSeen ? 0 : "-Infinity")));
    marks[0]({ ...shared, title: t("Mask of this step"), values: asNumbers, digits: 0 });
    marks[1]({
      ...shared,
      title: t("Weights of head {head}", { head: state.head }),
      values: step.weights[state.head],
      scale: "weight",
    });
  };
}

/**
 * All tokens: those read from the cache, those computed now, and those still to come.
 * @param {import("../../api/types.js").AnswerTo<"kv_cache/steps">["steps"]} steps
 * @param {number} part
 */
function tokenBoxes(steps, part) {
  const { stored, new: added } = steps[part];
  const count = steps.reduce((sum, step) => sum + step.new, 0);
  return Array.from({ length: count }, (_, token) => {
    const [kind, says] =
      token < stored
        ? ["is-cached", t("cached")]
        : token < stored + added
          ? ["is-new", t("computed")]
          : ["is-later-token", t("later")];
    return el("span", { class: `kv-token ${kind}` }, String(token), el("small", {}, says));
  });
}

/**
 * @param {import("../../api/types.js").AnswerTo<"kv_cache/steps">["steps"][number]} step
 * @param {number} index
 * @param {number} chosen
 * @param {(part: number) => void} onPart
 */
function partButton(step, index, chosen, onPart) {
  const text = step.phase === "prefill" ? t("prompt of {count}", { count: step.new }) : `+${step.new}`;
  const current = index === chosen ? "step" : null;
  return el("button", { type: "button", class: "step", "aria-current": current, onclick: () => onPart(index) }, text);
}
