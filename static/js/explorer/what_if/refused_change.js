/** A change that the server refused, in the page's words. */

import { t } from "../../base/i18n.js";
import { readChanges } from "../state/changes/changes.js";

/**
 * What is wrong with a change, in the page's words.
 * @param {string | null} field  of the API's answer
 * @param {string} written  the changes as in the URL
 * @param {(change: import("../state/changes/changes.js").Change) => string} nameOf
 * @returns {string}  "" where the answer names no change
 */
export function refusedChange(field, written, nameOf) {
  const index = /^interventions\.(\d+)\b/.exec(field ?? "")?.[1];
  const change = index === undefined ? undefined : readChanges(written)[Number(index)];
  return change
    ? t("“{change}” cannot be applied: this model and this text have no such layer, head or token. Remove it.", {
        change: nameOf(change),
      })
    : "";
}
