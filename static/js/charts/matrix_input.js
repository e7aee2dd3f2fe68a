/**
 * A matrix to be edited: a number in each cell, rows and columns added and taken away, whole tables pasted from a
 * spreadsheet. Arrow keys with Ctrl, and Enter, move between cells.
 */

import { maths } from "../base/maths/maths_text.js";
import { el, fill, smallButton } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { lowered } from "../base/numbers.js";
import { drawnView } from "../base/mount.js";

/**
 * @typedef {object} MatrixInput
 * @property {string} title
 * @property {number[][]} values
 * @property {string} [symbol]  of a row, such as "q": rows are named q₀, q₁ …
 * @property {string[]} [rowNames]  in place of the symbol
 * @property {string[]} [columnNames]  above the columns
 * @property {"query" | "key" | "value"} [role]
 */

/**
 * @typedef {object} MatrixInputOptions
 * @property {string} field  of the request, such as "queries": problems the API names appear at the cell
 * @property {(values: number[][], origin: "type" | "pick") => void} onChange
 * @property {number} least
 * @property {number} most
 * @property {number} rows  at most
 * @property {number} columns  at most
 * @property {boolean} [isFixed]  the size is given elsewhere
 */

/** Characters of a number that are visible without scrolling. */
const LONGEST = 9;

/**
 * @param {HTMLElement} element
 * @param {MatrixInput} data
 * @param {MatrixInputOptions} options
 * @returns {import("../base/mount.js").View<MatrixInput>}
 */
export function matrixInput(element, data, options) {
  const { field, onChange } = options;
  const table = el("table", { class: "matrix-input", "data-field": field });
  const problem = el("p", { class: "field-error", role: "status", hidden: true });
  const sizes = sizeButtons(options, () => values);
  /** @type {HTMLInputElement[][]} */
  let cells = [];
  let values = data.values;
  fill(element, table, problem, options.isFixed ? null : sizes.element);
  table.addEventListener("input", onInput);
  table.addEventListener("keydown", (event) => moveFocus(event, cells));
  table.addEventListener("paste", onPaste);
  table.addEventListener("focusout", () => draw({ ...data, values }));

  /** @param {Event} event */
  function onInput(event) {
    const place = placeOf(event.target);
    if (!place) return;
    const input = cells[place[0]][place[1]];
    const value = cellNumber(input.value);
    const fault = cellFault(value, options);
    complain(fault, input);
    if (fault) return;
    values = replaced(values, place, value);
    onChange(values, "type");
  }

  /** @param {ClipboardEvent} event */
  function onPaste(event) {
    const pasted = readTable(event.clipboardData?.getData("text/plain") ?? "");
    if (!placeOf(event.target) || (pasted && pasted.length === 1 && pasted[0].length === 1)) return;
    event.preventDefault();
    const fault = faultOf(pasted, options);
    complain(fault);
    if (fault || !pasted) return;
    values = pasted;
    onChange(values, "pick");
  }

  /** @param {string} message  "" where nothing is wrong @param {HTMLInputElement} [input] */
  function complain(message, input) {
    markFault(cells, message ? input : undefined);
    problem.hidden = message === "";
    problem.textContent = message;
  }

  /** @param {MatrixInput} next */
  function draw(next) {
    const isOther = isOtherTable(next, data, cells);
    data = next;
    values = next.values;
    if (isOther) cells = build(table, data, field);
    write(cells, values);
    if (!problem.hidden && !cells.flat().some((input) => input.hasAttribute("aria-invalid"))) problem.hidden = isOther;
    sizes.update(values);
  }

  return drawnView(element, data, draw);
}

/** @param {number} value @param {MatrixInputOptions} options @returns {string}  "" where nothing is wrong */
function cellFault(value, { least, most }) {
  return value >= least && value <= most ? "" : t("Enter a number from {least} to {most}.", { least, most });
}

/** @param {HTMLInputElement[][]} cells @param {HTMLInputElement} [faulty]  none: all are good */
function markFault(cells, faulty) {
  if (faulty) faulty.setAttribute("aria-invalid", "true");
  else for (const input of cells.flat()) input.removeAttribute("aria-invalid");
}

/** @param {MatrixInput} next @param {MatrixInput} data @param {HTMLInputElement[][]} cells  as they are */
function isOtherTable({ values, rowNames, columnNames }, data, cells) {
  const isResized = values.length !== cells.length || values[0].length !== cells[0]?.length;
  return isResized || !isAlike(rowNames, data.rowNames) || !isAlike(columnNames, data.columnNames);
}

/** @param {string[]} [names] @param {string[]} [others] */
function isAlike(names = [], others = []) {
  return names.join("\n") === others.join("\n");
}

/** @param {EventTarget | null} target @returns {[number, number] | null}  row and column of the field */
function placeOf(target) {
  if (!(target instanceof HTMLInputElement)) return null;
  return [Number(target.dataset.row), Number(target.dataset.column)];
}

/**
 * The numbers with another one in one place.
 * @param {number[][]} values
 * @param {[number, number]} place  row and column
 * @param {number} value
 */
export function replaced(values, [row, column], value) {
  return values.map((line, at) => (at === row ? line.map((old, index) => (index === column ? value : old)) : line));
}

/** @param {KeyboardEvent} event @param {HTMLInputElement[][]} cells */
function moveFocus(event, cells) {
  const place = placeOf(event.target);
  const step = stepOf(event);
  if (!place || !step) return;
  event.preventDefault();
  const next = cells[place[0] + step[0]]?.[place[1] + step[1]];
  next?.focus();
  next?.select();
}

