/**
 * Wrong states of links in pages' texts: `node state_links.js FILE`, which holds [{stem, search}]. For each, what its
 * page would not read: a field that it does not have, a value out of bounds.
 */

import { readFileSync } from "node:fs";

import { LAST_STEP, PAGE_FIELDS, whole } from "../../../static/js/base/fields.js";
import { conceptOf } from "./concept_literal.js";

/** @type {Map<string, any>} */
const pages = new Map();

/** @param {string} stem */
async function fieldsOf(stem) {
  if (!pages.has(stem)) {
    const { fields } = await conceptOf(stem);
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
