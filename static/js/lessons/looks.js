/** A lesson's picture: its concept's page in a frame, loaded once it is unfolded and near. */

import { el } from "../base/dom.js";

/** How far below or above the window a frame begins to load, so that it is there when one arrives. */
const NEAR = "50% 0%";

/** @param {Document} root */
export function bindLooks(root) {
  const near = new IntersectionObserver(
    (seen) => {
      for (const { target, isIntersecting } of seen) {
        if (isIntersecting) loadLook(/** @type {HTMLDetailsElement} */ (target));
      }
    },
    { rootMargin: NEAR },
  );
  for (const look of /** @type {NodeListOf<HTMLDetailsElement>} */ (root.querySelectorAll(".lesson-look"))) {
    near.observe(look);
    look.addEventListener("toggle", () => {
      // Where it stands is told anew: one that was folded is not loaded.
      near.unobserve(look);
      near.observe(look);
    });
  }
  addEventListener("message", ({ source, origin, data }) => {
    if (origin !== location.origin || data?.type !== "observatory:size") return;
    for (const frame of root.querySelectorAll("iframe")) {
      if (frame.contentWindow === source) frame.style.height = `${data.height}px`;
    }
  });
}

/** @param {HTMLDetailsElement} look */
export function loadLook(look) {
  if (!look.open || look.querySelector("iframe")) return;
  const { embed = "", name = "" } = look.dataset;
  look.append(el("iframe", { class: "lesson-frame", src: embed, title: name }));
}
