/** Heads as points of a chart: point at, choose, select with a box or a lasso, zoom; drawn as SVG, so that it can be saved. */

import { onThemeChange } from "../../../base/theme/theme.js";
import { download, pngFile, svgFile } from "../../../base/picture_files.js";
import { whenSized } from "../../../base/theme/paper.js";
import { bindDragging } from "../../../charts/scatter/dragging.js";
import { extentBetween } from "../../../charts/scatter/extents.js";
import { createScatterFrame } from "../../../charts/scatter/scatter_frame.js";
import { isEnclosed, nearest, spotIn, stepTo } from "../../../charts/scatter/spots.js";
import { standalone, styledCopy } from "../../../page/image_file.js";
import { fitted, layOut, sizeIn, wholeMap } from "./map_layout.js";
import { createMapPicture } from "./map_picture.js";

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
/** Pixels from a point at which it is still meant. */
const REACH = { mouse: 26, finger: 30 };

/**
 * @param {HTMLElement} element
 * @param {HeadMap} data
 * @param {HeadMapActions} actions
 * @returns {import("../../../base/mount.js").View<HeadMap> & {point: (index: number | null) => void}}
 */
export function headScatter(element, data, { onPoint, onPick, onSelect, onTheme, describedBy }) {
  let shown = data;
  let size = sizeIn(0, shown.heights());
  let layout = layOut(shown, size, wholeMap(shown, size));
  let pointed = -1;
  const there = () => layout.spots.filter((spot) => spot !== null);
  const indexNear = (
    /** @type {import("../../../charts/scatter/extents.js").Spot} */ spot,
    /** @type {number} */ reach,
  ) => nearest(there(), spot, reach)?.index ?? null;
  const { control, frame } = createScatterFrame(element, {
    describedBy,
    closer: CLOSER,
    isSame: Object.is,
    selected: () => shown.selected,
    whole: () => wholeMap(shown, size),
    fixed: () => placeOf(shown, [pointed, shown.chosen].find((index) => layout.spots[index]) ?? -1),
    start: () => [pointed, shown.chosen].find((index) => layout.spots[index]) ?? there()[0]?.index ?? null,
    step: (from, key) => stepTo(layout.spots, from, key),
    draw,
    onMove: (index) => point(index, true),
    onPick,
    onSelect,
    onSave: (format) => void save(picture, shown.title, format),
    onTap: (touch) => control.pick(indexNear(spotIn(picture, touch), REACH.finger)),
    onSelecting: (way) => picture.classList.toggle("is-selecting", way !== null),
  });
  const { picture, outline, ...drawn } = createMapPicture();
  frame.drawing.append(picture);
  frame.tell("");
  const sizeNow = () => sizeIn(element.clientWidth, shown.heights());
  const stopSizing = whenSized(element, () => sizeNow().width !== size.width && draw());
  const stopTheme = onThemeChange(onTheme);
  bindDragging(picture, {
    mode: () => control.selecting() ?? "zoom",
    onPoint: (spot) => point(spot && indexNear(spot, REACH.mouse), true),
    onPick: (spot, { shiftKey }) => control.pick(indexNear(spot, REACH.mouse), shiftKey),
    onDrag: outline,
    onEnclose(dragged, mode, { shiftKey }) {
      if (mode === "zoom") {
        const extent = extentBetween(dragged[0], dragged[dragged.length - 1], layout);
        return control.show(fitted(shown, extent, size));
      }
      const enclosed = there().filter((spot) => isEnclosed(spot, dragged, mode));
      control.select(
        enclosed.map(({ index }) => index),
        shiftKey,
      );
    },
  });

  function draw() {
    size = sizeNow();
    layout = layOut(shown, size, control.extent());
    frame.setHeight(size.height);
    drawn.draw(shown, layout);
    drawn.mark(shown, layout, pointed);
    const { title, summary, numbers } = shown;
    frame.show({ title, summary, numbers, height: size.height, series: [], rows: Infinity }, new Set());
  }

  /** @param {number | null} index @param {boolean} [isOwn]  whether others have to be told */
  function point(index, isOwn = false) {
    if ((index ?? -1) === pointed) return;
    pointed = index ?? -1;
    drawn.mark(shown, layout, pointed);
    if (isOwn) onPoint(index);
  }

  draw();
  return {
    update(next) {
      if (next.of !== shown.of) control.forget();
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

/** @param {HeadMap} map @param {number} index @returns {readonly [number, number] | null} */
function placeOf({ points }, index) {
  const { x = null, y = null } = points[index] ?? {};
  return x === null || y === null ? null : [x, y];
}

/** @param {SVGSVGElement} picture @param {string} title @param {"png" | "svg"} format */
async function save(picture, title, format) {
  const whole = standalone([styledCopy(picture)], title);
  download(format === "svg" ? svgFile(whole) : await pngFile(whole), `${title}.${format}`);
}
