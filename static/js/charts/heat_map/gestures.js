/**
 * Wheel, drag, pinch and click over a plot, told as what they mean. Which of them it is, a state machine finds out from
 * the events alone; `bindGestures` gives it those of an element.
 */

/** @typedef {{x: number, y: number}} Point */
/** @typedef {{x: [number, number], y: [number, number]}} Box  shares of the plot */
/** @typedef {Pick<PointerEvent, "pointerId" | "pointerType" | "button" | "shiftKey" | "clientX" | "clientY">} Pointer */
/** @typedef {Point & {mode: "press" | "pan" | "box" | "pinch"}} Drag  from where it was pressed */
/** @typedef {Pick<WheelEvent, "deltaY" | "deltaMode" | "ctrlKey" | "metaKey" | "clientX" | "clientY">} Wheel */

/**
 * @typedef {object} Gestures  places are shares of the plot, 0…1 from its left and top
 * @property {() => Pick<DOMRect, "left" | "top" | "width" | "height">} area  the plot on screen
 * @property {() => boolean} canPan  whether anything is out of view
 * @property {() => boolean} canWheel  whether the wheel should zoom rather than scroll the page
 * @property {(x: number, y: number) => void} onPoint
 * @property {() => void} onLeave
 * @property {(x: number, y: number) => void} onTap
 * @property {() => void} onReset
 * @property {(dx: number, dy: number) => void} onPan
 * @property {(factor: number, x: number, y: number) => void} onZoom  factor below 1 goes closer
 * @property {(box: Box | null) => void} onBox  while a rectangle is drawn
 * @property {(box: Box) => void} onBoxed
 * @property {() => void} onRest  the movement has ended
 */

/** Pixels that the pointer may move during a click. */
const SLOP = 4;
/** Wheel distance in pixels that doubles or halves the zoom. */
const WHEEL_DOUBLE = 240;
const LINE_PIXELS = 32;
const REST_MS = 160;

/**
 * @param {Gestures} told
 * @param {(pointer: number) => void} [capture]  a drag has begun
 */
export function createGestures(told, capture = () => {}) {
  /** @type {Map<number, Point>} */
  const pressed = new Map();
  /** @type {Drag | null} */
  let drag = null;

  /** @param {Drag} drag  whose pointer has left the place of its press @param {Pointer} event */
  function begin(drag, event) {
    const pans = told.canPan() && !event.shiftKey;
    if (event.pointerType === "touch" && !pans) return;
    drag.mode = pans ? "pan" : "box";
    capture(event.pointerId);
    told.onLeave();
  }

  return {
    /** @param {Pointer} event */
    down(event) {
      if (event.button !== 0) return;
      pressed.set(event.pointerId, pointOf(event));
      if (pressed.size === 1) drag = { ...pointOf(event), mode: "press" };
      else if (drag) drag.mode = "pinch";
    },
    /** @param {Pointer} event */
    move(event) {
      const [before, now] = [pressed.get(event.pointerId), pointOf(event)];
      if (!drag || !before) return tellAt(told, told.onPoint, now);
      if (drag.mode === "press" && Math.hypot(now.x - drag.x, now.y - drag.y) > SLOP) begin(drag, event);
      const [first, second] = pressed.values();
      step(drag, { before, now, other: before === first ? second : first }, told);
      pressed.set(event.pointerId, now);
    },
    /** @param {Pointer} event */
    up(event) {
      if (!pressed.delete(event.pointerId) || !drag) return;
      const { mode } = drag;
      if (mode === "press") tellAt(told, told.onTap, pointOf(event));
      else if (mode === "box") {
        told.onBox(null);
        told.onBoxed(boxOf(told.area(), drag, pointOf(event)));
      }
      if (pressed.size > 0) return;
      drag = null;
      if (mode !== "press") told.onRest();
    },
    /** @param {Pointer} event */
    cancel(event) {
      pressed.delete(event.pointerId);
      if (pressed.size > 0) return;
      if (drag?.mode === "box") told.onBox(null);
      drag = null;
      told.onRest();
    },
    leave() {
      if (drag === null) told.onLeave();
    },
    ...createWheel(told),
  };
}

/** @param {Pick<Gestures, "area">} told @param {(x: number, y: number) => void} act @param {Point} point */
function tellAt(told, act, point) {
  const { x, y } = shareIn(told.area(), point);
  act(x, y);
}

