/** Masks: scores, the mask, what is left of the scores, and the weights; and what finite numbers let through. */

import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { matrixMark } from "../../charts/matrix.js";
import { FILLS, PRECISIONS, ofSentence } from "./state.js";
import { mount } from "../../base/mount.js";

/** @typedef {{state: Readonly<import("./state.js").MasksState>, answer: any}} MasksData */

/**
 * @param {HTMLElement} element
 * @param {MasksData} data
 * @param {{onPick: (at: {row: number, column: number}) => void, onToggle: () => void}} options  a cell was chosen; the
 *   chosen cell of a mask that is built by hand is to be switched
 * @returns {import("../../api/types.js").View<MasksData>}
 */
export function masksView(element, data, { onPick, onToggle }) {
  let { kind } = data.state;
  const boxes = [t("Mask"), t("Masked scores"), t("Weights")].map((title) => {
    const box = el("div", { class: "masks-box" });
    return { box, element: el("div", {}, el("h3", {}, title), box) };
  });
  const leak = el("div", { class: "masks-box" });
  const leaks = el(
    "div",
    {},
    el("h3", {}, t("What a finite number in place of −∞ lets through")),
    leak,
    el("p", { class: "note" }, t("The most weight that any row puts on keys it may not read.")),
  );
  fill(element, ...boxes.map((one) => one.element), leaks);
  const marks = boxes.map(({ box }) => mount(box, matrixMark, { onPick }));
  boxes[0].box.addEventListener("click", (event) => {
    if (kind === "custom" && event.target instanceof Element && event.target.closest(".mark-cell")) onToggle();
  });
  boxes[0].box.addEventListener("keydown", (event) => {
    if (kind !== "custom" || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    onToggle();
  });
  const leaking = mount(leak, matrixMark, {});

  /** @param {MasksData} next */
  function update({ state, answer }) {
    kind = state.kind;
    const of = (/** @type {any} */ found) => ofSentence(state, found);
    const row = Math.min(state.query, of(answer.weights).length - 1);
    const shared = {
      axes: t("query ↓ reads from key →"),
      rowRole: /** @type {const} */ ("query"),
      columnRole: /** @type {const} */ ("key"),
      chosen: { row, column: -1 },
    };
    const cell = { row, column: Math.min(state.key, of(answer.weights)[0].length - 1) };

    marks[0]({
      ...shared,
      title: t("Mask"),
      values: of(answer.additive),
      digits: 0,
      ...(kind === "custom" ? { chosen: cell } : {}),
    });
    marks[1]({ ...shared, title: t("Masked scores"), values: of(answer.masked_scores), scale: "signed", digits: 1 });
    marks[2]({ ...shared, title: t("Weights"), values: of(answer.weights), scale: "weight", digits: 4 });
    leaking({
      title: t("What a finite number in place of −∞ lets through"),
      values: FILLS.map((fill) => PRECISIONS.map((precision) => leakOf(answer, fill, precision))),
      rows: FILLS.map(nameOf),
      columns: PRECISIONS,
      axes: t("added number ↓ precision →"),
      scale: "weight",
      digits: 4,
    });
  }

  update(data);
  return { update, destroy: () => element.replaceChildren() };
}

/**
 * @param {any} answer
 * @param {number | string} fill
 * @param {string} precision
 * @returns {number}
 */
function leakOf(answer, fill, precision) {
  return answer.leaks.find((/** @type {any} */ one) => one.precision === precision && one.fill === fill).largest;
}

/** @param {number | string} fill */
function nameOf(fill) {
  return fill === "-Infinity" ? "−∞" : `−10${["⁴", "⁵", "⁹"][[1e4, 1e5, 1e9].indexOf(-Number(fill))]}`;
}
