// Sets the chosen theme before the first paint; a classic script, so that it runs before anything is drawn.
(() => {
  const asked = new URLSearchParams(location.search).get("theme");
  const isEmbedded = location.pathname.startsWith("/embed/"); // stores nothing and reads nothing stored
  let kept = null;
  try {
    if (!isEmbedded) kept = localStorage.getItem("observatory-theme");
  } catch {
    // Storage may be blocked; then the system's theme is used.
  }
  const theme = asked ?? kept;
  if (theme === "paper" || theme === "night") document.documentElement.dataset.theme = theme;
})();
