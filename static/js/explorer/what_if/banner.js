/** The banner over the charts of a changed model: its changes, and ways to undo them. */

import { withoutChange, writeChanges } from "../state/changes/changes.js";
import { changeName, placeName } from "../state/changes/change_names.js";
import { el, fill, keepingFocus, plainButton, say, smallButton } from "../../base/dom.js";
import { labelled, t } from "../../base/i18n.js";
import { drawnView } from "../../base/mount.js";
import { fixed } from "../../base/numbers.js";
import { piecesApart } from "../../wording/labels.js";
import { apartLabel } from "../../wording/token_apart.js";
import { tokenName } from "../../wording/token_name.js";
import { segmented } from "../widgets/segmented.js";
import { allNames, groupName, groupsOf } from "./change_groups.js";

/** @typedef {import("../state/changes/changes.js").Change} Change */

/**
 * @typedef {object} ChangedData
 * @property {string} written  the changes as in the URL, for comparison
 * @property {Change[]} changes
 * @property {import("../state/changes/change_names.js").Named["sides"]} sides
 * @property {0 | 1} numbering
 * @property {boolean} baseline  whether the unchanged model is shown
 * @property {boolean} canUndo
 * @property {boolean} isBehind  whether the charts still show earlier changes
 * @property {string} problem  why the changes were refused
 * @property {ReturnType<typeof import("./prediction_change.js").effectOf>} effect  on the prediction, once it is known
 * @property {import("../../api/types.js").Token[]} tokens  at which something is predicted
 */

/**
 * @typedef {object} ChangedOptions
 * @property {(changes: Change[]) => void} onChange
 * @property {() => void} onUndo
 * @property {(baseline: boolean) => void} onSide
 * @property {() => void} onCompare
 */

/**
 * @param {HTMLElement} element
 * @param {ChangedData} data
 * @param {ChangedOptions} options
 * @returns {import("../../base/mount.js").View<ChangedData>}
 */
export function changedView(element, data, { onChange, onUndo, onSide, onCompare }) {
  const words = el("p", { class: "changed-words", role: "status" });
  const effect = el("p", { class: "changed-effect", role: "status" });
  const chips = createChips(onChange);
  const undo = smallButton(t("Undo"), onUndo);
  const back = plainButton(t("Back to the unchanged model"), () => onChange([]));
  const problem = el("p", { class: "field-error", role: "alert", hidden: true });
  const sides = segmented({
    name: "side",
    legend: t("Which model the page shows"),
    choices: [
      [/** @type {"before" | "after"} */ ("before"), t("Before")],
      ["after", t("After")],
    ],
    onPick: (side) => onSide(side === "before"),
  });
  fill(
    element,
    el("div", { class: "changed-line" }, words, effect),
    el(
      "div",
      { class: "changed-line" },
      chips.list,
      undo,
      sides.element,
      plainButton(t("Side by side"), onCompare),
      back,
    ),
    problem,
  );
  element.hidden = false;
  /** @type {ChangedData["effect"]} */
  let told = null;

  /** @param {ChangedData} next */
  function draw(next) {
    const { baseline, canUndo } = next;
    say(words, wordsFor(next));
    if (next.effect !== told) fill(effect, ...effectWords(next));
    told = next.effect;
    sides.check(baseline ? "before" : "after");
    element.classList.toggle("is-before", baseline);
    const held = chips.list.contains(document.activeElement);
    chips.draw(next);
    if (held && next.changes.length === 0) back.focus();
    undo.hidden = !canUndo;
    problem.hidden = next.problem === "";
    say(problem, next.problem);
  }

  return drawnView(element, data, draw, () => (element.hidden = true));
}

/**
 * The changes as chips, of which each can be removed.
 * @param {ChangedOptions["onChange"]} onChange
 */
