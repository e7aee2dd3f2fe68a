import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const FOLDER = "static/js";

test("a sentence quotes the tokens in it", () => {
  const scripts = /** @type {string[]} */ (readdirSync(FOLDER, { recursive: true })).filter((name) =>
    name.endsWith(".js"),
  );
  const found = scripts.flatMap((name) => {
    const source = readFileSync(join(FOLDER, name), "utf8");
    return [...source.matchAll(/\bt\(\s*("[^"\n]*\{(?:token|word)\}[^"\n]*")(.{0,300})/gsu)].map(
      ([, sentence, then]) => ({ name, sentence, then }),
    );
  });
  assert.ok(found.length > 20);
  const bare = found.filter(
    ({ sentence, then }) => /(?<!“)\{(?:token|word)\}/u.test(sentence) && !/quoted/i.test(then),
  );
  assert.deepEqual(
    bare.map(({ name, sentence }) => `${name}: ${sentence}`),
    [],
  );
});
