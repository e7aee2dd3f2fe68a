/** The film of a page as a GIF, which slides and mails play: each shot is shown, and drawn with what it says. */

import { postFilm } from "../../api/export_files.js";
import { t } from "../../base/i18n.js";
import { need } from "../../base/dom.js";
import { plainMaths } from "../../base/maths/maths_text.js";
import { base64Of, download, pngFile } from "../../base/picture_files.js";
import { captioned } from "../../page/caption.js";
import { copyOf, standalone } from "../../page/image_file.js";

/** @typedef {import("./concept.js").Types} Types */

/** Across, in pixels: sharp enough on a slide, and a hundred of them are a request that the server takes. */
const WIDE = 1200;

/**
 * @template {Types} T
 * @param {import("./concept.js").Page<T>} page
 * @param {ReturnType<typeof import("./scene.js").createScene<T>>} scene
 * @param {string} name  of the file, without its ending
 * @param {string} title
 * @returns {() => void}  offers it where there is a film
 */
export function bindFilmFile({ root, state }, scene, name, title) {
  if (!root.querySelector("#save-gif")) return () => undefined;
  const button = need(root, "#save-gif");
  const called = button.textContent;
  const frame = need(root, "#concept");
  const status = need(root, "#save-status");
  /** @type {AbortController | null} */
  let saving = null;
  /** The state of the shot that is being drawn. @type {Readonly<T["state"]>} */
  let shown;
  button.addEventListener("click", () => (saving ? saving.abort() : void save()));
  return () => (button.hidden = scene.film.shots().length < 2);

  async function save() {
    const before = state.get();
    shown = before;
    saving = new AbortController();
    button.textContent = t("Cancel");
    try {
      const file = await film(saving.signal);
      download(file, `${name}.gif`);
      status.textContent = t("Saved: {size} kB.", { size: Math.ceil(file.size / 1000) });
    } catch (error) {
      status.textContent = saving.signal.aborted ? t("Cancelled.") : said(error);
    } finally {
      saving = null;
      button.textContent = called;
      if (state.get() === shown) state.set(before, "return"); // what somebody chose meanwhile stays
    }
  }

  /** @param {AbortSignal} signal */
  async function film(signal) {
    const count = scene.film.shots().length;
    const shots = [];
    for (let index = 0; index < count; index++) {
      status.textContent = t("Drawing picture {picture} of {count} …", { picture: index + 1, count });
      state.set(scene.film.shots()[index].patch, "return");
      shown = state.get();
      await drawn(signal);
      const { says } = scene.film.shots()[index]; // only the shot that is shown says what is seen in it
      const picture = standalone(await Promise.all(scene.pictures().map(copyOf)), title);
      const file = await pngFile(captioned(picture, `${index + 1} / ${count} · ${plainMaths(says)}`), WIDE);
      shots.push({ picture: await base64Of(file) });
      signal.throwIfAborted();
    }
    return postFilm({ title, shots }, signal);
  }

  /** Waits until the page shows its state. @param {AbortSignal} signal */
  async function drawn(signal) {
    do {
      await new Promise(requestAnimationFrame);
      signal.throwIfAborted();
    } while (frame.getAttribute("aria-busy") === "true");
    if (state.get() !== shown) throw new Error(t("The view has changed in the meantime. Try again."));
    if (frame.hasAttribute("data-stale")) throw new Error(t("This picture could not be computed. Try again."));
  }
}

/** @param {unknown} error */
function said(error) {
  return error instanceof Error ? error.message : String(error);
}
