/** What-if changes: a list in memory, written compactly to the URL, and as the API takes them. */

/** @typedef {{kind: string, [field: string]: unknown}} Intervention  as `POST /api/analyses` takes it */

/**
 * One change. `layer` and `head` are null for all of them, `part` is "" for the model's first.
 *
 * @typedef {object} Place
 * @property {string} part
 * @property {number | null} layer
 * @property {number | null} head
 *
 * @typedef {"off" | "mean" | "uniform" | "previous" | "causal"} Setting  a change that needs no more than its place
 *
 * @typedef {Place & (
 *   | {kind: Setting}
 *   | {kind: "cut", query: number | null, key: number | null}
 *   | {kind: "row", query: number, shares: [number, number][]}
 *   | {kind: "temperature", temperature: number}
 * )} Change
 */

/** @type {readonly Setting[]} */
const SETTINGS = ["off", "mean", "uniform", "previous", "causal"];
const PARTS = ["encoder", "decoder", "cross"];
const ALL = "all";
/** More than a person makes; a link with more is somebody's game. */
const MOST = 64;

/**
 * Such as "off-5.11_cut-5.11-8.2_temperature-all.3-0.5": only signs that URLs leave as they are.
 * @param {readonly Change[]} changes
 * @returns {string}
 */
export function writeChanges(changes) {
  return changes.map(writeChange).join("_");
}

/** @param {Change} change */
function writeChange(change) {
  const head = [change.kind, writePlace(change)];
  switch (change.kind) {
    case "cut":
      return [...head, `${change.query ?? ALL}.${change.key ?? ALL}`].join("-");
    case "row":
      return [...head, change.query, ...change.shares.map(([key, share]) => `${key}*${share}`)].join("-");
    case "temperature":
      return [...head, change.temperature].join("-");
    default:
      return head.join("-");
  }
}

/** @param {Place} place */
function writePlace({ part, layer, head }) {
  return [...(part ? [part] : []), layer ?? ALL, head ?? ALL].join(".");
}

/**
 * What of a text is a list of changes; the rest is left out.
 * @param {string} text
 * @returns {Change[]}
 */
export function readChanges(text) {
  const items = text.split("_").slice(0, MOST);
  return items
    .map(readChange)
    .reduce((list, change) => (change ? withChange(list, change) : list), /** @type {Change[]} */ ([]));
}

/**
 * What of a text is no change, or one too many.
 * @param {string} text
 * @returns {string[]}
 */
export function unreadable(text) {
  return text.split("_").filter((item, index) => item !== "" && (index >= MOST || !readChange(item)));
}

/**
 * @param {string} item
 * @returns {Change | null}
 */
function readChange(item) {
  const [kind, where = "", ...rest] = item.split("-");
  const place = readPlace(where);
  if (!place) return null;
  const setting = SETTINGS.find((name) => name === kind);
  if (setting) return rest.length === 0 ? { kind: setting, ...place } : null;
  if (kind === "temperature") {
    const temperature = Number(rest[0]);
    return temperature >= 0.001 && temperature <= 1000 ? { kind, ...place, temperature } : null;
  }
  if (kind === "cut") {
    const [query, key] = (rest[0] ?? "").split(".").map(readIndex);
    if (query === undefined || key === undefined || (query === null && key === null)) return null;
    return { kind, ...place, query, key };
  }
  return kind === "row" ? readRow(place, rest) : null;
}

/**
 * @param {Place} place
 * @param {string[]} fields
 * @returns {Change | null}
 */
function readRow(place, [which = "", ...given]) {
  const query = readIndex(which);
  const shares = given.map((share) => /** @type {[number, number]} */ (share.split("*").map(Number)));
  const isRight = shares.every(([key, share]) => Number.isInteger(key) && key >= 0 && share > 0 && share < Infinity);
  return query === undefined || query === null || !isRight ? null : { kind: "row", ...place, query, shares };
}

/**
 * @param {string} text
 * @returns {Place | null}
 */
