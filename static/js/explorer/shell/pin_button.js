/** The button that pins what is shown; all behind it is loaded once the page is idle. */

import { whenIdle } from "../widgets/late_panel.js";

/**
 * @param {Document} root
 * @param {import("./pinned_view.js").Shown} page
 * @returns {() => void}  marks whether what is shown is pinned
 */
export function bindPinning(root, page) {
  /** @type {(() => void) | null} */
  let mark = null;
  let isBegun = false;

  return function show() {
    mark?.();
    if (isBegun || !root.querySelector("#pin")) return;
    isBegun = true;
    whenIdle(
      () =>
        void load().then(
          ({ bindPinnedView }) => ({ mark } = bindPinnedView(root, page)),
          () => (isBegun = false),
        ),
    );
  };
}

const load = () => import("./pinned_view.js");
