/** What is said above a study: what the two prompts are for, and which model they run through. */

import { t } from "../../base/i18n.js";

/**
 * @param {Pick<import("../state/view_state.js").ViewState, "corrupt" | "changes">} value
 * @returns {string}  "" where nothing needs saying
 */
export function introductionOf({ corrupt, changes }) {
  const said = [
    corrupt.trim() === "" &&
      t(
        "Two prompts of equally many tokens: the text above is the clean one. One activation at a time is taken from the one run and put into the other; the effect is how far that moves the answer.",
      ),
    changes !== "" && t("Both prompts run through the unchanged model, without the changes made above."),
  ];
  return said.filter(Boolean).join(" ");
}
