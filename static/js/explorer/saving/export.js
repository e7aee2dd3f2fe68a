/** The entries of the export menu for the current view, and how each file is made. */

import { getExport } from "../../api/export_files.js";
import { fileName, gridCaptionOf, gridFileName, withSide } from "./captions.js";
import { sentences, t } from "../../base/i18n.js";
import { headName, stageName } from "../../wording/labels.js";
import { viewName } from "../state/view_names.js";
import { groupsShown } from "../state/measures/measure_groups.js";
import { download, pngFile, svgFile } from "../../base/picture_files.js";
import { printImage } from "../../page/print_image.js";
import { pageGround } from "../../base/theme/theme.js";
import { DEFAULT_OPTIONS, groundColor, imageOptionsView } from "./image_options.js";
import { el } from "../../base/dom.js";
import { hasStudy, withView } from "./file_records.js";
import { fit, partOf } from "../state/selection.js";
import { createPosting } from "../data/analysis_request.js";
import { patchingFiles } from "./patching_files.js";
import { drawing, viewPicture } from "./view_picture.js";
import { isStale, outOfDate } from "../state/freshness.js";
import { exportMenuView } from "./export_menu.js";
import { mount } from "../../base/mount.js";

/** @typedef {import("../../api/types.js").Analysis} Analysis */
/** @typedef {import("../state/view_state.js").ViewName} ViewName */
/** @typedef {import("../state/view_state.js").ViewState} ViewState */
/** @typedef {import("./export_menu.js").ExportGroup} ExportGroup */
/** @typedef {import("./export_menu.js").Tools} Tools */

const GRID = "#grid-axes, .grid-frame, #grid-readout";

/**
 * @param {HTMLDetailsElement} element  the menu
 * @param {object} page
 * @param {import("../../base/store.js").Store<ViewState>} page.state
 * @param {import("../data/session.js").Session} page.session
 * @param {import("../state/freshness.js").FreshnessStore} page.freshness
 * @param {import("../data/images.js").GivenImages} page.images
 */
export function bindExporting(element, { state, session, freshness, images }) {
  const post = createPosting(images);
  const root = element.ownerDocument;
  const settings = el("fieldset", { class: "image-options" });
  const show = mount(element, exportMenuView, { settings });
  /** @type {import("./image_options.js").ImageOptions} */
  let options = DEFAULT_OPTIONS;
  const showOptions = mount(settings, imageOptionsView, { onChange: (changed) => void (options = changed) });
  let shown = "";
  state.subscribe(() => render());
  session.progress.subscribe(() => render());
  freshness.subscribe(() => render(shown !== "")); // a menu that is closed may be opened before it is drawn anew
  element.addEventListener("toggle", () => render());
  show({ groups: [], obstacle: "" });
  render();

  function render(isDue = element.open) {
    const { analysis } = session.progress.get();
    if (!isDue || !analysis) return;
    showOptions(options);
    const value = { ...state.get(), ...fit(analysis, state.get()) };
    const key = JSON.stringify([analysis.id, value, freshness.get()]);
    if (key === shown) return;
    shown = key;
    const obstacle = isStale(freshness.get()) ? outOfDate(freshness.get()) : "";
    const groups = [
      ...pictures({ root, state, session, freshness, optionsOf: () => options }, value, analysis),
      ...numbers(session, post, value, analysis),
    ];
    show({ groups, obstacle });
  }
}

/**
 * @param {object} page
 * @param {Document} page.root
 * @param {import("../../base/store.js").Store<ViewState>} page.state
 * @param {import("../data/session.js").Session} page.session
 * @param {import("../state/freshness.js").FreshnessStore} page.freshness
 * @param {() => import("./image_options.js").ImageOptions} page.optionsOf
 * @param {ViewState} value
 * @param {Analysis} analysis
 * @returns {ExportGroup[]}
 */
