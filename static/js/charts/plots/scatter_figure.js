/** A scatter plot as Plotly's traces and layout: points with names, lines between them, what stands out. */

import { MARGIN, TYPE, edgeOf, groundOf, nameOf, plain } from "./plot_figure.js";
import { indexOf, indicesIn, pairOf } from "./scatter_data.js";
import { isWithin, spotOf } from "../scatter/extents.js";
import { placeNames } from "../scatter/names.js";
import { context } from "../thumbnail_sheet.js";

/** @typedef {import("./scatter_data.js").Scatter} Scatter */
/** @typedef {import("./scatter_data.js").At} At */
/** @typedef {import("./plot_figure.js").Part} Part */
/** @typedef {import("./plot_figure.js").PlotColors} PlotColors */

/**
 * @typedef {object} Shown
 * @property {PlotColors} colors
 * @property {ReadonlySet<string>} off  names of series that are not shown
 * @property {import("../scatter/extents.js").Extent} extent
 * @property {import("../scatter/extents.js").Size} size  of the part that holds the points
 * @property {string} font
 * @property {string | false} dragmode
 *
 * @typedef {{text: string, side: string}} Placed  a point's name
 */

/** More points are drawn smaller. */
const MANY_POINTS = 300;
/** Up to so many points in view, each is named where there is room. */
const FEW_POINTS = 96;
/** Pixels from a point at which it is still pointed at. */
const REACH = 18;
/** Pixels by which marks of what is chosen or pointed at are larger than points. */
const LARGER = { chosen: 4, pointed: 3 };
/** A square on its corner looks smaller than a circle; Plotly draws it wider than its size. */
const WIDER = { circle: 1, diamond: 1.25 };
const DRAWN = { circle: 1, diamond: 1.3 };
/** Plotly places names a little too near. */
const SPACE = "\u00a0";
const FAINT = 0.18;
const LINE_HEIGHT = 15;
const CROSS = 7;

/**
 * The part of a chart that holds the points.
 * @param {number} width  of the chart
 * @param {number} height
 */
export function sizeWithin(width, height) {
  return { width: width - MARGIN.l - MARGIN.r, height: height - MARGIN.t - MARGIN.b };
}

/** The chart around the part that holds the points. @param {number} height */
export function heightAround(height) {
  return height + MARGIN.t + MARGIN.b;
}

/**
 * @param {Scatter} scatter
 * @param {Shown} shown
 * @returns {{data: Part[], layout: Part, names: Map<string, Placed>}}
 */
export function scatterFigure(scatter, shown) {
  const { colors, off, extent, size, font, dragmode } = shown;
  const names = namesOf(scatter, shown);
  const traces = scatter.series.map((_, series) => seriesTrace(scatter, series, names, shown));
  const chosen = scatter.series.map((_, series) => chosenTrace(scatter, series, names, shown));
  const axis = { zeroline: true, zerolinecolor: colors.line, showgrid: false, tickfont: { color: colors.soft } };
  const outer = { width: size.width + MARGIN.l + MARGIN.r, height: heightAround(size.height) };
  return {
    names,
    data: [...traces, ...chosen],
    layout: {
      ...groundOf(colors, { ...outer, font }),
      hovermode: "closest",
      hoverdistance: REACH,
      dragmode,
      selections: [],
      newselection: { line: { color: colors.accent, width: 1.5, dash: "4px,3px" } },
      xaxis: { ...axis, ...edgeOf({ name: scatter.axes.x }, colors), range: extent.x, nticks: 8 },
      yaxis: { ...axis, range: extent.y, nticks: 6, scaleanchor: "x", scaleratio: 1 },
      ...overlayOf(scatter, { colors, off, names }),
    },
  };
}

/**
 * Lines between points, the cross, and the marks of what is pointed at: all that follows the pointer.
 * @param {Scatter} scatter
 * @param {Pick<Shown, "colors" | "off"> & {names: ReadonlyMap<string, Placed> | null}} shown  `names`: of points that have one;
 *   null: what is pointed at needs none
 * @returns {{shapes: Part[], annotations: Part[]}}
 */
