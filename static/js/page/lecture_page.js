/** What whatever is a page does in a lecture: it is presented; in a frame it says its size, and lets the deck's keys go. */

import { isFramed, reportSize } from "./framed.js";
import { isInside, passFrameKeysOn } from "./framed.js";
import { bindPresenting } from "./present.js";

/**
 * Its state in a frame is kept by `returnToKept`, before its address is read, and by `bindHistory`.
 * @param {Document} root
 * @param {import("./deck.js").Deck} deck
 * @param {() => void} onPresent  presenting began or ended
 * @returns {() => void}  shows where one is
 */
export function bindLecturePage(root, deck, onPresent) {
  if (isFramed(root) || isInside()) reportSize(root);
  const show = bindPresenting(root, deck, onPresent);
  passFrameKeysOn(root);
  return show;
}
