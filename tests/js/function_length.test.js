/** A function can be read at one look; lists of exercises are lists, however long. */

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "acorn";

const LONGEST = 60;
const FOLDER = fileURLToPath(new URL("../../static/js", import.meta.url));
const SCRIPTS = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".js"));

/**
 * Every function in a syntax tree, with its lines.
 * @param {unknown} node
 * @returns {Generator<{name: string, line: number, lines: number}>}
 */
function* functionsIn(node) {
  if (node === null || typeof node !== "object") return;
  const { type, id, loc } = /** @type {import("acorn").Function} */ (node);
  if (typeof type === "string" && type.includes("Function") && loc)
    yield { name: id?.name ?? "a function", line: loc.start.line, lines: loc.end.line - loc.start.line + 1 };
  for (const inside of Object.values(node)) yield* functionsIn(inside);
}

/** @param {string} source @param {string} name */
function longFunctions(source, name) {
  const tree = parse(source, { ecmaVersion: "latest", sourceType: "module", locations: true });
  return [...functionsIn(tree.body)]
    .filter(({ lines }) => lines > LONGEST)
    .map((long) => `${name}:${long.line}: ${long.name} has ${long.lines} lines`);
}

test(`no function is longer than ${LONGEST} lines`, () => {
  const scripts = SCRIPTS.filter((name) => !name.endsWith("exercises.js"));
  assert.ok(scripts.length > 400);
  assert.deepEqual(
    scripts.flatMap((name) => longFunctions(readFileSync(join(FOLDER, name), "utf8"), name)),
    [],
  );
});

test("functions are counted from their first line to their last, also those inside another", () => {
  const inside = `const f = () => {\n${"  g();\n".repeat(LONGEST - 1)}};\n`;
  assert.deepEqual(longFunctions(inside, "a"), ["a:1: a function has 61 lines"]);
  assert.deepEqual(longFunctions(`function h() {\n${"g();\n".repeat(LONGEST - 2)}}`, "a"), []);
  assert.deepEqual(longFunctions(`class C {\n  m() {\n${"g();\n".repeat(LONGEST)}  }\n}`, "a"), [
    "a:2: a function has 62 lines",
  ]);
});
