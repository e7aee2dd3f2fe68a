/** The page of what heads do as data: which role of which head, in which sentence. */

import { choice, count, text, whole } from "../../base/fields.js";
import { relationNames } from "./names.js";
import { MINILM } from "../../wording/model_names.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("../../base/fields.js").StateOf<typeof fields>} RolesState */
/** @typedef {import("../../api/types.js").AnswerTo<"head_roles">} RolesAnswer */
/** @typedef {import("../../api/types.js").AnswerTo<"head_roles/example">} Example */
/** @typedef {import("../../api/types.js").Call<"head_roles/example">} ExampleCall */
/** @typedef {import("../frame/concept.js").Answered<"head_roles", RolesState, ExampleCall[]>} RolesData */
/** @typedef {RolesAnswer["relations"][number]} Relation */

export const RELATION = "relation";
export const ROLES = /** @type {const} */ ([RELATION, "previous_token", "next_token", "sink", "induction"]);

const MOST_QUERIES = 199;

export const fields = {
  model: text(MINILM, 200),
  role: choice(ROLES),
  /** a relation and its direction */
  relation: text("antecedent.dependent_to_head", 100),
  /** null: of the head that stands out most */
  layer: count(null),
  head: count(null),
  /** which of the sentences that show the role */
  number: whole(0, 0, 999),
  /** a word, or a token where the role is about tokens; −1: one that shows the role */
  query: whole(-1, -1, MOST_QUERIES),
};

const AFRESH = { layer: null, head: null, number: 0, query: -1 };

/** @type {import("../frame/concept.js").Dependents<RolesState>} */
export const dependents = {
  model: () => AFRESH,
  role: () => AFRESH,
  relation: () => AFRESH,
  number: () => ({ query: -1 }),
};

/** @param {Readonly<RolesState>} state @returns {import("../../api/types.js").Body<"head_roles">} */
export function request({ model }) {
  return /** @type {import("../../api/types.js").Body<"head_roles">} */ ({ model });
}

/** @param {Readonly<RolesState>} state @returns {ExampleCall[]} */
export function also({ model, role, relation, layer, head, number }) {
  const [name, direction] = relation.split(".");
  const place = layer === null || head === null ? {} : { layer, head };
  const asked = role === RELATION ? { relation: name, direction } : {};
  return [
    /** @type {ExampleCall} */ ({ stem: "head_roles/example", body: { model, role, ...asked, ...place, number } }),
  ];
}

/** @param {Relation} relation */
export const keyOf = ({ relation, direction }) => `${relation}.${direction}`;

/** @param {Pick<RolesData, "state" | "answer">} data @returns {Relation} */
export function chosenRelation({ state, answer }) {
  return answer.relations.find((one) => keyOf(one) === state.relation) ?? answer.relations[0];
}

/** The better direction of each relation. @param {Pick<RolesData, "state" | "answer">} data */
export function bestDirections({ answer, state }) {
  const seen = new Set();
  return answer.relations.filter((one) => {
    if (seen.has(one.relation) && keyOf(one) !== state.relation) return false;
    seen.add(one.relation);
    return true;
  });
}

/** The number of every head in the chosen role. @param {Pick<RolesData, "state" | "answer">} data */
export function valuesOf({ state, answer }) {
  return state.role === RELATION ? chosenRelation({ state, answer }).found : answer.values[state.role];
}

/** The head that stands out most. @param {RolesAnswer} answer @param {Readonly<RolesState>} state */
function bestOf(answer, state) {
  if (state.role === RELATION) return chosenRelation({ state, answer }).best;
  const rows = answer.values[state.role];
  const most = Math.max(...rows.flat());
  const layer = rows.findIndex((row) => row.includes(most));
  return { layer, head: rows[layer].indexOf(most) };
}

/** @param {Readonly<RolesState>} state @param {RolesAnswer} answer */
export function within(state, answer) {
  const best = bestOf(answer, state);
  return {
    layer: Math.min(state.layer ?? best.layer, answer.layers - 1),
    head: Math.min(state.head ?? best.head, answer.heads - 1),
  };
}

