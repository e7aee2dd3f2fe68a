/**
 * Controls bound to fields by their attributes alone:
 *
 * - `data-bind="temperature"` on a slider, number, text, checkbox, select or every radio of a group;
 *   `data-scale="log"` on a slider that holds the power of ten; `data-list` on a text that holds a list of numbers;
 * - `data-out="temperature"` on an output, with `data-digits="2"`;
 * - `data-when="mechanism=additive,cosine"` or `data-when="rope"` on what is shown only then.
 */

import { bindModelChoice, fillSelect } from "../../page/model_choice.js";
import { t } from "../../base/i18n.js";
import { fixed } from "../../base/numbers.js";

/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Control */
/** @typedef {import("../../base/fields.js").Field<unknown>} Field */
/** @typedef {Record<string, unknown>} Values */

const LOG_DIGITS = 2;

/**
 * @template {import("./concept.js").Types} T
 * @param {import("./concept.js").Page<T>} page
 * @returns {(value: Readonly<T["state"]>, answer: T["answer"], data: T["data"] | null) => void}  brings all of them up to date
 */
export function bindFields({ root, concept, state, schedule }) {
  const { fields, within } = concept;
  /** @type {Record<string, ((data: T["data"]) => [string, string][] | number | null) | undefined>} */
  const choices = concept.choices ?? {};
  /** @type {Record<string, ((value: never, state: Readonly<T["state"]>) => Partial<T["state"]>) | undefined>} */
  const dependents = concept.dependents ?? {};
  const controls = [.../** @type {NodeListOf<Control>} */ (root.querySelectorAll("[data-bind]"))];
  const outputs = [.../** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-out]"))];
  const conditions = [.../** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-when]"))];
  for (const control of controls) {
    const name = control.dataset.bind ?? "";
    if (!fields[name]) throw new Error(`the page has a control for ${name}, which is no field`);
    if (name === "model")
      bindModelChoice(/** @type {HTMLSelectElement} */ (control), () => String(valuesOf(state).model), schedule);
    listen(control, fields[name], state, (value) => {
      return /** @type {Partial<T["state"]>} */ ({
        [name]: value,
        ...dependents[name]?.(/** @type {never} */ (value), state.get()),
      });
    });
  }

  return (state, answer, data) => {
    // Controls say what is shown, which another answer may bound more closely than the fields do.
    const value = /** @type {Values} */ (answer && within ? { ...state, ...within(state, answer) } : state);
    for (const control of controls) {
      const name = control.dataset.bind ?? "";
      const offered = data ? (choices[name]?.(data) ?? null) : null;
      if (offered !== null) offer(control, offered);
      if (!isMistyped(control)) put(control, fields[name], value[name]);
    }
    for (const output of outputs) {
      const said = shown(value[output.dataset.out ?? ""], output.dataset.digits);
      if (output.textContent !== said) output.textContent = said;
    }
    for (const place of conditions) place.hidden = !holds(place.dataset.when ?? "", value);
  };
}

/**
 * @template {object} S
 * @param {Control} control
 * @param {Field} field
 * @param {import("../../base/store.js").Store<S>} state
 * @param {(value: unknown) => Partial<S>} patch
 */
function listen(control, field, state, patch) {
  const name = control.dataset.bind ?? "";
  const isLive = control.type === "range" || control.type === "number" || control.type === "text";
  control.addEventListener(isLive ? "input" : "change", () => {
    const value = field.parse(written(control));
    complain(control, value === null ? field.wanted : "");
    if (value === null) return;
    state.set(patch(value), control.type === "range" ? "move" : isLive ? "type" : "pick");
  });
  control.addEventListener("blur", () => {
    if (!isMistyped(control)) return;
    complain(control, "");
    put(control, field, valuesOf(state)[name]);
  });
}

/** Whether it holds what its field does not take, other than what the server refused. @param {Control} control */
function isMistyped(control) {
  return control.getAttribute("aria-invalid") === "true" && !control.hasAttribute("data-refused");
}

/** @param {{get: () => object}} state */
function valuesOf(state) {
  return /** @type {Values} */ (state.get());
}

/**
 * @param {Control} control
 * @param {[string, string][] | number} choices
 */
function offer(control, choices) {
  if (control instanceof HTMLSelectElement && typeof choices !== "number") fillSelect(control, choices);
  else if (control instanceof HTMLInputElement) control.max = String(choices);
}

/**
 * What a control says, as the URL would.
 * @param {Control} control
 */
function written(control) {
  if (control instanceof HTMLInputElement && control.type === "checkbox") return control.checked ? "1" : "0";
  if (control.dataset.scale === "log") return String(Number((10 ** Number(control.value)).toPrecision(LOG_DIGITS)));
  return control.value;
}

/**
 * Leaves alone what somebody is typing into.
 * @param {Control} control
 * @param {Field} field
 * @param {unknown} value
 */
function put(control, field, value) {
  if (control instanceof HTMLInputElement && control.type === "checkbox") control.checked = value === true;
  else if (control instanceof HTMLInputElement && control.type === "radio") control.checked = control.value === value;
  else {
    const isTyping = control === document.activeElement && control.type !== "range";
    const isLog = control.dataset.scale === "log";
    const said = isLog
      ? String(Math.log10(Number(value)))
      : Array.isArray(value)
        ? value.join(", ")
        : field.print(value);
    if (isTyping && same(field, control.value, value)) return;
    if (control.value !== said) control.value = said;
    if (control.type === "range") control.setAttribute("aria-valuetext", shown(value, control.dataset.digits));
  }
}

/**
 * @param {Field} field
 * @param {string} typed
 * @param {unknown} value
 */
function same(field, typed, value) {
  const parsed = field.parse(typed);
  return parsed !== null && field.print(parsed) === field.print(value);
}

/**
 * @param {Control} control
 * @param {string} wanted  "" where nothing is wrong
 */
function complain(control, wanted) {
  const message = wanted && t("Allowed: {values}", { values: wanted });
  if (message) control.setAttribute("aria-invalid", "true");
  else control.removeAttribute("aria-invalid");
  control.setCustomValidity(message);
  control.title = message;
}

/**
 * @param {unknown} value
 * @param {string} [digits]
 */
function shown(value, digits) {
  if (typeof value !== "number") return Array.isArray(value) ? value.join(", ") : String(value);
  return digits === undefined ? String(value).replace("-", "−") : fixed(value, Number(digits));
}

/**
 * @param {string} condition  "rope", "mechanism=cosine,additive", "mechanism!=additive"
 * @param {Readonly<Values>} value
 */
export function holds(condition, value) {
  const [, name, not, wanted] = /^(\w+)(!?)(?:=(.*))?$/.exec(condition) ?? [];
  if (!(name in value)) throw new Error(`no field ${name} in ${condition}`);
  if (wanted === undefined) return Boolean(value[name]);
  return wanted.split(",").includes(String(value[name])) !== (not === "!");
}
