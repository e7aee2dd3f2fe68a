/** Check typed numbers against those expected, and say what is missing: an answer, a number, a digit. */

import { fixed } from "../../base/numbers.js";
import { labelled, sentences, t } from "../../base/i18n.js";

/**
 * What a typed number is. `rounded`: right to the digits written, two decimals or more; it counts as right. `short`:
 * right to the digits written, of which there are too few; `near`: a slip of calculation away.
 * @typedef {"empty" | "unreadable" | "wrong" | "near" | "short" | "rounded" | "right"} Verdict
 */

/** @typedef {{labels: string[], expected: number[], tolerance: number}} Asked */

const NEAR = 0.02;
/** Where the exact number is asked, only large ones can be nearly right. */
const LARGE = 1000;

/**
 * A number as people write it: 0.5, .5, −3, 1/3, 1,048,576.
 * @param {string} typed
 * @returns {number}  NaN for what is none
 */
export function readNumber(typed) {
  const plain = plainNumber(typed);
  const [above, below, ...rest] = plain.split("/");
  if (plain === "" || rest.length > 0 || above === "" || below === "") return NaN;
  return below === undefined ? Number(above) : Number(above) / Number(below);
}

/** @param {string} typed */
function plainNumber(typed) {
  const plain = typed.normalize("NFKC").replace(/[−ー]/g, "-").replace(/\s/g, "");
  return /^-?\d{1,3}(,\d{3})+(\.\d+)?$/.test(plain) ? plain.replaceAll(",", "") : plain;
}

/** A hundredth of a number, with its digits: 27.5 is 0.275. @param {string} percent */
function hundredth(percent) {
  const value = readNumber(percent) / 100;
  const decimals = /^-?\d*\.?(\d*)$/.exec(plainNumber(percent))?.[1];
  if (!Number.isFinite(value)) return percent;
  return decimals === undefined ? String(value) : value.toFixed(decimals.length + 2);
}

/**
 * @param {string} typed
 * @param {number} expected
 * @param {number} tolerance  0: the exact number
 * @returns {Verdict}
 */
export function judge(typed, expected, tolerance) {
  const percent = /^([^%]+)%\s*$/.exec(typed.normalize("NFKC"))?.[1];
  // 27% of what is at most 1 is 0.27; where per cent are asked for it is 27.
  if (percent) return judge(Math.abs(expected) > 1 ? percent : hundredth(percent), expected, tolerance);
  if (typed.trim() === "") return "empty";
  const value = readNumber(typed);
  if (!Number.isFinite(value)) return "unreadable";
  const off = Math.abs(value - expected);
  // A typed 0.805 is within 0.0006 of 0.8044, whatever binary fractions make of it.
  if (off <= tolerance * (1 + 1e-9)) return "right";
  if (tolerance === 0) return Math.abs(expected) >= LARGE && off <= NEAR * Math.abs(expected) ? "near" : "wrong";
  const [, decimals = ""] = /^-?\d*\.(\d+)$/.exec(plainNumber(typed)) ?? [];
  if (value !== 0 && off <= 0.5 * 10 ** -decimals.length * (1 + 1e-9)) {
    const digits = plainNumber(typed).replace(/[-.]/g, "").replace(/^0+/, "");
    if (decimals.length >= 2 && digits.length >= 2) return "rounded";
    if (decimals.length > 0) return "short";
  }
  return off <= Math.max(3 * tolerance, NEAR * Math.abs(expected)) ? "near" : "wrong";
}

/** @param {Verdict} verdict */
export function isRight(verdict) {
  return verdict === "right" || verdict === "rounded";
}

/**
 * The expected numbers with the digits they are written with.
 * @param {readonly number[]} expected
 * @param {readonly number[]} [values]  others with as many digits
 */
export function written(expected, values = expected) {
  return values.map((value, index) => fixed(value, (String(expected[index]).split(".")[1] ?? "").length)).join(", ");
}

/**
 * What to tell about an answer. Numbers are named by their labels where there are several.
 * @param {readonly Verdict[]} verdicts
 * @param {Asked} asked
 * @param {readonly import("./slips.js").Recognised[]} [slips]  behind the wrong numbers
 * @returns {string}
 */
export function verdictText(verdicts, { labels, expected, tolerance }, slips = []) {
  const total = verdicts.length;
  const count = verdicts.filter(isRight).length;
  const explained = new Set(slips.flatMap(({ places }) => places));
  const named = (/** @type {Verdict} */ kind) =>
    labels.filter((_, index) => verdicts[index] === kind && !explained.has(index)).join(", ");
  if (count === total) {
    const rounded = expected.filter((_, index) => verdicts[index] === "rounded");
    return rounded.length > 0 ? t("Right, rounded: {numbers}.", { numbers: written(rounded) }) : t("Right.");
  }
  if (total === 1) return slips[0]?.says ?? aloneText(verdicts[0], tolerance);
  if (verdicts.every((verdict) => verdict === "empty")) return aloneText("empty", tolerance);
  const says = [
    count > 0 ? t("{count} of {total} are right.", { count, total }) : "",
    ...slips.map(({ says, places }) =>
      places.length + count === total ? says : labelled(places.map((place) => labels[place]).join(", "), says),
    ),
    named("empty") && t("Still empty: {labels}.", { labels: named("empty") }),
    named("unreadable") && t("Not a number: {labels}. Write 0.25, 1/4 or −3.", { labels: named("unreadable") }),
    named("short") && t("Too few digits: {labels}.", { labels: named("short") }),
    named("near") && t("Nearly right: {labels}.", { labels: named("near") }),
  ];
  return sentences(says) || aloneText("wrong", tolerance);
}

/**
 * @param {Verdict} verdict  of the only number, or of all
 * @param {number} tolerance
 */
function aloneText(verdict, tolerance) {
  if (verdict === "empty") return t("Nothing is entered yet.");
  if (verdict === "unreadable") return t("That is not a number. Write 0.25, 1/4 or −3.");
  if (verdict === "short") return t("Right so far, but too few digits: give two decimals or more.");
  if (verdict === "near") {
    return tolerance > 0
      ? t("Nearly right: look for a slip, or for a step that was rounded too early.")
      : t("Nearly right: the exact number is asked for.");
  }
  return t("Not yet. Try again, or look at the solution.");
}
