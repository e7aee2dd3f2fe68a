/** Embed snippets for lectures: one kind at a time, always for the current state. */

import { el, fill, plainButton } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { SNIPPETS, snippet } from "./snippets.js";

/** @typedef {import("./snippets.js").SnippetKind} SnippetKind */
/** @typedef {Parameters<typeof snippet>[1] & {obstacle?: string}} Picture  `obstacle`: why it is not to be had now */

/** Product names, the same in every language. */
const NAMES = { html: "HTML", markdown: "Markdown", reveal: "reveal.js", jupyter: "Jupyter", notion: "Notion" };

/**
 * @param {HTMLElement} element
 * @param {Picture} picture
 * @param {{embeddable: boolean}} options  whether the operator lets other sites frame the pages
 * @returns {import("../base/mount.js").View<Picture>}
 */
export function lectureToolsView(element, picture, { embeddable }) {
  /** @type {SnippetKind} */
  let chosen = "html";
  let shown = picture;
  const areas = new Map(SNIPPETS.map((kind) => [kind, area(kind)]));
  const hint = el("p", { class: "note snippet-hint" });
  const status = el("span", { class: "note", role: "status" });
  const obstacle = el("p", { class: "note is-obstacle", hidden: true });
  const onCopy = () => void copied(/** @type {HTMLTextAreaElement} */ (areas.get(chosen)), status);
  const copy = plainButton(t("Copy"), onCopy);
  const large = el("input", { type: "checkbox", onchange: () => draw(shown) });
  const kinds = kindChoice(chosen, (kind) => {
    chosen = kind;
    draw(shown);
  });
  fill(
    element,
    kinds,
    ...areas.values(),
    el("p", { class: "snippet-head" }, copy, el("label", { class: "check" }, large, t("in large type")), status),
    obstacle,
    hint,
    embeddable ? null : el("p", { class: "note" }, notEmbeddable()),
  );

  /** @param {Picture} next */
  function draw(next) {
    shown = next;
    const picture = large.checked ? { ...next, embed: presentedAddress(next.embed) } : next;
    for (const [kind, text] of areas) {
      text.hidden = kind !== chosen;
      const value = picture.obstacle ? "" : snippet(kind, picture);
      text.disabled = Boolean(picture.obstacle);
      if (text.value !== value) text.value = value;
    }
    copy.setAttribute("aria-label", t("Copy for {name}", { name: NAMES[chosen] }));
    large.disabled = chosen === "markdown" || chosen === "notion";
    hint.textContent = hints()[chosen];
    status.textContent = "";
    copy.disabled = Boolean(picture.obstacle);
    obstacle.hidden = !picture.obstacle;
    obstacle.textContent = picture.obstacle ?? "";
  }

  draw(picture);
  return {
    update: draw,
    destroy() {
      element.replaceChildren();
    },
  };
}

/** @param {SnippetKind} chosen @param {(kind: SnippetKind) => void} onChange */
function kindChoice(chosen, onChange) {
  const kinds = SNIPPETS.map((kind) => {
    const onchange = () => onChange(kind);
    const input = el("input", { type: "radio", name: "snippet-kind", checked: kind === chosen, onchange });
    return el("label", {}, input, el("span", { translate: "no" }, NAMES[kind]));
  });
  const legend = el("legend", { class: "visually-hidden" }, t("Where to paste it"));
  return el("fieldset", { class: "segmented snippet-kinds" }, legend, ...kinds);
}

/** @param {HTMLTextAreaElement} text @param {HTMLElement} status  says whether it could be copied */
async function copied(text, status) {
  text.select();
  try {
    await navigator.clipboard.writeText(text.value);
    status.textContent = t("Copied.");
  } catch {
    status.textContent = t("Selected: copy it with the keyboard.");
  }
}

/** @param {SnippetKind} kind */
function area(kind) {
  return el("textarea", {
    id: `snippet-${kind}`,
    "aria-label": NAMES[kind],
    readonly: true,
    rows: kind === "html" ? 5 : 3,
    spellcheck: "false",
  });
}

/**
 * The frame as it looks while one presents.
 * @param {string} address
 */
function presentedAddress(address) {
  const url = new URL(address);
  url.searchParams.set("present", "1");
  return url.href;
}

/** @returns {Record<SnippetKind, string>} */
function hints() {
  return {
    html: t("The script fits the frame's height to its content; one script is enough for all frames on a page."),
    markdown: t("A link: Markdown has no frames."),
    reveal: t("A slide of its own, fully interactive."),
    jupyter: t("A notebook cell."),
    notion: t("Paste it and choose “Embed”. Other editors that support oEmbed accept the same address."),
  };
}

function notEmbeddable() {
  return t(
    "This server does not let other sites embed its pages. Its operator can allow it with OBSERVATORY_FRAME_ANCESTORS; the offline file needs no permission.",
  );
}
