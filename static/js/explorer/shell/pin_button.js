/** The button that pins what is shown, and the talk that pins make; all behind it is loaded once the page is idle. */

import { whenIdle } from "../../base/idle.js";

/**
 * @param {Document} root
 * @param {import("./pinned_view.js").Shown} page
 */
export function bindPinning(root, page) {
  /** @type {ReturnType<typeof import("./pinned_view.js").bindPinnedView> | null} */
  let pinned = null;
  let isBegun = false;

  return {
    /** Marks whether what is shown is pinned, and follows it in the speaker's notes. */
    show() {
      pinned?.mark();
      pinned?.show();
      if (isBegun || !root.querySelector("#pin")) return;
      isBegun = true;
      whenIdle(
        () =>
          void load().then(
            ({ bindPinnedView }) => {
              pinned = bindPinnedView(root, page);
              page.onPins();
            },
            () => (isBegun = false),
          ),
      );
    },
    /** The slides, once they are known; null where nothing is pinned. */
    talk: () => pinned?.talk() ?? null,
  };
}

const load = () => import("./pinned_view.js");
