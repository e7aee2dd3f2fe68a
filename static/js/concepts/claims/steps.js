/** A claim in words, and its verdict step by step. */

import { chosenClaim, ordered } from "./state.js";
import { t } from "../../base/i18n.js";
import { bracket, formula, inline, name, number, row, size } from "../../base/maths/mathml.js";
import { fixed } from "../../base/numbers.js";

/** @typedef {import("./state.js").ClaimsAnswer["claims"][number]} Claim */

/** @param {number} value */
const n = (value) => number(fixed(value, 4));

/** Without a minus sign if it rounds to 0. @param {number} value */
const tidy = (value) => (Math.abs(value) < 5e-5 ? 0 : value);

/** @param {Claim} claim */
export function claimSays(claim) {
  const { kind, layer, head, last_layer: last } = claim;
  if (kind === "token_weight") {
    return t("Layer {layer}, head {head} attends from “{reader}” to “{read}”", {
      layer,
      head,
      read: claim.read,
      reader: claim.reader,
    });
  }
  if (kind === "separator_share") return t("Layers {layer} to {last} attend to the separators", { layer, last });
  if (kind === "relation") {
    return claim.relation === "direct_object"
      ? t("Layer {layer}, head {head} attends from a direct object to its verb", { layer, head })
      : t("Layer {layer}, head {head} attends from a pronoun to what it stands for", { layer, head });
  }
  return claim.score === "induction"
    ? t("Layer {layer}, head {head} is an induction head", { layer, head })
    : t("Layer {layer}, head {head} is a previous-token head", { layer, head });
}

/** @param {Claim} claim */
export function referenceSays({ reference, tolerance }) {
  const value = fixed(reference, 3);
  return tolerance === null ? t("at least {value}", { value }) : `${value} ± ${tolerance}`;
}

/** @param {Claim} claim */
export function verdictSays({ holds }) {
  if (holds === null) return t("not measured");
  return holds ? t("✓ confirmed") : t("✗ not confirmed");
}

/** @param {Claim} claim */
function formulas({ reference, tolerance, measured, holds }) {
  const value = measured === null ? name("m") : n(measured);
  if (tolerance === null) return [formula(value, holds === false ? "<" : "≥", n(reference))];
  return [formula(size(row(value, "−", n(reference))), holds === false ? ">" : "≤", number(String(tolerance)))];
}

/**
 * @param {import("./state.js").ClaimsData} data
 * @returns {import("../frame/concept.js").Scene}
 */
export function calculation(data) {
  const claim = chosenClaim(data);
  return { formulas: formulas(claim), steps: stepsOf(claim), table: tableOf(data) };
}

/**
 * @param {Claim} claim
 * @returns {import("../frame/concept.js").Step[]}
 */
function stepsOf(claim) {
  const { reference, tolerance, measured } = claim;
  const none = () => {
    const line = document.createElement("span");
    line.textContent = t("the model is not the one chosen, or not available");
    return line;
  };
  return [
    {
      name: t("Reference"),
      says: t("The value to compare with: {label}.", { label: claim.label }),
      line: inline(...(tolerance === null ? ["≥", n(reference)] : [n(reference), "±", number(String(tolerance))])),
    },
    {
      name: t("Measured"),
      says: t("The same quantity, from the model that runs here."),
      line: measured === null ? none() : inline(name("m"), "=", n(measured)),
    },
    {
      name: t("Difference"),
      says: t("Measured minus reference."),
      line:
        measured === null
          ? none()
          : inline(n(measured), "−", bracket(n(reference)), "=", n(tidy(measured - reference))),
    },
    {
      name: t("Verdict"),
      says: verdictSays(claim),
      line: measured === null ? none() : formulas(claim)[0],
    },
  ];
}

/**
 * All claims; the last line counts those that are borne out.
 * @param {import("./state.js").ClaimsData} data
 * @returns {import("../frame/concept.js").StepTable}
 */
function tableOf({ state, answer }) {
  const shown = ordered(answer);
  const measured = answer.claims.filter((claim) => claim.measured !== null);
  return {
    caption: t("Every claim"),
    columns: [
      { name: t("claim"), step: 0 },
      { name: t("model"), step: 0 },
      { name: t("reference"), step: 1 },
      { name: t("whose number"), step: 1 },
      { name: t("measured"), step: 2 },
      { name: t("difference"), step: 3 },
      { name: t("verdict"), step: 4 },
    ],
    rows: shown.map(({ claim }) => [
      claimSays(claim),
      claim.model_title,
      referenceSays(claim),
      claim.label,
      claim.measured === null ? "" : fixed(claim.measured, 4),
      claim.measured === null ? "" : fixed(tidy(claim.measured - claim.reference), 4),
      verdictSays(claim),
    ]),
    sums: [
      t("{count} of {total} measured claims are confirmed", {
        count: measured.filter((claim) => claim.holds).length,
        total: measured.length,
      }),
      "",
      "",
      "",
      "",
      "",
      "",
    ],
    chosen: shown.findIndex(({ index }) => index === state.claim),
  };
}
