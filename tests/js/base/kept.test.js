import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

import { KEYS } from "../../../static/js/base/kept.js";
import { forgetAll } from "../../../static/js/page/forgetting.js";

const SCRIPTS = new URL("../../../static/js/", import.meta.url);
/** A deck's frames have one each. */
const OF_FRAMES = "placeOfFrame";

const sources = new Map(
  readdirSync(SCRIPTS, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".js"))
    .map((path) => [path, readFileSync(new URL(path, SCRIPTS), "utf8")]),
);

/** A browser's storage. @param {string[]} names */
function storageOf(names) {
  const kept = new Set(names);
  return {
    get length() {
      return kept.size;
    },
    key: (/** @type {number} */ at) => [...kept][at] ?? null,
    removeItem: (/** @type {string} */ name) => void kept.delete(name),
    names: () => [...kept],
  };
}

test("whatever any script keeps is forgotten, and nothing of others", () => {
  const others = [...sources].filter(([path]) => path !== "page/forgetting.js");
  const asked = others.flatMap(([path, text]) =>
    [...text.matchAll(/\b(?:get|set|remove)Item\(\s*(["'`]?[\w.-]+)/g)].map(([, name]) => ({ path, name })),
  );
  assert.ok(asked.length > 15);
  const names = asked.map(({ path, name }) => {
    if (name === OF_FRAMES) return `${KEYS.frame} 3`;
    if (name.startsWith('"')) return name.slice(1);
    const [, key] = name.match(/^KEYS\.(\w+)$/) ?? [];
    assert.ok(key in KEYS, `${path}: ${name} is not named in base/kept.js`);
    return KEYS[/** @type {keyof typeof KEYS} */ (key)];
  });
  const storage = storageOf(["jupyterlab-settings", ...names, "theirs"]);
  forgetAll(storage);
  assert.deepEqual(storage.names(), ["jupyterlab-settings", "theirs"]);
  const used = new Set(names);
  const unused = Object.values(KEYS).filter((name) => ![KEYS.frame, KEYS.forgotten, ...used].includes(name));
  assert.deepEqual(unused, [], "keys that nothing uses");
});

test("nothing is kept anywhere else in the browser", () => {
  for (const [path, text] of sources) {
    assert.doesNotMatch(text, /\bindexedDB\b|\bcaches\.|document\.cookie|serviceWorker|storage\.getDirectory/, path);
    assert.doesNotMatch(text, /(local|session)Storage\s*(\[|\.(?!(get|set|remove)Item\b))/, path);
  }
});
