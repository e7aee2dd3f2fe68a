/** What the Explorer's export menu offers for what is shown, and how each file is made. */

import { getExport } from "./api_files.js";
import { t } from "./i18n.js";
import { headName, stageName, viewName } from "./labels.js";
import { groupsShown } from "./measure_groups.js";
import { download, pngFile, svgFile } from "./picture_file.js";
import { withOutput } from "./saving_output.js";
import { fit, partOf } from "./selection.js";
import { snapshot } from "./snapshot.js";
import { isStale, outOfDate } from "./standing.js";
import { exportMenuView } from "./views/export_menu.js";
import { mount } from "./views/mount.js";

/** @typedef {import("./types.js").Analysis} Analysis */
/** @typedef {import("./types.js").ViewName} ViewName */
/** @typedef {import("./types.js").ViewState} ViewState */
/** @typedef {import("./views/export_menu.js").ExportGroup} ExportGroup */
/** @typedef {import("./views/export_menu.js").Tools} Tools */

/** What of each view belongs into a picture: not what one operates it with. @type {Record<ViewName, string>} */
const BLOCKS = {
  matrix: ".matrix-column > .axes, #matrix, #legend, #reads",
  lines: ".series, .lines, .lines + .note, .lines-readout",
  vectors: ".vectors-title, .vectors-strips, .vectors-sum, .plane-title, .plane-legend, .plane-frame",
  token: ".token-title, .axes, .token-grid, .token-readout",
  rollout:
    ".rollout-title, .rollout-heading, .rollout .axes, .rollout-whole .axes, .matrix-frame, .legend, .rollout-readout, .rollout-tokens",
  output:
    ".output-chooser .token-title, .output-chips, .lens-table, .shares-map, .shares-list, .effect-columns, .attribution-output, .attribution-map > .output-title, .attribution-map > .axes, .attribution-map > .matrix, .attribution-map > .legend",
  heads: ".heads-table",
  compare: ".compare-results .axes, .compare-maps",
};
const GRID = "#grid-axes, .grid-frame, #grid-readout";
const EXCERPT = 90;

/**
 * @param {Document} root
 * @param {import("./store.js").Store<ViewState>} state
 * @param {import("./session.js").Session} session
 * @param {import("./standing_page.js").StandingStore} standing
 */
export function bindExporting(root, state, session, standing) {
  const element = /** @type {HTMLDetailsElement | null} */ (root.querySelector("#export")); // not in a frame
  if (!element) return;
  const show = mount(element, exportMenuView, {});
  let shown = "";
  state.subscribe(render);
  session.progress.subscribe(render);
  standing.subscribe(render);
  element.addEventListener("toggle", render);
  show({ groups: [] });

  function render() {
    const { analysis } = session.progress.get();
    if (!element?.open || !analysis) return;
    const value = { ...state.get(), ...fit(analysis, state.get()) };
    const key = JSON.stringify([analysis.id, value, standing.get()]);
    if (key === shown) return;
    shown = key;
    const obstacle = isStale(standing.get()) ? outOfDate(standing.get()) : "";
    const groups = [...pictures(root, value, analysis), ...numbers(session, value, analysis)];
    show({ groups: groups.map((group) => ({ ...group, obstacle: obstacle || group.obstacle })) });
  }
}

/**
 * @param {Document} root
 * @param {ViewState} value
 * @param {Analysis} analysis
 * @returns {ExportGroup[]}
 */
function pictures(root, value, analysis) {
  const name = headName(value.layer, value.head, value.numbering);
  const ofAll = ["heads", "token", "rollout", "output"].includes(value.view);
  const shown = value.view === "matrix" ? stageName(value.stage) : viewName(value.view);
  const title = ofAll ? shown : `${name} · ${shown}`;
  const view = { selector: `#panel-${value.view} :is(${BLOCKS[value.view]})`, title, file: fileName(value, analysis) };
  const grid = { selector: GRID, title: t("Every head"), file: `${slug(modelOf(analysis).id)}-every-head` };
  return [
    pictureGroup(t("This view: {view}", { view: viewName(value.view) }), view),
    pictureGroup(t("Every head"), grid),
  ];

  /**
   * @param {string} heading
   * @param {{selector: string, title: string, file: string}} what
   * @returns {ExportGroup}
   */
  function pictureGroup(heading, what) {
    const make = () => drawing(root, what.selector, { title: what.title, note: noteOn(value, analysis) });
    const spoken = t("{what} as a picture", { what: what.title });
    return {
      title: heading,
      note: what === view ? t("With title and axes, in the theme shown; in SVG words and labels stay text.") : "",
      obstacle: "",
      choices: [
        { name: "PNG", spoken, run: async () => download(await pngFile(await make()), `${what.file}.png`) },
        { name: "SVG", spoken, run: async () => download(svgFile(await make()), `${what.file}.svg`) },
      ],
    };
  }
}

