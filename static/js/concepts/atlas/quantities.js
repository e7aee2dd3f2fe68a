/** The quantities of all heads of an atlas: place, measures, relations and behaviour, each with a value for every head. */

import { fixed } from "../../base/numbers.js";
import { t } from "../../base/i18n.js";
import { headCode, partName } from "../../wording/labels.js";

/** @typedef {import("../../api/atlases.js").Heads} Heads */
/** @typedef {import("../../api/atlases.js").HeadAt} HeadAt */
/** @typedef {import("../../api/atlases.js").RelationOfHeads} RelationOfHeads */

/**
 * @typedef {object} Quantity
 * @property {string} id  in the address
 * @property {string} title
 * @property {"place" | "measure" | "relation" | "behaviour" | "weights"} group
 * @property {readonly (number | null)[]} values  by head
 * @property {boolean} isWhole  counts rather than measures
 * @property {boolean} isKind  values are names, not sizes
 * @property {string} definition
 * @property {string} source
 * @property {string} unit
 */

/** @typedef {ReturnType<typeof tableOf>} HeadTable */

/** The quantity that is computed from the weights alone. */
export const COPYING = "copying";

/** Measures of what is counted in tokens or nats need fewer digits. */
const DIGITS = 3;

/** @param {Quantity} quantity @param {number | null | undefined} value */
export function said({ isWhole, isKind }, value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  return isWhole || isKind ? String(value) : fixed(value, Math.abs(value) >= 100 ? 1 : DIGITS);
}

/** @param {number | null | undefined} value @param {number} [digits] */
export function orDash(value, digits = DIGITS) {
  return value === null || value === undefined ? "–" : fixed(value, digits);
}

/** @param {{relation: string, direction: string}} relation */
export const relationId = ({ relation, direction }) => `${relation}.${direction}`;

/** @param {{relation: string, direction: string}} relation */
export function relationName({ relation, direction }) {
  if (relation === "antecedent") {
    return direction === "dependent_to_head" ? t("pronoun → antecedent") : t("antecedent → pronoun");
  }
  return direction === "dependent_to_head"
    ? t("{relation}: dependent → head", { relation })
    : t("{relation}: head → dependent", { relation });
}

/**
 * The heads of an atlas as a table.
 * @param {Heads} heads
 * @param {readonly (readonly number[])[] | null} [copying]  scores by layer and head, of a decoder
 */
export function tableOf(heads, copying = null) {
  const count = heads.layer.length;
  const parts = [...new Set(heads.part)];
  const isDecoder = heads.facts.kind === "decoder";
  const quantities = [...quantitiesOf(heads), ...(isDecoder ? [copyingOf(heads, copying)] : [])];
  const byId = new Map(quantities.map((quantity) => [quantity.id, quantity]));
  const places = new Map(
    heads.layer.map((layer, index) => [`${heads.part[index]}.${layer}.${heads.head[index]}`, index]),
  );
  return {
    count,
    parts,
    quantities,
    /** @param {string} id */
    quantity: (id) => byId.get(id) ?? null,
    /** @param {number} index @returns {HeadAt} */
    at: (index) => ({ part: heads.part[index], layer: heads.layer[index], head: heads.head[index] }),
    /** @param {HeadAt} at @returns {number}  −1 where there is no such head */
    index: ({ part, layer, head }) => places.get(`${part}.${layer}.${head}`) ?? -1,
    /** Layer and head, and the part where there are several. @param {number} index */
    name: (index) =>
      (parts.length > 1 ? `${heads.part[index][0].toUpperCase()} ` : "") +
      headCode(heads.layer[index], heads.head[index], 0),
    /** @param {number} index */
    title(index) {
      const name = t("Layer {layer}, head {head}", { layer: heads.layer[index], head: heads.head[index] });
      return parts.length > 1 ? `${partName(heads.part[index])}: ${name}` : name;
    },
  };
}

/**
 * The place of a value among all, from 1 for the largest.
 * @param {Quantity} quantity
 * @param {number} index
 * @returns {{rank: number, of: number} | null}  null where it has no value, or all have the same
 */
