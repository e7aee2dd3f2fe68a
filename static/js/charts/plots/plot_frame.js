/** What stands around a chart of Plotly: its tools, its legend, its numbers as a table, and words while it is not there. */

import { el, fill, say, smallButton, svg } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { maths } from "../../base/maths/maths_text.js";

/** @typedef {import("./plot_data.js").PlotWords} PlotWords */
/** @typedef {import("../scatter/spots.js").Selecting} Selecting */

/**
 * @typedef {object} PlotActions
 * @property {(factor: number) => void} onZoom
 * @property {() => void} onReset
 * @property {(name: string) => void} onToggle  a series
 * @property {(format: "png" | "svg") => void} onSave
 * @property {() => void} onRetry
 * @property {(event: KeyboardEvent) => void} onKey
 * @property {(at: {clientX: number, clientY: number}) => void} onTap
 * @property {(way: Selecting) => void} [onSelecting]  only where points can be selected
 */

/** Most rows of a table. */
const MOST_ROWS = 200;
const CLOSER = 0.5;
/** Decimal places where a number would be written with an exponent. */
const DIGITS = 12;
const ICONS = {
  closer: "M10 4V16M4 10H16",
  wider: "M4 10H16",
  reset: "M4 8V4H8M12 4H16V8M16 12V16H12M8 16H4V12",
  select: "M4 5V4H5M9 4H11M15 4H16V5M16 9V11M16 15V16H15M11 16H9M5 16H4V15M4 11V9",
  lasso:
    "M6.5 13.2C4.3 12.3 3 10.8 3 9.100C3 6.300 6.100 4 10 4S17 6.300 17 9.100S13.900 14.200 10 14.200C8.600 14.200 7.400 14 6.500 13.200C6.500 12 8.500 12 8.500 13.500C8.500 15.300 7 16 5 16.800",
};

/** @param {PlotActions} actions */
export function createPlotFrame({ onToggle, onRetry, onKey, onTap, ...actions }) {
  const drawing = el("div", { class: "plot-drawing" });
  const paper = el("div", { class: "plot-paper", "aria-hidden": "true" });
  const cover = createCover(onRetry);
  const role = actions.onSelecting ? "group" : "slider";
  const frame = el("div", { class: "plot-frame", role, tabindex: 0 }, drawing);
  const legend = createLegend(onToggle);
  const numbers = createNumbers();
  const tools = toolsOf(actions);
  const area = el("div", { class: "plot-area" }, frame, paper, cover.element, tools);
  const foot = el("div", { class: "plot-foot" }, legend.element, numbers.element);
  const element = el("div", { class: "plot", role: "group" }, area, foot);
  bindTouch(drawing, onTap, () => tools.querySelector("[aria-pressed=true]") === null);
  frame.addEventListener("keydown", /** @type {EventListener} */ (onKey));

  /** @param {number} height  pixels */
  function setHeight(height) {
    area.style.setProperty("--plot-height", `${height}px`);
  }

  return {
    element,
    frame,
    drawing,
    paper,
    setHeight,
    /** @param {PlotWords} plot @param {ReadonlySet<string>} off */
    show(plot, off) {
      element.setAttribute("aria-label", plot.title);
      frame.setAttribute("aria-label", plot.title);
      // A page may have several charts.
      for (const tool of tools.querySelectorAll("button")) {
        tool.setAttribute("aria-label", `${tool.title}: ${plot.title}`);
      }
      if (plot.height !== null) setHeight(plot.height);
      legend.show(plot, off);
      numbers.show(plot);
    },
    /** @param {string} text  "" once it is drawn @param {boolean} [isFailure] */
    tell(text, isFailure = false) {
      cover.tell(text, isFailure);
      for (const tool of tools.querySelectorAll("button")) tool.disabled = text !== "";
    },
    /** @param {Selecting | null} way  null: dragging zooms */
    selectBy(way) {
      for (const tool of tools.querySelectorAll("[data-way]")) {
        tool.setAttribute("aria-pressed", String(tool.getAttribute("data-way") === way));
      }
    },
    /** @param {{least: number, most: number}} axis @param {number | null} current @param {string} text */
    read({ least, most }, current, text) {
      const values = { "aria-valuemin": least, "aria-valuemax": most, "aria-valuenow": current ?? least };
      for (const [name, value] of Object.entries(values)) frame.setAttribute(name, inDecimals(value));
      frame.setAttribute("aria-valuetext", text || t("Read values with the arrow keys"));
    },
  };
}

/**
 * Words over the chart while it is not there.
 * @param {() => void} onRetry
 */
function createCover(onRetry) {
  const words = el("p", { class: "plot-words" });
  const retry = smallButton(t("Try again"), onRetry, { hidden: true });
  const element = el("div", { class: "plot-cover" }, words, retry);
  return {
    element,
    /** @param {string} text @param {boolean} isFailure */
    tell(text, isFailure) {
      element.hidden = text === "";
      retry.hidden = !isFailure;
      say(words, text);
      if (isFailure) element.setAttribute("role", "alert");
      else element.removeAttribute("role");
    },
  };
}

/**
 * The series, if there are several; each is a button that switches it off.
 * @param {(name: string) => void} onToggle
 */
