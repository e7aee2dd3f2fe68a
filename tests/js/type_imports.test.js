/** Types, which dependency-cruiser does not see, are imported in the same directions as modules. */

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

/** @type {{forbidden: {name: string, from: {path?: string}, to: {path?: string | string[], pathNot?: string}}[]}} */
const { forbidden } = createRequire(import.meta.url)("../../.dependency-cruiser.cjs");
/** What charts draw comes from the API, though they ask for nothing. */
const OF_MODULES_ALONE = "charts-and-wording-without-requests";
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FILES = readdirSync(join(ROOT, "static/js"), { recursive: true, encoding: "utf8" });

/** @param {string} file @returns {string[]}  the files whose types it names */
function typesOf(file) {
  const found = readFileSync(join(ROOT, file), "utf8").matchAll(/import\("(\.[^"]+)"\)/g);
  return [...found].map(([, path]) => join(dirname(file), path));
}

test("no type is imported from a room above or beside", () => {
  const wrong = [];
  for (const file of FILES.filter((name) => name.endsWith(".js")).map((name) => join("static/js", name))) {
    for (const { name, from, to } of forbidden) {
      const room = new RegExp(from.path ?? "^$").exec(file);
      if (!room || !to.path || name === OF_MODULES_ALONE) continue;
      const matches = (/** @type {string} */ pattern, /** @type {string} */ other) =>
        new RegExp(pattern.replace("$1", room[1])).test(other);
      for (const other of typesOf(file)) {
        const isForbidden = [to.path].flat().some((path) => matches(path, other));
        if (isForbidden && !(to.pathNot && matches(to.pathNot, other))) wrong.push(`${name}: ${file} → ${other}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
});