function pictures({ root, state, session, freshness, optionsOf }, value, analysis) {
  const view = { ...viewPicture(value, analysis), file: fileName(value, analysis) };
  const grid = {
    selector: GRID,
    title: t("All heads"),
    file: gridFileName(value, analysis),
    note: gridCaptionOf(value, analysis),
  };
  const isCurrent = () => !isStale(freshness.get()) && session.progress.get().analysis === analysis;
  return [
    pictureGroup(t("This view: {view}", { view: viewName(value.view) }), view),
    pictureGroup(t("All heads"), grid),
  ];

  /**
   * @param {string} heading
   * @param {{selector: string, title: string, file: string, note: string}} what
   * @returns {ExportGroup}
   */
  function pictureGroup(heading, what) {
    const titleOf = () => optionsOf().title || what.title;
    const make = (/** @type {Tools} */ { signal }) => {
      const words = { title: titleOf(), note: what.note };
      const { ground } = optionsOf();
      const draw = () =>
        drawing(root, what.selector, words, { ground: groundColor(ground, pageGround().color), isCurrent, signal });
      return ground === "white" && pageGround().isDark ? inLightTheme(state, draw) : draw();
    };
    const asPng = async (/** @type {Tools} */ tools) =>
      download(await pngFile(await make(tools), optionsOf().width), `${what.file}.png`);
    const asSvg = async (/** @type {Tools} */ tools) => download(svgFile(await make(tools)), `${what.file}.svg`);
    const asPdf = async (/** @type {Tools} */ tools) => {
      printImage(await make(tools), titleOf());
      return t("PDF: choose “Save as PDF” in the print dialog.");
    };
    const spoken = t("{what} as an image", { what: what.title });
    return {
      title: heading,
      note: what === view ? t("With title and axes, in the current theme; in SVG, labels stay text.") : "",
      obstacle: "",
      isImage: true,
      choices: [
        { name: "PNG", spoken, run: asPng },
        { name: "SVG", spoken, run: asSvg },
        { name: "PDF", spoken, run: asPdf },
      ],
    };
  }
}

/**
 * White is for dark ink: for as long as the image is drawn, a dark page takes the light theme.
 * @template T
 * @param {import("../../base/store.js").Store<ViewState>} state
 * @param {() => Promise<T>} draw
 * @returns {Promise<T>}
 */
async function inLightTheme(state, draw) {
  const { theme } = state.get();
  state.set({ theme: "paper" }, "settle");
  try {
    // The page is drawn anew in the next frame, its sheets and canvases by the one after it.
    for (let frame = 0; frame < 2; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
    return await draw();
  } finally {
    state.set({ theme }, "settle");
  }
}

/**
 * @param {import("../data/session.js").Session} session
 * @param {import("./patching_files.js").Post} post
 * @param {ViewState} value
 * @param {Analysis} analysis
 * @returns {ExportGroup[]}
 */
function numbers(session, post, value, analysis) {
  const { layer, head, stage, rows, cols, query, key, lang, numbering } = value;
  const shown = partOf(analysis, value.part);
  const part = shown.name;
  const measures = groupsShown(analysis, shown, value).includes("random") ? "random" : null;
  const view = { part, layer, head, stage, rows, cols };
  const fetched =
    (/** @type {Record<string, string | number | null>} */ wanted) => async (/** @type {Tools} */ tools) => {
      const { file, name } = await session.ask(analysis.id, (id) => getExport(id, wanted, tools));
      if (wanted.format !== "html") return download(file, withSide(name, value));
      // It opens with this view, and holds the whole head.
      const page = await withView(file, { session, post }, value, analysis, tools.signal);
      download(page, `${fileName({ ...value, rows: "", cols: "" }, analysis)}.html`);
    };
  const name = `${headName(layer, head, value.numbering)}, ${stageName(stage)}`;
  const every = t("all");
  const said = { rows: rows || every, cols: cols || every };
  const window = rows || cols ? t("queries {rows}, keys {cols}", said) : "";
  const file = (/** @type {string} */ format, /** @type {string} */ spoken, /** @type {object} */ wanted) => ({
    name: format.toUpperCase(),
    spoken,
    run: fetched({ ...wanted, format }),
  });
  const place = { query, key, numbering, measures };
  const language = lang || document.documentElement.lang;
  return [
    ...(value.view === "patching" ? [patchingFiles(value, analysis, post)] : []),
    {
      title: t("Numbers of this head"),
      note: [name, window].filter(Boolean).join(" · "),
      obstacle: "",
      choices: ["csv", "json", "npz"].map((format) => file(format, name, view)),
    },
    {
      title: t("Numbers of all heads"),
      note: t("With tokens, metrics and thumbnails; it can be uploaded here again."),
      obstacle: "",
      choices: [file("npz", t("all heads"), { part, stage })],
    },
    {
      title: t("A page that works offline"),
      note: sentences([
        t(
          "One file with a thumbnail of every head and the values of this one (of all heads if they are few), with zoom; it needs no network and no server.",
        ),
        value.view === "patching" &&
          (hasStudy(value, analysis)
            ? t("It holds the patching study that is shown.")
            : t("Patching is not in it: there is no study yet.")),
      ]),
      obstacle: "",
      choices: [file("html", t("A page that works offline"), { ...view, ...place, lang: language })],
    },
  ];
}
