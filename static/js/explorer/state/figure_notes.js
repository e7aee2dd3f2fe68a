/** Notes on single cells of a head's matrix: part of the address, drawn in the figure, listed below it. */

/**
 * @typedef {object} FigureNote
 * @property {string} part  "" for the first
 * @property {number} layer
 * @property {number} head
 * @property {number} query  the token's index
 * @property {number} key
 * @property {string} text  one line
 */

/** @typedef {Omit<FigureNote, "text">} NotedCell */

/** Most notes in an address, and characters of one. */
export const MOST_NOTES = 20;
export const MOST_CHARACTERS = 120;

const LINE = /^(\w*)\.(\d{1,4})\.(\d{1,4})\.(\d{1,7})\.(\d{1,7})~(.*)$/u;

/**
 * "encoder.5.11.8.2~coreference", a line a note.
 * @param {string} written
 * @returns {FigureNote[]}
 */
export function readNotes(written) {
  const notes = written.split("\n").flatMap((line) => {
    const match = LINE.exec(line);
    if (!match || match[6].trim() === "") return [];
    const [layer, head, query, key] = match.slice(2, 6).map(Number);
    return [{ part: match[1], layer, head, query, key, text: match[6].slice(0, MOST_CHARACTERS) }];
  });
  return notes.slice(0, MOST_NOTES);
}

/**
 * @param {FigureNote[]} notes
 * @returns {string}
 */
export function writeNotes(notes) {
  return notes
    .map(({ part, layer, head, query, key, text }) => `${part}.${layer}.${head}.${query}.${key}~${oneLine(text)}`)
    .join("\n");
}

/**
 * The notes with one on this cell changed, added, or with an empty text removed.
 * @param {string} written
 * @param {NotedCell} cell
 * @param {string} text
 * @returns {string}
 */
export function noteCell(written, cell, text) {
  const notes = readNotes(written);
  const index = notes.findIndex((note) => isSameCell(note, cell));
  const said = oneLine(text).trim();
  if (said === "") return writeNotes(notes.filter((_, place) => place !== index));
  const note = { ...cell, text: said };
  return writeNotes(
    index < 0 ? [...notes, note].slice(-MOST_NOTES) : notes.map((kept, place) => (place === index ? note : kept)),
  );
}

/**
 * The notes on one head that its tokens still have.
 * @param {string} written
 * @param {string} part
 * @param {number} layer
 * @param {number} head
 * @param {{query_tokens: number, key_tokens: number}} size
 * @returns {FigureNote[]}
 */
export function notesOf(written, part, layer, head, { query_tokens: queries, key_tokens: keys }) {
  return readNotes(written).filter(
    (note) =>
      note.part === part && note.layer === layer && note.head === head && note.query < queries && note.key < keys,
  );
}

/**
 * @param {NotedCell} a
 * @param {NotedCell} b
 */
function isSameCell(a, b) {
  return /** @type {const} */ (["part", "layer", "head", "query", "key"]).every((name) => a[name] === b[name]);
}

/** @param {string} text */
function oneLine(text) {
  return text.replace(/\s+/gu, " ").slice(0, MOST_CHARACTERS);
}
