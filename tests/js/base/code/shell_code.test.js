import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

import { postCommand } from "../../../../static/js/base/code/shell_code.js";

test("a shell passes on the body as it is, with quotes, dollars and line breaks", () => {
  const body = { text: 'it\'s `a` $HOME \\ "b"\n猫' };
  const command = postCommand("http://127.0.0.1/api/x", body).replace(/^curl/, "printf '%s\\n'");
  const words = execFileSync("sh", ["-c", command], { encoding: "utf8" }).split("\n");
  assert.deepEqual(JSON.parse(words.at(-2) ?? ""), body);
  assert.deepEqual(words.slice(0, 3), ["-s", "http://127.0.0.1/api/x", "-H"]);
});
