/** Dependency relations in words: which word is on which side. */

import { t } from "../../base/i18n.js";

/** By relation of Universal Dependencies: the dependent, and its head. @returns {Record<string, [string, string]>} */
const sides = () => ({
  acl: [t("clause about a noun"), t("its noun")],
  advcl: [t("clause about a verb"), t("its verb")],
  advmod: [t("adverb"), t("what it modifies")],
  amod: [t("adjective"), t("its noun")],
  antecedent: [t("pronoun"), t("its noun")],
  appos: [t("second name of a thing"), t("the first one")],
  aux: [t("auxiliary verb"), t("main verb")],
  case: [t("preposition"), t("its noun")],
  cc: [t("“and”, “or”"), t("what they add")],
  ccomp: [t("what is said"), t("verb of saying")],
  compound: [t("particle"), t("verb it belongs to")],
  conj: [t("further item"), t("first item of the list")],
  cop: [t("“is”, “was”"), t("what is said of it")],
  det: [t("article"), t("its noun")],
  flat: [t("surname"), t("first name")],
  iobj: [t("receiver"), t("its verb")],
  mark: [t("“because”, “that”"), t("verb of the clause")],
  nmod: [t("noun or possessive that describes a noun"), t("noun it describes")],
  nsubj: [t("subject"), t("its verb")],
  nummod: [t("number word"), t("its noun")],
  obj: [t("object"), t("its verb")],
  obl: [t("place or time"), t("its verb")],
});

/**
 * Who attends to whom, such as “object → its verb”.
 * @param {{relation: string, direction: string}} relation
 */
export function relationNames({ relation, direction }) {
  const [dependent, head] = sides()[relation] ?? [relation, t("head of {relation}", { relation })];
  return direction === "dependent_to_head" ? `${dependent} → ${head}` : `${head} → ${dependent}`;
}

/** @param {string} role */
export function roleName(role) {
  switch (role) {
    case "previous_token":
      return t("previous token");
    case "next_token":
      return t("next token");
    case "sink":
      return t("sinks");
    case "induction":
      return t("induction");
    default:
      return t("relation");
  }
}
