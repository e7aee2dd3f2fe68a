/** The prompts of a set, each with its tokens, the chosen head's measure in it, and a button that opens it. */

import { el, fill, keepingFocus, smallButton } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { drawnView } from "../../base/mount.js";
import { fixed, small } from "../../base/numbers.js";
import { visible } from "../../wording/token_text.js";
import { nextOrder, sortHeading, sortOf } from "../widgets/sort_heading.js";

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
/** @typedef {import("../widgets/sort_heading.js").Order<Column>} Order */

/**
 * @param {HTMLElement} element
 * @param {ListData} data
 * @param {{onOpen: (prompt: Prompt) => void}} options
 * @returns {import("../../base/mount.js").View<ListData>}
 */
export function promptListView(element, data, { onOpen }) {
  const header = el("tr");
  const body = el("tbody");
  let order = /** @type {Order} */ ({ column: "number", isDescending: false });
  let shown = data;
  const table = el("table", { class: "heads-table prompts-list" }, el("thead", {}, header), body);
  const region = { class: "heads-scroller", tabindex: 0, role: "region", "aria-label": t("The prompts of the set") };
  fill(element, el("div", region, table));

  /** @param {Column} by */
  function sortBy(by) {
    order = nextOrder(order, by, ["number", "rank"]);
    draw(shown);
  }

  return drawnView(element, data, draw);

  /** @param {ListData} next */
  function draw(next) {
    const { prompts, title, values, answers } = (shown = next);
    keepingFocus(header, () => fill(header, ...headings(next, order, sortBy)));
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
 * @param {ListData} data
 * @param {Order} order
 * @param {(column: Column) => void} onSort
 */
function headings({ title, head, answers }, order, onSort) {
  const heading = (/** @type {Column} */ column, /** @type {string} */ name, isHidden = false, attributes = {}) => {
    const cell = sortHeading(name, sortOf(order, column), () => onSort(column), attributes);
    cell.hidden = isHidden;
    return cell;
  };
  const isUnrated = answers === null;
  return [
    heading("number", "#", false, { "aria-label": t("Number") }),
    el("th", { scope: "col" }, t("Prompt")),
    heading("tokens", t("Tokens")),
    heading("value", `${head} · ${title}`, title === ""),
    el("th", { scope: "col", hidden: isUnrated }, t("Expected")),
    heading("probability", t("Probability"), isUnrated),
    heading("rank", t("Rank"), isUnrated),
    el("th", { scope: "col" }, el("span", { class: "visually-hidden" }, t("Open"))),
  ];
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
  const open = smallButton(t("Open"), () => onOpen(prompt), { "aria-label": name });
  return el(
    "tr",
    {},
    el("td", { class: "note" }, index + 1),
    el("th", { scope: "row", class: "prompts-text" }, written, begun),
    el("td", {}, targets ? `${tokens.length} → ${targets.length}` : tokens.length),
    ...cells,
    el("td", {}, open),
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
