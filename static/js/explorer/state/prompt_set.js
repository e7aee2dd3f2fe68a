/** A set of prompts as it is written in the state: lines of text, or a template with the words of its slots. */

import { t } from "../../base/i18n.js";

/**
 * @typedef {object} SetText  as it is typed
 * @property {string} prompts  one a line
 * @property {string} template  "" for lines
 * @property {string} slots  one slot a line: "A: Mary, John"
 * @property {"all" | "row"} pairing  every combination, or the first words together, then the second …
 * @property {string} answers  the tokens expected next, one a line, or one for all; "" for none
 * @property {boolean} distinct  whether combinations with the same word in two slots are left out
 * @property {string} targets  what the decoder of an encoder–decoder model is given, one a line, or one for all
 * @property {boolean} promptChat  whether each prompt is a message in the model's chat template
 * @property {string} promptSystem  the system message before each
 *
 * @typedef {Record<string, string>} Filling  a word for each slot
 *
 * @typedef {object} PromptSet
 * @property {number} count
 * @property {string} problem  why it cannot be run, "" if it can
 * @property {string[]} prompts  of lines
 * @property {Filling[]} fillings  of a template
 * @property {string} template
 * @property {string[]} answers  one for each prompt, or one for all
 * @property {string[]} targets  one for each prompt, or one for all
 * @property {string | null} system  of chat messages; null for plain texts
 *
 * @typedef {{prompts: string[]} | {template: string, fillings: Filling[]}} Given
 * @typedef {{model: string, answers?: string[], target_texts?: string[], chat?: true, system_text?: string} & Given} PromptRequest
 *
 * @typedef {object} Ability  of a model
 * @property {string} id
 * @property {boolean} predicts  the next token; else none is expected
 * @property {boolean} hasDecoder  besides an encoder; else it is given no texts
 * @property {boolean} hasChat  a chat template; else prompts are plain texts
 */

/** @type {SetText} */
export const EMPTY_SET = {
  prompts: "",
  template: "",
  slots: "",
  answers: "",
  pairing: "all",
  distinct: true,
  targets: "",
  promptChat: false,
  promptSystem: "",
};

/** @typedef {Readonly<SetText>} ViewValue */

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
  const set = typed.template.trim() === "" ? ofLines(typed, most) : ofTemplate(typed, most);
  const [answers, targets] = [linesOf(typed.answers), linesOf(typed.targets)];
  const { count, problem } = set;
  const isUneven = (/** @type {string[]} */ lines) => count > 0 && lines.length > 1 && lines.length !== count;
  const uneven = isUneven(answers) ? unevenAnswers(answers.length, count) : unevenTargets(targets.length, count);
  const system = typed.promptChat ? typed.promptSystem.trim() : null;
  const isFaulty = problem === "" && (isUneven(answers) || isUneven(targets));
  return { ...set, answers, targets, system, problem: isFaulty ? uneven : problem };
}

/** @param {ViewValue} value  of the page's state  @returns {SetText} */
export function setOf({ prompts, template, slots, pairing, distinct, answers, targets, promptChat, promptSystem }) {
  return { prompts, template, slots, pairing, distinct, answers, targets, promptChat, promptSystem };
}

/**
 * @param {SetText} typed
 * @param {number} most
 */
function ofLines(typed, most) {
  const prompts = linesOf(typed.prompts);
  const set = { count: prompts.length, prompts, fillings: [], template: "" };
  return { ...set, problem: prompts.length > most ? tooMany(prompts.length, most) : "" };
}

/**
 * @param {number} given
 * @param {number} count
 */
function unevenAnswers(given, count) {
  return t("{given} expected tokens for {count} prompts: give one for each, or one for all.", { given, count });
}

/**
 * @param {number} given
 * @param {number} count
 */
function unevenTargets(given, count) {
  return t("{given} decoder texts for {count} prompts: give one for each, or one for all.", { given, count });
}

/**
 * @param {PromptSet} set
 * @param {Ability} ability
 * @returns {PromptRequest | null}  null for an empty set, or one that cannot be run
 */
export function requestOfSet(set, { id, predicts, hasDecoder, hasChat }) {
  const { count, problem, prompts, template, fillings, answers, targets, system } = set;
  if (count === 0 || problem !== "") return null;
  const texts = template === "" ? { prompts } : { template, fillings };
  return {
    model: id,
    ...texts,
    ...(predicts && answers.length > 0 && { answers }),
    ...(hasDecoder && targets.length > 0 && { target_texts: targets }),
    ...(hasChat && system !== null && { chat: true, ...(system !== "" && { system_text: system }) }),
  };
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
 * @returns {Omit<PromptSet, "answers" | "targets" | "system">}
 */
function ofTemplate({ template, slots, pairing, distinct }, most) {
  const none = { count: 0, prompts: [], fillings: [], template };
  const names = slotsOf(template);
  if (names.length === 0) return { ...none, problem: t("The template has no slot: write one as {A}.") };
  /** @type {Map<string, string[]>} */
  const words = new Map();
  for (const [index, line] of slots.split(/\r\n|\r|\n/u).entries()) {
    const match = SLOT_LINE.exec(line);
    if (!match && line.trim() !== "") {
      return { ...none, problem: t("Slots, line {line}: write it as A: Mary, John.", { line: index + 1 }) };
    }
    if (!match) continue;
    const list = match[2].split(BETWEEN_WORDS).map((word) => word.trim());
    words.set(
      match[1],
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
  const combinations = pairing === "row" ? lists[0].map((_, index) => lists.map((list) => list[index])) : null;
  const total = combinations ? combinations.length : lists.reduce((product, list) => product * list.length, 1);
  // Before they are written down: a few more words make millions.
  if (total > MOST_LOOKED_AT) return { ...none, count: total, problem: tooMany(total, most) };
  const taken = (combinations ?? product(lists)).filter((row) => !distinct || new Set(row).size === row.length);
  const fillings = taken.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index]])));
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
