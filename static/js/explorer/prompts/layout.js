/** The boxes of the panel of several prompts. */

import { el } from "../../base/dom.js";
import { t } from "../../base/i18n.js";

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
