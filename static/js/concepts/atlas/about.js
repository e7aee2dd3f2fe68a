/** What an atlas is of, what it cannot say, and how it is taken along. */

import { el, fill, plainButton, smallButton } from "../../base/dom.js";
import { bytes, grouped } from "../../base/numbers.js";
import { t } from "../../base/i18n.js";
import { exportPath } from "../../api/atlases.js";
import { placed } from "../../base/place.js";
import { download } from "../../base/picture_files.js";
import { drawnView } from "../../base/mount.js";

/** @typedef {import("./state.js").AtlasView} AtlasView */
/** @typedef {import("../../api/atlases.js").AtlasFacts} AtlasFacts */
/** @typedef {import("./quantities.js").HeadTable} HeadTable */

/** One line beside the choice of the atlas. @param {import("./state.js").AtlasData} data */
export function factsLine({ answer: { facts } }) {
  if (!facts) return "";
  return t("{documents} documents, {tokens} tokens", {
    documents: grouped(facts.documents),
    tokens: grouped(facts.tokens),
  });
}

/** @type {AtlasView} */
export const factsView = drawnFor(({ facts }) => {
  const rows = [
    [t("Model"), facts.model_title],
    [t("Corpus"), facts.corpus],
    [t("Documents"), grouped(facts.documents)],
    [
      t("Tokens"),
      `${grouped(facts.tokens)}${facts.max_tokens ? ` (${t("at most {count}", { count: grouped(facts.max_tokens) })})` : ""}`,
    ],
    [
      t("Windows"),
      t("{count}, of at most {tokens} tokens", { count: grouped(facts.windows), tokens: facts.window_tokens }),
    ],
    [
      t("Heads"),
      facts.parts.map(({ layers, heads }) => t("{layers} layers × {heads} heads", { layers, heads })).join("; "),
    ],
    [t("Annotated with"), annotations(facts)],
    [t("Skipped"), skippedSays(facts)],
    [t("Size of the folder"), bytes(facts.nbytes)],
  ];
  return rows.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)));
});

/** @param {AtlasFacts} facts */
function annotations({ has_relations: relations, has_upos: upos }) {
  const annotations = [relations && t("dependency relations"), upos && t("parts of speech")].filter(Boolean);
  return annotations.join(", ") || t("nothing");
}

/** @param {AtlasFacts} facts */
function skippedSays({ skipped, left_out_characters: characters }) {
  const skips = [
    skipped > 0 && t("{count} malformed lines", { count: grouped(skipped) }),
    characters > 0 && t("{count} characters that alone exceed a window", { count: grouped(characters) }),
  ].filter(Boolean);
  return skips.join(", ") || t("nothing");
}

/** What the numbers do not say. @type {AtlasView} */
export const caveatsView = drawnFor(({ facts }) => {
  const isCausal = facts.parts.some(({ causal }) => causal);
  const words = [
    facts.kind === "encoder_decoder" &&
      t(
        "Of an encoder–decoder model only the encoder is scanned: what its decoder attends to depends on a target text.",
      ),
    t("Attention is not explanation: a large weight says where a head reads, not what the model makes of it."),
    t("Many heads rest on the first token or a separator when they have nothing to do. Such sinks can be set aside."),
    t("The strongest examples are extremes. The samples from every tenth show what a head usually does."),
    facts.corpus.toLowerCase().includes("probe") &&
      t(
        "The probe corpus is made by a grammar: its relations are certain, but its sentences are simpler than those people write.",
      ),
    isCausal &&
      t("A causal model cannot attend ahead: relations whose answer comes later are impossible for it, not unlearned."),
  ];
  return words.flatMap((text) => (text ? [el("li", {}, text)] : []));
});

/** @type {AtlasView} */
export const takeAlongView = drawnFor(({ facts, table }) => {
  const save = () => download(new Blob([csvOf(table)], { type: "text/csv" }), `heads-${facts.id}.csv`);
  const code = snippet(facts.id);
  const status = el("span", { class: "note", role: "status" });
  const copy = () =>
    navigator.clipboard.writeText(code).then(
      () => void (status.textContent = t("Copied.")),
      () => void (status.textContent = t("The browser does not allow copying.")),
    );
  return [
    el(
      "p",
      { class: "buttons" },
      el(
        "a",
        { class: "button", href: placed(exportPath(facts.id)), download: `atlas-${facts.id}.zip`, "data-served": "" },
        t("Folder (zip)"),
      ),
      plainButton(t("Table of heads (CSV)"), save),
    ),
    el(
      "p",
      { class: "note" },
      t("The folder holds Parquet files and one JSON file. They open with DuckDB, pandas or Polars:"),
    ),
    el(
      "pre",
      { class: "call is-code", tabindex: 0, role: "region", "aria-label": t("Code"), translate: "no" },
      el("code", {}, code),
    ),
    el(
      "p",
      { class: "buttons" },
      smallButton(t("Copy code"), () => void copy()),
      status,
    ),
  ];
});

/** @param {string} id */
export function snippet(id) {
  return [
    `# unzip atlas-${id}.zip -d atlas`,
    "import duckdb",
    "",
    "# the heads that attend most to the previous token",
    'print(duckdb.sql("""',
    "    SELECT part, layer, head, previous_token, entropy",
    '    FROM \'atlas/heads.parquet\' ORDER BY previous_token DESC LIMIT 10"""))',
    "",
    "# relations in which a head beats the best fixed offset by most",
    'print(duckdb.sql("""',
    "    SELECT relation, direction, layer, head, accuracy, baseline_accuracy",
    "    FROM 'atlas/relations.parquet'",
    '    ORDER BY accuracy - baseline_accuracy DESC LIMIT 10"""))',
    "",
    "# the same tables: pandas.read_parquet(…), polars.read_parquet(…)",
  ].join("\n");
}

/** All heads with all their quantities. @param {HeadTable} table */
export function csvOf(table) {
  const quantities = table.quantities.filter(({ group }) => group !== "place");
  const quoted = (/** @type {string} */ text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = Array.from({ length: table.count }, (_, index) => {
    const { part, layer, head } = table.at(index);
    return [part, layer, head, ...quantities.map(({ values }) => values[index] ?? "")].join(",");
  });
  return [["part", "layer", "head", ...quantities.map(({ id }) => quoted(id))].join(","), ...lines, ""].join("\n");
}

/**
 * A view that is drawn anew for another atlas.
 * @param {(shown: {facts: AtlasFacts, table: HeadTable}) => Node[]} content
 * @returns {AtlasView}
 */
function drawnFor(content) {
  return (element, data) => {
    /** @type {unknown} */
    let drawn = null;
    /** @param {import("./state.js").AtlasData} next */
    function update({ answer: { facts, table } }) {
      if (!facts || !table || table === drawn) return;
      drawn = table;
      fill(element, ...content({ facts, table }));
    }
    return drawnView(element, data, update);
  };
}
