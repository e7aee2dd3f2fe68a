/** The page of published claims, measured on the model that is loaded, in the frame of a concept. */

import { claimSays, calculation, formulas, tableOf } from "./steps.js";
import { startConcept } from "../frame/concept.js";
import { need } from "../../base/dom.js";
import { codec, text, whole } from "../../base/fields.js";
import { t } from "../../base/i18n.js";
import { barsMark } from "../../charts/bars.js";
import { bindModelChoice, linkToExplorer, MINILM } from "../../page/model_choice.js";
import { claimsView } from "./view.js";
import { mount } from "../../base/mount.js";

const GPT2 = "openai-community/gpt2";
const BERT = "google-bert/bert-base-uncased";

const fields = { model: text(MINILM, 200), claim: whole(0, 0, 99) };

/** @typedef {import("../../base/fields.js").StateOf<typeof fields>} ClaimsState */

startConcept(document, () => {
  const own = codec(fields, 4);
  const figures = () => [
    {
      name: "MiniLM",
      notice: t("Three numbers that anyone can check: the model comes with the product."),
      state: own.from({}),
    },
  ];
  const request = (/** @type {Readonly<ClaimsState>} */ { model }) => ({ model });
  return { stem: "claims", ...own, served: true, request, presets: figures, build };
});

/**
 * @param {import("../frame/concept.js").Desk<ClaimsState>} desk
 * @returns {import("../frame/concept.js").Instrument<ClaimsState>}
 */
function build({ root, state, schedule }) {
  const select = /** @type {HTMLSelectElement} */ (need(root, "#model"));
  bindModelChoice(select, state, schedule);
  select.addEventListener("change", () => state.set({ model: select.value, claim: first(select.value) }, "pick"));
  const cards = mount(need(root, "#cards"), claimsView, { onPick: (claim) => state.set({ claim }, "pick") });
  const bars = mount(need(root, "#bars"), barsMark, {});

  return {
    show(value, answer) {
      select.value = value.model;
      const chosen = Math.min(value.claim, answer.claims.length - 1);
      const claim = answer.claims[chosen];
      cards({ claims: answer.claims, chosen });
      need(root, "#convention").textContent = claim.convention;
      need(root, "#source").textContent = claim.source;
      need(root, "#chosen-title").textContent = claimSays(claim);
      bars({
        title: t("Published and measured"),
        names: claim.measured === null ? [t("published")] : [t("published"), t("measured")],
        series: [
          {
            name: claimSays(claim),
            values: claim.measured === null ? [claim.published] : [claim.published, claim.measured],
          },
        ],
        most: 1,
        height: 170,
      });
      linkToExplorer(root, {
        model: claim.available ? claim.model : value.model,
        ...(claim.text && claim.kind === "token_weight" ? { text: claim.text } : {}),
        layer: claim.layer,
        head: claim.head ?? 0,
      });
      return { formulas: formulas(claim), steps: calculation(claim), table: tableOf(answer.claims, chosen) };
    },
    pictures: () => [need(root, "#bars svg")],
  };
}

/** The first claim about a model. @param {string} model */
function first(model) {
  return { [GPT2]: 3, [BERT]: 10 }[model] ?? 0;
}
