/** Text in the reader's language. The English sentence is the key; the page carries the translations it needs. */

/** @type {Record<string, string>} */
let messages = {};

/** @param {Record<string, string>} catalogue  translation by English sentence */
export function setMessages(catalogue) {
  messages = catalogue;
}

/**
 * The translation of a sentence, with `{name}` replaced.
 * @param {string} sentence
 * @param {Readonly<Record<string, unknown>>} [values]
 * @returns {string}
 */
export function t(sentence, values = {}) {
  const text = messages[sentence] || sentence;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}
