/** Where the guided look stands, and what begins it; the look itself comes once the page is idle. */

import { lateView } from "../../widgets/late_view.js";

/** @typedef {import("../../widgets/panel.js").Scene} Scene */

/**
 * @param {import("../../widgets/panel.js").Bench} bench
 * @returns {{show: (scene: Scene) => void}}
 */
export function createGuideSection(bench) {
  const element = /** @type {HTMLElement | null} */ (bench.root.querySelector("#guide"));
  if (!element) return { show() {} };
  /** @type {ReturnType<typeof import("../../guide/guided_look.js").createGuidedLook> | null} */
  let look = null;
  /** Pressed before the look was there. @type {HTMLElement | null} */
  let early = null;

  const show = lateView(
    () => import("../../guide/guided_look.js"),
    ({ createGuidedLook }) => {
      look = createGuidedLook(bench, element);
      if (early) look.begin(early);
      return look.show;
    },
    bench.schedule,
  );

  bench.root.addEventListener("click", ({ target }) => {
    const button = target instanceof Element ? target.closest(".guide-start") : null;
    if (!(button instanceof HTMLElement)) return;
    if (look) look.begin(button);
    else early = button;
  });

  return { show };
}
