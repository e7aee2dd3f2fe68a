/**
 * The header's menus: close the list of concepts on focus or click elsewhere; in the sheet of a narrow window, which is
 * a popover, show it open. The browser opens and closes both.
 */

const sheet = document.querySelector(".site-menu");
const concepts = document.querySelector("details.menu");

if (sheet instanceof HTMLElement && concepts instanceof HTMLDetailsElement) bindMenus(sheet, concepts);

/**
 * @param {HTMLElement} sheet
 * @param {HTMLDetailsElement} concepts
 */
function bindMenus(sheet, concepts) {
  const isSheet = () => sheet.matches(":popover-open");
  const close = () => {
    if (!isSheet()) concepts.open = false;
  };
  document.addEventListener("pointerdown", (event) => {
    if (event.target instanceof Node && !concepts.contains(event.target)) close();
  });
  concepts.addEventListener("focusout", (event) => {
    if (event.relatedTarget instanceof Node && !concepts.contains(event.relatedTarget)) close();
  });
  concepts.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !concepts.open || isSheet()) return;
    event.preventDefault();
    close();
    concepts.querySelector("summary")?.focus();
  });
  // Before it is shown, so that it is measured with its list.
  sheet.addEventListener("beforetoggle", (event) => {
    concepts.open = /** @type {ToggleEvent} */ (event).newState === "open";
  });
  // Presenting hides the header, and with it the sheet: it must not come back open.
  sheet.querySelector("#present")?.addEventListener("click", () => {
    if (isSheet()) sheet.hidePopover();
  });
}
