/**
 * Calls and PyTorch code of concept pages: `node pytorch_snippets.js FILE`, which holds [{stem, search, answers?}].
 * For each, the calls of that state, and with their answers the code that the page shows; the page is its own literal
 * (`concept({…})`), taken in place of being started.
 */

import { readFileSync } from "node:fs";
import { register } from "node:module";

const STARTER = new URL("../../../static/js/concepts/frame/concept.js", import.meta.url).href;
const TAKEN = "export const concept = (parts) => { globalThis.concept = parts; };";
const HOOKS = `export const load = (url, context, next) => url === ${JSON.stringify(STARTER)}
  ? { format: "module", shortCircuit: true, source: ${JSON.stringify(TAKEN)} } : next(url, context);`;

register(`data:text/javascript,${encodeURIComponent(HOOKS)}`);
const { codec } = await import("../../../static/js/base/fields.js");
const { callsOf, ownCall } = await import("../../../static/js/concepts/frame/answer_binding.js");
const { dataOf } = await import("../../../static/js/concepts/frame/scene.js");
/** @type {Map<string, any>} */
const pages = new Map();

/** @param {string} stem */
async function pageOf(stem) {
  if (!pages.has(stem)) {
    await import(`../../../static/js/concepts/${stem}/index.js`);
    pages.set(stem, /** @type {any} */ (globalThis).concept);
  }
  return pages.get(stem);
}

/** What each field that is chosen from a list may be. @param {Record<string, {wanted: string}>} fields */
function choicesOf(fields) {
  const all = Object.entries(fields).map(([name, { wanted }]) => [name, wanted.split(", ")]);
  return Object.fromEntries(all);
}

const asked = JSON.parse(readFileSync(process.argv[2], "utf8"));
const told = [];
for (const { stem, search, answers } of asked) {
  const page = await pageOf(stem);
  const state = codec(page.fields, page.settle).read(search);
  const calls = callsOf(page, state);
  const code = answers ? page.pytorch(dataOf(page, state, answers)).join("\n") : null;
  const own = ownCall(page, state);
  told.push({ own, calls: calls.length > 0 ? calls : [own], code, choices: choicesOf(page.fields) });
}
console.log(JSON.stringify(told));
