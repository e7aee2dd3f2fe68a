/** A page's state as fields: where each begins, what it may be, and how the URL spells it. */

import { readTheme } from "./theme.js";

/**
 * @template T
 * @typedef {object} Field
 * @property {T} start
 * @property {(text: string) => T | null} parse  null for what it may not be
 * @property {(value: T) => string} print
 * @property {string} wanted  bounds as a control needs them: "0…1", "a, b, c"
 */

/**
 * @template {Record<string, Field<any>>} F
 * @typedef {{[K in keyof F]: F[K] extends Field<infer T> ? T : never} & import("../concepts/frame/frame.js").CommonState} StateOf
 */

/** Safe in every URL: `1_0__0_1` is a matrix of two rows. Commas and semicolons are read too. */
const BETWEEN_NUMBERS = "_";
const BETWEEN_ROWS = "__";

/**
 * @param {number} start
 * @param {number} least
 * @param {number} most
 * @returns {Field<number>}
 */
export function number(start, least, most) {
  return { start, parse: (text) => within(text, least, most), print: String, wanted: `${least}…${most}` };
}

/**
 * @param {number} start
 * @param {number} least
 * @param {number} most
 * @returns {Field<number>}
 */
export function whole(start, least, most) {
  const parse = (/** @type {string} */ text) => {
    const found = within(text, least, most);
    return found !== null && Number.isInteger(found) ? found : null;
  };
  return { ...number(start, least, most), parse };
}

/**
 * @template {string} T
 * @param {readonly T[]} allowed
 * @param {NoInfer<T>} [start]  the first unless given
 * @returns {Field<T>}
 */
export function choice(allowed, start = allowed[0]) {
  const parse = (/** @type {string} */ text) => allowed.find((one) => one === text) ?? null;
  return { start, parse, print: String, wanted: allowed.join(", ") };
}

/**
 * @param {boolean} [start]
 * @returns {Field<boolean>}
 */
export function flag(start = false) {
  const parse = (/** @type {string} */ text) => (text === "1" ? true : text === "0" ? false : null);
  return { start, parse, print: (value) => (value ? "1" : "0"), wanted: "0, 1" };
}

/**
 * Any text up to a length.
 * @param {string} start
 * @param {number} longest
 * @returns {Field<string>}
 */
export function text(start, longest) {
  return { start, parse: (one) => (one.length <= longest ? one : null), print: String, wanted: `≤ ${longest}` };
}

/**
 * A list of numbers.
 * @param {readonly number[]} start
 * @param {{least: number, most: number, fewest?: number, count: number}} bounds
 * @returns {Field<number[]>}
 */
export function numbers(start, { least, most, fewest = 1, count }) {
  const parse = (/** @type {string} */ one) => {
    const found = one.split(/[,_;\s]+/).map((part) => within(part, least, most));
    return found.length >= fewest && found.length <= count && !found.includes(null)
      ? /** @type {number[]} */ (found)
      : null;
  };
  return { start: [...start], parse, print: (value) => value.join(BETWEEN_NUMBERS), wanted: `${least}…${most}` };
}

/**
 * Rows of numbers, all of one length.
 * @param {readonly (readonly number[])[]} start
 * @param {{least: number, most: number, rows: number, columns: number}} bounds  at most so many rows and columns
 * @returns {Field<number[][]>}
 */
export function matrix(start, { least, most, rows, columns }) {
  const row = numbers([], { least, most, count: columns });
  const parse = (/** @type {string} */ one) => {
    const found = one.split(/__|;/).map(row.parse);
    const isEven = found.every((each) => each !== null && each.length === found[0]?.length);
    return isEven && found.length <= rows ? /** @type {number[][]} */ (found) : null;
  };
  const print = (/** @type {number[][]} */ value) => value.map(row.print).join(BETWEEN_ROWS);
  return { start: start.map((one) => [...one]), parse, print, wanted: row.wanted };
}

/**
 * What `startConcept` needs to keep these fields in the URL, each under its own name and only where it differs from
 * its start; and `from`, the whole state of a figure to begin with.
 * @template {Record<string, Field<any>>} F
 * @param {F} fields
 * @param {number} [steps]  of the calculation; the last is shown first
 */
export function codec(fields, steps = 99) {
  const entries = Object.entries(fields);
  const step = whole(steps, 1, steps);
  const starts = Object.fromEntries(entries.map(([name, field]) => [name, field.start]));
  return {
    fields,
    /** @param {string} search @returns {StateOf<F>} */
    read(search) {
      const query = new URLSearchParams(search);
      const state = Object.fromEntries(
        entries.map(([name, field]) => [name, parsed(field, query.get(name)) ?? field.start]),
      );
      const common = { lang: query.get("lang") ?? "", theme: readTheme(query.get("theme")) };
      return /** @type {any} */ ({ ...state, step: parsed(step, query.get("step")) ?? steps, ...common });
    },
    /** @param {Readonly<StateOf<F>>} state */
    write(state) {
      const query = new URLSearchParams();
      const value = /** @type {Record<string, any>} */ (state);
      for (const [name, field] of entries) {
        const printed = field.print(value[name]);
        if (printed !== field.print(field.start)) query.set(name, printed);
      }
      if (state.step !== steps) query.set("step", String(state.step));
      if (state.lang) query.set("lang", state.lang);
      if (state.theme) query.set("theme", state.theme);
      return query;
    },
    /**
     * @param {Partial<StateOf<F>>} [patch]
     * @returns {Partial<StateOf<F>>}
     */
    from(patch = {}) {
      return /** @type {any} */ ({ ...starts, ...patch });
    },
  };
}

/**
 * @template T
 * @param {Field<T>} field
 * @param {string | null} given
 * @returns {T | null}
 */
function parsed(field, given) {
  return given === null ? null : field.parse(given);
}

/**
 * @param {string} given
 * @param {number} least
 * @param {number} most
 * @returns {number | null}  null for what is no number between them
 */
function within(given, least, most) {
  const value = given.trim() === "" ? NaN : Number(given.trim().replace("−", "-"));
  return value >= least && value <= most ? value : null;
}
