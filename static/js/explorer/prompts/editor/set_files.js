/** Read a set of prompts from a file, and write one. */

import { t } from "../../../base/i18n.js";
import { EMPTY_SET, linesOf } from "../../state/prompt_set.js";

/** @typedef {import("../../state/prompt_set.js").SetText} SetText */

/** The endings of files that are read. */
export const KINDS = ["txt", "csv", "json", "jsonl"];
/** Bytes of a file. */
export const MOST_BYTES = 2_000_000;
/** How a saved set begins. */
const FORMAT = "attention-observatory prompts";
/** Names of a column or field that holds the text. */
const TEXT_NAMES = ["text", "prompt", "sentence"];
/** Names of a column or field that holds the token expected next. */
const ANSWER_NAMES = ["answer", "target", "expected"];
/** Names of a column or field that holds what the decoder of an encoder–decoder model is given. */
const TARGET_NAMES = ["target_text", "decoder_text"];

/** What is wrong with a file; its message names the line. */
export class SetFileError extends Error {}

/**
 * @param {SetText} set
 * @returns {string}
 */
export function writeSet(set) {
  const { prompts, template, slots, answers, targets, pairing, distinct, promptChat, promptSystem } = set;
  const content = template === "" ? { prompts: prompts.split("\n") } : { template, slots, pairing, distinct };
  const further = {
    ...(answers.trim() !== "" && { answers: linesOf(answers) }),
    ...(targets.trim() !== "" && { target_texts: linesOf(targets) }),
    ...(promptChat && { chat: true, ...(promptSystem.trim() !== "" && { system_text: promptSystem }) }),
  };
  return `${JSON.stringify({ format: FORMAT, version: 1, ...content, ...further }, null, 1)}\n`;
}

/**
 * @param {string} name  of the file, whose ending says what it is
 * @param {string} content
 * @param {number} most  prompts
 * @returns {SetText}
 */
export function readSetFile(name, content, most) {
  const kind = /\.([a-z]+)$/u.exec(name.toLowerCase())?.[1] ?? "txt";
  const text = content.replace(/^\ufeff/u, "");
  if (kind === "json") return ofJson(text, most);
  if (kind === "jsonl") return ofTexts(ofLines(text), most);
  if (kind === "csv") return ofTexts(ofTable(text), most);
  const lines = text.split(/\r\n|\r|\n/u).map((line, index) => ({ text: line, line: index + 1 }));
  return ofTexts(
    lines.filter((line) => line.text.trim() !== ""),
    most,
  );
}

/**
 * @param {string} text
 * @param {number} most
 * @returns {SetText}
 */
function ofJson(text, most) {
  const file = parsed(text, () => t("The file is not valid JSON."));
  const list = Array.isArray(file) ? file : record(file).prompts;
  const { template, slots, pairing, distinct } = record(file);
  if (!Array.isArray(list) && typeof template === "string" && typeof slots === "string") {
    /** @type {"row" | "all"} */
    const kind = pairing === "row" ? "row" : "all";
    const ways = { pairing: kind, distinct: distinct !== false };
    return { ...EMPTY_SET, template, slots, ...furtherIn(file), ...ways };
  }
  if (!Array.isArray(list)) throw new SetFileError(t("The file holds neither a list of prompts nor a template."));
  const set = ofTexts(
    list.map((entry, index) => ({ ...entryIn(entry, index + 1), line: index + 1 })),
    most,
  );
  const { answers, targets, ...chat } = furtherIn(file);
  return { ...set, ...chat, answers: set.answers || answers, targets: set.targets || targets };
}

/**
 * Lines of JSON, each a string or an object with a text.
 * @param {string} text
 */
function ofLines(text) {
  return text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    const problem = () => t("Line {line} is not valid JSON.", { line: index + 1 });
    return [{ ...entryIn(parsed(line, problem), index + 1), line: index + 1 }];
  });
}

/**
 * What a saved set has besides its prompts.
 * @param {unknown} file
 */
function furtherIn(file) {
  const { answers, target_texts: targets, chat, system_text: system } = record(file);
  const lines = (/** @type {unknown} */ list) => (Array.isArray(list) ? list.filter(isText).join("\n") : "");
  const promptChat = chat === true;
  return {
    answers: lines(answers),
    targets: lines(targets),
    promptChat,
    promptSystem: promptChat && isText(system) ? system : "",
  };
}

/**
 * The first column of a table, or the one that is named text, prompt or sentence.
 * @param {string} text
 */
