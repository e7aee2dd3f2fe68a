/** Calls of the API as commands for a shell. */

/**
 * @param {string} address
 * @param {string | null} body  JSON; null: nothing is sent
 * @param {string} language  of the texts in the answer
 */
export function command(address, body, language) {
  const spoken = language === "en" ? "" : ` -H 'accept-language: ${language}'`;
  const data = body === null ? "" : ` -H 'content-type: application/json' -d ${quoted(body)}`;
  return `curl -s ${/[^\w:/.%-]/.test(address) ? quoted(address) : address}${spoken}${data}`;
}

/**
 * @param {string} address
 * @param {unknown} body
 */
export const postCommand = (address, body) => command(address, JSON.stringify(body), "en");

/** One word for the shell, whatever stands in it. @param {string} text */
function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
