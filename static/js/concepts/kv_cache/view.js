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
      fill(element, sharing(answer), sizes(answer)),
  steps: (element, { set }) => steps(element, (part) => set({ part }, "switch")),
});

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
  fill(element, el("div", {}, names, says), mask, weights);
  const marks = [mask, weights].map((box) => mount(box, matrixMark, {}));
  return ({ state, others: [found] }) => {
    if (!found) return;
    const part = Math.min(state.part, found.steps.length - 1);
    const step = found.steps[part];
    fill(names, ...found.steps.map((one, at) => partButton(one, at, part, onPart)));
    says.textContent = step.needs_mask
      ? t("Within the chunk attention is causal; the whole cache may be attended to.")
      : t("A single token may attend to everything before it, so it needs no mask.");
    const columns = Array.from({ length: step.stored + step.new }, (_, token) => String(token));
    const shared = {
      rows: columns.slice(step.stored),
      columns,
      ...queriesByKeys(),
      axes: t("new token ↓ attends to cached and new →"),
    };
    const asNumbers = step.mask.map((row) => row.map((one) => (one ? 0 : "-Infinity")));
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
 * @param {import("../../api/types.js").AnswerTo<"kv_cache/steps">["steps"][number]} step
 * @param {number} at
 * @param {number} chosen
 * @param {(part: number) => void} onPart
 */
function partButton(step, at, chosen, onPart) {
  const text = step.phase === "prefill" ? t("prompt of {count}", { count: step.new }) : `+${step.new}`;
  const current = at === chosen ? "step" : null;
  return el("button", { type: "button", class: "step", "aria-current": current, onclick: () => onPart(at) }, text);
}
