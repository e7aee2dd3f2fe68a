/** Formulas as MathML elements. A term's class gives it its colour in the chart. */

/** @typedef {Element | string | number} Part */

/**
 * @param {string} tag
 * @param {Record<string, string>} attributes
 * @param {...Part} parts
 * @returns {Element}
 */
export function mathml(tag, attributes, ...parts) {
  const element = document.createElementNS("http://www.w3.org/1998/Math/MathML", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...parts.map((part) => (typeof part === "number" ? String(part) : part)));
  return element;
}

/** @param {...Part} parts */
export const formula = (...parts) => mathml("math", { display: "block" }, row(...parts));

/** @param {...Part} parts */
export const inline = (...parts) => mathml("math", {}, row(...parts));

/** Strings become operators, numbers become numbers; a function's name stands apart. @param {...Part} parts */
export const row = (...parts) => mathml("mrow", {}, ...spaced(parts.map(atom)));

/** @param {string} letter @param {string} [role]  "is-query", "is-key" … */
export const name = (letter, role = "") => mathml("mi", role ? { class: role } : {}, letter);

/** A vector, upright and bold. @param {string} letter @param {string} [role] */
export const vector = (letter, role = "") =>
  mathml("mi", { mathvariant: "normal", class: `is-vector ${role}`.trim() }, letter);

/** @param {string} text  as it is to be read, such as 0.25 or 1.2 × 10⁻⁷ @param {string} [role] */
export function number(text, role = "") {
  /** @type {Record<string, string>} */
  const attributes = role ? { class: role } : {};
  const [digits, power] = text.split("\u00a0×\u00a010");
  if (!power) return mathml("mn", attributes, text);
  const exponent = [...power].map((sign) => "−0123456789"["⁻⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(sign)]).join("");
  const ten = sup(mathml("mn", {}, "10"), mathml("mn", {}, exponent));
  return mathml("mrow", attributes, mathml("mn", {}, digits), mathml("mo", {}, "×"), ten);
}

/** @param {Part} base @param {Part} below */
export const sub = (base, below) => mathml("msub", {}, atom(base), atom(below));

/** @param {Part} base @param {Part} above */
export const sup = (base, above) => mathml("msup", {}, atom(base), atom(above));

/** @param {Part} above @param {Part} below */
export const over = (above, below) => mathml("mfrac", {}, atom(above), atom(below));

/** @param {Part} inside */
export const root = (inside) => mathml("msqrt", {}, atom(inside));

/** @param {Part} below */
export const sum = (below) => mathml("munder", {}, mathml("mo", { movablelimits: "false" }, "∑"), atom(below));

/** @param {...Part} parts */
export const bracket = (...parts) => row("(", ...parts, ")");

/** A matrix in brackets. @param {readonly (readonly Part[])[]} rows */
export const matrix = (rows) =>
  bracket(
    mathml(
      "mtable",
      {},
      ...rows.map((cells) => mathml("mtr", {}, ...cells.map((cell) => mathml("mtd", {}, atom(cell))))),
    ),
  );

/** @param {...Part} parts */
export const size = (...parts) =>
  row(mathml("mo", { stretchy: "false" }, "|"), ...parts, mathml("mo", { stretchy: "false" }, "|"));

/**
 * @param {Part} part
 * @returns {Element}
 */
function atom(part) {
  if (typeof part === "number") return mathml("mn", {}, part);
  return typeof part === "string" ? mathml("mo", {}, part) : part;
}

/**
 * A thin space between a function's name, such as cos, and what stands beside it without an operator or bracket.
 * @param {Element[]} atoms
 */
function spaced(atoms) {
  return atoms.flatMap((atom, index) => {
    const before = atoms[index - 1];
    const isApart = before && (isWord(before) ? !isOperator(atom) : isWord(atom) && !isOperator(before));
    return isApart ? [mathml("mspace", { width: "0.17em" }), atom] : [atom];
  });
}

/** @param {Element} atom  with an index or without */
function isWord(atom) {
  const base = /^m(sub|sup)$/.test(atom.localName) ? atom.children[0] : atom;
  return base.localName === "mi" && [...(base.textContent ?? "")].length > 1;
}

/** @param {Element} atom */
function isOperator(atom) {
  const first = atom.localName === "mrow" ? (atom.children[0] ?? atom) : atom;
  return first.localName === "mo" || first.localName === "mspace";
}
