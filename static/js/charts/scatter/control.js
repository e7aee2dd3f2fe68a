/** What a scatter's tools, keys and pointer ask of it, whatever draws its points: zoom, move, choose, select. */

import { actOnKey } from "../key_acts.js";
import { zoomed } from "./extents.js";

/** @typedef {import("./extents.js").Extent} Extent */
/** @typedef {import("./extents.js").Pair} Pair */
/** @typedef {import("./spots.js").Selecting} Selecting */

/**
 * @template P  a point
 * @typedef {object} Controlled
 * @property {number} closer  factor by which the tools zoom
 * @property {(one: P, other: P) => boolean} isSame
 * @property {() => readonly P[]} selected
 * @property {() => Extent} whole  everything in view
 * @property {() => Pair | null} fixed  the place that stays where it is while it is zoomed; null: the middle
 * @property {() => P | null} start  where the keyboard is
 * @property {(from: P, key: string) => P | null} step
 * @property {() => void} draw
 * @property {(point: P | null) => void} onMove  by a key; null: nowhere
 * @property {(point: P) => void} onPick
 * @property {(selected: P[]) => void} onSelect
 */

/**
 * @template P
 * @param {Controlled<P>} controlled
 */
export function createScatterControl({ closer, isSame, selected, whole, fixed, start, step, draw, ...on }) {
  const zooming = createZoom({ closer, whole, fixed, draw });
  const { zoom, reset } = zooming;
  /** Null: dragging zooms. @type {Selecting | null} */
  let selecting = null;

  /** @param {P | null | undefined} point @param {boolean} [isAdding]  takes it into the selection, or out of it */
  function pick(point, isAdding = false) {
    if (point === null || point === undefined) return;
    if (!isAdding) return on.onPick(point);
    const others = selected().filter((other) => !isSame(other, point));
    on.onSelect(others.length < selected().length ? others : [...others, point]);
  }

  return {
    ...zooming,
    pick,
    selecting: () => selecting,
    /** @param {Selecting} way  the one that is on goes off @returns {Selecting | null} */
    selectBy(way) {
      selecting = selecting === way ? null : way;
      return selecting;
    },
    /** @param {readonly P[]} points @param {boolean} isAdding  to those that are selected */
    select(points, isAdding) {
      const before = isAdding ? [...selected()] : [];
      on.onSelect([...before, ...points.filter((point) => !before.some((other) => isSame(other, point)))]);
    },
    /** @param {KeyboardEvent} event @returns {boolean}  whether it did something */
    key(event) {
      const from = start();
      const escape = () => (selected().length > 0 ? on.onSelect([]) : on.onMove(null));
      const choose = () => pick(from, event.shiftKey);
      return actOnKey(event, {
        acts: {
          "+": () => zoom(closer),
          "-": () => zoom(1 / closer),
          0: reset,
          Escape: escape,
          Enter: choose,
          " ": choose,
        },
        step: (key) => (from === null ? null : step(from, key)),
        move: on.onMove,
      });
    },
  };
}

/**
 * What is in view.
 * @template P
 * @param {Pick<Controlled<P>, "closer" | "whole" | "fixed" | "draw">} controlled
 */
function createZoom({ closer, whole, fixed, draw }) {
  /** Null: everything. @type {Extent | null} */
  let zoomedTo = null;
  const extent = () => zoomedTo ?? whole();

  /** @param {Extent | null} next */
  function show(next) {
    zoomedTo = next;
    draw();
  }

  return {
    extent,
    show,
    /** @param {number} factor  below 1: closer */
    zoom: (factor) => show(zoomed(extent(), factor < 1 ? closer : 1 / closer, fixed())),
    reset: () => show(null),
    zoomedTo: () => zoomedTo,
    /** What is zoomed to is of other points. */
    forget() {
      zoomedTo = null;
    },
  };
}
