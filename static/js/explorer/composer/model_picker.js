/**
 * The dialog to choose a model: a field that filters the list, a row for each model, a search of the hub, and the
 * progress of loading. It is there while it is open, and closes when the chosen model's analysis is there.
 */

import { el, fill, keepingFocus, say } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { moveInList } from "../../base/key_moves.js";
import { mount } from "../../base/mount.js";
import { bytes } from "../../base/numbers.js";
import { modelRow } from "./model_row.js";
import { groupTitle, groupsOf, isUnseen } from "./models.js";
import { progressView } from "./progress.js";
import { recentModels } from "./recent_models.js";

/**
 * @typedef {object} PickerData
 * @property {string} title
 * @property {import("../../api/types.js").Model[]} models
 * @property {(model: import("./models.js").Choice) => string} refusalOf  why a model does not fit; "" where it does
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
  const { onChoose, onSearch } = options;
  const dialog = /** @type {HTMLDialogElement} */ (element);
  const parts = build(dialog, data.title, () => onSearch(parts.field.value));
  const stop = new AbortController();
  const { signal } = stop;
  const showProgress = mount(parts.progress, progressView, options);
  let current = data;
  /** The model that was chosen here and is being loaded. */
  let waiting = "";
  const recent = recentModels();
  let answered = data.hub.models;

  parts.field.addEventListener("input", () => drawList(), { signal });
  dialog.addEventListener("keydown", onKey, { signal });
  // The event comes late: the dialog may be open again, for something else.
  dialog.addEventListener("close", () => !dialog.open && options.onClose(), { signal });
  dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close(), { signal });

  /** @param {string} id */
  function load(id) {
    waiting = id;
    onChoose(id);
    draw(current);
  }

  /** @param {import("./models.js").Choice} model */
  function choose(model) {
    if (isUnseen(model)) options.onLook(model.id);
    else load(model.id);
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const rows = [...dialog.querySelectorAll("button.model-row")];
    if (event.target === parts.field && event.key === "Enter") {
      event.preventDefault();
      if (current.anyHubId) onSearch(parts.field.value);
      return;
    }
    const at = rows.indexOf(/** @type {Element} */ (event.target));
    const isDown = event.target === parts.field && event.key === "ArrowDown";
    const next = isDown ? 0 : at < 0 ? null : moveInList(event.key, at, rows.length);
    if (next === null) return;
    event.preventDefault();
    /** @type {HTMLElement | undefined} */ (rows[next])?.focus();
  }

  function drawList() {
    const { models, model, hub, anyHubId, refusalOf } = current;
    const query = parts.field.value;
    const fitting = models.filter((each) => refusalOf(each) === "");
    const groups = groupsOf(fitting, query, recent);
    const row = (/** @type {import("./models.js").Choice} */ each) => {
      const preview = hub.previews[each.id];
      return modelRow(each, { isCurrent: each.id === model, preview, refusalOf, onChoose: choose, onLoad: load });
    };
    const rows = (/** @type {import("./models.js").Choice[]} */ listed) =>
      el("ul", { role: "list" }, ...listed.map(row));
    const found = hub.models.filter(({ id }) => !models.some((each) => each.id === id));
    const hits = found.length > 0 && el("section", {}, el("h3", {}, t("Found on the Hugging Face Hub")), rows(found));
    const listed = groups.map((group) => el("section", {}, el("h3", {}, groupTitle(group.name)), rows(group.models)));
    // What was just asked for comes first.
    const sections = hub.query === query.trim() ? [hits, ...listed] : [...listed, hits];
    keepingFocus(parts.list, () => fill(parts.list, ...sections));
    say(parts.none, groups.length === 0 ? t("No model here has all of these words.") : "");
    parts.ask.hidden = !anyHubId || query.trim() === "";
    parts.ask.textContent = t("Search the Hugging Face Hub for “{query}”", { query: query.trim() });
    say(parts.hub, hubWords(hub));
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
 * @param {HTMLDialogElement} dialog
 * @param {string} title
 * @param {() => void} onAsk
 */
function build(dialog, title, onAsk) {
  const field = el("input", { type: "search", id: "model-query", spellcheck: "false", autocomplete: "off" });
  const close = el("button", { type: "button", class: "button", onclick: () => dialog.close() }, t("Close"));
  const parts = {
    field,
    list: el("div", { class: "model-list" }),
    none: el("p", { class: "note", role: "status" }),
    ask: el("button", { type: "button", class: "button is-small", onclick: onAsk }),
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
