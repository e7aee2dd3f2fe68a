/** What one takes along from a concept's page: snippets, picture files, and the call that computes the same. */

import { postConcept } from "./api.js";
import { need } from "./dom.js";
import { t } from "./i18n.js";
import { lectureToolsView } from "./lecture_tools.js";
import { small } from "./numbers.js";
import { download, pngFile, standalone, svgFile } from "./picture_file.js";
import { mount } from "./views/mount.js";

/** @typedef {import("./concept.js").CommonState} CommonState */

/** Of a frame, until the page in it says how high it is. */
const HEIGHT = 760;

/**
 * @template {CommonState} S
 * @param {Document} root
 * @param {import("./concept.js").Concept<S>} concept
 * @param {import("./store.js").Store<S>} state
 * @param {import("./concept.js").Instrument<S>} instrument
 * @returns {(value: Readonly<S>) => void}
 */
export function bindLecture(root, concept, state, instrument) {
  const title = need(root, "h1").textContent?.trim() ?? "";
  const full = (/** @type {string} */ path, /** @type {Readonly<S>} */ value) =>
    new URL(`${path}?${concept.write(value)}`, location.origin).href;
  const open = /** @type {HTMLAnchorElement | null} */ (root.querySelector("#open-page"));
  if (open) return (value) => void (open.href = full(`/${concept.stem}`, value));

  const call = bindCall(root, concept, state, instrument);
  const files = () => standalone(instrument.pictures(), title);
  need(root, "#save-svg").addEventListener("click", () => download(svgFile(files()), `${concept.stem}.svg`));
  need(root, "#save-png").addEventListener("click", () => {
    void pngFile(files()).then((file) => download(file, `${concept.stem}.png`));
  });

  const { embeddable } = JSON.parse(need(root, "#config").textContent ?? "{}");
  const tools = mount(need(root, "#snippets"), lectureToolsView, { embeddable });
  return (value) => {
    tools({
      link: full(`/${concept.stem}`, value),
      embed: full(`/embed/${concept.stem}`, value),
      title,
      height: HEIGHT,
    });
    call(value);
  };
}

/**
 * The call, and on demand the server's own answer beside the page's.
 * @template {CommonState} S
 * @param {Document} root
 * @param {import("./concept.js").Concept<S>} concept
 * @param {import("./store.js").Store<S>} state
 * @param {import("./concept.js").Instrument<S>} instrument
 * @returns {(value: Readonly<S>) => void}
 */
function bindCall(root, concept, state, instrument) {
  const text = need(root, "#call");
  const verdict = need(root, "#call-verdict");
  let shown = "";
  need(root, "#compare").addEventListener("click", () => void compare());

  async function compare() {
    const asked = shown;
    verdict.textContent = t("Asking …");
    try {
      const answer = await postConcept(concept.stem, concept.request(state.get()));
      if (asked !== shown) return;
      const difference = instrument.difference?.(answer) ?? NaN;
      verdict.textContent = t("Largest difference between the server's numbers and this page's: {difference}", {
        difference: small(difference),
      });
    } catch (error) {
      verdict.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  return (value) => {
    const body = JSON.stringify(concept.request(value));
    if (body === shown) return;
    shown = body;
    const call = ["curl", "-s", `${location.origin}/api/${concept.stem}`, "-H", "'content-type: application/json'"];
    text.textContent = [...call, "-d", `'${body}'`].join(" ");
    verdict.textContent = "";
  };
}
