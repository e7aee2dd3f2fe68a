/** The likeliest tokens of the first prediction in one row, for the first screen; the whole lists are further down. */

import { el, fill, keepingFocus } from "../../base/dom.js";
import { drawnView } from "../../base/mount.js";
import { piecesApart } from "../../wording/labels.js";
import { predictionItem, predictionTitle } from "./predictions.js";

/** @typedef {import("./predictions.js").PredictionsData} PredictionsData */

/** As many as fit in one row. */
const SHOWN = 4;

/**
 * @param {HTMLElement} element
 * @param {PredictionsData} data
 * @param {import("./predictions.js").PredictionsOptions} options
 * @returns {import("../../base/mount.js").View<PredictionsData>}
 */
export function likeliestView(element, data, { onChoose }) {
  const title = el("p", { class: "note" });
  const list = el("ol", { class: "likeliest" });
  fill(element, title, list);
  return drawnView(element, data, ({ predictions: [first], tokens, numbering, room, isChat }) => {
    const { candidates, kind } = first;
    const isClosed = kind === "next_token" && (isChat || (room !== undefined && room.left < 1));
    const names = piecesApart(candidates, kind === "class");
    const items = candidates
      .slice(0, SHOWN)
      .map((candidate, index) => predictionItem(first, candidate, names[index], isClosed ? undefined : onChoose));
    title.textContent = predictionTitle(first, tokens, numbering);
    keepingFocus(list, () => fill(list, ...items));
  });
}
