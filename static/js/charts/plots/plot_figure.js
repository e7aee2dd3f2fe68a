/** A plot as Plotly's traces and layout, in the colours of the theme. */

import { cssColor } from "../../base/theme/color.js";
import { tokenColor } from "../../base/theme/theme.js";
import { rangeOf } from "./plot_data.js";

/** @typedef {import("./plot_data.js").Plot} Plot */
/** @typedef {import("./plot_data.js").PlotAxis} PlotAxis */
/** @typedef {import("./plot_data.js").PlotSeries} PlotSeries */
/** @typedef {Record<string, unknown>} Part  of a trace or of a layout */

/**
 * @typedef {object} PlotColors
 * @property {string[]} series
 * @property {string} accent
 * @property {string} query
 * @property {string} key
 * @property {string} text
 * @property {string} soft
 * @property {string} line
 * @property {string} edge
 * @property {string} raised
 * @property {string} page
 */

const SERIES = 8;
export const TYPE = 12;
export const MARGIN = { l: 52, r: 14, t: 34, b: 44 };
/** Further room below an axis whose names stand upright, and the width of a letter, in pixels. */
const [UPRIGHT, PER_SIGN] = [18, 6.6];
/** Cosmetic: how much of an area's colour fills it. */
const AREA = 0.16;
/** Below it, and above its reciprocal, logarithmic axes say 100 rather than 10². */
const PLAIN = 1e5;
const CLEAR = "rgba(0, 0, 0, 0)";

/** @returns {PlotColors}  of the current theme */
export function plotColors() {
  const of = (/** @type {string} */ name) => cssColor(tokenColor(`--${name}`));
  return {
    series: Array.from({ length: SERIES }, (_, index) => of(`series-${index}`)),
    query: of("color-query"),
    key: of("color-key"),
    accent: of("color-accent"),
    text: of("color-text"),
    soft: of("color-text-soft"),
    line: of("color-line"),
    edge: of("color-edge"),
    raised: of("color-raised"),
    page: of("color-page"),
  };
}

/**
 * Text that Plotly shows as it is: it takes tags in text for markup.
 * @param {string} text
 */
