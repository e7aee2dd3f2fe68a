/** A lesson's picture: its concept's page in a frame, loaded when it is opened. */

import { el } from "../base/dom.js";

/** @param {Document} root */
export function bindLooks(root) {
  for (const look of /** @type {NodeListOf<HTMLDetailsElement>} */ (root.querySelectorAll(".lesson-look"))) {
    look.addEventListener("toggle", () => {
      if (!look.open || look.querySelector("iframe")) return;
      const { embed = "", name = "" } = look.dataset;
      look.append(el("iframe", { class: "lesson-frame", src: embed, title: name }));
    });
  }
  addEventListener("message", ({ source, origin, data }) => {
    if (origin !== location.origin || data?.type !== "observatory:size") return;
    for (const frame of root.querySelectorAll("iframe")) {
      if (frame.contentWindow === source) frame.style.height = `${data.height}px`;
    }
  });
}
