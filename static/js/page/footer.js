/** The page's footer: a button that has the browser forget what it keeps, and on the page after that, that it is done. */

import { KEYS } from "../base/kept.js";

const load = () => import("./forget_dialog.js");

const button = document.querySelector("#forget");

if (button instanceof HTMLElement) {
  button.addEventListener("click", () => void load().then(({ askToForget }) => askToForget(button)));
  // By then the page's own script has its texts.
  const tell = () => void load().then(({ tellForgotten }) => tellForgotten(button));
  if (isForgotten()) document.addEventListener("DOMContentLoaded", tell);
}

function isForgotten() {
  try {
    return sessionStorage.getItem(KEYS.forgotten) !== null;
  } catch {
    return false;
  }
}
