/** The state of the view as fields: everything that shapes it, written to the URL and read back. */

import {
  PAGE_FIELDS,
  choice,
  count,
  flag,
  number,
  readFields,
  startsOf,
  text,
  writeFields,
} from "../../base/fields.js";
import { SET_TEXTS, isInLink } from "./set_in_link.js";

/** @typedef {import("../../base/fields.js").ValuesOf<typeof FIELDS>} ViewState  all that shapes the picture */
/** @typedef {(typeof VIEWS)[number]} ViewName */

export const DEFAULT_TEXT = "The cat sat on the mat because it was tired.";
/** *it* attends to *cat* in layer 5, head 11 of MiniLM. A link to another text says nothing about its tokens. */
const DEFAULT_TOKENS = { query: 8, key: 2 };

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
  "flow",
  "patching",
  "heads",
  "compare",
  "prompts",
  "reach",
]);

const LOOKS = /** @type {const} */ (["", "logit_lens", "direct_effect", "attribution"]);
const PATCHED = /** @type {const} */ (["output", "queries", "keys", "values", "pattern", "residual"]);
/** Characters. */
const LONGEST_TOKEN = 200;
const longText = { ...text(), mayBeLong: true };
const isAlwaysWritten = true;
/**
 * Of a set of prompts that is short enough for a link.
 * @param {(typeof SET_TEXTS)[number]} name
 * @param {string} [inLink]  its name there
 */
const ofSet = (name, inLink = name) => {
  const isWritten = (/** @type {Record<string, unknown>} */ values) =>
    values[name] !== "" && isInLink(/** @type {Record<typeof name, string>} */ (values));
  return { ...longText, name: inLink, isWritten };
};

