/** Many heads: what each reads, the way of the shapes, and one wide head beside two. */

import { maths } from "../../base/maths_text.js";
import { el, fill } from "../../base/dom.js";
import { queriesByKeys, switchedView } from "../frame/views.js";
import { t } from "../../base/i18n.js";
import { barsMark } from "../../charts/bars.js";
import { matrixMark } from "../../charts/matrix.js";
import { exampleOf, tokensOf } from "./state.js";
import { mount } from "../../base/mount.js";

/** @typedef {import("./state.js").MultiHeadData} MultiHeadData */
/** @typedef {import("../frame/concept.js").ConceptView<MultiHeadData>} View */
/** @typedef {import("../frame/concept.js").Tools<import("./state.js").MultiHeadState>} Tools */

/** @type {View} */
export const multiHeadView = switchedView({ heads, shapes, counts }, ({ state: { view }, answer }) =>
  view === "heads" ? `heads ${answer.weights.length}` : view,
);

/**
 * @param {HTMLElement} element
 * @param {Tools} tools
 * @param {MultiHeadData} data
 * @returns {(data: MultiHeadData) => void}
 */
function heads(element, { set }, { answer: { weights: all } }) {
  const boxes = all.map(() => el("div", { class: "heads-box" }));
  const titles = all.map(() => el("h3", {}));
  fill(element, ...boxes.map((box, at) => el("div", {}, titles[at], box)));
  const marks = boxes.map((box, head) =>
    mount(box, matrixMark, { onPick: ({ row }) => set({ head, query: row }, "switch") }),
  );
  return ({ state, answer }) => {
    const tokens = tokensOf(state);
    answer.weights.forEach((weights, head) => {
      const kept = answer.kv_head_of_query_head[head];
      const isShared = answer.sizes.group > 1;
      titles[head].textContent = isShared
        ? t("Head {head}, KV head {kept}", { head, kept })
        : t("Head {head}", { head });
      marks[head]({
        title: t("Weights of head {head}", { head }),
        values: weights,
        rows: tokens,
        columns: tokens,
        ...queriesByKeys(),
        scale: "weight",
        chosen: head === Math.min(state.head, answer.weights.length - 1) ? { row: state.query, column: -1 } : null,
      });
    });
  };
}

/**
 * @param {HTMLElement} element
 * @returns {(data: MultiHeadData) => void}
 */
function shapes(element) {
  return ({ answer }) => {
    const rows = answer.shapes.map((one) =>
      el(
        "tr",
        {},
        el("th", { scope: "row" }, el("code", {}, one.name)),
        el("td", {}, ...maths(one.operation)),
        el("td", { class: "shape" }, ...one.shape.flatMap((size, at) => axis(size, one.axes[at], at))),
      ),
    );
    const head = el(
      "tr",
      {},
      ...[t("tensor"), t("made by"), t("shape")].map((name) => el("th", { scope: "col" }, name)),
    );
    const caption = el(
      "caption",
      { class: "visually-hidden" },
      t("Every tensor on the way, with the meaning of each axis"),
    );
    const table = el("table", { class: "shapes" }, caption, el("thead", {}, head), el("tbody", {}, ...rows));
    const label = t("Every tensor on the way, with the meaning of each axis");
    fill(element, el("div", { class: "heads-box", tabindex: 0, role: "region", "aria-label": label }, table));
  };
}

/**
 * @param {number} size
 * @param {string} name
 * @param {number} at
 */
function axis(size, name, at) {
  return [
    at ? " × " : "",
    el("span", { class: `axis is-${name.split("·")[0]}` }, String(size), el("small", {}, ...maths(name))),
  ];
}

/**
 * @param {HTMLElement} element
 * @returns {(data: MultiHeadData) => void}
 */
function counts(element) {
  const boxes = Array.from({ length: 3 }, () => el("div", { class: "heads-box" }));
  fill(element, ...boxes);
  const marks = boxes.map((box) => mount(box, barsMark, {}));
  return ({ others: [found] }) => {
    if (!found) return;
    const example = exampleOf(found);
    const maps = found.counts.flatMap((count) =>
      count.weights.map((weights, head) => ({
        title:
          count.num_heads === 1
            ? t("One head of {dim}", { dim: count.head_dim })
            : t("Head {head} of two, {dim} wide", { head, dim: count.head_dim }),
        weights: weights[example.asker],
        colour: count.num_heads === 1 ? 0 : 1 + head,
      })),
    );
    maps.forEach((one, at) =>
      marks[at]({
        title: one.title,
        names: one.weights.map((_, key) => nameOf(key, example)),
        series: [{ name: one.title, values: one.weights, colour: one.colour }],
        most: 1,
        digits: 2,
        axis: one.title,
        height: 170,
      }),
    );
  };
}

/** @param {number} key @param {ReturnType<typeof exampleOf>} example */
function nameOf(key, { asker, answerers }) {
  if (key === asker) return t("asker");
  const question = answerers.indexOf(key);
  return question < 0 ? t("filler") : t("answer {number}", { number: question + 1 });
}