/** The head shown. @param {RolesData} data */
export const placeOf = ({ state, answer }) => ({ ...bestOf(answer, state), ...within(state, answer) });

/** @param {RolesData} data */
export const exampleOf = ({ others: [example] }) => example;

/** What stands in the sentence: words for a relation, tokens for the other roles. @param {RolesData} data */
export function shownOf(data) {
  const example = exampleOf(data);
  const isWords = data.state.role === RELATION;
  return {
    isWords,
    units: isWords ? example.words : example.tokens.map((token) => token.text.trim() || token.text),
    weights: isWords ? example.word_weights : example.weights,
  };
}

/** The query: the one chosen, else one that shows the role. @param {RolesData} data */
export function queryOf(data) {
  const { units } = shownOf(data);
  const { query, role } = data.state;
  if (query >= 0) return Math.min(query, units.length - 1);
  const [pair] = exampleOf(data).pairs;
  if (pair) return pair.reader;
  // Late enough for a repetition, and before what ends the text.
  return role === "induction" ? Math.floor(0.75 * units.length) : Math.floor(units.length / 2);
}

/** What the query should attend to in this role, if that is one unit. @param {RolesData} data @returns {number | null} */
export function rightOf(data) {
  const query = queryOf(data);
  const { units } = shownOf(data);
  const { followed, pairs } = exampleOf(data);
  switch (data.state.role) {
    case RELATION:
      return pairs.find((pair) => pair.reader === query)?.right ?? null;
    case "previous_token":
      return query > 0 ? query - 1 : null;
    case "next_token":
      return query + 1 < units.length ? query + 1 : null;
    case "induction":
      return followed[query] >= 0 ? followed[query] : null;
    default:
      return 0;
  }
}

/** The unit that the query attends to most; a word itself is left out. @param {RolesData} data */
export function strongestOf(data) {
  const { isWords, weights } = shownOf(data);
  const query = queryOf(data);
  return strongestIn(weights[query], isWords ? query : -1);
}

/** @param {readonly number[]} row @param {number} without */
export function strongestIn(row, without) {
  const others = row.map((weight, at) => (at === without ? -1 : weight));
  return others.indexOf(Math.max(...others));
}

/** @type {import("../frame/concept.js").Choices<RolesData>} */
export const choices = {
  relation: ({ answer }) => answer.relations.map((one) => [keyOf(one), relationNames(one)]),
  number: (data) => exampleOf(data).count - 1,
  query: (data) => [
    ["-1", t("one that shows it")],
    ...shownOf(data).units.map((unit, at) => /** @type {[string, string]} */ ([String(at), `${at} ${unit}`])),
  ],
};

/**
 * What a lecture goes on to: the other sentences and heads of the role shown, every role, and every relation.
 * @param {Readonly<RolesState>} _
 * @param {RolesData} data
 * @returns {Partial<RolesState>[]}
 */
export function grid(_, data) {
  const { answer } = data;
  const range = (/** @type {number} */ count) => Array.from({ length: count }, (_, at) => at);
  const roles = ROLES.filter((role) => role !== RELATION).map((role) => ({ ...AFRESH, role }));
  const relations = answer.relations.map((one) => ({ ...AFRESH, role: RELATION, relation: keyOf(one) }));
  const heads = range(answer.layers).flatMap((layer) => range(answer.heads).map((head) => ({ layer, head })));
  return [...range(exampleOf(data).count).map((number) => ({ number })), ...roles, ...relations, ...heads];
}

/** @param {RolesData} data */
export function explorer(data) {
  const { layer, head } = placeOf(data);
  const { text: sentence, word_of_token: owners } = exampleOf(data);
  const query = queryOf(data);
  const token = data.state.role === RELATION ? Math.max(owners.indexOf(query), 0) : query;
  return { model: data.state.model, text: sentence, layer, head, query: token };
}