/**
 * Rows and columns that a key leads on: Enter down, with Shift up; arrows up and down, with Ctrl all four.
 * @param {KeyboardEvent} event
 * @returns {[number, number] | undefined}
 */
function stepOf({ key, shiftKey, ctrlKey }) {
  if (key === "Enter") return [shiftKey ? -1 : 1, 0];
  return ctrlKey || key === "ArrowUp" || key === "ArrowDown" ? MOVES[key] : undefined;
}

/**
 * Fills a table with a field for each number.
 * @param {HTMLElement} table
 * @param {MatrixInput} data
 * @param {string} field
 * @returns {HTMLInputElement[][]}
 */
function build(table, { title, values, symbol = "", rowNames, columnNames, role }, field) {
  const names = rowNames ?? values.map((_, row) => `${symbol}${lowered(row)}`);
  const cells = values.map((line, row) =>
    line.map((_, column) =>
      el("input", {
        type: "text",
        inputmode: "decimal",
        autocomplete: "off",
        "aria-label": t("{name}, number {index}", { name: names[row], index: column }),
        "data-row": row,
        "data-column": column,
        "data-field": `${field}.${row}.${column}`,
      }),
    ),
  );
  const named = { class: role ? `is-${role}` : "" };
  const rows = cells.map((line, row) =>
    el("tr", {}, el("th", { scope: "row", ...named }, names[row]), ...line.map((input) => el("td", {}, input))),
  );
  const head = columnNames?.map((name) => el("th", { scope: "col" }, name));
  fill(
    table,
    el("caption", named, ...maths(title)),
    head ? el("thead", {}, el("tr", {}, el("td", {}), ...head)) : null,
    el("tbody", {}, ...rows),
  );
  return cells;
}

/**
 * Writes numbers into their fields, all equally wide, except the one being edited.
 * @param {HTMLInputElement[][]} cells
 * @param {number[][]} values
 */
function write(cells, values) {
  const longest = Math.max(...values.flat().map((value) => String(value).length));
  const size = Math.min(Math.max(longest, 3), LONGEST);
  const inputs = cells.flat();
  values.flat().forEach((value, index) => {
    const input = inputs[index];
    input.size = size;
    const isTyping = input === document.activeElement;
    if (isTyping && (input.hasAttribute("aria-invalid") || cellNumber(input.value) === value)) return;
    const text = String(value).replace("-", "−");
    if (input.value !== text) input.value = text;
    input.removeAttribute("aria-invalid");
  });
}

/** @type {Record<string, [number, number]>} */
const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** @param {string} text */
function cellNumber(text) {
  const plain = text.trim().normalize("NFKC").replace("−", "-");
  return plain === "" ? NaN : Number(plain);
}

/**
 * Parses a table from a spreadsheet, CSV, Python or NumPy.
 * @param {string} text
 * @returns {number[][] | null}  null if anything is not a number, or rows differ in length
 */
export function readTable(text) {
  const lines = text
    .replace(/\]\s*,?\s*\[/g, "\n")
    .replace(/[[\]()]/g, " ")
    .split(/[\n\r;]+/);
  const rows = lines.map((line) => line.trim()).filter(Boolean);
  const table = rows.map((line) =>
    line
      .split(/\s*[,\t]\s*|\s+/)
      .filter(Boolean)
      .map(cellNumber),
  );
  const isTable =
    table.length > 0 && table.every((row) => row.length === table[0].length && row.every(Number.isFinite));
  return isTable ? table : null;
}

/**
 * Why a pasted table is rejected.
 * @param {number[][] | null} table
 * @param {MatrixInputOptions} options
 */
function faultOf(table, { least, most, rows, columns }) {
  if (!table) return t("The pasted text is not a table of numbers with rows of equal length.");
  if (table.length > rows || table[0].length > columns) {
    const [height, width] = [table.length, table[0].length];
    return t("The pasted table has {height} × {width} numbers; there is room for {rows} × {columns}.", {
      height,
      width,
      rows,
      columns,
    });
  }
  const isWithin = table.flat().every((value) => value >= least && value <= most);
  return isWithin ? "" : t("Enter a number from {least} to {most}.", { least, most });
}

/**
 * @param {MatrixInputOptions} options
 * @param {() => number[][]} get
 */
function sizeButtons({ onChange, rows, columns }, get) {
  const button = (/** @type {string} */ sign, /** @type {string} */ name, /** @type {() => number[][]} */ make) =>
    smallButton(sign, () => onChange(make(), "pick"), { "aria-label": name });
  const lessRows = button("−", t("Remove row"), () => get().slice(0, -1));
  const moreRows = button("+", t("Add row"), () => [...get(), get()[0].map(() => 0)]);
  const lessColumns = button("−", t("Remove column"), () => get().map((row) => row.slice(0, -1)));
  const moreColumns = button("+", t("Add column"), () => get().map((row) => [...row, 0]));
  const element = el(
    "p",
    { class: "matrix-size" },
    el("span", {}, t("rows"), " ", lessRows, moreRows),
    el("span", {}, t("columns"), " ", lessColumns, moreColumns),
  );
  return {
    element,
    /** @param {number[][]} values */
    update(values) {
      lessRows.disabled = values.length <= 1;
      moreRows.disabled = values.length >= rows;
      lessColumns.disabled = values[0].length <= 1;
      moreColumns.disabled = values[0].length >= columns;
    },
  };
}
