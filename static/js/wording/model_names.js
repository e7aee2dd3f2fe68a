/** Models that pages begin with: they need no network. */

/** The encoder. */
export const MINILM = "sentence-transformers/all-MiniLM-L6-v2";

/** The decoder: this project's own small GPT-2. */
export const DECODER = "observatory-gpt2-mini";

/** Continues it with sentences that name an indirect object. */
export const NAMES_DECODER = "observatory-gpt2-names";
