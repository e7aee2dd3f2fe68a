/** One input, three projections, and what becomes of them; or three random tensors, and which role each operation gives. */

import { maths, sayMaths } from "../../base/maths/maths_text.js";
import { el, fill } from "../../base/dom.js";
import { matrixControl, queriesByKeys, switchedView } from "../frame/views.js";
import { BOUNDS, withMatrix } from "./state.js";
import { nonNull } from "../../base/non_null.js";
import { t } from "../../base/i18n.js";
import { matrixMark } from "../../charts/matrix.js";
import { fixed } from "../../base/numbers.js";
import { roleNames, stageNames, tensorNames } from "./steps.js";
import { componentNames, featureNames, tokenNames } from "./names.js";
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
 * @param {"query" | "key" | "value"} [role]
 */
export function matrixOf(name, field, role) {
  const title = () => (name === "inputs" ? t("Input X") : `W_${name[1]}`);
  return matrixControl(
    {
      shown: (/** @type {Readonly<ProjectionsState>} */ state) => ({
        title: title(),
        values: state[name],
        role,
        rowNames: name === "inputs" ? tokenNames(state) : componentNames(state, state[name === "wq" ? "wk" : name]),
        columnNames: featureNames(state),
      }),
      change: (state, values) => withMatrix(state, name, values),
    },
    { ...BOUNDS, field },
  );
}

/** @type {View} */
export const projectionsView = switchedView({ three, roles, model: three });

/** In the order of the calculation's steps. @returns {{name: "queries" | "keys" | "values" | "scaled_scores" | "weights" | "output", title: string, told: import("../../wording/stories.js").Told, rowRole: Role, isPair?: boolean, made?: "wk" | "wv", scale: "signed" | "weight", digits: number}[]} */
function stages() {
  const query = /** @type {const} */ ({ rowRole: "query", scale: "signed", digits: 4 });
  const made = /** @type {const} */ ({ scale: "signed", digits: 2 });
  return [
    { name: "queries", title: t("Queries Q"), told: "queries", rowRole: "query", made: "wk", ...made },
    { name: "keys", title: t("Keys K"), told: "keys", rowRole: "key", made: "wk", ...made },
    { name: "values", title: t("Values V"), told: "values", rowRole: "value", made: "wv", ...made },
    { name: "scaled_scores", title: t("Scores ÷ √dₖ"), told: "raw_scores", ...query, isPair: true },
    { name: "weights", title: t("Weights"), told: "weights", ...query, isPair: true, scale: "weight" },
    { name: "output", title: t("Output"), told: "output", ...query, made: "wv" },
  ];
}

/**
 * @param {HTMLElement} element
 * @param {import("../frame/concept.js").Tools<ProjectionsState>} tools
 * @returns {(data: ProjectionsData) => void}
 */
function three(element, { set }) {
  const places = stages().map((stage, index) => {
    const box = el("div", { class: "role-box" });
    const caption = el("p", { class: "note" });
    const title = el("h3", { class: `is-${stage.isPair ? "" : stage.rowRole}` }, ...maths(stage.title));
    const pick =
      stage.rowRole === "query"
        ? { onPick: (/** @type {{row: number}} */ cell) => set({ query: cell.row }, "switch") }
        : {};
    return {
      stage,
      caption,
      mark: mount(box, matrixMark, pick),
      whole: el("section", { class: "role-stage", "data-step": index + 1 }, title, caption, box),
    };
  });
  const [made, done] = [places.slice(0, 3), places.slice(3)].map((group) =>
    el("div", { class: "role-row" }, ...group.map((place) => place.whole)),
  );
  fill(element, made, done);
  return (data) => {
    const { state } = data;
    const told = captions(state.story);
    const names = tokenNames(state, data.answer);
    const isModel = state.view === "model";
    done.classList.toggle("is-paired", isModel);
    const row = data.answer.weights[state.query];
    // A model's matrices are strips of colour: the number of one cell is written below.
    const column = isModel ? row.indexOf(Math.max(...row)) : -1;
    for (const { stage, caption, mark } of places) {
      const values = data.answer[stage.name];
      sayMaths(caption, told[stage.told]);
      mark({
        title: stage.title,
        values,
        rows: names,
        rowRole: stage.rowRole,
        ...(stage.isPair ? queriesByKeys() : {}),
        columns: stage.made ? (isModel ? undefined : componentNames(state, state[stage.made])) : names,
        scale: stage.scale,
        digits: stage.digits,
        chosen: stage.rowRole === "query" ? { row: state.query, column: stage.isPair ? column : -1 } : null,
      });
    }
  };
}

