/** A concept's page as its own literal (`concept({…})`), taken in place of being started. */

import { register } from "node:module";

const STARTER = new URL("../../../static/js/concepts/frame/concept.js", import.meta.url).href;
const TAKEN = "export const concept = (parts) => { globalThis.concept = parts; };";
const HOOKS = `export const load = (url, context, next) => url === ${JSON.stringify(STARTER)}
  ? { format: "module", shortCircuit: true, source: ${JSON.stringify(TAKEN)} } : next(url, context);`;

register(`data:text/javascript,${encodeURIComponent(HOOKS)}`);

/** @param {string} stem @returns {Promise<any>} */
export async function conceptOf(stem) {
  await import(`../../../static/js/concepts/${stem}/index.js`);
  return /** @type {any} */ (globalThis).concept;
}
