/** Notes where the view differs from its address: a link may be mistyped, or belong to another model or text. */

import { need } from "../../../base/dom.js";
import { mount } from "../../../base/mount.js";
import { viewOnDemand } from "../../widgets/late_view.js";

/** @typedef {import("../../state/view_state.js").ViewState} ViewState */
/** @typedef {import("./address_notes_view.js").AddressNotesData} AddressNotesData */

/**
 * Tells them when the page has come from an address, and when changes stay with their model, until one picks something.
 * @param {Document} root
 * @param {import("../../../base/store.js").Store<ViewState>} state
 * @param {{progress: {get: () => {analysis: import("../../../api/types.js").Analysis | null}}}} session
 */
export function bindAddressNotes(root, state, session) {
  /** @type {AddressNotesData | null} */
  let shown = null;
  const draw = viewOnDemand(
    () => import("./address_notes_view.js"),
    ({ addressNotesView }) => mount(need(root, "#address-notes"), addressNotesView, { onDismiss: () => show(null) }),
    () => draw(shown),
  );
  let search = location.search;
  let isFromAddress = true;
  let before = state.get();
  addEventListener("popstate", () => {
    search = location.search;
    isFromAddress = true;
  });
  state.subscribe((value, changed, origin) => {
    const { analysis } = session.progress.get();
    const isLeftBehind = changed.has("model") && before.changes !== "" && value.changes === "" && origin === "shown";
    before = value;
    if (isFromAddress && analysis && (origin === "shown" || origin === "return")) {
      show({ compared: { search, value, analysis } });
      isFromAddress = false;
    } else if (isLeftBehind) show({ compared: null });
    else if (origin === "pick") show(null);
  });

  /** @param {AddressNotesData | null} next */
  function show(next) {
    shown = next;
    draw(shown);
  }
}
