/** Keep what somebody has set in a page's controls before its script ran: `first_paint.js` has marked them. */

/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Control */

const MARK = "data-early";

/**
 * Reads the marked controls, before anything else is written into them.
 * @param {ParentNode} root
 * @returns {() => void}  sets them once more, when the page listens
 */
export function takeEarlyChanges(root) {
  const controls = /** @type {NodeListOf<Control>} */ (root.querySelectorAll(`[${MARK}]`));
  const changes = [...controls].map((control) => ({ control, set: setterOf(control) }));
  return () => {
    for (const { control, set } of changes) {
      set();
      for (const type of ["input", "change"]) control.dispatchEvent(new Event(type, { bubbles: true }));
      control.removeAttribute(MARK);
    }
  };
}

/**
 * @param {Control} control
 * @returns {() => void}
 */
function setterOf(control) {
  const { value } = control;
  if (control instanceof HTMLSelectElement) return () => void (control.value = value);
  if (control instanceof HTMLInputElement && (control.type === "checkbox" || control.type === "radio")) {
    const { checked } = control;
    return () => void (control.checked = checked);
  }
  const { selectionStart: start, selectionEnd: end, selectionDirection: direction } = control;
  return () => {
    control.value = value;
    if (start !== null) control.setSelectionRange(start, end, direction ?? undefined);
  };
}
