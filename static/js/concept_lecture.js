/** What one takes along from a concept's page: snippets, picture files, and the call that computes the same. */

import { postConcept } from "./api.js";
import { el, fill, need } from "./dom.js";
import { t } from "./i18n.js";
import { small } from "./numbers.js";
import { download, pngFile, standalone, svgFile } from "./picture_file.js";
import { SNIPPETS, snippet } from "./snippets.js";

/** @typedef {import("./concept.js").CommonState} CommonState */
/** @typedef {import("./snippets.js").SnippetKind} SnippetKind */

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

  const texts = new Map(SNIPPETS.map((kind) => [kind, snippetField(kind)]));
  fill(need(root, "#snippets"), ...[...texts.values()].map((field) => field.element));
  return (value) => {
    const picture = {
      link: full(`/${concept.stem}`, value),
      embed: full(`/embed/${concept.stem}`, value),
      title,
      height: 760,
    };
    for (const [kind, field] of texts) field.area.value = snippet(kind, picture);
    call(value);
  };
}

/** @param {SnippetKind} kind */
function snippetField(kind) {
  const name = { html: "HTML", markdown: "Markdown", reveal: "reveal.js" }[kind];
  const area = el("textarea", {
    id: `snippet-${kind}`,
    readonly: true,
    rows: kind === "html" ? 4 : 2,
    spellcheck: "false",
  });
  const status = el("span", { class: "note", role: "status" });
  const button = el("button", { type: "button", class: "button" }, t("Copy"));
  button.setAttribute("aria-label", t("Copy for {name}", { name }));
  button.addEventListener("click", () => {
    area.select();
    navigator.clipboard.writeText(area.value).then(
      () => (status.textContent = t("Copied.")),
      () => (status.textContent = t("Selected: copy it with the keyboard.")),
    );
  });
  const head = el("p", { class: "snippet-head" }, el("label", { for: area.id }, name), button, status);
  return { area, element: el("div", { class: "snippet" }, head, area) };
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
