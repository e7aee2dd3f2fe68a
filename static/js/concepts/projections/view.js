/** One input, three projections, and what becomes of them; or three random tensors, and which role each operation gives. */

import { maths, sayMaths } from "../../base/maths_text.js";
import { el, fill } from "../../base/dom.js";
import { matrixControl, switchedView } from "../frame/views.js";
import { BOUNDS, withMatrix } from "./state.js";
import { nonNull } from "../../base/non_null.js";
import { t } from "../../base/i18n.js";
import { matrixMark } from "../../charts/matrix.js";
import { below } from "../../charts/matrix_input.js";
import { fixed } from "../../base/numbers.js";
import { roleNames, stageNames, tensorNames } from "./steps.js";
import { captions } from "../../wording/stories.js";
import { mount } from "../../base/mount.js";

/** @typedef {import("./state.js").ProjectionsData} ProjectionsData */
/** @typedef {import("../frame/concept.js").ConceptView<ProjectionsData>} View */
/** @typedef {import("../../charts/matrix.js").MatrixMark} MatrixMark */
/** @typedef {"query" | "key" | "value" | ""} Role */

/** @typedef {import("./state.js").ProjectionsState} ProjectionsState */

/**
 * @param {import("./state.js").Edited} name
 * @param {string} field  of the request
 * @param {{symbol?: string, role?: "query" | "key" | "value"}} rows
 */
export function matrixOf(name, field, rows) {
  const title = () => (name === "inputs" ? t("Input X") : `W_${name[1]}`);
  return matrixControl(
    {
      shown: (/** @type {Readonly<ProjectionsState>} */ state) => ({
        title: title(),
        values: state[name],
        symbol: "",
        ...rows,
      }),
      change: (state, values) => withMatrix(state, name, values),
    },
    { ...BOUNDS, field },
  );
}

/** @type {View} */
export const projectionsView = switchedView({ three, roles });

/** @returns {{name: "queries" | "keys" | "values" | "scaled_scores" | "weights" | "output", title: string, told: import("../../wording/stories.js").Told, row: string, rowRole: Role, column?: string, columnRole?: Role, scale: "signed" | "weight"}[]} */
function stages() {
  const pairs = {
    row: "q",
    column: "k",
    ...{ rowRole: /** @type {const} */ ("query"), columnRole: /** @type {const} */ ("key") },
  };
  return [
    { name: "queries", title: t("Queries Q"), told: "queries", row: "q", rowRole: "query", scale: "signed" },
    { name: "keys", title: t("Keys K"), told: "keys", row: "k", rowRole: "key", scale: "signed" },
    { name: "values", title: t("Values V"), told: "values", row: "v", rowRole: "value", scale: "signed" },
    { name: "scaled_scores", title: t("Scores ÷ √dₖ"), told: "raw_scores", ...pairs, scale: "signed" },
    { name: "weights", title: t("Weights"), told: "weights", ...pairs, scale: "weight" },
    { name: "output", title: t("Output"), told: "output", row: "o", rowRole: "query", scale: "signed" },
  ];
}

/**
 * @param {HTMLElement} element
 * @param {import("../frame/concept.js").Tools<ProjectionsState>} tools
 * @returns {(data: ProjectionsData) => void}
 */
function three(element, { set }) {
  const places = stages().map((stage) => {
    const box = el("div", { class: "role-box" });
    const caption = el("p", { class: "note" });
    const title = el("h3", { class: `is-${stage.column ? "" : stage.rowRole}` }, ...maths(stage.title));
    const pick =
      stage.rowRole === "query"
        ? { onPick: (/** @type {{row: number}} */ at) => set({ query: at.row }, "switch") }
        : {};
    return {
      stage,
      caption,
      mark: mount(box, matrixMark, pick),
      whole: el("section", { class: "role-stage" }, title, caption, box),
    };
  });
  const [made, done] = [places.slice(0, 3), places.slice(3)].map((group) =>
    el("div", { class: "role-row" }, ...group.map((place) => place.whole)),
  );
  fill(element, made, done);
  return (data) => {
    const { query } = data.state;
    const told = captions(data.state.story);
    for (const { stage, caption, mark } of places) {
      const values = data.answer[stage.name];
      sayMaths(caption, told[stage.told]);
      mark({
        title: stage.title,
        values,
        rows: symbols(stage.row, values.length),
        rowRole: stage.rowRole,
        ...(stage.column
          ? {
              columns: symbols(stage.column, values[0].length),
              columnRole: stage.columnRole,
              axes: t("query ↓ attends to key →"),
            }
          : {}),
        scale: stage.scale,
        digits: stage.name === "queries" || stage.name === "keys" || stage.name === "values" ? 2 : 4,
        chosen: stage.rowRole === "query" ? { row: query, column: -1 } : null,
      });
    }
  };
}

