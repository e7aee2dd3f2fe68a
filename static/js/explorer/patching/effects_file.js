/** The effects of a finished study as files: a table, and all that the server answered. */

/** @typedef {import("../../api/patching.js").AnyPatching} AnyPatching */

/**
 * A line per layer, a column per head or position, as in the files of weights.
 * @param {AnyPatching} patching
 * @returns {string}
 */
export function effectsCsv(patching) {
  const isByHead = !("by" in patching) || patching.by === "head";
  const { tokens } = patching.clean;
  const isOfTokens = !isByHead && tokens.length === patching.effects[0].length;
  const columns = patching.effects[0].map((_, index) =>
    isOfTokens ? `${index} ${tokens[index].text}` : String(index),
  );
  const lines = [
    [`layer \\ ${isByHead ? "head" : "position"}`, ...columns].map(quoted),
    ...patching.effects.map((row, layer) => [quoted(String(layer)), ...row.map(String)]),
  ];
  // Without a byte order mark, Excel takes UTF-8 for the country's own encoding.
  return `\ufeff${lines.map((line) => `${line.join(",")}\r\n`).join("")}`;
}

/**
 * What was asked, and the answer to it.
 * @param {AnyPatching} patching
 * @param {object} request
 * @returns {string}
 */
export function effectsJson(patching, request) {
  return `${JSON.stringify({ request, answer: patching }, null, 1)}\n`;
}

/** @param {string} text */
function quoted(text) {
  return `"${text.replaceAll('"', '""')}"`;
}
