/** Search by example: where else in the corpus does this head do what it does in one cell. */

import { el, fill } from "../../../base/dom.js";
import { fixed, grouped } from "../../../base/numbers.js";
import { drawnView, mount } from "../../../base/mount.js";
import { t } from "../../../base/i18n.js";
import { failureView } from "../../../page/failure.js";
import { isRecorded } from "../../../requests/recorded_answers.js";
import { exampleItem } from "./examples.js";
import { tokenLine } from "./token_line.js";

/** @typedef {import("../state.js").AtlasView} AtlasView */

/** @type {AtlasView} */
export const searchView = (element, data, { set }) => {
  const what = el("div", { class: "atlas-sought" });
  const problem = el("div", { class: "failure" });
  const says = el("p", { class: "note", role: "status" });
  const list = el("ol", { class: "atlas-examples" });
  const showProblem = mount(problem, failureView, {});
  fill(element, what, problem, says, list);
  /** @type {unknown} */
  let drawn = null;

  /** @param {import("../state.js").AtlasData} next */
  function update({ state, answer }) {
    if (state.view !== "search") return;
    const { facts, at, found, failure } = answer;
    const { text, query, key } = state;
    const isAsked = text !== "" && query !== null && key !== null && !isRecorded();
    showProblem(failure("found") ?? failure("analysis"));
    fill(what, ...(isAsked ? soughtSays(answer.analysis, { text, query, key }) : [howToAsk()]));
    if (!isAsked || !facts || !at) {
      drawn = null;
      says.textContent = "";
      return list.replaceChildren();
    }
    if (!found) {
      says.textContent = failure("found") || failure("analysis") ? "" : t("Searching …");
      return;
    }
    if (found === drawn) return;
    drawn = found;
    says.textContent = t("The nearest of {count} sampled cells, by cosine similarity.", {
      count: grouped(found.searched),
    });
    const shared = { model: facts.model, at, lang: state.lang, set };
    fill(
      list,
      ...found.found.map((match) =>
        exampleItem({ ...shared, window: found.windows[match.window], cell: match, value: fixed(match.similarity, 3) }),
      ),
    );
  }

  return drawnView(element, data, update, () => showProblem(null));
};

function howToAsk() {
  return isRecorded()
    ? t("A saved page cannot search the corpus. Open the page on its server to search.")
    : t("Choose an example under “Examples” and press “Similar”, or come from a cell of the Explorer.");
}

/**
 * @param {import("../../../api/types.js").Analysis | null} analysis
 * @param {{text: string, query: number, key: number}} cell
 */
function soughtSays(analysis, { text, query, key }) {
  const before = t("Cells like this one:");
  if (!analysis || query >= analysis.tokens.length || key >= analysis.tokens.length) {
    return [before, " ", el("q", { translate: "no" }, text)];
  }
  const { line, says } = tokenLine(analysis.tokens, { query, key, weight: 1 });
  return [before, line, el("span", { class: "visually-hidden" }, says)];
}
