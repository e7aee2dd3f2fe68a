/** A page in somebody else's page: it says how high it is, and keeps out of what is not its own. */

/**
 * @param {Document} root
 * @returns {boolean} whether this is the bare page below `/embed`
 */
export function isFramed(root) {
  return root.body.classList.contains("is-bare");
}

/**
 * Tells whoever embeds the page how high it is, now and whenever that changes.
 * @param {Document} root
 */
export function reportSize(root) {
  let told = 0;
  const tell = () => {
    const height = Math.ceil(root.body.getBoundingClientRect().height);
    if (height === told) return;
    told = height;
    parent.postMessage({ type: "observatory:size", height }, "*");
  };
  new ResizeObserver(tell).observe(root.body);
  tell();
}
