/** RoPE in PyTorch: what the chosen view shows. */

import { literal, tensor } from "../../base/code/python_code.js";
import { nonNull } from "../../base/non_null.js";

/** @typedef {import("./state.js").RopeData} RopeData */

/** @param {RopeData} data @returns {string[]} */
export function pytorch(data) {
  return ["import torch", "", ...CODE[data.state.view](data)];
}

/** @type {Record<import("./state.js").RopeState["view"], (data: RopeData) => string[]>} */
const CODE = { pair, sky, clocks, scores, group, decay, pairing, scaling };

const whole = (/** @type {number | number[]} */ value) => literal(value, { whole: true });

/** @param {RopeData} data */
const speeds = ({ state }, dim = state.dim) =>
  `theta = ${whole(state.base)} ** (-torch.arange(0, ${dim}, 2) / ${dim})  # radians per position`;

const INTERLEAVED = ["a, b = x[..., 0::2], x[..., 1::2]  # pairs (0, 1), (2, 3), …"];
const IN_HALVES = ["a, b = x.chunk(2, -1)  # pairs (0, d/2), (1, d/2 + 1), …"];

/** @param {string} name @param {string[]} pairs */
const rotation = (name, pairs, joined = "torch.stack(turned, -1).flatten(-2)") => [
  `def ${name}(x, positions):`,
  ...pairs.map((line) => `    ${line}`),
  "    angles = positions[:, None] * theta",
  "    cos, sin = angles.cos(), angles.sin()",
  "    turned = (a * cos - b * sin, a * sin + b * cos)",
  `    return ${joined}`,
];

/** @param {RopeData} data */
function pair({ state }) {
  return [
    ...tensor("q", [state.x, state.y]),
    `angles = torch.arange(${state.position + 1}) * ${whole(state.theta)}`,
    "cos, sin = angles.cos(), angles.sin()",
    "rotated = torch.stack((q[0] * cos - q[1] * sin, q[0] * sin + q[1] * cos), -1)",
    "print(rotated)  # at positions 0, 1, 2 …",
  ];
}

/** @param {RopeData} data */
function sky({ state, answer }) {
  const stars = Array.from({ length: answer.vector.length / 2 }, (_, star) =>
    answer.vector.slice(2 * star, 2 * star + 2),
  );
  const moved = stars.map((_, star) => star + state.slide + (star === state.star ? state.alone : 0));
  return [
    ...tensor("stars", stars),
    ...tensor("positions", moved),
    `angles = positions * ${whole(state.theta)}`,
    "rotated = torch.view_as_complex(stars) * torch.polar(torch.ones(len(stars)), angles)",
    "print(torch.view_as_real(rotated))",
  ];
}

/** @param {RopeData} data */
function clocks(data) {
  return [speeds(data), "print(theta)", `print(${data.state.position} * theta)  # angles at this position`];
}

/** @param {RopeData} data */
function scores(data) {
  return [
    ...tensor("q", data.answer.vector),
    ...tensor("k", data.answer.key),
    speeds(data, "8"),
    ...rotation("rotate", INTERLEAVED),
    "at = torch.arange(8)",
    "print(rotate(q, at) @ rotate(k, at).T)",
    `print(rotate(q, at + ${whole(data.state.slide)}) @ rotate(k, at + ${whole(data.state.slide)}).T)  # both shifted`,
    `print(rotate(q, at + ${whole(data.state.slide)}) @ rotate(k, at).T)  # only the query`,
  ];
}

/** @param {RopeData} data */
function group({ state }) {
  const { query, key } = state;
  return [
    "def R(position):",
    `    angle = torch.tensor(position * ${whole(state.theta)})`,
    "    cos, sin = angle.cos(), angle.sin()",
    "    return torch.stack((torch.stack((cos, -sin)), torch.stack((sin, cos))))",
    `assert torch.allclose(R(${query}) @ R(${key}), R(${query + key}), atol=1e-6)`,
    `assert torch.allclose(R(${query}).T, R(${-query}), atol=1e-6)`,
    `print(R(${query}).T @ R(${key}))`,
    `print(R(${key - query}))`,
  ];
}

/** @param {RopeData} data */
function decay(data) {
  return [
    speeds(data),
    `angles = torch.arange(${data.answer.decay.length})[:, None] * theta`,
    "hands = torch.polar(torch.ones_like(angles), angles)",
    "print(hands.cumsum(-1).abs().mean(-1))  # at distances 0, 1, 2 …",
  ];
}

/** @param {RopeData} data */
function pairing(data) {
  return [
    ...tensor("q", data.answer.vector),
    ...tensor("k", data.answer.key),
    speeds(data, "8"),
    ...rotation("interleaved", INTERLEAVED),
    ...rotation("in_halves", IN_HALVES, "torch.cat(turned, -1)"),
    "at = torch.arange(8)",
    "print(interleaved(q, at) @ interleaved(k, at).T)",
    "print(interleaved(q, at) @ in_halves(k, at).T)  # the bug",
    `order = ${whole(nonNull(data.answer.permutation))}  # first all first components, then all second ones`,
    "print(in_halves(q[order], at) @ in_halves(k[order], at).T)",
  ];
}

/** @param {RopeData} data */
function scaling(data) {
  const { state } = data;
  const { dim } = state;
  return [
    speeds(data),
    `slower = theta / ${whole(state.factor)}  # linear`,
    `base = ${whole(state.base)} * ${whole(state.factor)} ** (${dim} / (${dim} - 2))`,
    `ntk = base ** (-torch.arange(0, ${dim}, 2) / ${dim})`,
    `met = ${state.trained} * theta  # the largest angle in training`,
    "for speed in (theta, slower, ntk):",
    `    print(((${state.distance} * speed > met) & (met < 2 * torch.pi)).sum())  # pairs at unseen angles`,
  ];
}
