/** The page of the KV cache: what it takes, and how it works. */

import { startConcept } from "./concept.js";
import { need } from "./dom.js";
import { calculation } from "./kv_cache_calculation.js";
import { exercises } from "./kv_cache_exercises.js";
import { also, fields, presets, read, request, write } from "./kv_cache_state.js";
import { kvCacheView } from "./views/kv_cache.js";
import { mount } from "./views/mount.js";

/** @typedef {import("./kv_cache_state.js").KVCacheState} KVCacheState */

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
 * @param {import("./concept.js").Desk<KVCacheState>} desk
 * @returns {import("./concept.js").Instrument<KVCacheState>}
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