export function rankOf({ values }, index) {
  const value = values[index];
  if (value === null || value === undefined) return null;
  const present = values.filter((value) => value !== null);
  if (present.every((other) => other === value)) return null;
  return { rank: 1 + present.filter((other) => other > value).length, of: present.length };
}

/** The head the page opens with: that which attends most to the previous token. @param {HeadTable} table */
export function firstHead(table) {
  const values = table.quantity("previous_token")?.values ?? [];
  const most = Math.max(...values.map((value) => value ?? -Infinity));
  return Math.max(0, values.indexOf(most));
}

/** @param {Heads} heads @returns {Quantity[]} */
function quantitiesOf(heads) {
  const place = { group: /** @type {const} */ ("place"), isWhole: true, isKind: false, source: "", unit: "" };
  const behaviour = {
    group: /** @type {const} */ ("behaviour"),
    isWhole: false,
    isKind: false,
    source: BEHAVIOUR_SOURCE,
    unit: "",
  };
  const near = t(
    "A map in which heads stand near each other that distribute their attention alike: distances approximate the square root of the mean Jensen–Shannon divergence between their weights on the same queries.",
  );
  return [
    {
      ...place,
      id: "layer",
      title: t("Layer"),
      values: heads.layer,
      definition: t("Index of the layer, from 0 at the input."),
    },
    {
      ...place,
      id: "head",
      title: t("Head"),
      values: heads.head,
      definition: t("Index of the head in its layer. The order of heads means nothing."),
    },
    ...heads.measures.map((measure) => measured(heads, measure)),
    { ...behaviour, id: "map_x", title: t("Behaviour 1"), values: heads.map.x, definition: near },
    { ...behaviour, id: "map_y", title: t("Behaviour 2"), values: heads.map.y, definition: near },
    {
      ...behaviour,
      id: "cluster",
      title: t("Cluster"),
      isKind: true,
      values: heads.map.cluster,
      definition: t(
        "Groups of heads with a small divergence from one another. The numbers are names; their order means nothing.",
      ),
    },
    ...heads.relations.map(accuracyOf),
  ];
}

/** @param {Heads} heads @param {Heads["measures"][number]} measure @returns {Quantity} */
function measured({ values }, { name, title, definition, source, unit }) {
  return {
    id: name,
    title: t(title),
    group: "measure",
    isWhole: false,
    isKind: false,
    values: values[name],
    definition: t(definition),
    source: t(source),
    unit: t(unit),
  };
}

/** @param {RelationOfHeads} relation @returns {Quantity} */
function accuracyOf(relation) {
  return {
    id: relationId(relation),
    title: relationName(relation),
    group: "relation",
    isWhole: false,
    isKind: false,
    values: relation.accuracy,
    definition: t(
      "How often, of {count} words with this relation, the word that the head attends to most is the right one. The best fixed offset ({offset}) finds it in {baseline} of the cases.",
      {
        count: relation.count,
        offset: signed(relation.baseline_offset),
        baseline: orDash(relation.baseline_accuracy),
      },
    ),
    source: "Clark et al. (2019), section 4.2",
    unit: t("share"),
  };
}

/**
 * @param {Heads} heads
 * @param {readonly (readonly number[])[] | null} copying
 * @returns {Quantity}
 */
function copyingOf({ layer, head }, copying) {
  return {
    id: COPYING,
    title: t("Copying score"),
    group: "weights",
    isWhole: false,
    isKind: false,
    values: layer.map((layerIndex, index) => copying?.[layerIndex]?.[head[index]] ?? null),
    definition: t(
      "The sum of the eigenvalues of the OV circuit over the sum of their magnitudes: 1 if attending to a token raises that token and its like, −1 if it suppresses them. Of the weights alone.",
    ),
    source: "Elhage et al. (2021)",
    unit: "",
  };
}

const BEHAVIOUR_SOURCE = "Clark et al. (2019), section 6";

/** An offset with its sign. @param {number | null} offset */
export function signed(offset) {
  if (offset === null) return "–";
  return offset > 0 ? `+${offset}` : String(offset).replace("-", "−");
}
