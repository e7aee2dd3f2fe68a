/** A page inside another one: says its height, and lets keys go on. */

const loadKeys = () => import("./frame_keys.js");

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

/**
 * Whether this page is shown inside another one.
 * @returns {boolean}
 */
export function isInside() {
  return parent !== window;
}

/**
 * In a frame, keys that the page does not use go on to the page around it. To be called after all others that listen to
 * keys.
 * @param {Document} root
 */
export function passFrameKeysOn(root) {
  if (isInside()) void loadKeys().then(({ passKeysOn }) => passKeysOn(root));
}
