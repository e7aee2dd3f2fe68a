/** Wheel, drag, pinch and click over a plot, told as what they mean. Everything is undone by the function returned. */

/**
 * @typedef {object} Gestures  places are shares of the plot, 0…1 from its left and top
 * @property {() => DOMRect} area  the plot on screen
 * @property {() => boolean} canPan  whether there is anything out of view to drag in
 * @property {() => boolean} canWheel  whether the wheel is meant for the plot rather than for the page
 * @property {(x: number, y: number) => void} onPoint
 * @property {() => void} onLeave
 * @property {(x: number, y: number) => void} onTap
 * @property {() => void} onReset
 * @property {(dx: number, dy: number) => void} onPan
 * @property {(factor: number, x: number, y: number) => void} onZoom  factor below 1 goes closer
 * @property {(box: {x: [number, number], y: [number, number]} | null) => void} onBox  while a rectangle is drawn
 * @property {(box: {x: [number, number], y: [number, number]}) => void} onBoxed
 * @property {() => void} onRest  the movement has ended
 */

/** Pixels that a press may wander and still be a click. */
const SLOP = 4;
/** A turn of the wheel by this many pixels doubles or halves. */
const WHEEL_DOUBLE = 240;
const LINE_PIXELS = 32;
const REST_MS = 160;

/**
 * @param {HTMLElement} element
 * @param {Gestures} told
 * @returns {() => void}
 */
export function bindGestures(element, told) {
  const stop = new AbortController();
  /** @type {Map<number, {x: number, y: number}>} */
  const pressed = new Map();
  /** @type {{x: number, y: number, mode: "press" | "pan" | "box" | "pinch"} | null} */
  let drag = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let rest;

  listen("pointerdown", onDown);
  listen("pointermove", onMove);
  listen("pointerup", onUp);
  listen("pointercancel", onCancel);
  listen("pointerleave", () => drag === null && told.onLeave());
  listen("dblclick", told.onReset);
  listen("wheel", onWheel, { passive: false });
  // Two fingers are for the plot, not for the page.
  listen("touchstart", (/** @type {TouchEvent} */ event) => event.touches.length > 1 && event.preventDefault(), {
    passive: false,
  });

  /**
   * @param {string} name
   * @param {(event: any) => unknown} listener
   * @param {AddEventListenerOptions} [options]
   */
  function listen(name, listener, options = {}) {
    element.addEventListener(name, listener, { ...options, signal: stop.signal });
  }

  /** @param {{clientX: number, clientY: number}} event */
  function shareOf({ clientX, clientY }) {
    const { left, top, width, height } = told.area();
    return { x: (clientX - left) / width, y: (clientY - top) / height };
  }

  /** @param {PointerEvent} event */
  function onDown(event) {
    if (event.button !== 0) return;
    pressed.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (pressed.size === 1) drag = { x: event.clientX, y: event.clientY, mode: "press" };
    else if (drag) drag.mode = "pinch";
  }

  /** @param {PointerEvent} event */
  function onMove(event) {
    const before = pressed.get(event.pointerId);
    if (!drag || !before) {
      const { x, y } = shareOf(event);
      told.onPoint(x, y);
      return;
    }
    const isFar = Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > SLOP;
    if (drag.mode === "press" && isFar) begin(event);
    const { width, height } = told.area();
    if (drag.mode === "pan") told.onPan((event.clientX - before.x) / width, (event.clientY - before.y) / height);
    if (drag.mode === "box") told.onBox(boxTo(event));
    if (drag.mode === "pinch") pinch(event);
    pressed.set(event.pointerId, { x: event.clientX, y: event.clientY });
  }

  /** @param {PointerEvent} event */
  function begin(event) {
    const isTouch = event.pointerType === "touch";
    const pans = told.canPan() && !event.shiftKey;
    if (!drag || (isTouch && !pans)) return;
    drag.mode = pans ? "pan" : "box";
    element.setPointerCapture(event.pointerId);
    told.onLeave();
  }

  /** @param {PointerEvent} event */
  function pinch(event) {
    const [one, other] = [...pressed.values()];
    const moved = { x: event.clientX, y: event.clientY };
    const fixed = pressed.get(event.pointerId) === one ? other : one;
    const before = /** @type {{x: number, y: number}} */ (pressed.get(event.pointerId));
    const was = Math.hypot(before.x - fixed.x, before.y - fixed.y);
    const is = Math.hypot(moved.x - fixed.x, moved.y - fixed.y);
    const { width, height } = told.area();
    const middle = shareOf({ clientX: (moved.x + fixed.x) / 2, clientY: (moved.y + fixed.y) / 2 });
    told.onPan((moved.x - before.x) / 2 / width, (moved.y - before.y) / 2 / height);
    if (was > 0 && is > 0) told.onZoom(was / is, middle.x, middle.y);
  }

  /** @param {PointerEvent} event */
  function boxTo(event) {
    const { x, y } = shareOf(event);
    const from = shareOf({ clientX: drag?.x ?? 0, clientY: drag?.y ?? 0 });
    const order = (/** @type {number} */ one, /** @type {number} */ other) =>
      /** @type {[number, number]} */ ([clip(Math.min(one, other)), clip(Math.max(one, other))]);
    return { x: order(from.x, x), y: order(from.y, y) };
  }

  /** @param {PointerEvent} event */
  function onUp(event) {
    if (!pressed.delete(event.pointerId) || !drag) return;
    const { mode } = drag;
    if (mode === "press") {
      const { x, y } = shareOf(event);
      told.onTap(x, y);
    } else if (mode === "box") {
      told.onBox(null);
      told.onBoxed(boxTo(event));
    }
    if (pressed.size > 0) return;
    drag = null;
    if (mode !== "press") told.onRest();
  }

  /** @param {PointerEvent} event */
  function onCancel(event) {
    pressed.delete(event.pointerId);
    if (pressed.size > 0) return;
    if (drag?.mode === "box") told.onBox(null);
    drag = null;
    told.onRest();
  }

  /** @param {WheelEvent} event */
  function onWheel(event) {
    // A pinch on a touch pad comes as a wheel with Ctrl.
    if (!event.ctrlKey && !event.metaKey && !told.canWheel()) return;
    event.preventDefault();
    const { x, y } = shareOf(event);
    const pixels = event.deltaY * (event.deltaMode === 0 ? 1 : LINE_PIXELS) * (event.ctrlKey ? 4 : 1);
    told.onZoom(2 ** (Math.min(Math.max(pixels, -WHEEL_DOUBLE), WHEEL_DOUBLE) / WHEEL_DOUBLE), clip(x), clip(y));
    clearTimeout(rest);
    rest = setTimeout(told.onRest, REST_MS);
  }

  return () => {
    clearTimeout(rest);
    stop.abort();
  };
}

/** @param {number} share */
function clip(share) {
  return Math.min(Math.max(share, 0), 1);
}
