/** Text in the reader's language. The English sentence is the key; the page carries the translations it needs. */

/** @type {Record<string, string>} */
let messages = {};

/** @param {Record<string, string>} catalogue  translation by English sentence */
export function setMessages(catalogue) {
  messages = catalogue;
}

/**
 * What something is, and its value or more about it; without a value, what comes before it.
 * @param {string} label
 * @param {string} [value]
 */
export function labelled(label, value = "") {
  return t("{label}: {value}", { label, value });
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

/**
 * Sentences one after the other, in Japanese without a space between them. Those that are not said are left out.
 * @param {readonly (string | false | null | undefined)[]} said
 * @returns {string}
 */
export function sentences(said) {
  return said
    .filter(Boolean)
    .join(" ")
    .replace(/(?<=[。！？]) /g, "");
}
