/** Many heads: what each reads, the way of the shapes, and one wide head beside two. */

import { maths, plainMaths } from "../../base/maths/maths_text.js";
import { el, fill } from "../../base/dom.js";
import { queriesByKeys, switchedView } from "../frame/views.js";
import { t } from "../../base/i18n.js";
import { barsMark } from "../../charts/bars.js";
import { matrixMark } from "../../charts/matrix.js";
import { exampleOf, MOST_NUMBERS, namesOf, shownOf } from "./state.js";
import { mount } from "../../base/mount.js";

/** @typedef {import("./state.js").MultiHeadData} MultiHeadData */
/** @typedef {import("../frame/concept.js").ConceptView<MultiHeadData>} View */
/** @typedef {import("../frame/concept.js").Tools<import("./state.js").MultiHeadState>} Tools */

/** More of them are named by their numbers alone. */
const MOST_NAMES = 8;
const SIGNED = /** @type {const} */ ("signed");

/** @type {View} */
export const multiHeadView = switchedView({ heads, shapes, counts, model }, ({ state: { view }, answer }) =>
  view === "heads" ? `heads ${answer.weights.length}` : view,
);

/**
 * @param {HTMLElement} element
 * @param {Tools} tools
 * @param {MultiHeadData} data
 * @returns {(data: MultiHeadData) => void}
 */
function heads(element, { set }, { answer: { weights: headWeights } }) {
  const boxes = headWeights.map(() => el("div", { class: "heads-box" }));
  const titles = headWeights.map(() => el("h3", {}));
  const after = afterHeads();
  fill(element, ...boxes.map((box, index) => el("div", { "data-step": 2 }, titles[index], box)), ...after.sections);
  const marks = boxes.map((box, head) =>
    mount(box, matrixMark, { onPick: ({ row }) => set({ head, query: row }, "switch") }),
  );
  return (data) => {
    const { state, answer } = data;
    const tokens = namesOf(data);
    after.draw(data);
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
 * A layer of a model: one token's weights in every head, a row for each, and what becomes of them.
 * @param {HTMLElement} element
 * @param {Tools} tools
 * @returns {(data: MultiHeadData) => void}
 */
function model(element, { set }) {
  const title = el("h3", {});
  const box = el("div", { class: "heads-box" });
  const after = afterHeads();
  fill(element, el("div", { class: "heads-rows", "data-step": 2 }, title, box), ...after.sections);
  const mark = mount(box, matrixMark, { onPick: ({ row }) => set({ head: row }, "switch") });
  return (data) => {
    const { answer } = data;
    const tokens = namesOf(data);
    const { head, query } = shownOf(data);
    const chosen = answer.weights[head][query];
    title.textContent = t("Weights of “{word}” in every head", { word: tokens[query] });
    mark({
      title: title.textContent,
      values: answer.weights.map((weights) => weights[query]),
      rows: answer.weights.map((_, row) => t("Head {head}", { head: row })),
      columns: tokens,
      columnRole: "key",
      axes: t("head ↓ attends to key →"),
      scale: "weight",
      digits: 3,
      chosen: { row: head, column: chosen.indexOf(Math.max(...chosen)) },
    });
    after.draw(data);
  };
}

/** The outputs of the heads side by side, and mixed: the rows of one query. */
function afterHeads() {
  const [title, mixedTitle] = [el("h3", {}), el("h3", {})];
  const [joined, output] = [el("div", { class: "heads-box" }), el("div", { class: "heads-box" })];
  const sections = [
    el("div", { class: "heads-whole", "data-step": 3 }, title, joined),
    el("div", { class: "heads-whole", "data-step": 4 }, mixedTitle, output),
  ];
  const [first, second] = [joined, output].map((box) => mount(box, matrixMark, {}));

  /** @param {MultiHeadData} data */
  function draw(data) {
    const { answer } = data;
    const { query } = shownOf(data);
    const rows = [namesOf(data)[query]];
    const shared = { rows, rowRole: /** @type {const} */ ("query"), axes: "", scale: SIGNED };
    const perHead = Math.max(1, Math.floor(MOST_NUMBERS / answer.weights.length));
    const parts = answer.head_outputs.map((output) => output[query].slice(0, perHead));
    const isLong = answer.sizes.d_model > MOST_NUMBERS;
    // A long one is shown as far as the one above it.
    const mixed = answer.output[query].slice(0, isLong ? parts.flat().length : MOST_NUMBERS);
    const mixedName =
      mixed.length < answer.sizes.d_model
        ? t("Output, mixed by W_O, the first {count}", { count: mixed.length })
        : t("Output, mixed by W_O");
    fill(mixedTitle, ...maths(mixedName));
    const nameOfHead = (/** @type {number} */ head) =>
      parts.length > MOST_NAMES ? String(head) : t("head {head}", { head });
    const isCut = parts.flat().length < answer.sizes.output_inputs;
    title.textContent = !isCut
      ? t("Concatenated")
      : perHead === 1
        ? t("Concatenated, the first number of each head")
        : t("Concatenated, the first {each} of each head", { each: perHead });
    first({
      ...shared,
      title: t("Concatenated"),
      values: [parts.flat()],
      columns: parts.flatMap((part, head) => part.map((_, index) => (index ? "" : nameOfHead(head)))),
    });
    second({ ...shared, title: plainMaths(mixedName), values: [mixed], columns: mixed.map(() => "") });
  }

  return { sections, draw };
}

/**
 * @param {HTMLElement} element
 * @returns {(data: MultiHeadData) => void}
 */
function shapes(element) {
  return ({ answer }) => {
    const rows = answer.shapes.map((shape) =>
      el(
        "tr",
        {},
        el("th", { scope: "row" }, el("code", {}, shape.name)),
        el("td", {}, ...maths(shape.operation)),
        el("td", { class: "shape" }, ...shape.shape.flatMap((size, index) => axis(size, shape.axes[index], index))),
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
 * @param {number} index
 */
function axis(size, name, index) {
  return [
    index ? " × " : "",
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
  return ({ others: [further] }) => {
    if (!further) return;
    const example = exampleOf(further);
    const maps = further.counts.flatMap((count) =>
      count.weights.map((weights, head) => ({
        title:
          count.num_heads === 1
            ? t("One head of {dim}", { dim: count.head_dim })
            : t("Head {head} of two, {dim} wide", { head, dim: count.head_dim }),
        weights: weights[example.asker],
        colour: count.num_heads === 1 ? 0 : 1 + head,
      })),
    );
    maps.forEach((map, index) =>
      marks[index]({
        title: map.title,
        names: map.weights.map((_, key) => nameOf(key, example)),
        series: [{ name: map.title, values: map.weights, colour: map.colour }],
        most: 1,
        digits: 2,
        axis: map.title,
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
