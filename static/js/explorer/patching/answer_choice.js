/** Choose a token or class whose logit counts: one that is probable in either run, or any other, typed. */

import { el, fill, say } from "../../base/dom.js";
import { t } from "../../base/i18n.js";

/** Of the option behind which any token is typed; ids are numbers. */
const TYPED = "typed";
/** Most characters that the server takes for a token. */
const LONGEST = 200;

/**
 * @typedef {object} AnswerData
 * @property {number | null} token  by its id; null for the best
 * @property {string} typed  a text of exactly one token, or the name of a class, which goes before the id; "" for none
 * @property {{id: number, name: string}[]} answers  probable ones
 * @property {boolean} isClass  rather than a token
 * @property {string} refusal  of the server; "" for none
 */

/**
 * @param {HTMLElement} element
 * @param {AnswerData} data
 * @param {object} options
 * @param {string} options.id
 * @param {string} options.label
 * @param {string} options.best  what the best one is called
 * @param {(chosen: {token: number | null, typed: string}) => void} options.onPick
 * @returns {import("../../base/mount.js").View<AnswerData>}
 */
export function answerChoiceView(element, data, { id, label, best, onPick }) {
  const [noteId, errorId] = [`${id}-note`, `${id}-error`];
  const select = el("select", { id, "aria-describedby": errorId, onchange: onChoose });
  const input = el("input", {
    type: "text",
    id: `${id}-typed`,
    dir: "auto",
    maxlength: LONGEST,
    spellcheck: "false",
    autocomplete: "off",
    size: 10,
    "aria-describedby": `${noteId} ${errorId}`,
    onchange: onTyped,
  });
  const note = el("span", { id: noteId, class: "note" });
  const error = el("span", { id: errorId, class: "field-error", role: "alert" });
  fill(element, el("label", { for: id }, label), select, input, note, error);
  /** Whether a token is to be typed, though there is none yet. */
  let isOpen = false;
  let current = data;
  draw(data);

  function onChoose() {
    isOpen = select.value === TYPED;
    if (isOpen) {
      draw(current);
      input.focus();
    } else onPick({ token: select.value === "" ? null : Number(select.value), typed: "" });
  }

  function onTyped() {
    isOpen = true;
    onPick({ token: null, typed: input.value });
  }

  /** @param {AnswerData} next */
  function draw(next) {
    if (next.typed !== current.typed || (next.typed !== "" && input.value === "")) input.value = next.typed;
    current = next;
    const { token, typed, answers, isClass, refusal } = next;
    input.setAttribute(
      "aria-label",
      isClass ? t("{label}: the name of a class", { label }) : t("{label}: exactly one token", { label }),
    );
    say(note, isClass ? t("The name of a class.") : t("One token; most words begin with a space."));
    if (token !== null) isOpen = false;
    const isTyping = isOpen || typed !== "";
    const key = isTyping ? TYPED : token === null ? "" : String(token);
    const isListed = token === null || answers.some((answer) => answer.id === token);
    fill(
      select,
      option("", best, key),
      ...answers.map((answer) => option(String(answer.id), answer.name, key)),
      !isListed && option(key, nameOf(token ?? 0, isClass), key),
      option(TYPED, isClass ? t("another class …") : t("another token …"), key),
    );
    input.hidden = !isTyping;
    note.hidden = !isTyping || typed !== "";
    say(error, refusal);
    for (const control of [select, input]) {
      if (refusal !== "" && control === (isTyping ? input : select)) control.setAttribute("aria-invalid", "true");
      else control.removeAttribute("aria-invalid");
    }
  }

  return { update: draw, destroy: () => element.replaceChildren() };
}

/**
 * @param {number} id
 * @param {boolean} isClass
 */
function nameOf(id, isClass) {
  return isClass ? t("class {id}", { id }) : t("token {id}", { id });
}

/**
 * @param {string} value
 * @param {string} name
 * @param {string} chosen
 */
function option(value, name, chosen) {
  return el("option", { value, selected: value === chosen }, name);
}
