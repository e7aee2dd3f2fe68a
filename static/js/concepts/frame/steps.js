/** The calculation step by step: one step in words and numbers, and a table of the results so far. */

import { maths, sayMaths } from "../../base/maths/maths_text.js";
import { el, fill, plainButton } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { drawnView } from "../../base/mount.js";

/** @typedef {import("./concept.js").Scene & {step: number, onStep: (step: number) => void}} StepsData  steps count from 1 */

/** @param {HTMLElement} element @param {StepsData} data */
export function stepsView(element, data) {
  const stepper = createStepper();
  const says = el("p", { class: "step-says" });
  const line = el("div", {
    class: "step-line",
    tabindex: 0,
    role: "group",
    "aria-label": t("The numbers of this step"),
  });
  const table = createTable();
  fill(element, stepper.element, el("div", { class: "step-now" }, says, line), table.element);

  return drawnView(element, data, (next) => {
    const now = next.steps[next.step - 1];
    stepper.draw(next);
    sayMaths(says, now.says);
    fill(line, now.line);
    table.draw(next.table, next.step);
  });
}

/** The steps as buttons, between one back and one forward. */
function createStepper() {
  const element = el("div", { class: "stepper", role: "group", "aria-label": t("Steps; ← and → move") });
  /** @type {StepsData} */
  let shown;
  const go = (/** @type {number} */ by) => () => shown.onStep(shown.step + by);
  const back = plainButton("‹", go(-1), { class: "button is-icon" });
  const on = plainButton("›", go(1), { class: "button is-icon" });
  back.setAttribute("aria-label", t("Previous step"));
  on.setAttribute("aria-label", t("Next step"));
  /** @type {HTMLButtonElement[]} */
  let buttons = [];

  /** The steps may change with what is chosen. @param {StepsData} data */
  function draw(data) {
    shown = data;
    const names = data.steps.map((step) => step.name);
    if (names.length !== buttons.length || names.some((name, index) => name !== buttons[index].dataset.name)) {
      buttons = names.map((name, index) => {
        const attributes = { type: "button", class: "step", "data-name": name, onclick: () => shown.onStep(index + 1) };
        return el(
          "button",
          attributes,
          el("span", { class: "step-number" }, index + 1),
          el("span", {}, ...maths(name)),
        );
      });
      fill(element, back, ...buttons, on);
    }
    back.disabled = data.step === 1;
    on.disabled = data.step === names.length;
    buttons.forEach((button, index) => {
      if (index + 1 === data.step) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    });
  }
  return { element, draw };
}

/** A row for each key or so, a column for what each step makes of it; later columns are still empty. */
function createTable() {
  const table = el("table", { class: "step-table" });
  const label = t("The calculation as a table");
  const element = el("div", { class: "table-scroller", tabindex: 0, role: "region", "aria-label": label }, table);
  /** @type {HTMLTableCellElement[][]} */
  let cells = [];
  let built = "";

  /** @param {import("./concept.js").StepTable | null} next @param {number} step */
  function draw(next, step) {
    element.hidden = next === null;
    if (!next) return;
    const { caption, columns, rows, sums, chosen } = next;
    const lines = [...rows, sums];
    const heads = columns.map((column) => column.name).join("\n");
    if (cells.length !== lines.length || heads !== built) {
      cells = buildTable(
        table,
        columns.map((column) => column.name),
        lines.length,
      );
    }
    built = heads;
    cells[rows.length][0].parentElement?.toggleAttribute(
      "hidden",
      sums.every((text) => text === ""),
    );
    if (table.caption) table.caption.textContent = caption;
    lines.forEach((texts, index) => {
      cells[index][0].parentElement?.classList.toggle("is-chosen", index === chosen);
      texts.forEach((text, column) => {
        const cell = cells[index][column];
        const shown = columns[column].step > step ? "" : text;
        if (columns[column].hasMaths) sayMaths(cell, shown);
        else if (cell.textContent !== shown) cell.textContent = shown;
        cell.classList.toggle("is-now", columns[column].step === step);
      });
    });
  }
  return { element, draw };
}

/**
 * @param {HTMLTableElement} table
 * @param {string[]} names  of columns
 * @param {number} lines  the sums among them
 */
function buildTable(table, names, lines) {
  const cells = Array.from({ length: lines }, () =>
    names.map((_, column) => (column === 0 ? el("th", { scope: "row" }) : el("td", {}))),
  );
  const rows = cells.map((row) => el("tr", {}, ...row));
  fill(
    table,
    el("caption", { class: "visually-hidden" }),
    el("thead", {}, el("tr", {}, ...names.map((name) => el("th", { scope: "col" }, ...maths(name))))),
    el("tbody", {}, ...rows.slice(0, -1)),
    el("tfoot", {}, ...rows.slice(-1)),
  );
  return cells;
}
