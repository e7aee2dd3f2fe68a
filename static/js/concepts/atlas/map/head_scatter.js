/** Heads as points of a chart: point at, choose, select with a box or a lasso, zoom; drawn as SVG, so that it can be saved. */

import { axes, scaleOf } from "../../../charts/axes.js";
import { createPlotFrame } from "../../../charts/plots/plot_frame.js";
import { nearest } from "../../../charts/plots/scatter_layout.js";
import { fill, svg } from "../../../base/dom.js";
import { whenSized } from "../../../base/paper.js";
import { onThemeChange } from "../../../base/theme.js";
import { standalone, styledCopy } from "../../../page/image_file.js";
import { download, pngFile, svgFile } from "../../../base/picture_files.js";
import { rangeOf, stepTo, withEqualUnits, zoomed } from "./map_geometry.js";
import { bindDragging } from "./map_dragging.js";
import { label, lineBetween, wholeTicks } from "./map_marks.js";
import { namesOf } from "./map_names.js";

/** @typedef {import("./map_geometry.js").Spot} Spot */
/** @typedef {import("../../../charts/plots/plot_frame.js").Selecting} Selecting */

/** @typedef {import("./map_marks.js").HeadMap} HeadMap */

/**
 * @typedef {object} HeadMapActions
 * @property {(index: number | null) => void} onPoint
 * @property {(index: number) => void} onPick
 * @property {(indices: number[]) => void} onSelect
 * @property {() => void} onTheme  colours have changed
 * @property {string} describedBy  id of the element that says what is pointed at
 */

const CLOSER = 0.6;
/** Height by width. */
const SHAPE = 0.85;
/** Pixels from a point at which it is still meant. */
const REACH = { mouse: 26, finger: 30 };
const EDGE = { left: 46, right: 16, top: 30, bottom: 40 };
/** Where the tools leave no room for the name of the upward axis, it stands below them. */
const [TOOLS, BELOW_TOOLS] = [250, 22];
const PER_NAME_SIGN = 7;

/**
 * @param {HTMLElement} element
 * @param {HeadMap} data
 * @param {HeadMapActions} actions
 * @returns {import("../../../base/mount.js").View<HeadMap> & {point: (index: number | null) => void}}
 */
