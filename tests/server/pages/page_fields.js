/**
 * Fields of pages as their scripts have them, and the requests that a page sends with each field at each of its bounds:
 * `node page_fields.js STEM …` prints `{stem: {fields: {name: {start, wanted, name}}, requests: [[said, path, body]]}}`.
 */

import { conceptOf } from "./concept_literal.js";

const { callsOf } = await import("../../../static/js/concepts/frame/answer_binding.js");

/** A field that no template shows. @param {any} field */
const isMatrix = (field) => Array.isArray(field.start) && (field.start.length === 0 || Array.isArray(field.start[0]));

/** @param {any} fields */
function declared(fields) {
  const shown = Object.entries(fields).filter(([, field]) => !isMatrix(field));
  const described = shown.map(([key, { start, wanted, name = null }]) => {
    const isChosen = wanted.includes(", ") && typeof start === "number";
    return [key, { start: isChosen ? String(start) : start, wanted, name }];
  });
  return Object.fromEntries(described);
}

/** @param {any} concept */
function requestsAtBounds(concept) {
  const { fields } = concept;
  const starts = Object.fromEntries(Object.entries(fields).map(([key, { start }]) => [key, start]));
  const { view } = fields;
  const bodies = [];
  for (const shown of view?.wanted.split(", ") ?? [undefined]) {
    for (const [key, field] of Object.entries(/** @type {Record<string, any>} */ (fields))) {
      for (const end of isMatrix(field) ? [] : field.wanted.split(field.wanted.includes("…") ? "…" : ", ")) {
        const value = field.parse(end);
        if (value === null || key === "view") continue;
        const state = { ...starts, ...(view ? { view: shown } : {}), [key]: value };
        const said = `${shown ?? ""} ${key}=${end}`;
        for (const { stem, body } of callsOf(concept, state)) if (body) bodies.push([said, stem, body]);
      }
    }
  }
  return bodies;
}

const found = {};
for (const stem of process.argv.slice(2)) {
  const concept = await conceptOf(stem);
  found[stem] = { fields: declared(concept.fields), requests: requestsAtBounds(concept) };
}
console.log(JSON.stringify(found));
