/** Post an analysis, of the model as it is or with what-if changes. */

import { getAnalysis, getSound, postAnalysis, postImage, postSound } from "../../api/analyses.js";
import { ApiError } from "../../requests/api_request.js";
import { interventions, readChanges } from "../state/changes/changes.js";
import { analysisOf, isSound } from "../state/given_names.js";
import { base64, blobOf } from "./images.js";
import { t } from "../../base/i18n.js";
import { createMemory } from "../../base/recent_values.js";

/** @typedef {import("../../api/types.js").Analysis} Analysis */
/** @typedef {import("../../api/types.js").AnalysisRequest} AnalysisRequest */
/** @typedef {import("../../api/types.js").Part} Part */

const KEPT = 16;

/**
 * A row of given weights has one for each key, so where the request changes a row, the model is first asked as it is.
 * @param {import("./images.js").GivenImages} images
 * @returns {(request: AnalysisRequest, signal?: AbortSignal) => Promise<Analysis>}
 */
export function createPosting(images) {
  /** @type {ReturnType<typeof createMemory<Pick<Part, "name" | "key_tokens" | "causal">[]>>} */
  const shapes = createMemory(KEPT);

  /** @type {(request: AnalysisRequest, signal?: AbortSignal) => Promise<Analysis>} */
  return async function post({ changes = "", ...request }, signal) {
    const wanted = readChanges(changes);
    const name = JSON.stringify(request);
    if (wanted.length === 0) {
      const analysis = await send(request, signal);
      shapes.set(
        name,
        analysis.parts.map(({ name, key_tokens, causal }) => ({ name, key_tokens, causal })),
      );
      return analysis;
    }
    if (wanted.some(({ kind }) => kind === "row") && !shapes.get(name)) await post(request, signal);
    const parts = shapes.get(name) ?? [];
    const shapeOf = (/** @type {string} */ part) => {
      const { key_tokens: keys, causal } = parts.find((shape) => shape.name === part) ?? parts[0];
      return { keys, causal };
    };
    return send({ ...request, interventions: interventions(wanted, shapeOf) }, signal);
  };

  /**
   * @param {AnalysisRequest} request
   * @param {AbortSignal} [signal]
   * @returns {Promise<Analysis>}
   */
  async function send(request, signal) {
    const { picture, model, text: _text, ...rest } = request;
    if (!picture) return postAnalysis(request, signal);
    if (isSound(picture)) return sendSound(request, picture, signal);
    const file = await images.find(picture);
    if (file) return postImage({ model, image: await base64(file), ...rest }, signal);
    const known = await recall(picture, signal);
    const image = known.image?.png ?? "";
    if (image) images.keep(picture, blobOf(image));
    // The analysis that the link names may be of the changed model, or of another.
    const isIt = known.model.id === model && known.interventions.length === 0 && Object.keys(rest).length === 0;
    return isIt ? known : postImage({ model, image, ...rest }, signal);
  }

  /**
   * @param {AnalysisRequest} request
   * @param {string} picture
   * @param {AbortSignal} [signal]
   */
  async function sendSound({ model, text: _text, picture: _picture, ...rest }, picture, signal) {
    let file = await images.find(picture);
    if (!file) {
      await recall(analysisOf(picture), signal);
      file = await getSound(analysisOf(picture), signal);
      images.keep(picture, file);
    }
    return postSound({ model, sound: await base64(file), ...rest }, signal);
  }
}

/**
 * The analysis of a picture given in another visit: what the model saw of it is the picture too.
 * @param {string} id
 * @param {AbortSignal} [signal]
 */
async function recall(id, signal) {
  try {
    return await getAnalysis(id, signal);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    throw new ApiError(missingPicture(), { code: "picture_missing", field: "picture" });
  }
}

function missingPicture() {
  return t("A link cannot hold an image or a sound, and the server has discarded this one; upload it again.");
}
