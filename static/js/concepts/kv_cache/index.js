/** The page of the KV cache: what it takes, and how it works. */

import { startConcept } from "../frame/concept.js";
import { need } from "../../base/dom.js";
import { calculation } from "./steps.js";
import { exercises } from "./exercises.js";
import { also, fields, presets, read, request, write } from "./state.js";
import { kvCacheView } from "./view.js";
import { mount } from "../../base/mount.js";

/** @typedef {import("./state.js").KVCacheState} KVCacheState */

startConcept(document, () => ({
  stem: "kv_cache",
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
 * @param {import("../frame/concept.js").Desk<KVCacheState>} desk
 * @returns {import("../frame/concept.js").Instrument<KVCacheState>}
 */
function build({ root, state }) {
  const place = need(root, "#picture");
  const source = need(root, "#source");
  const picture = mount(place, kvCacheView, { onPart: (part) => state.set({ part }, "switch") });
  return {
    show(value, answer, others) {
      const data = { state: value, answer, others };
      picture(data);
      source.textContent = answer.source ?? "";
      return calculation(data);
    },
    pictures: () => [.../** @type {NodeListOf<SVGSVGElement>} */ (place.querySelectorAll("svg.mark"))],
  };
}
