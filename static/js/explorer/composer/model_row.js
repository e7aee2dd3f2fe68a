/** One row of the model picker: a button with the model's name, facts, badge and, if need be, the reason. */

import { el } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { badgeOf, factsOf, isOpen, reasonOf, stateOf } from "./models.js";

/** @typedef {import("./models.js").Choice} Choice */

/**
 * @param {Choice} model
 * @param {boolean} isCurrent
 * @param {(model: Choice) => void} onChoose
 */
export function modelRow(model, isCurrent, onChoose) {
  const badge = badgeOf(model);
  const reason = reasonOf(model);
  const state = stateOf(model);
  const name = model.title ?? model.id;
  const button = el(
    "button",
    {
      type: "button",
      class: "model-row",
      "data-key": model.id,
      "aria-disabled": isOpen(model) ? null : "true",
      "aria-current": isCurrent ? "true" : null,
      onclick: () => isOpen(model) && onChoose(model),
    },
    el("span", { class: "model-name" }, el("bdi", {}, name)),
    " ",
    el("span", { class: `model-badge is-${badge.kind}` }, badge.words),
    " ",
    name !== model.id && el("span", { class: "model-id" }, el("bdi", {}, model.id)),
    " ",
    el("span", { class: "model-facts" }, [...factsOf(model), state].filter(Boolean).join(" · ")),
    isCurrent && el("span", { class: "visually-hidden" }, ` ${t("chosen now")}`),
    reason !== "" && " ",
    reason !== "" && el("span", { class: "model-reason" }, reason),
  );
  return el("li", {}, button);
}
