/** Close the header's menu of concepts on focus or click elsewhere; the browser opens it. */

const menu = document.querySelector("details.menu");

if (menu instanceof HTMLDetailsElement) {
  const close = () => (menu.open = false);
  document.addEventListener("pointerdown", (event) => {
    if (event.target instanceof Node && !menu.contains(event.target)) close();
  });
  menu.addEventListener("focusout", (event) => {
    if (event.relatedTarget instanceof Node && !menu.contains(event.relatedTarget)) close();
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    event.preventDefault();
    close();
    menu.querySelector("summary")?.focus();
  });
}