/**
 * A pointer has moved in a drag.
 * @param {Drag} drag
 * @param {{before: Point, now: Point, other: Point | undefined}} pointer  `other`: the second finger's
 * @param {Gestures} told
 */
function step(drag, { before, now, other }, told) {
  const area = told.area();
  if (drag.mode === "pan") told.onPan((now.x - before.x) / area.width, (now.y - before.y) / area.height);
  if (drag.mode === "box") told.onBox(boxOf(area, drag, now));
  if (drag.mode === "pinch" && other) pinch(before, now, other, told);
}

/** @param {Pick<Gestures, "area" | "canWheel" | "onZoom" | "onRest">} told */
function createWheel(told) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let rest;
  return {
    /** @param {Wheel} event @returns {boolean}  whether it is for the plot; a pinch on a touch pad comes with Ctrl */
    wheel(event) {
      if (!event.ctrlKey && !event.metaKey && !told.canWheel()) return false;
      const { x, y } = shareIn(told.area(), pointOf(event));
      told.onZoom(wheelFactor(event), clip(x), clip(y));
      clearTimeout(rest);
      rest = setTimeout(told.onRest, REST_MS);
      return true;
    },
    stop: () => clearTimeout(rest),
  };
}

/**
 * @param {HTMLElement} element
 * @param {Gestures} told
 * @returns {() => void}  undoes it
 */
export function bindGestures(element, told) {
  const stop = new AbortController();
  const { signal } = stop;
  const gestures = createGestures(told, (pointer) => element.setPointerCapture(pointer));
  for (const type of /** @type {const} */ (["down", "move", "up", "cancel", "leave"]))
    element.addEventListener(`pointer${type}`, gestures[type], { signal });
  element.addEventListener("dblclick", told.onReset, { signal });
  const active = { passive: false, signal };
  element.addEventListener("wheel", (event) => gestures.wheel(event) && event.preventDefault(), active);
  // Two fingers move the plot, not the page.
  element.addEventListener("touchstart", (event) => event.touches.length > 1 && event.preventDefault(), active);
  return () => {
    gestures.stop();
    stop.abort();
  };
}

/**
 * One of two fingers has moved: pan by half of it, and zoom around their midpoint by their distance.
 * @param {Point} before  of that finger
 * @param {Point} now
 * @param {Point} fixed  the other one
 * @param {Pick<Gestures, "area" | "onPan" | "onZoom">} told
 */
function pinch(before, now, fixed, { area, onPan, onZoom }) {
  const [was, is] = [before, now].map((pointer) => Math.hypot(pointer.x - fixed.x, pointer.y - fixed.y));
  const { left, top, width, height } = area();
  onPan((now.x - before.x) / 2 / width, (now.y - before.y) / 2 / height);
  const [x, y] = [((now.x + fixed.x) / 2 - left) / width, ((now.y + fixed.y) / 2 - top) / height];
  if (was > 0 && is > 0) onZoom(was / is, x, y);
}

/** @param {{clientX: number, clientY: number}} event @returns {Point} */
function pointOf({ clientX, clientY }) {
  return { x: clientX, y: clientY };
}

/**
 * @param {Pick<DOMRect, "left" | "top" | "width" | "height">} area
 * @param {Point} point
 * @returns {Point}  in shares of the area
 */
function shareIn({ left, top, width, height }, { x, y }) {
  return { x: (x - left) / width, y: (y - top) / height };
}

/**
 * @param {Pick<DOMRect, "left" | "top" | "width" | "height">} area
 * @param {Point} corner
 * @param {Point} other
 * @returns {Box}
 */
function boxOf(area, corner, other) {
  const [a, b] = [shareIn(area, corner), shareIn(area, other)];
  return {
    x: [clip(Math.min(a.x, b.x)), clip(Math.max(a.x, b.x))],
    y: [clip(Math.min(a.y, b.y)), clip(Math.max(a.y, b.y))],
  };
}

/** @param {Wheel} event */
function wheelFactor({ deltaY, deltaMode, ctrlKey }) {
  const pixels = deltaY * (deltaMode === 0 ? 1 : LINE_PIXELS) * (ctrlKey ? 4 : 1);
  return 2 ** (Math.min(Math.max(pixels, -WHEEL_DOUBLE), WHEEL_DOUBLE) / WHEEL_DOUBLE);
}

/** @param {number} share */
function clip(share) {
  return Math.min(Math.max(share, 0), 1);
}
