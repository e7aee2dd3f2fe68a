/** Changes that do the same to several heads, together: as one line of the card over a changed model. */

import { headCode, partName } from "../../wording/labels.js";
import { labelled, t } from "../../base/i18n.js";

/** @typedef {import("../state/changes/changes.js").Change} Change */

/** From as many heads on, one name for all. */
const MANY = 3;
/** Heads that the name of more of them has. */
const NAMED = 2;

/**
 * The changes in their order, those of many heads in a row together.
 * @param {Change[]} changes
 * @returns {Change[][]}
 */
export function groupsOf(changes) {
  /** @type {Change[][]} */
  const runs = [];
  for (const change of changes) {
    const last = runs.at(-1);
    if (last && isAlike(last[0], change)) last.push(change);
    else runs.push([change]);
  }
  return runs.flatMap((run) => (run.length < MANY ? run.map((change) => [change]) : [run]));
}

/**
 * Whether both set the same of one head.
 * @param {Change} a
 * @param {Change} b
 */
function isAlike(a, b) {
  if (a.kind === "cut" || a.kind === "row" || a.kind === "temperature") return false;
  const areHeads = [a, b].every(({ layer, head }) => layer !== null && head !== null);
  return areHeads && a.kind === b.kind && a.part === b.part;
}

/**
 * "L0 H2, L3 H1 and 2 more".
 * @param {Change[]} group  of single heads
 * @param {0 | 1} numbering
 */
export function groupName(group, numbering) {
  const codes = codesOf(group, numbering);
  const heads = codes.slice(0, NAMED).join(", ");
  const count = codes.length - NAMED;
  return inPart(group, count > 1 ? t("{heads} and {count} more", { heads, count }) : codes.join(", "));
}

/**
 * All of them.
 * @param {Change[]} group
 * @param {0 | 1} numbering
 */
export function allNames(group, numbering) {
  return inPart(group, codesOf(group, numbering).join(", "));
}

/** @param {Change[]} group @param {0 | 1} numbering */
function codesOf(group, numbering) {
  return group.map(({ layer, head }) => headCode(layer ?? 0, head ?? 0, numbering));
}

/** @param {Change[]} group @param {string} heads */
function inPart([{ part }], heads) {
  return part ? labelled(partName(part), heads) : heads;
}