export function overlayOf(scatter, { colors, off, names }) {
  const { series, links, pointed, pointedLinks, zero } = scatter;
  const isOn = (/** @type {At} */ point) => series[point.series] !== undefined && !off.has(series[point.series].name);
  const lines = [...links, ...pointedLinks].flatMap((link, index) => {
    const [from, to] = [pairOf(scatter, link.from), pairOf(scatter, link.to)];
    if (!from || !to || !isOn(link.from) || !isOn(link.to)) return [];
    const isPointed = index >= links.length;
    const line = { width: 0.75 + 6 * link.weight, dash: isPointed ? "5px,4px" : "solid" };
    const color = isPointed ? colors.text : link.isChosen ? colors.accent : colors.soft;
    const name = isPointed ? "pointed" : link.isChosen ? "chosen" : "link";
    const ends = { x0: from[0], y0: from[1], x1: to[0], y1: to[1] };
    return [{ type: "line", name, layer: "below", opacity: isPointed ? 1 : 0.7, ...ends, line: { ...line, color } }];
  });
  const cross = { type: "path", name: "zero", layer: "below", path: `M${-CROSS},0H${CROSS}M0,${-CROSS}V${CROSS}` };
  const marks = pointed.flatMap((point) => {
    const pair = pairOf(scatter, point);
    if (!pair || !isOn(point)) return [];
    const { kind, colour } = series[point.series];
    const reach = reachOf(scatter, kind) + LARGER.pointed;
    const path = kind === "circle" ? circlePath(reach) : `M${-reach},0L0,${reach}L${reach},0L0,${-reach}Z`;
    const line = { color: colors.text, width: 2 };
    return [{ type: "path", name: "pointed", path, ...pinned(pair), fillcolor: colors[colour], line }];
  });
  const named = pointed.flatMap((point) => {
    const pair = pairOf(scatter, point);
    if (!pair || !isOn(point) || !names || names.has(keyOf(point))) return [];
    const { kind, colour, nameOf: name } = series[point.series];
    const text = `<b>${plain(name(indexOf(scatter, point)))}</b>`;
    const above = { yanchor: "bottom", yshift: reachOf(scatter, kind) + LARGER.pointed, showarrow: false };
    return [{ text, x: pair[0], y: pair[1], ...above, font: { color: colors[colour] }, bgcolor: colors.page }];
  });
  const annotations = [nameOf({ name: scatter.axes.y }), ...named];
  const shapes = [...lines, { ...cross, ...pinned(zero), line: { color: colors.soft, width: 1.5 } }, ...marks];
  return { shapes, annotations };
}

/** In pixels around a point. @param {readonly [number, number]} pair @returns {Part} */
function pinned([xanchor, yanchor]) {
  return { xref: "x", yref: "y", xsizemode: "pixel", ysizemode: "pixel", xanchor, yanchor };
}

/** A circle of curves, the only ones that move with an anchor. @param {number} r */
function circlePath(r) {
  const c = 0.5523 * r;
  return `M${-r},0C${-r},${c} ${-c},${r} 0,${r}C${c},${r} ${r},${c} ${r},0C${r},${-c} ${c},${-r} 0,${-r}C${-c},${-r} ${-r},${-c} ${-r},0Z`;
}

/**
 * @param {Scatter} scatter
 * @param {"circle" | "diamond"} kind
 * @returns {number}  from the middle of a point outward, in pixels
 */
function reachOf({ series }, kind) {
  const count = series.reduce((sum, { ids }) => sum + ids.length, 0);
  return (count > MANY_POINTS ? 3 : 5) * WIDER[kind];
}

/**
 * @param {Scatter} scatter
 * @param {number} series
 * @param {Map<string, Placed>} names
 * @param {Shown} shown
 * @returns {Part}
 */
function seriesTrace(scatter, series, names, { colors, off }) {
  const { name, kind, colour, ids, points, linesOf } = scatter.series[series];
  const chosen = new Set(indicesIn(scatter, scatter.chosen, series));
  const placed = ids.map((id, index) => (chosen.has(index) ? undefined : names.get(`${series} ${id}`)));
  const selectedpoints = scatter.selected.length > 0 ? indicesIn(scatter, scatter.selected, series) : null;
  const size = (2 * reachOf(scatter, kind)) / DRAWN[kind];
  const isFull = kind === "circle";
  return {
    ...shared(name, off),
    x: points.map(([x]) => x),
    y: points.map(([, y]) => y),
    mode: placed.some(Boolean) ? "markers+text" : "markers",
    text: placed.map((label) => label?.text ?? ""),
    textposition: placed.map((label) => label?.side ?? "middle right"),
    textfont: { color: colors[colour] },
    hovertext: ids.map((_, index) => linesOf(index).map(plain).join("<br>")),
    hovertemplate: "%{hovertext}<extra></extra>",
    marker: {
      symbol: kind,
      size,
      color: isFull ? colors[colour] : colors.raised,
      opacity: size < 8 ? 0.75 : 1,
      line: { color: isFull ? colors.page : colors[colour], width: isFull ? 1 : 1.5 },
    },
    selectedpoints,
    selected: { marker: { opacity: 1 } },
    unselected: { marker: { opacity: FAINT } },
  };
}

