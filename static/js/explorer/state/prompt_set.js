/** A set of prompts as it is written in the state: lines of text, or a template with the words of its slots. */

import { t } from "../../base/i18n.js";

/**
 * @typedef {object} SetText  as it is typed
 * @property {string} prompts  one a line
 * @property {string} template  "" for lines
 * @property {string} slots  one slot a line: "A: Mary, John"
 * @property {"all" | "row"} pairing  every combination, or the first words together, then the second …
 * @property {boolean} distinct  whether combinations with the same word in two slots are left out
 *
 * @typedef {Record<string, string>} Filling  a word for each slot
 *
 * @typedef {object} PromptSet
 * @property {number} count
 * @property {string} problem  why it cannot be run, "" if it can
 * @property {string[]} prompts  of lines
 * @property {Filling[]} fillings  of a template
 * @property {string} template
 *
 * @typedef {{model: string, prompts: string[]} | {model: string, template: string, fillings: Filling[]}} PromptRequest
 */

/** As the server reads it. */
const SLOT = /\{([A-Za-z]\w*)\}/gu;
const SLOT_LINE = /^\s*\{?([A-Za-z]\w*)\}?\s*[:：=]\s*(.*)$/u;
const BETWEEN_WORDS = /[,，、;]/u;

/** @param {string} text */
export function linesOf(text) {
  return text
    .split(/\r\n|\r|\n/u)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/**
 * The names of a template's slots, each once.
 * @param {string} template
 */
export function slotsOf(template) {
  return [...new Set([...template.matchAll(SLOT)].map(([, name]) => name))];
}

/**
 * The set that is typed, or what is wrong with it.
 * @param {SetText} typed
 * @param {number} most  prompts
 * @returns {PromptSet}
 */
export function readSet(typed, most) {
  const { template } = typed;
  if (template.trim() !== "") return ofTemplate(typed, most);
  const prompts = linesOf(typed.prompts);
  const set = { count: prompts.length, prompts, fillings: [], template: "" };
  return { ...set, problem: prompts.length > most ? tooMany(prompts.length, most) : "" };
}

/**
 * @param {PromptSet} set
 * @param {string} model
 * @returns {PromptRequest | null}  null for an empty set, or one that cannot be run
 */
export function requestOfSet({ count, problem, prompts, template, fillings }, model) {
  if (count === 0 || problem !== "") return null;
  return template === "" ? { model, prompts } : { model, template, fillings };
}

/**
 * A template with its slots filled.
 * @param {string} template
 * @param {Filling} words
 */
export function filled(template, words) {
  return template.replace(SLOT, (whole, name) => words[name] ?? whole);
}

/**
 * @param {SetText} typed
 * @param {number} most
 * @returns {PromptSet}
 */
function ofTemplate({ template, slots, pairing, distinct }, most) {
  const none = { count: 0, prompts: [], fillings: [], template };
  const names = slotsOf(template);
  if (names.length === 0) return { ...none, problem: t("The template has no slot: write one as {A}.") };
  /** @type {Map<string, string[]>} */
  const words = new Map();
  for (const [index, line] of slots.split(/\r\n|\r|\n/u).entries()) {
    const found = SLOT_LINE.exec(line);
    if (!found && line.trim() !== "") {
      return { ...none, problem: t("Slots, line {line}: write it as A: Mary, John.", { line: index + 1 }) };
    }
    if (!found) continue;
    const list = found[2].split(BETWEEN_WORDS).map((word) => word.trim());
    words.set(
      found[1],
      list.filter((word) => word !== ""),
    );
  }
  const missing = names.find((name) => !words.get(name)?.length);
  if (missing) return { ...none, problem: t("The slot {slot} has no words.", { slot: `{${missing}}` }) };
  const lists = names.map((name) => words.get(name) ?? []);
  const uneven = lists.findIndex((list) => list.length !== lists[0].length);
  if (pairing === "row" && uneven >= 0) {
    const said = { one: `{${names[0]}}`, other: `{${names[uneven]}}`, count: lists[0].length };
    const problem = t("Word by word, all slots need as many words: {one} has {count}, {other} has {found}.", {
      ...said,
      found: lists[uneven].length,
    });
    return { ...none, problem };
  }
  const combinations = pairing === "row" ? lists[0].map((_, at) => lists.map((list) => list[at])) : null;
  const total = combinations ? combinations.length : lists.reduce((product, list) => product * list.length, 1);
  // Before they are written down: a few more words make millions.
  if (total > MOST_LOOKED_AT) return { ...none, count: total, problem: tooMany(total, most) };
  const taken = (combinations ?? product(lists)).filter((row) => !distinct || new Set(row).size === row.length);
  const fillings = taken.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])));
  if (fillings.length === 0) return { ...none, problem: t("Every combination has the same word in two slots.") };
  const problem = fillings.length > most ? tooMany(fillings.length, most) : "";
  return { count: fillings.length, prompts: [], template, fillings, problem };
}

/** Combinations that are written down, to see which of them have distinct words. */
const MOST_LOOKED_AT = 20_000;

/**
 * Every combination, the last list changing fastest.
 * @param {string[][]} lists
 * @returns {string[][]}
 */
function product(lists) {
  return lists.reduce(
    (rows, list) => rows.flatMap((row) => list.map((word) => [...row, word])),
    [/** @type {string[]} */ ([])],
  );
}

/**
 * @param {number} count
 * @param {number} most
 */
function tooMany(count, most) {
  return t("{count} prompts; this server accepts at most {most}.", { count, most });
}
