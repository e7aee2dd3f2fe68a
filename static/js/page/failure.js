/** Error notice in place of missing content: what happened, what happens next, and a retry button. */

import { el, fill, say, smallButton } from "../base/dom.js";
import { t } from "../base/i18n.js";

/** @typedef {import("../requests/request_scheduler.js").Failure} Failure */

const TICK = 250;

/**
 * @param {HTMLElement} element
 * @param {Failure} data
 * @param {{isQuiet?: boolean}} options  quiet: announced elsewhere on the page
 * @returns {import("../base/mount.js").View<Failure>}
 */
export function failureView(element, data, { isQuiet = false }) {
  const problem = el("p", { class: "field-error", role: isQuiet ? null : "alert" });
  const wait = el("p", { class: "note", role: isQuiet ? null : "status" });
  // The countdown is not a live region: announcing every second would drown everything else.
  const next = el("span", { class: "note" });
  const heard = el("span", { class: "visually-hidden", role: isQuiet ? null : "status" });
  const again = smallButton(t("Try again"), onAgain);
  const line = el("p", { class: "failure-line" }, next, again, heard);
  fill(element, problem, wait, line);
  let current = data;
  let isAsked = false;
  /** @type {ReturnType<typeof setInterval> | null} */
  let timer = null;

  function onAgain() {
    isAsked = true;
    heard.textContent = t("Trying again …");
    current.retry();
  }

  /** @param {Failure} next */
  function draw(next) {
    current = next;
    const { kind, error, isTrying, retryAt } = next;
    const message = error instanceof Error ? error.message : String(error);
    tell(problem, kind === "failed" ? message : "");
    tell(wait, kind === "slow" ? t("The server has not answered yet.") : "");
    if (isAsked && kind === "failed" && !isTrying) {
      isAsked = false;
      heard.textContent = t("Another attempt failed.");
    }
    again.hidden = !next.canRetry;
    if (retryAt !== null && timer === null) timer = setInterval(tick, TICK);
    if (retryAt === null) stop();
    tick();
    line.hidden = again.hidden && next.retryAt === null && !isTrying;
  }

  function tick() {
    tell(next, waitingSays(current, performance.now()));
  }

  function stop() {
    if (timer !== null) clearInterval(timer);
    timer = null;
  }

  draw(data);
  return {
    update: draw,
    destroy() {
      stop();
      const held = element.contains(document.activeElement);
      element.replaceChildren();
      // Who pressed the button goes on from here.
      if (held) /** @type {HTMLElement | null} */ (element.closest("[tabindex]"))?.focus({ preventScroll: true });
    },
  };
}

/** @param {HTMLElement} place @param {string} text */
function tell(place, text) {
  place.hidden = text === "";
  say(place, text);
}

/** When it is tried again. @param {Pick<Failure, "isTrying" | "retryAt" | "kind">} failure @param {number} now  in ms */
export function waitingSays({ isTrying, retryAt, kind }, now) {
  if (isTrying && kind === "failed") return t("Trying again …");
  return retryAt === null
    ? ""
    : t("Trying again in {seconds} s.", { seconds: Math.max(1, Math.ceil((retryAt - now) / 1000)) });
}