function createChips(onChange) {
  const list = el("ul", { class: "chips", "aria-label": t("Changes") });
  let drawn = "";
  /** What has a chip for each head although it could have one for all. */
  let split = "";
  const isSplit = (/** @type {Change[]} */ group) => group.length > 1 && split === writeChanges(group);

  /** @param {ChangedData} data */
  function draw(data) {
    const groups = groupsOf(data.changes).flatMap((group) =>
      isSplit(group) ? group.map((change) => [change]) : [group],
    );
    const named = [data.written, ...groups.map((group) => chipName(data, group))].join("\n");
    // A chip that is being pressed must not be replaced by its like.
    if (named === drawn) return;
    drawn = named;
    const onSplit = (/** @type {Change[]} */ group) => {
      split = writeChanges(group);
      draw(data);
    };
    keepingFocus(list, () => fill(list, ...groups.map((group) => chip(data, group, { onChange, onSplit }))));
  }

  return { list, draw };
}

/** @param {ChangedData} data */
function wordsFor({ isBehind, baseline, changes }) {
  if (isBehind) return t("The view below does not show these changes yet.");
  if (baseline) return t("This is the unchanged model, before your changes.");
  const isOff = changes.some(({ kind }) => kind === "off" || kind === "mean");
  return isOff
    ? t("Changed model: a head that is off keeps its weights; what it passes on is gone.")
    : t("This is a changed model: everything shown is after your changes.");
}

/**
 * What happened to the prediction, as “Mary” 0.62 → 0.08.
 * @param {ChangedData} data
 */
function effectWords({ effect, tokens, numbering }) {
  if (!effect) return [];
  if (effect.kind === "embedding") return embeddingWords(effect);
  const { kind, index } = effect;
  const token = tokens[index] ? apartLabel(tokens, tokens[index], numbering) : String(index + numbering);
  const title = {
    next_token: t("After “{token}”", { token }),
    masked_token: t("In place of “{token}”", { token }),
    class: t("Class"),
  }[kind];
  const names = piecesApart(effect.tokens, kind === "class");
  return [
    el("span", { class: "note" }, labelled(title)),
    ...effect.tokens.map(({ before, after }, index) => {
      const numbers = t("{before} → {after}", { before: fixed(before, 2), after: fixed(after, 2) });
      return el("span", { class: "changed-token" }, tokenName(names[index]), " ", el("strong", {}, numbers));
    }),
  ];
}

/**
 * What happened to the embedding, of a model that predicts nothing.
 * @param {import("./prediction_change.js").EmbeddingEffect} effect
 */
function embeddingWords({ before, after, cosine }) {
  const said = { before: fixed(before, 2), after: fixed(after, 2) };
  return [
    el("span", { class: "note" }, labelled(t("Embedding of the text"))),
    el("span", { class: "changed-token" }, t("length"), " ", el("strong", {}, t("{before} → {after}", said))),
    el("span", { class: "changed-token" }, t("cosine with before"), " ", el("strong", {}, fixed(cosine, 3))),
  ];
}

/** @param {ChangedData} data @param {Change[]} group */
function namesOf({ sides, numbering }, group) {
  const [first] = group;
  const where = group.length > 1 ? groupName(group, numbering) : placeName(first, numbering);
  return { where, what: changeName(first, { sides, numbering }) };
}

/** @param {ChangedData} data @param {Change[]} group */
function chipName(data, group) {
  const { where, what } = namesOf(data, group);
  return `${where}, ${what}`;
}

/**
 * One change, or one of many heads; then it can be split into a chip for each.
 * @param {ChangedData} data
 * @param {Change[]} group
 * @param {{onChange: ChangedOptions["onChange"], onSplit: (group: Change[]) => void}} options
 */
function chip(data, group, { onChange, onSplit }) {
  const { where, what } = namesOf(data, group);
  const remove = el(
    "button",
    {
      type: "button",
      class: "chip-remove",
      title: t("Remove"),
      "aria-label": t("Remove: {name}", { name: chipName(data, group) }),
      onclick: () => onChange(group.reduce(withoutChange, [...data.changes])),
    },
    "×",
  );
  const heads = group.length > 1 ? allNames(group, data.numbering) : "";
  const name = heads
    ? el("button", { type: "button", class: "chip-heads", title: heads, onclick: () => onSplit(group) }, where)
    : el("span", {}, where);
  return el("li", { class: "chip" }, name, " ", el("bdi", { class: "chip-what" }, what), remove);
}
