/** An embedded page: reports its height to the embedding page. */

/**
 * @param {Document} root
 * @returns {boolean} whether this is the bare page below `/embed`
 */
export function isFramed(root) {
  return root.body.classList.contains("is-bare");
}

/**
 * Posts the page's height to the embedding page, now and whenever it changes.
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