function createLegend(onToggle) {
  const element = el("p", { class: "plot-legend" });
  let entries = "";
  return {
    element,
    /** @param {PlotWords} plot @param {ReadonlySet<string>} off */
    show({ series }, off) {
      element.hidden = series.length < 2;
      const key = JSON.stringify(series.map(({ name, colour, kind }) => [name, colour, kind]));
      if (key !== entries) fill(element, ...series.map((entry) => entryOf(entry, () => onToggle(entry.name))));
      entries = key;
      [...element.children].forEach((entry, index) =>
        entry.setAttribute("aria-pressed", String(!off.has(series[index].name))),
      );
    },
  };
}

/**
 * A tap reads a value, any other movement of a finger scrolls the page; Plotly would keep it to itself.
 * @param {HTMLElement} drawing
 * @param {PlotActions["onTap"]} onTap
 * @param {() => boolean} isScrolling  false while a finger selects
 */
function bindTouch(drawing, onTap, isScrolling) {
  let isTap = false;
  const capture = { capture: true, passive: true };
  const keep = (/** @type {TouchEvent} */ event) => {
    if (isScrolling()) event.stopPropagation();
    isTap = isScrolling() && event.type === "touchstart" && event.touches.length === 1;
  };
  drawing.addEventListener("touchstart", keep, capture);
  drawing.addEventListener("touchmove", keep, capture);
  drawing.addEventListener("touchend", (event) => {
    if (!isTap) return;
    event.preventDefault(); // no mouse events after it, which would end what it shows
    onTap(event.changedTouches[0]);
  });
}

/** @param {Pick<PlotActions, "onZoom" | "onReset" | "onSave" | "onSelecting">} actions */
function toolsOf({ onZoom, onReset, onSave, onSelecting }) {
  const icon = (/** @type {keyof typeof ICONS} */ name) =>
    svg("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));
  const tool = (/** @type {string} */ name, /** @type {() => void} */ onclick, /** @type {Node | string} */ content) =>
    el("button", { type: "button", class: "plot-tool", title: name, onclick }, content);
  const selecting = (/** @type {Selecting} */ way, /** @type {string} */ name) => {
    const button = tool(name, () => onSelecting?.(way), icon(way));
    button.dataset.way = way;
    button.setAttribute("aria-pressed", "false");
    return button;
  };
  return el(
    "div",
    { class: "plot-tools" },
    onSelecting && selecting("select", t("Select with a box")),
    onSelecting && selecting("lasso", t("Select with a lasso")),
    tool(t("Zoom in"), () => onZoom(CLOSER), icon("closer")),
    tool(t("Zoom out"), () => onZoom(1 / CLOSER), icon("wider")),
    tool(t("Show all"), onReset, icon("reset")),
    tool(t("Save as PNG"), () => onSave("png"), "PNG"),
    tool(t("Save as SVG"), () => onSave("svg"), "SVG"),
  );
}

/** @param {PlotWords["series"][number]} series @param {() => void} onclick */
function entryOf({ name, colour, kind }, onclick) {
  const style = `series-${typeof colour === "number" ? colour % 8 : colour}`;
  const sample = {
    line: () => svg("path", { class: `mark-line ${style}`, d: "M0 5H22" }),
    dashed: () => svg("path", { class: `mark-line ${style} is-dashed`, d: "M0 5H22" }),
    dots: () => svg("circle", { class: `mark-dot ${style}`, cx: 11, cy: 5, r: 3 }),
    circle: () => svg("circle", { class: `mark-dot ${style}`, cx: 11, cy: 5, r: 4.5 }),
    diamond: () => svg("path", { class: `mark-ring ${style}`, d: "M11 0L16 5L11 10L6 5Z" }),
    steps: () => svg("path", { class: `mark-area ${style}`, d: "M1 9V1H21V9Z" }),
    bars: () => svg("rect", { class: `mark-bar ${style}`, x: 4, y: 0, width: 14, height: 10 }),
  }[kind]();
  const key = { class: "mark-key", viewBox: "0 0 22 10", width: 22, height: 10, "aria-hidden": "true" };
  return el("button", { type: "button", class: "plot-entry", onclick }, svg("svg", key, sample), ...maths(name));
}

/** The chart's summary and its numbers, written when they are opened. */
function createNumbers() {
  const body = el("div", { class: "plot-table" });
  const details = el("details", { class: "plot-numbers" }, el("summary", {}, t("Numbers as a table")), body);
  /** @type {PlotWords | null} */
  let shown = null;
  details.addEventListener("toggle", draw);

  function draw() {
    if (!details.open || !shown) return;
    const { columns, rows } = shown.numbers();
    const { rows: most = MOST_ROWS } = shown;
    const header = columns.map((name) => el("th", { scope: "col" }, ...maths(name)));
    const lines = rows
      .slice(0, most)
      .map(([first, ...cells]) =>
        el("tr", {}, el("th", { scope: "row" }, first), ...cells.map((cell) => el("td", {}, cell))),
      );
    const left = rows.length - most;
    const table = el("table", {}, el("thead", {}, el("tr", {}, ...header)), el("tbody", {}, ...lines));
    fill(
      body,
      el("p", { class: "note" }, shown.summary),
      el(
        "div",
        { class: "plot-rows", tabindex: 0, role: "region", "aria-label": `${t("Numbers as a table")}: ${shown.title}` },
        table,
      ),
      left > 0 && el("p", { class: "note" }, t("{count} further rows are in the data of the API.", { count: left })),
    );
  }

  return {
    element: details,
    /** @param {PlotWords} plot */
    show(plot) {
      shown = plot;
      draw();
    },
  };
}

/**
 * A number as ARIA takes it: without an exponent.
 * @param {number} value
 */
function inDecimals(value) {
  return String(value).includes("e") ? value.toFixed(DIGITS) : String(value);
}
