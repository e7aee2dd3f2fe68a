/** QK-norm: the same queries and keys under every norm, and how lengths gather in many dimensions. */

import { maths } from "../../base/maths/maths_text.js";
import { el, fill } from "../../base/dom.js";
import { matrixControl, queriesByKeys, switchedView } from "../frame/views.js";
import { t } from "../../base/i18n.js";
import { linePlot } from "../../charts/plots/line_plot.js";
import { pointsOf } from "../../charts/lines.js";
import { matrixMark } from "../../charts/matrix.js";
import { fixed, lowered } from "../../base/numbers.js";
import { kindNames } from "./steps.js";
import { BOUNDS, KINDS, withSide } from "./state.js";
import { mount } from "../../base/mount.js";

/** @typedef {import("./state.js").QKNormData} QKNormData */
/** @typedef {import("../frame/concept.js").ConceptView<QKNormData>} View */

/** @typedef {import("./state.js").QKNormState} QKNormState */

/** @param {"queries" | "keys"} name @param {() => {title: string, symbol: string, role: "query" | "key"}} names */
function sideControl(name, names) {
  return matrixControl(
    {
      shown: (/** @type {Readonly<QKNormState>} */ state) => ({ ...names(), values: state[name] }),
      change: (state, values) => withSide(state, name, values),
    },
    { ...BOUNDS, field: name },
  );
}

export const queriesControl = sideControl("queries", () => ({ title: t("Queries Q"), symbol: "q", role: "query" }));
export const keysControl = sideControl("keys", () => ({ title: t("Keys K"), symbol: "k", role: "key" }));

/** @type {View} */
export const qkNormView = switchedView({ scores, lengths });

/**
 * A card for each norm: lengths, range, and the matrix of the stage that is shown.
 * @param {HTMLElement} element
 * @param {import("../frame/concept.js").Tools<QKNormState>} tools
 * @returns {(data: QKNormData) => void}
 */
function scores(element, { set }) {
  const names = kindNames();
  const cards = KINDS.map((kind) => {
    const box = el("div", { class: "norm-box" });
    const [range, queries, keys] = [el("p", {}), el("p", {}), el("p", {})];
    const lengthsOf = el("div", { class: "norm-lengths" }, queries, keys);
    const made = kind === "none" ? {} : { "data-step": 3 };
    const title = el("h3", {}, names[kind]);
    const whole = el("section", { class: "norm-card", ...made }, title, range, lengthsOf, box);
    const pick = (/** @type {{row: number, column: number}} */ cell) =>
      set({ query: cell.row, key: cell.column, kind }, "switch");
    return { kind, whole, range, queries, keys, mark: mount(box, matrixMark, { onPick: pick }) };
  });
  fill(element, el("div", { class: "norm-cards" }, ...cards.map((card) => card.whole)));
  return (data) => {
    const { state, answer } = data;
    cards.forEach((card, index) => {
      const norm = answer.norms[index];
      const values = norm[state.stage];
      card.whole.classList.toggle("is-chosen", card.kind === state.kind);
      fill(card.range, ...rangeOf(norm));
      fill(card.queries, ...listOf("q", "is-query", norm.query_norms));
      fill(card.keys, ...listOf("k", "is-key", norm.key_norms));
      card.mark({
        title: `${names[card.kind]}: ${stageNames()[state.stage]}`,
        values,
        rows: symbols("q", values.length),
        columns: symbols("k", values[0].length),
        ...queriesByKeys(),
        scale: state.stage === "weights" ? "weight" : "signed",
        ...(state.stage === "dot_products" && norm.bound !== null ? { most: norm.bound } : {}),
        chosen: { row: state.query, column: state.key },
      });
    });
  };
}

/** @returns {Record<import("./state.js").QKNormState["stage"], string>} */
function stageNames() {
  return { dot_products: t("dot products"), scores: t("scores"), weights: t("weights") };
}

/** @param {import("./state.js").QKNormAnswer["norms"][number]} norm */
function rangeOf({ lowest, highest, bound }) {
  const range = `${fixed(lowest, 2)} … ${fixed(highest, 2)}`;
  const end = bound === null ? t("no bound") : t("bound ±{bound}", { bound: fixed(bound, 2) });
  return [t("dot products"), " ", el("strong", {}, range), `, ${end}`];
}

/**
 * @param {string} letter
 * @param {string} role
 * @param {number[]} lengths
 */
function listOf(letter, role, lengths) {
  return [el("span", { class: role }, `|${letter}|`), ` ${lengths.map((length) => fixed(length, 2)).join("  ")}`];
}

/** @param {string} letter @param {number} count */
function symbols(letter, count) {
  return Array.from({ length: count }, (_, index) => `${letter}${lowered(index)}`);
}

/**
 * @param {HTMLElement} element
 * @returns {(data: QKNormData) => void}
 */
function lengths(element) {
  const titles = [t("Mean length ÷ √d"), t("How much lengths and angles vary")];
  const boxes = titles.map(() => el("div", {}));
  fill(
    element,
    el(
      "div",
      { class: "norm-curves" },
      ...boxes.map((box, index) => el("section", {}, el("h3", {}, ...maths(titles[index])), box)),
    ),
  );
  const [means, spreads] = boxes.map((box) => mount(box, linePlot, {}));
  return ({ others: [further] }) => {
    if (!further?.points) return;
    const dims = further.points.map((point) => point.d);
    const of = (/** @type {(point: typeof further.points[number]) => number} */ what) =>
      pointsOf(dims, further.points.map(what));
    const x = { name: "d", log: true };
    means({
      title: titles[0],
      series: [
        { name: "LN(x)", points: of((point) => point.layer_norm.mean_by_root_d), colour: 2 },
        { name: "x ∼ N(0, 1)", points: of((point) => point.raw.mean_by_root_d), colour: 0 },
        {
          name: t("LN(x) with gain"),
          points: of((point) => point.layer_norm_gain.mean_by_root_d),
          dashed: true,
          colour: 1,
        },
        { name: "W·LN(x)", points: of((point) => point.projected.mean_by_root_d), colour: 3 },
      ],
      x,
      y: { name: t("length ÷ √d"), least: 0 },
    });
    spreads({
      title: titles[1],
      series: [
        { name: t("length of x: deviation ÷ mean"), points: of((point) => point.raw.relative_spread), colour: 0 },
        {
          name: t("expected, 1/√(2d)"),
          points: of((point) => point.expected_relative_spread),
          dashed: true,
          colour: 7,
        },
        { name: t("deviation of cos θ"), points: of((point) => point.cosine_standard_deviation), colour: 4 },
        {
          name: t("expected, 1/√d"),
          points: of((point) => point.expected_cosine_standard_deviation),
          dashed: true,
          colour: 6,
        },
      ],
      x,
      y: { name: t("spread"), least: 0 },
    });
  };
}