/** Of the tensors, in their places and exchanged. @type {Record<string, string[]>} */
const ORDERS = {
  none: ["queries", "keys", "values"],
  keys_values: ["queries", "values", "keys"],
  queries_keys: ["keys", "queries", "values"],
  queries_values: ["values", "keys", "queries"],
};

/** @typedef {"queries" | "keys" | "values"} Tensor */
/** @typedef {import("../../api/types.js").AnswerTo<"projections/roles">["steps"][number]} RoleStep */

/** @type {readonly Tensor[]} */
const TENSORS = ["queries", "keys", "values"];
/** What is made of the tensors, and in which step. */
const MADE = /** @type {const} */ ([
  ["raw_scores", 1],
  ["weights", 3],
  ["output", 4],
]);

/**
 * @param {HTMLElement} element
 * @returns {(data: ProjectionsData) => void}
 */
function roles(element) {
  const tensors = TENSORS.map(tensorPlace);
  const rows = MADE.map(([stage, step]) => stageRow(stage, step));
  fill(
    element,
    el("div", { class: "role-row" }, ...tensors.map((tensor) => tensor.whole)),
    el("div", { class: "role-steps" }, ...rows.map((row) => row.whole)),
  );
  return ({ state, others: [further] }) => {
    if (!further?.steps) return;
    for (const { name, place, mark } of tensors) {
      place.textContent = actsAs(name, TENSORS[ORDERS[state.swap].indexOf(name)]);
      mark({ title: name, values: further.stages[name], scale: "signed" });
    }
    for (const { stage, draw } of rows) draw(nonNull(further.steps.find((step) => step.stage === stage)));
  };
}

/** @param {Tensor} name */
function tensorPlace(name) {
  const box = el("div", { class: "role-box" });
  const place = el("p", { class: "note" });
  const title = el("h3", {}, t("Random numbers {letter}", { letter: letterOf(name) }));
  const whole = el("section", { class: "role-stage" }, title, place, box);
  return { name, place, mark: mount(box, matrixMark, {}), whole };
}

/** @param {Tensor} name @param {Tensor} other  in whose place it is */
function actsAs(name, other) {
  const letter = tensorNames()[name];
  return other === name
    ? t("acts as {letter}", { letter })
    : t("acts as {letter}, exchanged: {other}", { letter, other: tensorNames()[other] });
}

/** @param {typeof MADE[number][0]} stage @param {number} step */
function stageRow(stage, step) {
  const boxes = [el("div", { class: "role-box" }), el("div", { class: "role-box" })];
  const [given, change] = [el("p", { class: "role-given" }), el("p", { class: "note" })];
  const said = [t("in place"), t("exchanged")];
  const figures = boxes.map((box, index) => el("figure", {}, el("figcaption", { class: "note" }, said[index]), box));
  const whole = el(
    "section",
    { class: "role-step", "data-step": step },
    el("h3", {}, stageNames()[stage]),
    given,
    change,
    el("div", { class: "role-row" }, ...figures),
  );
  const marks = boxes.map((box) => mount(box, matrixMark, {}));

  /** @param {RoleStep} made */
  function draw({ roles, largest_change: largest, result, swapped_result: swapped }) {
    fill(given, ...givenRoles(roles));
    change.textContent = t("largest change: {change}", { change: fixed(largest, 4) });
    whole.classList.toggle("is-same", largest === 0);
    [result, swapped].forEach((values, index) =>
      marks[index]({
        title: `${stageNames()[stage]}: ${said[index]}`,
        values,
        scale: stage === "weights" ? "weight" : "signed",
        rowRole: "query",
        columnRole: stage === "output" ? "" : "key",
        ...(stage === "output" ? {} : { axes: t("query ↓ attends to key →") }),
      }),
    );
  }

  return { stage, whole, draw };
}

/** The tensors of the experiment are A, B and C until an operation gives them roles. @param {string} name */
function letterOf(name) {
  return { queries: "A", keys: "B", values: "C" }[name] ?? "";
}

/** @param {Record<string, string>} acting */
function givenRoles(acting) {
  const roleOf = { queries: "is-query", keys: "is-key", values: "is-value" };
  const entries = Object.entries(acting);
  if (entries.length === 0) return [t("no role: each row adds up to 1")];
  return entries.flatMap(([tensor, role], index) => [
    index ? ", " : "",
    el("strong", { class: roleOf[/** @type {keyof typeof roleOf} */ (tensor)] }, tensorNames()[tensor]),
    ` ${roleNames()[role]}`,
  ]);
}
