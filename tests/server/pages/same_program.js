/** Compares pairs of modules by their syntax trees: `node same_program.js FILE`, which holds [{path, first, second}]. */

import { readFileSync } from "node:fs";
import { parse } from "acorn";

/** @param {string} source */
function tree(source) {
  const program = parse(source, { ecmaVersion: "latest", sourceType: "module" });
  return JSON.stringify(program, (key, value) => (key === "start" || key === "end" ? undefined : value));
}

const programs = JSON.parse(readFileSync(process.argv[2], "utf8"));
const different = programs.filter((/** @type {{first: string, second: string}} */ one) => {
  return tree(one.first) !== tree(one.second);
});
console.log(
  JSON.stringify({
    compared: programs.length,
    different: different.map((/** @type {{path: string}} */ { path }) => path),
  }),
);
