/** Print one lesson, or all: with their exercises, without their solutions. */

/** @param {Document} root */
export function bindLessonPrinting(root) {
  /** @type {Element | null} */
  let only = null;
  /** @type {HTMLDetailsElement[]} */
  let opened = [];
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-print]"))) {
    button.addEventListener("click", () => {
      only = button.closest(".lesson");
      print();
    });
  }
  // The browser's own printing, too, shows what is folded away.
  addEventListener("beforeprint", () => {
    root.documentElement.classList.toggle("is-one-lesson", only !== null);
    only?.classList.add("is-printed");
    const folded = /** @type {NodeListOf<HTMLDetailsElement>} */ (
      (only ?? root).querySelectorAll(".lesson-exercises:not([open])")
    );
    opened = [...folded];
    for (const details of opened) details.open = true;
  });
  addEventListener("afterprint", () => {
    root.documentElement.classList.remove("is-one-lesson");
    only?.classList.remove("is-printed");
    for (const details of opened) details.open = false;
    opened = [];
    only = null;
  });
}
