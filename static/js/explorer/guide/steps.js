/** The guided look: what its five steps say about the picture in front of the reader, and at what each points. */

import { t } from "../../base/i18n.js";

/**
 * @typedef {object} Pictured  what is on the screen
 * @property {string} head  the open one, such as L5 H11
 * @property {string} before  the one that was open when the look began
 * @property {number} layers
 * @property {number} heads  of a layer
 * @property {string} query  the chosen token
 * @property {string} reason  why the other head is worth a look; blank where nothing stands out
 * @property {boolean} predicts  whether the model predicts tokens
 *
 * @typedef {object} GuideStep
 * @property {string} target  selector of what it points at
 * @property {string} title
 * @property {string} says
 */

/** Its place among the steps: here another head is open. */
export const OTHER_HEAD = 3;

/**
 * @param {Pictured} pictured
 * @returns {GuideStep[]}
 */
export function guideSteps({ head, before, layers, heads, query, reason, predicts }) {
  return [
    {
      target: "#grid",
      title: t("A head"),
      says: t(
        "Each small picture is one attention head: {count} of them, {heads} in each of {layers} layers. All read the same text, each in its own way. The outlined one, {head}, is open.",
        { count: layers * heads, heads, layers, head },
      ),
    },
    {
      target: ".matrix-frame",
      title: t("A row"),
      says: t(
        "This is that head at full size. Each row is a token that attends, each column a token that it may attend to. The outlined row is that of “{query}”; choose another row, and everything follows.",
        { query },
      ),
    },
    {
      target: "#matrix .readout",
      title: t("A number"),
      says: t(
        "Point at a cell, or choose one, and here stands its number: which share of the row's attention goes to that token. The shares of a row add up to 1, so what one token gets the others lose.",
      ),
    },
    {
      target: "#head-title",
      title: t("Another head"),
      says: reason
        ? t("Now {head} is open. Same model, same text, another job: {reason}.", { head, reason })
        : t("Now {head} is open: same model, same text, another picture. {before} is one click away.", {
            head,
            before,
          }),
    },
    {
      target: "#quick-off",
      title: t("What if"),
      says: predicts
        ? t(
            "Does the model need this head? Switch it off: the model computes everything again without it, and the card above says what becomes of the prediction. Undo brings it back.",
          )
        : t(
            "Does the model need this head? Switch it off: the model computes everything again without it, and the later layers show what has changed. Undo brings it back.",
          ),
    },
  ];
}
