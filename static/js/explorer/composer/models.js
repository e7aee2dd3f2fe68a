/** The models to choose from: in groups by where they are, filtered, and what each row says before it is loaded. */

import { t } from "../../base/i18n.js";
import { bytes } from "../../base/numbers.js";

/** @typedef {import("../../api/types.js").Model} Model */
/** @typedef {import("../../api/types.js").FoundModel} FoundModel */
/** @typedef {import("../../api/types.js").ModelFacts} ModelFacts */
/** @typedef {import("../data/hub_search.js").HubAnswer} HubAnswer */
/** @typedef {Partial<Model> & Pick<Model, "id">} Choice  of the list, or of the hub, which says less */
/** @typedef {"built_in" | "folder" | "cache" | "hub"} GroupName */

/** @type {readonly GroupName[]} */
const GROUPS = ["built_in", "folder", "cache", "hub"];
const UNITS = /** @type {const} */ ([
  [1e9, "B"],
  [1e6, "M"],
  [1e3, "K"],
]);

/**
 * The groups that have a model which contains every word of the query; the models used last first, those that cannot be
 * chosen last.
 * @param {Model[]} models
 * @param {string} query
 * @param {string[]} recent  ids, newest first
 * @returns {{name: GroupName, models: Model[]}[]}
 */
export function groupsOf(models, query, recent) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const place = (/** @type {Model} */ { id, available }) => {
    if (!available) return recent.length + 1;
    return recent.includes(id) ? recent.indexOf(id) : recent.length;
  };
  const matches = models.filter((model) => words.every((word) => searchable(model).includes(word)));
  const sorted = [...matches].sort((a, b) => place(a) - place(b));
  return GROUPS.map((name) => ({ name, models: sorted.filter((model) => groupOf(model) === name) })).filter(
    (group) => group.models.length > 0,
  );
}

/**
 * What the picker lists, in its order: the groups of the models that fit, and what a search has found besides them,
 * which comes first while it is what is asked for.
 * @param {{models: Model[], refusalOf: (model: Choice) => string, hub: Pick<HubAnswer, "query" | "models">}} data
 * @param {string} query
 * @param {string[]} recent  ids, newest first
 * @returns {{name: GroupName | "found", models: Choice[]}[]}
 */
export function sectionsOf({ models, refusalOf, hub }, query, recent) {
  const fitting = models.filter((model) => refusalOf(model) === "");
  const groups = groupsOf(fitting, query, recent);
  const others = hub.models.filter(({ id }) => !models.some((model) => model.id === id));
  if (others.length === 0) return groups;
  /** @type {{name: "found", models: Choice[]}} */
  const section = { name: "found", models: others };
  return hub.query === query.trim() ? [section, ...groups] : [...groups, section];
}

/** @param {Model} model */
function searchable({ id, title, architecture, kind, licence, base }) {
  return [id, title, architecture, kind, licence, base && `lora ${base}`].join(" ").toLowerCase();
}

/** @param {Model} model @returns {GroupName} */
function groupOf({ source, is_here: isHere }) {
  if (source === "directory") return "folder";
  if (source !== "hub") return "built_in";
  return isHere ? "cache" : "hub";
}

/** @param {GroupName | "found"} name */
export function groupTitle(name) {
  return {
    built_in: t("Built in"),
    folder: t("This server's folder"),
    cache: t("In this server's Hugging Face cache"),
    hub: t("On the Hugging Face Hub"),
    found: t("Found on the Hugging Face Hub"),
  }[name];
}

/**
 * What a row says of a model, as far as it is known.
 * @param {Choice} model
 * @returns {string[]}
 */
export function factsOf(model) {
  const { architecture, layers, heads, parameters, size_bytes: size, licence, max_tokens: most, base } = model;
  const { text_part_of: whole } = model;
  return [
    base ? t("LoRA adapter of {base}", { base }) : "",
    whole ? t("text part of a {model} model", { model: whole }) : "",
    architecture ?? "",
    layers && heads ? t("{layers} layers × {heads} heads", { layers, heads }) : "",
    parameters ? t("{count} parameters", { count: short(parameters) }) : "",
    size ? bytes(size) : "",
    most && model.reads === "text" ? t("up to {count} tokens", { count: most }) : "",
    licence ?? (parameters ? t("licence unknown") : ""),
  ].filter(Boolean);
}

/**
 * What can be shown of it, in a word or two.
 * @param {Choice & Partial<FoundModel>} model
 * @returns {{kind: "full" | "part" | "none" | "unknown", words: string}}
 */
export function badgeOf({ available = true, support, gated }) {
  if (support === "refused") return { kind: "none", words: t("not supported") };
  if (!available || gated) return { kind: "none", words: t("not available") };
  if (support === "weights_only") return { kind: "part", words: t("weights only") };
  return support === "carried"
    ? { kind: "full", words: t("all views") }
    : { kind: "unknown", words: t("not checked yet") };
}

/**
 * Why not everything can be shown; "" where it can.
 * @param {Choice & Partial<FoundModel>} model
 */
export function reasonOf({ available = true, reason, support_reason: why, gated }) {
  if (gated) return t("Only for people who have accepted its terms on the Hub, so this server cannot fetch it.");
  return (available ? "" : reason) || why || "";
}

/**
 * Where it is now; "" where its group says so.
 * @param {Choice} model
 */
export function stateOf({ loaded, loading }) {
  if (loading) return t("loading");
  return loaded ? t("in memory") : "";
}

/**
 * Whether it can be chosen.
 * @param {Choice & Partial<FoundModel>} model
 */
export function isOpen({ available = true, support, gated }) {
  return available && support !== "refused" && !gated;
}

/**
 * Whether it must be asked what it is before it is loaded: the hub's lists do not say.
 * @param {Choice & Partial<FoundModel>} model
 */
export function isUnseen(model) {
  return isOpen(model) && !model.is_here && !model.layers;
}

/**
 * A large number in three digits: 22.7M.
 * @param {number} count
 */
export function short(count) {
  const [size, unit] = UNITS.find(([least]) => count >= least) ?? [1, ""];
  return `${Number((count / size).toPrecision(3))}${unit}`;
}
