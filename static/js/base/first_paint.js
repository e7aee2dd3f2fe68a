/**
 * What cannot wait for a page's script. It stands in the page itself (`templates/base.html`), so that it runs before the
 * first paint: the chosen theme, whether the Explorer's explanation is put away, which texts only the address's fragment holds, and what is set before the script runs.
 */
(() => {
  const { documentElement: root } = document;
  const asked = new URLSearchParams(location.search).get("theme");
  const isEmbedded = /\/embed\/[^/]*$/.test(location.pathname); // stores nothing and reads nothing stored
  let kept = null;
  try {
    if (!isEmbedded) kept = localStorage.getItem("observatory-theme");
    if (!isEmbedded && localStorage.getItem("observatory-lead") === "off") root.dataset.lead = "off";
  } catch {
    // Storage may be blocked; then the system's theme is used.
  }
  const theme = asked ?? kept;
  if (theme === "paper" || theme === "night") root.dataset.theme = theme;

  // No server sees the fragment, so the page came with other texts (see `fields.js`): `waiting.css` hides them.
  const fragment = new URLSearchParams(location.hash.slice(1));
  const held = ["text", "pair", "target"].filter((name) => fragment.has(name));
  if (held.length > 0) root.dataset.fragment = held.join(" ");

  /** @param {Event} event */
  const mark = ({ target }) => target instanceof HTMLElement && target.setAttribute("data-early", "");
  for (const type of ["input", "change"]) document.addEventListener(type, mark, true);
  // Modules have run by then; `early_changes.js` reads the marks.
  document.addEventListener("DOMContentLoaded", () => {
    for (const type of ["input", "change"]) document.removeEventListener(type, mark, true);
  });
})();
