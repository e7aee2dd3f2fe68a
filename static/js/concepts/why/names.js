/** Words and features of the Japanese examples, as they are shown. */

import { t } from "../../base/i18n.js";

/** What the words mean, for those who do not read them. @type {Record<string, string>} */
const MEANINGS = {
  吾輩: "I",
  は: "topic",
  猫: "cat",
  で: "as",
  ある: "be",
  名前: "name",
  まだ: "yet",
  ない: "not",
};

/** A word with its meaning; without one on a Japanese page. @param {string} word */
export function glossed(word) {
  const meaning = document.documentElement.lang === "ja" ? undefined : MEANINGS[word];
  return meaning === undefined ? word : `${word} ${meaning}`;
}

/** The feature's name in the reader's language. @param {string} name  the API's */
export function featureName(name) {
  /** @type {Record<string, string>} */
  const names = {
    "the speaker": t("speaker"),
    "an animal": t("animal"),
    being: t("being"),
    "the topic": t("topic"),
    someone: t("someone"),
    "of a kind": t("kind"),
    "belongs to someone": t("belongs"),
  };
  return names[name] ?? name;
}
