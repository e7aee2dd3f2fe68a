/** One token through every layer and head. */

import { getTokenReads } from "../api.js";
import { el, fill } from "../dom.js";
import { createShelf } from "../shelf.js";
import { mount } from "../views/mount.js";
import { tokenView } from "../views/token.js";

/** @typedef {import("../types.js").Scene} Scene */

const LISTED = 5;
const KEPT = 16;

/**
 * @param {HTMLElement} element
 * @param {import("../types.js").Bench} bench
 * @returns {import("../types.js").Panel}
 */
export function tokenPanel(element, { state, pointed, session, schedule }) {
  const box = el("div");
  const line = el("p", { class: "field-error", role: "alert", hidden: true });
  const shelf = createShelf(session, getTokenReads, schedule, KEPT);
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
      if (!box.isConnected) fill(element, box, line);
      const { layer, head, numbering, direction, query, key } = value;
      const isReader = direction === "reads";
      const isOneText = part.query_side === part.key_side;
      // Between two texts the token that is read is the key; within one, it is the token picked.
      const index = (isReader || isOneText ? query : key) ?? 0;
      const side = isReader ? part.query_side : part.key_side;
      const [found] = shelf.take(analysis.id, [{ side, index, count: LISTED }]);
      show({
        ...{ layer, head, numbering, direction },
        ...{ layers: part.layers, heads: part.heads },
        token: (isReader || isOneText ? queries : keys)[index],
        others: isReader ? keys : queries,
        other: isReader || !isOneText ? (isReader ? key : query) : key,
        pointed: pointedIn(at, direction),
        top: found?.parts.find(({ name }) => name === part.name)?.[direction] ?? null,
      });
      const problem = shelf.problem();
      line.hidden = !(problem instanceof Error);
      line.textContent = problem instanceof Error ? problem.message : "";
    },
    point(at) {
      show.patch(({ direction }) => ({ pointed: pointedIn(at, direction) }));
    },
    hide() {
      shelf.clear();
      show(null);
      element.replaceChildren();
    },
  };
}

/**
 * The token pointed at among those that the cells name.
 * @param {import("../types.js").Pointed} pointed
 * @param {"reads" | "read_by"} direction
 */
function pointedIn({ query, key }, direction) {
  return direction === "reads" ? key : query;
}
