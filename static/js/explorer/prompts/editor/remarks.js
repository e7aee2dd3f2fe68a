/** What is said of a set of prompts while it is edited: how many, what is wrong, where it is kept, and the first ones. */

import { el, fill, say, smallButton } from "../../../base/dom.js";
import { t } from "../../../base/i18n.js";
import { filled } from "../../state/prompt_set.js";

/** Prompts of a template that are shown before they are run. */
const PREVIEWED = 3;

/** @param {() => void} onDiscard */
export function createRemarks(onDiscard) {
  const status = el("p", { class: "note", role: "status" });
  const problem = el("p", { id: "prompts-problem", class: "field-error", role: "alert", hidden: true });
  const link = el("p", { class: "note" });
  const draft = el("span", { role: "status" });
  const discard = smallButton(t("Discard what was typed"), onDiscard, { hidden: true });
  const preview = el("ul", { class: "prompts-preview" });
  const counted = el("span", { class: "note" });
  return {
    status,
    problem,
    link,
    draft: el("p", { class: "note prompts-draft" }, draft, discard),
    preview,
    counted,
    /** @param {string} message  "" for none */
    refuse(message) {
      problem.hidden = message === "";
      say(problem, message);
    },
    /** @param {import("./form.js").Told} told */
    tell(told) {
      const { set } = told;
      say(draft, told.draft);
      discard.hidden = told.draft === "";
      const count = countWords(set.count);
      say(status, count);
      const said = [count, set.template].filter(Boolean);
      say(counted, said.map((sentence) => `· ${sentence}`).join(" "));
      say(link, told.link);
      const previewed = previewOf(set);
      preview.hidden = previewed.length === 0;
      fill(preview, ...previewed);
    },
  };
}

/** @param {number} count */
function countWords(count) {
  if (count === 0) return "";
  return count === 1 ? t("1 prompt") : t("{count} prompts", { count });
}

/** The first prompts of a template. @param {import("../../state/prompt_set.js").PromptSet} set */
function previewOf({ problem, fillings, template }) {
  const shown = problem === "" ? fillings.slice(0, PREVIEWED) : [];
  const more = fillings.length - shown.length;
  if (shown.length === 0) return [];
  return [
    ...shown.map((words) => el("li", {}, el("bdi", {}, filled(template, words)))),
    ...(more > 0 ? [el("li", { class: "note" }, t("… and {count} more", { count: more }))] : []),
  ];
}