function readPlace(text) {
  const fields = text.split(".");
  const part = fields.length === 3 ? /** @type {string} */ (fields.shift()) : "";
  const [layer, head] = fields.map(readIndex);
  if (fields.length !== 2 || layer === undefined || head === undefined) return null;
  return part === "" || PARTS.includes(part) ? { part, layer, head } : null;
}

/**
 * @param {string} text
 * @returns {number | null | undefined}  null for all, undefined for neither
 */
function readIndex(text) {
  if (text === ALL) return null;
  return /^\d{1,6}$/.test(text) ? Number(text) : undefined;
}

/**
 * The list with one more. What sets the same thing of the same head gives way: the server takes it once.
 * @param {readonly Change[]} changes
 * @param {Change} added
 * @returns {Change[]}
 */
export function withChange(changes, added) {
  return [...changes.filter((change) => !collides(change, added)), added];
}

/**
 * @param {readonly Change[]} changes
 * @param {Change} removed
 * @returns {Change[]}
 */
export function withoutChange(changes, removed) {
  const name = writeChange(removed);
  return changes.filter((change) => writeChange(change) !== name);
}

/**
 * @param {readonly Change[]} changes
 * @param {Change} change
 * @returns {boolean}
 */
export function hasChange(changes, change) {
  const name = writeChange(change);
  return changes.some((change) => writeChange(change) === name);
}

/**
 * All of these made, or taken back where all of them are.
 * @param {readonly Change[]} changes
 * @param {readonly Change[]} these
 * @returns {Change[]}
 */
export function toggled(changes, these) {
  const isMade = these.every((change) => hasChange(changes, change));
  return these.reduce(isMade ? withoutChange : withChange, [...changes]);
}

/**
 * @param {Change} a
 * @param {Change} b
 */
function collides(a, b) {
  if (!meets(a, b)) return false;
  if (writeChange(a) === writeChange(b)) return true;
  if (a.kind === "row" && b.kind === "row") return a.query === b.query;
  return a.kind !== "cut" && a.kind !== "row" && thing(a.kind) === thing(b.kind);
}

/** @param {Change["kind"]} kind */
function thing(kind) {
  if (kind === "off" || kind === "mean") return "output";
  return kind === "uniform" || kind === "previous" ? "pattern" : kind;
}

/**
 * Whether two places have a head in common.
 * @param {Place} a
 * @param {Place} b
 */
function meets(a, b) {
  const agree = (/** @type {number | null} */ x, /** @type {number | null} */ y) => x === null || y === null || x === y;
  return a.part === b.part && agree(a.layer, b.layer) && agree(a.head, b.head);
}

/**
 * @typedef {object} Shape  what a row of weights must fit
 * @property {number} keys
 * @property {boolean} causal
 */

/**
 * The list as the API takes it.
 * @param {readonly Change[]} changes
 * @param {(part: string) => Shape} shapeOf
 * @returns {Intervention[]}
 */
export function interventions(changes, shapeOf) {
  return changes.map((change) => {
    const { part, layer, head } = change;
    const where = { ...(part && { part }), layer: layer ?? ALL, heads: head === null ? ALL : [head] };
    switch (change.kind) {
      case "off":
      case "mean":
        return { kind: "head_off", ...where, mode: change.kind === "off" ? "zero" : "mean" };
      case "cut":
        return { kind: "cut_edges", ...where, edges: [[change.query, change.key]] };
      case "row":
        return { kind: "replace_row", ...where, query: change.query, weights: rowOf(change, shapeOf(part)) };
      case "temperature":
        return { kind: "temperature", ...where, temperature: change.temperature };
      default:
        return { kind: "pattern", ...where, pattern: change.kind === "previous" ? "previous_token" : change.kind };
    }
  });
}

/**
 * @param {Change & {kind: "row"}} change
 * @param {Shape} shape
 * @returns {number[]}
 */
function rowOf({ query, shares }, { keys, causal }) {
  const length = Math.max(keys, ...shares.map(([key]) => key + 1));
  const readable = causal ? query + 1 : keys;
  /** @type {number[]} */
  const row = Array.from({ length }, (_, key) => (shares.length === 0 && key < readable ? 1 : 0));
  for (const [key, share] of shares) row[key] = share;
  return row;
}
