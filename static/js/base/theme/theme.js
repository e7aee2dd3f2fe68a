/** The theme, and the design tokens' colours for canvas drawing. */

import { parseColor } from "./color.js";
import { KEYS } from "../kept.js";
import { onPaper } from "./paper.js";

/** @typedef {import("./color.js").Rgb} Rgb */
/** @typedef {"" | "paper" | "night"} Theme  "" follows the system */

const SCALE_STOPS = 9;

/**
 * @param {Theme} theme
 */
export function applyTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  try {
    if (theme) localStorage.setItem(KEYS.theme, theme);
    else localStorage.removeItem(KEYS.theme);
  } catch {
    // Storage may be blocked, as in a sandboxed frame: the URL still holds the choice.
  }
}

/**
 * @param {string | null} text
 * @returns {Theme}
 */
function readTheme(text) {
  return text === "paper" || text === "night" ? text : "";
}

/** @returns {Theme}  what first_paint.js found in the URL or in storage */
export function chosenTheme() {
  return readTheme(document.documentElement.dataset.theme ?? null);
}

/** @returns {{color: string, isDark: boolean}}  the page's ground */
export function pageGround() {
  const color = getComputedStyle(document.documentElement).backgroundColor;
  const [red, green, blue] = parseColor(color);
  return { color, isDark: red + green + blue < 3 * 128 };
}

/**
 * Calls back when the system's colour scheme changes, and for paper, which is light.
 * @param {() => void} listener
 * @returns {() => void}  stops it
 */
export function onSystemTheme(listener) {
  const query = matchMedia("(prefers-color-scheme: dark)");
  query.addEventListener("change", listener);
  const stopPaper = onPaper(listener);
  return () => {
    query.removeEventListener("change", listener);
    stopPaper();
  };
}

/**
 * Calls back when the colours change: another theme is chosen, or the system's changes.
 * @param {() => void} listener
 * @returns {() => void}  stops it
 */
export function onThemeChange(listener) {
  const choosing = new MutationObserver(listener);
  choosing.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  const stop = onSystemTheme(listener);
  return () => {
    choosing.disconnect();
    stop();
  };
}

/**
 * @param {string} name  a colour token, such as "--color-query"
 * @returns {Rgb}
 */
export function tokenColor(name) {
  // A custom property keeps light-dark() unresolved; a real property resolves it.
  const probe = document.createElement("i");
  probe.hidden = true;
  probe.style.color = `var(${name})`;
  probe.style.setProperty("forced-color-adjust", "none"); // a scale stays one where the system sets all text's colour
  document.body.append(probe);
  const color = getComputedStyle(probe).color;
  probe.remove();
  return parseColor(color);
}

/**
 * The stops of a colour scale in the current theme.
 * @param {"weight" | "signed"} scale
 * @returns {Rgb[]}
 */
export function scaleStops(scale) {
  return Array.from({ length: SCALE_STOPS }, (_, stop) => tokenColor(`--${scale}-${stop}`));
}
