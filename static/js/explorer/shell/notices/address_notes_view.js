/** What is said where the view differs from its address, or changes stay with their model. */

import { el, fill, smallButton } from "../../../base/dom.js";
import { t } from "../../../base/i18n.js";
import { drawnView } from "../../../base/mount.js";
import { addressNotes } from "../../state/address_notes.js";

/** @typedef {{search: string, value: import("../../state/view_state.js").ViewState, analysis: import("../../../api/types.js").Analysis}} Compared */
/** @typedef {{compared: Compared | null}} AddressNotesData  null: changes were left with their model */

/**
 * @param {HTMLElement} element  hidden where there is nothing to say
 * @param {AddressNotesData} data
 * @param {{onDismiss: () => void}} options
 * @returns {import("../../../base/mount.js").View<AddressNotesData>}
 */
export function addressNotesView(element, data, { onDismiss }) {
  return drawnView(element, data, draw, () => (element.hidden = true));

  /** @param {AddressNotesData} next */
  function draw({ compared }) {
    const lines = compared ? addressNotes(compared.search, compared.value, compared.analysis) : [leftBehind()];
    element.hidden = lines.length === 0;
    const close = smallButton(t("Dismiss"), onDismiss);
    fill(element, el("ul", {}, ...lines.map((line) => el("li", {}, line))), close);
  }
}

/** That another model is shown as it is. */
function leftBehind() {
  return t("The changes were made to heads of the model before, so this one is shown unchanged. Back returns to them.");
}
