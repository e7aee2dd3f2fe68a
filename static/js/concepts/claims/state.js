/** The page of claims as data: the model that is measured, and the claim that is looked at. */

import { text, whole } from "../../base/fields.js";
import { DECODER, MINILM } from "../../wording/model_names.js";

/** @typedef {import("../../base/fields.js").StateOf<typeof fields>} ClaimsState */
/** @typedef {import("../../api/types.js").AnswerTo<"claims">} ClaimsAnswer */
/** @typedef {import("../frame/concept.js").Answered<"claims", ClaimsState>} ClaimsData */

export const fields = { model: text(MINILM, 200), claim: whole(0, 0, 99) };

/** The first claim about a model. @type {Record<string, number>} */
const FIRST = { "openai-community/gpt2": 3, "google-bert/bert-base-uncased": 10, [DECODER]: 13 };

/** @type {import("../frame/concept.js").Dependents<ClaimsState>} */
export const dependents = { model: (model) => ({ claim: FIRST[model] ?? 0 }) };

/** @param {Readonly<ClaimsState>} state */
export function request({ model }) {
  return { model };
}

/** @param {Readonly<ClaimsState>} state @param {ClaimsData["answer"]} answer */
export function within({ claim }, { claims }) {
  return { claim: Math.min(claim, claims.length - 1) };
}

/** @param {ClaimsData} data */
export function chosenClaim({ state, answer }) {
  return answer.claims[state.claim];
}

/** What is measured on the chosen model comes first, then what another model here could show, then the rest. */
export const GROUPS = /** @type {const} */ (["measured", "measurable", "unavailable"]);

/** @param {ClaimsAnswer["claims"][number]} claim @returns {typeof GROUPS[number]} */
export function groupOf({ measured, available }) {
  if (measured !== null) return "measured";
  return available ? "measurable" : "unavailable";
}

/** The claims in the order in which they are shown, each with its place in the answer. @param {ClaimsAnswer} answer */
export function ordered({ claims }) {
  const placed = claims.map((claim, index) => ({ claim, index, group: groupOf(claim) }));
  return GROUPS.flatMap((group) => placed.filter((one) => one.group === group));
}

/** @param {ClaimsData} data */
export function explorer(data) {
  const claim = chosenClaim(data);
  return {
    model: claim.available ? claim.model : data.state.model,
    ...(claim.text && (claim.kind === "token_weight" || claim.kind === "relation") ? { text: claim.text } : {}),
    layer: claim.layer,
    head: claim.head ?? 0,
  };
}
