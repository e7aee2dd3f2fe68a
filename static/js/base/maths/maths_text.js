/**
 * Mathematics inside texts: `d_k`, `e^(−m)`, `√d_k` and `q₀` become MathML, SVG or plain Unicode.
 * `server/pages/maths_text.py` reads the same notation in templates; both are tested with tests/maths_text.json.
 */

import { svg } from "../dom.js";
import { mathml } from "./mathml.js";

/**
 * @typedef {{is: "mi" | "mn" | "mo", text: string} | {is: "mrow" | "msub" | "msup" | "msqrt", of: Term[]}} Term
 */

const SUBSCRIPTS = { from: "₀₁₂₃₄₅₆₇₈₉₊₋ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", to: "0123456789+−aehijklmnoprstuvx" };
const SUPERSCRIPTS = {
  from: "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵀ",
  to: "0123456789+−abcdefghijklmnoprstuvwxyzT",
};
const BELOW = `[${SUBSCRIPTS.from}]`;
const ABOVE = `[${SUPERSCRIPTS.from}]`;
const LETTER = "[A-Za-z\u0391-\u03c9]";
const BEGINS = new RegExp(
  `(?<![A-Za-z0-9_.])(?:(?:${LETTER}|\\d+)(?=[_^][A-Za-z0-9(−∞])|${LETTER}(?=${BELOW}|${ABOVE}))|√(?=[A-Za-z0-9(])`,
  "u",
);
const NAME = /^(?:[A-Za-z]+|\d+)(?![A-Za-z0-9_])/;
const NUMBER = /^\d+(?:[.,]\d+)*/;
const EXPONENT = /^[−-]?(?:\d+(?:\.\d+)?|[A-Za-zα-ω∞])(?![A-Za-z0-9_])/;
const SIGNS_BELOW = new RegExp(`^${BELOW}+`, "u");
const SIGNS_ABOVE = new RegExp(`^${ABOVE}+`, "u");
const WORD = /^[A-Za-z\u0391-\u03c9]+|^[^\s\d()_^√+\-−*/·=,.|‖<>[\]]+/;

/**
 * The text's parts: strings as they are, and terms.
 * @param {string} text
 * @returns {(string | Term)[]}
 */
export function readMaths(text) {
  const match = BEGINS.exec(text);
  if (!match) return text === "" ? [] : [text];
  const before = text.slice(0, match.index);
  const read = readTerm(text.slice(match.index));
  const rest = readMaths(text.slice(match.index + read.length));
  return [...(before ? [before] : []), read.term, ...rest];
}

/**
 * The text with its mathematics as MathML.
 * @param {string} text
 * @returns {(string | Element)[]}
 */
export function maths(text) {
  return readMaths(text).map((part) => (typeof part === "string" ? part : formulaOf(part)));
}

/**
 * The same inside an SVG text.
 * @param {string} text
 * @returns {(string | SVGElement)[]}
 */
export function svgMaths(text) {
  /** @type {(string | SVGElement)[]} */
  const made = [];
  let raised = 0; // in em of the text
  const put = (/** @type {string} */ piece, /** @type {number} */ by) => {
    if (by === 0 && raised === 0) made.push(piece);
    else made.push(svg("tspan", { dy: `${(raised - by) / (by ? INDEX : 1)}em`, class: by ? "is-index" : null }, piece));
    raised = by;
  };
  const draw = (/** @type {Term} */ term, /** @type {number} */ by) => {
    if (!("of" in term)) return put(term.text, by);
    const [first, second] = term.of;
    if (term.is === "msqrt") put("√", by);
    if (term.is === "mrow" || term.is === "msqrt") return term.of.forEach((part) => draw(part, by));
    draw(first, by);
    draw(second, term.is === "msub" ? -0.25 : 0.35);
  };
  for (const part of readMaths(text)) {
    if (typeof part === "string") put(part, 0);
    else draw(part, 0);
  }
  return made;
}

/** Size of an index in an SVG text; `.is-index` in math.css. */
const INDEX = 0.85;

/**
 * The same where only plain text can stand: titles, options, names for screen readers.
 * @param {string} text
 */
export function plainMaths(text) {
  return readMaths(text)
    .map((part) => (typeof part === "string" ? part : plain(part)))
    .join("");
}

/** Labels and headings have no other name, so it is spelled out, where Unicode can. @param {Term} term */
function formulaOf(term) {
  const name = plain(term);
  return mathml("math", name.includes("^") ? {} : { "aria-label": name }, markup(term));
}

/** @param {Term} term @returns {Element} */
function markup(term) {
  return "of" in term ? mathml(term.is, {}, ...term.of.map(markup)) : mathml(term.is, {}, term.text);
}

