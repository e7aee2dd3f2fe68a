/** A large spot in place of the cursor, which an audience sees from the last row. It follows a mouse or pen, not fingers. */

import { el } from "../base/dom.js";
import { moveTo } from "../charts/overlay.js";

/**
 * @param {Document} root
 */
export function createPointerSpot(root) {
  const spot = el("div", { class: "pointer-spot", "aria-hidden": "true", hidden: true });
  root.body.append(spot);
  let isOn = false;
  let position = { x: -1, y: -1 };
  root.addEventListener("pointermove", ({ pointerType, clientX, clientY }) => {
    position = pointerType === "touch" ? { x: -1, y: -1 } : { x: clientX, y: clientY };
    if (isOn) follow();
  });
  root.documentElement.addEventListener("pointerleave", () => {
    spot.hidden = true;
  });

  function follow() {
    spot.hidden = !isOn || position.x < 0;
    moveTo(spot, position.x, position.y);
  }

  return {
    isOn: () => isOn,
    /** @param {boolean} next */
    turn(next) {
      isOn = next;
      root.documentElement.toggleAttribute("data-pointer", isOn);
      follow();
    },
  };
}
