/** Addresses of ours as they are from this page: a proxy may offer the application below any path. */

/**
 * @param {string} path  as if the application stood at the root of its host, such as "/api/models"
 * @returns {string}  relative to this page; in a saved page the address on the server that it comes from
 */
export const placed = (path) => (globalThis.document?.body?.dataset?.root ?? "") + path;

/**
 * The whole address, to be taken elsewhere.
 * @param {string} path
 */
export const absolute = (path) => new URL(placed(path), location.href).href;