/** @param {Term} term @returns {string} */
function plain(term) {
  if (!("of" in term)) return term.text;
  const [first, second] = term.of.map(plain);
  if (term.is === "msub") return first + (small(second, SUBSCRIPTS) ?? (second.length > 1 ? ` ${second}` : second));
  if (term.is === "msup") return first + (small(second, SUPERSCRIPTS) ?? `^(${second})`);
  const inside = term.of.map(plain).join("");
  return term.is === "msqrt" ? `√${inside.length > 1 && term.of[0].is === "mrow" ? `(${inside})` : inside}` : inside;
}

/** @param {string} text @param {{from: string, to: string}} signs */
function small(text, { from, to }) {
  const places = [...text].map((sign) => to.indexOf(sign));
  return places.includes(-1) ? null : places.map((place) => [...from][place]).join("");
}

/** @param {string} text @param {{from: string, to: string}} signs */
const full = (text, { from, to }) => [...text].map((sign) => to[[...from].indexOf(sign)]).join("");

/**
 * The term at the beginning of the text, with its indices.
 * @param {string} text
 * @returns {{term: Term, length: number}}
 */
function readTerm(text) {
  if (text.startsWith("√")) {
    const inside = text[1] === "(" ? readGroup(text.slice(1)) : readTerm(text.slice(1));
    return { term: { is: "msqrt", of: [inside.term] }, length: 1 + inside.length };
  }
  let { term, length } = readAtom(text);
  for (let index = readIndex(text.slice(length)); index; index = readIndex(text.slice(length))) {
    term = { is: index.is, of: [term, index.term] };
    length += index.length;
  }
  return { term, length };
}

/** @param {string} text @returns {{term: Term, length: number}} */
function readAtom(text) {
  const number = NUMBER.exec(text)?.[0];
  if (number) return { term: { is: "mn", text: number }, length: number.length };
  const word = WORD.exec(text)?.[0] ?? text[0];
  const isLetter = word.length > 1 && new RegExp(`^${LETTER}(${BELOW}|${ABOVE})`, "u").test(word);
  const name = isLetter ? word[0] : word;
  return { term: { is: WORD.test(name) ? "mi" : "mo", text: name === "-" ? "−" : name }, length: name.length };
}

/** @param {string} text @returns {{is: "msub" | "msup", term: Term, length: number} | null} */
function readIndex(text) {
  const below = SIGNS_BELOW.exec(text)?.[0];
  if (below) return { is: "msub", term: whole(full(below, SUBSCRIPTS)), length: below.length };
  const above = SIGNS_ABOVE.exec(text)?.[0];
  if (above) return { is: "msup", term: whole(full(above, SUPERSCRIPTS)), length: above.length };
  if (text[0] !== "_" && text[0] !== "^") return null;
  const is = text[0] === "_" ? "msub" : "msup";
  const after = text.slice(1);
  if (after.startsWith("(")) {
    const { term, length } = readGroup(after);
    return { is, term, length: length + 1 };
  }
  const own = (is === "msub" ? NAME : EXPONENT).exec(after)?.[0];
  return own ? { is, term: whole(own), length: own.length + 1 } : null;
}

/** A balanced pair of parentheses, which only group. @param {string} text @returns {{term: Term, length: number}} */
function readGroup(text) {
  let depth = 0;
  for (let end = 0; end < text.length; end++) {
    depth += text[end] === "(" ? 1 : text[end] === ")" ? -1 : 0;
    if (depth === 0) return { term: whole(text.slice(1, end)), length: end + 1 };
  }
  return { term: whole(text.slice(1)), length: text.length };
}

/** A whole expression. @param {string} text @returns {Term} */
function whole(text) {
  /** @type {Term[]} */
  const terms = [];
  for (let position = 0; position < text.length;) {
    if (text[position] === " ") position++;
    else {
      const { term, length } = readTerm(text.slice(position));
      terms.push(term);
      position += length;
    }
  }
  return terms.length === 1 ? terms[0] : { is: "mrow", of: terms };
}

/** @type {WeakMap<Element, string>} */
const said = new WeakMap();

/**
 * Sets an element's text with its mathematics; screen readers do not announce an unchanged text again.
 * @param {Element} element
 * @param {string} text
 */
export function sayMaths(element, text) {
  if (said.get(element) === text) return;
  said.set(element, text);
  const parts = maths(text);
  const now = parts.map((part) => (typeof part === "string" ? part : part.textContent)).join("");
  if (element.textContent !== now) element.replaceChildren(...parts);
}
