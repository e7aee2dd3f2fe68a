/** Both prompts as they stand in their fields: what is typed, its tokens, and the images that are compared. */

import { postPromptPair } from "../../api/patching.js";
import { remembering } from "../../base/memoise.js";
import { createCachedResource } from "../../requests/cached_resource.js";
import { hasCorrupt, pairRequest, planOf } from "./questions.js";

/** @typedef {import("../widgets/panel.js").Scene} Scene */
/** @typedef {import("../../api/types.js").Picture} Picture */
/** @typedef {import("../../api/types.js").Token} Token */

/**
 * @param {() => void} schedule
 * @param {<T>(question: () => Promise<T>) => Promise<T>} ask  renews what a question is about, should it have expired
 */
export function createTypedPair(schedule, ask) {
  const aloneOf = remembering(alone);
  const pairs = createCachedResource({
    lane: "patching/prompts",
    onChange: schedule,
    kept: 8,
    read: (/** @type {import("../../api/patching.js").PromptPairRequest} */ asked, signal) =>
      ask(() => postPromptPair(asked, signal)),
  });
  /** The corrupt prompt as it is typed; null once it is sent. */
  let typed = /** @type {string | null} */ (null);
  let sent = "";
  /** The clean image and the corrupt one. @type {Picture[]} */
  let images = [];

  return {
    images: () => images,
    /** @param {string | null} text  null: it is sent */
    type(text) {
      typed = text;
      schedule();
    },
    /** Whether what is typed is what was sent. @param {string} corrupt */
    isSent: (corrupt) => (typed ?? corrupt) === corrupt,
    /**
     * What there is to show of texts, or of images; undefined: what was shown stays.
     * @param {Pick<Scene, "value" | "analysis" | "queries" | "part">} scene
     * @param {string} other  the id of the corrupt image's analysis; "" while there is none
     * @returns {{prompts?: import("./prompts.js").PromptsData | null, images?: import("./images.js").ImagesData | null}}
     */
    take({ value, analysis, queries, part }, other) {
      if (value.corrupt !== sent) [sent, typed] = [value.corrupt, null];
      const asked = pairRequest({ ...value, corrupt: typed ?? value.corrupt }, analysis, other);
      const [pair] = pairs.take(asked ? [asked] : []);
      const { numbering } = value;
      if (analysis.image) {
        images = pair?.images ?? (asked ? images : [analysis.image]);
        const plan = hasCorrupt(value, analysis) ? "" : planOf(value, part);
        const shown = { images, tokens: queries, differing: pair?.images ? pair.differing : [], plan };
        return { prompts: null, ...((pair || !asked) && { images: shown }) };
      }
      if (pair) return { images: null, prompts: { pair, numbering } };
      if (!asked) return { images: null, prompts: { pair: aloneOf(queries), numbering, plan: planOf(value, part) } };
      return { images: null, ...(pairs.failure() && { prompts: null }) };
    },
    forget() {
      typed = null;
      images = [];
    },
    clear: pairs.clear,
  };
}

/**
 * The clean prompt, while there is no corrupt one.
 * @param {Token[]} tokens
 * @returns {import("./side_by_side.js").Prompts}
 */
function alone(tokens) {
  return { clean: tokens, corrupt: [], differing: [], extra_clean: [], extra_corrupt: [] };
}
