/** d_k grows: scores spread, and softmax of a row of them narrows to one key. */

import { furtherAnswer } from "../frame/further_answer.js";
import { t } from "../../base/i18n.js";
import { fixed } from "../../base/numbers.js";
import { GROWTH_SIZES } from "./state.js";

/**
 * Every shot says what is seen now, which only the current one shows.
 * @param {import("./state.js").ScalingData} data
 * @returns {import("../frame/film.js").Shot<import("./state.js").ScalingState>[]}
 */
export function film({ state, answer, others }) {
  const panels = furtherAnswer(others, "panels")?.panels;
  if (state.view !== "size" || !panels) return [];
  const [raw, scaled] = panels.map((panel) => fixed(Math.max(...panel.weights), 2));
  const deviation = fixed(answer.distributions[0].raw.standard_deviation, 1);
  const says = t("d_k = {d}: scores of about ±{deviation}. The largest weight is {raw}; after dividing, {scaled}.", {
    d: state.d,
    deviation,
    raw,
    scaled,
  });
  return GROWTH_SIZES.map((d) => ({ patch: { view: /** @type {const} */ ("size"), d, step: 3 }, says }));
}
