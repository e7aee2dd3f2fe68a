/** A strip of one measure with a brush: all heads as strokes, and a range that is dragged along it or moved by keys. */

import { el, svg } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { fixed } from "../../base/numbers.js";

/** @typedef {[number, number]} Ends  −Infinity and Infinity where they are open */

/** Steps from the least value to the most. */
const STEPS = 100;
const WIDTH = 120;
const HEIGHT = 16;
/** Steps that a pointer may move and still only click. */
const CLICK = 2;
/** @type {Record<string, (step: number) => number>} */
const KEYS = {
  ArrowRight: (step) => step + 1,
  ArrowUp: (step) => step + 1,
  ArrowLeft: (step) => step - 1,
  ArrowDown: (step) => step - 1,
  PageUp: (step) => step + 10,
  PageDown: (step) => step - 10,
  Home: () => 0,
  End: () => STEPS,
};

/**
 * @param {{title: string, values: number[]}} measure
 * @param {(ends: Ends) => void} onChange
 */
export function createBrush({ title, values }, onChange) {
  const scale = brushScale(values);
  let steps = [0, STEPS];
  const marks = svg("g");
  const range = el("span", { class: "brush-range" });
  const thumbs = [t("{metric}: at least", { metric: title }), t("{metric}: at most", { metric: title })].map((label) =>
    thumbOf(label, scale),
  );
  const x = (/** @type {number} */ value) => 1 + scale.share(value) * (WIDTH - 2);
  const element = el(
    "span",
    { class: "brush", role: "group", "aria-label": t("Filter by {metric}", { metric: title }) },
    svg(
      "svg",
      { class: "metric-strip", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("line", { class: "metric-base", x1: 0, x2: WIDTH, y1: HEIGHT - 0.5, y2: HEIGHT - 0.5 }),
      ...values.map((value) => svg("line", { class: "metric-other", x1: x(value), x2: x(value), y1: 6, y2: HEIGHT })),
      marks,
    ),
    range,
    ...thumbs,
  );
  bindDrag(element, {
    steps: () => steps,
    onSteps: (next) => onChange(scale.ends(next[0], next[1])),
  });
  thumbs.forEach((thumb, index) =>
    thumb.addEventListener("keydown", (event) => {
      const next = stepsAfter(event.key, steps, index);
      if (!next) return;
      event.preventDefault();
      event.stopPropagation();
      onChange(scale.ends(next[0], next[1]));
    }),
  );

  return {
    element,
    /**
     * @param {Readonly<Ends> | undefined} ends
     * @param {number[]} these  values of the chosen heads
     */
    show(ends, these) {
      steps = scale.steps(ends ?? [-Infinity, Infinity]);
      element.classList.toggle("is-limited", scale.isLimited(steps));
      element.style.setProperty("--from", String(steps[0] / STEPS));
      element.style.setProperty("--to", String(steps[1] / STEPS));
      thumbs.forEach((thumb, index) => {
        thumb.setAttribute("aria-valuenow", scale.at(steps[index]).toFixed(4));
        thumb.setAttribute("aria-valuetext", fixed(scale.at(steps[index]), 2));
      });
      marks.replaceChildren(
        ...these.map((value) => svg("line", { class: "metric-this", x1: x(value), x2: x(value), y1: 1, y2: HEIGHT })),
      );
    },
  };
}

/**
 * @param {string} label
 * @param {Pick<ReturnType<typeof brushScale>, "least" | "most">} scale
 */
function thumbOf(label, { least, most }) {
  return el("span", {
    class: "brush-thumb",
    role: "slider",
    tabindex: 0,
    "aria-label": label,
    "aria-valuemin": least.toFixed(4),
    "aria-valuemax": most.toFixed(4),
  });
}

/**
 * The range after a key on one of its ends, which stays on its side of the other.
 * @param {string} key
 * @param {readonly number[]} steps
 * @param {number} index  of the end
 * @returns {number[] | null}  null for a key that changes nothing
 */
export function stepsAfter(key, steps, index) {
  const [from, to] = steps;
  if (key === "Escape" || key === "Delete") return from > 0 || to < STEPS ? [0, STEPS] : null;
  if (!Object.hasOwn(KEYS, key)) return null;
  const moved = KEYS[key](steps[index]);
  return index === 0 ? [clamped(moved, [0, to]), to] : [from, clamped(moved, [from, STEPS])];
}

/**
 * Drags: near a thumb it is moved, elsewhere a new range begins; a click alone ends the filter.
 * @param {HTMLElement} element
 * @param {{steps: () => number[], onSteps: (steps: [number, number]) => void}} options
 */
function bindDrag(element, { steps, onSteps }) {
  /** Where the drag holds on, and where it began. @type {{fixed: number, from: number} | null} */
  let held = null;
  const stepAt = (/** @type {PointerEvent} */ { clientX }) => {
    const { left, width } = element.getBoundingClientRect();
    return clamped(Math.round(((clientX - left) / (width || 1)) * STEPS), [0, STEPS]);
  };
  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    element.setPointerCapture(event.pointerId);
    const [step, [from, to]] = [stepAt(event), steps()];
    const grip = event.target instanceof Element && event.target.closest(".brush-thumb");
    held = { fixed: grip ? (grip === element.lastElementChild ? from : to) : step, from: step };
    if (grip instanceof HTMLElement) grip.focus();
  });
  element.addEventListener("pointermove", (event) => {
    if (!held) return;
    const step = stepAt(event);
    if (Math.abs(step - held.from) >= CLICK) onSteps([Math.min(step, held.fixed), Math.max(step, held.fixed)]);
  });
  element.addEventListener("pointerup", (event) => {
    const isClick = held !== null && held.fixed === held.from && Math.abs(stepAt(event) - held.from) < CLICK;
    held = null;
    if (isClick) onSteps([0, STEPS]);
  });
  element.addEventListener("pointercancel", () => (held = null));
}

/**
 * @param {number} value
 * @param {readonly number[]} bounds
 */
function clamped(value, [least, most]) {
  return Math.min(Math.max(value, least), most);
}

/**
 * Values as steps of a strip; its ends are no limit.
 * @param {number[]} values
 */
export function brushScale(values) {
  const [least, most] = [Math.min(...values, 0), Math.max(...values, 1e-9)];
  const at = (/** @type {number} */ step) => least + (step / STEPS) * (most - least);
  const share = (/** @type {number} */ value) => (value - least) / (most - least);
  const stepOf = (/** @type {number} */ value) => clamped(Math.round(share(value) * STEPS), [0, STEPS]);
  return {
    least,
    most,
    at,
    share,
    isLimited: (/** @type {readonly number[]} */ [from, to]) => from > 0 || to < STEPS,
    /** @param {number} low @param {number} high @returns {Ends} */
    ends: (low, high) => [low <= 0 ? -Infinity : at(low), high >= STEPS ? Infinity : at(high)],
    /** @param {Readonly<Ends>} ends */
    steps: ([from, to]) => [Number.isFinite(from) ? stepOf(from) : 0, Number.isFinite(to) ? stepOf(to) : STEPS],
  };
}
