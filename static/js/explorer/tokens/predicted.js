/** What the model predicts: the list under the tokens, and the likeliest beside the matrix. */

import { need } from "../../base/dom.js";
import { mount } from "../../base/mount.js";
import { likeliestView } from "./likeliest.js";
import { predictionsView } from "./predictions.js";

/** @typedef {import("../widgets/panel.js").Scene} Scene */
/** @typedef {import("./predictions.js").PredictionsData} PredictionsData */

/**
 * @typedef {object} Rewriting  of the text with what is predicted; nothing where no model can be asked again
 * @property {import("./predictions.js").PredictionsOptions} [edits]
 * @property {(scene: Scene) => Partial<PredictionsData>} [limits]  what can be rewritten
 */

/**
 * @param {Document} root
 * @param {Rewriting} rewriting
 * @returns {(scene: Scene) => void}
 */
export function createPredicted(root, { edits = {}, limits = () => ({}) }) {
  const lists = mount(need(root, "#predictions"), predictionsView, edits);
  const likeliest = mount(need(root, "#likeliest-tokens"), likeliestView, edits);
  return (scene) => {
    const { predictions, target_tokens: targets } = scene.analysis;
    const { numbering } = scene.value;
    const predicted = { predictions, tokens: targets ?? scene.queries, numbering, ...limits(scene) };
    lists(predicted);
    likeliest(predictions.length > 0 ? predicted : null);
  };
}