export function headScatter(element, data, { onPoint, onPick, onSelect, onTheme, describedBy }) {
  const frame = createPlotFrame({
    onZoom: (factor) => zoom(factor < 1 ? CLOSER : 1 / CLOSER),
    onReset: () => show(null),
    onToggle: () => undefined,
    onRetry: () => undefined,
    onSave: (format) => void save(format),
    onKey,
    onTap: (at) => tap(at),
    onSelecting(way) {
      selecting = selecting === way ? null : way;
      frame.selectBy(selecting);
      picture.classList.toggle("is-selecting", selecting !== null);
    },
  });
  const layers = ["axes", "links", "points", "names", "marks", "drag"].map((name) =>
    svg("g", { class: `atlas-${name}` }),
  );
  const [ground, links, dots, names, marks, drag] = layers;
  const picture = svg("svg", { class: "mark atlas-map", "aria-hidden": "true" }, ...layers);
  frame.drawing.append(picture);
  frame.frame.setAttribute("aria-describedby", describedBy);
  frame.tell("");
  fill(element, frame.element);
  let shown = data;
  let size = { width: 0, height: 0 };
  /** @type {import("./map_geometry.js").Extent | null} null: everything */
  let zoomedTo = null;
  /** @type {Selecting | null} */
  let selecting = null;
  /** @type {(Spot & {index: number} | null)[]} */
  let spots = [];
  let pointed = -1;
  const stopSizing = whenSized(element, () => sizeOf().width !== size.width && draw());
  const stopTheme = onThemeChange(onTheme);
  bindDragging(picture, drag, {
    way: () => selecting,
    spots: () => spots,
    onPoint: (at) => point(at && (nearest(there(), at, REACH.mouse)?.index ?? null), true),
    onPick: (at, isAdding) => pick(nearest(there(), at, REACH.mouse)?.index, isAdding),
    onSelect(indices, isAdding) {
      onSelect(isAdding ? [...new Set([...shown.selected, ...indices])] : indices);
    },
    onBox: zoomInto,
  });

  function sizeOf() {
    const width = Math.max(element.clientWidth, 260);
    const { least, most } = shown.heights();
    return { width, height: Math.round(Math.min(Math.max(width * SHAPE, least), most)) };
  }

  function box() {
    const isTight = size.width < TOOLS + shown.y.name.length * PER_NAME_SIGN;
    const top = EDGE.top + (isTight ? BELOW_TOOLS : 0);
    return { left: EDGE.left, right: size.width - EDGE.right, top, bottom: size.height - EDGE.bottom };
  }

  function whole() {
    const ends = (/** @type {0 | 1} */ axis) => shown.links.map(({ from }) => from[axis]);
    const extent = {
      x: rangeOf([...shown.points.map(({ x }) => x), ...ends(0)]),
      y: rangeOf([...shown.points.map(({ y }) => y), ...ends(1)]),
    };
    return shown.isPlane ? withEqualUnits(extent, box()) : extent;
  }

  const extent = () => zoomedTo ?? whole();
  const there = () => spots.filter((one) => one !== null);

  function scales() {
    const { left, right, top, bottom } = box();
    const { x, y } = extent();
    const axis = (/** @type {import("./map_geometry.js").Range} */ [least, most]) => ({ least, most });
    return { x: scaleOf(axis(x), [], left, right), y: scaleOf(axis(y), [], bottom, top) };
  }

  /** With the ticks that are drawn. */
  function tickedScales() {
    const { x, y } = scales();
    const ticked = (/** @type {import("../../../charts/axes.js").Scale} */ scale, /** @type {boolean} */ isWhole) =>
      isWhole ? { ...scale, ticks: wholeTicks(scale) } : scale;
    return { x: ticked(x, shown.x.isWhole), y: ticked(y, shown.y.isWhole) };
  }

  function draw() {
    size = sizeOf();
    frame.setHeight(size.height);
    picture.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
    const { x, y } = tickedScales();
    const inside = box();
    const isIn = (/** @type {Spot} */ { x: px, y: py }) =>
      px >= inside.left - 1 && px <= inside.right + 1 && py >= inside.top - 1 && py <= inside.bottom + 1;
    spots = shown.points.map((one, index) => {
      if (one.x === null || one.y === null) return null;
      const spot = { x: x.place(one.x), y: y.place(one.y), index };
      return isIn(spot) ? spot : null;
    });
    fill(ground, ...axes(inside, x, y, { x: shown.x.name, y: shown.y.name }));
    const spot = (/** @type {readonly [number, number]} */ [px, py]) => ({ x: x.place(px), y: y.place(py) });
    const seen = shown.links.map((link) => [spot(link.from), spot(link.to)]).filter((ends) => ends.every(isIn));
    fill(links, ...seen.flatMap(([from, to]) => lineBetween(from, to)));
    const selected = new Set(shown.selected);
    fill(
      dots,
      ...there()
        .sort((one, other) => shown.points[other.index].radius - shown.points[one.index].radius)
        .map(({ x: cx, y: cy, index }) => {
          const { fill: colour, radius: r } = shown.points[index];
          const isFaint = selected.size > 0 && !selected.has(index) && index !== shown.chosen;
          const look = colour.startsWith("series-") ? { class: colour } : { fill: colour };
          const kind = `atlas-dot${isFaint ? " is-faint" : ""} ${look.class ?? ""}`.trim();
          return svg("circle", { ...look, class: kind, cx, cy, r });
        }),
    );
    fill(names, ...namesOf(shown, spots, size, { y, box: inside }));
    mark();
    tellFrame();
  }

  function mark() {
    const ring = (/** @type {number} */ index, /** @type {string} */ kind, /** @type {number} */ more) => {
      const spot = spots[index];
      return spot ? [svg("circle", { class: kind, cx: spot.x, cy: spot.y, r: shown.points[index].radius + more })] : [];
    };
    const spot = spots[pointed];
    const isShown = spot && pointed !== shown.chosen;
    const name = isShown
      ? [
          label(
            shown.points[pointed].name,
            spot,
            sideOf(spot),
            shown.points[pointed].radius + 3,
            "atlas-name is-pointed",
          ),
        ]
      : [];
    fill(marks, ...ring(shown.chosen, "atlas-ring is-chosen", 4), ...ring(pointed, "atlas-ring", 3), ...name);
  }

  /** @param {Spot} spot */
  function sideOf({ x }) {
    return x > size.width - 60 ? "middle left" : "middle right";
  }

  /** @param {number | null} index @param {boolean} [isOwn]  whether others have to be told */
  function point(index, isOwn = false) {
    if ((index ?? -1) === pointed) return;
    pointed = index ?? -1;
    mark();
    if (isOwn) onPoint(index);
  }

  /** @param {number | undefined} index @param {boolean} isAdding */
  function pick(index, isAdding) {
    if (index === undefined) return;
    if (!isAdding) return onPick(index);
    const others = shown.selected.filter((one) => one !== index);
    onSelect(others.length < shown.selected.length ? others : [...others, index]);
  }

  /** @param {{clientX: number, clientY: number}} touch */
  function tap({ clientX, clientY }) {
    const { left, top } = picture.getBoundingClientRect();
    const found = nearest(there(), { x: clientX - left, y: clientY - top }, REACH.finger);
    if (found) pick(found.index, false);
  }

  /** @param {import("./map_geometry.js").Extent | null} next */
  function show(next) {
    zoomedTo = next;
    draw();
  }

  /** @param {number} factor */
  function zoom(factor) {
    const around = spots[pointed] ?? spots[shown.chosen];
    const { x, y } = scales();
    show(zoomed(extent(), factor, around ? { x: x.value(around.x), y: y.value(around.y) } : null));
  }

  /** @param {Spot} one @param {Spot} other */
  function zoomInto(one, other) {
    const { x, y } = scales();
    const ends = (/** @type {number[]} */ two) =>
      /** @type {[number, number]} */ ([Math.min(...two), Math.max(...two)]);
    const next = { x: ends([x.value(one.x), x.value(other.x)]), y: ends([y.value(one.y), y.value(other.y)]) };
    show(shown.isPlane ? withEqualUnits(next, box()) : next);
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const from = spots[pointed] ? pointed : spots[shown.chosen] ? shown.chosen : (there()[0]?.index ?? -1);
    const choose = () => pick(from < 0 ? undefined : from, event.shiftKey);
    const escape = () => (shown.selected.length > 0 ? onSelect([]) : point(null, true));
    const acts = { "+": () => zoom(CLOSER), "-": () => zoom(1 / CLOSER), 0: () => show(null), Escape: escape };
    const act = { ...acts, Enter: choose, " ": choose }[event.key];
    const next = stepTo(spots, from, event.key);
    if (!act && next === null) return;
    event.preventDefault();
    event.stopPropagation();
    if (act) act();
    else point(next, true);
  }

  frame.frame.addEventListener("blur", () => point(null, true));

  /** @param {"png" | "svg"} format */
  async function save(format) {
    const whole = standalone([styledCopy(picture)], shown.title);
    download(format === "svg" ? svgFile(whole) : await pngFile(whole), `${shown.title}.${format}`);
  }

  function tellFrame() {
    const { title, summary, numbers } = shown;
    frame.show({ title, summary, numbers, height: size.height, series: [], rows: Infinity }, new Set());
  }

  draw();
  return {
    update(next) {
      if (next.of !== shown.of) zoomedTo = null;
      shown = next;
      draw();
    },
    point,
    destroy() {
      stopSizing();
      stopTheme();
      element.replaceChildren();
    },
  };
}