/** @param {string} letter @param {number} count */
function symbols(letter, count) {
  return Array.from({ length: count }, (_, index) => `${letter}${below(index)}`);
}

/** Of the tensors, in their places and exchanged. @type {Record<string, string[]>} */
const ORDERS = {
  none: ["queries", "keys", "values"],
  keys_values: ["queries", "values", "keys"],
  queries_keys: ["keys", "queries", "values"],
  queries_values: ["values", "keys", "queries"],
};

/**
 * @param {HTMLElement} element
 * @returns {(data: ProjectionsData) => void}
 */
function roles(element) {
  const names = /** @type {const} */ (["queries", "keys", "values"]);
  const tensors = names.map((name) => {
    const box = el("div", { class: "role-box" });
    const place = el("p", { class: "note" });
    const whole = el(
      "section",
      { class: "role-stage" },
      el("h3", {}, t("Random numbers {letter}", { letter: letterOf(name) })),
      place,
      box,
    );
    return { name, place, mark: mount(box, matrixMark, {}), whole };
  });
  const rows = ["raw_scores", "weights", "output"].map((stage) => {
    const boxes = [el("div", { class: "role-box" }), el("div", { class: "role-box" })];
    const [given, change] = [el("p", { class: "role-given" }), el("p", { class: "note" })];
    const figures = boxes.map((box, index) =>
      el("figure", {}, el("figcaption", { class: "note" }, index ? t("exchanged") : t("in place")), box),
    );
    const whole = el(
      "section",
      { class: "role-step" },
      el("h3", {}, stageNames()[stage]),
      given,
      change,
      el("div", { class: "role-row" }, ...figures),
    );
    return { stage, given, change, marks: boxes.map((box) => mount(box, matrixMark, {})), whole };
  });
  fill(
    element,
    el("div", { class: "role-row" }, ...tensors.map((one) => one.whole)),
    el("div", { class: "role-steps" }, ...rows.map((one) => one.whole)),
  );
  return ({ state, others: [found] }) => {
    if (!found?.steps) return;
    const order = ORDERS[state.swap];
    for (const { name, place, mark } of tensors) {
      const now = order.indexOf(name);
      place.textContent =
        names[now] === name
          ? t("acts as {letter}", { letter: tensorNames()[name] })
          : t("acts as {letter}, exchanged: {other}", {
              letter: tensorNames()[name],
              other: tensorNames()[names[now]],
            });
      mark({ title: name, values: found.stages[name], scale: "signed" });
    }
    for (const { stage, given, change, marks, whole } of rows) {
      const step = nonNull(found.steps.find((one) => one.stage === stage));
      const isPair = stage !== "output";
      fill(given, ...givenRoles(step.roles));
      change.textContent = t("largest change: {change}", { change: fixed(step.largest_change, 4) });
      whole.classList.toggle("is-same", step.largest_change === 0);
      [step.result, step.swapped_result].forEach((values, index) =>
        marks[index]({
          title: `${stageNames()[stage]}: ${index ? t("exchanged") : t("in place")}`,
          values,
          scale: stage === "weights" ? "weight" : "signed",
          rowRole: "query",
          columnRole: isPair ? "key" : "",
          ...(isPair ? { axes: t("query ↓ attends to key →") } : {}),
        }),
      );
    }
  };
}

/** The tensors of the experiment are A, B and C until an operation gives them roles. @param {string} name */
function letterOf(name) {
  return { queries: "A", keys: "B", values: "C" }[name] ?? "";
}

/** @param {Record<string, string>} given */
function givenRoles(given) {
  const roleOf = { queries: "is-query", keys: "is-key", values: "is-value" };
  const entries = Object.entries(given);
  if (entries.length === 0) return [t("no role: each row adds up to 1")];
  return entries.flatMap(([tensor, role], index) => [
    index ? ", " : "",
    el("strong", { class: roleOf[/** @type {keyof typeof roleOf} */ (tensor)] }, tensorNames()[tensor]),
    ` ${roleNames()[role]}`,
  ]);
}
