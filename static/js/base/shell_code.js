/** Calls of the API as commands for a shell. */

/**
 * @param {string} address
 * @param {unknown} body
 */
export function postCommand(address, body) {
  return `curl -s ${address} -H 'content-type: application/json' -d ${quoted(JSON.stringify(body))}`;
}

/** One word for the shell, whatever stands in it. @param {string} text */
function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