/** What the picture rests on is always written. */
const FIELDS = {
  /** "" until the catalogue is known */
  model: text(),
  text: { ...longText, start: DEFAULT_TEXT, isAlwaysWritten },
  pair: longText,
  /** what the decoder of an encoder–decoder model has written */
  target: longText,
  /** whether the text is a message in the model's chat template */
  chat: flag(),
  /** the system message before it */
  system: text(),
  /** for a model that reads images: one of the page's own, or the id of an analysis; for one of sounds, after "sound-" */
  picture: text(),
  /** percent to which weights cover the picture */
  shade: count(75, 0, 100),
  /** "" for the first */
  part: text(),
  /** in the main panel */
  view: choice(VIEWS),
  layer: { ...count(5), isAlwaysWritten },
  head: { ...count(11), isAlwaysWritten },
  query: count(null),
  key: count(null),
  stage: { ...choice(STAGES, "weights"), isAlwaysWritten },
  /** queries in view as "a:b", "" for all */
  rows: text(),
  /** keys in view */
  cols: text(),
  ...PAGE_FIELDS,
  numbering: choice(/** @type {const} */ ([0, 1])),
  metric: text(),
  /** groups of measures that cost a run of their own and are asked for, as "random_…" */
  measures: text(),
  sorted: flag(),
  /** colours of weights: "" automatic, "1" by √weight, which emphasises small ones, "0" from 0 to 1 */
  faint: choice(/** @type {const} */ (["", "1", "0"])),
  /** further heads chosen beside the one, as "layer.head_layer.head" */
  heads: text(),
  /** of the table of heads: a metric, "-" in front for largest first */
  order: text(),
  /** what the table of heads is filtered by */
  find: text(),
  /** and between which values, as "metric~least~most__…" */
  limits: text(),
  /** measures of the scatter of heads; "" for the first two */
  across: text(),
  up: text(),
  /** special tokens */
  hide: flag(),
  /** rather than sub-words */
  words: flag(),
  /** rows from which columns are hidden */
  renormalise: flag(),
  /** of the chosen heads, rather than each */
  mean: flag(),
  /** percent of each row's weight for which lines are drawn */
  top: count(70, 1, 100),
  /** whether lines are shown for one token only */
  lock: choice(/** @type {const} */ (["", "query", "key"])),
  /** order of a vector's elements: as they are, or largest product first */
  elements: choice(/** @type {const} */ (["", "size"])),
  /** in which one token is followed through all heads */
  direction: choice(/** @type {const} */ (["reads", "read_by"])),
  /** at how an output came about; "" for the first there is */
  look: choice(LOOKS),
  /** token whose logit is looked at; null for the most probable */
  answer: count(null),
  /** token whose logit is subtracted */
  against: count(null),
  /** of patching, the same two as they are typed: exactly one token, which goes before the id */
  answerText: { ...text("", LONGEST_TOKEN), name: "answer_text" },
  againstText: { ...text("", LONGEST_TOKEN), name: "against_text" },
  /** of a head's weights × gradients, as "query.key"; "" for the strongest */
  cell: text(),
  /** token whose output all views explain, while the query is another one; null for the query */
  output: count(null),
  /** the least importance of an edge in that graph */
  threshold: number(0.04, 0.002, 1),
  /** a node of that graph, or one of its parts, as `flow/graph.js` writes them; "" for the output */
  flow: text(),
  /** on cells of heads, as `figure_notes.js` writes them */
  notes: longText,
  /** the other prompt of patching; the text is the clean one */
  corrupt: longText,
  /** the other image, where the model reads images: one of the page's own, or the id of an analysis */
  corruptPicture: { ...text(), name: "corrupt_picture" },
  /** what is taken from the other run */
  patched: choice(PATCHED),
  /** whether each head is patched, or each position of a layer */
  places: choice(/** @type {const} */ (["head", "position"])),
  /** the only position at which heads are patched; null for all */
  patchedAt: { ...count(null), name: "patched_at" },
  /** token at which the answer is predicted; null for the last, or the first masked one */
  answerAt: { ...count(null), name: "answer_at" },
  /** whether corrupt activations are patched into the clean run */
  noising: flag(),
  /** "" for activation patching, else the fixed end of all paths */
  paths: choice(/** @type {const} */ (["", "logits", "sender", "receiver"])),
  /** the head at that end, as "layer.head"; "" for the chosen head */
  pathHead: { ...text(), name: "path_head" },
  /** what of the receiver is patched */
  via: choice(/** @type {const} */ (["queries", "keys", "values"])),
  /** whether feed-forward layers are held while a path is followed */
  heldFeedForward: { ...flag(), name: "held_feed_forward" },
  /** made inside the model, as `changes.js` writes them */
  changes: text(),
  /** whether the unchanged model is shown although there are changes */
  baseline: flag(),
  /** compared with; "" for the same text */
  otherText: { ...longText, name: "other_text" },
  /** compared with; "" for the same model */
  otherModel: { ...text(), name: "other_model" },
  /** compared with, as "layer.head"; "" for the same head */
  otherHead: { ...text(), name: "other_head" },
  /** how the text runs while its reach is measured */
  reachCase: { ...choice(/** @type {const} */ (["plain", "packed", "padded", "cached"])), name: "reach_case" },
  /** first token of the second of two packed documents, or behind the padding */
  reachStart: { ...count(null), name: "reach_start" },
  /** a set of prompts, one a line; "" for a template */
  prompts: ofSet("prompts"),
  /** of a set of prompts, with slots such as {A} */
  template: ofSet("template"),
  /** the words of its slots, as "A: Mary, John", one slot a line */
  slots: ofSet("slots"),
  /** the tokens expected after the prompts, one a line, or one for all, with the template's slots */
  answers: ofSet("answers"),
  /** what the decoder of an encoder–decoder model is given with the prompts, one a line, or one for all */
  targets: ofSet("targets", "target_texts"),
  /** whether each prompt is a message in the model's chat template */
  promptChat: { ...flag(), name: "prompt_chat" },
  /** the system message before each */
  promptSystem: ofSet("promptSystem", "prompt_system"),
  /** a set that is too long for a link, by the name under which this browser keeps it */
  keptSet: { ...text(), name: "kept_set" },
  /** which of these words go together: every combination, or the first of each, the second of each … */
  pairing: choice(/** @type {const} */ (["all", "row"])),
  /** without combinations that have a word twice */
  distinct: flag(true),
  /** how the prompts' positions are aligned; "" for the first way there is */
  align: choice(/** @type {const} */ (["", "slots", "start", "end"])),
  /** by which heads are compared over the prompts; "" for the first */
  promptMeasure: { ...text(), name: "prompt_measure" },
  /** of the table of heads over the prompts: a measure, "-" in front for largest first */
  promptOrder: { ...text(), name: "prompt_order" },
  /** of the weights averaged over prompts, as "query.key" */
  promptCell: { ...text(), name: "prompt_cell" },
  /** the spread over the prompts rather than their mean */
  spread: flag(),
};

/** What `/` alone means. */
export const DEFAULTS = Object.freeze(/** @type {ViewState} */ ({ ...startsOf(FIELDS), ...DEFAULT_TOKENS }));

/**
 * @param {{search: string, hash: string}} location
 * @returns {ViewState}
 */
export function readState(location) {
  const state = readFields(FIELDS, location);
  const query = new URLSearchParams(location.search);
  const isDefault = state.text === DEFAULT_TEXT && !query.has("query") && !query.has("key");
  return isDefault ? { ...state, ...DEFAULT_TOKENS } : state;
}

/**
 * @param {ViewState} state
 * @returns {string}  such as "?model=…&text=…#…"
 */
export function writeState(state) {
  const { query, fragment } = writeFields(FIELDS, state);
  return `?${query}${fragment.size > 0 ? `#${fragment}` : ""}`;
}
