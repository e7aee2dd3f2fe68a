/** Panel of one token through every layer and head. */

import { getTokenReads } from "../../api/analyses.js";
import { arrange } from "../state/arrangement.js";
import { el } from "../../base/dom.js";
import { remembering } from "../../base/memoise.js";
import { mount } from "../../base/mount.js";
import { createOptions } from "../widgets/options.js";
import { answersOf, createPanel, createProblem } from "../widgets/panel.js";
import { tokenView } from "./token.js";

/** @typedef {import("../../api/types.js").Token} Token */

const LISTED = 5;

/**
 * @param {HTMLElement} element
 * @param {import("../widgets/panel.js").Bench} bench
 * @returns {import("../widgets/panel.js").Panel}
 */
export function tokenPanel(element, bench) {
  const { state, pointed } = bench;
  const box = el("div");
  const reads = answersOf(bench, "tokens", getTokenReads);
  const problem = createProblem(reads);
  const options = createOptions(state, { offered: ["hide", "words"] });
  const arrangeOwn = remembering(byToken);
  const arrangeOthers = remembering(byToken);
  /** @type {ReturnType<typeof byToken> | null} */
  let shownOthers = null;
  const views = {
    token: mount(box, tokenView, {
      onPick: (head) => state.set(head, "pick"),
      onDirection: (direction) => state.set({ direction }, "pick"),
      onPoint: (other) => {
        const { direction } = state.get();
        pointed.set({ query: null, key: null, [direction === "reads" ? "key" : "query"]: other });
      },
    }),
  };

  return createPanel(element, {
    stands: [options.box, problem.box, box],
    views,
    asks: [reads, problem, options],
    draw({ value, analysis, part, queries, keys, pointed: place }) {
      const { layer, head, numbering, direction, query, key, hide, words } = value;
      const isReader = direction === "reads";
      const isOneText = part.query_side === part.key_side;
      // Between two texts the token that is read is the key; within one, it is the token picked.
      const index = (isReader || isOneText ? query : key) ?? 0;
      const side = isReader ? part.query_side : part.key_side;
      const [answer] = reads.take(analysis.id, [{ side, index, count: LISTED, hide_special: hide, words }]);
      const own = arrangeOwn(isReader || isOneText ? queries : keys, hide, words);
      const others = arrangeOthers(isReader ? keys : queries, hide, words);
      shownOthers = others;
      options.show(value);
      views.token({
        layer,
        head,
        numbering,
        direction,
        layers: part.layers,
        heads: part.heads,
        token: own.tokens[firstOf(own, index) ?? index],
        others: others.tokens,
        other: firstOf(others, isReader || isOneText ? key : query),
        pointed: firstOf(others, pointedIn(place, direction)),
        top: answer?.parts.find(({ name }) => name === part.name)?.[direction] ?? null,
      });
      problem.show();
    },
    point(place) {
      const others = shownOthers;
      if (others) views.token.patch(({ direction }) => ({ pointed: firstOf(others, pointedIn(place, direction)) }));
    },
    forget: () => (shownOthers = null),
  });
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
 * @param {import("../../charts/heat_map/cells.js").Pointed} pointed
 * @param {"reads" | "read_by"} direction
 */
function pointedIn({ query, key }, direction) {
  return direction === "reads" ? key : query;
}
