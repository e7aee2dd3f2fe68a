/** A picture is a URL: everything that shapes the view, written into one and read back. */

import { readTheme } from "../../base/theme.js";

/** @typedef {import("../../api/types.js").ViewState} ViewState */

export const DEFAULT_TEXT = "The cat sat on the mat because it was tired.";

/** @type {readonly import("../../api/types.js").Stage[]} */
export const STAGES = ["raw_scores", "scaled_scores", "masked_scores", "weights", "value_weighted", "norm_weighted"];

/** The views of the main panel, in the order of their tabs. */
export const VIEWS = /** @type {const} */ ([
  "matrix",
  "lines",
  "vectors",
  "token",
  "rollout",
  "output",
  "heads",
  "compare",
]);

/** Longest text, percent-encoded, that goes into the query; a longer one goes behind "#", which no server sees. */
export const QUERY_TEXT_LIMIT = 1500;

/** What `/` alone means: *it* (token 8) reads from *cat* (token 2) in layer 5, head 11 of MiniLM. */
export const DEFAULTS = Object.freeze(
  /** @type {ViewState} */ ({
    model: "",
    text: DEFAULT_TEXT,
    pair: "",
    target: "",
    picture: "",
    shade: 75,
    part: "",
    view: "matrix",
    layer: 5,
    head: 11,
    query: 8,
    key: 2,
    stage: "weights",
    rows: "",
    cols: "",
    lang: "",
    theme: "",
    numbering: 0,
    metric: "",
    measures: "",
    sorted: false,
    faint: false,
    heads: "",
    order: "",
    find: "",
    limits: "",
    hide: false,
    words: false,
    renormalise: false,
    mean: false,
    top: 70,
    lock: "",
    elements: "",
    direction: "reads",
    look: "",
    answer: null,
    against: null,
    cell: "",
    changes: "",
    baseline: false,
    otherText: "",
    otherModel: "",
  }),
);

/**
 * @param {{search: string, hash: string}} location
 * @returns {ViewState}
 */
