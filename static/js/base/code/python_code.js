/** Values as Python code. */

/** @typedef {number | string | boolean | null | readonly Literal[] | {[name: string]: Literal}} Literal */

/**
 * A Python literal. Numbers keep all their digits and are floats in lists of floats: `[1.0, 2.5]`; "-Infinity", as
 * answers have it, becomes `-torch.inf`.
 * @param {Literal} value
 * @param {{whole?: boolean}} [options]  `whole`: integers stay integers
 * @returns {string}
 */
export function literal(value, options = {}) {
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map((item) => literal(item, options)).join(", ")}]`;
  if (value === "-Infinity" || value === -Infinity) return "-torch.inf";
  if (typeof value === "string") return JSON.stringify(value);
  if (value === null) return "None";
  if (typeof value === "object") {
    const items = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${literal(item, options)}`);
    return `{${items.join(", ")}}`;
  }
  const text = String(value);
  return options.whole || /[.e]/.test(text) ? text : `${text}.0`;
}

/**
 * `name = torch.tensor(…)`, a matrix with a line for each row.
 * @param {string} name
 * @param {readonly Literal[]} values
 * @param {{whole?: boolean, dtype?: string}} [options]  `dtype`: as Python says it; "" for torch's own choice
 * @returns {string[]}  lines
 */
export function tensor(name, values, { dtype = "", ...options } = {}) {
  const end = dtype && `, dtype=${dtype}`;
  const isOneLine = !Array.isArray(values[0]) || values.length === 1;
  if (isOneLine) return [`${name} = torch.tensor(${literal(values, options)}${end})`];
  return [`${name} = torch.tensor([`, ...values.map((row) => `    ${literal(row, options)},`), `]${end})`];
}
