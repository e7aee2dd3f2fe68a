/** The prompts of a set, each with its tokens, the chosen head's measure in it, and a button that opens it. */

import { el, fill, keepingFocus, smallButton } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { drawnView } from "../../base/mount.js";
import { fixed, small } from "../../base/numbers.js";
import { visible } from "../../wording/token_text.js";

/**
 * @typedef {object} ListData
 * @property {import("../../api/prompts.js").Prompts} prompts
 * @property {string} title  of the measure, "" for none
 * @property {(number | null)[] | null} values  of the chosen head in each prompt
 * @property {string} head  its short name
 * @property {import("../../api/prompts.js").PromptAnswers | null} answers  how the expected tokens are rated
 */

/** @typedef {import("../../api/prompts.js").Prompts["prompts"][number]} Prompt */
/** @typedef {"number" | "tokens" | "value" | "probability" | "rank"} Column */
/** @typedef {{column: Column, isDescending: boolean}} Order */

/**
 * @param {HTMLElement} element
 * @param {ListData} data
 * @param {{onOpen: (prompt: Prompt) => void}} options
 * @returns {import("../../base/mount.js").View<ListData>}
 */
export function promptListView(element, data, { onOpen }) {
  const body = el("tbody");
  let order = { column: /** @type {Column} */ ("number"), isDescending: false };
  let shown = data;
  const sorts = /** @type {const} */ (["number", "tokens", "value", "probability", "rank"]).map((column) =>
    sortButton(column, sortBy),
  );
  const [number, tokenCount, column, probability, rank] = sorts.map(({ cell }) => cell);
  const expected = el("th", { scope: "col" }, t("Expected"));
  const open = el("th", { scope: "col" }, el("span", { class: "visually-hidden" }, t("Open")));
  const text = el("th", { scope: "col" }, t("Prompt"));
  const header = el("tr", {}, number, text, tokenCount, column, expected, probability, rank, open);
  const table = el("table", { class: "heads-table prompts-list" }, el("thead", {}, header), body);
  const region = { class: "heads-scroller", tabindex: 0, role: "region", "aria-label": t("The prompts of the set") };
  fill(element, el("div", region, table));

  /** @param {Column} by */
  function sortBy(by) {
    order = { column: by, isDescending: order.column === by ? !order.isDescending : by !== "number" && by !== "rank" };
    draw(shown);
  }

  return drawnView(element, data, draw);

  /** @param {ListData} next */
  function draw(next) {
    const { prompts, title, values, head, answers } = (shown = next);
    for (const cell of [expected, probability, rank]) cell.hidden = answers === null;
    column.hidden = title === "";
    const names = [t("Number"), t("Tokens"), `${head} · ${title}`, t("Probability"), t("Rank")];
    for (const [index, { show }] of sorts.entries()) show(names[index], order);
    const most = Math.max(...(values ?? []).map((value) => value ?? 0), 1e-9);
    const rows = sortedPrompts(next, order).map((index) => {
      const rating = answers ? ratingCells(answers.answers[index]) : [];
      const cell = valueCell(values?.[index], most);
      cell.hidden = title === "";
      return promptRow(prompts.prompts[index], index, [cell, ...rating], onOpen);
    });
    keepingFocus(body, () => fill(body, ...rows));
  }
}

/**
 * @param {number | null | undefined} value  null: of no number; undefined: none is asked for
 * @param {number} most  of all
 */
function valueCell(value, most) {
  const words = value === undefined ? "" : value === null ? "–" : fixed(value, 3);
  const cell = el("td", { class: "heads-value" }, words);
  cell.style.setProperty("--share", String(Math.max(0, value ?? 0) / most));
  return cell;
}

/**
 * @param {Prompt} prompt
 * @param {number} index
 * @param {HTMLElement[]} cells  what is known of it
 * @param {(prompt: Prompt) => void} onOpen
 */
function promptRow(prompt, index, cells, onOpen) {
  const { text, tokens, target_text: target, target_tokens: targets } = prompt;
  const written = el("bdi", { title: text }, text);
  const begun = target !== null && el("bdi", { class: "prompts-target", title: target }, `→ ${target}`);
  const name = t("Open prompt {number}", { number: index + 1 });
  return el(
    "tr",
    {},
    el("td", { class: "note" }, index + 1),
    el("th", { scope: "row", class: "prompts-text" }, written, begun),
    el("td", {}, targets ? `${tokens.length} → ${targets.length}` : tokens.length),
    ...cells,
    el(
      "td",
      {},
      smallButton(t("Open"), () => onOpen(prompt), { "aria-label": name }),
    ),
  );
}

/**
 * The expected token of a prompt, its probability and its rank.
 * @param {import("../../api/prompts.js").PromptAnswers["answers"][number]} answer
 */
function ratingCells({ text, probability, rank }) {
  const share = el("td", { class: "heads-value" }, probabilityText(probability));
  share.style.setProperty("--share", String(probability));
  return [el("td", { class: "prompts-expected" }, el("bdi", {}, visible(text))), share, el("td", {}, rank)];
}

/**
 * Three digits; of a value that they would call zero, its order of magnitude.
 * @param {number} value
 */
export function probabilityText(value) {
  return value < 0.0005 ? small(value) : fixed(value, 3);
}

/**
 * The heading of a column by which the list is sorted.
 * @param {Column} column
 * @param {(column: Column) => void} onSort
 */
function sortButton(column, onSort) {
  const label = el("span");
  const sign = el("span", { "aria-hidden": "true" });
  const button = el("button", { type: "button", class: "heads-sort", onclick: () => onSort(column) }, label, sign);
  return {
    cell: el("th", { scope: "col" }, button),
    /** @param {string} name @param {Order} order */
    show(name, order) {
      const isSorted = order.column === column;
      label.textContent = column === "number" ? "#" : name;
      if (column === "number") button.setAttribute("aria-label", name);
      sign.textContent = isSorted ? (order.isDescending ? " ▾" : " ▴") : "";
      const cell = /** @type {HTMLElement} */ (button.parentElement);
      if (isSorted) cell.setAttribute("aria-sort", order.isDescending ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    },
  };
}

/**
 * The prompts' places in the set, in the order of a column; those without a value come last.
 * @param {Pick<ListData, "prompts" | "values" | "title"> & {answers?: ListData["answers"]}} data
 * @param {Order} order
 * @returns {number[]}
 */
export function sortedPrompts({ prompts: { prompts }, values, title, answers }, { column, isDescending }) {
  const places = prompts.map((_, index) => index);
  const known = title === "" ? null : values;
  const valueOf = (/** @type {number} */ index) =>
    ({
      number: index,
      tokens: prompts[index].tokens.length,
      value: known?.[index] ?? null,
      probability: answers?.answers[index].probability ?? null,
      rank: answers?.answers[index].rank ?? null,
    })[column];
  const sign = isDescending ? -1 : 1;
  return places.sort((a, b) => {
    const [first, second] = [valueOf(a), valueOf(b)];
    if (first === null || second === null) return Number(first === null) - Number(second === null);
    return sign * (first - second);
  });
}
