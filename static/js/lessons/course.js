/** The exercises of each lesson of the course; its texts are in templates/lessons.html. */

import { exercises as alibi } from "../concepts/alibi/exercises.js";
import { exercises as embedding } from "../concepts/embedding/exercises.js";
import { exercises as block } from "../concepts/block/exercises.js";
import { exercises as circle } from "../concepts/circle/exercises.js";
import { exercises as context } from "../concepts/context/exercises.js";
import { exercises as decoder } from "../concepts/decoder/exercises.js";
import { exercises as headRoles } from "../concepts/head_roles/exercises.js";
import { exercises as kernel } from "../concepts/kernel/exercises.js";
import { exercises as kvCache } from "../concepts/kv_cache/exercises.js";
import { exercises as linear } from "../concepts/linear/exercises.js";
import { exercises as masks } from "../concepts/masks/exercises.js";
import { exercises as multiHead } from "../concepts/multi_head/exercises.js";
import { exercises as order } from "../concepts/order/exercises.js";
import { exercises as parity } from "../concepts/parity/exercises.js";
import { exercises as projections } from "../concepts/projections/exercises.js";
import { exercises as qkNorm } from "../concepts/qk_norm/exercises.js";
import { exercises as reach } from "../concepts/reach/exercises.js";
import { exercises as rope } from "../concepts/rope/exercises.js";
import { exercises as scaling } from "../concepts/scaling/exercises.js";
import { exercises as scoring } from "../concepts/scoring/exercises.js";
import { exercises as sinusoidal } from "../concepts/sinusoidal/exercises.js";
import { exercises as softmax } from "../concepts/softmax/exercises.js";
import { exercises as training } from "../concepts/training/exercises.js";
import { exercises as why } from "../concepts/why/exercises.js";
import { ASKED_LATER } from "../concepts/frame/asked_later.js";

/** @typedef {import("../concepts/frame/exercises.js").Exercise} Exercise */

/** By the concept's stem. @type {Record<string, () => Exercise[]>} */
const EXERCISES = {
  alibi,
  block,
  circle,
  context,
  decoder,
  embedding,
  head_roles: headRoles,
  kernel,
  kv_cache: kvCache,
  linear,
  masks,
  multi_head: multiHead,
  order,
  parity,
  projections,
  qk_norm: qkNorm,
  reach,
  rope,
  scaling,
  scoring,
  sinusoidal,
  softmax,
  training,
  why,
};

/**
 * The exercises of each lesson: those of its concepts, then those that were put off until it.
 * @param {Record<string, string[]>} lessons  the stems of each lesson's concepts
 * @returns {Record<string, Exercise[]>}
 */
export function courseExercises(lessons) {
  const course = Object.entries(lessons).map(([id, stems]) => ({ id, own: stems.flatMap((stem) => ofConcept(stem)) }));
  const putOff = course.flatMap(({ own }) => own.filter((exercise) => exercise.id in ASKED_LATER));
  return Object.fromEntries(
    course.map(({ id, own }) => [
      id,
      [
        ...own.filter((exercise) => !(exercise.id in ASKED_LATER)),
        ...putOff.filter((exercise) => ASKED_LATER[exercise.id] === id),
      ],
    ]),
  );
}

/** @param {string} stem */
function ofConcept(stem) {
  return EXERCISES[stem]?.() ?? [];
}