/**
 * The chosen point of a series, larger and above all others.
 * @param {Scatter} scatter
 * @param {number} series
 * @param {Map<string, Placed>} names
 * @param {Shown} shown
 * @returns {Part}
 */
function chosenTrace(scatter, series, names, { colors, off }) {
  const { name, kind, colour, ids, points } = scatter.series[series];
  const chosen = indicesIn(scatter, scatter.chosen, series);
  const placed = chosen.map((index) => names.get(`${series} ${ids[index]}`));
  const size = (2 * (reachOf(scatter, kind) + LARGER.chosen)) / DRAWN[kind];
  return {
    ...shared(name, off),
    x: chosen.map((index) => points[index][0]),
    y: chosen.map((index) => points[index][1]),
    mode: "markers+text",
    hoverinfo: "skip",
    text: placed.map((label) => (label ? `<b>${label.text}</b>` : "")),
    textposition: placed.map((label) => label?.side ?? "middle right"),
    textfont: { color: colors[colour] },
    marker: { symbol: kind, size, color: colors[colour], line: { color: colors.text, width: 2 } },
    selectedpoints: scatter.selected.length > 0 ? chosen.map((_, index) => index) : null,
    selected: { marker: { opacity: 1 } },
    unselected: { marker: { opacity: 1 } },
  };
}

/** @param {string} name @param {ReadonlySet<string>} off @returns {Part} */
function shared(name, off) {
  return { type: "scatter", name: plain(name), visible: !off.has(name), cliponaxis: true };
}

/**
 * Names beside their points: of what is chosen and selected; without a selection of what it is joined to, and of all if
 * they are few.
 * @param {Scatter} scatter
 * @param {Shown} shown
 * @returns {Map<string, Placed>}  by series and id
 */
function namesOf(scatter, { off, extent, size, font }) {
  const chosen = new Set(scatter.chosen.map(keyOf));
  const spots = scatter.series.flatMap(({ name, kind, ids, points }, series) =>
    off.has(name)
      ? []
      : ids.flatMap((id, index) => {
          const spot = spotOf(points[index], extent, size);
          const reach = reachOf(scatter, kind) + (chosen.has(`${series} ${id}`) ? LARGER.chosen : 0);
          return isWithin(spot, size) ? [{ ...spot, reach, key: `${series} ${id}`, series, index }] : [];
        }),
  );
  const byKey = new Map(spots.map((spot) => [spot.key, spot]));
  const joined = [...scatter.links.map(({ to }) => to).map(keyOf), ...(spots.length <= FEW_POINTS ? byKey.keys() : [])];
  const selected = scatter.selected.filter((point) => byKey.has(keyOf(point))).map(keyOf);
  const others = selected.length === 0 ? joined : selected.length <= FEW_POINTS ? selected : [];
  const wanted = [...new Set([...chosen, ...others])].flatMap((key) => byKey.get(key) ?? []);
  const ruler = context(document.createElement("canvas"));
  const boxes = wanted.map((point) => {
    const text = `${SPACE}${scatter.series[point.series].nameOf(point.index)}${SPACE}`;
    const needed = chosen.has(point.key);
    ruler.font = `${needed ? 700 : 400} ${TYPE}px ${font}`;
    return { at: point, text, needed, size: point.reach, width: ruler.measureText(text).width, height: LINE_HEIGHT };
  });
  const sides = placeNames(boxes, spots, size);
  return new Map(
    boxes.flatMap(({ at, text }, index) => {
      const side = sides[index];
      return side ? [[at.key, { text: plain(text), side }]] : [];
    }),
  );
}

/** @param {At} at */
function keyOf({ series, id }) {
  return `${series} ${id}`;
}
