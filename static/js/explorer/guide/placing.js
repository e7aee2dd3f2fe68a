/** Where a card stands that speaks of something on the page: beside it, never on it. */

/** @typedef {{left: number, top: number, width: number, height: number}} Box  in pixels, in the window */

const GAP = 12;

/**
 * @param {Box} target
 * @param {{width: number, height: number}} card
 * @param {{width: number, height: number}} room  of the window
 * @returns {{left: number, top: number}}  beside the target where there is room, else in the window's corner
 */
export function placeBeside(target, card, room) {
  const [right, bottom] = [target.left + target.width, target.top + target.height];
  const left = within(target.left, card.width, room.width);
  const top = within(target.top, card.height, room.height);
  const places = [
    { left: right + GAP, top },
    { left: target.left - GAP - card.width, top },
    { left, top: bottom + GAP },
    { left, top: target.top - GAP - card.height },
  ];
  const fits = (/** @type {{left: number, top: number}} */ place) =>
    place.left === within(place.left, card.width, room.width) &&
    place.top === within(place.top, card.height, room.height);
  return places.find(fits) ?? { left: room.width - card.width - GAP, top: room.height - card.height - GAP };
}

/**
 * @param {number} start
 * @param {number} size
 * @param {number} room
 */
function within(start, size, room) {
  return Math.max(GAP, Math.min(start, room - size - GAP));
}