export function plain(text) {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

/**
 * @param {Plot} plot
 * @param {PlotColors} colors
 * @param {ReadonlySet<string>} off  names of series that are not shown
 * @returns {Part[]}
 */
export function tracesOf({ series }, colors, off) {
  return series.map((entry) => {
    const color = colors.series[entry.colour % SERIES];
    const shared = {
      name: plain(entry.name),
      x: entry.x,
      y: entry.y,
      text: entry.said.map(plain),
      textposition: entry.isLabelled ? "outside" : "none",
      cliponaxis: false,
      hovertemplate: `${plain(entry.name).replace(/%\{/g, "% {")}  <b>%{text}</b><extra></extra>`,
      visible: !off.has(entry.name),
      zorder: entry.strong ? 1 : 0,
    };
    if (entry.kind === "bars")
      return {
        ...shared,
        type: "bar",
        width: entry.widths,
        marker: { color, line: { color: colors.page, width: entry.widths ? 0.5 : 0 } },
      };
    if (entry.kind === "dots") return { ...shared, type: "scatter", mode: "markers", marker: { color, size: 6 } };
    const line = {
      color,
      width: entry.kind === "steps" ? 1.5 : entry.strong ? 3.5 : 2,
      shape: entry.kind === "steps" ? "hvh" : "linear",
    };
    const dash = entry.kind === "dashed" ? "6px,4px" : "solid";
    const area = entry.kind === "steps" ? { fill: "tozeroy", fillcolor: withAlpha(color, AREA) } : {};
    return { ...shared, ...area, type: "scatter", mode: "lines", line: { ...line, dash }, connectgaps: false };
  });
}

/**
 * @param {string} color  `rgb(r, g, b)`
 * @param {number} alpha
 */
function withAlpha(color, alpha) {
  return color.replace("rgb(", "rgba(").replace(")", `, ${alpha})`);
}

/**
 * @param {Plot} plot
 * @param {PlotColors} colors
 * @param {object} place
 * @param {number} place.width
 * @param {number} place.height
 * @param {string} place.font
 * @param {boolean} place.hasPointer  whether dragging zooms; on a touch screen it scrolls the page
 * @param {number} place.revision  the range that was zoomed to stays until another
 * @returns {Part}
 */
export function layoutOf(plot, colors, { width, height, font, hasPointer, revision }) {
  const { x, y, verticals } = plot;
  const isCrowded = x.names !== undefined && widthOf(x.names) > width - MARGIN.l - MARGIN.r;
  return {
    ...groundOf(colors, { width, height, font }),
    ...(isCrowded ? { margin: { ...MARGIN, b: MARGIN.b + UPRIGHT } } : {}),
    uniformtext: { minsize: 11, mode: "hide" },
    hovermode: "x unified",
    dragmode: hasPointer ? "zoom" : false,
    barmode: "group",
    uirevision: `${revision} ${x.name} ${y.name} ${x.log} ${y.log}`,
    xaxis: {
      ...axisOf(x, colors),
      showgrid: false,
      ...edgeOf(x, colors),
      ...(isCrowded ? { tickangle: -90 } : {}),
      spikecolor: colors.soft,
      spikethickness: 1,
      spikedash: "solid",
      ...(x.names ? {} : { unifiedhovertitle: { text: `${plain(x.name)} %{x:.4~g}` } }),
    },
    yaxis: { ...axisOf(y, colors), gridcolor: colors.line, gridwidth: 0.5 },
    shapes: verticals.map((vertical) => ({
      type: "line",
      xref: "x",
      yref: "paper",
      x0: vertical.x,
      x1: vertical.x,
      y0: 0,
      y1: 1,
      layer: "below",
      line: { color: colors.soft, width: 1, dash: "3px,3px" },
    })),
    annotations: [nameOf(y), ...verticals.map((vertical, index) => verticalName(vertical, x, colors, index))],
  };
}

/**
 * What every chart has.
 * @param {PlotColors} colors
 * @param {{width: number, height: number, font: string}} place
 * @returns {Part}
 */
export function groundOf(colors, { width, height, font }) {
  const type = { family: font, size: TYPE, color: colors.soft };
  const label = { bgcolor: colors.raised, bordercolor: colors.edge, font: { ...type, color: colors.text } };
  return {
    width,
    height,
    margin: MARGIN,
    font: type,
    paper_bgcolor: CLEAR,
    plot_bgcolor: colors.page,
    showlegend: false,
    hoverlabel: { ...label, align: "left" },
  };
}

/** Of names side by side, in pixels. @param {readonly string[]} names */
function widthOf(names) {
  return names.length * PER_SIGN * (1 + Math.max(...names.map((name) => name.length)));
}

/** The x axis' name and line below the chart. @param {Pick<PlotAxis, "name">} axis @param {PlotColors} colors @returns {Part} */
export function edgeOf({ name }, colors) {
  return {
    title: { text: `<i>${plain(name)}</i>`, standoff: 8 },
    showline: true,
    linecolor: colors.edge,
    ticks: "outside",
    ticklen: 4,
    tickcolor: colors.edge,
  };
}

/** @param {PlotAxis} axis @param {PlotColors} colors @returns {Part} */
function axisOf(axis, colors) {
  const ticks = axis.ticks && {
    tickmode: "array",
    tickvals: axis.ticks,
    ...(axis.names && { ticktext: axis.names.map(plain) }),
  };
  return {
    type: axis.log ? "log" : "linear",
    range: rangeOf(axis),
    automargin: false,
    zeroline: false,
    exponentformat: "power",
    minexponent: 5,
    separatethousands: true,
    nticks: 8,
    tickangle: 0,
    hoverformat: ".4~g",
    ...(axis.log ? { dtick: 1, exponentformat: axis.most < PLAIN && axis.least > 1 / PLAIN ? "none" : "power" } : {}),
    ...(ticks ?? {}),
    linecolor: colors.edge,
    tickfont: { color: colors.soft },
  };
}

/** The y axis' name stands above it, where it takes no width. @param {Pick<PlotAxis, "name">} axis @returns {Part} */
export function nameOf({ name }) {
  return {
    text: `<i>${plain(name)}</i>`,
    showarrow: false,
    xref: "paper",
    yref: "paper",
    x: 0,
    y: 1,
    xanchor: "left",
    yanchor: "bottom",
    xshift: 4 - MARGIN.l,
    yshift: 8,
    align: "left",
  };
}

/**
 * @param {{x: number, name: string}} vertical
 * @param {PlotAxis} axis
 * @param {PlotColors} colors
 * @param {number} index  each a line above the one before
 * @returns {Part}
 */
function verticalName({ x, name }, axis, colors, index) {
  const isRight = x > axis.least + 0.7 * (axis.most - axis.least);
  return {
    text: plain(name),
    showarrow: false,
    xref: "x",
    yref: "paper",
    x: axis.log ? Math.log10(x) : x,
    y: 0,
    xanchor: isRight ? "right" : "left",
    yanchor: "bottom",
    yshift: index * (TYPE + 4),
    xshift: isRight ? -3 : 3,
    bgcolor: colors.page,
  };
}
