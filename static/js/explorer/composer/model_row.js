/**
 * One row of the model picker: a button with the model's name, what it is good for, facts, badge and, if need be, the
 * reason. Of a model that must be asked about first, the row then says what it is and offers to load it.
 */

import { el, smallButton } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { bytes } from "../../base/numbers.js";
import { badgeOf, factsOf, isOpen, isUnseen, reasonOf, stateOf } from "./models.js";

/** @typedef {import("./models.js").Choice} Choice */
/** @typedef {import("../data/hub_search.js").Preview} Preview */

/**
 * @typedef {object} RowOptions
 * @property {boolean} isCurrent
 * @property {Preview} [preview]  of a model that was asked about
 * @property {(model: Choice) => string} refusalOf  why it does not fit what a model is chosen for; "" where it does
 * @property {(model: Choice) => void} onChoose
 * @property {(model: string) => void} onLoad
 */

/**
 * @param {Choice} listed
 * @param {RowOptions} options
 */
export function modelRow(listed, { isCurrent, preview, refusalOf, onChoose, onLoad }) {
  const known = { ...listed, ...preview?.facts };
  const refusal = refusalOf(known);
  const model = refusal === "" ? known : { ...known, available: false, reason: refusal };
  const badge = badgeOf(model);
  const reason = reasonOf(model);
  const name = model.title ?? model.id;
  const facts = [...factsOf(model), isUnseen(model) && !preview ? t("Press for its layers and size") : stateOf(model)];
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
    model.purpose && el("span", { class: "model-purpose" }, model.purpose),
    " ",
    el("span", { class: "model-facts" }, facts.filter(Boolean).join(" · ")),
    isCurrent && el("span", { class: "visually-hidden" }, ` ${t("chosen now")}`),
    reason !== "" && " ",
    reason !== "" && el("span", { class: "model-reason" }, reason),
  );
  return el("li", {}, button, preview && lookedAt(model, preview, onLoad));
}

/**
 * What came of asking about a model, and the button that loads it.
 * @param {Choice} model
 * @param {Preview} preview
 * @param {(model: string) => void} onLoad
 */
function lookedAt(model, { phase, message }, onLoad) {
  const words = { asking: t("Asking what it is …"), failed: message, done: "" }[phase];
  const { size_bytes: size, id } = model;
  const name = size ? t("Load it: {size} to fetch", { size: bytes(size) }) : t("Load it");
  const isOffered = phase === "done" && isOpen(model) && !model.is_here;
  if (words === "" && !isOffered) return false;
  return el(
    "div",
    { class: "model-look", role: phase === "failed" ? "alert" : "status" },
    words !== "" && el("span", { class: phase === "failed" ? "field-error" : "note" }, words),
    isOffered && smallButton(name, () => onLoad(id), { "data-load": id }),
  );
}
