/**
 * Calls and PyTorch code of concept pages: `node pytorch_snippets.js FILE`, which holds [{stem, search, answers?}].
 * For each, the calls of that state, and with their answers the code that the page shows.
 */

import { readFileSync } from "node:fs";

import { conceptOf } from "./concept_literal.js";

const { codec } = await import("../../../static/js/base/fields.js");
const { callsOf, ownCall } = await import("../../../static/js/concepts/frame/answer_binding.js");
const { dataOf } = await import("../../../static/js/concepts/frame/scene.js");
/** @type {Map<string, any>} */
const pages = new Map();

/** @param {string} stem */
async function pageOf(stem) {
  if (!pages.has(stem)) pages.set(stem, await conceptOf(stem));
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
