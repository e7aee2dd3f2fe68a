/** What the chosen head does, as sentences with their numbers. */

import { chosenRelation, placeOf, queryOf, RELATION, rightOf, shownOf, strongestOf, valuesOf } from "./state.js";
import { fixed } from "../../base/numbers.js";
import { relationNames } from "./names.js";
import { t } from "../../base/i18n.js";
import { headCode, headName } from "../../wording/labels.js";

/** @typedef {import("./state.js").RolesData} RolesData */

/** Where a fixed offset looks. @param {number} offset  from the word that attends */
export function offsetSays(offset) {
  const count = Math.abs(offset);
  if (count === 1) return offset < 0 ? t("the word before") : t("the next word");
  return offset < 0 ? t("{count} words before", { count }) : t("{count} words later", { count });
}

/** Over all sentences. @param {RolesData} data */
export function foundSays(data) {
  const { layer, head } = placeOf(data);
  const value = valuesOf(data)[layer][head];
  const name = headName(layer, head, 0);
  if (data.state.role !== RELATION) {
    const said = { name, share: fixed(value, 2) };
    return sentenceOf(data.state.role, said);
  }
  const relation = chosenRelation(data);
  return t("{relation}: {name} finds {share}, the best fixed offset {baseline} ({offset})", {
    name: headCode(layer, head, 0),
    share: fixed(value, 2),
    relation: relationNames(relation),
    offset: offsetSays(relation.offset),
    baseline: fixed(relation.baseline, 2),
  });
}

/** @param {string} role @param {{name: string, share: string}} said */
function sentenceOf(role, said) {
  switch (role) {
    case "previous_token":
      return t("{name} gives {share} of its attention to the previous token.", said);
    case "next_token":
      return t("{name} gives {share} of its attention to the next token.", said);
    case "sink":
      return t("{name} gives {share} of its attention to the first token and separators.", said);
    default:
      return t("{name} gives {share} to the token that followed the last time, where a token occurs again.", said);
  }
}

/** In this sentence. @param {RolesData} data */
export function pairSays(data) {
  const { units, weights, isWords } = shownOf(data);
  const [query, right, strongest] = [queryOf(data), rightOf(data), strongestOf(data)];
  const said = {
    query: units[query],
    strongest: units[strongest],
    weight: fixed(weights[query][strongest], 2),
    right: right === null ? "" : units[right],
    other: right === null ? "" : fixed(weights[query][right], 2),
  };
  if (isWords && right === strongest) {
    return t("Here “{query}” attends most to “{strongest}” ({weight}): right.", said);
  }
  if (isWords && right !== null) {
    return t("Here “{query}” attends most to “{strongest}” ({weight}), not to “{right}” ({other}).", said);
  }
  return t("Here “{query}” attends most to “{strongest}” ({weight}).", said);
}
