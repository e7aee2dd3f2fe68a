/** The page of the linear layer. */

import { getKnownBiases, KNOWN_BIASES } from "../../api/analyses.js";
import { createCachedResource } from "../../requests/cached_resource.js";
import { noteAsked } from "../../requests/recorded_answers.js";
import { startConcept } from "../frame/concept.js";
import { need } from "../../base/dom.js";
import { calculation } from "./steps.js";
import { exercises } from "./exercises.js";
import { also, fields, presets, read, request, write } from "./state.js";
import { failureView } from "../../page/failure.js";
import { linearView } from "./view.js";
import { mount } from "../../base/mount.js";

/** @type {any[]} */
const NONE = [];

startConcept(document, () => ({
  stem: "linear",
  fields,
  read,
  write,
  served: true,
  request,
  also,
  presets,
  exercises,
  build,
}));

/**
 * @param {import("../frame/concept.js").Desk<import("./state.js").LinearState>} desk
 * @returns {import("../frame/concept.js").Instrument<import("./state.js").LinearState>}
 */
function build({ root, state, schedule }) {
  const place = need(root, "#picture");
  const problem = mount(need(root, "#models-problem"), failureView, {});
  const picture = mount(place, linearView, { onPick: (at) => state.set(at, "switch") });
  const biases = createCachedResource({
    ...{ lane: KNOWN_BIASES, onChange: schedule, kept: 1, limit: null },
    read: (_, signal) => getKnownBiases(signal),
  });
  noteAsked(KNOWN_BIASES); // a file of this page holds the answer, whatever it was saved on

  return {
    show(value, answer, others) {
      // The library is asked only where its models are looked at.
      const [found = null] = biases.take(value.view === "models" ? [""] : []);
      const known = found?.models ?? (biases.failure()?.kind === "failed" ? NONE : null);
      problem(biases.failure());
      const data = { state: value, answer, others, known };
      picture(data);
      return value.view === "models" && known === null ? null : calculation(data);
    },
    pictures: () => [.../** @type {NodeListOf<SVGSVGElement>} */ (place.querySelectorAll("svg.mark"))],
  };
}
