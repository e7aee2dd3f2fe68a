/** Drag arrows by mouse, touch or keyboard: rotate them, or change their length. */

import { turnOf } from "./numbers.js";
import { LONGEST, bounded, withArrow } from "./state.js";
import { length } from "../frame/core/attention.js";

/** @typedef {import("./view.js").Arrow} Arrow */
/** @typedef {import("./numbers.js").CircleData} CircleData */
/** @typedef {import("../frame/concept.js").Tools<import("./state.js").CircleState>} Tools */
/** @typedef {{arrow: Arrow, id: number, grab: [number, number], angle: number, length: number, reach: number}} Drag */

/** Tolerances within which a drag changes only the angle or only the length: shares of the radius, and degrees. */
const KEEPS_LENGTH = 0.09;
const KEEPS_ANGLE = 6;
const TURN = 5;
const TURN_FINE = 1;
const STRETCH = 0.25;

/**
 * @param {SVGSVGElement} picture
 * @param {() => {data: CircleData, reach: number}} now  what is drawn
 * @param {Tools} tools
 */
export function bindHandles(picture, now, { set, latest }) {
  /** @type {Drag | null} */
  let drag = null;
  const select = (/** @type {Arrow} */ { kind, index }) => set({ [kind]: index }, "switch");
  const turn = (
    /** @type {Arrow} */ arrow,
    /** @type {number} */ angle,
    /** @type {number} */ length,
    origin = "move",
  ) => set(withArrow(latest(), arrow, { angle, length }), origin);

  picture.addEventListener("pointerdown", (event) => {
    const arrow = event.button === 0 ? arrowAt(event.target) : null;
    if (!arrow) return;
    event.preventDefault();
    drag = dragOf(picture, event, arrow, now());
    picture.setPointerCapture(event.pointerId);
    /** @type {SVGElement} */ (/** @type {Element} */ (event.target).closest(".arrow")).focus({ preventScroll: true });
    select(arrow);
  });
  picture.addEventListener("pointermove", (event) => {
    if (!drag || event.pointerId !== drag.id) return;
    const { angle, length } = pulled(picture, event, drag, turnOf(now().data.state, drag.arrow.kind, drag.arrow.index));
    turn(drag.arrow, angle, length);
  });
  for (const type of /** @type {const} */ (["pointerup", "pointercancel"])) {
    picture.addEventListener(type, (event) => {
      if (!drag || event.pointerId !== drag.id) return;
      const { arrow } = drag;
      drag = null;
      const [angles, lengths] = listsOf(latest(), arrow);
      turn(arrow, angles[arrow.index], lengths[arrow.index], "drop"); // drawn at a scale that fits, kept in the URL
    });
  }
  // A finger on an arrow does not scroll the page; beside the arrows it does.
  const hold = (/** @type {TouchEvent} */ event) => arrowAt(event.target) && event.preventDefault();
  picture.addEventListener("touchstart", hold, { passive: false });
  picture.addEventListener("focusin", (event) => {
    const arrow = arrowAt(event.target);
    if (arrow) select(arrow);
  });
  picture.addEventListener("keydown", (event) => {
    const arrow = arrowAt(event.target);
    const move = arrow && moveOf(event);
    if (!move) return;
    event.preventDefault();
    const [angles, lengths] = listsOf(latest(), arrow); // two presses may come before the first is drawn
    const angle = around(round(angles[arrow.index] + move[0], 4));
    turn(arrow, angle, bounded(round(lengths[arrow.index] + move[1], 4), 0, LONGEST));
  });
  return { isDragging: () => drag !== null };
}

/**
 * @param {SVGSVGElement} picture
 * @param {PointerEvent} event
 * @param {Arrow} arrow
 * @param {{data: CircleData, reach: number}} now
 * @returns {Drag}
 */
function dragOf(picture, event, arrow, { data, reach }) {
  const tip = data.numbers[arrow.kind === "query" ? "queries" : "keys"][arrow.index];
  const point = world(picture, event, reach);
  const angle = degrees(tip) - turnOf(data.state, arrow.kind, arrow.index);
  return {
    arrow,
    id: event.pointerId,
    grab: [tip[0] - point[0], tip[1] - point[1]],
    angle,
    length: length(tip),
    reach,
  };
}

/**
 * Where an arrow that is dragged points, and how long it is: a hand keeps the one while it changes the other.
 * @param {SVGSVGElement} picture
 * @param {PointerEvent} event
 * @param {Drag} drag
 * @param {number} turn  of its position
 */
function pulled(picture, event, drag, turn) {
  const point = world(picture, event, drag.reach);
  const tip = [point[0] + drag.grab[0], point[1] + drag.grab[1]];
  const reached = length(tip);
  const keepsLength = Math.abs(reached - drag.length) < KEEPS_LENGTH * drag.reach;
  const angle = degrees(tip) - turn;
  const keepsAngle = !keepsLength && Math.abs(difference(angle, drag.angle)) < KEEPS_ANGLE;
  return {
    angle: around(round(keepsAngle ? drag.angle : angle, 1)),
    length: bounded(round(keepsLength ? drag.length : reached, 2), 0, LONGEST),
  };
}

/**
 * How a key changes angle and length.
 * @param {KeyboardEvent} event
 * @returns {[number, number] | null}
 */
function moveOf(event) {
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
  const isOther = event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(moves, event.key);
  return isOther ? null : moves[event.key];
}

/**
 * @param {SVGSVGElement} picture
 * @param {PointerEvent} event
 * @param {number} reach
 * @returns {[number, number]}
 */
function world(picture, event, reach) {
  const box = picture.getBoundingClientRect();
  const unit = (box.width / picture.viewBox.baseVal.width) * (100 / reach);
  return [(event.clientX - box.x - box.width / 2) / unit, -(event.clientY - box.y - box.height / 2) / unit];
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

/** @param {number} a @param {number} b @returns {number} −180 … 180 */
function difference(a, b) {
  return around(a - b + 180) - 180;
}

/** @param {number} value @param {number} digits */
export function round(value, digits) {
  const power = 10 ** digits;
  return Math.round(value * power) / power;
}
