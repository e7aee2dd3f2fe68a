/**
 * The dialog to choose a model: a field that filters the list, a row for each model, a search of the hub, and the
 * progress of loading. It is there while it is open, and closes when the chosen model's analysis is there.
 */

import { el, fill, keepingFocus, plainButton, say, smallButton } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { moveInList } from "../../base/key_moves.js";
import { mount } from "../../base/mount.js";
import { bytes } from "../../base/numbers.js";
import { modelRow } from "./model_row.js";
import { groupTitle, isUnseen, sectionsOf } from "./models.js";
import { progressView } from "./progress.js";
import { recentModels } from "./recent_models.js";

/** @typedef {import("./models.js").Choice} Choice */

/**
 * @typedef {object} PickerData
 * @property {string} title
 * @property {import("../../api/types.js").Model[]} models
 * @property {(model: Choice) => string} refusalOf  why a model does not fit; "" where it does
 * @property {string} model  the one that is asked for
 * @property {import("../../api/types.js").ModelMemory | null} memory
 * @property {boolean} anyHubId  whether the hub may be searched
 * @property {import("../data/hub_search.js").HubAnswer} hub
 * @property {import("./progress.js").ProgressData} progress  with the problem that a model has, too
 */

/**
 * @typedef {object} PickerOptions
 * @property {() => void} onClose
 * @property {(model: string) => void} onChoose
 * @property {(query: string) => void} onSearch
 * @property {(model: string) => void} onLook  asks what it is, before it is loaded
 * @property {() => void} onCancel
 * @property {() => void} onRetry
 */

/**
 * @param {HTMLElement} element  a dialog
 * @param {PickerData} data
 * @param {PickerOptions} options
 * @returns {import("../../base/mount.js").View<PickerData>}
 */
export function modelPickerView(element, data, options) {
  const dialog = /** @type {HTMLDialogElement} */ (element);
  const search = () => options.onSearch(parts.field.value);
  const parts = build(dialog, data.title, search);
  const stop = new AbortController();
  const { signal } = stop;
  const showProgress = mount(parts.progress, progressView, options);
  let current = data;
  /** The model that was chosen here and is being loaded. */
  let waiting = "";
  const recent = recentModels();
  let answered = data.hub.models;

  parts.field.addEventListener("input", () => drawList(), { signal });
  bindKeys(dialog, parts.field, () => current.anyHubId && search(), signal);
  // The event comes late: the dialog may be open again, for something else.
  dialog.addEventListener("close", () => !dialog.open && options.onClose(), { signal });
  dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close(), { signal });

  /** @param {string} id */
  function load(id) {
    waiting = id;
    options.onChoose(id);
    draw(current);
  }

  function drawList() {
    const onPick = (/** @type {Choice} */ model) => (isUnseen(model) ? options.onLook(model.id) : load(model.id));
    fillList(parts, current, recent, { onChoose: onPick, onLoad: load });
  }

  /** @param {PickerData} next */
  function draw(next) {
    const { models, model, hub } = current;
    const isSame = next.models === models && next.model === model && next.hub === hub;
    current = next;
    const { phase, request } = next.progress.progress;
    if (waiting !== "" && phase === "done" && request?.model === waiting) dialog.close();
    if (!dialog.open) return;
    if (!isSame) drawList();
    if (next.hub.models !== answered) parts.list.scrollTop = 0;
    answered = next.hub.models;
    showProgress(waiting === "" ? null : next.progress);
    parts.progress.hidden = waiting === "";
    say(parts.memory, memoryWords(next.memory));
  }

  drawList();
  dialog.showModal();
  draw(data);
  parts.field.focus();
  return {
    update: draw,
    destroy() {
      stop.abort();
      dialog.close();
      dialog.replaceChildren();
    },
  };
}

/**
 * The models that have all words of the field, and what is said of the hub.
 * @param {ReturnType<typeof build>} parts
 * @param {PickerData} data
 * @param {string[]} recent
 * @param {Pick<import("./model_row.js").RowOptions, "onChoose" | "onLoad">} on
 */
