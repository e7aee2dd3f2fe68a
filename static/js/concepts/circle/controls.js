/** The circle's controls: sliders and numbers for what can also be dragged, and the query that goes round by itself. */

import { around, round } from "./handles.js";
import { LONGEST, bounded, withKeys, withQueries } from "./state.js";
import { el, fill, need } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { fixed } from "../../base/numbers.js";

/** @typedef {import("./numbers.js").CircleNumbers} CircleNumbers */
/** @typedef {import("./state.js").CircleState} CircleState */
/** @typedef {import("../../base/store.js").Store<CircleState>} CircleStore */

const ROUND_MS = 12_000;
const TURN_AT_ONCE = 15;
/** A slider goes from −2 to 2 in powers of ten. */
const EXPONENT_DIGITS = 2;

/**
 * @param {Document} root
 * @param {CircleStore} state
 * @returns {(value: Readonly<CircleState>, numbers: CircleNumbers | null) => void}
 */
export function bindCircleControls(root, state) {
  const input = (/** @type {string} */ id) => /** @type {HTMLInputElement} */ (need(root, `#${id}`));
  const out = (/** @type {string} */ id) => need(root, `#${id}-value`);
  const mechanisms = [.../** @type {NodeListOf<HTMLInputElement>} */ (root.querySelectorAll("input[name=mechanism]"))];
  const [keys, queries, temperature, seed, trail, rope] = [
    "keys",
    "queries",
    "temperature",
    "seed",
    "trail",
    "rope",
  ].map(input);
  const [theta, position, shift] = ["theta", "position", "shift"].map(input);
  const query = bindArrow(root, state, "query");
  const key = bindArrow(root, state, "key");
  bindPlay(root, state);

  for (const one of mechanisms) {
    one.addEventListener("change", () =>
      state.set({ mechanism: /** @type {CircleState["mechanism"]} */ (one.value) }, "pick"),
    );
  }
  keys.addEventListener("input", () => state.set(withKeys(state.get(), Number(keys.value)), "move"));
  queries.addEventListener("input", () => state.set(withQueries(state.get(), Number(queries.value)), "move"));
  temperature.addEventListener("input", () => {
    state.set({ temperature: Number((10 ** Number(temperature.value)).toPrecision(EXPONENT_DIGITS)) }, "move");
  });
  seed.addEventListener("change", () => state.set({ seed: bounded(Math.round(Number(seed.value)), 0, 999) }, "pick"));
  trail.addEventListener("change", () => state.set({ trail: trail.checked }, "pick"));
  rope.addEventListener("change", () => state.set({ rope: rope.checked }, "pick"));
  theta.addEventListener("input", () => state.set({ theta: Number(theta.value) }, "move"));
  position.addEventListener("input", () => state.set({ queryPosition: Number(position.value) }, "move"));
  shift.addEventListener("input", () => state.set({ shift: Number(shift.value) }, "move"));

  return (value, numbers) => {
    for (const one of mechanisms) one.checked = one.value === value.mechanism;
    show(keys, out("keys"), value.keyAngles.length);
    show(queries, out("queries"), value.queryAngles.length);
    show(temperature, out("temperature"), Math.log10(value.temperature), String(value.temperature));
    put(seed, String(value.seed));
    need(root, "#seed-line").hidden = value.mechanism !== "additive";
    trail.checked = value.trail;
    rope.checked = value.rope;
    need(root, "#rope-lines").hidden = !value.rope;
    show(theta, out("theta"), value.theta, fixed(value.theta, 2));
    show(position, out("position"), value.queryPosition);
    show(shift, out("shift"), value.shift);
    query(value.query, value.queryAngles, value.queryLengths);
    key(value.key, value.keyAngles, value.keyLengths);
    const spread = need(root, "#entropy");
    if (numbers) {
      spread.textContent = t("entropy {entropy} of at most {most}", {
        entropy: fixed(numbers.entropy[value.query], 3),
        most: fixed(Math.log(value.keyAngles.length), 3),
      });
    }
  };
}

