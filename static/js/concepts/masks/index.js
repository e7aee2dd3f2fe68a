/** The page of masks: scores to edit, a mask to choose or to build, and what is left to read. */

import { startConcept } from "../frame/concept.js";
import { need } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { matrixInput } from "../../charts/matrix_input.js";
import { calculation } from "./steps.js";
import { exercises } from "./exercises.js";
import { LARGEST_SCORE, MOST_TOKENS, fields, fitted, presets, read, request, write } from "./state.js";
import { masksView } from "./view.js";
import { mount } from "../../base/mount.js";

/** @typedef {import("./state.js").MasksState} MasksState */

startConcept(document, () => ({
  stem: "masks",
  fields,
  read,
  write,
  served: true,
  request,
  presets,
  exercises,
  build,
}));

/**
 * @param {import("../frame/concept.js").Desk<MasksState>} desk
 * @returns {import("../frame/concept.js").Instrument<MasksState>}
 */
function build({ root, state }) {
  const place = need(root, "#picture");
  const scores = mount(need(root, "#scores"), matrixInput, {
    field: "scores",
    onChange: (values, origin) => state.set({ scores: values }, origin),
    least: -LARGEST_SCORE,
    most: LARGEST_SCORE,
    rows: MOST_TOKENS,
    columns: MOST_TOKENS,
  });
  const picture = mount(place, masksView, {
    onPick: ({ row, column }) => state.set({ query: row, key: column }, "switch"),
    onToggle: () => {
      const { allowed, scores, query, key } = state.get();
      const next = fitted(allowed, scores);
      next[query][key] = 1 - next[query][key];
      state.set({ allowed: next }, "pick");
    },
  });
  const edit = () => scores({ title: t("Scores"), values: state.get().scores, symbol: "s", role: "query" });
  state.subscribe(edit);
  edit();
  return {
    show(value, answer) {
      const data = { state: value, answer };
      picture(data);
      return calculation(data);
    },
    pictures: () => [.../** @type {NodeListOf<SVGSVGElement>} */ (place.querySelectorAll("svg.mark"))],
  };
}