function fillList({ field, list, none, ask, hub: hubLine }, data, recent, on) {
  const { model, hub, anyHubId, refusalOf } = data;
  const query = field.value.trim();
  const row = (/** @type {Choice} */ choice) =>
    modelRow(choice, { isCurrent: choice.id === model, preview: hub.previews[choice.id], refusalOf, ...on });
  const sections = sectionsOf(data, field.value, recent);
  keepingFocus(list, () => fill(list, ...sections.map((section) => listed(section, row))));
  const isNoneHere = sections.every(({ name }) => name === "found");
  say(none, isNoneHere ? t("No model here has all of these words.") : "");
  ask.hidden = !anyHubId || query === "";
  ask.textContent = t("Search the Hugging Face Hub for “{query}”", { query });
  say(hubLine, hubWords(hub));
}

/**
 * @param {HTMLDialogElement} dialog
 * @param {string} title
 * @param {() => void} onAsk
 */
function build(dialog, title, onAsk) {
  const field = el("input", { type: "search", id: "model-query", spellcheck: "false", autocomplete: "off" });
  const close = plainButton(t("Close"), () => dialog.close());
  const parts = {
    field,
    list: el("div", { class: "model-list" }),
    none: el("p", { class: "note", role: "status" }),
    ask: smallButton(null, onAsk),
    hub: el("p", { class: "note", role: "status" }),
    progress: el("div", { class: "progress", hidden: true }),
    memory: el("p", { class: "note" }),
  };
  fill(
    dialog,
    el("div", { class: "model-picker-head" }, el("h2", { id: "model-picker-title" }, title), close),
    el("div", { class: "model-find" }, el("label", { for: "model-query" }, t("Name, architecture or licence")), field),
    parts.ask,
    parts.hub,
    parts.none,
    parts.list,
    el("div", { class: "model-picker-foot" }, parts.progress, parts.memory),
  );
  return parts;
}

/**
 * @param {HTMLElement} dialog
 * @param {HTMLElement} field
 * @param {() => void} onSearch
 * @param {AbortSignal} signal
 */
function bindKeys(dialog, field, onSearch, signal) {
  dialog.addEventListener(
    "keydown",
    (event) => {
      const isSearch = event.target === field && event.key === "Enter";
      const rows = /** @type {NodeListOf<HTMLButtonElement>} */ (dialog.querySelectorAll("button.model-row"));
      const row = rowAfter(event, field, [...rows]);
      if (isSearch || row) event.preventDefault();
      if (isSearch) onSearch();
      row?.focus();
    },
    { signal },
  );
}

/**
 * The row to which a key leads: from the field down to the first, from a row to another; null if to none.
 * @template {EventTarget} T
 * @param {Pick<KeyboardEvent, "target" | "key">} event
 * @param {EventTarget} field
 * @param {T[]} rows
 */
export function rowAfter({ target, key }, field, rows) {
  if (target === field) return key === "ArrowDown" ? (rows[0] ?? null) : null;
  const index = rows.findIndex((row) => row === target);
  const next = index < 0 ? null : moveInList(key, index, rows.length);
  return next === null ? null : rows[next];
}

/**
 * @param {ReturnType<typeof sectionsOf>[number]} section
 * @param {(model: Choice) => HTMLElement} row
 */
function listed({ name, models }, row) {
  return el("section", {}, el("h3", {}, groupTitle(name)), el("ul", { role: "list" }, ...models.map(row)));
}

/** @param {import("../data/hub_search.js").HubAnswer} hub */
function hubWords({ query, phase, models, message }) {
  if (phase === "asking") return t("Asking the Hugging Face Hub …");
  if (phase === "failed") return message;
  return phase === "done" && models.length === 0
    ? t("The Hub has no model called “{query}” that fits.", { query })
    : "";
}

/** @param {PickerData["memory"]} memory */
function memoryWords(memory) {
  if (!memory) return "";
  return t("Models use {used} of {limit} of memory. The least recently used one makes room for another.", {
    used: bytes(memory.used_bytes),
    limit: bytes(memory.limit_bytes),
  });
}
