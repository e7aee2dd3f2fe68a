/** The boxes of the panel of several prompts, and the views in them. */

import { el } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { mount } from "../../base/mount.js";
import { headsTableView } from "../widgets/heads_table.js";
import { scatterView } from "../widgets/scatter.js";
import { waitingView } from "../widgets/waiting.js";
import { editorView } from "./editor/editor.js";
import { promptHeadsView } from "./heads.js";
import { promptListView } from "./list.js";

export function layOut() {
  const title = el("h3", { class: "output-title" });
  const boxes = {
    editor: el("div"),
    note: el("p", { class: "note prompts-note", role: "status" }),
    problem: el("div"),
    waiting: el("div"),
    controls: el("div", { class: "prompts-controls" }),
    title,
    pattern: el("div", { class: "prompts-pattern" }),
    meaning: el("p", { class: "note" }),
    heads: el("div", { class: "prompts-heads" }),
    definition: el("p", { class: "note prompts-definition" }),
    scatter: el("div"),
    table: el("div"),
    missing: el("p", { class: "note prompts-missing" }),
    rated: el("p", { class: "prompts-rated", role: "status" }),
    list: el("div"),
  };
  const averages = el(
    "div",
    {},
    boxes.controls,
    el(
      "div",
      { class: "prompts-columns" },
      el("div", { class: "prompts-column" }, title, boxes.pattern, boxes.meaning),
      el(
        "div",
        { class: "prompts-column" },
        el("h3", { class: "output-title" }, t("Every head")),
        boxes.heads,
        boxes.definition,
      ),
    ),
    el("h3", { class: "output-title" }, t("All measures of every head")),
    boxes.missing,
    el("div", { class: "prompts-measures" }, boxes.scatter, boxes.table),
  );
  const listTitle = el("h3", { class: "output-title" }, t("The prompts of the set"));
  const results = el("div", { class: "prompts-results" }, averages, listTitle, boxes.rated, boxes.list);
  return { ...boxes, averages, results };
}

/**
 * @param {ReturnType<typeof layOut>} boxes
 * @param {import("../widgets/panel.js").Bench["state"]} state
 * @param {object} options
 * @param {Parameters<typeof editorView>[2]} options.editor
 * @param {{stop: () => void, goOn: () => void}} options.waiting
 * @param {Parameters<typeof promptListView>[2]} options.list
 */
export function mountViews(boxes, state, { editor, waiting, list }) {
  return {
    editor: mount(boxes.editor, editorView, editor),
    waiting: mount(boxes.waiting, waitingView, waiting),
    heads: mount(boxes.heads, promptHeadsView, { onPick: (head, origin) => state.set(head, origin) }),
    scatter: mount(boxes.scatter, scatterView, {
      onPick: (head) => state.set(head, "pick"),
      onAxes: (axes) => state.set(axes, "pick"),
    }),
    table: mount(boxes.table, headsTableView, {
      onPick: (head) => state.set(head, "pick"),
      onToggle: null,
      onOrder: (promptOrder) => state.set({ promptOrder }, "pick"),
      onFind: (find) => state.set({ find }, "type"),
      onClear: () => state.set({ find: "" }, "pick"),
    }),
    list: mount(boxes.list, promptListView, list),
  };
}
