/** A text of many lines in its field: two of them stand there, all of them while it is edited or opened by a button. */

import { say } from "../../base/dom.js";
import { t } from "../../base/i18n.js";

/** Characters from which a text is shown in smaller type. */
const LONG_TEXT = 160;

/**
 * @param {HTMLTextAreaElement} field
 * @param {HTMLButtonElement} button  that opens it
 * @param {AbortSignal} signal
 */
export function bindLongText(field, button, signal) {
  let measured = "";
  const isOpen = () => field.classList.contains("is-open");
  const watcher = new ResizeObserver(show);
  watcher.observe(field);
  signal.addEventListener("abort", () => watcher.disconnect());
  button.addEventListener("click", () => open(!isOpen()), { signal });
  field.addEventListener("focus", () => field.classList.add("is-edited"), { signal });
  // A press elsewhere takes the focus before it is a click: what it is meant for must not move away from under it.
  let isPressed = false;
  const { ownerDocument: page } = field;
  page.addEventListener("pointerdown", () => (isPressed = true), { signal, capture: true });
  for (const end of ["pointerup", "pointercancel"]) page.addEventListener(end, release, { signal, capture: true });
  field.addEventListener("blur", () => !isPressed && leave(), { signal });

  function release() {
    isPressed = false;
    if (field.classList.contains("is-edited") && page.activeElement !== field) setTimeout(leave);
  }

  function leave() {
    if (page.activeElement === field) return;
    field.classList.remove("is-edited");
    fromTheTop();
  }

  /** @param {boolean} wanted */
  function open(wanted) {
    field.classList.toggle("is-open", wanted);
    fromTheTop();
  }

  /** What is cut, is cut at its end. */
  function fromTheTop() {
    field.scrollTop = 0;
    show();
  }

  function show() {
    if (field.classList.contains("is-edited")) return; // it has grown, and is cut again once it is left
    const isCut = field.scrollHeight > field.clientHeight + 1;
    button.hidden = !isCut && !isOpen();
    button.setAttribute("aria-expanded", String(isOpen()));
    say(button, isOpen() ? t("Show less") : t("… show all"));
  }

  return {
    /** After the field may have another text. */
    update() {
      if (field.value === measured) return;
      measured = field.value;
      const isLong = field.value.length > LONG_TEXT;
      field.classList.toggle("is-long", isLong);
      if (!isLong) field.classList.remove("is-open");
      show();
    },
  };
}