/**
 * @param {HTMLInputElement} slider
 * @param {HTMLElement} output
 * @param {number} value
 * @param {string} [text]
 */
function show(slider, output, value, text = String(value)) {
  put(slider, String(value));
  output.textContent = text;
  slider.setAttribute("aria-valuetext", text);
}

/**
 * Leaves alone what somebody is typing into.
 * @param {HTMLInputElement} field
 * @param {string} text
 */
function put(field, text) {
  if (field.type === "number" && field === document.activeElement && Number(field.value) === Number(text)) return;
  if (field.value !== text) field.value = text;
}

/**
 * Angle and length of the chosen query or key, as numbers.
 * @param {Document} root
 * @param {CircleStore} state
 * @param {"query" | "key"} kind
 */
function bindArrow(root, state, kind) {
  const choice = /** @type {HTMLSelectElement} */ (need(root, `#${kind}`));
  const angle = /** @type {HTMLInputElement} */ (need(root, `#${kind}-angle`));
  const long = /** @type {HTMLInputElement} */ (need(root, `#${kind}-length`));
  const [angles, lengths] =
    kind === "query"
      ? /** @type {const} */ (["queryAngles", "queryLengths"])
      : /** @type {const} */ (["keyAngles", "keyLengths"]);

  /** @param {"queryAngles" | "queryLengths" | "keyAngles" | "keyLengths"} list @param {number} number */
  function change(list, number) {
    const value = state.get();
    state.set({ [list]: value[list].map((old, index) => (index === value[kind] ? number : old)) }, "type");
  }
  choice.addEventListener("change", () => state.set({ [kind]: Number(choice.value) }, "switch"));
  angle.addEventListener("input", () => {
    if (angle.value !== "" && angle.validity.valid) change(angles, Number(angle.value));
  });
  long.addEventListener("input", () => {
    if (long.value !== "" && long.validity.valid) change(lengths, bounded(Number(long.value), 0, LONGEST));
  });

  /**
   * @param {number} chosen
   * @param {readonly number[]} allAngles
   * @param {readonly number[]} allLengths
   */
  return (chosen, allAngles, allLengths) => {
    if (choice.length !== allAngles.length) {
      fill(choice, ...allAngles.map((_, index) => el("option", { value: index }, index)));
    }
    choice.value = String(chosen);
    put(angle, String(round(allAngles[chosen], 2)));
    put(long, String(allLengths[chosen]));
  };
}

/**
 * The chosen query goes round; where motion is not wanted, each press turns it a little.
 * @param {Document} root
 * @param {CircleStore} state
 */
function bindPlay(root, state) {
  const button = need(root, "#play");
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let frame = 0;
  let before = 0;
  still.addEventListener("change", say);
  button.addEventListener("click", () => {
    if (frame) stop();
    else if (still.matches) turn(TURN_AT_ONCE, "pick");
    else start();
    say();
  });
  say();

  function say() {
    button.textContent = still.matches
      ? t("Turn the query by {angle}°", { angle: TURN_AT_ONCE })
      : frame
        ? t("Stop")
        : t("Let the query go round");
  }

  function start() {
    before = performance.now();
    state.set({ trail: true }, "pick");
    frame = requestAnimationFrame(next);
  }

  function stop() {
    cancelAnimationFrame(frame);
    frame = 0;
    turn(0, "settle");
  }

  /** @param {number} now */
  function next(now) {
    turn((360 * (now - before)) / ROUND_MS, "move");
    before = now;
    frame = requestAnimationFrame(next);
  }

  /** @param {number} by @param {string} origin */
  function turn(by, origin) {
    const { queryAngles, query } = state.get();
    const turned = (/** @type {number} */ angle) => (frame ? around(angle + by) : around(round(angle + by, 1)));
    state.set({ queryAngles: queryAngles.map((angle, index) => (index === query ? turned(angle) : angle)) }, origin);
  }
}
