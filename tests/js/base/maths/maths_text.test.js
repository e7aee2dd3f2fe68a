import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { plainMaths, readMaths } from "../../../../static/js/base/maths/maths_text.js";

/** @typedef {import("../../../../static/js/base/maths/maths_text.js").Term} Term */

/** @type {{text: string, mathml: string, plain: string}[]} */
const CASES = JSON.parse(readFileSync(new URL("../../../maths_text.json", import.meta.url), "utf8"));

/** @param {Term} term @returns {string} */
const markup = (term) => `<${term.is}>${"of" in term ? term.of.map(markup).join("") : term.text}</${term.is}>`;

/** @param {Term} term */
const formula = (term) => `<math>${markup(term)}</math>`;

test("reads the notation of mathematics in texts as the server does", () => {
  for (const { text, mathml, plain } of CASES) {
    const parts = readMaths(text).map((part) => (typeof part === "string" ? part : formula(part)));
    assert.equal(parts.join(""), mathml);
    assert.equal(plainMaths(text), plain);
  }
});
