/**
 * Wrong states of links in pages' texts: `node state_links.js FILE`, which holds [{stem, search}]. For each, what its
 * page would not read: a field that it does not have, a value out of bounds. The page is its own literal
 * (`concept({…})`), taken in place of being started.
 */

import { readFileSync } from "node:fs";
import { register } from "node:module";

const STARTER = new URL("../../../static/js/concepts/frame/concept.js", import.meta.url).href;
const TAKEN = "export const concept = (parts) => { globalThis.concept = parts; };";
const HOOKS = `export const load = (url, context, next) => url === ${JSON.stringify(STARTER)}
  ? { format: "module", shortCircuit: true, source: ${JSON.stringify(TAKEN)} } : next(url, context);`;

register(`data:text/javascript,${encodeURIComponent(HOOKS)}`);
const { LAST_STEP, PAGE_FIELDS, whole } = await import("../../../static/js/base/fields.js");
/** @type {Map<string, any>} */
const pages = new Map();

/** @param {string} stem */
async function fieldsOf(stem) {
  if (!pages.has(stem)) {
    await import(`../../../static/js/concepts/${stem}/index.js`);
    const { fields } = /** @type {any} */ (globalThis).concept;
    const named = Object.entries(fields).map(([key, field]) => [field.name ?? key, field]);
    pages.set(stem, { ...Object.fromEntries(named), step: whole(LAST_STEP, 1, LAST_STEP), ...PAGE_FIELDS });
  }
  return pages.get(stem);
}

const wrong = [];
for (const { stem, search } of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
  const fields = await fieldsOf(stem);
  for (const [name, value] of new URLSearchParams(search)) {
    if ((fields[name]?.parse(value) ?? null) === null) wrong.push(`${stem}: ${name}=${value}`);
  }
}
console.log(JSON.stringify(wrong));
