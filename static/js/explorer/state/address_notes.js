/** Notes where the view differs from its address: a link may be mistyped, or belong to another model or text. */

import { unreadable } from "./changes/changes.js";
import { isUploaded } from "../../api/analyses.js";
import { t } from "../../base/i18n.js";
import { quoted } from "../../wording/token_apart.js";
import { parseRange, partOf } from "./selection.js";

/** @typedef {import("../../api/types.js").Analysis} Analysis */
/** @typedef {import("./view_state.js").ViewState} ViewState */

/** @returns {Record<string, string>} what an address sets, as the page calls it */
function fieldNames() {
  return {
    view: t("view"),
    part: t("part"),
    stage: t("stage"),
    layer: t("layer"),
    head: t("head"),
    query: t("query"),
    key: t("key"),
    rows: t("queries"),
    cols: t("keys"),
    changes: t("changes"),
  };
}

/**
 * @param {string} search  of an address
 * @param {ViewState} shown
 * @param {Analysis} analysis
 * @returns {string[]}
 */
export function addressNotes(search, shown, analysis) {
  const query = new URLSearchParams(search);
  const part = partOf(analysis, shown.part);
  const numbers = { layer: shown.layer, head: shown.head, query: shown.query, key: shown.key };
  const spans = { rows: part.query_tokens, cols: part.key_tokens };
  const names = fieldNames();
  /** @type {[string, string][]} */
  const wrong = [];
  /** @type {(name: string, isRight: (wanted: string) => boolean, instead: unknown) => void} */
  const check = (name, isRight, instead) => {
    const wanted = query.get(name);
    if (wanted !== null && wanted !== "" && !isRight(wanted)) wrong.push([name, String(instead ?? t("none"))]);
  };
  check("view", (wanted) => wanted === shown.view, shown.view);
  check("part", (wanted) => wanted === part.name, part.name);
  check("stage", (wanted) => wanted === shown.stage, shown.stage);
  for (const [name, value] of Object.entries(numbers)) {
    check(name, (wanted) => value !== null && /^\d+$/.test(wanted) && Number(wanted) === value, value);
  }
  for (const [name, count] of Object.entries(spans)) {
    const [first, end] = parseRange(query.get(name) ?? "", count);
    check(name, (wanted) => wanted === `${first}:${end}`, `${first}:${end}`);
  }
  const lines = wrong.map(([name, instead]) =>
    t("{name}: {wanted} in the address does not exist here; showing {shown}.", {
      name: names[name],
      wanted: quoted(query.get(name) ?? ""),
      shown: instead,
    }),
  );
  const lost = unreadable(query.get("changes") ?? "");
  if (lost.length > 0) {
    lines.push(t("Unreadable changes in the address were left out: {changes}", { changes: lost.join(", ") }));
  }
  const text = query.get("text");
  if (isUploaded(shown.model) && text !== null && text !== shown.text) {
    lines.push(t("The address holds a text, but uploaded tensors have their own tokens; the text was left out."));
  }
  return lines;
}
