/**
 * Presentation mode: large type, only the chart and its numbers; keys go through presets and their steps, or through the
 * slides of a talk.
 */

import { need } from "../base/dom.js";
import { whenIdle } from "../base/idle.js";
import { KEYS } from "../base/kept.js";
import { keyAct, neighbour } from "./deck.js";
import { isFramed, isInside } from "./framed.js";

/** @typedef {import("./deck.js").Deck} Deck */

const NAME = "present";

/** @returns {boolean} */
export function isPresenting() {
  return NAME in document.documentElement.dataset;
}

/**
 * The query of a page's address, which says whether it is presented.
 * @template {URLSearchParams} Q
 * @param {Q} query
 * @returns {Q}
 */
export function presented(query) {
  if (isPresenting()) query.set(NAME, "1");
  return query;
}

/**
 * Sets up the button, the keys and the bar. The address determines the initial mode.
 * @param {Document} root
 * @param {Deck} deck
 * @param {() => void} onChange  presenting began or ended
 * @returns {() => void}  shows where one is
 */
export function bindPresenting(root, deck, onChange) {
  const bar = createLateBar(root, deck, leave);
  /** @type {Record<string, () => void>} */
  const acts = { enter, leave, point: bar.point, notes: () => deck.notes?.()?.() };
  const button = root.querySelector("#present");
  button?.removeAttribute("hidden");
  button?.addEventListener("click", enter);
  root.addEventListener("keydown", onKey);
  const key = isFramed(root) && !root.querySelector("#present-key") ? null : bindKeySwitch(root);
  if (new URLSearchParams(location.search).has(NAME)) show(true);
  whenIdle(() => void bar.prepare()); // ahead: where one presents, there may be no server any more

  /** @param {boolean} isOn */
  function show(isOn) {
    if (isOn) document.documentElement.dataset[NAME] = "";
    else delete document.documentElement.dataset[NAME];
    bar.turn(isOn);
  }

  function enter() {
    show(true);
    need(root, "main").focus({ preventScroll: true });
    scrollTo(0, 0);
    onChange();
  }

  function leave() {
    show(false);
    // On a narrow window the button is in a closed menu.
    const next = button?.checkVisibility() ? button : need(root, "main");
    if (next instanceof HTMLElement) next.focus({ preventScroll: true });
    onChange();
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
    const isTyping = event.target instanceof Element && event.target.closest("input, select, textarea, [role=slider]");
    const where = { isPresenting: isPresenting(), isTyping, isInside: isInside(), hasLetters: key?.isOn() };
    const act = keyAct(event, deck, where);
    if (!act) return;
    event.preventDefault();
    if (typeof act === "object") deck.go(act);
    else acts[act]?.();
  }

  return bar.say;
}

/**
 * The bar, loaded when it is first needed.
 * @param {Document} root
 * @param {Deck} deck
 * @param {() => void} leave
 */
function createLateBar(root, deck, leave) {
  /** @type {ReturnType<typeof import("./present_bar.js").createPresentBar> | null} */
  let bar = null;
  let isAsked = false;

  async function prepare() {
    if (isAsked) return;
    isAsked = true;
    const module = await loadBar().catch(() => null);
    isAsked = module !== null; // else it is asked for again when it is needed next
    if (!module) return;
    bar = module.createPresentBar(root, { move, leave, openNotes: () => deck.notes?.()?.() });
    bar.turn(isPresenting());
    say();
  }

  /** @param {1 | -1} by */
  function move(by) {
    const place = neighbour(deck.now(), by);
    if (place) deck.go(place);
  }

  function say() {
    if (isPresenting()) bar?.say(deck.now(), Boolean(deck.notes?.()));
  }

  return {
    prepare,
    say,
    point: () => bar?.point(),
    /** @param {boolean} isOn */
    turn(isOn) {
      bar?.turn(isOn);
      if (isOn) void prepare();
    },
  };
}

/**
 * Whether the key P starts presenting; users of speech input can switch it off.
 * @param {Document} root
 */
function bindKeySwitch(root) {
  const box = /** @type {HTMLInputElement | null} */ (root.querySelector("#present-key"));
  let isOn = true;
  try {
    isOn = localStorage.getItem(KEYS.noPresentKey) === null;
  } catch {
    // Storage may be blocked; then the key works.
  }
  if (box) box.checked = isOn;
  box?.addEventListener("change", () => {
    isOn = box.checked;
    try {
      if (isOn) localStorage.removeItem(KEYS.noPresentKey);
      else localStorage.setItem(KEYS.noPresentKey, "1");
    } catch {
      // It holds for this visit.
    }
  });
  return { isOn: () => isOn };
}

const loadBar = () => import("./present_bar.js");
