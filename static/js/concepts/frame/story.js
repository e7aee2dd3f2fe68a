/** The story beside the picture: links that show a state, predictions, the cards of terms, a picture that stays. */

import { need, showInRow } from "../../base/dom.js";
import { t } from "../../base/i18n.js";

/**
 * Lets links with a state act in place, as presets do, and marks those whose state the picture is in.
 * @template {import("./concept.js").Types} T
 * @param {import("./concept.js").Page<T>} page
 * @returns {(value: Readonly<T["state"]>) => void}
 */
export function bindStateLinks(page) {
  const { root, state, write } = page;
  const links = stateLinks(page);
  for (const { link, own } of links) {
    link.addEventListener("click", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return; // a tab or a window of its own
      event.preventDefault();
      state.set(own, "pick");
      need(root, ".bench-picture").scrollIntoView({ block: "nearest" });
    });
  }
  return (value) => {
    const now = String(write(value));
    for (const { link, own } of links) {
      if (String(write({ ...value, ...own })) === now) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };
}

/**
 * The links of the page's texts, each with its state: all but the language and the theme, which are the reader's.
 * @template {import("./concept.js").Types} T
 * @param {import("./concept.js").Page<T>} page
 */
export function stateLinks({ root, read, presets }) {
  const links = /** @type {NodeListOf<HTMLAnchorElement>} */ (root.querySelectorAll("#concept a[data-state]"));
  return [...links].map((link) => {
    const { lang: _lang, theme: _theme, ...own } = presets.whole(read(link.search));
    return { link, own: /** @type {Partial<T["state"]>} */ (/** @type {object} */ (own)) };
  });
}

/** Questions whose answer, and what leads to a wrong one, is shown once somebody has chosen. @param {Document} root */
export function bindPredictions(root) {
  for (const place of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(".predict"))) {
    const options = [.../** @type {NodeListOf<HTMLButtonElement>} */ (place.querySelectorAll(".predict-option"))];
    const slips = /** @type {NodeListOf<HTMLElement>} */ (place.querySelectorAll(".predict-slip"));
    const right = Number(place.dataset.right);
    options.forEach((option, index) => option.addEventListener("click", () => choose(index)));

    /** @param {number} chosen */
    function choose(chosen) {
      options.forEach((option, index) => {
        option.setAttribute("aria-pressed", String(index === chosen));
        option.classList.toggle("is-right", index === right);
        option.classList.toggle("is-wrong", index === chosen && index !== right);
      });
      need(place, ".predict-verdict").textContent =
        chosen === right ? t("Yes.") : t("No: {answer}", { answer: options[right].textContent?.trim() ?? "" });
      for (const slip of slips) slip.hidden = Number(slip.dataset.option) !== chosen;
      need(place, ".predict-because").hidden = false;
    }
  }
}

/** Escape hides a term's card until the pointer or the focus comes again. @param {Document} root */
export function bindTermCards(root) {
  for (const term of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(".term"))) {
    term.addEventListener("click", () => need(term, ".term-word").focus()); // a touch does not focus in every browser
    for (const event of ["pointerenter", "focusin"]) {
      term.addEventListener(event, () => delete term.dataset.dismissed);
    }
  }
  root.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const shown of /** @type {NodeListOf<HTMLElement>} */ (
      root.querySelectorAll(".term:is(:hover, :focus-within)")
    )) {
      shown.dataset.dismissed = "";
      event.preventDefault();
    }
  });
}

/**
 * On a narrow screen the stages of the running example are wider than their row, which shows the page's own and whatever
 * the focus comes to: browsers leave a link as it is that is in sight in part.
 * @param {Document} root
 */
export function bindThread(root) {
  const row = /** @type {HTMLElement | null} */ (root.querySelector(".thread"));
  const stage = row?.querySelector("li:has([aria-current])");
  if (!row || !stage) return;
  showInRow(/** @type {HTMLElement} */ (stage), row);
  row.addEventListener("focusin", ({ target }) => showInRow(/** @type {HTMLElement} */ (target), row));
}

/** The sheet lets the picture stay in view; for one taller than the window it must know how tall. @param {Document} root */
export function keepPictureInView(root) {
  const picture = root.querySelector(".bench-picture");
  if (!(picture instanceof HTMLElement)) return;
  new ResizeObserver(() => picture.style.setProperty("--picture-height", `${picture.offsetHeight}px`)).observe(picture);
}

/**
 * Parts of the picture that a later step makes recede. They say so by `data-step`, the first step that shows them.
 * @param {Document} root
 * @param {number} step
 */
export function markSteps(root, step) {
  for (const part of /** @type {NodeListOf<HTMLElement | SVGElement>} */ (
    root.querySelectorAll(".concept-bench [data-step]")
  )) {
    part.classList.toggle("is-later", Number(part.dataset.step) > step);
  }
}