function ofTable(text) {
  const rows = rowsOf(text).filter(({ cells }) => cells.some((cell) => cell.trim() !== ""));
  const column = rows[0]?.cells.findIndex((cell) => TEXT_NAMES.includes(cell.trim().toLowerCase())) ?? -1;
  const columnOf = (/** @type {string[]} */ names) =>
    column < 0 ? -1 : rows[0].cells.findIndex((cell) => names.includes(cell.trim().toLowerCase()));
  const [expected, target] = [columnOf(ANSWER_NAMES), columnOf(TARGET_NAMES)];
  return rows.slice(column < 0 ? 0 : 1).map(({ cells, line }) => {
    const prompt = cells[Math.max(column, 0)];
    if (!prompt?.trim()) throw new SetFileError(t("Line {line} holds no text.", { line }));
    return { text: prompt, line, answer: cells[expected] ?? "", target: cells[target] ?? "" };
  });
}

/**
 * Rows of a CSV file (RFC 4180), each with the line that it begins in.
 * @param {string} text
 * @returns {{cells: string[], line: number}[]}
 */
export function rowsOf(text) {
  /** @type {{cells: string[], line: number}[]} */
  const rows = [];
  /** @type {string[]} */
  let cells = [];
  let cell = "";
  let isQuoted = false;
  let line = 1;
  let begun = line;
  const endCell = () => {
    cells.push(cell);
    cell = "";
  };
  const endRow = () => {
    endCell();
    rows.push({ cells, line: begun });
    cells = [];
  };
  for (let index = 0; index < text.length; index++) {
    const sign = text[index];
    if (sign === "\n") line += 1;
    if (isQuoted && sign === '"' && text[index + 1] === '"') {
      cell += sign;
      index += 1;
    } else if (isQuoted && sign === '"') isQuoted = false;
    else if (isQuoted) cell += sign;
    else if (sign === '"' && cell === "") isQuoted = true;
    else if (sign === ",") endCell();
    else if (sign === "\n") {
      endRow();
      begun = line;
    } else if (sign !== "\r") cell += sign;
  }
  if (isQuoted) throw new SetFileError(t("Line {line} begins a quotation that does not end.", { line: begun }));
  if (cell !== "" || cells.length > 0) endRow();
  return rows;
}

/**
 * @param {{text: string, line: number, answer?: string, target?: string}[]} entries
 * @param {number} most
 * @returns {SetText}
 */
function ofTexts(entries, most) {
  if (entries.length === 0) throw new SetFileError(t("The file holds no prompts."));
  if (entries.length > most) {
    throw new SetFileError(t("{count} prompts; this server accepts at most {most}.", { count: entries.length, most }));
  }
  for (const { text, line } of entries) {
    if (/[\r\n]/u.test(text.trim())) throw new SetFileError(t("Line {line}: a prompt holds a line break.", { line }));
  }
  const answers = allOrNone(
    entries.map(({ answer = "", line }) => ({ text: answer.trim(), line })),
    (line) => t("Line {line} names no expected token, as others do.", { line }),
  );
  const targets = allOrNone(
    entries.map(({ target = "", line }) => ({ text: target.trim(), line })),
    (line) => t("Line {line} has no text for the decoder, as others do.", { line }),
  );
  return { ...EMPTY_SET, prompts: entries.map(({ text }) => text.trim()).join("\n"), answers, targets };
}

/**
 * What each entry has, or none, as lines.
 * @param {{text: string, line: number}[]} entries
 * @param {(line: number) => string} problem
 */
function allOrNone(entries, problem) {
  const missing = entries.find(({ text }) => text === "");
  if (!missing) return entries.map(({ text }) => text).join("\n");
  if (entries.some(({ text }) => text !== "")) throw new SetFileError(problem(missing.line));
  return "";
}

/**
 * @param {string} text
 * @param {() => string} problem
 * @returns {unknown}
 */
function parsed(text, problem) {
  try {
    return JSON.parse(text);
  } catch {
    throw new SetFileError(problem());
  }
}

/**
 * @param {unknown} value
 * @returns {Record<string, unknown>}
 */
function record(value) {
  return typeof value === "object" && value !== null ? /** @type {Record<string, unknown>} */ (value) : {};
}

/**
 * An entry's text, the token expected after it, and the decoder's text, if it names them.
 * @param {unknown} entry
 * @param {number} line
 */
function entryIn(entry, line) {
  const fields = record(entry);
  const fieldOf = (/** @type {string[]} */ names) => names.map((name) => fields[name]).find(isText) ?? "";
  return { text: textIn(entry, line), answer: fieldOf(ANSWER_NAMES), target: fieldOf(TARGET_NAMES) };
}

/**
 * The text of an entry: itself, or its field.
 * @param {unknown} entry
 * @param {number} line
 */
function textIn(entry, line) {
  const fields = record(entry);
  const written = typeof entry === "string" ? entry : TEXT_NAMES.map((name) => fields[name]).find(isText);
  if (!isText(written) || written.trim() === "") throw new SetFileError(t("Line {line} holds no text.", { line }));
  return written;
}

/** @param {unknown} value @returns {value is string} */
function isText(value) {
  return typeof value === "string";
}