export function readState(location) {
  const query = new URLSearchParams(location.search);
  const hash = new URLSearchParams(location.hash.replace(/^#/, ""));
  const text = query.get("text") ?? hash.get("text");
  // A link to another text says nothing about the tokens of this one.
  const token = text === null || text === DEFAULT_TEXT ? DEFAULTS : { query: null, key: null };
  const hasToken = query.has("query") || query.has("key");
  return {
    model: query.get("model") ?? DEFAULTS.model,
    text: text ?? DEFAULTS.text,
    pair: query.get("pair") ?? hash.get("pair") ?? DEFAULTS.pair,
    target: query.get("target") ?? hash.get("target") ?? DEFAULTS.target,
    picture: query.get("picture") ?? DEFAULTS.picture,
    shade: readPercent(query.get("shade"), 0, DEFAULTS.shade),
    part: query.get("part") ?? DEFAULTS.part,
    view: VIEWS.find((view) => view === query.get("view")) ?? DEFAULTS.view,
    layer: count(query.get("layer")) ?? DEFAULTS.layer,
    head: count(query.get("head")) ?? DEFAULTS.head,
    query: hasToken ? count(query.get("query")) : token.query,
    key: hasToken ? count(query.get("key")) : token.key,
    stage: STAGES.find((stage) => stage === query.get("stage")) ?? DEFAULTS.stage,
    rows: query.get("rows") ?? DEFAULTS.rows,
    cols: query.get("cols") ?? DEFAULTS.cols,
    lang: query.get("lang") ?? DEFAULTS.lang,
    theme: readTheme(query.get("theme")),
    numbering: query.get("numbering") === "1" ? 1 : 0,
    metric: query.get("metric") ?? DEFAULTS.metric,
    measures: query.get("measures") ?? DEFAULTS.measures,
    sorted: query.get("sorted") === "1",
    faint: query.get("faint") === "1",
    heads: query.get("heads") ?? DEFAULTS.heads,
    order: query.get("order") ?? DEFAULTS.order,
    find: query.get("find") ?? DEFAULTS.find,
    limits: query.get("limits") ?? DEFAULTS.limits,
    hide: query.get("hide") === "1",
    words: query.get("words") === "1",
    renormalise: query.get("renormalise") === "1",
    mean: query.get("mean") === "1",
    top: readPercent(query.get("top"), 1, DEFAULTS.top),
    lock: oneOf(/** @type {const} */ (["", "query", "key"]), query.get("lock")),
    elements: oneOf(/** @type {const} */ (["", "size"]), query.get("elements")),
    direction: oneOf(/** @type {const} */ (["reads", "read_by"]), query.get("direction")),
    look: oneOf(/** @type {const} */ (["", "logit_lens", "direct_effect", "attribution"]), query.get("look")),
    answer: count(query.get("answer")),
    against: count(query.get("against")),
    cell: query.get("cell") ?? DEFAULTS.cell,
    changes: query.get("changes") ?? DEFAULTS.changes,
    baseline: query.get("baseline") === "1",
    otherText: query.get("other_text") ?? hash.get("other_text") ?? DEFAULTS.otherText,
    otherModel: query.get("other_model") ?? DEFAULTS.otherModel,
  };
}

/**
 * The query and fragment of a state. What the picture rests on is always written, so that a link keeps its meaning
 * when a default changes; switches are written where they differ.
 * @param {ViewState} state
 * @returns {string}  such as "?model=…&text=…#…"
 */
export function writeState(state) {
  const query = new URLSearchParams();
  const hash = new URLSearchParams();
  if (state.model) query.set("model", state.model);
  (isLong(state.text) ? hash : query).set("text", state.text);
  if (state.pair) (isLong(state.pair) ? hash : query).set("pair", state.pair);
  if (state.target) (isLong(state.target) ? hash : query).set("target", state.target);
  if (state.picture) query.set("picture", state.picture);
  if (state.shade !== DEFAULTS.shade) query.set("shade", String(state.shade));
  if (state.part) query.set("part", state.part);
  if (state.view !== DEFAULTS.view) query.set("view", state.view);
  query.set("layer", String(state.layer));
  query.set("head", String(state.head));
  if (state.query !== null) query.set("query", String(state.query));
  if (state.key !== null) query.set("key", String(state.key));
  query.set("stage", state.stage);
  if (state.rows) query.set("rows", state.rows);
  if (state.cols) query.set("cols", state.cols);
  if (state.lang) query.set("lang", state.lang);
  if (state.theme) query.set("theme", state.theme);
  if (state.numbering) query.set("numbering", "1");
  if (state.metric) query.set("metric", state.metric);
  if (state.measures) query.set("measures", state.measures);
  if (state.sorted) query.set("sorted", "1");
  if (state.faint) query.set("faint", "1");
  if (state.heads) query.set("heads", state.heads);
  if (state.order) query.set("order", state.order);
  if (state.find) query.set("find", state.find);
  if (state.limits) query.set("limits", state.limits);
  for (const name of /** @type {const} */ (["hide", "words", "renormalise", "mean"])) {
    if (state[name]) query.set(name, "1");
  }
  if (state.top !== DEFAULTS.top) query.set("top", String(state.top));
  if (state.lock) query.set("lock", state.lock);
  if (state.elements) query.set("elements", state.elements);
  if (state.direction !== DEFAULTS.direction) query.set("direction", state.direction);
  if (state.look) query.set("look", state.look);
  if (state.answer !== null) query.set("answer", String(state.answer));
  if (state.against !== null) query.set("against", String(state.against));
  if (state.cell) query.set("cell", state.cell);
  if (state.changes) query.set("changes", state.changes);
  if (state.baseline) query.set("baseline", "1");
  if (state.otherText) (isLong(state.otherText) ? hash : query).set("other_text", state.otherText);
  if (state.otherModel) query.set("other_model", state.otherModel);
  const fragment = hash.size > 0 ? `#${hash}` : "";
  return `?${query}${fragment}`;
}

/**
 * @param {string} text
 * @returns {boolean}
 */
function isLong(text) {
  return new URLSearchParams({ text }).toString().length > QUERY_TEXT_LIMIT;
}

/**
 * A count from 0, or null for anything else.
 * @param {string | null} text
 * @returns {number | null}
 */
function count(text) {
  return text !== null && /^\d{1,6}$/.test(text) ? Number(text) : null;
}

/**
 * @param {string | null} text
 * @param {number} least
 * @param {number} otherwise
 * @returns {number}  percent
 */
function readPercent(text, least, otherwise) {
  const percent = count(text);
  return percent !== null && percent >= least && percent <= 100 ? percent : otherwise;
}

/**
 * @template {string} T
 * @param {readonly T[]} allowed  the first is the default
 * @param {string | null} text
 * @returns {T}
 */
function oneOf(allowed, text) {
  return allowed.find((one) => one === text) ?? allowed[0];
}
