/** The layers one after the other: how reach closes over what the masks let through. */

import { verdict } from "./words.js";

/** @param {import("./state.js").ReachData} data @returns {import("../frame/film.js").Shot<import("./state.js").ReachState>[]} */
export function film(data) {
  return data.answer.reached.map((_, layer) => ({ patch: { layer, step: 4 }, says: verdict(data, layer) }));
}
