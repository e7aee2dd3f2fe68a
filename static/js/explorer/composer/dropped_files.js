/** Accept files dropped anywhere on the page, and pasted images. */

/**
 * @param {Document} root
 * @param {{onDrop: (file: File) => void, onPaste: (file: File) => void}} options
 */
export function bindDropping(root, { onDrop, onPaste }) {
  const page = root.documentElement;
  const carriesFile = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files") ?? false;

  root.addEventListener("dragover", (event) => {
    if (!carriesFile(event)) return;
    event.preventDefault();
    page.classList.add("is-dropping");
  });
  root.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) page.classList.remove("is-dropping");
  });
  root.addEventListener("drop", (event) => {
    page.classList.remove("is-dropping");
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    onDrop(file);
  });
  root.addEventListener("paste", (event) => {
    const file = [...(event.clipboardData?.files ?? [])].find(({ type }) => type.startsWith("image/"));
    if (!file) return;
    event.preventDefault();
    onPaste(file);
  });
}
