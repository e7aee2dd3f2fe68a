/** Arrows taken by mouse, finger or keyboard: they turn, and get longer or shorter. */

import { turnOf } from "./numbers.js";
import { LONGEST, bounded } from "./state.js";
import { length } from "../frame/attention.js";

/** @typedef {import("./view.js").Arrow} Arrow */
/** @typedef {import("./view.js").CircleData} CircleData */
/** @typedef {import("./view.js").CircleOptions} CircleOptions */

/** Lengths and angles that a hand keeps while it changes the other: shares of the picture's reach, and degrees. */
const KEEPS_LENGTH = 0.09;
const KEEPS_ANGLE = 6;
const TURN = 5;
const TURN_FINE = 1;
const STRETCH = 0.25;

/**
 * @param {SVGSVGElement} picture
 * @param {() => {data: CircleData, reach: number}} now
 * @param {CircleOptions} options
 */
export function bindHandles(picture, now, { latest, onSelect, onTurn }) {
  const stop = new AbortController();
  const { signal } = stop;
  /** @type {{arrow: Arrow, id: number, grab: [number, number], angle: number, length: number, reach: number} | null} */
  let drag = null;

  picture.addEventListener("pointerdown", press, { signal });
  picture.addEventListener("pointermove", move, { signal });
  for (const type of ["pointerup", "pointercancel"]) picture.addEventListener(type, release, { signal });
  picture.addEventListener("touchstart", hold, { signal, passive: false });
  picture.addEventListener("keydown", key, { signal });
  picture.addEventListener("focusin", (event) => select(event.target), { signal });

  /** @param {EventTarget | null} target */
  function select(target) {
    const arrow = arrowAt(target);
    if (arrow) onSelect(arrow);
    return arrow;
  }

  /** A finger on an arrow does not scroll the page; beside the arrows it does. @param {TouchEvent} event */
  function hold(event) {
    if (arrowAt(event.target)) event.preventDefault();
  }

  /** @param {PointerEvent} event */
  function press(event) {
    const arrow = event.button === 0 ? arrowAt(event.target) : null;
    if (!arrow) return;
    event.preventDefault();
    const { data, reach } = now();
    const tip = data.numbers[arrow.kind === "query" ? "queries" : "keys"][arrow.index];
    const at = world(event, reach);
    const turn = turnOf(data.state, arrow.kind, arrow.index);
    drag = {
      arrow,
      id: event.pointerId,
      grab: [tip[0] - at[0], tip[1] - at[1]],
      angle: degrees(tip) - turn,
      length: length(tip),
      reach,
    };
    picture.setPointerCapture(event.pointerId);
    /** @type {SVGElement} */ (/** @type {Element} */ (event.target).closest(".arrow")).focus({ preventScroll: true });
    onSelect(arrow);
  }

  /** @param {PointerEvent} event */
  function move(event) {
    if (!drag || event.pointerId !== drag.id) return;
    const at = world(event, drag.reach);
    const tip = /** @type {[number, number]} */ ([at[0] + drag.grab[0], at[1] + drag.grab[1]]);
    const turn = turnOf(now().data.state, drag.arrow.kind, drag.arrow.index);
    const reached = length(tip);
    const keepsLength = Math.abs(reached - drag.length) < KEEPS_LENGTH * drag.reach;
    const angle = degrees(tip) - turn;
    const keepsAngle = !keepsLength && Math.abs(difference(angle, drag.angle)) < KEEPS_ANGLE;
    onTurn(
      drag.arrow,
      around(round(keepsAngle ? drag.angle : angle, 1)),
      bounded(round(keepsLength ? drag.length : reached, 2), 0, LONGEST),
      "move",
    );
  }

  /** @param {Event} event */
  function release(event) {
    if (!drag || /** @type {PointerEvent} */ (event).pointerId !== drag.id) return;
    const { arrow } = drag;
    drag = null;
    const [angles, lengths] = listsOf(latest(), arrow);
    onTurn(arrow, angles[arrow.index], lengths[arrow.index], "drop"); // drawn at a scale that fits, kept in the URL
  }

  /** @param {KeyboardEvent} event */
  function key(event) {
    const arrow = arrowAt(event.target);
    if (!arrow || event.ctrlKey || event.metaKey || event.altKey) return;
    const turn = event.shiftKey ? TURN_FINE : TURN;
    /** @type {Record<string, [number, number]>} */
    const moves = {
      ArrowLeft: [turn, 0],
      ArrowUp: [turn, 0],
      ArrowRight: [-turn, 0],
      ArrowDown: [-turn, 0],
      "+": [0, STRETCH],
      "=": [0, STRETCH],
      "-": [0, -STRETCH],
    };
    if (!Object.hasOwn(moves, event.key)) return;
    event.preventDefault();
    const [angles, lengths] = listsOf(latest(), arrow); // two presses may come before the first is drawn
    const [byAngle, byLength] = moves[event.key];
    const angle = around(round(angles[arrow.index] + byAngle, 4));
    onTurn(arrow, angle, bounded(round(lengths[arrow.index] + byLength, 4), 0, LONGEST), "move");
  }

  /**
   * @param {PointerEvent} event
   * @param {number} reach
   * @returns {[number, number]}
   */
  function world(event, reach) {
    const box = picture.getBoundingClientRect();
    const view = picture.viewBox.baseVal;
    const unit = (box.width / view.width) * (100 / reach);
    return [(event.clientX - box.x - box.width / 2) / unit, -(event.clientY - box.y - box.height / 2) / unit];
  }

  return {
    isDragging: () => drag !== null,
    destroy: () => stop.abort(),
  };
}

/**
 * @param {EventTarget | null} target
 * @returns {Arrow | null}
 */
function arrowAt(target) {
  const group = target instanceof Element ? target.closest(".arrow") : null;
  const kind = group?.getAttribute("data-kind");
  return group && (kind === "query" || kind === "key")
    ? { kind, index: Number(group.getAttribute("data-index")) }
    : null;
}

/**
 * @param {CircleData["state"]} state
 * @param {Arrow} arrow
 */
function listsOf(state, { kind }) {
  return kind === "query" ? [state.queryAngles, state.queryLengths] : [state.keyAngles, state.keyLengths];
}

/** @param {readonly number[]} point */
function degrees([x, y]) {
  return (Math.atan2(y, x) * 180) / Math.PI;
}

/** @param {number} angle @returns {number} 0 … 360 */
export function around(angle) {
  const turned = angle % 360;
  return turned < 0 ? turned + 360 : turned;
}

/** @param {number} one @param {number} other @returns {number} −180 … 180 */
function difference(one, other) {
  return around(one - other + 180) - 180;
}

/** @param {number} value @param {number} digits */
export function round(value, digits) {
  const power = 10 ** digits;
  return Math.round(value * power) / power;
}
