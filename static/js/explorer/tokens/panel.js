/** One token through every layer and head. */

import { getTokenReads } from "../../api/analyses.js";
import { arrange } from "../state/arrangement.js";
import { createAnalysisResource } from "../../requests/cached_resource.js";
import { el, fill } from "../../base/dom.js";
import { remembering } from "../../base/memoise.js";
import { failureView } from "../../page/failure.js";
import { mount } from "../../base/mount.js";
import { optionsView } from "../widgets/options.js";
import { tokenView } from "./token.js";

/** @typedef {import("../../api/types.js").Token} Token */

const LISTED = 5;
const KEPT = 16;

/**
 * @param {HTMLElement} element
 * @param {import("../../api/types.js").Bench} bench
 * @returns {import("../../api/types.js").Panel}
 */
export function tokenPanel(element, { state, pointed, session, schedule }) {
  const box = el("div");
  const bar = el("div");
  const problem = el("div", { class: "failure" });
  const reads = createAnalysisResource(session, getTokenReads, { lane: "tokens", onChange: schedule, kept: KEPT });
  const showProblem = mount(problem, failureView, {});
  const arrangeOwn = remembering(byToken);
  const arrangeOthers = remembering(byToken);
  const showOptions = mount(bar, optionsView, {
    onChange: (name, value) => state.set({ [name]: value }, "switch"),
  });
  /** @type {ReturnType<typeof byToken> | null} */
  let shownOthers = null;
  const show = mount(box, tokenView, {
    onPick: (head) => state.set(head, "pick"),
    onDirection: (direction) => state.set({ direction }, "pick"),
    onPoint: (other) => {
      const { direction } = state.get();
      pointed.set({ query: null, key: null, [direction === "reads" ? "key" : "query"]: other });
    },
  });

  return {
    show({ value, analysis, part, queries, keys, pointed: at }) {
      if (!box.isConnected) fill(element, bar, problem, box);
      const { layer, head, numbering, direction, query, key, hide, words } = value;
      const isReader = direction === "reads";
      const isOneText = part.query_side === part.key_side;
      // Between two texts the token that is read is the key; within one, it is the token picked.
      const index = (isReader || isOneText ? query : key) ?? 0;
      const side = isReader ? part.query_side : part.key_side;
      const [found] = reads.take(analysis.id, [{ side, index, count: LISTED, hide_special: hide, words }]);
      const own = arrangeOwn(isReader || isOneText ? queries : keys, hide, words);
      const others = arrangeOthers(isReader ? keys : queries, hide, words);
      shownOthers = others;
      const chosen = isReader || isOneText ? key : query;
      showOptions({ hide, words, renormalise: false, mean: false, heads: 1, obstacle: "", offered: ["hide", "words"] });
      show({
        ...{ layer, head, numbering, direction },
        ...{ layers: part.layers, heads: part.heads },
        token: own.tokens[firstOf(own, index) ?? index],
        others: others.tokens,
        other: firstOf(others, chosen),
        pointed: firstOf(others, pointedIn(at, direction)),
        top: found?.parts.find(({ name }) => name === part.name)?.[direction] ?? null,
      });
      showProblem(reads.failure());
    },
    point(at) {
      const others = shownOthers;
      if (others) show.patch(({ direction }) => ({ pointed: firstOf(others, pointedIn(at, direction)) }));
    },
    hide() {
      reads.clear();
      showProblem(null);
      show(null);
      showOptions(null);
      shownOthers = null;
      element.replaceChildren();
    },
  };
}

/**
 * Tokens by their index; a word stands where its first token does.
 * @param {Token[]} tokens
 * @param {boolean} hide
 * @param {boolean} words
 */
function byToken(tokens, hide, words) {
  const { tokens: shown, spans, places, isPlain } = arrange(tokens, hide, words);
  const named = isPlain ? tokens : [...tokens];
  if (!isPlain) spans.forEach(([first], place) => (named[first] = shown[place]));
  return { tokens: named, firsts: Array.from(places, (place) => spans[place]?.[0] ?? null) };
}

/**
 * @param {{firsts: (number | null)[]}} arranged
 * @param {number | null} token
 * @returns {number | null}  the first token of its word; null where it is hidden
 */
function firstOf({ firsts }, token) {
  return token === null ? null : (firsts[token] ?? null);
}

/**
 * The token pointed at among those that the cells name.
 * @param {import("../../api/types.js").Pointed} pointed
 * @param {"reads" | "read_by"} direction
 */
function pointedIn({ query, key }, direction) {
  return direction === "reads" ? key : query;
}
