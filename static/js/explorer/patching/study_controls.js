/** The choices of a patching study: what is patched where, and where the answer is predicted. */

import { el, smallButton } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { headCode } from "../../wording/labels.js";
import { numberedLabel } from "../../wording/token_apart.js";
import { whatName } from "./words.js";

/** @typedef {import("../state/view_state.js").ViewState} ViewState */
/** @typedef {import("../../api/types.js").Token} Token */

/**
 * Which study it is, and what is patched.
 * @param {import("./inputs.js").InputsData} data
 * @param {(patch: Partial<ViewState>) => void} onSet
 */
export function studyControls({ value, pathHead }, onSet) {
  const { paths, patched, via, numbering } = value;
  const isBetweenHeads = paths === "sender" || paths === "receiver";
  const fixed = headCode(pathHead.layer, pathHead.head, numbering);
  const chosen = headCode(value.layer, value.head, numbering);
  return [
    choice("patching-study", t("Study"), paths, studies(fixed, isBetweenHeads), (written) =>
      onSet({ paths: pathsNamed(written), ...(isBetweenHeads ? {} : { pathHead: "" }) }),
    ),
    isBetweenHeads &&
      smallButton(
        t("Use the chosen head {head}", { head: chosen }),
        () => onSet({ pathHead: `${value.layer}.${value.head}` }),
        { "data-key": "use-head", disabled: fixed === chosen },
      ),
    isBetweenHeads &&
      choice("patching-via", t("Through its"), via, namedEach("queries", "keys", "values"), (written) =>
        onSet({ via: viaNamed(written) }),
      ),
    paths === "" &&
      choice(
        "patching-what",
        t("Patched"),
        patched,
        namedEach("output", "queries", "keys", "values", "pattern", "residual"),
        (written) => onSet({ patched: whatNamed(written) }),
      ),
  ];
}

/**
 * Where it is patched, and into which run: most studies begin with what is chosen already.
 * @param {import("./inputs.js").InputsData} data
 * @param {(patch: Partial<ViewState>) => void} onSet
 */
export function placeControls({ value, tokens }, onSet) {
  const { paths, patched, places, patchedAt, noising, numbering } = value;
  const isByHead = paths === "" && patched !== "residual" && places === "head";
  return [
    paths !== "" &&
      choice(
        "patching-feed-forward",
        t("Feed-forward layers"),
        value.heldFeedForward ? "held" : "",
        [
          ["", t("computed anew")],
          ["held", t("held")],
        ],
        (written) => onSet({ heldFeedForward: written === "held" }),
      ),
    paths === "" &&
      patched !== "residual" &&
      choice(
        "patching-places",
        t("By"),
        places,
        [
          ["head", t("head")],
          ["position", t("position")],
        ],
        (written) => onSet({ places: written === "position" ? "position" : "head" }),
      ),
    isByHead &&
      choice(
        "patching-at",
        t("At"),
        patchedAt === null ? "" : String(patchedAt),
        [["", t("all positions")], ...positions(tokens, numbering)],
        (written) => onSet({ patchedAt: indexOf(written) }),
      ),
    choice(
      "patching-direction",
      t("Direction"),
      noising ? "noising" : "denoising",
      [
        ["denoising", t("denoising: clean into corrupt")],
        ["noising", t("noising: corrupt into clean")],
      ],
      (written) => onSet({ noising: written === "noising" }),
    ),
  ];
}

/**
 * Where the answer is predicted.
 * @param {import("./inputs.js").InputsData} data
 * @param {(patch: Partial<ViewState>) => void} onSet
 */
export function answerPlaceControl({ value: { answerAt, numbering }, predicting }, onSet) {
  return choice(
    "patching-answer-at",
    t("Predicted at"),
    answerAt === null ? "" : String(answerAt),
    [["", t("last or masked token")], ...positions(predicting, numbering)],
    (written) => onSet({ answerAt: indexOf(written) }),
  );
}

/**
 * @param {string} id
 * @param {string} label
 * @param {string} value
 * @param {[string, string][]} options
 * @param {(value: string) => void} onPick
 */
function choice(id, label, value, options, onPick) {
  const select = el(
    "select",
    { id, "data-key": id },
    ...options.map(([key, name]) => el("option", { value: key, selected: key === value }, name)),
  );
  select.addEventListener("change", () => onPick(select.value));
  return el("span", { class: "patching-control" }, el("label", { for: id }, label), select);
}

/**
 * @param {Token[]} tokens
 * @param {0 | 1} numbering
 * @returns {[string, string][]}
 */
function positions(tokens, numbering) {
  return tokens.map((token) => [String(token.index), numberedLabel(token, numbering)]);
}

/** @param {string} written */
function indexOf(written) {
  return written === "" ? null : Number(written);
}

/**
 * @param {string} head
 * @param {boolean} isFixed
 * @returns {[string, string][]}
 */
function studies(head, isFixed) {
  return [
    ["", t("activation patching")],
    ["logits", t("paths: heads → logits")],
    ["sender", isFixed ? t("paths: {head} → heads", { head }) : t("paths: chosen head → heads")],
    ["receiver", isFixed ? t("paths: heads → {head}", { head }) : t("paths: heads → chosen head")],
  ];
}

/** @param {...import("./words.js").What} whats  @returns {[string, string][]} */
function namedEach(...whats) {
  return whats.map((what) => [what, whatName(what)]);
}

/** @param {string} written */
function pathsNamed(written) {
  return /** @type {ViewState["paths"]} */ (written);
}

/** @param {string} written */
function viaNamed(written) {
  return /** @type {ViewState["via"]} */ (written);
}

/** @param {string} written */
function whatNamed(written) {
  return /** @type {ViewState["patched"]} */ (written);
}