/**
 * @param {Document} root
 * @param {string} selector
 * @param {{title: string, note: string}} words
 */
async function drawing(root, selector, words) {
  await new Promise((resolve) => requestAnimationFrame(resolve)); // what is said about it is seen first
  const blocks = [...root.querySelectorAll(selector)].filter((block) => {
    const { width, height } = block.getBoundingClientRect();
    return block.checkVisibility() && width > 0 && height > 0;
  });
  if (blocks.length === 0) throw new Error(t("There is nothing to draw yet."));
  return snapshot(blocks, words);
}

/**
 * @param {import("./session.js").Session} session
 * @param {ViewState} value
 * @param {Analysis} analysis
 * @returns {ExportGroup[]}
 */
function numbers(session, value, analysis) {
  const { layer, head, stage, rows, cols, query, key, lang, numbering } = value;
  const shown = partOf(analysis, value.part);
  const part = shown.name;
  const measures = groupsShown(analysis, shown, value).includes("random") ? "random" : null;
  const one = { part, layer, head, stage, rows, cols };
  const fetched =
    (/** @type {Record<string, string | number | null>} */ wanted) => async (/** @type {Tools} */ tools) => {
      const { file, name } = await session.ask((id) => getExport(id, wanted, tools));
      const isPage = wanted.format === "html" && value.view === "output";
      download(isPage ? await withOutput(file, session, value, analysis) : file, name);
    };
  const name = `${headName(layer, head, value.numbering)}, ${stageName(stage)}`;
  const every = t("all");
  const said = { rows: rows || every, cols: cols || every };
  const window = rows || cols ? t("queries {rows}, keys {cols}", said) : "";
  const file = (/** @type {string} */ format, /** @type {string} */ spoken, /** @type {object} */ wanted) => ({
    ...{ name: format.toUpperCase(), spoken, run: fetched({ ...wanted, format }) },
  });
  const place = { query, key, numbering, measures };
  const language = lang || document.documentElement.lang;
  return [
    {
      title: t("Numbers of this head"),
      note: [name, window].filter(Boolean).join(" · "),
      obstacle: "",
      choices: ["csv", "json", "npz"].map((format) => file(format, name, one)),
    },
    {
      title: t("Numbers of all heads"),
      note: t("Also tokens, metrics and the small pictures; it can be uploaded here again."),
      obstacle: "",
      choices: [file("npz", t("all heads"), { part, stage })],
    },
    {
      title: t("A page that works offline"),
      note: t("One file with every head, numbers on pointing, and zoom; it needs no network and no server."),
      obstacle: "",
      choices: [file("html", t("A page that works offline"), { ...one, ...place, lang: language })],
    },
  ];
}

/**
 * @param {ViewState} value
 * @param {Analysis} analysis
 */
function noteOn({ text, changes }, analysis) {
  const said = text.length > EXCERPT ? `${text.slice(0, EXCERPT)} …` : text;
  const changed = changes === "" ? "" : ` · ${t("with changes inside the model")}`;
  return `${modelOf(analysis).title}${said ? ` · ${said}` : ""}${changed}`.replace(/\s+/g, " ");
}

/** @param {Analysis} analysis */
function modelOf({ model }) {
  return typeof model === "string" ? { id: model, title: model } : model;
}

/**
 * The same scheme as the server's: model, layer, head, and what of it.
 * @param {ViewState} value
 * @param {Analysis} analysis
 */
function fileName({ layer, head, view, stage }, analysis) {
  return `${slug(modelOf(analysis).id)}-layer${layer}-head${head}-${slug(view === "matrix" ? stage : view)}`;
}

/** @param {string} name */
function slug(name) {
  return (name.split("/").at(-1) ?? "").replace(/[^A-Za-z0-9.]+/g, "-");
}
