/** Links to the current view: in other languages, and one to copy. */

import { need } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { writeState } from "../state/view_state.js";
import { address } from "./history.js";

/** @typedef {import("../state/view_state.js").ViewState} ViewState */

/** Links longer than this are cut by some programs that pass them on. */
const LONG_LINK = 4000;
const MESSAGE_MS = 4000;

/**
 * @param {Document} root
 * @param {import("../../base/store.js").Store<ViewState>} state
 * @param {import("../state/draft.js").DraftStore} draftStore
 */
export function bindPageLinks(root, state, draftStore) {
  const links = [.../** @type {NodeListOf<HTMLAnchorElement>} */ (root.querySelectorAll("a[data-lang]"))];
  // Written when they are about to be followed: with a long text that takes longer than a frame.
  for (const link of links) {
    for (const event of ["pointerenter", "focus", "click"])
      link.addEventListener(event, () => aim(link, draftStore.get()));
  }
  root.querySelector("#share")?.addEventListener("click", () => void share(root, state.get()));
}

/**
 * The same view in another language.
 * @param {HTMLAnchorElement} link
 * @param {ViewState} state
 */
function aim(link, state) {
  const [search, hash = ""] = writeState({ ...state, lang: link.dataset.lang ?? "" }).split("#");
  link.search = search;
  link.hash = hash;
}

/**
 * @param {Document} root
 * @param {ViewState} state
 */
async function share(root, state) {
  const link = new URL(address(state), location.href).href;
  const status = need(root, "#share-status");
  try {
    await navigator.clipboard.writeText(link);
    status.textContent =
      link.length > LONG_LINK
        ? t("Copied. The link holds the whole text ({count} characters); some programs truncate such long links.", {
            count: link.length,
          })
        : t("Link copied.");
  } catch {
    history.replaceState(null, "", link);
    status.textContent = t("The browser does not allow copying; the address bar holds the link.");
  }
  setTimeout(() => (status.textContent = ""), MESSAGE_MS);
}
