/** The server's models: where each is, why one is unavailable, how much memory they use, and a field for another id. */

import { el, fill } from "../../base/dom.js";
import { labelled, t } from "../../base/i18n.js";
import { bytes } from "../../base/numbers.js";

/** @typedef {import("../../api/types.js").Model} Model */

/**
 * @typedef {object} ModelsData
 * @property {Model[]} models
 * @property {import("../../api/types.js").ModelMemory | null} memory
 * @property {boolean} anyHubId  whether one may be asked for that is not listed
 */

/**
 * @param {HTMLElement} element  a disclosure
 * @param {ModelsData} data
 * @param {{onAsk: (id: string) => void, onOpen: () => void}} options
 * @returns {import("../../base/mount.js").View<ModelsData>}
 */
export function modelsView(element, data, { onAsk, onOpen }) {
  const list = el("dl", { class: "reasons" });
  const memory = el("p", { class: "note" });
  const id = el("input", { id: "hub-id", type: "text", spellcheck: "false", placeholder: t("owner/name") });
  const ask = el("button", { type: "button", class: "button is-small", onclick: submit }, t("Load"));
  const label = el("label", { for: "hub-id" }, t("Another model from the Hugging Face Hub"));
  const other = el("div", { class: "hub-id" }, label, id, ask);
  const stop = new AbortController();
  fill(element, el("summary", {}, t("Models")), list, other, memory);
  id.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    submit();
  });
  const details = /** @type {HTMLDetailsElement} */ (element);
  details.addEventListener("toggle", () => details.open && onOpen(), { signal: stop.signal });

  function submit() {
    const name = id.value.trim();
    if (name !== "") onAsk(name);
  }

  /** @param {ModelsData} next */
  function draw({ models, memory: used, anyHubId }) {
    fill(list, ...models.map(line));
    other.hidden = !anyHubId;
    memory.textContent = used
      ? t("Models use {used} of {limit} of memory. The least recently used one makes room for another.", {
          used: bytes(used.used_bytes),
          limit: bytes(used.limit_bytes),
        })
      : "";
  }

  draw(data);
  return {
    update: draw,
    destroy() {
      stop.abort();
      element.replaceChildren();
    },
  };
}

/** @param {Model} model */
function line(model) {
  const state = model.available ? whereItIs(model) : labelled(t("not available"), model.reason ?? "");
  return el("div", {}, el("dt", {}, el("bdi", {}, model.title)), el("dd", {}, state));
}

/** @param {Model} model */
function whereItIs({ loaded, loading, source }) {
  if (loading) return t("loading");
  if (loaded) return t("in memory");
  return source === "hub"
    ? t("loaded from the Hub or its cache when you choose it")
    : t("on this server, loaded when you choose it");
}
