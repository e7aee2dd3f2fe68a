/** The chosen output and candidate, and the requests about it. */

import { sentences, t } from "../../base/i18n.js";
import { piecesById, tokenLabel } from "../../wording/labels.js";

/** @typedef {import("../../api/output.js").Output} Output */
/** @typedef {import("../../api/types.js").Analysis} Analysis */
/** @typedef {import("../../api/types.js").Part} Part */
/** @typedef {import("../../api/types.js").Token} Token */
/** @typedef {import("./view_state.js").ViewState} ViewState */
/** @typedef {{id: number, text: string}} Choice  a token that may be chosen */

/**
 * @typedef {object} Chosen
 * @property {number | null} followed  null of an embedding
 * @property {number | null} against
 * @property {string} words  the same in words
 */

/** Tokens of the text that are offered besides the candidates. */
const MOST_FURTHER = 300;

/**
 * The tokens at which the model says something: of a model with two sides, what it has written.
 * @param {Analysis} analysis
 */
export function saying(analysis) {
  return analysis.target_tokens ?? analysis.tokens;
}

/**
 * Where the output is read that all views explain: at the chosen output, else where a class is, else at the chosen query,
 * or at the last token where the query is one of another text.
 * @param {Pick<ViewState, "output" | "query">} value
 * @param {Analysis} analysis
 * @param {Pick<Part, "causal" | "query_side">} part
 */
export function outputAt({ output, query }, analysis, { causal, query_side: side }) {
  const last = saying(analysis).length - 1;
  const [first] = analysis.predictions;
  const isHere = side === (analysis.target_tokens ? "target" : "source");
  const read = first?.kind === "class" && !causal ? first.index : isHere ? query : null;
  return Math.min(output ?? read ?? last, last);
}

/**
 * @param {Output} output
 * @param {Pick<ViewState, "answer" | "against">} value
 * @param {Choice[]} further
 * @returns {Chosen}
 */
export function choose(output, value, further) {
  const within = (/** @type {number | null} */ id) => (id !== null && id < output.vocabulary ? id : null);
  const followed = within(value.answer) ?? output.candidates[0]?.id ?? null;
  if (followed === null) return { followed, against: null, words: t("length of the embedding") };
  const second = within(value.against);
  const against = second === followed ? null : second;
  const texts = [...output.candidates, ...further];
  const nameOf = piecesById(texts, output.kind === "class");
  const name = (/** @type {number} */ id) => tokenLabel(nameOf(id));
  const words =
    against === null
      ? t("logit of “{token}”", { token: name(followed) })
      : t("logit of “{token}” minus that of “{against}”", { token: name(followed), against: name(against) });
  return { followed, against, words };
}

/**
 * The text's own tokens that are no candidates, each once.
 * @param {Analysis} analysis
 * @param {Output} output
 * @returns {Choice[]}
 */
export function furtherTokens(analysis, { candidates, vocabulary }) {
  if (analysis.image || analysis.predictions[0]?.kind === "class" || candidates.length === 0) return [];
  const known = new Set(candidates.map(({ id }) => id));
  /** @type {Choice[]} */
  const found = [];
  for (const { id, text } of saying(analysis)) {
    if (known.has(id) || id >= vocabulary || found.length === MOST_FURTHER) continue;
    known.add(id);
    found.push({ id, text });
  }
  return found;
}

/**
 * What may be chosen besides the candidates, the tokens that were chosen in some other way among it.
 * @param {Choice[]} further
 * @param {Output} output
 * @param {Pick<ViewState, "answer" | "against">} value
 * @param {ReadonlyMap<number, string>} seen  texts of tokens
 * @returns {Choice[]}
 */
export function withChosen(further, { candidates, vocabulary }, { answer, against }, seen) {
  const known = new Set([...candidates, ...further].map(({ id }) => id));
  const missing = new Set([answer, against].filter((id) => id !== null && id < vocabulary && !known.has(id)));
  return [...further, ...[...missing].map((id) => ({ id: Number(id), text: seen.get(Number(id)) ?? `#${id}` }))];
}

/**
 * Texts of tokens that an answer has.
 * @param {Map<number, string>} seen  to which they are added
 * @param {import("../../api/output.js").LogitLens | import("../../api/output.js").DirectEffect | Omit<import("../../api/output.js").Attribution, "matrix"> | null} answer
 * @returns {boolean}  whether one was new
 */
export function learn(seen, answer) {
  const before = seen.size;
  const listed = answer && "states" in answer ? answer.states.flatMap(({ candidates }) => candidates) : [];
  for (const { id, text } of listed) seen.set(id, text);
  if (answer && answer.token_id !== null && answer.token_text !== null) seen.set(answer.token_id, answer.token_text);
  if (answer && "against_id" in answer && answer.against_id !== null && answer.against_text !== null) {
    seen.set(answer.against_id, answer.against_text);
  }
  return seen.size > before;
}

/**
 * What gradient × attention is asked for; the others ask for less.
 * @param {Output} output
 * @param {Chosen} chosen
 * @param {{part: string, layer: number, head: number}} place
 */
export function questionOf({ position }, { followed, against }, place) {
  return { position, token: followed, against, ...place };
}

/**
 * What cannot be shown of this model, and why.
 * @param {Output} output
 * @returns {string}
 */
export function noteOn({ kind, looks, weights, max_weights: most }) {
  const said = [];
  if (!looks.includes("attribution") && weights > most) {
    said.push(
      t(
        "Gradient × attention keeps the gradients of at most {most} weights; this text has {count}. Use a shorter text.",
        {
          most: most.toLocaleString("en"),
          count: weights.toLocaleString("en"),
        },
      ),
    );
  } else if (!looks.includes("attribution")) {
    said.push(
      t(
        "This model has an encoder and a decoder but no part that predicts tokens, so there is no single output to study.",
      ),
    );
  }
  if (!looks.includes("logit_lens") && kind === "next_token") {
    said.push(
      t(
        "Logit lens and direct effect are available for decoders with one residual stream, of these families: BLOOM, CodeGen, Cohere, Falcon, Gemma 1 to 3, GPT-2, GPT-J, GPT-Neo, GPT-NeoX, Granite, Llama, Mistral, Mixtral, MPT, OLMo 2 and 3, OPT, Phi, Qwen 2 and 3, StableLM and StarCoder 2.",
      ),
    );
  }
  return sentences(said);
}
