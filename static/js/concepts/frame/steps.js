/** A calculation step by step: one step in words and numbers, and what the steps so far made of every row. */

import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("./frame.js").Scene & {step: number}} StepsData */

/**
 * @param {HTMLElement} element
 * @param {StepsData} data
 * @param {{onStep: (step: number) => void}} options  steps count from 1
 * @returns {import("../../api/types.js").View<StepsData>}
 */
export function stepsView(element, data, { onStep }) {
  let step = data.step;
  const back = el("button", { type: "button", class: "button is-icon", onclick: () => onStep(step - 1) }, "‹");
  const on = el("button", { type: "button", class: "button is-icon", onclick: () => onStep(step + 1) }, "›");
  back.setAttribute("aria-label", t("Previous step"));
  on.setAttribute("aria-label", t("Next step"));
  const stepper = el("div", { class: "stepper", role: "group", "aria-label": t("Steps; ← and → move") });
  /** @type {HTMLButtonElement[]} */
  let names = [];
  const says = el("p", { class: "step-says" });
  const said = { tabindex: 0, role: "group", "aria-label": t("The numbers of this step") };
  const line = el("div", { class: "step-line", ...said });
  const table = el("table", { class: "step-table" });
  const framed = {
    class: "table-scroller",
    tabindex: 0,
    role: "region",
    "aria-label": t("The calculation as a table"),
  };
  const scroller = el("div", framed, table);
  /** @type {HTMLTableCellElement[][]} */
  let cells = [];
  let built = "";
  fill(element, stepper, el("div", { class: "step-now" }, says, line), scroller);

  /** @param {StepsData} next */
  function draw(next) {
    step = next.step;
    const now = next.steps[step - 1];
    drawNames(next.steps.map((one) => one.name));
    back.disabled = step === 1;
    on.disabled = step === next.steps.length;
    names.forEach((button, index) => {
      if (index + 1 === step) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    });
    says.textContent = now.says;
    fill(line, now.line);
    scroller.hidden = next.table === null;
    if (next.table) drawTable(next.table);
  }

  /** The steps may change with what is chosen. @param {string[]} wanted */
  function drawNames(wanted) {
    if (names.length === wanted.length && names.every((button, index) => button.dataset.name === wanted[index])) return;
    names = wanted.map((name, index) =>
      el(
        "button",
        { type: "button", class: "step", "data-name": name, onclick: () => onStep(index + 1) },
        el("span", { class: "step-number" }, index + 1),
        name,
      ),
    );
    fill(stepper, back, ...names, on);
  }

  /** @param {import("./frame.js").StepTable} next */
  function drawTable({ caption, columns, rows, sums, chosen }) {
    const lines = [...rows, sums];
    const heads = columns.map((column) => column.name).join("\n");
    if (cells.length !== lines.length || heads !== built) build(caption, columns, lines);
    built = heads;
    cells[rows.length][0].parentElement?.toggleAttribute(
      "hidden",
      sums.every((text) => text === ""),
    );
    need(table.caption).textContent = caption;
    lines.forEach((texts, index) => {
      cells[index][0].parentElement?.classList.toggle("is-chosen", index === chosen);
      texts.forEach((text, column) => {
        const cell = cells[index][column];
        const shown = columns[column].step > step ? "" : text;
        if (cell.textContent !== shown) cell.textContent = shown;
        cell.classList.toggle("is-now", columns[column].step === step);
      });
    });
  }

  /**
   * @param {string} caption
   * @param {{name: string, step: number}[]} columns
   * @param {string[][]} lines
   */
  function build(caption, columns, lines) {
    const heads = columns.map((column) => el("th", { scope: "col" }, column.name));
    cells = lines.map((texts) => texts.map((_, column) => (column === 0 ? el("th", { scope: "row" }) : el("td", {}))));
    const bodies = cells.slice(0, -1).map((row) => el("tr", {}, ...row));
    fill(
      table,
      el("caption", { class: "visually-hidden" }, caption),
      el("thead", {}, el("tr", {}, ...heads)),
      el("tbody", {}, ...bodies),
      el("tfoot", {}, el("tr", {}, ...cells[cells.length - 1])),
    );
  }

  draw(data);
  return {
    update: draw,
    destroy() {
      element.replaceChildren();
    },
  };
}

/**
 * @template T
 * @param {T | null} found
 * @returns {T}
 */
function need(found) {
  if (found === null) throw new Error("the table has no caption");
  return found;
}
