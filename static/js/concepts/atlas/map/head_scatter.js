/** Heads as points of a chart: point at, choose, select with a box or a lasso, zoom; drawn as SVG, so that it can be saved. */

import { onThemeChange } from "../../../base/theme/theme.js";
import { download, pngFile, svgFile } from "../../../base/picture_files.js";
import { whenSized } from "../../../base/theme/paper.js";
import { bindDragging } from "../../../charts/scatter/dragging.js";
import { createScatterFrame } from "../../../charts/scatter/scatter_frame.js";
import { spotIn } from "../../../charts/scatter/spots.js";
import { standalone, styledCopy } from "../../../page/image_file.js";
import { createMapPicture } from "./map_picture.js";
import { createMapState } from "./map_state.js";

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
  const state = createMapState(data);
  const { control, frame } = createScatterFrame(element, {
    ...state,
    describedBy,
    closer: CLOSER,
    isSame: Object.is,
    selected: () => state.shown().selected,
    draw,
    onMove: (index) => point(index, true),
    onPick,
    onSelect,
    onSave: (format) => void save(picture, state.shown().title, format),
    onTap: (touch) => control.pick(state.indexNear(spotIn(picture, touch), REACH.finger)),
    onSelecting: (way) => picture.classList.toggle("is-selecting", way !== null),
  });
  const { picture, outline, ...drawn } = createMapPicture();
  frame.drawing.append(picture);
  frame.tell("");
  const stopSizing = whenSized(element, () => state.isOther(element.clientWidth) && draw());
  const stopTheme = onThemeChange(onTheme);
  bindDragging(picture, {
    mode: () => control.selecting() ?? "zoom",
    onPoint: (spot) => point(spot && state.indexNear(spot, REACH.mouse), true),
    onPick: (spot, { shiftKey }) => control.pick(state.indexNear(spot, REACH.mouse), shiftKey),
    onDrag: outline,
    onEnclose(dragged, mode, { shiftKey }) {
      if (mode === "zoom") control.show(state.extentOf(dragged));
      else control.select(state.enclosed(dragged, mode), shiftKey);
    },
  });

  function draw() {
    state.fit(element.clientWidth);
    state.layOut(control.extent());
    drawMap(frame, drawn, state);
  }

  /** @param {number | null} index @param {boolean} [isOwn]  whether others have to be told */
  function point(index, isOwn = false) {
    if (!state.point(index)) return;
    drawMark(drawn, state);
    if (isOwn) onPoint(index);
  }

  draw();
  return {
    update(next) {
      if (next.of !== state.shown().of) control.forget();
      state.update(next);
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

/** @typedef {Pick<ReturnType<typeof createMapPicture>, "draw" | "mark">} Drawn */
/** @typedef {ReturnType<typeof createMapState>} MapState */

/** @param {ReturnType<typeof createScatterFrame>["frame"]} frame @param {Drawn} drawn @param {MapState} state */
function drawMap(frame, drawn, state) {
  const { shown, size, layout } = state.now();
  frame.setHeight(size.height);
  drawn.draw(shown, layout);
  drawMark(drawn, state);
  const { title, summary, numbers } = shown;
  frame.show({ title, summary, numbers, height: size.height, series: [], rows: Infinity }, new Set());
}

/** @param {Drawn} drawn @param {MapState} state */
function drawMark(drawn, state) {
  const { shown, layout, pointed } = state.now();
  drawn.mark(shown, layout, pointed);
}

/** @param {SVGSVGElement} picture @param {string} title @param {"png" | "svg"} format */
async function save(picture, title, format) {
  const whole = standalone([styledCopy(picture)], title);
  download(format === "svg" ? svgFile(whole) : await pngFile(whole), `${title}.${format}`);
}
