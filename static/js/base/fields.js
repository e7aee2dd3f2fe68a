/** Fields of a page's state: default, allowed values, and form in the URL. */

/** @typedef {{lang: string, theme: "" | "paper" | "night", step: number}} CommonState  of every page of a concept */

/**
 * Callbacks that take a value are typed as methods, so that any field is also a `Field<unknown>`.
 * @template T
 * @typedef {object} Field
 * @property {T} start
 * @property {(text: string) => T | null} parse  null for an invalid value
 * @property {{print(value: T): string}["print"]} print  never asked of null, which is not written
 * @property {string} wanted  allowed values, for a control: "0…1", "a, b, c"
 * @property {string} [name]  in the URL, if different from the state's
 * @property {{of(values: Record<string, unknown>): boolean}["of"]} [isWritten]  whether it goes into the URL; by default if it differs from its start
 * @property {boolean} [isAlwaysWritten]  even at its default, so that links stay valid when the default changes
 * @property {boolean} [mayBeLong]  a long value goes into the fragment, which no server sees
 */

/** @typedef {Record<string, Field<unknown>>} Fields */

/**
 * @template {Fields} F
 * @typedef {{[K in keyof F]: F[K] extends Field<infer T> ? T : never}} ValuesOf
 */

/**
 * @template {Fields} F
 * @typedef {ValuesOf<F> & CommonState} StateOf
 */

/** Longest value, percent-encoded, in the query; longer ones go into the fragment. */
export const LONGEST_IN_QUERY = 1500;

/** Safe in every URL: `1_0__0_1` is a matrix of two rows. Commas and semicolons are accepted too. */
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
 * A count in plain digits. If the default is null it may be absent, and is then not written.
 * @template {number | null} T
 * @param {T} start
 * @param {number} [least]
 * @param {number} [most]
 * @returns {Field<number | T>}
 */
export function count(start, least = 0, most = 999_999) {
  return {
    start,
    parse: (text) => (/^\d{1,9}$/.test(text) ? within(text, least, most) : null),
    print: String,
    wanted: `${least}…${most}`,
  };
}

/**
 * @template {string | number} T
 * @param {readonly T[]} allowed
 * @param {NoInfer<T>} [start]  the first unless given
 * @returns {Field<T>}
 */
export function choice(allowed, start = allowed[0]) {
  const parse = (/** @type {string} */ text) => allowed.find((one) => String(one) === text) ?? null;
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
 * @param {string} [start]
 * @param {number} [longest]
 * @returns {Field<string>}
 */
export function text(start = "", longest = Infinity) {
  return { start, parse: (one) => (one.length <= longest ? one : null), print: String, wanted: `≤ ${longest}` };
}

/**
 * A text that begins with an example in the reader's language: the same address shows every reader their own words.
 * @param {() => string} start  asked when it is needed, as translations come after the fields
 * @param {number} longest
 * @returns {Field<string>}
 */
export function example(start, longest) {
  return Object.defineProperty(text("", longest), "start", { get: start });
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
 * The values of these fields in a URL; defaults for missing or invalid ones.
 * @template {Fields} F
 * @param {F} fields
 * @param {{search: string, hash?: string}} location
 * @returns {ValuesOf<F>}
 */
export function readFields(fields, { search, hash = "" }) {
  const query = new URLSearchParams(search);
  const fragment = new URLSearchParams(hash.replace(/^#/, ""));
  const values = Object.entries(fields).map(([key, { start, parse, name = key, mayBeLong }]) => {
    const given = query.get(name) ?? (mayBeLong ? fragment.get(name) : null);
    return [key, (given === null ? null : parse(given)) ?? start];
  });
  return Object.fromEntries(values);
}

/**
 * These fields as a URL's query, and long ones as its fragment.
 * @template {Fields} F
 * @param {F} fields
 * @param {Readonly<ValuesOf<F>>} values
 * @returns {{query: URLSearchParams, fragment: URLSearchParams}}
 */
export function writeFields(fields, values) {
  const [query, fragment] = [new URLSearchParams(), new URLSearchParams()];
  for (const [key, { start, print, name = key, isWritten, isAlwaysWritten, mayBeLong }] of Object.entries(fields)) {
    const value = values[key];
    if (value === null) continue;
    if (!(isWritten ? isWritten(values) : isAlwaysWritten || start === null || print(value) !== print(start))) continue;
    const printed = print(value);
    const isLong = mayBeLong && new URLSearchParams({ text: printed }).toString().length > LONGEST_IN_QUERY;
    (isLong ? fragment : query).set(name, printed);
  }
  return { query, fragment };
}

/**
 * The default values of all fields, with these changes.
 * @template {Fields} F
 * @param {F} fields
 * @param {Partial<ValuesOf<F>>} [patch]
 * @returns {ValuesOf<F>}
 */
export function startsOf(fields, patch = {}) {
  const starts = Object.fromEntries(Object.entries(fields).map(([key, { start }]) => [key, start]));
  return /** @type {ValuesOf<F>} */ ({ ...starts, ...patch });
}

/** The language and the theme, which every page keeps in its URL. "" means the browser's. */
export const PAGE_FIELDS = { lang: text(), theme: choice(/** @type {const} */ (["", "paper", "night"])) };

/** The last step, whichever number it has: a page opens on the whole picture. */
export const LAST_STEP = 99;

/**
 * Codec between the state of a concept's page and its URL.
 * @template {Fields} F
 * @param {F} fields
 * @param {(state: StateOf<F>, query: URLSearchParams) => StateOf<F>} [settle]  reconciles fields that depend on each other
 *   once all are parsed
 */
export function codec(fields, settle = (state) => state) {
  const all = { ...fields, step: whole(LAST_STEP, 1, LAST_STEP), ...PAGE_FIELDS };
  return {
    /** @param {string} search @returns {StateOf<F>} */
    read: (search) => settle(/** @type {StateOf<F>} */ (readFields(all, { search })), new URLSearchParams(search)),
    /** @param {Readonly<StateOf<F>>} state */
    write: (state) => writeFields(all, state).query,
  };
}

/**
 * @param {string} given
 * @param {number} least
 * @param {number} most
 * @returns {number | null}  null unless it is a number in this range
 */
function within(given, least, most) {
  const value = given.trim() === "" ? NaN : Number(given.trim().replace("−", "-"));
  return value >= least && value <= most ? value : null;
}
